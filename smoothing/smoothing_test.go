package smoothing

import (
	"math"
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

func pose(x, y, z, angle float32) geom.Pose {
	return geom.Pose{Pos: geom.Vec3{X: x, Y: y, Z: z}, Rot: geom.AxisAngle(geom.Vec3{X: 1, Y: 2, Z: -1}.Unit(), angle)}
}

// TestAbsorb checks that the drawn body does not move when an offset absorbs a correction, to 1e-6 m
// and 2e-6 rad.
func TestAbsorb(t *testing.T) {
	s := DefaultSettings
	var o ErrorOffset
	for i := range 200 {
		f := float32(i)
		before := pose(f*0.05, 1-f*0.01, 0.75, f*0.3)
		drawn := o.Apply(before)
		after := pose(f*0.05+0.3*geom.Sin(f), 1-f*0.01, 0.75+0.1*geom.Cos(f), f*0.3+0.5*geom.Sin(2*f))
		s.Absorb(&o, drawn, after)
		got := o.Apply(after)
		if d := got.Pos.Sub(drawn.Pos).Len(); d > 1e-6 {
			t.Fatalf("correction %d moves the drawn body by %g m", i, d)
		}
		if a := got.Rot.Mul(drawn.Rot.Inverse()).Angle(); a > 2e-6 {
			t.Fatalf("correction %d turns the drawn body by %g", i, a)
		}
		s.Decay(&o, 60)
	}
}

// TestFactors checks the two factors at both limits and between them.
func TestFactors(t *testing.T) {
	s := DefaultSettings
	for _, c := range []struct{ err, want float32 }{{0, 0.95}, {0.1, 0.95}, {0.25, 0.95}, {0.625, 0.9}, {1, 0.85}, {1.9, 0.85}} {
		if pos, _ := s.Factors(&ErrorOffset{Pos: geom.Vec3{Y: c.err}}); geom.Abs(pos-c.want) > 1e-6 {
			t.Errorf("%v m: %v, want %v", c.err, pos, c.want)
		}
	}
	// 1 - dot of 0.1 and 0.5, both signs of the quaternion.
	for _, c := range []struct{ dot, want float32 }{{1, 0.95}, {0.95, 0.95}, {0.9, 0.95}, {0.7, 0.9}, {0.5, 0.85}, {0.1, 0.85}} {
		q := geom.Quat{X: geom.Sqrt(1 - c.dot*c.dot), W: c.dot}
		for _, q := range []geom.Quat{q, q.Neg()} {
			if _, rot := s.Factors(&ErrorOffset{Rot: q}); geom.Abs(rot-c.want) > 1e-5 {
				t.Errorf("dot %v: %v, want %v", q.W, rot, c.want)
			}
		}
	}
	s.Mode = Single
	if pos, rot := s.Factors(&ErrorOffset{Pos: geom.Vec3{X: 9}}); pos != 0.9 || rot != 0.9 {
		t.Errorf("single: %v %v", pos, rot)
	}
	s.Mode, s.SmallError, s.LargeError = TwoFactor, 1, 0.5 // in the wrong order
	if pos, _ := s.Factors(&ErrorOffset{Pos: geom.Vec3{X: 0.7}}); pos != 0.85 {
		t.Errorf("limits in the wrong order: %v", pos)
	}
}

// TestSnap checks that a correction from SnapDistance on, or without smoothing, is drawn at once.
func TestSnap(t *testing.T) {
	s := DefaultSettings
	o := ErrorOffset{Pos: geom.Vec3{X: 1}}
	s.Absorb(&o, pose(0, 0, 0, 0), pose(50.1, 0, 0, 0))
	if !o.IsZero() {
		t.Error("50.1 m are smoothed")
	}
	s.Absorb(&o, pose(0, 0, 0, 0), pose(49.9, 0, 0, 0))
	if o.IsZero() {
		t.Error("49.9 m are not smoothed")
	}
	s.Mode = None
	s.Absorb(&o, pose(0, 0, 0, 0), pose(0.1, 0, 0, 0))
	if !o.IsZero() {
		t.Error("mode none smooths")
	}
}

// TestFactorPerTick compares the conversion between tick rates with math.Pow, and checks that an offset
// decays equally in half a second at any rate.
func TestFactorPerTick(t *testing.T) {
	for _, rate := range []int{10, 20, 30, 50, 60, 64, 120, 144, 240} {
		for _, keep := range []float32{0, 0.1, 0.5, 0.85, 0.9, 0.95, 0.99, 1} {
			want := math.Pow(float64(keep), 60/float64(rate))
			if got := FactorPerTick(keep, rate); math.Abs(float64(got)-want) > 1e-6 {
				t.Errorf("%v at %d Hz: %v, want %v", keep, rate, got, want)
			}
		}
		s := DefaultSettings
		s.Mode = Single
		o := ErrorOffset{Pos: geom.Vec3{X: 1.5}, Rot: geom.AxisAngle(geom.Vec3{Z: 1}, 1.5)}
		for range rate / 2 {
			s.Decay(&o, rate)
		}
		want := 1.5 * math.Pow(0.9, 30*float64(rate/2*2)/float64(rate))
		if math.Abs(float64(o.Pos.X)-want) > 1e-4 || math.Abs(float64(o.Rot.Angle())-want) > 1e-4 {
			t.Errorf("%d Hz: after half a second %v m and %v rad remain, want %v", rate, o.Pos.X, o.Rot.Angle(), want)
		}
	}
}

// TestDecaysToZero checks that an offset ends at exactly zero.
func TestDecaysToZero(t *testing.T) {
	for _, mode := range []Mode{Single, TwoFactor} {
		s := DefaultSettings
		s.Mode = mode
		o := ErrorOffset{}
		s.Absorb(&o, pose(1, 1, 1, 2), pose(0, 0, 0, 0))
		n := 0
		for ; !o.IsZero() && n < 1000; n++ {
			s.Decay(&o, 60)
		}
		if n == 0 || n > 240 {
			t.Errorf("%s: gone after %d ticks", ModeNames[mode], n)
		}
		p := pose(3, 4, 5, 1)
		if o.Apply(p) != p {
			t.Error("no offset moves the body")
		}
	}
}

// TestSteerReachesTarget checks that a body that is steered at every tick comes to a moving target: in the time
// given the offset falls to a share of 1/e, and its velocities become the target's. With small shares a push lasts.
func TestSteerReachesTarget(t *testing.T) {
	target := sim.Body{Pose: pose(1, 0, 0, 0.5), Linear: geom.Vec3{X: 3}, Angular: geom.Vec3{Z: 1}}
	b := sim.Body{Pose: pose(0, 0, 0, 0)}
	const dt = 1.0 / 240
	for range 48 { // 0.2 s
		b.Linear, b.Angular = Steer(&b, &target, 0.2, 1, 1)
		b.Pose = Extrapolate(b.Pose, b.Linear, b.Angular, dt)
		target.Pose = Extrapolate(target.Pose, target.Linear, target.Angular, dt)
	}
	off, turned := target.Pose.Pos.Sub(b.Pose.Pos).Len(), target.Pose.Rot.Mul(b.Pose.Rot.Inverse()).Angle()
	if geom.Abs(off-0.3679) > 0.01 || geom.Abs(turned-0.5*0.3679) > 0.01 {
		t.Errorf("after 0.2 s %v m and %v rad remain", off, turned)
	}
	pushed := sim.Body{Linear: geom.Vec3{Y: 4}, Angular: geom.Vec3{X: 2}, Pose: geom.Pose{Rot: geom.Identity}}
	still := sim.Body{Pose: pushed.Pose}
	if linear, angular := Steer(&pushed, &still, 0.2, 0.25, 0.5); linear.Y != 3 || angular.X != 1 {
		t.Errorf("of a push %v and %v remain", linear, angular)
	}
}

// TestOffsetsShrinkEvenly checks that a large offset shrinks at the highest speed, at any tick rate, and a turned
// one by half a turn a second; and that a small one does so as by its factor.
func TestOffsetsShrinkEvenly(t *testing.T) {
	s := DefaultSettings
	for _, rate := range []int{30, 60, 120} {
		o := ErrorOffset{Pos: geom.Vec3{X: 5}, Rot: geom.AxisAngle(geom.Vec3{Z: 1}, 3)}
		for range rate / 2 {
			before := o
			s.Decay(&o, rate)
			if step := before.Pos.X - o.Pos.X; step > float32(s.MaxSpeed)/float32(rate)+1e-5 {
				t.Fatalf("%d Hz: a step of %v m", rate, step)
			}
			if turn := before.Rot.Angle() - o.Rot.Angle(); turn > geom.TwoPi/2/float32(rate)+1e-3 {
				t.Fatalf("%d Hz: a turn of %v", rate, turn)
			}
		}
		if d := o.Pos.X - 2; d < -0.01 || d > 0.01 {
			t.Errorf("%d Hz: half a second leaves %v m of 5, want 2", rate, o.Pos.X)
		}
	}
	o, free := ErrorOffset{Pos: geom.Vec3{X: 0.5}}, ErrorOffset{Pos: geom.Vec3{X: 0.5}}
	s.Decay(&o, 60)
	s.MaxSpeed = 0
	if s.Decay(&free, 60); o != free {
		t.Errorf("an offset of half a metre shrinks to %v, by its factor to %v", o.Pos.X, free.Pos.X)
	}
}

// TestOffsetsStayBounded checks that corrections that move a body on by 20 m/s, all in the same direction, leave it drawn 20 m
// behind, and not further away with each second; and that such an offset loses no more than a 60th of itself in a tick.
func TestOffsetsStayBounded(t *testing.T) {
	s := DefaultSettings
	for _, rate := range []int{30, 60, 120} {
		o := ErrorOffset{}
		for range 20 * rate {
			s.Absorb(&o, o.Apply(pose(0, 0, 0, 0)), pose(20/float32(rate), 0, 0, 0))
			s.Decay(&o, rate)
		}
		if d := o.Pos.Len(); d < 18 || d > 21 {
			t.Errorf("%d Hz: it is drawn %v m behind", rate, d)
		}
		before := o.Pos.Len()
		if s.Decay(&o, rate); before-o.Pos.Len() > before/float32(rate)+1e-3 {
			t.Errorf("%d Hz: an offset of %v m falls to %v in a tick", rate, before, o.Pos.Len())
		}
	}
}
