package stage

import (
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/sim/scene"
	"ghostcube/ui/stage/stagetest"
)

// TestSceneViews promises that every row of the views is of a scene that there is, and holds for it and for the same
// scene with further parameters, and that its values can be set by show commands.
func TestSceneViews(t *testing.T) {
	for i := range sceneViews {
		v := &sceneViews[i]
		if _, err := scene.Named(v.scene); err != nil {
			t.Error(err)
		}
		if got := viewOf(v.scene); got != v {
			t.Errorf("%s has the view of %s", v.scene, got.scene)
		}
		for name, value := range map[string]float64{"yaw": v.yaw, "pitch": v.pitch, "distance": v.distance} {
			if d, err := settingNamed(name); err != nil || value < d.Min || value > d.Max {
				t.Errorf("%s: %s=%v", v.scene, name, value)
			}
		}
	}
	for spec, want := range map[string]string{
		"ship:distance=530:platform=1": "ship", "walker:rpm=9:mounted=1": "walker:mounted=1", "walker:mounted=0": "walker", "plain": "", "shipyard": "",
	} {
		if got := viewOf(spec).scene; got != want {
			t.Errorf("%s has the view %q", spec, got)
		}
	}
}

// TestOwnCameraWins promises that a camera that was set holds in scenes with a view of their own, and that what was
// not set comes from the scene, also after another scene was chosen.
func TestOwnCameraWins(t *testing.T) {
	l := stagetest.Session(t, "perfect", "rewind")
	stagetest.Show(t, l, "yaw=0,distance=9")
	for _, name := range []string{"zen", "tower", "plain"} {
		stagetest.Apply(t, l, lab.Command{Verb: "scene", Pane: lab.AllPanes, Name: name})
		if got := SettingsOf(l); got.Yaw != 0 || got.Distance != 9 || got.Pitch != viewOf(name).pitch {
			t.Errorf("%s: yaw %v, pitch %v, distance %v", name, got.Yaw, got.Pitch, got.Distance)
		}
	}
}

// TestSceneIsInTheFrame promises that in the first picture of every scene the player's body is in the middle, and
// does not hide the scenery around it.
func TestSceneIsInTheFrame(t *testing.T) {
	experiment.Skip(t)
	names := append(scene.Names(), "walker:mounted=1", "ship:platform=1", "turntable:aboard=1", "train:rods=32", "seesaw:right=2", "ship:jetpack=1")
	for _, name := range names {
		l := stagetest.Open(t, lab.Config{Scene: name, Rate: 60}, "perfect", "statesync")
		stagetest.Show(t, l, "split=off")
		var s Stage
		s.Refresh(l)
		for _, size := range [][2]int{{1280, 720}, {900, 600}} {
			v := &s.Viewports(nil, l, picturesOf(l, size[0], size[1]*3/4), 1, nil)[0]
			if at := s.subjects(v)[0]; at[0] < 0.2 || at[0] > 0.8 || at[1] < 0.2 || at[1] > 0.8 {
				t.Errorf("%s, %v: the player's body is at %.2f of the picture", name, size, at)
			}
			beside, ok := viewOf(name).lookBeside(s.panes[0])
			if player := s.panes[0].current.drawn[0].Pos; !ok || beside.Sub(player).Len() < 4 { // it stands on it
				continue
			}
			projection := v.Projection()
			low, high := [2]float32{1e6, 1e6}, [2]float32{-1e6, -1e6} // around the player's body
			for k := range 8 {
				cx, cy, _ := projection.Project(Corner(v.Scene.Cubes[0].Pose, v.Scene.Cubes[0].Half, k))
				low, high = [2]float32{min(low[0], cx), min(low[1], cy)}, [2]float32{max(high[0], cx), max(high[1], cy)}
			}
			x, y, _ := projection.Project(beside)
			hidden := x > low[0] && x < high[0] && y > low[1] && y < high[1]
			if hidden || x < 0 || y < 0 || x > float32(v.W) || y > float32(v.H) {
				t.Errorf("%s, %v: what the player stands before is at %v, %v of %d x %d pixels, hidden %v", name, size, x, y, v.W, v.H, hidden)
			}
		}
	}
}

// TestWalkerStaysInTheFrame promises that the walker and the tractor stay in the picture with the player's body for the
// first 15 s of a session without input.
func TestWalkerStaysInTheFrame(t *testing.T) {
	experiment.Skip(t)
	seconds := 15
	if experiment.Brief() {
		seconds = 7
	}
	for _, name := range []string{"walker", "trailer"} {
		l := stagetest.Open(t, lab.Config{Scene: name, Rate: 60}, "latency=50ms", "rewind")
		stagetest.Show(t, l, "split=off")
		var s Stage
		for i := range seconds {
			stagetest.Rest(t, &s, l, 60, sim.Shot{})
			v := &s.Viewports(nil, l, picturesOf(l, 1280, 540), 1, nil)[0]
			projection := v.Projection()
			for _, body := range []int{0, 1} {
				x, y, _ := projection.Project(s.panes[0].current.server[body].Pos)
				if x < 0.05*float32(v.W) || x > 0.95*float32(v.W) || y < 0.05*float32(v.H) || y > 0.95*float32(v.H) {
					t.Errorf("%s, %d s: body %d is at %v, %v of %d x %d pixels", name, i+1, body, x, y, v.W, v.H)
				}
			}
		}
	}
}
