package hud

import (
	"ghostcube/predict/lab/probe"
	"ghostcube/render"
	"ghostcube/sim/geom"
	"ghostcube/ui/stage"
)

// Callout marks a body with a frame and a text.
type Callout struct {
	Pane, Body int // indices
	Lines      []string

	Correction *probe.Correction // that the callout explains; nil: another thing

	// Corrected says that the client has corrected the body in the last tick. Then ghosts show where the client drew
	// it one tick before, and where its simulation has it now, with an arrow from one to the other.
	Corrected bool
}

// markDrawer draws what stands in the pictures: callouts, arrows to bodies outside, and results of shots.
type markDrawer struct{ *drawing }

// corrected returns what the scenes show of a callout, which may be nil.
func (c *Callout) corrected() *stage.Corrected {
	if c == nil || !c.Corrected {
		return nil
	}
	return &stage.Corrected{Pane: c.Pane, Body: c.Body}
}

// CorrectionOffset returns the length in metres of a callout's arrow at a correction, from where the client drew the
// body before the last tick to where its simulation has it now. It is 0 if the pane does not draw the body.
func (h *HUD) CorrectionOffset(pane, body int) float32 {
	before, after, ok := h.stage.CorrectedPoses(pane, body)
	if !ok {
		return 0
	}
	return after.Pos.Sub(before.Pos).Len()
}

// drawCorrectionArrow draws the arrow of a callout at a correction into the client's picture.
func (d markDrawer) drawCorrectionArrow(m *Callout, v *stage.Viewport) {
	before, after, ok := d.hud.stage.CorrectedPoses(m.Pane, m.Body)
	if !ok {
		return
	}
	projection := v.Projection()
	x0, y0, depth0 := projection.Project(before.Pos)
	x1, y1, depth1 := projection.Project(after.Pos)
	if depth0 < render.NearPlane || depth1 < render.NearPlane || min(x0, x1) < 0 || min(y0, y1) < 0 || max(x0, x1) >= float32(v.W) || max(y0, y1) >= float32(v.H) {
		return
	}
	x0, y0, x1, y1 = x0+float32(v.X), y0+float32(v.Y), x1+float32(v.X), y1+float32(v.Y)
	dx, dy := x1-x0, y1-y0
	length := geom.Sqrt(dx*dx + dy*dy)
	if length < d.px(4) {
		return
	}
	dx, dy = dx/length, dy/length
	head := min(d.px(12), 0.6*length)
	tip := render.Point{X: x1, Y: y1}
	shaft := [2]render.Point{{X: x0, Y: y0}, tip}
	d.Line(shaft[:], d.px(3), stage.CalloutColor)
	d.drawArrowhead(tip, dx, dy, head, -0.5*head, d.px(3), stage.CalloutColor)
}

// drawCallout frames the body in every picture of its pane. The text stands beside the body in the first picture, or
// at the bottom if the body is not visible there.
func (d markDrawer) drawCallout(m *Callout, views []stage.Viewport) {
	textDrawn := false
	for i := range views {
		v := &views[i]
		if v.Pane != m.Pane || m.Body >= len(v.Scene.Cubes) {
			continue
		}
		bounds, visible := d.screenBounds(v, &v.Scene.Cubes[m.Body])
		if visible {
			d.Border(float32(bounds.X), float32(bounds.Y), float32(bounds.W), float32(bounds.H), d.px(3), stage.CalloutColor)
		}
		if m.Corrected && v.Side != stage.ServerSide {
			d.drawCorrectionArrow(m, v)
		}
		if !textDrawn {
			d.drawCalloutText(m.Lines, v, bounds, visible)
			textDrawn = true
		}
	}
}

// screenBounds returns the rectangle around a cube, in pixels of the frame and clipped to the viewport, and
// whether any of it is visible.
func (d markDrawer) screenBounds(v *stage.Viewport, c *render.Cube) (r Rect, visible bool) {
	projection := v.Projection()
	var left, top, right, bottom float32
	for i := range 8 {
		x, y, depth := projection.Project(stage.Corner(c.Pose, c.Half, i))
		if depth < render.NearPlane {
			return Rect{}, false
		}
		if i == 0 {
			left, right, top, bottom = x, x, y, y
		}
		left, right, top, bottom = min(left, x), max(right, x), min(top, y), max(bottom, y)
	}
	margin := d.px(8)
	left, right = max(left-margin, 0), min(right+margin, float32(v.W))
	top, bottom = max(top-margin, 0), min(bottom+margin, float32(v.H))
	if left >= right || top >= bottom {
		return Rect{}, false
	}
	return Rect{X: v.X + int(left), Y: v.Y + int(top), W: int(right) - int(left), H: int(bottom) - int(top)}, true
}

// drawCalloutText draws lines in a box below a rectangle of the viewport, or above it where there is no room
// below.
func (d markDrawer) drawCalloutText(lines []string, v *stage.Viewport, at Rect, visible bool) {
	f := d.font(14, false)
	lineHeight, pad := d.px(19), d.px(10)
	var w float32
	for _, s := range lines {
		w = max(w, f.Width(s))
	}
	w = min(w+pad+pad, float32(v.W)-pad-pad)
	h := lineHeight*float32(len(lines)) + pad
	left, top, right, bottom := edges(v.Rect)
	x, y := left, bottom
	if visible {
		atLeft, atTop, atRight, atBottom := edges(at)
		x, y = 0.5*(atLeft+atRight-w), atBottom+pad
		if y > bottom-h-pad {
			y = atTop - h - pad
		}
	}
	x, y = max(left+pad, min(x, right-w-pad)), max(top+pad, min(y, bottom-h-pad))
	d.Rect(x, y, w, h, stage.PanelColor)
	d.Border(x, y, w, h, d.px(1), stage.CalloutColor)
	for i, s := range lines {
		d.Text(x+pad, y+lineHeight*float32(i)+d.px(18), f, stage.TextColor, f.Truncate(s, w-pad-pad))
	}
}
