package window

import (
	"math"
	"slices"
	"strings"
	"testing"

	"ghostcube/render"
	"ghostcube/smoothing"
	"ghostcube/ui/stage"
)

// TestSmoothingPlot promises that the curve of smoothing factors ends where its axis says: it has drawn 0.5 at 0.70, and
// nothing beyond 2 m.
func TestSmoothingPlot(t *testing.T) {
	g := newTestGame(t, "rewind")
	usual, ok := g.session.Lab.Panes[0].Knobs.SmoothingSettings()
	if !ok {
		t.Fatal("rewind has no smoothing")
	}
	plot := func(change func(s *smoothing.Settings)) (labels []string, first render.Point, top, bottom float32) {
		s := usual
		change(&s)
		var l render.DrawList
		drawSmoothingPlot(&l, &s, 0, 0, 0, 330, 90, 1)
		top, bottom = math.MaxFloat32, 0
		for _, it := range l.Items {
			switch {
			case it.Kind == render.TextKind:
				labels = append(labels, it.Text)
			case it.Kind == render.LineKind && it.Color == stage.CurveColor:
				first = it.Points[0]
			case it.Kind == render.RectKind && it.H == 1:
				top, bottom = min(top, it.Y), max(bottom, it.Y)
			}
		}
		return labels, first, top, bottom
	}
	labels, first, top, bottom := plot(func(*smoothing.Settings) {})
	if !slices.Contains(labels, "0.70") || !slices.Contains(labels, "2 m") || first.Y < top || first.Y > bottom {
		t.Errorf("the usual plot has %q and begins at %v between %v and %v", labels, first, top, bottom)
	}
	labels, first, top, bottom = plot(func(s *smoothing.Settings) { s.SmallFactor, s.LargeFactor, s.LargeError = 0.5, 0.85, 3 })
	if !slices.Contains(labels, "0.50") || !slices.Contains(labels, "6 m") || strings.Contains(strings.Join(labels, " "), "0.70") {
		t.Errorf("factors from 0.5 and offsets up to 6 m have the axis %q", labels)
	}
	if math.Abs(float64(first.Y-bottom)) > 1 {
		t.Errorf("0.5 is drawn at %v, and its line is at %v (1 at %v)", first.Y, bottom, top)
	}
}
