package sim_test

import (
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// rod returns a box between two points that differ along one axis of the world.
func rod(from, to geom.Vec3, thick, density float32) sim.Box {
	d := to.Sub(from).Scale(0.5)
	b := boxAt(0, 0, 0, 0, 1)
	b.Half = geom.Vec3{X: max(geom.Abs(d.X), thick), Y: max(geom.Abs(d.Y), thick), Z: max(geom.Abs(d.Z), thick)}
	b.Density = density
	b.Start.Pose.Pos = from.Add(d)
	return b
}

// chainScene is a chain of n rods that starts horizontally from a fixed point, with a load at its
// end that weighs load times a rod.
func chainScene(n int, load float32, hinges bool) sim.Scene {
	const long = 0.5
	s := boxScene()
	at := geom.Vec3{Z: 12}
	for i := range n {
		next := at.Add(geom.Vec3{X: long})
		b := rod(at, next, 0.05, 1)
		b.FilterGroup = 1
		s.Boxes = append(s.Boxes, b)
		s.Joints = append(s.Joints, sim.Joint{A: i - 1, B: i, Anchor: at, Axis: geom.Vec3{Y: 1}, Hinge: hinges})
		at = next
	}
	if load > 0 {
		b := boxAt(at.X+0.2, at.Y, at.Z, 0.2, 1)
		b.Density = load * (0.5 * 0.1 * 0.1) / (0.4 * 0.4 * 0.4)
		b.FilterGroup = 1
		s.Boxes = append(s.Boxes, b)
		s.Joints = append(s.Joints, sim.Joint{A: n - 1, B: n, Anchor: at, Axis: geom.Vec3{Y: 1}, Hinge: hinges})
	}
	return s
}

// TestJointDrift checks that anchors stay within a millimetre and hinge axes within 0.01 rad while
// light and loaded chains fall from the horizontal, pushed to the side, and swing for a minute;
// that their energy never grows; and that with damping it ends at that of the hanging chain, which
// an oscillating solver never reaches.
func TestJointDrift(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, c := range []struct {
		name   string
		n      int
		load   float32
		hinges bool
	}{
		{"pendulum", 1, 0, true}, {"ball", 1, 0, false}, {"double", 2, 0, true}, {"double ball", 2, 0, false},
		{"chain", 10, 0, true}, {"rope", 10, 0, false}, {"loaded chain", 10, 5, true}, {"loaded rope", 10, 5, false},
	} {
		for _, damping := range []float32{0, 0.6} {
			if c.load > 0 && damping == 0 {
				continue
			}
			s := chainScene(c.n, c.load, c.hinges)
			s.Damping = damping
			s.Boxes[len(s.Boxes)-1].Start.Linear.Y = 0.5
			s.NoSleep, s.MinSubsteps = true, 8
			w := sim.New(s, 60)
			e0 := energy(w)
			var separation, misalignment float32
			for range shortTicks(60 * 60) {
				w.Step()
				separation, misalignment = max(separation, maxJointSeparation(w)), max(misalignment, maxHingeMisalignment(w))
				if e := energy(w); e > e0*(1+1e-3) {
					t.Errorf("%s, damping %v: %v J in tick %d, %v J at the start", c.name, damping, e, w.Tick(), e0)
					break
				}
			}
			t.Logf("%s, damping %v: separation %.3f mm, misalignment %.5f rad, energy %.4f of %.4f J", c.name, damping, 1000*separation, misalignment, energy(w), e0)
			if separation > 0.001 {
				t.Errorf("%s, damping %v: separation of %v mm", c.name, damping, 1000*separation)
			}
			if misalignment > 0.01 {
				t.Errorf("%s, damping %v: misalignment of %v rad", c.name, damping, misalignment)
			}
			var hangs float64
			top := float32(12)
			for i := range s.Boxes {
				b := &s.Boxes[i]
				mass := float64(sim.Mass(w, i))
				hangs += mass * 20 * float64(top-b.Half.X)
				top -= 2 * b.Half.X
			}
			if e := energy(w); damping > 0 && !experiment.Brief() && (e < hangs*0.999 || e > hangs*1.001) {
				t.Errorf("%s: %v J at the end, %v J when hanging", c.name, e, hangs)
			}
		}
	}
}

// TestPendulumPeriod checks the period of a small swing of a rod: 2 pi sqrt(2 l / 3 g).
func TestPendulumPeriod(t *testing.T) {
	s := chainScene(1, 0, true)
	s.Damping, s.NoSleep = 0, true
	s.Boxes[0].Half = geom.Vec3{X: 0.01, Y: 0.01, Z: 0.5}
	lean := geom.AxisAngle(geom.Vec3{Y: 1}, 0.1)
	s.Boxes[0].Start.Pose = geom.Pose{Pos: geom.Vec3{Z: 12}.Sub(lean.Rotate(geom.Vec3{Z: 0.5})), Rot: lean}
	w := sim.New(s, 60)
	crossings, last, first, late := 0, float32(-1), 0, 0
	for i := range 60 * 60 {
		w.Step()
		x := w.Bodies()[0].Pose.Pos.X
		if last < 0 && x >= 0 {
			if crossings == 0 {
				first = i
			}
			crossings, late = crossings+1, i
		}
		last = x
	}
	want := geom.TwoPi * geom.Sqrt(2.0/60)
	got := float32(late-first) / 60 / float32(crossings-1)
	if geom.Abs(got-want) > 0.005*want {
		t.Errorf("a period of %v s, want %v", got, want)
	}
}

// TestJointsKeepMomentum checks total linear and angular momentum of jointed boxes that tumble
// through free space.
func TestJointsKeepMomentum(t *testing.T) {
	for _, hinges := range []bool{false, true} {
		s := freeFloatingScene(chainScene(4, 3, hinges).Boxes...)
		s.Joints = append(s.Joints, chainScene(4, 3, hinges).Joints[1:]...)
		s.Boxes[0].Start.Linear = geom.Vec3{X: 1, Y: 0.5, Z: 3}
		s.Boxes[3].Start.Linear = geom.Vec3{Z: -3, Y: 1}
		w := sim.New(s, 60)
		p0, l0 := momentum(w)
		e0 := energy(w)
		for range 120 {
			w.Step()
		}
		p1, l1 := momentum(w)
		if p1.Sub(p0).Len() > 1e-4*p0.Len() {
			t.Errorf("hinges %v: momentum changed from %v to %v", hinges, p0, p1)
		}
		if l1.Sub(l0).Len() > 0.02*l0.Len() {
			t.Errorf("hinges %v: angular momentum changed from %v to %v", hinges, l0, l1)
		}
		if e := energy(w); e > e0 {
			t.Errorf("hinges %v: energy changed from %v to %v J", hinges, e0, e)
		}
	}
}

// motorScene is a bar on a vertical hinge through its centre.
func motorScene(j sim.Joint) sim.Scene {
	b := boxAt(0, 0, 5, 0.1, 1)
	b.Half.X = 1
	j.A, j.Anchor, j.Axis, j.Hinge = sim.WorldBody, geom.Vec3{Z: 5}, geom.Vec3{Z: 1}, true
	s := boxScene(b)
	s.Damping = 0
	s.Joints = []sim.Joint{j}
	return s
}

// TestJointMotor checks that a motor accelerates as its torque allows and keeps its speed, that a
// brake decelerates likewise and then holds, and that a driven body does not sleep.
func TestJointMotor(t *testing.T) {
	w := sim.New(motorScene(sim.Joint{MotorSpeed: 4, MaxMotorTorque: 0.02}), 60)
	i := sim.Inertia(w, 0).Z
	up := 0
	for range 1200 {
		w.Step()
		if up == 0 && w.Bodies()[0].Angular.Z > 3.999 {
			up = int(w.Tick())
		}
	}
	if want := 60 * 4 * i / 0.02; geom.Abs(float32(up)-want) > 2 {
		t.Errorf("full speed in tick %d, want %v", up, want)
	}
	if b := w.Bodies()[0]; geom.Abs(b.Angular.Z-4) > 1e-3 || b.Asleep {
		t.Errorf("%v rad/s, asleep %v", b.Angular.Z, b.Asleep)
	}
	w = sim.New(motorScene(sim.Joint{MotorSpeed: 0.1, MaxMotorTorque: 0.02}), 60) // below the sleep threshold
	for range 300 {
		w.Step()
	}
	if b := w.Bodies()[0]; b.Asleep {
		t.Error("a body driven by a slow motor sleeps")
	}
	s := motorScene(sim.Joint{MaxMotorTorque: 0.02})
	s.Boxes[0].Start.Angular.Z = 4
	w = sim.New(s, 60)
	stopped := 0
	for range 1200 {
		w.Step()
		if stopped == 0 && w.Bodies()[0].Angular.Z < 1e-3 {
			stopped = int(w.Tick())
		}
	}
	if want := 60 * 4 * i / 0.02; geom.Abs(float32(stopped)-want) > 2 {
		t.Errorf("stopped in tick %d, want %v", stopped, want)
	}
	if !w.Bodies()[0].Asleep {
		t.Error("a body with a brake does not sleep")
	}
}

// TestJointLimits checks that a hinge stops at its limits, driven by a motor, and a ball joint at
// its cone, in every direction.
func TestJointLimits(t *testing.T) {
	for _, speed := range []float32{-5, 5} {
		s := motorScene(sim.Joint{MotorSpeed: speed, MaxMotorTorque: 1, LowerAngle: -0.5, UpperAngle: 1.25})
		s.NoSleep = true
		w := sim.New(s, 60)
		var excess float32
		for range 600 {
			w.Step()
			r := w.Bodies()[0].Pose.Rot
			turn := 2 * geom.Atan2(r.Z, r.W)
			excess = max(excess, turn-1.25, -0.5-turn)
			if w.Tick() > 120 && geom.Abs(turn-1.25) > 0.001 && geom.Abs(turn+0.5) > 0.001 {
				t.Fatalf("speed %v: angle %v rad in tick %d", speed, turn, w.Tick())
			}
		}
		if excess > 0.002 {
			t.Errorf("speed %v: %v rad beyond the limit", speed, excess)
		}
	}
	for i := range 8 {
		side := geom.AxisAngle(geom.Vec3{Z: 1}, float32(i)*geom.Pi/4)
		b := boxAt(0, 0, 5.5, 0.1, 1)
		b.Half.Z = 0.5
		b.Start.Linear = side.Rotate(geom.Vec3{X: 0.3})
		s := boxScene(b)
		s.Joints = []sim.Joint{{A: sim.WorldBody, Anchor: geom.Vec3{Z: 5}, Axis: geom.Vec3{Z: 1}, ConeAngle: 0.75}}
		w := sim.New(s, 60)
		var excess float32
		for range 600 {
			w.Step()
			up := w.Bodies()[0].Pose.Rot.Rotate(geom.Vec3{Z: 1})
			excess = max(excess, geom.Atan2(up.Cross(geom.Vec3{Z: 1}).Len(), up.Z))
		}
		if geom.Abs(excess-0.75) > 0.01 {
			t.Errorf("direction %d: an angle of %v rad, want 0.75", i, excess)
		}
		if !w.Bodies()[0].Asleep {
			t.Errorf("direction %d: the rod does not come to rest", i)
		}
	}
}

// TestJointedBodiesSleepTogether checks that a chain falls asleep and wakes as a whole, and that
// waking does not move it.
func TestJointedBodiesSleepTogether(t *testing.T) {
	w := sim.New(chainScene(6, 0, false), 60)
	for i := 0; awakeCount(w) > 0; i++ {
		if n := awakeCount(w); n != 6 {
			t.Fatalf("%d of 6 bodies are awake", n)
		}
		if i > 6000 {
			t.Fatal("the chain never sleeps")
		}
		w.Step()
	}
	b := w.Bodies()[5]
	b.Asleep = false
	w.SetBody(5, b)
	w.Step()
	if n := awakeCount(w); n != 6 {
		t.Errorf("%d of 6 bodies woke", n)
	}
	for range 20 {
		w.Step()
		for i := range w.Bodies() {
			if v := w.Bodies()[i].Linear.Len(); v > sim.SleepLinearSpeed { // it may have fallen asleep slightly off its rest
				t.Fatalf("body %d moves at %v m/s after waking", i, v)
			}
		}
	}
}

// TestJointsRecover checks that joints recover, without flinging bodies away, after a correction
// has moved one of their bodies.
func TestJointsRecover(t *testing.T) {
	t.Parallel()
	recovery := 1200
	if experiment.Brief() {
		recovery = 600
	}
	for _, by := range []geom.Vec3{{Y: 0.05}, {Y: 0.5}, {X: -1, Y: 1, Z: 1}} {
		s := chainScene(6, 0, true)
		s.NoSleep, s.MinSubsteps = true, 8
		w := sim.New(s, 60)
		for range recovery {
			w.Step()
		}
		b := w.Bodies()[3]
		b.Pose.Pos = b.Pose.Pos.Add(by)
		w.SetBody(3, b)
		fastest := float32(0)
		for range recovery {
			w.Step()
			for i := range w.Bodies() {
				fastest = max(fastest, w.Bodies()[i].Linear.Len())
			}
		}
		if fastest > 10 {
			t.Errorf("moved by %v: a body reached %v m/s", by, fastest)
		}
		if g := maxJointSeparation(w); g > 0.001 {
			t.Errorf("moved by %v: a separation of %v m remains", by, g)
		}
	}
}

// TestJointsStayFinite steps a chain that a random player has whipped: its fastest rod rotates at 48 rad/s.
// The second-order term of the joints fed that rotation until a body left at 90,000 km/s in one tick.
func TestJointsStayFinite(t *testing.T) {
	whipped := []sim.Body{
		{Pose: geom.Pose{Pos: geom.Vec3{X: 52.672737, Y: 94.77238, Z: 1.2367569}, Rot: geom.Quat{X: 0.011235153, Y: 0.15916765, Z: 0.26341558, W: 0.95139456}},
			Linear: geom.Vec3{X: 3.8705738, Y: -2.1066272, Z: 45.32974}, Angular: geom.Vec3{X: 1.8683368, Y: 4.425136, Z: 1.5709482}},
		{Pose: geom.Pose{Pos: geom.Vec3{X: 51.971954, Y: 94.62557, Z: 0.8904562}, Rot: geom.Quat{X: -0.71441233, Y: 0.43181652, Z: 0.2805938, W: 0.47372627}},
			Linear: geom.Vec3{X: 17.277164, Y: -3.956322, Z: 18.765852}, Angular: geom.Vec3{X: -22.4997, Y: -42.28461, Z: -7.814283}},
		{Pose: geom.Pose{Pos: geom.Vec3{X: 50.94892, Y: 94.26307, Z: 0.646652}, Rot: geom.Quat{X: -0.31687662, Y: 0.3012313, Z: 0.81750184, W: 0.37488624}},
			Linear: geom.Vec3{X: 21.329418, Y: 3.711774, Z: -16.311638}, Angular: geom.Vec3{X: -10.868389, Y: -34.08586, Z: -27.617945}},
		{Pose: geom.Pose{Pos: geom.Vec3{X: 50.34088, Y: 93.89034, Z: 0.5174001}, Rot: geom.Quat{X: 0.60100245, Y: -0.0675252, Z: -0.5795289, W: -0.5462442}},
			Linear: geom.Vec3{X: 10.545765, Y: 1.4488811, Z: -14.902428}, Angular: geom.Vec3{X: -45.489162, Y: 9.834873, Z: 6.0449276}},
		{Pose: geom.Pose{Pos: geom.Vec3{X: 49.66841, Y: 93.72116, Z: 0.3910822}, Rot: geom.Quat{X: 0.019745907, Y: -0.20066927, Z: -0.7174231, W: -0.6668179}},
			Linear: geom.Vec3{X: 8.529983, Y: -6.0148025, Z: -6.9577017}, Angular: geom.Vec3{X: -12.246902, Y: -5.6012473, Z: -9.07837}},
		{Pose: geom.Pose{Pos: geom.Vec3{X: 48.884403, Y: 93.67079, Z: 0.49158835}, Rot: geom.Quat{X: -0.4732361, Y: 0.42477432, Z: 0.5690622, W: 0.52132773}},
			Linear: geom.Vec3{X: 7.910106, Y: -2.1301055, Z: -7.5145097}, Angular: geom.Vec3{X: 8.825517, Y: 4.4908323, Z: 2.3500037}},
		{Pose: geom.Pose{Pos: geom.Vec3{X: 48.14419, Y: 93.75544, Z: 0.6544101}, Rot: geom.Quat{X: 0.5787457, Y: -0.77848315, Z: -0.10522197, W: 0.21896493}},
			Linear: geom.Vec3{X: 8.5997095, Y: -3.3488276, Z: -4.565227}, Angular: geom.Vec3{X: 11.712753, Y: 0.1655488, Z: -4.7820573}},
		{Pose: geom.Pose{Pos: geom.Vec3{X: 47.64574, Y: 93.69462, Z: 1.1403408}, Rot: geom.Quat{X: -0.7867113, Y: 0.3927723, Z: 0.33323553, W: -0.34024915}},
			Linear: geom.Vec3{X: 12.380477, Y: -5.7172174, Z: -2.6951017}, Angular: geom.Vec3{X: 0.9391656, Y: 3.473631, Z: 11.175228}},
		{Pose: geom.Pose{Pos: geom.Vec3{X: 47.685143, Y: 93.37514, Z: 1.7807381}, Rot: geom.Quat{X: -0.40501282, Y: 0.27842197, Z: 0.7112294, W: -0.5025919}},
			Linear: geom.Vec3{X: 17.867937, Y: -7.2127934, Z: -3.5065465}, Angular: geom.Vec3{X: 1.8755494, Y: 4.737378, Z: 5.9015503}},
	}
	w := newWorld(t, "train")
	for i := range whipped {
		w.SetBody(i, whipped[i])
	}
	for tick := range 60 {
		w.Step(sim.Input{Buttons: 253, Heading: 214})
		for i := range w.Bodies() {
			b := &w.Bodies()[i]
			if !b.Pose.Pos.IsFinite() || b.Linear.Len() > 3*w.Scene().MaxLinearSpeed {
				t.Fatalf("tick %d: body %d moves at %v", tick, i, b.Linear)
			}
		}
	}
}

// TestFilterGroups checks that boxes of one group pass through each other only.
func TestFilterGroups(t *testing.T) {
	drop := func(a, b int) float32 {
		low, high := boxAt(0, 0, 0.2, 0.2, 1), boxAt(0, 0, 1, 0.2, 1)
		low.FilterGroup, high.FilterGroup = a, b
		w := sim.New(boxScene(low, high), 60)
		for range 120 {
			w.Step()
		}
		return w.Bodies()[1].Pose.Pos.Z
	}
	for _, c := range []struct {
		a, b int
		z    float32
	}{{0, 0, 0.6}, {1, 0, 0.6}, {1, 2, 0.6}, {1, 1, 0.2}} {
		if z := drop(c.a, c.b); geom.Abs(z-c.z) > 0.01 {
			t.Errorf("groups %d and %d: height %v m, want %v", c.a, c.b, z, c.z)
		}
	}
}

// TestJointState checks that a State contains all of the joints: a step after Load equals the step
// that followed the Save, in this world and in another one, and a copy continues equally.
func TestJointState(t *testing.T) {
	s := chainScene(5, 2, true)
	s.Joints[1].LowerAngle, s.Joints[1].UpperAngle = -0.5, 0.5
	s.Joints[2].MotorSpeed, s.Joints[2].MaxMotorTorque = 3, 0.1
	s.Joints[3].Hinge, s.Joints[3].ConeAngle = false, 0.3
	w, copied := checkSync(t, s, 300, noInputs), sim.New(s, 60)
	copied.CopyFrom(w)
	for range 60 {
		w.Step()
		copied.Step()
	}
	b0, c0 := w.Hash()
	if b, c := copied.Hash(); b != b0 || c != c0 {
		t.Error("the copy diverges")
	}
	var at sim.State
	w.Save(&at)
	w.DropCache()
	if _, c := w.Hash(); c == c0 {
		t.Error("DropCache keeps joint impulses")
	}
	if n := testing.AllocsPerRun(30, func() { w.Save(&at); w.Load(&at); w.Step() }); n != 0 {
		t.Errorf("%v allocations per tick", n)
	}
}
