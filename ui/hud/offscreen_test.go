package hud

import (
	"strconv"
	"strings"
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/ui/stage"
	"ghostcube/ui/stage/stagetest"
)

// newOutage returns a session in the scene plain whose packets are all lost after two seconds, and its entries, in
// which the player then rolls to the right for a number of ticks.
func newOutage(t testing.TB, ticks int, specs ...string) (*lab.Lab, []lab.Entry) {
	t.Helper()
	l := stagetest.Open(t, lab.Config{Scene: "plain", Rate: 60, Seat: lab.AtHost}, "latency=50ms", specs...)
	entries := make([]lab.Entry, 120+ticks)
	entries[0].Commands = []lab.Command{stage.Show("split", "off")}
	entries[120].Commands = []lab.Command{{Verb: "blackout", Pane: lab.AllPanes, Value: "1m"}}
	for i := range ticks {
		entries[120+i].Inputs = []sim.Input{{Buttons: sim.Right}}
	}
	return l, entries
}

// placeIn returns where a point is in a picture, as shares of its width and height from the top left.
func placeIn(v *stage.Viewport, at geom.Vec3) [2]float32 {
	projection := v.Projection()
	x, y, depth := projection.Project(at)
	if depth < render.NearPlane {
		return [2]float32{-1, -1}
	}
	return [2]float32{x / float32(v.W), y / float32(v.H)}
}

// TestCameraMovesAway promises that the camera moves away smoothly while the server's body leaves the client's, up to
// a limit, that both are in the picture up to there, and that an arrow with the distance points at the server's from
// then on.
func TestCameraMovesAway(t *testing.T) {
	l, entries := newOutage(t, 480, "statesync")
	var s HUD
	var f Frame
	moved, arrows := false, 0
	for i, e := range entries {
		if err := l.Tick(e); err != nil {
			t.Fatal(err)
		}
		s.Tick(l)
		s.Compose(&f, l, Rect{W: 1280, H: 720}, Options{}, 1)
		v := &f.Viewports[0]
		drawn, server := s.stage.PlayerAt(0, 1)
		apart := server.Sub(drawn).Len()
		distance := v.Camera.Eye.Sub(v.Camera.Target).Len()
		if distance < 11.99 || distance > 12*2.5+0.01 {
			t.Fatalf("tick %d: the camera is %v m away", i, distance)
		}
		moved = moved || distance > 15 && distance < 25
		at := [2][2]float32{placeIn(v, drawn), placeIn(v, server)}
		inside := at[1][0] >= 0 && at[1][0] <= 1 && at[1][1] >= 0 && at[1][1] <= 1
		if at[0][0] < 0.1 || at[0][0] > 0.9 || at[0][1] < 0.1 || at[0][1] > 0.9 {
			t.Fatalf("tick %d: the client's body is at %v of the picture", i, at[0])
		}
		if apart < 12 && !inside {
			t.Fatalf("tick %d: the server's body is %v m away and outside", i, apart)
		}
		text := ""
		var tip render.Point // of the last arrow
		for _, it := range f.Overlay.Items {
			if strings.HasPrefix(it.Text, "server ") {
				text = it.Text
				if it.Color != stage.ServerColor {
					t.Fatalf("the text at the arrow has the colour %v", it.Color)
				}
			}
			if it.Kind == render.LineKind && it.Color == stage.ServerColor && len(it.Points) == 4 {
				tip = it.Points[1]
			}
		}
		if (text != "") == inside {
			t.Fatalf("tick %d: the server's body is at %v of the picture, and the text is %q", i, at[1], text)
		}
		if inside {
			continue
		}
		arrows++
		if want := "server " + strconv.Itoa(int(apart+0.5)) + " m"; text != want {
			t.Fatalf("%q, want %q", text, want)
		}
		// The player has rolled to the right.
		if x, y := tip.X-float32(v.X+v.W), tip.Y-float32(v.Y)-float32(v.H)/2; x < -20 || x > 0 || y < -60 || y > 60 {
			t.Fatalf("tick %d: the arrow's tip is at %v in a picture of %d,%d, %dx%d", i, tip, v.X, v.Y, v.W, v.H)
		}
	}
	if !moved || arrows < 100 {
		t.Errorf("moved away %v, %d pictures with an arrow", moved, arrows)
	}
}

// TestArrowDirection promises that the arrow points to the side on which a body is, also behind the camera.
func TestArrowDirection(t *testing.T) {
	v := stage.Viewport{Picture: stage.Picture{Rect: Rect{W: 640, H: 360}}, Camera: render.Orbit(geom.Vec3{Z: 1}, 0, 24, 12)}
	for _, c := range []struct {
		at   geom.Vec3
		x, y float32 // signs of the direction; 0: less than a tenth
	}{
		{geom.Vec3{X: 40}, 1, 0}, {geom.Vec3{X: -40}, -1, 0}, {geom.Vec3{Y: -9}, 0, 1}, {geom.Vec3{Y: -60}, 0, 1}, {geom.Vec3{Z: 30}, 0, -1},
		{geom.Vec3{X: 40, Y: -60}, 1, 1}, {geom.Vec3{X: -40, Y: -60}, -1, 1},
	} {
		x, y, outside := offscreenDirection(&v, c.at)
		sign := func(a float32) float32 {
			switch {
			case a > 0.1:
				return 1
			case a < -0.1:
				return -1
			}
			return 0
		}
		near := c.x != 0 && c.y == 0 && geom.Abs(y) < 0.3 // beside the camera's target, but not quite at its height
		if !outside || sign(x) != c.x || sign(y) != c.y && !near {
			t.Errorf("%v: direction %v, %v, outside %v", c.at, x, y, outside)
		}
	}
	if _, _, outside := offscreenDirection(&v, geom.Vec3{X: 2, Y: 3}); outside {
		t.Error("an arrow points at a body in the picture")
	}
}

// TestOffscreenMarksAllocateNothing promises that marking bodies outside the picture allocates nothing.
func TestOffscreenMarksAllocateNothing(t *testing.T) {
	l, entries := newOutage(t, 480, "statesync", "statesync")
	var s HUD
	for _, e := range entries {
		if err := l.Tick(e); err != nil {
			t.Fatal(err)
		}
		s.Tick(l)
	}
	var f Frame
	show := stage.SettingsOf(l)
	s.Compose(&f, l, Rect{W: 1280, H: 720}, Options{}, 1)
	d := markDrawer{&drawing{DrawList: &f.Overlay, hud: &s, texts: &s.texts, l: l, settings: show, scale: 1}}
	if n := testing.AllocsPerRun(100, func() {
		f.Overlay.Reset()
		s.texts.Reset()
		d.drawOffscreenMarks(f.Viewports, 1)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
	if len(f.Overlay.Items) == 0 {
		t.Error("there is no arrow")
	}
}
