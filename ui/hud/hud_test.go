package hud

import (
	"fmt"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/ui/stage"
	"ghostcube/ui/stage/stagetest"
)

// frame returns the picture of a session in a usual size.
func (h *HUD) frame(l *lab.Lab) (f Frame) {
	h.Compose(&f, l, Rect{W: 1280, H: 720}, Options{}, 1)
	return f
}

// texts returns the texts of a frame, a line each.
func (f *Frame) texts() (all string) {
	for i := range f.Overlay.Items {
		if text := f.Overlay.Items[i].Text; text != "" {
			all += text + "\n"
		}
	}
	return all
}

// count returns the number of items of a frame of which something holds.
func (f *Frame) count(holds func(*render.Item) bool) (n int) {
	for i := range f.Overlay.Items {
		if holds(&f.Overlay.Items[i]) {
			n++
		}
	}
	return n
}

// TestViewportsFillPicture promises that viewports lie inside their rectangle, cover nearly all of it, and do
// not overlap, for any size and number of panes.
func TestViewportsFillPicture(t *testing.T) {
	experiment.Skip(t)
	for n := 1; n <= 4; n++ {
		for _, split := range []string{"on", "off"} {
			for _, size := range [][2]int{{1280, 720}, {640, 360}, {1920, 1080}, {321, 243}, {500, 900}} {
				l := stagetest.Session(t, "csp-25-loss", []string{"rewind", "noprediction", "rewind", "rewind"}[:n]...)
				l.Tick(lab.Entry{Commands: []lab.Command{stage.Show("split", split)}})
				var s HUD
				stagetest.Roll(t, &s, l, 3)
				var f Frame
				s.Compose(&f, l, Rect{X: 7, Y: 11, W: size[0], H: size[1]}, Options{NoOverlay: true}, 1)
				views := f.Viewports
				want := n
				if split == "on" {
					want = 2 * n
				}
				if len(views) != want {
					t.Fatalf("%d viewports, want %d", len(views), want)
				}
				area := 0
				for i, v := range views {
					area += v.W * v.H
					if v.X < 7 || v.Y < 11 || v.X+v.W > 7+size[0] || v.Y+v.H > 11+size[1] || v.W < 10 || v.H < 10 {
						t.Errorf("%d panes, %v: viewport %d is %d,%d %dx%d", n, size, i, v.X, v.Y, v.W, v.H)
					}
					for _, o := range views[:i] {
						if v.X < o.X+o.W && o.X < v.X+v.W && v.Y < o.Y+o.H && o.Y < v.Y+v.H {
							t.Errorf("%d panes, %v: viewports overlap", n, size)
						}
					}
				}
				if whole := size[0] * size[1]; area < whole*9/10 {
					t.Errorf("%d panes, %v: the viewports cover %d of %d pixels", n, size, area, whole)
				}
			}
		}
	}
}

// TestBetweenCommandsAndTick promises that a session can be drawn before its first tick, and after commands
// have opened, switched, closed or restarted panes without a tick.
func TestBetweenCommandsAndTick(t *testing.T) {
	l := stagetest.Session(t, "bursty", "rewind")
	l.Apply(stage.Show("split", "off"))
	var s HUD
	var f Frame
	draw := func(after string) {
		t.Helper()
		s.Refresh(l)
		s.Compose(&f, l, Rect{W: 640, H: 360}, Options{}, 0.5)
		if len(f.Viewports) != len(l.Panes) {
			t.Errorf("%s: %d viewports of %d panes", after, len(f.Viewports), len(l.Panes))
		}
		for i, v := range f.Viewports {
			if got, want := v.Scene.Cubes[0].Pose.Pos, l.Panes[i].ServerWorld.Bodies()[0].Pose.Pos; got.Sub(want).Len() > 5 {
				t.Errorf("%s: pane %d draws the cube at %v, the server has it at %v", after, i, got, want)
			}
		}
	}
	draw("opening")
	stagetest.Roll(t, &s, l, 200)
	draw("200 ticks")
	for _, c := range []lab.Command{
		{Verb: "open", Pane: lab.AllPanes, Name: "noprediction"},
		{Verb: "open", Pane: lab.AllPanes, Name: "rewind"},
		{Verb: "switch", Pane: 0, Name: "noprediction"},
		{Verb: "close", Pane: 1},
		{Verb: "scene", Pane: lab.AllPanes, Name: "plain"},
		{Verb: "scene", Pane: lab.AllPanes, Name: "zen"},
		{Verb: "restart", Pane: lab.AllPanes},
	} {
		stagetest.Apply(t, l, c)
		draw(c.Verb + " " + c.Name)
	}
	stagetest.Roll(t, &s, l, 60)
	l.Apply(lab.Command{Verb: "restart", Pane: lab.AllPanes})
	draw("restart")
	if got, want := f.Viewports[0].Camera, l.Panes[0].ServerWorld.Bodies()[0].Pose.Pos; got.Target.Sub(want).Len() > 3 {
		t.Errorf("the camera looks at %v after a restart", got.Target)
	}
}

// TestNothingIsClipped promises that every text lies inside the picture and that no two texts overlap, at all
// usual sizes and with long specs.
func TestNothingIsClipped(t *testing.T) {
	experiment.Skip(t)
	specs := []string{
		"rewind:contact-order=reordered:smoothing=none:snapshot-every=32:redundant=off:lead=9:corrections=off",
		"noprediction", "rewind:smoothing=single:smooth-factor=0.75", "rewind",
	}
	for n := 1; n <= 4; n++ {
		for _, split := range []string{"on", "off"} {
			for _, size := range [][2]int{{1280, 720}, {960, 540}, {1920, 1080}, {2560, 1440}, {900, 600}} {
				l := stagetest.Session(t, "wifi-bad", specs[:n]...)
				l.Tick(lab.Entry{Commands: []lab.Command{stage.Show("split", split)}})
				var s HUD
				stagetest.Roll(t, &s, l, 90)
				var f Frame
				s.Compose(&f, l, Rect{W: size[0], H: size[1]}, Options{
					Title:  "Redundant inputs: 25 % loss, before and after, with a long title",
					Footer: "tape circle", Input: sim.Input{Buttons: sim.AllButtons}, HighlightFocus: true,
				}, 1)
				_, texts, wrong := findOverlaps(&f, Rect{W: size[0], H: size[1]})
				if len(wrong) > 0 {
					t.Errorf("%d panes, split %s, %v: %q", n, split, size, wrong)
				}
				if n := strings.Count(texts, "\n"); n < 8 {
					t.Errorf("only %d texts", n)
				}
			}
		}
	}
}

// TestDeterministic promises that equal sessions give equal lists and scenes.
func TestDeterministic(t *testing.T) {
	picture := func() string {
		l := stagetest.Session(t, "torture", "rewind", "noprediction")
		var s HUD
		stagetest.Roll(t, &s, l, 200)
		var f Frame
		s.Compose(&f, l, Rect{W: 1280, H: 720}, Options{}, 0.3)
		return fmt.Sprint(f.Overlay.Items, f.Viewports[0].Scene, f.Viewports[1].Camera)
	}
	if first, second := picture(), picture(); first != second {
		t.Error("two runs look different")
	}
}
