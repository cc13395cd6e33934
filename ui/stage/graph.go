package stage

import (
	"ghostcube/predict"
	"ghostcube/predict/lab"
)

// graphTicks is how many ticks a graph shows.
const graphTicks = 300

// Graph is the recent past of one number.
type Graph struct {
	Title string
	Unit  string

	// Signed is a number that is also below zero, which then lies in the middle.
	Signed bool

	values [graphTicks]float32
	events [graphTicks]bool
	next   int
	count  int
}

// The graphs of a pane.
const (
	LagErrorGraph = iota
	RTTGraph
	UplinkGraph
	DownlinkGraph
	ReplayGraph
	InputBufferGraph
	EarlyArrivalGraph
	GraphCount // how many there are
)

var graphTitles = [GraphCount][2]string{
	{"position error", "m"}, {"round trip", "ms"}, {"up", "kbit/s"}, {"down", "kbit/s"}, {"replayed", "ticks"}, {"inputs waiting", ""}, {"state sooner", "ms"},
}

// Add appends a value; a mark is drawn where something happened.
func (g *Graph) Add(v float32, mark bool) {
	g.values[g.next], g.events[g.next] = v, mark
	g.next = (g.next + 1) % graphTicks
	g.count = min(g.count+1, graphTicks)
}

// Len returns how many values there are, and Cap how many there can be.
func (g *Graph) Len() int { return g.count }

// Cap returns how many values a graph holds at most.
func (g *Graph) Cap() int { return graphTicks }

// At returns value i, the oldest being 0, and whether something is marked
// there.
func (g *Graph) At(i int) (v float32, mark bool) {
	k := (g.next - g.count + i + graphTicks) % graphTicks
	return g.values[k], g.events[k]
}

// scaleSteps are the round numbers that a graph's scale may end at.
var scaleSteps = [...]float32{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6}

// ScaleMax returns a round number that no value is above, whatever its sign, at least least.
func (g *Graph) ScaleMax(least float32) float32 {
	most := least
	for i := range g.count {
		v, _ := g.At(i)
		most = max(most, v, -v)
	}
	for _, t := range scaleSteps {
		if t >= most {
			return t
		}
	}
	return most
}

// Last returns the newest value.
func (g *Graph) Last() float32 {
	if g.count == 0 {
		return 0
	}
	v, _ := g.At(g.count - 1)
	return v
}

// bitRate turns a growing total of bytes into bits a second over half a second.
type bitRate struct {
	totals [120]uint64
	count  int
}

// add takes in the total after a tick, and returns bits per second over the
// last half second, at so many ticks a second.
func (r *bitRate) add(total uint64, hz int) float64 {
	back := min(max(hz/2, 1), len(r.totals)-1)
	r.totals[r.count%len(r.totals)] = total
	first := uint64(0)
	if r.count >= back {
		first = r.totals[(r.count-back)%len(r.totals)]
	}
	r.count++
	return float64((total-first)*8) * float64(hz) / float64(back)
}

// updateGraphs takes in one tick's numbers of a pane.
func (p *pane) updateGraphs(of *lab.Pane, l *lab.Lab) {
	hz := l.Config().Rate
	total := of.Corrections.Total()
	corrected := total > p.correctionCount
	p.correctionCount = total
	up, down := &of.Clients[0].Endpoint.Stats, of.ServerStats()
	replayed := of.Counters.Value("replayed_ticks")
	for i := range p.graphs {
		p.graphs[i].Title, p.graphs[i].Unit = graphTitles[i][0], graphTitles[i][1]
	}
	p.graphs[LagErrorGraph].Add(float32(of.Score.LagError()), corrected)
	p.graphs[RTTGraph].Add(float32(up.RTT.Seconds()*1000), false)
	p.graphs[UplinkGraph].Add(float32(p.upRate.add(up.BytesSent, hz)/1000), false)
	p.graphs[DownlinkGraph].Add(float32(p.downRate.add(down.BytesSent, hz)/1000), false)
	p.graphs[ReplayGraph].Add(float32(replayed-p.replayedTicks), corrected)
	p.graphs[InputBufferGraph].Add(float32(of.Counters.Value("buffer_depth")), false)
	p.graphs[EarlyArrivalGraph].Add(float32(earlyArrivalMs(of.Counters, hz)), false)
	p.graphs[EarlyArrivalGraph].Signed = true
	p.replayedTicks = replayed
}

// earlyArrivalMs is by how many milliseconds states come sooner than they should by the
// client's clock: the newest, where the strategy tells, or else as it is being mended.
func earlyArrivalMs(m *predict.Counters, hz int) float64 {
	for _, c := range m.All() {
		if c.Name == "arrival_early_ms" {
			return c.Value
		}
	}
	return float64(m.Value("clock_behind_ticks")*1000) / float64(hz)
}

// PaneCount returns how many panes have been seen.
func (s *Stage) PaneCount() int { return len(s.panes) }

// Graph returns a graph of a pane, for reading.
func (s *Stage) Graph(pane, which int) *Graph { return &s.panes[pane].graphs[which] }
