package sim_test

import (
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestCastRay checks that a ray returns its nearest hit: a body, a further box of a body, a static
// box, a carrier at a moment, or the ground; and that it ignores the shooter's cube.
func TestCastRay(t *testing.T) {
	v := func(x, y, z float32) geom.Vec3 { return geom.Vec3{X: x, Y: y, Z: z} }
	s := sim.Scene{
		Boxes:  []sim.Box{playerBox(v(0, 0, 0.75)), cube(v(0, 10, 0.75), 0), cube(v(0, 20, 0.75), 0)},
		Static: []sim.Box{staticBox(v(10, 0, 1), v(1, 5, 1), geom.Identity)},
		Carriers: []sim.Carrier{{Path: sim.Path{Travel: v(-80, 0, 0), TravelSeconds: 4}, Boxes: []sim.Box{
			staticBox(v(40, -10, 1), v(0.5, 0.5, 1), geom.Identity)}}},
	}
	s.Boxes[2].SubShapes = []sim.SubShape{{Half: v(2, 0.1, 0.1), Pose: geom.Pose{Pos: v(3, 0, 0), Rot: geom.Identity}}}
	poses := make([]geom.Pose, len(s.Boxes))
	for i := range poses {
		poses[i] = s.Boxes[i].Start.Pose
	}
	from := poses[0].Pos
	for _, c := range []struct {
		name  string
		along geom.Vec3
		at    sim.Moment
		want  sim.Hit
	}{
		{"the nearer of two cubes", v(0, 1, 0), 0, sim.Hit{1, 9.8}},
		{"a further box of a body", v(3, 19.9, 0), 0, sim.Hit{2, v(3, 19.9, 0).Len()}},
		{"a static box", v(1, 0, 0), 0, sim.Hit{sim.NoBody, 9}},
		{"the ground", v(0, -3, -4), 0, sim.Hit{sim.NoBody, 0.75 / 0.8}},
		{"a carrier at another moment", v(0, -1, 0), 0, sim.Hit{sim.NoBody, 100}},
		{"a carrier halfway", v(0, -1, 0), sim.Tick(120).Moment(), sim.Hit{sim.NoBody, 9.5}},
		{"nothing", v(0, 0, 1), 0, sim.Hit{sim.NoBody, 100}},
	} {
		got := s.CastRay(from, c.along.Unit(), 100, poses, 0, c.at, 60)
		if got.Body != c.want.Body || geom.Abs(got.Distance-c.want.Distance) > 1e-3 {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	if got := s.CastRay(from, v(0, 1, 0), 100, poses, sim.NoBody, 0, 60); got.Body != 0 || got.Distance != 0 {
		t.Errorf("from inside the cube: %+v", got)
	}
}

// TestAim checks that the direction of a shot equals the aim up to rounding, and that a carrier's
// pose between two ticks lies between theirs.
func TestAim(t *testing.T) {
	for _, d := range []geom.Vec3{{Y: 1}, {X: 1}, {X: -1}, {Y: -2}, {X: 3, Y: -1, Z: 0.5}, {X: -3, Y: 1, Z: -2},
		{X: 0.001, Y: 5}, {X: -0.001, Y: 5}, {Z: 1}, {Z: -1, X: 0.01}} {
		s := sim.Aim(d)
		off := s.Direction().Sub(d.Unit()).Len()
		if !s.Fired || s.Yaw >= sim.AimSteps || s.Pitch > sim.MaxPitch || s.Pitch < -sim.MaxPitch || off > 1.6*geom.TwoPi/sim.AimSteps {
			t.Errorf("%v: %+v, an error of %v", d, s, off)
		}
	}
	if a := sim.Aim(geom.Vec3{X: -1}); a.Yaw != sim.AimSteps/4 {
		t.Errorf("west has yaw %d, want 1024 (counter-clockwise)", a.Yaw)
	}
	p := sim.Path{Travel: geom.Vec3{X: 60}, TravelSeconds: 1}
	a, b := p.Pose(geom.Pose{}, 30, 60).Pos.X, p.Pose(geom.Pose{}, 31, 60).Pos.X
	if m := p.PoseAt(geom.Pose{}, sim.Tick(30).Moment()+sim.MomentsPerTick/2, 60).Pos.X; geom.Abs(m-(a+b)/2) > 1e-3 || a == b {
		t.Errorf("between %v and %v: %v", a, b, m)
	}
}

// TestShotsDoNotChangeWorld checks that steps ignore shots.
func TestShotsDoNotChangeWorld(t *testing.T) {
	a, b := sim.New(yardScene(), 60), sim.New(yardScene(), 60)
	for i := range 120 {
		in := sim.Input{Buttons: sim.Forward, Heading: uint8(i)}
		a.Step(in)
		in.Shot = sim.Shot{Fired: true, Yaw: uint16(i), ViewTime: 7, HasViewTime: true}
		b.Step(in)
	}
	x, xc := a.Hash()
	if y, yc := b.Hash(); x != y || xc != yc {
		t.Error("a shot changes the world")
	}
}
