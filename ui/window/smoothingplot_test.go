package window

import (
	"math"
	"slices"
	"strings"
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/smoothing"
	"ghostcube/ui/stage"
	"ghostcube/ui/widget"
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

// TestFade promises that the plot of the last correction starts at its size and falls as the drawn body's offset does, and
// that after a change it has the settings before as well, of which a dragged slider makes one.
func TestFade(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.session.Do(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "latency", Value: "50ms"})
	g.openPage(t, "Strategy")
	curves := func() (list [][]render.Point, texts string) {
		g.lay(t, widget.Input{})
		for _, it := range g.panel.ui.Body.Items {
			switch {
			case it.Kind == render.LineKind && len(it.Points) > 60:
				list = append(list, slices.Clone(it.Points))
			case it.Kind == render.TextKind:
				texts += it.Text + "\n"
			}
		}
		return list, texts
	}
	g.runTicks(t, 60)
	if list, texts := curves(); len(list) != 1 || !strings.Contains(texts, "no correction has moved the player yet") {
		t.Fatalf("%d curves before a correction: %s", len(list), texts)
	}
	pane := g.session.Lab.Panes[0]
	g.session.Controls.NudgeServer()
	for i := 0; lastShift(pane) == 0; i++ {
		if i == 60 {
			t.Fatal("no correction")
		}
		g.runTicks(t, 1)
	}
	settings, _ := pane.Knobs.SmoothingSettings()
	shift := lastShift(pane)
	want := appendFade(nil, &settings, shift, 60)
	offset := func() float32 {
		v := &pane.Clients[0].View
		return v.Bodies[pane.PlayerBody()].Pos.Sub(v.Simulated[pane.PlayerBody()].Pos).Len()
	}
	// The body is drawn between two ticks, so an offset is between that of its tick and that before.
	for i := range 20 {
		if i > 1 && (offset() > 1.02*want[i-1] || offset() < 0.98*want[min(i+2, len(want)-1)]) {
			t.Errorf("%d ticks after a correction of %v m the body is drawn %v m off, the plot has %v to %v", i, shift, offset(), want[i+2], want[i-1])
		}
		g.runTicks(t, 1)
	}
	if list, texts := curves(); len(list) != 2 || !strings.Contains(texts, "last correction, ") || list[1][0].Y > list[1][60].Y {
		t.Fatalf("%d curves after a correction: %s", len(list), texts)
	}
	for range settled {
		curves()
	}
	for _, v := range []string{"0.9", "0.8", "0.5"} { // as a slider that is dragged
		g.session.Do(lab.Command{Verb: "set", Pane: 0, Name: "smooth-factor-small", Value: v})
		g.runTicks(t, 1)
		curves()
	}
	list, _ := curves()
	if len(list) != 3 {
		t.Fatalf("%d curves after a change", len(list))
	}
	before, now := list[1], list[2]
	if got := g.panel.strategy.fade.before.SmallFactor; got != settings.SmallFactor || before[30].Y >= now[30].Y {
		t.Errorf("before the change: small-factor %v, want %v; half a second on the curves are at %v and %v", got, settings.SmallFactor, before[30].Y, now[30].Y)
	}
}
