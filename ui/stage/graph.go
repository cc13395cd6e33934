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
	marks  [graphTicks]bool
	next   int
	count  int
}

// The graphs of a pane.
const (
	ErrorGraph = iota
	RTTGraph
	UpGraph
	DownGraph
	ReplayGraph
	BufferGraph
	ArrivalGraph
	GraphCount // how many there are
)

var graphNames = [GraphCount][2]string{
	{"position error", "m"}, {"round trip", "ms"}, {"up", "kbit/s"}, {"down", "kbit/s"}, {"replayed", "ticks"}, {"inputs waiting", ""}, {"state sooner", "ms"},
}

// Add appends a value; a mark is drawn where something happened.
func (g *Graph) Add(v float32, mark bool) {
	g.values[g.next], g.marks[g.next] = v, mark
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
	return g.values[k], g.marks[k]
}

// tops are the round numbers that a graph's scale may end at.
var tops = [...]float32{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6}

// Top returns a round number that no value is above, whatever its sign, at least least.
func (g *Graph) Top(least float32) float32 {
	most := least
	for i := range g.count {
		v, _ := g.At(i)
		most = max(most, v, -v)
	}
	for _, t := range tops {
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

// rate turns a growing total of bytes into bits a second over half a second.
type rate struct {
	totals [120]uint64
	n      int
}

// add takes in the total after a tick, and returns bits per second over the
// last half second, at so many ticks a second.
func (r *rate) add(total uint64, hz int) float64 {
	back := min(max(hz/2, 1), len(r.totals)-1)
	r.totals[r.n%len(r.totals)] = total
	first := uint64(0)
	if r.n >= back {
		first = r.totals[(r.n-back)%len(r.totals)]
	}
	r.n++
	return float64((total-first)*8) * float64(hz) / float64(back)
}

// graph takes in one tick's numbers of a pane.
func (p *pane) graph(of *lab.Pane, l *lab.Lab) {
	hz := l.Config().Rate
	total := of.Corrections.Total()
	corrected := total > p.corrected
	p.corrected = total
	up, down := &of.Clients[0].Endpoint.Stats, of.Server()
	replayed := of.Counters.Value("replayed_ticks")
	for i := range p.Graphs {
		p.Graphs[i].Title, p.Graphs[i].Unit = graphNames[i][0], graphNames[i][1]
	}
	p.Graphs[ErrorGraph].Add(float32(of.Score.Now()), corrected)
	p.Graphs[RTTGraph].Add(float32(up.RTT.Seconds()*1000), false)
	p.Graphs[UpGraph].Add(float32(p.up.add(up.BytesSent, hz)/1000), false)
	p.Graphs[DownGraph].Add(float32(p.down.add(down.BytesSent, hz)/1000), false)
	p.Graphs[ReplayGraph].Add(float32(replayed-p.replayed), corrected)
	p.Graphs[BufferGraph].Add(float32(of.Counters.Value("buffer_depth")), false)
	p.Graphs[ArrivalGraph].Add(float32(arrival(of.Counters, hz)), false)
	p.Graphs[ArrivalGraph].Signed = true
	p.replayed = replayed
}

// arrival is by how many milliseconds states come sooner than they should by the
// client's clock: the newest, where the strategy tells, or else as it is being mended.
func arrival(m *predict.Counters, hz int) float64 {
	for _, c := range m.All() {
		if c.Name == "arrival_early_ms" {
			return c.Value
		}
	}
	return float64(m.Value("clock_behind_ticks")*1000) / float64(hz)
}

// Panes returns how many panes have been seen.
func (s *Stage) Panes() int { return len(s.panes) }

// Graph returns a graph of a pane, for reading.
func (s *Stage) Graph(pane, which int) *Graph { return &s.panes[pane].Graphs[which] }
