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
}
