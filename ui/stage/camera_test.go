package stage

import (
	"path"
	"strconv"
	"strings"
	"testing"

	"ghostcube/assets"
	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// subjects appends where the player's bodies are in a picture, as shares of its width and height from the top left:
// the drawn one, in the client's pictures, and the server's.
func (s *Stage) subjects(v *Viewport) (list [][2]float32) {
	p := s.panes[v.Pane]
	player := p.source.PlayerBody()
	w, h := float32(v.W), float32(v.H)
	projection := v.Camera.Projection(w, h)
	add := func(at geom.Vec3) {
		x, y, depth := projection.Project(at)
		if depth < render.NearPlane {
			x, y = -w, -h
		}
		list = append(list, [2]float32{x / w, y / h})
	}
	if v.Side != ServerSide {
		add(p.current.drawn[player].Pos)
	}
	add(p.current.server[player].Pos)
	return list
}

// TestSubjectStaysInTheFrame promises that the player's body is in the middle of all pictures in every built-in
// tape, in the client's world and in the server's, in panes that draw it at different times.
func TestSubjectStaysInTheFrame(t *testing.T) {
	files, err := assets.Tapes.ReadDir("tapes")
	if err != nil || len(files) < 20 {
		t.Fatal(len(files), err)
	}
	for i, file := range files {
		if experiment.Brief() && i%3 != 2 { // a third of them
			continue
		}
		t.Run(strings.TrimSuffix(file.Name(), ".tape"), func(t *testing.T) {
			t.Parallel()
			f, err := assets.Tapes.Open(path.Join("tapes", file.Name()))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			recorded, err := tape.Read(f)
			if err != nil {
				t.Fatal(err)
			}
			l := openLab(t, lab.Config{Scene: recorded.Config.Scene, Rate: 60, Seat: recorded.Config.Seat}, "latency=75ms,jitter=10ms,loss=2%", []string{"rewind", "noprediction", "snapshot"})
			var s Stage
			var frame Frame
			low, high := [2]float32{1, 1}, [2]float32{} // shares of the pictures' widths and heights
			for i, e := range recorded.Entries[:min(len(recorded.Entries), 900)] {
				e.Commands = nil // an outage has its own test
				if err := l.Tick(e); err != nil {
					t.Fatal(err)
				}
				s.Tick(l)
				if i%20 != 0 {
					continue
				}
				size := [][2]int{{1280, 720}, {900, 600}, {1920, 1080}}[i/20%3]
				s.Compose(&frame, l, Rect{W: size[0], H: size[1]}, Options{}, 1)
				for k := range frame.Viewports {
					for _, at := range s.subjects(&frame.Viewports[k]) {
						for axis, x := range at {
							low[axis], high[axis] = min(low[axis], x), max(high[axis], x)
						}
					}
				}
			}
			if min(low[0], low[1]) < 0.1 || max(high[0], high[1]) > 0.9 {
				t.Errorf("the bodies are from %.2f to %.2f of the width, from %.2f to %.2f of the height", low[0], high[0], low[1], high[1])
			}
		})
	}
}

// newOutage returns a session in the scene plain whose packets are all lost after two seconds, and its entries, in
// which the player then rolls to the right for a number of ticks.
func newOutage(t testing.TB, ticks int, specs ...string) (*lab.Lab, []lab.Entry) {
	t.Helper()
	l := openLab(t, lab.Config{Scene: "plain", Rate: 60, Seat: lab.AtHost}, "latency=50ms", specs)
	entries := make([]lab.Entry, 120+ticks)
	entries[0].Commands = []lab.Command{Show("split", "off")}
	entries[120].Commands = []lab.Command{{Verb: "blackout", Pane: lab.AllPanes, Value: "1m"}}
	for i := range ticks {
		entries[120+i].Inputs = []sim.Input{{Buttons: sim.Right}}
	}
	return l, entries
}

// TestCameraMovesAway promises that the camera moves away smoothly while the server's body leaves the client's, up to
// a limit, that both are in the picture up to there, and that an arrow with the distance points at the server's from
// then on.
func TestCameraMovesAway(t *testing.T) {
	l, entries := newOutage(t, 480, "statesync")
	var s Stage
	var f Frame
	moved, arrows := false, 0
	for i, e := range entries {
		if err := l.Tick(e); err != nil {
			t.Fatal(err)
		}
		s.Tick(l)
		s.Compose(&f, l, Rect{W: 1280, H: 720}, Options{}, 1)
		v := &f.Viewports[0]
		apart := s.panes[0].current.server[0].Pos.Sub(s.panes[0].current.drawn[0].Pos).Len()
		distance := v.Camera.Eye.Sub(v.Camera.Target).Len()
		if distance < 11.99 || distance > 12*maxZoom+0.01 {
			t.Fatalf("tick %d: the camera is %v m away", i, distance)
		}
		moved = moved || distance > 15 && distance < 25
		at := s.subjects(v)
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
				if it.Color != serverColor {
					t.Fatalf("the text at the arrow has the colour %v", it.Color)
				}
			}
			if it.Kind == render.LineKind && it.Color == serverColor && len(it.Points) == 4 {
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
	v := Viewport{W: 640, H: 360, Camera: render.Orbit(geom.Vec3{Z: 1}, 0, 24, 12)}
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

// TestPanesShareACamera promises that the pictures of all panes have one camera while their players are near each
// other, although the panes draw the player at different times, and with a correction in one of them.
func TestPanesShareACamera(t *testing.T) {
	l := newSession(t, "latency=150ms,jitter=10ms", "rewind", "noprediction", "snapshot")
	var s Stage
	for i := range 300 {
		if i == 100 {
			if err := l.Apply(lab.Command{Verb: "nudge", Pane: 0, Name: "x", Value: "1"}); err != nil {
				t.Fatal(err)
			}
		}
		runTicks(t, &s, l, 1)
		views := s.Viewports(nil, l, 0, 0, 1280, 720, 0.5)
		for k := range views {
			if views[k].Camera != views[0].Camera {
				t.Fatalf("tick %d: picture %d has the camera %v, the first %v", i, k, views[k].Camera, views[0].Camera)
			}
		}
	}
}

// TestNoJerk promises that the camera's velocity changes by little in every tick: at corrections without smoothing, of
// a metre, and at the end of an outage in which the server's body has gone far, at usual rates.
func TestNoJerk(t *testing.T) {
	for _, rate := range []int{30, 60, 120} {
		l := openLab(t, lab.Config{Scene: "plain", Rate: rate}, "latency=50ms", []string{"rewind:smoothing=none", "noprediction"})
		var s Stage
		var eye, velocity geom.Vec3 // metres, metres in a second
		jumps := 0
		var atNudges, atEnd float32 // largest change of velocity in a tick, m/s
		for i := range 12 * rate {
			e := lab.Entry{Inputs: []sim.Input{{Buttons: sim.Right}}}
			switch {
			case i == 0:
				e.Commands = []lab.Command{Show("split", "off")}
			case i == 2*rate || i == 3*rate:
				e.Commands = []lab.Command{{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "1"}}
			case i == 4*rate:
				e.Commands = []lab.Command{{Verb: "blackout", Pane: lab.AllPanes, Value: "4s"}}
			}
			drawn := geom.Vec3{}
			if i > 0 {
				drawn = s.panes[1].current.drawn[0].Pos
			}
			if err := l.Tick(e); err != nil {
				t.Fatal(err)
			}
			s.Tick(l)
			if i > 0 && s.panes[1].current.drawn[0].Pos.Sub(drawn).Len() > 5 {
				jumps++
			}
			camera := s.Viewports(nil, l, 0, 0, 1280, 720, 1)[1].Camera
			v := camera.Eye.Sub(eye).Scale(float32(rate))
			switch change := v.Sub(velocity).Len(); {
			case i > 1 && i < 4*rate:
				atNudges = max(atNudges, change)
			case i >= 4*rate:
				atEnd = max(atEnd, change)
			}
			eye, velocity = camera.Eye, v
		}
		if atNudges > 240/float32(rate) || atEnd > 900/float32(rate) {
			t.Errorf("%d Hz: the camera's velocity changes by %v m/s in a tick at nudges, and by %v after the outage", rate, atNudges, atEnd)
		}
		t.Logf("%d Hz: the velocity changes by up to %.1f m/s in a tick at nudges, %.1f after the outage", rate, atNudges, atEnd)
		if jumps == 0 {
			t.Error("the body never jumped")
		}
	}
}

// TestCameraAllocatesNothing promises that following and marking bodies outside the picture allocate nothing.
func TestCameraAllocatesNothing(t *testing.T) {
	l, entries := newOutage(t, 480, "statesync", "statesync")
	var s Stage
	for _, e := range entries {
		if err := l.Tick(e); err != nil {
			t.Fatal(err)
		}
		s.Tick(l)
	}
	var f Frame
	show := SettingsOf(l)
	s.Compose(&f, l, Rect{W: 1280, H: 720}, Options{}, 1)
	d := overlay{DrawList: &f.Overlay, stage: &s, texts: &s.texts, l: l, settings: show, scale: 1}
	if n := testing.AllocsPerRun(100, func() {
		s.camera.tick(s.panes, l, &show)
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
