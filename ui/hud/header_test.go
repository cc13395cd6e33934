package hud

import (
	"strings"
	"testing"

	"ghostcube/render"
	"ghostcube/ui/stage/stagetest"
)

// TestHeader promises that the head shows title, network, clock, tick and speed at usual sizes, with and without an
// alert, and that no text of it is cut or covers another.
func TestHeader(t *testing.T) {
	const title = "Redundant inputs: 25 % loss, before and after, sixty letters"
	l := stagetest.Session(t, "wifi-bad", "rewind", "noprediction")
	stagetest.Show(t, l, "speed=0.25")
	var s HUD
	stagetest.Roll(t, &s, l, 90)
	for _, size := range [][2]int{{1280, 720}, {950, 720}, {1590, 1080}, {1920, 1080}, {900, 600}, {570, 600}} {
		for _, alert := range []string{"", "● recording, 12.3 s (R stops)"} {
			var f Frame
			rect := Rect{W: size[0], H: size[1]}
			s.Compose(&f, l, rect, Options{Title: title, Alert: alert}, 1)
			var all string
			for _, it := range f.Overlay.Items {
				if it.Kind == render.TextKind && it.Y < float32(s.layouts[0].pane.Y) {
					all += it.Text + "\n"
				}
			}
			for _, want := range []string{title, "15 ms latency, jitter", "spikes", "0:01.5", "tick 90", "0.25x", "seed", alert} {
				if !strings.Contains(all, want) {
					t.Errorf("%v, alert %q: no %q in %q", size, alert, want, all)
				}
			}
			if strings.Contains(all, "…") {
				t.Errorf("%v: a text is cut: %q", size, all)
			}
			if _, _, wrong := findOverlaps(&f, rect); len(wrong) > 0 {
				t.Errorf("%v: %v", size, wrong)
			}
		}
	}
}
