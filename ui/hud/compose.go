package hud

import (
	"strconv"
	"strings"
	"time"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/ui/stage"
)

// Options say what Compose draws over the scenes.
type Options struct {
	NoOverlay bool      // draw nothing over the scenes
	Title     string    // of the header; empty: the scene's name
	Input     sim.Input // its buttons are highlighted in the footer
	Footer    string    // such as the name of the tape
	NoKeys    bool      // no keys in the footer

	// Brief leaves the key figures out of captions with a headline, for small pictures.
	Brief bool

	// FooterHeight is the height of the footer in pixels; 0: as its texts need. At its left and right end
	// FooterLeft and FooterRight pixels are left to others.
	FooterHeight, FooterLeft, FooterRight int

	Alert          string   // in the header, in red, beside the title or below it
	HighlightFocus bool     // draw a border around the focused pane
	Callout        *Callout // nil: none

	// PaneLabels stand after the names of the panes, such as take 2, and no number before them. Empty: the number.
	PaneLabels [lab.MaxPanes]string

	Packet *PointedPacket // in a packet lane, to be explained; nil: none

	// Scale is the number of pixels per point of the display; 0: 1. Texts are at least 0.7 times as large as in a
	// picture of 1280 by 720 points.
	Scale float32

	// RenderLatency is the measured time from a tick to its finished picture; 0: not measured.
	RenderLatency time.Duration
}

// Frame is one picture of a session: viewports, and the overlay drawn over them.
type Frame struct {
	Viewports []stage.Viewport
	Overlay   render.DrawList
}

// Compose fills f with the picture of the session in a rectangle. share, in [0, 1], is the present moment
// between the previous tick and the last. f reuses its memory, and shares none with the session: it stays valid while
// the session goes on.
func (h *HUD) Compose(f *Frame, l *lab.Lab, at Rect, o Options, share float32) {
	f.Overlay.Reset()
	h.texts.Reset()
	h.lanes = h.lanes[:0]
	show, marked := h.stage.Settings(l), o.Callout.corrected()
	if o.NoOverlay {
		h.laneGap = 0
		h.rects = appendPaneRects(h.rects[:0], len(l.Panes), at.X, at.Y, at.W, at.H)
		f.Viewports = h.stage.Viewports(f.Viewports[:0], l, h.sidesOf(h.rects, &show), share, marked)
		drawDividers(&f.Overlay, h.rects, at)
		drawSideDividers(&f.Overlay, h.rects, show.Split)
		return
	}
	if h.paneLabels != o.PaneLabels || h.brief != o.Brief {
		h.paneLabels, h.brief = o.PaneLabels, o.Brief
		for _, p := range h.panes {
			p.caption.stale = true
		}
	}
	d := &h.overlay
	*d = overlay{
		DrawList: &f.Overlay, hud: h, texts: &h.texts, l: l, settings: show, scale: overlayScale(at, o.Scale), rect: at, share: share,
		pointed: o.Packet, renderLatency: o.RenderLatency,
	}
	texts := d.headerTexts(o)
	lines := d.headerLines(&texts, o.Alert)
	header, footer := d.px(headerLine)+d.px(secondHeaderLine)*float32(lines-1), d.px(28)
	if o.FooterHeight > 0 {
		footer = float32(o.FooterHeight)
	}
	inner := Rect{X: at.X, Y: at.Y + int(header), W: at.W, H: at.H - int(header) - int(footer)}
	h.rects = appendPaneRects(h.rects[:0], len(l.Panes), inner.X, inner.Y, inner.W, inner.H)
	d.layOut(h.rects)
	drawDividers(&f.Overlay, h.rects, inner)
	for i := range l.Panes {
		h.rects[i] = h.layouts[i].picture
	}
	f.Viewports = h.stage.Viewports(f.Viewports[:0], l, h.sidesOf(h.rects, &show), share, marked)
	drawSideDividers(&f.Overlay, h.rects, show.Split && h.laneGap == 0)
	d.drawHeader(o, &texts, lines)
	d.drawFooter(o, footer)
	for i := range h.lanes {
		d.drawLane(&h.lanes[i])
	}
	for i := range l.Panes {
		d.drawStrip(i, &h.layouts[i])
		d.drawCaption(i, &h.layouts[i], o.HighlightFocus)
	}
	d.drawOffscreenMarks(f.Viewports, share)
	d.drawShotResults(f.Viewports)
	if o.Callout != nil {
		d.drawCallout(o.Callout, f.Viewports)
	}
	if o.Packet != nil && len(h.lanes) > 0 {
		d.drawPacketBox(o.Packet)
	}
}

// overlayScale is the scale of texts and boxes: 1 in a picture of 1280 by 720. display is in pixels per point; 0: 1.
func overlayScale(at Rect, display float32) float32 {
	return min(max(min(float32(at.W)/1280, float32(at.H)/720), 0.7*max(display, 1)), 4)
}

// drawDividers draws the lines between panes.
func drawDividers(list *render.DrawList, panes []Rect, at Rect) {
	for i, r := range panes {
		if i == 0 {
			continue
		}
		if before := panes[i-1]; before.Y == r.Y {
			list.Rect(float32(before.X+before.W), float32(r.Y), float32(r.X-before.X-before.W), float32(r.H), stage.BackgroundColor)
		} else {
			list.Rect(float32(at.X), float32(before.Y+before.H), float32(at.W), float32(r.Y-before.Y-before.H), stage.BackgroundColor)
		}
	}
}

// drawSideDividers draws the lines between the two sides of each pane.
func drawSideDividers(list *render.DrawList, pictures []Rect, split bool) {
	if !split {
		return
	}
	for _, r := range pictures {
		client, server := sides(r, 0)
		line := Rect{X: client.X + client.W, Y: r.Y, W: server.X - client.X - client.W, H: r.H}
		if client.Y != server.Y {
			line = Rect{X: r.X, Y: client.Y + client.H, W: r.W, H: server.Y - client.Y - client.H}
		}
		fill(list, line, render.Color{R: 240, G: 243, B: 246, A: 255}) // opaque: nothing is painted below it
	}
}

// overlay is the state of one call of Compose.
type overlay struct {
	*render.DrawList
	hud      *HUD
	texts    *texts // of this call
	l        *lab.Lab
	settings stage.Settings
	scale    float32
	rect     Rect
	share    float32        // the present moment between the previous tick and the last
	pointed  *PointedPacket // nil: none

	renderLatency time.Duration
}

// px scales a length for a picture of 1280 by 720 to whole pixels.
func (d *overlay) px(n float32) float32 { return whole(n*d.scale + 0.5) }

// font returns a font with a size for a picture of 1280 by 720.
func (d *overlay) font(size float32, bold bool) render.Font {
	return render.Font{Size: int(size*d.scale + 0.5), Bold: bold}
}

// baseline returns the baseline of a text that is centred in a strip at y of height h.
func baseline(f render.Font, y, h float32) float32 {
	return y + h*0.5 + float32(f.Size)*0.36
}

// headerTexts are the texts of the header.
type headerTexts struct {
	title, network, session string
	both                    string // network and session
}

// headerTexts returns the title; the network; and the seed, the clock, the tick and the speed.
func (d *overlay) headerTexts(o Options) headerTexts {
	c := d.l.Config()
	t := headerTexts{title: o.Title, network: d.hud.network.describe(&c.Network)}
	if t.title == "" {
		t.title = c.Scene
		if c.Seat == lab.AtHost {
			t.title = d.texts.add(c.Scene).add(", player on the server").end()
		}
	}
	d.texts.add("seed ")
	d.texts.b = strconv.AppendUint(d.texts.b, c.Network.Seed, 10)
	d.texts.add(separator).clock(d.l.Now()).add(separator).add("tick ").int(int(d.l.Ticks())).add(separator)
	t.session = d.texts.short(d.settings.Speed, -1).add("x").end()
	t.both = d.texts.add(t.network).add(separator).add(t.session).end()
	return t
}

// separator is between two texts of the header.
const separator = " · "

// headerLines returns the number of lines of the header: one, two where the texts and an alert do not fit into one, and
// three where title and alert do not fit beside each other.
func (d *overlay) headerLines(t *headerTexts, alert string) int {
	bold, plain, room := d.font(16, true), d.font(14, false), float32(d.rect.W)
	title, note := bold.Width(t.title), plain.Width(alert)
	texts := title + plain.Width(t.both)
	switch {
	case texts+max(note, d.px(alertWidth))+d.px(4*headerPadding) <= room:
		return 1
	case title+note+d.px(3*headerPadding) <= room:
		return 2
	}
	return 3
}

// Sizes of the header, in pixels at scale 1.
const (
	headerLine       = 34
	secondHeaderLine = 22
	headerPadding    = 12
	alertWidth       = 250 // room for a usual alert
)

// drawHeader draws the strip at the top: the title, an alert next to it, and at the right or in a second line the
// network, seed, clock, tick and speed. In three lines the alert has the last one. Of texts that are still too long the
// end is cut.
func (d *overlay) drawHeader(o Options, t *headerTexts, lines int) {
	x, y, w := float32(d.rect.X), float32(d.rect.Y), float32(d.rect.W)
	line, further := d.px(headerLine), d.px(secondHeaderLine)
	d.Rect(x, y, w, line+further*float32(lines-1), stage.BackgroundColor)
	bold, plain := d.font(16, true), d.font(14, false)
	pad := d.px(headerPadding)
	right := x + w - pad
	if lines > 1 {
		base := baseline(plain, y+line-d.px(4), further)
		width := plain.Width(t.session)
		d.Text(right-width, base, plain, stage.DimTextColor, t.session)
		d.Text(x+pad, base, plain, stage.DimTextColor, d.texts.truncate(plain, t.network, w-width-pad-pad-pad))
	} else {
		right -= plain.Width(t.both)
		d.Text(right, baseline(plain, y, line), plain, stage.DimTextColor, t.both)
		right -= pad
	}
	pen := x + pad
	title := d.texts.truncate(bold, t.title, right-pen)
	pen += d.Text(pen, baseline(bold, y, line), bold, stage.TextColor, title) + pad
	base := baseline(plain, y, line)
	if lines == 3 {
		pen, base = x+pad, baseline(plain, y+line+further-d.px(4), further)
	}
	if o.Alert != "" {
		d.Text(pen, base, plain, stage.AlertColor, d.texts.truncate(plain, o.Alert, right-pen))
	}
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

// clock appends a time as minutes and seconds.
func (t *texts) clock(at time.Duration) *texts {
	s := int(at / (100 * time.Millisecond))
	if t.int(s / 600).add(":"); s/10%60 < 10 {
		t.add("0")
	}
	return t.int(s / 10 % 60).add(".").int(s % 10)
}

// keyLabels are the keys of the footer, from left to right.
var keyLabels = []struct {
	name   string
	button sim.Buttons
}{{"W", sim.Forward}, {"A", sim.Left}, {"S", sim.Back}, {"D", sim.Right}, {"space", sim.Lift}, {"Z", sim.Pull}, {"Q", sim.Use}, {",", sim.Couple}}

// drawFooter draws the strip at the bottom: the legend, a note, and the keys that are down.
func (d *overlay) drawFooter(o Options, h float32) {
	x, y, w := float32(d.rect.X), float32(d.rect.Y+d.rect.H)-h, float32(d.rect.W)
	d.Rect(x, y, w, h, stage.BackgroundColor)
	f := d.font(13, false)
	base := baseline(f, y, h)
	pen := x + float32(o.FooterLeft) + d.px(12)
	right := x + w - float32(o.FooterRight) - d.px(12)
	for i := len(keyLabels) - 1; i >= 0; i-- {
		k := keyLabels[i]
		if o.NoKeys || k.button&sim.ActionButtons != 0 && !d.hasActions() {
			continue
		}
		bw := f.Width(k.name) + d.px(10)
		right -= bw
		background, foreground := stage.EmptyColor, stage.DimTextColor
		if o.Input.Buttons&k.button != 0 {
			background, foreground = stage.KeyDownColor, stage.BackgroundColor
		}
		d.Rect(right, y+d.px(5), bw, h-d.px(10), background)
		d.Text(right+d.px(5), base, f, foreground, k.name)
		right -= d.px(4)
	}
	legend := d.appendShotLegend(d.legendEntries(d.hud.legend[:0]))
	legend = append(legend, legendEntry{color: stage.ClientColor, label: "client"}, legendEntry{color: stage.ServerColor, label: "server"})
	if d.settings.Ghosts && d.anySnapshots() {
		legend = append(legend, legendEntry{color: stage.ReceivedColor, label: "last received snapshot"})
	}
	d.hud.legend = legend
	for i := range legend {
		e := &legend[i]
		if next := pen + d.legendEntryWidth(e, f); next <= right-d.px(10) {
			d.drawLegendEntry(e, f, pen, y, h)
			pen = next + d.px(18)
		}
	}
	if o.Footer != "" && right-pen > d.px(80) {
		note := d.fitClauses(f, o.Footer, right-pen-d.px(12))
		d.Text(right-d.px(10)-f.Width(note), base, f, stage.DimTextColor, note)
	}
}

// fitClauses returns a text without as many of its last clauses as do not fit into a width.
func (d *overlay) fitClauses(f render.Font, text string, width float32) string {
	for f.Width(text) > width {
		end := max(strings.LastIndex(text, ": "), strings.LastIndex(text, ", "))
		if end < 0 {
			return d.texts.truncate(f, text, width)
		}
		text = text[:end]
	}
	return text
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
		if used := p.Counters.Total(predict.InputsOnTime); used > 0 && used < 0.9995 {
			return true
		}
	}
	return false
}

// sideLabelWidth returns the width of a side label.
func (d *overlay) sideLabelWidth(s string) float32 { return d.font(15, true).Width(s) + d.px(16) }

// drawSideLabel draws the label of a side, left of x or right of it.
func (d *overlay) drawSideLabel(x, y float32, s string, left bool) {
	f, w := d.font(15, true), d.sideLabelWidth(s)
	if left {
		x -= w
	}
	d.Rect(x, y, w, d.px(26), stage.PanelColor)
	d.Text(x+d.px(8), y+d.px(18), f, stage.TextColor, s)
}

// drawGraphGauge draws the path error of pane i with a mark for each correction. All panes have one scale.
func (d *overlay) drawGraphGauge(i int, x, y, w, h float32) {
	d.Rect(x, y, w, h, stage.GaugePanelColor)
	g := d.hud.Graph(i, PathErrorGraph)
	f := d.font(12, false)
	top := d.hud.scaleMax(PathErrorGraph, minPathErrorScale)
	texts := f.Width("path error 00.00 m") + d.px(16)
	d.Text(x+d.px(8), y+d.px(15), f, stage.DimTextColor, d.texts.add("path error ").fixed(float64(g.Last()), 2).add(" m").end())
	d.Text(x+d.px(8), y+d.px(31), f, stage.DimTextColor, d.texts.add("of ").short(float64(top), 3).add(" m").end())
	DrawGraph(d.DrawList, g, x+texts, y+d.px(4), max(w-texts-d.px(4), 1), h-d.px(8), top, d.px(1.5))
}

// minPathErrorScale is the least end of the scale of path errors, in metres.
const minPathErrorScale = 0.1

// scaleMax returns the end of the scale of a graph that has room for the values of all panes.
func (h *HUD) scaleMax(which int, minimum float32) float32 {
	top := minimum
	for _, p := range h.panes {
		top = max(top, p.graphs[which].ScaleMax(minimum))
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
