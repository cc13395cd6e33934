package hud

import (
	"strings"
	"testing"

	"ghostcube/render"
	"ghostcube/ui/stage"
	"ghostcube/ui/stage/stagetest"
)

// TestNetGraph promises the figures of the connection in the picture of each pane while the setting is on, a dash where a
// strategy has none, all of them inside the client's picture, and none in a picture that they would cover.
func TestNetGraph(t *testing.T) {
	for _, split := range []string{"on", "off"} {
		l := stagetest.Session(t, "latency=75ms", "rewind", "noprediction")
		stagetest.Show(t, l, "split="+split)
		var s HUD
		stagetest.Roll(t, &s, l, 200)
		if all := s.frame(l); strings.Contains(all.texts(), "RTT ") {
			t.Error("there is a net graph that nobody asked for")
		}
		stagetest.Show(t, l, "net-graph=on")
		s.Refresh(l)
		f := s.frame(l)
		all := f.texts()
		for _, want := range []string{"RTT 1", " ms", "down ", "up ", " kbit/s", " inputs", "replayed 0 ticks", "replayed -"} {
			if !strings.Contains(all, want) {
				t.Errorf("split %s: no %q in\n%s", split, want, all)
			}
		}
		for i := range f.Overlay.Items {
			it := &f.Overlay.Items[i]
			if it.Kind != render.TextKind || !strings.HasPrefix(it.Text, "RTT ") && !strings.HasPrefix(it.Text, "replayed ") {
				continue
			}
			inside := 0
			for n, v := range f.Viewports {
				if client := split == "off" || n%2 == 0; client && it.X >= float32(v.X) && it.X+it.Font.Width(it.Text) <= float32(v.X+v.W) &&
					it.Y >= float32(v.Y) && it.Y <= float32(v.Y+v.H) {
					inside++
				}
			}
			if inside != 1 {
				t.Errorf("split %s: %q at %v, %v is in %d pictures of clients", split, it.Text, it.X, it.Y, inside)
			}
		}
		var small Frame
		s.Compose(&small, l, stage.Rect{W: 400, H: 240}, Options{}, 1)
		if strings.Contains(small.texts(), "RTT ") {
			t.Error("the net graph covers a small picture")
		}
	}
}
