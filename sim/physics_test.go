package sim_test

import (
	"slices"
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestFreeFall checks v = gt and s = gt2/2 without damping.
func TestFreeFall(t *testing.T) {
	s := boxScene(boxAt(0, 0, 25, 0.2, 1))
	s.Damping = 0
	w := sim.New(s, 60)
	for range 60 {
		w.Step()
	}
	b := w.Bodies()[0]
	if geom.Abs(b.Linear.Z+20) > 1e-3 {
		t.Errorf("%v m/s after a second, want 20", -b.Linear.Z)
	}
	// Semi-implicit Euler with four substeps is half a substep ahead of gt2/2.
	if fallen := 25 - b.Pose.Pos.Z; geom.Abs(fallen-10-20./480) > 1e-3 {
		t.Errorf("%v m after a second, want 10", fallen)
	}
}

// TestBoxComesToRest checks that a dropped cube comes to rest within 2 mm of the ground and sleeps.
func TestBoxComesToRest(t *testing.T) {
	w := sim.New(boxScene(boxAt(0, 0, 1, 0.2, 1)), 60)
	for range 180 {
		w.Step()
	}
	b := w.Bodies()[0]
	if !b.Asleep || geom.Abs(b.Pose.Pos.Z-0.2) > 0.002 || b.Linear != (geom.Vec3{}) {
		t.Errorf("the cube is %+v", b)
	}
}

// TestSliding checks the stopping distance v2 = 2 mu g s.
func TestSliding(t *testing.T) {
	for _, mu := range []float32{0.25, 0.5, 1} {
		b := boxAt(0, 0, 0.2, 0.2, mu*mu) // with the ground's 1 the coefficient is mu
		b.Half = geom.Vec3{X: 0.6, Y: 0.6, Z: 0.2}
		b.Start.Linear.X = 5
		s := boxScene(b)
		s.Damping = 0
		w := sim.New(s, 60)
		for range 300 {
			w.Step()
		}
		want := 25 / (2 * mu * 20)
		if got := w.Bodies()[0].Pose.Pos.X; geom.Abs(got-want) > 0.05*want+0.02 {
			t.Errorf("mu %v: slid %v m, want %v", mu, got, want)
		}
	}
}

// TestSlipAngle checks that a box on a slope slips above the angle of friction only.
func TestSlipAngle(t *testing.T) {
	for _, degrees := range []float32{20, 25, 29, 33} {
		turn := geom.AxisAngle(geom.Vec3{X: 1}, degrees*geom.Pi/180)
		b := boxAt(0, 0, 0, 0.2, 0.25) // with the slope's 1 the coefficient is 0.5: slips above 26.6 degrees
		b.Half = geom.Vec3{X: 0.4, Y: 0.4, Z: 0.2}
		b.Start.Pose = geom.Pose{Pos: geom.Vec3{Z: 10}.Add(turn.Rotate(geom.Vec3{Z: 0.7})), Rot: turn}
		s := boxScene(b)
		s.Static = []sim.Box{staticBox(geom.Vec3{Z: 10}, geom.Vec3{X: 5, Y: 8, Z: 0.5}, turn)}
		w := sim.New(s, 60)
		for range 60 {
			w.Step()
		}
		moved := w.Bodies()[0].Pose.Pos.Sub(b.Start.Pose.Pos).Len()
		if slips := degrees > 26.6; slips != (moved > 0.1) {
			t.Errorf("%v degrees: moved by %v m in a second", degrees, moved)
		}
	}
}

// TestPlayerRolls checks that the player's cube rolls, though only friction exerts a torque.
func TestPlayerRolls(t *testing.T) {
	w := sim.New(baseScene(), 60)
	var rotation float32
	for range 45 {
		w.Step(sim.Input{Buttons: sim.Right})
		rotation = max(rotation, w.Bodies()[0].Pose.Rot.Angle())
	}
	b := w.Bodies()[0]
	if b.Pose.Pos.X < 1 || rotation < geom.HalfPi/2 {
		t.Errorf("moved by %v m and rotated by %v rad", b.Pose.Pos.X, rotation)
	}
	if b.Angular.Y < 1 {
		t.Errorf("angular velocity %v, want along +y", b.Angular)
	}
}

// TestHeading checks that Forward pushes along the heading: after a quarter turn along -x.
func TestHeading(t *testing.T) {
	for _, c := range []struct {
		heading uint8
		way     geom.Vec3
	}{{0, geom.Vec3{Y: 1}}, {64, geom.Vec3{X: -1}}, {128, geom.Vec3{Y: -1}}, {192, geom.Vec3{X: 1}}} {
		w := sim.New(baseScene(), 60)
		for range 30 {
			w.Step(sim.Input{Buttons: sim.Forward, Heading: c.heading})
		}
		if got := w.Bodies()[0].Linear; got.Unit().Dot(c.way) < 0.7 {
			t.Errorf("heading %d: velocity %v, want along %v", c.heading, got, c.way)
		}
	}
}

// TestLiftAndPull checks that Lift raises the player and Pull attracts a cube.
func TestLiftAndPull(t *testing.T) {
	w := sim.New(baseScene(), 60)
	for range 30 {
		w.Step(sim.Input{Buttons: sim.Lift})
	}
	if z := w.Bodies()[0].Pose.Pos.Z; z < 2 {
		t.Errorf("Lift raised the player to %v m", z)
	}
	s := baseScene()
	s.Boxes = append(s.Boxes, cube(geom.Vec3{X: 1.6, Z: 0.2}, 0))
	w = sim.New(s, 60)
	for range 30 {
		w.Step(sim.Input{Buttons: sim.Pull})
	}
	if x := w.Bodies()[1].Pose.Pos.X; x > 1.1 {
		t.Errorf("Pull left the cube at x = %v", x)
	}
	if got := w.AppendContactPairs(nil); !slices.Contains(got, sim.BodyPair{0, 1}) {
		t.Errorf("the pulled cube is not in contact with the player: %v", got)
	}
}

// TestNoTunnelling throws a small cube at speeds up to the clamp against a wall of its own
// thickness and against another cube.
func TestNoTunnelling(t *testing.T) {
	for _, speed := range []float32{8, 16, 32} {
		for _, from := range []float32{0, 0.11, 0.23, 0.37} {
			b := boxAt(from, 0, 3, 0.2, 1)
			b.Start.Linear = geom.Vec3{X: speed, Z: 1}
			s := boxScene(b)
			s.Static = []sim.Box{staticBox(geom.Vec3{X: 5, Z: 2}, geom.Vec3{X: 0.2, Y: 3, Z: 2}, geom.Identity)}
			w := sim.New(s, 60)
			for range 60 {
				w.Step()
			}
			if x := w.Bodies()[0].Pose.Pos.X; x > 4.7 {
				t.Errorf("%v m/s: at x = %v, behind the wall", speed, x)
			}
			b.Start.Linear.Z = 0
			s = boxScene(b, boxAt(5, 0, 3.1, 0.2, 1))
			s.Gravity = 0
			w = sim.New(s, 60)
			for range 60 {
				w.Step()
			}
			if a, b := w.Bodies()[0], w.Bodies()[1]; a.Pose.Pos.X > b.Pose.Pos.X {
				t.Errorf("%v m/s: passed through the other cube", speed)
			}
		}
	}
}

// TestTower checks that a stack of ten cubes stands for ten minutes without sleep.
func TestTower(t *testing.T) {
	t.Parallel()
	var boxes []sim.Box
	for i := range 10 {
		boxes = append(boxes, boxAt(0, 0, 0.2+0.41*float32(i), 0.2, 1))
	}
	s := boxScene(boxes...)
	s.NoSleep = true
	w := sim.New(s, 60)
	for range 600 {
		w.Step()
	}
	before := w.Bodies()[9].Pose.Pos
	for range shortTicks(9 * 60 * 60) {
		w.Step()
	}
	top := w.Bodies()[9]
	if top.Pose.Pos.Sub(before).Len() > 0.002 || top.Pose.Pos.Z < 3.7 {
		t.Errorf("the top moved from %v to %v", before, top.Pose.Pos)
	}
}

// TestIslandWakes checks that a stack wakes as a whole when a cube touches it, and that waking does
// not move it.
func TestIslandWakes(t *testing.T) {
	var boxes []sim.Box
	for i := range 8 {
		boxes = append(boxes, boxAt(0, 0, 0.2+0.4*float32(i), 0.2, 1))
	}
	bullet := boxAt(-3, 0, 0.6, 0.2, 1)
	bullet.Start.Linear.X = 1 // slow enough not to move the stack
	s := boxScene(append(boxes, bullet)...)
	s.Gravity, s.Damping = 20, 0
	w := sim.New(s, 60)
	for range 120 { // meanwhile the bullet falls and slides
		w.Step()
	}
	if awakeCount(w) != 0 {
		t.Fatal("not all cubes sleep")
	}
	b := w.Bodies()[8]
	b.Asleep, b.Pose.Pos, b.Linear = false, geom.Vec3{X: -0.41, Z: 0.2}, geom.Vec3{X: 0.3}
	w.SetBody(8, b)
	for range 5 {
		w.Step()
	}
	if n := awakeCount(w); n != 9 {
		t.Fatalf("%d cubes are awake, want 9", n)
	}
	for i := range 8 {
		if v := w.Bodies()[i].Linear.Len(); v > 0.1 {
			t.Errorf("cube %d moves at %v m/s", i, v)
		}
	}
}

// TestBounds checks that bodies stay within the scene and finite after any correction.
func TestBounds(t *testing.T) {
	w := sim.New(yardScene(), 60)
	b := w.Bodies()[3]
	b.Asleep = false
	b.Pose.Pos = geom.Vec3{X: 255, Y: -255, Z: 31}
	b.Linear = geom.Vec3{X: 1e6, Y: -1e6, Z: 1e6}
	b.Angular = geom.Vec3{X: 1e6}
	w.SetBody(3, b)
	for range 300 {
		w.Step(scriptedInput(w.Tick()))
		for i, b := range w.Bodies() {
			p := b.Pose.Pos
			if !p.IsFinite() || !b.Pose.Rot.IsFinite() || geom.Abs(p.X) > 256 || geom.Abs(p.Y) > 256 || p.Z < 0 || p.Z > 32 {
				t.Fatalf("body %d is at %v", i, b.Pose)
			}
		}
	}
}

// TestSpeedsAreBounded checks that no step ends with a body faster than the largest multiple of its scene's speeds, at
// any rate: clients refuse such a state.
func TestSpeedsAreBounded(t *testing.T) {
	for name, rates := range map[string][]int{
		"plain": {10, 20, 60}, "train": {10, 20}, "walker:mounted=1": {30},
	} {
		for _, rate := range rates {
			w := sim.New(newScene(t, name), rate)
			linear, angular := sim.MaxLinearFactor*w.Scene().MaxLinearSpeed, sim.MaxAngularFactor*w.Scene().MaxAngularSpeed
			for tick := range 5 * rate {
				in := scriptedInput(sim.Tick(tick * 60 / rate))
				in.Buttons |= sim.Forward | sim.Right | sim.Lift | sim.Pull
				w.Step(in)
				for i, b := range w.Bodies() {
					if v, a := b.Linear.Len(), b.Angular.Len(); !(v <= 1.0001*linear) || !(a <= 1.0001*angular) {
						t.Fatalf("%s at %d Hz, tick %d: body %d moves at %v m/s and %v rad/s", name, rate, tick, i, v, a)
					}
				}
			}
		}
	}
}
