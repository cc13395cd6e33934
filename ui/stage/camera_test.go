package stage

import (
	"path"
	"strings"
	"testing"

	"ghostcube/assets"
	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/ui/stage/stagetest"
)

// subjects appends where the player's bodies are in a picture, as shares of its width and height from the top left:
// the drawn one, in the client's pictures, and the server's.
func (s *Stage) subjects(v *Viewport) (list [][2]float32) {
	p := s.panes[v.Pane]
	player := p.source.PlayerBody()
	w, h := float32(v.W), float32(v.H)
	projection := v.Projection()
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
	experiment.Skip(t)
	files, err := assets.Tapes.ReadDir("tapes")
	if err != nil || len(files) < 20 {
		t.Fatal(len(files), err)
	}
	for i, file := range files {
		if experiment.Brief() && i%6 != 2 { // a sixth of them
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
			l := stagetest.Open(t, lab.Config{Scene: recorded.Config.Scene, Rate: 60, Seat: recorded.Config.Seat}, "latency=75ms,jitter=10ms,loss=2%",
				"rewind", "noprediction", "snapshot")
			var s Stage
			var views []Viewport
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
				views = s.Viewports(views[:0], l, picturesOf(l, size[0]/3, size[1]*3/8), 1, nil) // as three panes have them
				for k := range views {
					for _, at := range s.subjects(&views[k]) {
						for axis, x := range at {
							low[axis], high[axis] = min(low[axis], x), max(high[axis], x)
						}
					}
				}
			}
			if min(low[0], low[1]) < 0.07 || max(high[0], high[1]) > 0.93 {
				t.Errorf("the bodies are from %.2f to %.2f of the width, from %.2f to %.2f of the height", low[0], high[0], low[1], high[1])
			}
		})
	}
}

// TestPanesShareACamera promises that the pictures of all panes have one camera, within a metre, while their players are near each
// other, although the panes draw the player at different times, and with a correction in one of them.
func TestPanesShareACamera(t *testing.T) {
	l := stagetest.Session(t, "latency=15ms,jitter=5ms", "rewind", "noprediction", "snapshot")
	var s Stage
	for i := range 150 {
		if i == 60 {
			stagetest.Apply(t, l, lab.Command{Verb: "nudge", Pane: 0, Name: "x", Value: "1"})
		}
		stagetest.Roll(t, &s, l, 1)
		views := s.views(nil, l, 0.5)
		for k := range views {
			if c := &views[k].Camera; c.Eye.Sub(views[0].Camera.Eye).Len() > 1 || c.FOV != views[0].Camera.FOV {
				t.Fatalf("tick %d: picture %d has the camera %v, the first %v", i, k, views[k].Camera, views[0].Camera)
			}
		}
	}
}

// TestNoJerk promises that the camera's velocity changes by little in every tick: at corrections without smoothing, of
// a metre, and at the end of an outage in which the server's body has gone far, at usual rates.
func TestNoJerk(t *testing.T) {
	for _, rate := range []int{30, 60, 120} {
		l := stagetest.Open(t, lab.Config{Scene: "plain", Rate: rate}, "latency=50ms", "rewind:smoothing=none", "snapshot:interpolation=none")
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
			camera := s.views(nil, l, 1)[1].Camera
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

// TestOwnCubeStaysInNarrowPanes promises that each of three narrow pictures has the whole cube that its pane draws, although a
// delay of half a second parts the panes' cubes and the viewer drives in all directions.
func TestOwnCubeStaysInNarrowPanes(t *testing.T) {
	l := stagetest.Open(t, lab.Config{Scene: "plain", Rate: 60}, "3g", "rewind", "snapshot", "rollback")
	stagetest.Show(t, l, "split=off")
	var s Stage
	var views []Viewport
	outside := [3]int{}
	for i := range 600 {
		in := sim.Input{Buttons: sim.Buttons(1 << (i / 60 % 4))}
		if err := l.Tick(lab.Entry{Inputs: []sim.Input{in}}); err != nil {
			t.Fatal(err)
		}
		s.Tick(l)
		if i%5 != 0 {
			continue
		}
		views = s.Viewports(views[:0], l, picturesOf(l, 424, 474), 1, nil)
		for k := range views {
			v, c := &views[k], &views[k].Scene.Cubes[0]
			projection := v.Projection()
			for n := range 8 {
				x, y, _ := projection.Project(Corner(c.Pose, c.Half, n))
				if x < 0 || y < 0 || x > float32(v.W) || y > float32(v.H) {
					outside[k]++
					break
				}
			}
		}
	}
	if outside != [3]int{} {
		t.Errorf("pictures with a part of the pane's own cube outside, by pane: %v of 120", outside)
	}
}
