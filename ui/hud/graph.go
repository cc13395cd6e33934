package hud

import (
	"strings"

	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/ui/stage"
)

// graphTicks is the number of ticks that a graph shows.
const graphTicks = 300

// Graph is the recent history of a number, one value a tick.
type Graph struct {
	Title string
	Unit  string

	// Known says that the strategy counts the number. Otherwise the graph has nothing to show.
	Known bool

	// Signed puts zero into the middle of the graph, for a number that can be negative.
	Signed bool

	values [graphTicks]float32 // a ring
	events [graphTicks]bool    // marks, by the same index
	next   int                 // index of the next value
	count  int
	Stale  bool // the last value is not one of now: there has been none for a while
}

// The graphs of a pane.
const (
	PathErrorGraph = iota
	LagErrorGraph
	RTTGraph
	UplinkGraph
	DownlinkGraph
	ReplayGraph
	InputBufferGraph
	EarlyArrivalGraph
	InputBitsGraph
	BytesDownGraph
	BytesUpGraph
	GraphCount
)

// inParentGraph is the graph of path errors in the parent's frame, which only strips show.
const inParentGraph = -1

func (p *pane) graph(which int) *Graph {
	if which == inParentGraph {
		return &p.inParent
	}
	return &p.graphs[which]
}

// Add appends a value, with a mark if something happened in this tick. It drops the oldest value of a full graph.
func (g *Graph) Add(v float32, mark bool) {
	g.values[g.next], g.events[g.next] = v, mark
	g.next = (g.next + 1) % graphTicks
	g.count = min(g.count+1, graphTicks)
}

// Len returns the number of values.
func (g *Graph) Len() int { return g.count }

// At returns value i, where 0 is the oldest, and whether it has a mark.
func (g *Graph) At(i int) (v float32, mark bool) {
	k := (g.next - g.count + i + graphTicks) % graphTicks
	return g.values[k], g.events[k]
}

// scaleSteps are the round numbers at which the scale of a graph may end.
var scaleSteps = [...]float32{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6}

// ScaleMax returns a round number that is at least minimum and at least the magnitude of every value.
func (g *Graph) ScaleMax(minimum float32) float32 {
	largest := minimum
	for i := range g.count {
		v, _ := g.At(i)
		largest = max(largest, v, -v)
	}
	for _, step := range scaleSteps {
		if step >= largest {
			return step
		}
	}
	return largest
}

// Last returns the newest value, or 0 if there is none.
func (g *Graph) Last() float32 {
	if g.count == 0 {
		return 0
	}
	v, _ := g.At(g.count - 1)
	return v
}

// bitRate computes bits per second over the last half second from a growing total of bytes.
type bitRate struct {
	totals [120]uint64 // a ring, by tick
	count  int         // ticks so far
	base   uint64      // the first total: what was sent before the graph began is no rate of it
}

// add takes the total after a tick and returns the bits per second over the last half second; rate is in
// ticks per second.
func (r *bitRate) add(total uint64, rate int) float64 {
	back := min(max(rate/2, 1), len(r.totals)-1)
	if r.count == 0 {
		r.base = total
	}
	r.totals[r.count%len(r.totals)] = total
	first := r.base
	if r.count >= back {
		first = r.totals[(r.count-back)%len(r.totals)]
	}
	r.count++
	return float64((total-first)*8) * float64(rate) / float64(back)
}

// last returns the bytes of the newest tick.
func (r *bitRate) last() float64 {
	if r.count < 2 {
		return 0
	}
	n := len(r.totals)
	return float64(r.totals[(r.count-1)%n] - r.totals[(r.count-2)%n])
}

// updateGraphs adds the values of a tick to the graphs of a pane.
func (p *pane) updateGraphs(source *lab.Pane, l *lab.Lab) {
	rate := l.Config().Rate
	total := source.Corrections.Total()
	corrected := total > p.correctionCount
	p.correctionCount = total
	replayed, replays := source.Counters.Sum(predict.ReplayedTicks)
	waiting, waits := source.Counters.Sum(predict.WaitingInputs)
	early, measuresArrival := earlyArrivalMs(source.Counters, rate)
	client := source.Clients[p.client]
	up := p.upRate.add(client.WireBytes(link.Up), rate) / 1000
	down := p.downRate.add(client.WireBytes(link.Down), rate) / 1000
	bytesUp, bytesDown := p.upRate.last(), p.downRate.last()
	_, current := client.Endpoint.Stats.CurrentRTT(l.Now())
	for i, of := range [GraphCount]struct {
		title, unit string
		value       float64
		mark, known bool
	}{
		PathErrorGraph:    {"path error", "m", float64(p.pathErrorNow()), corrected, true},
		LagErrorGraph:     {"lag error", "m", source.Score.LagError(), corrected, !l.Remote()},
		RTTGraph:          {"RTT", "ms", client.Endpoint.Stats.RTT.Seconds() * 1000, false, true},
		UplinkGraph:       {"uplink", "kbit/s", up, false, true},
		DownlinkGraph:     {"downlink", "kbit/s", down, false, true},
		ReplayGraph:       {"resimulated", "ticks", replayed - p.replayedTicks, corrected, replays},
		InputBufferGraph:  {"input buffer", "inputs", waiting, false, waits && !l.Remote()},
		EarlyArrivalGraph: {"early arrival", "ms", early, false, measuresArrival},
		InputBitsGraph:    {"inputs in a packet", "bits", float64(p.inputBits.add(source.Counters)), false, true},
		BytesDownGraph:    {"sent down", "bytes", bytesDown, false, true},
		BytesUpGraph:      {"sent up", "bytes", bytesUp, false, true},
	} {
		g := &p.graphs[i]
		g.Title, g.Unit, g.Known, g.Signed = of.title, of.unit, of.known && !l.Watches(), i == EarlyArrivalGraph
		g.Add(float32(of.value), of.mark)
		g.Stale = i == RTTGraph && !current
	}
	p.inParent.Add(float32(source.Score.PathErrorInParent()), corrected)
	p.replayedTicks = replayed
}

// inputBits computes the mean size of the inputs in the packets of a tick from growing totals.
type inputBits struct {
	bits, packets float64 // totals
	last          float32
}

// add takes the totals after a tick and returns the bits of inputs per packet, or the last result if no
// packet with inputs was sent. Lockstep counts a packet for each player whose inputs it has.
func (b *inputBits) add(m *predict.Counters) float32 {
	bits, packets := m.Total(predict.InputBits), m.Total(predict.InputPackets)
	if packets > b.packets {
		b.last = float32((bits - b.bits) / (packets - b.packets))
	}
	b.bits, b.packets = bits, packets
	return b.last
}

// earlyArrivalMs returns how much earlier than the client's clock expects the newest snapshot arrived, in
// milliseconds. For a strategy that counts only ticks by which its clock is behind, those are converted. ok is
// false for a strategy that counts neither.
func earlyArrivalMs(m *predict.Counters, rate int) (ms float64, ok bool) {
	if ms, ok = m.Sum(predict.EarlyArrival); ok {
		return ms, true
	}
	behind, ok := m.Sum(predict.ClockBehind)
	return behind * 1000 / float64(rate), ok
}

// drawGraphGauge draws the path error of pane i with a mark for each correction, or, where the headline is a bandwidth, the
// bytes of every tick. Below a headline in the parent's frame it is the error in that frame. All panes have one scale.
func (d gaugeDrawer) drawGraphGauge(i int, x, y, w, h float32) {
	f := d.font(12, false)
	texts := f.Width("path error now") + d.px(16)
	left, width, upper, height := x+texts, max(w-texts-d.px(4), 1), y+d.px(4), h-d.px(8)
	var first, second string
	if which, ok := bytesGraph(d.settings.Headline); ok {
		top := d.hud.scaleMax(which, minBytesScale)
		first, second = "sent in a tick", d.texts.add("of ").bytes(float64(top)).end()
		d.drawBytes(d.hud.Graph(i, which), left, upper, width, height, top)
	} else {
		which, title := PathErrorGraph, "path error now"
		if strings.Contains(d.settings.Headline, "_in_parent_") {
			which, title = inParentGraph, "in parent now"
		}
		g, top := d.hud.panes[i].graph(which), d.hud.scaleMax(which, minPathErrorScale)
		first = title
		second = d.texts.fixed(float64(g.Last()), 2).add(" of ").short(float64(top), 3).add(" m").end()
		DrawGraph(d.DrawList, g, left, upper, width, height, top, d.px(1.5))
	}
	middle := y + whole(h/2)
	d.Text(x+d.px(8), middle-d.px(3), f, stage.DimTextColor, first)
	d.Text(x+d.px(8), middle+d.px(12), f, stage.DimTextColor, second)
}

// bytesGraph returns the graph of the bytes that a headline counts; ok is false if it is no bandwidth.
func bytesGraph(headline string) (which int, ok bool) {
	switch headline {
	case "down_kbit_per_second", "bits_per_body":
		return BytesDownGraph, true
	case "up_kbit_per_second":
		return BytesUpGraph, true
	}
	return 0, false
}

// bytesTicks is the number of ticks whose bytes are drawn.
const bytesTicks = 90

// drawBytes draws the bytes of the last ticks as blocks from left to right, the newest at the right. Nothing stands where
// nothing was sent.
func (d gaugeDrawer) drawBytes(g *Graph, x, y, w, h, top float32) {
	bottom := y + h - 1
	d.Rect(x, bottom, w, 1, stage.GridlineColor)
	n := min(g.Len(), bytesTicks)
	for i := range n {
		v, _ := g.At(g.Len() - n + i)
		if v == 0 {
			continue
		}
		at := bytesTicks - n + i
		x0, x1 := whole(w*float32(at)/bytesTicks), whole(w*float32(at+1)/bytesTicks)
		block := max(whole((h-1)*v/top), d.px(1))
		d.Rect(x+x0, bottom-block, max(x1-x0-1, 1), block, stage.UpdateColor)
	}
}

// minBytesScale is the least end of the scale of bytes in a tick.
const minBytesScale = 50

// minPathErrorScale is the least end of the scale of path errors, in metres.
const minPathErrorScale = 0.1

// scaleMax returns the end of the scale of a graph that has room for the values of all panes.
func (h *HUD) scaleMax(which int, minimum float32) float32 {
	top := minimum
	for _, p := range h.panes {
		top = max(top, p.graph(which).ScaleMax(minimum))
	}
	return top
}

// DrawGraph draws the curve of a graph into a rectangle with the newest value at the right, and a vertical
// line for each mark. top is the value at the upper border; width is that of the curve in pixels.
func DrawGraph(list *render.DrawList, g *Graph, x, y, w, h, top, width float32) {
	zero, unit, bottom := y+h-1, h-2, float32(0) // unit: pixels from zero to top; bottom: the least value, in tops
	if g.Signed {
		unit, bottom = unit*0.5, -1
		zero -= unit
	}
	list.Rect(x, zero, w, 1, stage.GridlineColor)
	n := g.Len()
	if n < 2 {
		return
	}
	var buffer [graphTicks]render.Point // the list copies the points
	points := buffer[:0]
	step := w / float32(graphTicks-1)
	for i := range n {
		v, marked := g.At(i)
		px := x + step*float32(graphTicks-n+i)
		if marked {
			list.Rect(px, y, 1, h, stage.EventColor)
		}
		points = append(points, render.Point{X: px, Y: zero - unit*min(max(v/top, bottom), 1)})
	}
	list.Line(points, max(width, 1), stage.CurveColor)
}
