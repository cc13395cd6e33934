package hud

import (
	"fmt"
	"testing"

	"ghostcube/ui/stage/stagetest"
)

// TestFrameOutlivesTicks promises that a composed frame stays as it is while the session goes on and further frames
// are composed, so that it can be painted meanwhile.
func TestFrameOutlivesTicks(t *testing.T) {
	l := stagetest.Session(t, "csp-75ms", "rewind", "snapshot")
	stagetest.Show(t, l, "packet=on,latency=on,slots=on,simulated=on,ticks=on")
	var s HUD
	stagetest.RollAndPull(t, &s, l, 200)
	var f, later Frame
	at := Rect{W: 1280, H: 720}
	s.Compose(&f, l, at, Options{Title: "two panes"}, 0.5)
	want := fmt.Sprint(f)
	for range 20 {
		stagetest.RollAndPull(t, &s, l, 1)
		s.Compose(&later, l, at, Options{Title: "two panes"}, 0.5)
		if fmt.Sprint(f) != want {
			t.Fatal("a later tick changed the frame")
		}
	}
	if fmt.Sprint(later) == want || len(f.Viewports[0].Scene.Trails) == 0 {
		t.Error("nothing is tested")
	}
}
