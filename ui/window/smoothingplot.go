package window

import (
	"fmt"

	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
	"ghostcube/ui/stage"
)

// smoothingFactor returns the factor of an error offset of a length in metres: 0 from the snap distance.
func smoothingFactor(s *smoothing.Settings, offset float32) float32 {
	if offset >= float32(s.SnapDistance) {
		return 0
	}
	pos, _ := s.Factors(&smoothing.ErrorOffset{Pos: geom.Vec3{X: offset}})
	return pos
}

// smoothingRange returns what the plot of the smoothing factor has room for: offsets up to 2 m, or twice those that are
// large, and factors from 0.7, or the least below it, in steps of 0.1, to 1.
func smoothingRange(s *smoothing.Settings) (maxOffset, low float32) {
	maxOffset, low = max(2, 2*float32(s.LargeError)), 0.7
	for i := range smoothingSteps {
		e := maxOffset * float32(i) / smoothingSteps
		if f := smoothingFactor(s, e); e < float32(s.SnapDistance) && f < low {
			low = max(float32(int(f*10))/10, 0)
		}
	}
	return maxOffset, low
}

// smoothingSteps is the number of pieces of the curve.
const smoothingSteps = 80

// drawSmoothingPlot plots the smoothing factor against the error offset. A dot marks the present offset.
func drawSmoothingPlot(l *render.DrawList, s *smoothing.Settings, present, x, y, w, h, scale float32) {
	const high = 1
	maxOffset, low := smoothingRange(s)
	l.Rect(x, y, w, h, plotColor)
	f := render.Font{Size: int(12*scale + 0.5)}
	dim := render.RGB(0.55, 0.60, 0.65)
	l.Text(x+6*scale, y+14*scale, f, render.RGB(0.80, 0.84, 0.88), "smoothing factor per 1/60 s")
	left, right, top, bottom := x+34*scale, x+w-10*scale, y+22*scale, y+h-18*scale
	at := func(e, v float32) render.Point {
		return render.Point{X: left + (right-left)*e/maxOffset, Y: bottom - (bottom-top)*(geom.Clamp(v, low, high)-low)/(high-low)}
	}
	for _, v := range []float32{low, (low + high) / 2, high} {
		p := at(0, v)
		l.Rect(left, p.Y, right-left, 1, render.Color{R: 70, G: 78, B: 88, A: 255})
		l.Text(x+4*scale, p.Y+4*scale, f, dim, fmt.Sprintf("%.2f", v))
	}
	for i := range 5 {
		e := maxOffset * float32(i) / 4
		t := fmt.Sprintf("%.3g m", e)
		l.Text(min(at(e, low).X-f.Width(t)/2, right-f.Width(t)+8*scale), bottom+13*scale, f, dim, t)
	}
	var curve []render.Point
	for i := range smoothingSteps + 1 {
		e := maxOffset * float32(i) / smoothingSteps
		curve = append(curve, at(e, smoothingFactor(s, e)))
	}
	l.Line(curve, 1.6*scale, stage.CurveColor)
	dot := at(min(present, maxOffset), smoothingFactor(s, present))
	l.Rect(dot.X-3*scale, dot.Y-3*scale, 6*scale, 6*scale, render.RGB(1, 1, 1))
}

// smoothingPlot is the plot of the smoothing factor with the player's present error offset.
func (p *strategyPage) smoothingPlot(pane *lab.Pane) {
	s, ok := pane.Knobs.SmoothingSettings()
	if !ok {
		return
	}
	var offset float32
	if v := &pane.Clients[0].View; len(v.Bodies) > pane.PlayerBody() {
		offset = v.Bodies[pane.PlayerBody()].Pos.Sub(v.Simulated[pane.PlayerBody()].Pos).Len()
	}
	ui := &p.ui
	r := ui.Place(90, "Share of the error offset left after 1/60 s. The dot is the player's offset now.")
	drawSmoothingPlot(ui.List(), &s, offset, float32(r.Min.X), float32(r.Min.Y), float32(r.Dx()), float32(r.Dy()), p.scale)
	p.fade.follow(pane, &s)
	r = ui.Place(90, "How the error offset of the player's last correction fades with these settings, and in grey as it did with those "+
		"before the last change. A correction beyond the snap distance is not smoothed.")
	p.fade.draw(ui.List(), pane, float32(r.Min.X), float32(r.Min.Y), float32(r.Dx()), float32(r.Dy()), p.scale)
}

// fade is the plot of how the error offset of a pane's last correction fades.
type fade struct {
	pane        *lab.Pane
	strategy    string
	now, before smoothing.Settings // before: those before the last change, of which a dragged slider makes one
	unchanged   int                // updates since the last change

	offsets []float32      // scratch
	points  []render.Point // scratch
}

// settled is the number of updates after which a change is not the same as the one before.
const settled = 30

// follow takes the present settings of a pane.
func (f *fade) follow(pane *lab.Pane, s *smoothing.Settings) {
	if f.pane != pane || f.strategy != pane.Strategy.Name {
		*f = fade{pane: pane, strategy: pane.Strategy.Name, now: *s, before: *s, unchanged: settled, offsets: f.offsets, points: f.points}
	}
	if f.unchanged++; f.now == *s {
		return
	}
	if f.unchanged > settled {
		f.before = f.now
	}
	f.now, f.unchanged = *s, 0
}

// lastShift returns by how many metres the last correction that moved the player's body moved it; 0: there is none.
func lastShift(pane *lab.Pane) float32 {
	c := &pane.Corrections
	for n := c.Total() - 1; n >= c.FirstIndex(); n-- {
		if x := c.At(n); x.Client == 0 && x.Shift > 0 {
			return x.Shift
		}
	}
	return 0
}

// fadeSeconds is the time that the plot of a fading offset shows.
const fadeSeconds = 1

// appendFade appends the lengths of an error offset of the player's body in metres, from a correction on, tick by tick.
func appendFade(dst []float32, s *smoothing.Settings, shift float32, rate int) []float32 {
	var o smoothing.ErrorOffset
	s.Absorb(&o, geom.Pose{Pos: geom.Vec3{X: shift}, Rot: geom.Identity}, geom.Pose{Rot: geom.Identity})
	dst = append(dst, o.Pos.Len())
	for range fadeSeconds * rate {
		s.Decay(&o, rate)
		dst = append(dst, o.Pos.Len())
	}
	return dst
}

// draw draws the offset after the last correction over a second, with the present settings and those before.
func (f *fade) draw(l *render.DrawList, pane *lab.Pane, x, y, w, h, scale float32) {
	l.Rect(x, y, w, h, plotColor)
	font, dim := render.Font{Size: int(12*scale + 0.5)}, render.RGB(0.55, 0.60, 0.65)
	shift := lastShift(pane)
	if shift == 0 {
		l.Text(x+6*scale, y+14*scale, font, dim, "no correction has moved the player yet")
		return
	}
	l.Text(x+6*scale, y+14*scale, font, render.RGB(0.80, 0.84, 0.88), fmt.Sprintf("last correction, %.3g m: its error offset, m", shift))
	left, right, top, bottom := x+34*scale, x+w-10*scale, y+22*scale, y+h-18*scale
	for _, c := range []struct {
		share float32
		text  string
	}{{0, "0"}, {1, fmt.Sprintf("%.2g", shift)}} {
		at := bottom - (bottom-top)*c.share
		l.Rect(left, at, right-left, 1, render.Color{R: 70, G: 78, B: 88, A: 255})
		l.Text(x+4*scale, at+4*scale, font, dim, c.text)
	}
	for i := range 3 {
		text := []string{"0", "0.5 s", "1 s"}[i]
		l.Text(min(left+(right-left)*float32(i)/2-font.Width(text)/2, right-font.Width(text)+8*scale), bottom+13*scale, font, dim, text)
	}
	rate := pane.ServerWorld.Rate()
	curve := func(s *smoothing.Settings, color render.Color) {
		f.offsets, f.points = appendFade(f.offsets[:0], s, shift, rate), f.points[:0] // the list copies the points
		for i, v := range f.offsets {
			x := left + (right-left)*float32(i)/float32(len(f.offsets)-1)
			f.points = append(f.points, render.Point{X: x, Y: bottom - (bottom-top)*v/shift})
		}
		l.Line(f.points, 1.6*scale, color)
	}
	note := right + 8*scale
	name := func(text string, color render.Color) {
		note -= font.Width(text)
		l.Text(note, top+12*scale, font, color, text)
		note -= 10 * scale
	}
	name("now", stage.CurveColor)
	if f.before != f.now {
		curve(&f.before, dim)
		name("before the change", dim)
	}
	curve(&f.now, stage.CurveColor)
}
