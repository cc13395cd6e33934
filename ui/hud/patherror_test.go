package hud

import (
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/ui/stage/stagetest"
)

// TestPathErrorGraph promises that the graph of a pane shows no error where the client draws what the server has
// at the moment that the view claims, ahead of the server or behind it; and an error, with a mark at the
// correction, after the server's cube was moved.
func TestPathErrorGraph(t *testing.T) {
	l := stagetest.Session(t, "latency=75ms", "rewind:smoothing=none", "noprediction")
	var s HUD
	stagetest.Roll(t, &s, l, 240)
	largest := func(pane int) (v float32, marks int) {
		g := s.Graph(pane, PathErrorGraph)
		for i := range g.Len() {
			x, mark := g.At(i)
			if v = max(v, x); mark {
				marks++
			}
		}
		return v, marks
	}
	for i, p := range l.Panes {
		if v, marks := largest(i); v > 0.02 || marks > 0 || p.Score.LagErrorRMS() < 0.1 {
			t.Errorf("%s: %v m with %d marks, lag error %v m", p.Strategy.Name, v, marks, p.Score.LagErrorRMS())
		}
	}
	stagetest.Apply(t, l, lab.Command{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "2"})
	stagetest.Roll(t, &s, l, 60)
	if v, marks := largest(0); v < 1.9 || marks == 0 {
		t.Errorf("after a nudge by 2 m: %v m, %d marks", v, marks)
	}
	if v, _ := largest(1); v > 0.02 {
		t.Errorf("without prediction: %v m after a nudge", v)
	}
}
