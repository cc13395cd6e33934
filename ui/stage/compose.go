package stage

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim"
)

// Options say what is written over a picture.
type Options struct {
	NoOverlay      bool      // nothing at all
	Title          string    // in the head; the scene's name if empty
	Input          sim.Input // shown as held
	Footer         string    // in the foot, such as the name of the tape
	Alert          string    // in the head, in red, such as that a film is being recorded
	HighlightFocus bool      // frame the pane that the human plays
	Callout        *Callout  // of a body; nil: none

	// RenderLatency is how long it takes from a tick to the picture of it that is handed
	// over, as measured lately; 0: not measured.
	RenderLatency time.Duration
}

// Frame is one whole picture of a session: views, and what lies over them.
type Frame struct {
	Viewports []Viewport
	Overlay   render.DrawList
}

// The colours of what is written.
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

// Compose makes the picture of a session as it is, in a place of the whole.
// share is how far the moment is from the tick before to the last one.
func (s *Stage) Compose(f *Frame, l *lab.Lab, at Rect, o Options, share float32) {
	f.Overlay.Reset()
	show := SettingsOf(l)
	if o.NoOverlay {
		f.Viewports = s.appendViewports(f.Viewports[:0], l, at.X, at.Y, at.W, at.H, share, show)
		s.drawDividers(&f.Overlay, l, at, show.Split)
		return
	}
	d := overlay{DrawList: &f.Overlay, stage: s, l: l, settings: show, scale: overlayScale(at), rect: at, renderLatency: o.RenderLatency}
	head, foot := d.px(34), d.px(28)
	inner := Rect{at.X, at.Y + int(head), at.W, at.H - int(head) - int(foot)}
	f.Viewports = s.appendViewports(f.Viewports[:0], l, inner.X, inner.Y, inner.W, inner.H, share, show)
	s.drawDividers(&f.Overlay, l, inner, show.Split)
	d.drawHeader(o, head)
	d.drawFooter(o, foot)
	for i, r := range PaneRects(len(l.Panes), inner.X, inner.Y, inner.W, inner.H) {
		d.drawCaption(i, r, o.HighlightFocus)
	}
	d.drawShotResults(f.Viewports)
	if o.Callout != nil {
		d.drawCallout(o.Callout, f.Viewports)
	}
}

// overlayScale is how large things are drawn: 1 in a picture of 1280 by 720.
func overlayScale(at Rect) float32 {
	return min(max(min(float32(at.W)/1280, float32(at.H)/720), 0.7), 4)
}

// drawDividers draws the lines between panes, and between the halves of one.
func (s *Stage) drawDividers(list *render.DrawList, l *lab.Lab, at Rect, split bool) {
	places := PaneRects(len(l.Panes), at.X, at.Y, at.W, at.H)
	if len(places) > 1 {
		list.Rect(float32(places[0].X+places[0].W), float32(at.Y), gutter, float32(at.H), backgroundColor)
	}
	if len(places) > 2 {
		list.Rect(float32(at.X), float32(places[0].Y+places[0].H), float32(at.W), gutter, backgroundColor)
		if len(places) == 3 { // the vertical line ends above the lowest pane
			list.Items[len(list.Items)-2].H = float32(places[0].H)
		}
	}
	if !split {
		return
	}
	for _, r := range places {
		half := (r.W - gutter/2) / 2
		list.Rect(float32(r.X+half), float32(r.Y), float32(r.W-2*half), float32(r.H), render.Color{R: 240, G: 243, B: 246, A: 200})
	}
}

// overlay is one composition at work.
type overlay struct {
	*render.DrawList
	stage    *Stage
	l        *lab.Lab
	settings Settings
	scale    float32
	rect     Rect

	renderLatency time.Duration
	gaugeTops     [lab.MaxPanes]float32 // by pane: where its gauges begin; 0 if it has none
}

func (d *overlay) px(n float32) float32 { return float32(int(float32(n*d.scale) + 0.5)) }

func (d *overlay) font(size float32, bold bool) render.Font {
	return render.Font{Size: int(float32(size*d.scale) + 0.5), Bold: bold}
}

// baseline is where a text stands that is to lie in the middle of a strip.
func baseline(f render.Font, y, h float32) float32 {
	return y + float32(h*0.5) + float32(float32(f.Size)*0.36)
}

// drawHeader draws the strip above: what is seen, and the weather.
func (d *overlay) drawHeader(o Options, h float32) {
	x, y, w := float32(d.rect.X), float32(d.rect.Y), float32(d.rect.W)
	d.Rect(x, y, w, h, backgroundColor)
	bold, plain := d.font(16, true), d.font(14, false)
	c := d.l.Config()
	right := NetworkText(&c.Network) + fmt.Sprintf(" · seed %d · %s", c.Network.Seed, clockText(d.l.Now()))
	if o.Alert != "" {
		right = o.Alert
	}
	rw := plain.Width(right)
	color := dimTextColor
	if o.Alert != "" {
		color = alertColor
	}
	d.Text(x+w-rw-d.px(12), baseline(plain, y, h), plain, color, right)
	title := o.Title
	if title == "" {
		title = c.Scene
		if c.Seat == lab.AtHost {
			title += ", player at the host"
		}
	}
	d.Text(x+d.px(12), baseline(bold, y, h), bold, textColor, bold.Truncate(title, w-rw-d.px(40)))
}

// countText says how many there are of something.
func countText(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

func clockText(t time.Duration) string {
	s := int(t / (100 * time.Millisecond))
	return fmt.Sprintf("%d:%02d.%d", s/600, s/10%60, s%10)
}

// keyLabels are drawn in this order.
var keyLabels = []struct {
	name   string
	button sim.Buttons
}{{"W", sim.Forward}, {"A", sim.Left}, {"S", sim.Back}, {"D", sim.Right}, {"space", sim.Lift}, {"Z", sim.Pull}}

// drawFooter draws the strip below: who has which colour, and what is pressed.
func (d *overlay) drawFooter(o Options, h float32) {
	x, y, w := float32(d.rect.X), float32(d.rect.Y+d.rect.H)-h, float32(d.rect.W)
	d.Rect(x, y, w, h, backgroundColor)
	f := d.font(13, false)
	base := baseline(f, y, h)
	pen := x + d.px(12)
	right := x + w - d.px(12)
	for i := len(keyLabels) - 1; i >= 0; i-- {
		k := keyLabels[i]
		bw := f.Width(k.name) + d.px(10)
		right -= bw
		back, front := keyUpColor, dimTextColor
		if o.Input.Buttons&k.button != 0 {
			back, front = keyDownColor, backgroundColor
		}
		d.Rect(right, y+d.px(5), bw, h-d.px(10), back)
		d.Text(right+d.px(5), base, f, front, k.name)
		right -= d.px(4)
	}
	legend := append(d.appendShotLegend(d.legendEntries()), legendEntry{color: ClientColor, label: "client"}, legendEntry{color: ServerColor, label: "server"})
	if d.settings.Ghosts && d.anySnapshots() {
		legend = append(legend, legendEntry{color: ReceivedColor, label: "last snapshot received"})
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

// anySnapshots reports whether any pane's client is sent states at all.
func (d *overlay) anySnapshots() bool {
	for _, p := range d.l.Panes {
		if len(p.Clients[0].View.LastReceived) > 0 {
			return true
		}
	}
	return false
}

// anyInputsMissed reports whether any pane has had inputs that were not used in time.
func (d *overlay) anyInputsMissed() bool {
	for _, p := range d.l.Panes {
		if used := p.Counters.Value("inputs_consumed_ratio"); used > 0 && used < 0.9995 {
			return true
		}
	}
	return false
}

// drawCaption writes over one pane what it shows and how it does.
func (d *overlay) drawCaption(i int, r Rect, focus bool) {
	p := d.l.Panes[i]
	x, y := float32(r.X)+d.px(10), float32(r.Y)+d.px(10)
	big, small := d.font(17, true), d.font(13, false)
	split := d.settings.Split
	room := float32(r.W) - d.px(20)
	if split {
		room = float32(float32(r.W)*0.5) - d.px(20) - d.sideLabelWidth("client") - d.px(6)
	}
	name := p.Strategy.Name
	if len(d.l.Panes) > 1 {
		name = strconv.Itoa(i+1) + "  " + name
	}
	lines := []string{}
	if knobs := p.Knobs.Changed(); len(knobs) > 0 {
		lines = append(lines, wrapWords(small, knobs, room-d.px(20))...)
	}
	lines = append(lines, fmt.Sprintf("error %.2f m   pops %d a minute", p.Score.LagError(), int(p.Score.PopsPerMinute()+0.5)))
	if n := p.Counters.Value("corrections"); n > 0 {
		lines = append(lines, fmt.Sprintf("%d corrections, %.2f m on average", int(n), p.Counters.Value("correction_mean_m")))
	}
	if used := p.Counters.Value("inputs_consumed_ratio"); used > 0 && d.anyInputsMissed() {
		lines = append(lines, fmt.Sprintf("%.1f %% of inputs used in time", 100*used))
	}
	if n := p.Counters.Value("stalls"); n > 0 {
		lines = append(lines, fmt.Sprintf("%s, %.1f a minute, longest %.0f ms", countText(int(n), "stall"), p.Counters.Value("stalls_per_minute"), p.Counters.Value("stall_max_ms")))
	}
	if s := d.stage.panes[i].missingText(&d.settings); s != "" && int(d.l.Ticks()-p.StartTick()) > d.l.Config().Rate {
		lines = append(lines, s)
	}
	notes := len(lines) // from here on they are coloured
	if s := p.DescribeClockFaults(); s != "" {
		lines = append(lines, s)
	}
	if note := p.Clients[0].View.Note; note != "" {
		lines = append(lines, note)
	}
	wide := big.Width(name)
	for _, s := range lines {
		wide = max(wide, small.Width(s))
	}
	lh := d.px(18)
	h := d.px(30) + float32(lh*float32(len(lines))) + d.px(4)
	d.Rect(x, y, min(wide+d.px(20), room), h, panelColor)
	d.Text(x+d.px(10), y+d.px(22), big, textColor, big.Truncate(name, room-d.px(20)))
	for k, s := range lines {
		color := dimTextColor
		if k >= notes {
			color = alertColor
		}
		d.Text(x+d.px(10), y+d.px(42)+float32(lh*float32(k)), small, color, small.Truncate(s, room-d.px(20)))
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
	if split { // they are on the server's side, below its name
		top = y + d.px(26+gaugeGap)
	}
	d.drawGauges(i, r, top)
	if focus && len(d.l.Panes) > 1 && d.l.Focus() == i {
		d.Border(float32(r.X), float32(r.Y), float32(r.W), float32(r.H), d.px(3), keyDownColor)
	}
}

// sideLabelWidth is how wide a label is.
func (d *overlay) sideLabelWidth(s string) float32 { return d.font(15, true).Width(s) + d.px(16) }

// drawSideLabel writes which half of a pane is whose: left of x, or right of it.
func (d *overlay) drawSideLabel(x, y float32, s string, left bool) {
	f, w := d.font(15, true), d.sideLabelWidth(s)
	if left {
		x -= w
	}
	d.Rect(x, y, w, d.px(26), panelColor)
	d.Text(x+d.px(8), y+d.px(18), f, textColor, s)
}

// wrapWords lays words into lines of a width.
func wrapWords(f render.Font, words []string, width float32) (lines []string) {
	line := ""
	for _, w := range words {
		next := w
		if line != "" {
			next = line + "   " + w
		}
		if line != "" && f.Width(next) > width {
			lines = append(lines, line)
			next = w
		}
		line = next
	}
	return append(lines, line)
}

// drawLagErrorGraph draws how far the drawn cube was from the true one, lately.
func (d *overlay) drawLagErrorGraph(i int, r Rect) {
	w, h := min(float32(r.W)*0.42, d.px(270)), d.px(64)
	x, y := float32(r.X)+d.px(10), float32(r.Y+r.H)-h-d.px(10)
	d.Rect(x, y, w, h, panelColor)
	g := d.stage.Graph(i, LagErrorGraph)
	f := d.font(12, false)
	top := g.ScaleMax(0.1)
	d.Text(x+d.px(8), y+d.px(15), f, dimTextColor, fmt.Sprintf("error %.2f m", g.Last()))
	scale := fmt.Sprintf("%.3g m", top)
	d.Text(x+w-d.px(8)-f.Width(scale), y+d.px(15), f, dimTextColor, scale)
	DrawGraph(d.DrawList, g, x+d.px(4), y+d.px(20), w-d.px(8), h-d.px(24), top, d.px(1.5))
}

// DrawGraph draws the curve of a graph into a rectangle, the newest value at
// its right end, and a line where something is marked.
func DrawGraph(list *render.DrawList, g *Graph, x, y, w, h, top, width float32) {
	zero, tall, least := y+h-1, h-2, float32(0)
	if g.Signed {
		tall, least = float32(tall*0.5), -1
		zero -= tall
	}
	list.Rect(x, zero, w, 1, gridlineColor)
	n, cap := g.Len(), g.Cap()
	if n < 2 {
		return
	}
	points := make([]render.Point, 0, n)
	step := w / float32(cap-1)
	for i := range n {
		v, marked := g.At(i)
		px := x + float32(step*float32(cap-n+i))
		if marked {
			list.Rect(px, y, 1, h, eventColor)
		}
		points = append(points, render.Point{X: px, Y: zero - float32(tall*min(max(v/top, least), 1))})
	}
	list.Line(points, max(width, 1), curveColor)
}

// NetworkText says what a weather is, for a reader.
func NetworkText(w *link.Network) string {
	if w.Up == w.Down {
		return conditionsText(&w.Up)
	}
	return "up: " + conditionsText(&w.Up) + " / down: " + conditionsText(&w.Down)
}

func conditionsText(c *link.Conditions) string {
	var s []string
	if c.Latency > 0 {
		s = append(s, durationText(c.Latency)+" one way")
	}
	switch {
	case c.Jitter == 0:
	case c.Shape == link.Uniform:
		s = append(s, "jitter ±"+durationText(c.Jitter))
	default:
		s = append(s, "jitter "+durationText(c.Jitter)+" ("+c.Shape.String()+")")
	}
	if c.Loss > 0 {
		loss := percentText(c.Loss) + " lost"
		if c.Burst > 1 {
			loss += " in bursts"
		}
		s = append(s, loss)
	}
	if c.Duplicate > 0 {
		s = append(s, percentText(c.Duplicate)+" twice")
	}
	if c.Reorder > 0 {
		s = append(s, percentText(c.Reorder)+" out of order")
	}
	if c.SpikeChance > 0 {
		s = append(s, "spikes")
	}
	if c.Swing > 0 || c.SwingLoss > 0 {
		s = append(s, "swings")
	}
	if c.Trace != nil {
		s = append(s, "a trace of "+c.Trace.Length().String())
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
		return "a perfect link"
	}
	return strings.Join(s, ", ")
}

// durationText writes a duration in milliseconds.
func durationText(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds()*1000, 'g', 4, 64) + " ms"
}

func percentText(f float64) string { return strconv.FormatFloat(f*100, 'g', 3, 64) + " %" }
