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
	Bare  bool      // nothing at all
	Title string    // in the head; the scene's name if empty
	Keys  sim.Input // shown as held
	Note  string    // in the foot, such as the name of the tape
	Alert string    // in the head, in red, such as that a film is being recorded
	Focus bool      // frame the pane that the human plays
	Mark  *Mark     // of a body; nil: none

	// Picture is how long it takes from a tick to the picture of it that is handed
	// over, as measured lately; 0: not measured.
	Picture time.Duration
}

// Frame is one whole picture of a session: views, and what lies over them.
type Frame struct {
	Views []View
	List  render.List
}

// The colours of what is written.
var (
	ink      = render.Color{R: 240, G: 243, B: 246, A: 255}
	inkDim   = render.Color{R: 178, G: 186, B: 196, A: 255}
	paper    = render.Color{R: 22, G: 26, B: 32, A: 255}
	veil     = render.Color{R: 22, G: 26, B: 32, A: 190}
	keyOff   = render.Color{R: 58, G: 65, B: 75, A: 255}
	keyOn    = render.Color{R: 245, G: 196, B: 66, A: 255}
	alert    = render.Color{R: 255, G: 92, B: 80, A: 255}
	curve    = render.Color{R: 96, G: 178, B: 255, A: 255}
	mark     = render.Color{R: 255, G: 150, B: 60, A: 160}
	gridline = render.Color{R: 90, G: 98, B: 110, A: 160}
)

// Compose makes the picture of a session as it is, in a place of the whole.
// share is how far the moment is from the tick before to the last one.
func (s *Stage) Compose(f *Frame, l *lab.Lab, at Place, o Options, share float32) {
	f.List.Reset()
	if o.Bare {
		f.Views = s.Views(f.Views, l, at.X, at.Y, at.W, at.H, share)
		s.lines(&f.List, l, at)
		return
	}
	d := drawing{List: &f.List, stage: s, l: l, scale: scale(at), at: at, picture: o.Picture}
	head, foot := d.px(34), d.px(28)
	inner := Place{at.X, at.Y + int(head), at.W, at.H - int(head) - int(foot)}
	f.Views = s.Views(f.Views, l, inner.X, inner.Y, inner.W, inner.H, share)
	s.lines(&f.List, l, inner)
	d.head(o, head)
	d.foot(o, foot)
	for i, r := range Split(len(l.Panes), inner.X, inner.Y, inner.W, inner.H) {
		d.caption(i, r, o.Focus)
	}
	d.shots(f.Views)
	if o.Mark != nil {
		d.mark(o.Mark, f.Views)
	}
}

// scale is how large things are drawn: 1 in a picture of 1280 by 720.
func scale(at Place) float32 {
	return min(max(min(float32(at.W)/1280, float32(at.H)/720), 0.7), 4)
}

// lines draws the lines between panes, and between the halves of one.
func (s *Stage) lines(list *render.List, l *lab.Lab, at Place) {
	places := Split(len(l.Panes), at.X, at.Y, at.W, at.H)
	if len(places) > 1 {
		list.Rect(float32(places[0].X+places[0].W), float32(at.Y), gutter, float32(at.H), paper)
	}
	if len(places) > 2 {
		list.Rect(float32(at.X), float32(places[0].Y+places[0].H), float32(at.W), gutter, paper)
		if len(places) == 3 { // the vertical line ends above the lowest pane
			list.Items[len(list.Items)-2].H = float32(places[0].H)
		}
	}
	if !l.Display().Split {
		return
	}
	for _, r := range places {
		half := (r.W - gutter/2) / 2
		list.Rect(float32(r.X+half), float32(r.Y), float32(r.W-2*half), float32(r.H), render.Color{R: 240, G: 243, B: 246, A: 200})
	}
}

// drawing is one composition at work.
type drawing struct {
	*render.List
	stage *Stage
	l     *lab.Lab
	scale float32
	at    Place

	picture time.Duration
	gauged  [lab.MaxPanes]float32 // by pane: where its gauges begin; 0 if it has none
}

func (d *drawing) px(n float32) float32 { return float32(int(float32(n*d.scale) + 0.5)) }

func (d *drawing) font(size float32, bold bool) render.Font {
	return render.Font{Size: int(float32(size*d.scale) + 0.5), Bold: bold}
}

// baseline is where a text stands that is to lie in the middle of a strip.
func baseline(f render.Font, y, h float32) float32 {
	return y + float32(h*0.5) + float32(float32(f.Size)*0.36)
}

// head draws the strip above: what is seen, and the weather.
func (d *drawing) head(o Options, h float32) {
	x, y, w := float32(d.at.X), float32(d.at.Y), float32(d.at.W)
	d.Rect(x, y, w, h, paper)
	bold, plain := d.font(16, true), d.font(14, false)
	c := d.l.Config()
	right := WeatherWords(&c.Network) + fmt.Sprintf(" · seed %d · %s", c.Network.Seed, clock(d.l.Now()))
	if o.Alert != "" {
		right = o.Alert
	}
	rw := plain.Width(right)
	color := inkDim
	if o.Alert != "" {
		color = alert
	}
	d.Text(x+w-rw-d.px(12), baseline(plain, y, h), plain, color, right)
	title := o.Title
	if title == "" {
		title = c.Scene
		if c.Seat == lab.AtHost {
			title += ", player at the host"
		}
	}
	d.Text(x+d.px(12), baseline(bold, y, h), bold, ink, bold.Fit(title, w-rw-d.px(40)))
}

// count says how many there are of something.
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

func clock(t time.Duration) string {
	s := int(t / (100 * time.Millisecond))
	return fmt.Sprintf("%d:%02d.%d", s/600, s/10%60, s%10)
}

// keys are drawn in this order.
var keys = []struct {
	name   string
	button sim.Buttons
}{{"W", sim.Forward}, {"A", sim.Left}, {"S", sim.Back}, {"D", sim.Right}, {"space", sim.Lift}, {"Z", sim.Pull}}

// foot draws the strip below: who has which colour, and what is pressed.
func (d *drawing) foot(o Options, h float32) {
	x, y, w := float32(d.at.X), float32(d.at.Y+d.at.H)-h, float32(d.at.W)
	d.Rect(x, y, w, h, paper)
	f := d.font(13, false)
	base := baseline(f, y, h)
	pen := x + d.px(12)
	right := x + w - d.px(12)
	for i := len(keys) - 1; i >= 0; i-- {
		k := keys[i]
		bw := f.Width(k.name) + d.px(10)
		right -= bw
		back, front := keyOff, inkDim
		if o.Keys.Buttons&k.button != 0 {
			back, front = keyOn, paper
		}
		d.Rect(right, y+d.px(5), bw, h-d.px(10), back)
		d.Text(right+d.px(5), base, f, front, k.name)
		right -= d.px(4)
	}
	legend := append(d.shotLegend(d.legend()), entry{color: Client, name: "client"}, entry{color: Server, name: "server"})
	if d.l.Display().Ghosts && d.received() {
		legend = append(legend, entry{color: LastSeen, name: "last snapshot received"})
	}
	for i := range legend {
		e := &legend[i]
		if next := pen + d.entryWidth(e, f); next <= right-d.px(10) {
			d.entry(e, f, pen, y, h)
			pen = next + d.px(18)
		}
	}
	if o.Note != "" && right-pen > d.px(80) {
		note := f.Fit(o.Note, right-pen-d.px(12))
		d.Text(right-d.px(10)-f.Width(note), base, f, inkDim, note)
	}
}

// received reports whether any pane's client is sent states at all.
func (d *drawing) received() bool {
	for _, p := range d.l.Panes {
		if len(p.Clients[0].View.LastReceived) > 0 {
			return true
		}
	}
	return false
}

// missed reports whether any pane has had inputs that were not used in time.
func (d *drawing) missed() bool {
	for _, p := range d.l.Panes {
		if used := p.Counters.Value("inputs_consumed_ratio"); used > 0 && used < 0.9995 {
			return true
		}
	}
	return false
}

// caption writes over one pane what it shows and how it does.
func (d *drawing) caption(i int, r Place, focus bool) {
	p := d.l.Panes[i]
	x, y := float32(r.X)+d.px(10), float32(r.Y)+d.px(10)
	big, small := d.font(17, true), d.font(13, false)
	split := d.l.Display().Split
	room := float32(r.W) - d.px(20)
	if split {
		room = float32(float32(r.W)*0.5) - d.px(20) - d.labelWidth("client") - d.px(6)
	}
	name := p.Strategy.Name
	if len(d.l.Panes) > 1 {
		name = strconv.Itoa(i+1) + "  " + name
	}
	lines := []string{}
	if knobs := p.Knobs.Changed(); len(knobs) > 0 {
		lines = append(lines, wrap(small, knobs, room-d.px(20))...)
	}
	lines = append(lines, fmt.Sprintf("error %.2f m   pops %d a minute", p.Score.Now(), int(p.Score.PopsPerMinute()+0.5)))
	if n := p.Counters.Value("corrections"); n > 0 {
		lines = append(lines, fmt.Sprintf("%d corrections, %.2f m on average", int(n), p.Counters.Value("correction_mean_m")))
	}
	if used := p.Counters.Value("inputs_consumed_ratio"); used > 0 && d.missed() {
		lines = append(lines, fmt.Sprintf("%.1f %% of inputs used in time", 100*used))
	}
	if n := p.Counters.Value("stalls"); n > 0 {
		lines = append(lines, fmt.Sprintf("%s, %.1f a minute, longest %.0f ms", count(int(n), "stall"), p.Counters.Value("stalls_per_minute"), p.Counters.Value("stall_longest_ms")))
	}
	show := d.l.Display()
	if s := d.stage.panes[i].untoldWords(&show); s != "" && int(d.l.Ticks()-p.Began()) > d.l.Config().Rate {
		lines = append(lines, s)
	}
	notes := len(lines) // from here on they are coloured
	if s := p.Faults(); s != "" {
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
	d.Rect(x, y, min(wide+d.px(20), room), h, veil)
	d.Text(x+d.px(10), y+d.px(22), big, ink, big.Fit(name, room-d.px(20)))
	for k, s := range lines {
		color := inkDim
		if k >= notes {
			color = alert
		}
		d.Text(x+d.px(10), y+d.px(42)+float32(lh*float32(k)), small, color, small.Fit(s, room-d.px(20)))
	}
	if split {
		half := float32((r.W - gutter/2) / 2)
		d.label(float32(r.X)+half-d.px(10), y, "client", true)
		d.label(float32(r.X)+half+gutter/2+d.px(10), y, "server", false)
	}
	if d.l.Display().Graphs && float32(r.H) > d.px(300) {
		d.errorGraph(i, r)
	}
	top := y + h + d.px(gaugeGap)
	if split { // they are on the server's side, below its name
		top = y + d.px(26+gaugeGap)
	}
	d.gauges(i, r, top)
	if focus && len(d.l.Panes) > 1 && d.l.Display().Focus == i {
		d.Frame(float32(r.X), float32(r.Y), float32(r.W), float32(r.H), d.px(3), keyOn)
	}
}

// labelWidth is how wide a label is.
func (d *drawing) labelWidth(s string) float32 { return d.font(15, true).Width(s) + d.px(16) }

// label writes which half of a pane is whose: left of x, or right of it.
func (d *drawing) label(x, y float32, s string, left bool) {
	f, w := d.font(15, true), d.labelWidth(s)
	if left {
		x -= w
	}
	d.Rect(x, y, w, d.px(26), veil)
	d.Text(x+d.px(8), y+d.px(18), f, ink, s)
}

// wrap lays words into lines of a width.
func wrap(f render.Font, words []string, width float32) (lines []string) {
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

// errorGraph draws how far the drawn cube was from the true one, lately.
func (d *drawing) errorGraph(i int, r Place) {
	w, h := min(float32(r.W)*0.42, d.px(270)), d.px(64)
	x, y := float32(r.X)+d.px(10), float32(r.Y+r.H)-h-d.px(10)
	d.Rect(x, y, w, h, veil)
	g := d.stage.Graph(i, ErrorGraph)
	f := d.font(12, false)
	top := g.Top(0.1)
	d.Text(x+d.px(8), y+d.px(15), f, inkDim, fmt.Sprintf("error %.2f m", g.Last()))
	scale := fmt.Sprintf("%.3g m", top)
	d.Text(x+w-d.px(8)-f.Width(scale), y+d.px(15), f, inkDim, scale)
	DrawGraph(d.List, g, x+d.px(4), y+d.px(20), w-d.px(8), h-d.px(24), top, d.px(1.5))
}

// DrawGraph draws the curve of a graph into a rectangle, the newest value at
// its right end, and a line where something is marked.
func DrawGraph(list *render.List, g *Graph, x, y, w, h, top, width float32) {
	zero, tall, least := y+h-1, h-2, float32(0)
	if g.Signed {
		tall, least = float32(tall*0.5), -1
		zero -= tall
	}
	list.Rect(x, zero, w, 1, gridline)
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
			list.Rect(px, y, 1, h, mark)
		}
		points = append(points, render.Point{X: px, Y: zero - float32(tall*min(max(v/top, least), 1))})
	}
	list.Line(points, max(width, 1), curve)
}

// WeatherWords says what a weather is, for a reader.
func WeatherWords(w *link.Network) string {
	if w.Up == w.Down {
		return conditionWords(&w.Up)
	}
	return "up: " + conditionWords(&w.Up) + " / down: " + conditionWords(&w.Down)
}

func conditionWords(c *link.Conditions) string {
	var s []string
	if c.Latency > 0 {
		s = append(s, milli(c.Latency)+" one way")
	}
	switch {
	case c.Jitter == 0:
	case c.Shape == link.Uniform:
		s = append(s, "jitter ±"+milli(c.Jitter))
	default:
		s = append(s, "jitter "+milli(c.Jitter)+" ("+c.Shape.String()+")")
	}
	if c.Loss > 0 {
		loss := percent(c.Loss) + " lost"
		if c.Burst > 1 {
			loss += " in bursts"
		}
		s = append(s, loss)
	}
	if c.Duplicate > 0 {
		s = append(s, percent(c.Duplicate)+" twice")
	}
	if c.Reorder > 0 {
		s = append(s, percent(c.Reorder)+" out of order")
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

// milli writes a duration in milliseconds.
func milli(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds()*1000, 'g', 4, 64) + " ms"
}

func percent(f float64) string { return strconv.FormatFloat(f*100, 'g', 3, 64) + " %" }
