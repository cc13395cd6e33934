package hud

import (
	"time"

	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/ui/stage"
)

// Options say what Compose draws over the scenes.
type Options struct {
	NoOverlay bool        // draw nothing over the scenes
	Title     string      // of the header, unless the viewer has given one; empty: the scene's name
	Best      *stage.Best // panes to mark while their headlines agree; nil: those that are better by more than the noise
	Input     sim.Input   // its buttons are highlighted in the footer
	Footer    string      // such as the name of the tape
	NoKeys    bool        // no keys in the footer

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

	// TextZoom is the size of texts and boxes, in units of the usual size; 0: 1.
	TextZoom float32

	// RenderLatency is the measured time from a tick to its finished picture; 0: not measured.
	RenderLatency time.Duration
}

// Frame is one picture of a session: viewports, and the overlay drawn over them.
type Frame struct {
	Viewports []stage.Viewport
	Overlay   render.DrawList
	NetGraph  Rect // of the last pane that has one; empty: none
}

// Compose fills f with the picture of the session in a rectangle. share, in [0, 1], is the present moment
// between the previous tick and the last. f reuses its memory, and shares none with the session: it stays valid while
// the session goes on.
func (h *HUD) Compose(f *Frame, l *lab.Lab, at Rect, o Options, share float32) {
	f.Overlay.Reset()
	f.NetGraph = Rect{}
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
	h.drawing = drawing{
		DrawList: &f.Overlay, hud: h, texts: &h.texts, l: l, settings: show, scale: overlayScale(at, o.Scale, o.TextZoom), rect: at, share: share,
		pointed: o.Packet, callout: o.Callout, renderLatency: o.RenderLatency,
	}
	d, lanes, marks := frameDrawer{&h.drawing}, laneDrawer{&h.drawing}, markDrawer{&h.drawing}
	texts := d.headerTexts(o)
	lines := d.headerLines(&texts, o.Alert)
	header, footerHeight := d.px(headerLine)+d.px(secondHeaderLine)*float32(lines-1), d.px(28)
	if o.FooterHeight > 0 {
		footerHeight = float32(o.FooterHeight)
	}
	inner := Rect{X: at.X, Y: at.Y + int(header), W: at.W, H: at.H - int(header) - int(footerHeight)}
	h.rects = appendPaneRects(h.rects[:0], len(l.Panes), inner.X, inner.Y, inner.W, inner.H)
	d.layOut(h.rects)
	drawDividers(&f.Overlay, h.rects, inner)
	for i := range l.Panes {
		h.rects[i] = h.layouts[i].picture
	}
	f.Viewports = h.stage.Viewports(f.Viewports[:0], l, h.sidesOf(h.rects, &show), share, marked)
	drawSideDividers(&f.Overlay, h.rects, show.Split && h.laneGap == 0)
	d.drawHeader(o, &texts, lines)
	footerDrawer{&h.drawing}.drawFooter(o, footerHeight)
	for i := range h.lanes {
		lanes.drawLane(&h.lanes[i])
	}
	h.bars.compare(h.panes, o.Best)
	for i := range l.Panes {
		d.drawStrip(i, &h.layouts[i])
		captionDrawer(d).drawCaption(i, &h.layouts[i], o.HighlightFocus)
		if show.NetGraph {
			if r := gaugeDrawer(d).drawNetGraph(i, h.layouts[i].picture); r.H > 0 {
				f.NetGraph = r
			}
		}
	}
	marks.drawOffscreenMarks(f.Viewports, share)
	marks.drawShotResults(f.Viewports)
	if o.Callout != nil {
		marks.drawCallout(o.Callout, f.Viewports)
	}
	if o.Packet != nil && len(h.lanes) > 0 {
		d.drawPacketBox(o.Packet)
	}
}

// overlayScale is the scale of texts and boxes: 1 in a picture of 1280 by 720, times zoom. display is in pixels per point.
// Both may be 0, which stands for 1.
func overlayScale(at Rect, display, zoom float32) float32 {
	if zoom == 0 {
		zoom = 1
	}
	return min(max(min(float32(at.W)/1280, float32(at.H)/720), 0.7*max(display, 1))*zoom, 4)
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

// frameDrawer lays out a frame, and draws its header and the strips of panes.
type frameDrawer struct{ *drawing }

// drawing is the state of one call of Compose, with which all parts draw.
type drawing struct {
	*render.DrawList
	hud      *HUD
	texts    *texts // of this call
	l        *lab.Lab
	settings stage.Settings
	scale    float32
	rect     Rect
	share    float32        // the present moment between the previous tick and the last
	pointed  *PointedPacket // nil: none
	callout  *Callout       // nil: none

	renderLatency time.Duration
}

// px scales a length for a picture of 1280 by 720 to whole pixels.
func (d *drawing) px(n float32) float32 { return whole(n*d.scale + 0.5) }

// font returns a font with a size for a picture of 1280 by 720.
func (d *drawing) font(size float32, bold bool) render.Font {
	return render.Font{Size: int(size*d.scale + 0.5), Bold: bold}
}

// baseline returns the baseline of a text that is centred in a strip at y of height h.
func baseline(f render.Font, y, h float32) float32 {
	return y + h*0.5 + float32(f.Size)*0.36
}
