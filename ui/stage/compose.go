package stage

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim"
)

// Options say what Compose draws over the scenes.
type Options struct {
	NoOverlay      bool      // draw nothing over the scenes
	Title          string    // of the header; empty: the scene's name
	Input          sim.Input // its buttons are highlighted in the footer
	Footer         string    // such as the name of the tape
	Alert          string    // in the header, in red, instead of the network
	HighlightFocus bool      // draw a border around the focused pane
	Callout        *Callout  // nil: none

	// RenderLatency is the measured time from a tick to its finished picture; 0: not measured.
	RenderLatency time.Duration
}

// Frame is one picture of a session: viewports, and the overlay drawn over them.
type Frame struct {
	Viewports []Viewport
	Overlay   render.DrawList
}

// The colours of the overlay.
var (
	textColor       = render.Color{R: 240, G: 243, B: 246, A: 255}
	dimTextColor    = render.Color{R: 178, G: 186, B: 196, A: 255}
	backgroundColor = render.Color{R: 22, G: 26, B: 32, A: 255}
	panelColor      = render.Color{R: 22, G: 26, B: 32, A: 190}
	keyUpColor      = render.Color{R: 58, G: 65, B: 75, A: 255}
	keyDownColor    = render.Color{R: 245, G: 196, B: 66, A: 255}
	alertColor      = render.Color{R: 255, G: 92, B: 80, A: 255}
	curveColor      = render.Color{R: 96, G: 178, B: 255, A: 255}
	eventColor      = render.Color{R: 255, G: 150, B: 60, A: 160}
	gridlineColor   = render.Color{R: 90, G: 98, B: 110, A: 160}
)

// Compose fills f with the picture of the session in a rectangle. share, in [0, 1], is the present moment
// between the previous tick and the last. f reuses its memory.
func (s *Stage) Compose(f *Frame, l *lab.Lab, at Rect, o Options, share float32) {
	f.Overlay.Reset()
	show := SettingsOf(l)
	if o.NoOverlay {
		f.Viewports = s.viewports(f.Viewports[:0], l, at.X, at.Y, at.W, at.H, share, show)
		drawDividers(&f.Overlay, l, at, show.Split)
		return
	}
	d := overlay{DrawList: &f.Overlay, stage: s, l: l, settings: show, scale: overlayScale(at), rect: at, renderLatency: o.RenderLatency}
	header, footer := d.px(34), d.px(28)
	inner := Rect{at.X, at.Y + int(header), at.W, at.H - int(header) - int(footer)}
	f.Viewports = s.viewports(f.Viewports[:0], l, inner.X, inner.Y, inner.W, inner.H, share, show)
	drawDividers(&f.Overlay, l, inner, show.Split)
	d.drawHeader(o, header)
	d.drawFooter(o, footer)
	for i, r := range paneRects(len(l.Panes), inner.X, inner.Y, inner.W, inner.H) {
		d.drawCaption(i, r, o.HighlightFocus)
	}
	d.drawShotResults(f.Viewports)
	if o.Callout != nil {
		d.drawCallout(o.Callout, f.Viewports)
	}
}

// overlayScale is the scale of texts and boxes: 1 in a picture of 1280 by 720.
func overlayScale(at Rect) float32 {
	return min(max(min(float32(at.W)/1280, float32(at.H)/720), 0.7), 4)
}

// drawDividers draws the lines between panes, and between the two sides of each.
func drawDividers(list *render.DrawList, l *lab.Lab, at Rect, split bool) {
	rects := paneRects(len(l.Panes), at.X, at.Y, at.W, at.H)
	if len(rects) > 1 {
		list.Rect(float32(rects[0].X+rects[0].W), float32(at.Y), gutter, float32(at.H), backgroundColor)
	}
	if len(rects) > 2 {
		list.Rect(float32(at.X), float32(rects[0].Y+rects[0].H), float32(at.W), gutter, backgroundColor)
		if len(rects) == 3 { // the vertical line ends above the wide pane
			list.Items[len(list.Items)-2].H = float32(rects[0].H)
		}
	}
	if !split {
		return
	}
	for _, r := range rects {
		half := (r.W - gutter/2) / 2
		list.Rect(float32(r.X+half), float32(r.Y), float32(r.W-2*half), float32(r.H), render.Color{R: 240, G: 243, B: 246, A: 200})
	}
}

// overlay is the state of one call of Compose.
type overlay struct {
	*render.DrawList
	stage    *Stage
	l        *lab.Lab
	settings Settings
	scale    float32
	rect     Rect

	renderLatency time.Duration
	gaugeTops     [lab.MaxPanes]float32 // top of each pane's gauges, pixels; 0: it has none
}

// px scales a length for a picture of 1280 by 720 to whole pixels.
func (d *overlay) px(n float32) float32 { return float32(int(float32(n*d.scale) + 0.5)) }

// font returns a font with a size for a picture of 1280 by 720.
func (d *overlay) font(size float32, bold bool) render.Font {
	return render.Font{Size: int(float32(size*d.scale) + 0.5), Bold: bold}
}

// baseline returns the baseline of a text that is centred in a strip at y of height h.
func baseline(f render.Font, y, h float32) float32 {
	return y + float32(h*0.5) + float32(float32(f.Size)*0.36)
}

// drawHeader draws the strip at the top: title, network, seed and time.
func (d *overlay) drawHeader(o Options, h float32) {
	x, y, w := float32(d.rect.X), float32(d.rect.Y), float32(d.rect.W)
	d.Rect(x, y, w, h, backgroundColor)
	bold, plain := d.font(16, true), d.font(14, false)
	c := d.l.Config()
	right := networkText(&c.Network) + fmt.Sprintf(" · seed %d · %s", c.Network.Seed, clockText(d.l.Now()))
	if o.Alert != "" {
		right = o.Alert
	}
	rightWidth := plain.Width(right)
	color := dimTextColor
	if o.Alert != "" {
		color = alertColor
	}
	d.Text(x+w-rightWidth-d.px(12), baseline(plain, y, h), plain, color, right)
	title := o.Title
	if title == "" {
		title = c.Scene
		if c.Seat == lab.AtHost {
			title += ", player on the server"
		}
	}
	d.Text(x+d.px(12), baseline(bold, y, h), bold, textColor, bold.Truncate(title, w-rightWidth-d.px(40)))
}

// countText returns a number with its noun, such as 1 stall or 2 stalls.
func countText(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// countTrue returns the number of values that are true.
func countTrue(list []bool) (n int) {
	for _, b := range list {
		if b {
			n++
		}
	}
	return n
}

// clockText returns a time as minutes and seconds.
func clockText(t time.Duration) string {
	s := int(t / (100 * time.Millisecond))
	return fmt.Sprintf("%d:%02d.%d", s/600, s/10%60, s%10)
}

// keyLabels are the keys of the footer, from left to right.
var keyLabels = []struct {
	name   string
	button sim.Buttons
}{{"W", sim.Forward}, {"A", sim.Left}, {"S", sim.Back}, {"D", sim.Right}, {"space", sim.Lift}, {"Z", sim.Pull}, {"Q", sim.Use}, {",", sim.Couple}}

// drawFooter draws the strip at the bottom: the legend, a note, and the keys that are down.
func (d *overlay) drawFooter(o Options, h float32) {
	x, y, w := float32(d.rect.X), float32(d.rect.Y+d.rect.H)-h, float32(d.rect.W)
	d.Rect(x, y, w, h, backgroundColor)
	f := d.font(13, false)
	base := baseline(f, y, h)
	pen := x + d.px(12)
	right := x + w - d.px(12)
	for i := len(keyLabels) - 1; i >= 0; i-- {
		k := keyLabels[i]
		if k.button&sim.ActionButtons != 0 && !d.hasActions() {
			continue
		}
		bw := f.Width(k.name) + d.px(10)
		right -= bw
		background, foreground := keyUpColor, dimTextColor
		if o.Input.Buttons&k.button != 0 {
			background, foreground = keyDownColor, backgroundColor
		}
		d.Rect(right, y+d.px(5), bw, h-d.px(10), background)
		d.Text(right+d.px(5), base, f, foreground, k.name)
		right -= d.px(4)
	}
	legend := append(d.appendShotLegend(d.legendEntries()), legendEntry{color: clientColor, label: "client"}, legendEntry{color: serverColor, label: "server"})
	if d.settings.Ghosts && d.anySnapshots() {
		legend = append(legend, legendEntry{color: receivedColor, label: "last received snapshot"})
	}
	for i := range legend {
		e := &legend[i]
		if next := pen + d.legendEntryWidth(e, f); next <= right-d.px(10) {
			d.drawLegendEntry(e, f, pen, y, h)
			pen = next + d.px(18)
		}
	}
	if o.Footer != "" && right-pen > d.px(80) {
		note := f.Truncate(o.Footer, right-pen-d.px(12))
		d.Text(right-d.px(10)-f.Width(note), base, f, dimTextColor, note)
	}
}

// hasActions reports whether there is anything to enter or to couple in the scene.
func (d *overlay) hasActions() bool {
	return len(d.l.Panes) > 0 && d.l.Panes[0].ServerWorld.Scene().HasActions()
}

// anySnapshots reports whether the client of any pane has received a snapshot.
func (d *overlay) anySnapshots() bool {
	for _, p := range d.l.Panes {
		if len(p.Clients[0].View.LastReceived) > 0 {
			return true
		}
	}
	return false
}

// anyInputsMissed reports whether the server of any pane has stepped a tick without the input for it.
func (d *overlay) anyInputsMissed() bool {
	for _, p := range d.l.Panes {
		if used := p.Counters.Value("inputs_consumed_ratio"); used > 0 && used < 0.9995 {
			return true
		}
	}
	return false
}

// drawCaption draws the caption of pane i in r, with its side labels, its lag error graph and its gauges.
func (d *overlay) drawCaption(i int, r Rect, focus bool) {
	x, y := float32(r.X)+d.px(10), float32(r.Y)+d.px(10)
	big, small := d.font(17, true), d.font(13, false)
	split := d.settings.Split
	room := float32(r.W) - d.px(20)
	if split {
		room = float32(float32(r.W)*0.5) - d.px(20) - d.sideLabelWidth("client") - d.px(6)
	}
	name := d.l.Panes[i].Strategy.Name
	if len(d.l.Panes) > 1 {
		name = strconv.Itoa(i+1) + "  " + name
	}
	lineHeight := d.px(18)
	lines, alerts := d.captionLines(i, r, room-d.px(20))
	fitting := int((float32(r.H) - d.px(10+34+10)) / lineHeight)
	lines = lines[:max(min(len(lines), fitting-len(alerts)), 0)]
	plain := len(lines)
	lines = append(lines, alerts...)
	width := big.Width(name)
	for _, s := range lines {
		width = max(width, small.Width(s))
	}
	h := d.px(34) + float32(lineHeight*float32(len(lines)))
	d.Rect(x, y, min(width+d.px(20), room), h, panelColor)
	d.Text(x+d.px(10), y+d.px(22), big, textColor, big.Truncate(name, room-d.px(20)))
	for k, s := range lines {
		color := dimTextColor
		if k >= plain {
			color = alertColor
		}
		d.Text(x+d.px(10), y+d.px(42)+float32(lineHeight*float32(k)), small, color, small.Truncate(s, room-d.px(20)))
	}
	if split {
		half := float32((r.W - gutter/2) / 2)
		d.drawSideLabel(float32(r.X)+half-d.px(10), y, "client", true)
		d.drawSideLabel(float32(r.X)+half+gutter/2+d.px(10), y, "server", false)
	}
	if d.settings.Graphs && float32(r.H) > d.px(300) {
		d.drawLagErrorGraph(i, r)
	}
	top := y + h + d.px(gaugeGap)
	if split { // gauges are on the server's side, below its label
		top = y + d.px(26+gaugeGap)
	}
	d.drawGauges(i, r, top)
	if focus && len(d.l.Panes) > 1 && d.l.Focus() == i {
		d.Border(float32(r.X), float32(r.Y), float32(r.W), float32(r.H), d.px(3), keyDownColor)
	}
}

// captionLines returns the lines below the name of pane i in r, of at most a width: changed knobs, key
// figures, counters and missing data; and the highlighted ones, faults and notes of the client.
func (d *overlay) captionLines(i int, r Rect, width float32) (lines, alerts []string) {
	p, font := d.l.Panes[i], d.font(13, false)
	wrap := func(words []string) { lines = append(lines, font.Wrap(words, "   ", width)...) }
	if knobs := p.Knobs.Changed(); len(knobs) > 0 {
		wrap(knobs)
	}
	// Two short lines hide less of the scene than a long one, but a low pane with gauges has no room for a
	// line more.
	if figures := d.keyFigures(i); float32(r.H) < d.px(lowPaneHeight) && d.settings.anyGauge() {
		wrap(figures)
	} else {
		wrap(figures[:2])
		wrap(figures[2:])
	}
	if predicted := p.Clients[0].View.Predicted; len(predicted) > 0 && d.settings.Coloring == byPrediction {
		lines = append(lines, fmt.Sprintf("%d of %d bodies predicted", countTrue(predicted), len(predicted)))
	}
	if _, largest, _, ok := p.Score.JointSeparation(); ok && d.settings.Joints {
		lines = append(lines, "open joints "+gapText(p.Score.JointSeparationNow())+", largest "+gapText(largest))
	}
	if d.settings.Ticks {
		wrap(tickCounters(p))
	}
	if n := p.Counters.Value("corrections"); n > 0 {
		lines = append(lines, correctionsText(p.Counters, int(n)))
	}
	if used := p.Counters.Value("inputs_consumed_ratio"); used > 0 && d.anyInputsMissed() {
		lines = append(lines, fmt.Sprintf("%.1f %% of inputs on time", 100*used))
	}
	if n := p.Counters.Value("stalls"); n > 0 {
		lines = append(lines, fmt.Sprintf("%s, %.1f/min, longest %.0f ms", countText(int(n), "stall"), p.Counters.Value("stalls_per_minute"), p.Counters.Value("stall_max_ms")))
	}
	if s := d.stage.panes[i].missingText(&d.settings); s != "" && int(d.l.Ticks()-p.StartTick()) > d.l.Config().Rate {
		lines = append(lines, s)
	}
	if s := p.DescribeClockFaults(); s != "" {
		alerts = append(alerts, s)
	}
	if note := p.Clients[0].View.Note; note != "" {
		alerts = append(alerts, note)
	}
	return lines, alerts
}

// correctionsText returns the number of corrections and by how much they moved bodies on average. Only some
// strategies correct and measure other bodies than the player's cube.
func correctionsText(m *predict.Counters, n int) string {
	player := m.Value("correction_mean_m")
	if largest, ok := m.Lookup("correction_largest_mean_m"); ok {
		return fmt.Sprintf("%s, mean %.2f m, player's cube %.2f m", countText(n, "correction"), largest, player)
	}
	return fmt.Sprintf("%s of the player's cube, mean %.2f m", countText(n, "correction"), player)
}

// tickCounters returns the ticks of a pane's first client and of its server, and the tick of the newest state
// that the client has received.
func tickCounters(p *lab.Pane) []string {
	words := []string{fmt.Sprintf("client tick %d,", p.Clients[0].World.Tick()), fmt.Sprintf("server tick %d", p.ServerWorld.Tick())}
	if state := p.Progress().StateReceived; state > 0 {
		words[1] += ","
		words = append(words, fmt.Sprintf("state %d", state))
	}
	return words
}

// keyFigures returns the four numbers that lead the caption of a pane: the mean time from a key to the screen
// in the last second, the path error and the pops since the start, and the present bandwidth of both
// directions.
func (d *overlay) keyFigures(i int) []string {
	p := d.l.Panes[i]
	latency, path := "-", "-"
	if l := p.Latency.Recent().Response; l.Inputs > 0 {
		latency = wholeMillis(l.Sum()) + " ms"
	}
	if e, ok := p.Score.PathError(); ok {
		path = fmt.Sprintf("%.2f m", e.RMS)
	}
	bandwidth := d.stage.Graph(i, UplinkGraph).Last() + d.stage.Graph(i, DownlinkGraph).Last()
	return []string{
		"key to screen " + latency, "path error " + path,
		fmt.Sprintf("%d pops/min", int(p.Score.PopsPerMinute()+0.5)), fmt.Sprintf("%.0f kbit/s", bandwidth),
	}
}

// sideLabelWidth returns the width of a side label.
func (d *overlay) sideLabelWidth(s string) float32 { return d.font(15, true).Width(s) + d.px(16) }

// drawSideLabel draws the label of a side, left of x or right of it.
func (d *overlay) drawSideLabel(x, y float32, s string, left bool) {
	f, w := d.font(15, true), d.sideLabelWidth(s)
	if left {
		x -= w
	}
	d.Rect(x, y, w, d.px(26), panelColor)
	d.Text(x+d.px(8), y+d.px(18), f, textColor, s)
}

// drawLagErrorGraph draws the lag error graph of pane i into the lower left corner of r.
func (d *overlay) drawLagErrorGraph(i int, r Rect) {
	w, h := min(float32(r.W)*0.42, d.px(270)), d.px(64)
	x, y := float32(r.X)+d.px(10), float32(r.Y+r.H)-h-d.px(10)
	d.Rect(x, y, w, h, panelColor)
	g := d.stage.Graph(i, LagErrorGraph)
	f := d.font(12, false)
	top := g.ScaleMax(0.1)
	d.Text(x+d.px(8), y+d.px(15), f, dimTextColor, fmt.Sprintf("lag error %.2f m", g.Last()))
	scale := fmt.Sprintf("%.3g m", top)
	d.Text(x+w-d.px(8)-f.Width(scale), y+d.px(15), f, dimTextColor, scale)
	DrawGraph(d.DrawList, g, x+d.px(4), y+d.px(20), w-d.px(8), h-d.px(24), top, d.px(1.5))
}

// DrawGraph draws the curve of a graph into a rectangle with the newest value at the right, and a vertical
// line for each mark. top is the value at the upper border; width is that of the curve in pixels.
func DrawGraph(list *render.DrawList, g *Graph, x, y, w, h, top, width float32) {
	zero, unit, bottom := y+h-1, h-2, float32(0) // unit: pixels from zero to top; bottom: the least value, in tops
	if g.Signed {
		unit, bottom = float32(unit*0.5), -1
		zero -= unit
	}
	list.Rect(x, zero, w, 1, gridlineColor)
	n := g.Len()
	if n < 2 {
		return
	}
	points := make([]render.Point, 0, n)
	step := w / float32(graphTicks-1)
	for i := range n {
		v, marked := g.At(i)
		px := x + float32(step*float32(graphTicks-n+i))
		if marked {
			list.Rect(px, y, 1, h, eventColor)
		}
		points = append(points, render.Point{X: px, Y: zero - float32(unit*min(max(v/top, bottom), 1))})
	}
	list.Line(points, max(width, 1), curveColor)
}

// networkText describes network conditions in words.
func networkText(w *link.Network) string {
	if w.Up == w.Down {
		return conditionsText(&w.Up)
	}
	return "up: " + conditionsText(&w.Up) + " / down: " + conditionsText(&w.Down)
}

// conditionsText describes the conditions of one direction.
func conditionsText(c *link.Conditions) string {
	var s []string
	if c.Latency > 0 {
		s = append(s, durationText(c.Latency)+" latency")
	}
	switch {
	case c.Jitter == 0:
	case c.Shape == link.Uniform:
		s = append(s, "jitter ±"+durationText(c.Jitter))
	default:
		s = append(s, "jitter "+durationText(c.Jitter)+" ("+c.Shape.String()+")")
	}
	if c.Loss > 0 {
		loss := percentText(c.Loss) + " loss"
		if c.Burst > 1 {
			loss += ", bursty"
		}
		s = append(s, loss)
	}
	if c.Duplicate > 0 {
		s = append(s, percentText(c.Duplicate)+" duplicated")
	}
	if c.Corrupt > 0 {
		s = append(s, percentText(c.Corrupt)+" corrupt")
	}
	if c.Foreign > 0 {
		s = append(s, percentText(c.Foreign)+" foreign")
	}
	if c.Reorder > 0 {
		s = append(s, percentText(c.Reorder)+" reordered")
	}
	if c.SpikeChance > 0 {
		s = append(s, "spikes")
	}
	if c.Swing > 0 || c.SwingLoss > 0 {
		s = append(s, "varying latency")
	}
	if c.Trace != nil {
		s = append(s, "trace of "+c.Trace.Length().String())
	}
	if c.PauseEvery > 0 {
		s = append(s, "pauses")
	}
	if c.OutageEvery > 0 {
		s = append(s, "outages")
	}
	if c.Bandwidth > 0 {
		s = append(s, fmt.Sprintf("%d kbit/s", c.Bandwidth/1000))
	}
	if len(s) == 0 {
		return "perfect network"
	}
	return strings.Join(s, ", ")
}

// durationText returns a duration in milliseconds.
func durationText(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds()*1000, 'g', 4, 64) + " ms"
}

// percentText returns a share in [0, 1] in percent.
func percentText(f float64) string { return strconv.FormatFloat(f*100, 'g', 3, 64) + " %" }
