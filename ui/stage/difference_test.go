package stage

import (
	"slices"
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim/geom"
	"ghostcube/ui/stage/stagetest"
)

// TestErrorRamp promises that lightness falls all along the ramp of path errors, and holds its stops.
func TestErrorRamp(t *testing.T) {
	falling := slices.Clone(ErrorRamp[:])
	slices.Reverse(falling)
	checkLightness(t, falling)
	for i, metres := range []float32{0, 0.01, 0.1, 1, 20} {
		if got, want := float32(3*errorFraction(metres)), min(float32(i), 3); geom.Abs(got-want) > 0.02 {
			t.Errorf("%v m is %v stops up the ramp, want %v", metres, got, want)
		}
	}
	for m, last := float32(0.0001), float32(-1); m < 2; m *= 1.03 {
		share := errorFraction(m)
		if share < last {
			t.Fatalf("%v m is lower on the ramp than a smaller error", m)
		}
		last = share
	}
}

// TestPathErrorColors promises that a body that is drawn 0.5 m from where the server has it at the moment that the
// view claims has the colour of 0.5 m, and a right one that of 0, ahead of the server and behind it; that a body
// ahead is not compared before the server is there; and that the server's picture keeps its colours.
func TestPathErrorColors(t *testing.T) {
	l := stagetest.Open(t, lab.Config{Scene: "katamari:cubes=20", Rate: 60}, "latency=100ms", "noprediction", "rewind")
	var s Stage
	tick := func() {
		if err := l.Tick(lab.Entry{}); err != nil {
			t.Fatal(err)
		}
		for _, p := range l.Panes {
			if v := &p.Clients[0].View; v.Others > 0 {
				for _, i := range []int{0, 7} { // the player's cube and another; all are at rest
					v.Bodies[i].Pos = p.ServerWorld.Bodies()[i].Pose.Pos.Add(geom.Vec3{X: 0.3, Y: 0.4})
				}
			}
		}
		s.Tick(l)
	}
	for range 240 {
		tick()
	}
	plain := s.views(nil, l, 1)[1].Scene.Cubes[7].Color
	stagetest.Show(t, l, "color=path-error")
	s.Refresh(l)
	colors := func(pane int) (list [3]render.Color) { // of the player's cube, the other wrong one and a right one
		for _, v := range s.views(nil, l, 1) {
			if v.Pane == pane && v.Side == ClientSide {
				list = [3]render.Color{v.Scene.Cubes[0].Color, v.Scene.Cubes[7].Color, v.Scene.Cubes[5].Color}
			} else if v.Side == ServerSide && v.Scene.Cubes[7].Color != plain {
				t.Errorf("the server's picture has body 7 in %v", v.Scene.Cubes[7].Color)
			}
		}
		return list
	}
	half, none := errorColor(0.5), errorColor(0)
	if half == none || half == ErrorRamp[3] || none != ErrorRamp[0] {
		t.Fatal("nothing is tested")
	}
	near := func(a, b render.Color) bool { // bodies settle by micrometres
		return max(a.R, b.R)-min(a.R, b.R) < 3 && max(a.G, b.G)-min(a.G, b.G) < 3 && max(a.B, b.B)-min(a.B, b.B) < 3
	}
	if c := colors(0); !near(c[0], half) || !near(c[1], half) || !near(c[2], none) {
		t.Errorf("behind the server, at once: %v, want %v, %v and %v", c, half, half, none)
	}
	if c := colors(1); c[0] != UnknownColor || s.panes[1].bodyErrors.metres[0] != notCompared {
		t.Errorf("ahead of the server, at once: %v", c)
	}
	for range 60 {
		tick()
	}
	for pane := range l.Panes {
		if c := colors(pane); !near(c[0], half) || !near(c[1], half) || !near(c[2], none) {
			t.Errorf("pane %d: %v, want %v, %v and %v", pane, c, half, half, none)
		}
	}
	f := s.Fork(l)
	f.panes[0].bodyErrors.metres[0] = 9
	if s.panes[0].bodyErrors.metres[0] == 9 {
		t.Error("a fork shares its errors")
	}
}
