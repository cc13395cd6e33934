package hud

import (
	"slices"
	"strings"
	"testing"

	"ghostcube/ui/stage/stagetest"
)

// TestMissingDataIsShown promises that a colouring without data leaves the picture as it is, and that the
// caption says which data the strategy lacks.
func TestMissingDataIsShown(t *testing.T) {
	for spec, want := range map[string]string{
		"statesync": "", "snapshot": "has no priorities", "noprediction": "has no priorities, no ages, no packet budget",
		"rewind": "has no priorities, no packet budget", "lockstep": "has no priorities, no ages, no packet budget",
		"animated": "has no priorities, no packet budget", "historyoffset": "has no priorities, no packet budget",
		"relative": "has no priorities, no packet budget",
	} {
		l := stagetest.Katamari(t, "latency=50ms", spec)
		var s HUD
		stagetest.RollAndPull(t, &s, l, 100)
		f := s.frame(l)
		plain := f.Viewports[0].Scene.Cubes[7].Color
		stagetest.Show(t, l, "color=priority,packet=on,ages=on")
		s.Refresh(l)
		s.Compose(&f, l, Rect{W: 1280, H: 720}, Options{}, 1)
		got := ""
		for _, it := range f.Overlay.Items {
			if strings.HasPrefix(it.Text, "has no") {
				got = it.Text
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", spec, got, want)
		}
		if c := f.Viewports[0].Scene.Cubes[7].Color; (c == plain) != (want != "") {
			t.Errorf("%s: body 7 is %v, was %v", spec, c, plain)
		}
	}
}

// TestLegend promises that the legend explains each colouring at all usual sizes, and none when there is no
// colouring.
func TestLegend(t *testing.T) {
	l := stagetest.Katamari(t, "latency=50ms", "statesync")
	var s HUD
	stagetest.RollAndPull(t, &s, l, 30)
	for settings, want := range map[string][]string{
		"color=off": {"client"}, "color=priority": {"priority 1", "1,000,000"}, "color=age": {"age 0", "2 s", "never received"},
		"color=encoding":    {"absolute", "relative to player", "delta", "never received"},
		"color=bits":        {"at most 16 bit/s", "16 kbit/s", "no bits"},
		"color=path-error":  {"path error", "0", "1 cm", "10 cm", "1 m", "not compared yet"},
		"color=joint-depth": {"root", "joint depth 1", "8 or more", "no joints"},
		"color=authority":   {"player 1", "unowned"}, "simulated=on": {"player 1", "unowned", "simulated"},
	} {
		if settings == "simulated=on" {
			settings = "color=authority,simulated=on"
		}
		stagetest.Show(t, l, settings)
		s.Refresh(l)
		for _, size := range [][2]int{{1280, 720}, {950, 720}, {1920, 1080}, {640, 480}} {
			var f Frame
			s.Compose(&f, l, Rect{W: size[0], H: size[1]}, Options{Footer: "tape katamari-ball"}, 1)
			texts := strings.Split(f.texts(), "\n")
			for _, w := range want {
				if !slices.Contains(texts, w) {
					t.Errorf("%s, %v: no %q", settings, size, w)
				}
			}
			if settings == "color=off" && slices.Contains(texts, "never received") {
				t.Error("a legend without a colouring")
			}
		}
		stagetest.Show(t, l, "color=off,simulated=off")
	}
}
