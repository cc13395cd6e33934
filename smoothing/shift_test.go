package smoothing

import (
	"math"
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// published are the tolerances of Space Engineers' published source.
var published = Tolerances{Position: 0.05, Rotation: 2, Linear: 0.01, Angular: 0.01}

// TestTolerances checks the published scaling: the position tolerance is proportional to the speed, at
// least a tenth; the rotation tolerance to the square of the spin, at least a hundredth; those of the
// velocities are constant; and the pose of a sleeping body has none.
func TestTolerances(t *testing.T) {
	degrees := func(d float64) geom.Quat { return geom.AxisAngle(geom.Vec3{Z: 1}, float32(d*math.Pi/180)) }
	for _, c := range []struct {
		name        string
		speed, spin float32
		off         sim.Body
		found       bool
	}{
		{"4.9 mm, slow", 0.1, 0, sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: 0.0049}}}, false},
		{"5.1 mm, slow", 0.1, 0, sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: 0.0051}}}, true},
		{"24 mm at 5 m/s", 5, 0, sim.Body{Pose: geom.Pose{Pos: geom.Vec3{Y: 0.024}}}, false},
		{"26 mm at 5 m/s", 5, 0, sim.Body{Pose: geom.Pose{Pos: geom.Vec3{Y: 0.026}}}, true},
		{"49 mm at 30 m/s", 30, 0, sim.Body{Pose: geom.Pose{Pos: geom.Vec3{Y: 0.049}}}, false},
		{"51 mm at 30 m/s", 30, 0, sim.Body{Pose: geom.Pose{Pos: geom.Vec3{Y: 0.051}}}, true},
		{"0.019 degrees, slow", 0, 0.01, sim.Body{Pose: geom.Pose{Rot: degrees(0.019)}}, false},
		{"0.022 degrees, slow", 0, 0.01, sim.Body{Pose: geom.Pose{Rot: degrees(0.022)}}, true},
		{"1.9 degrees, fast", 0, 3, sim.Body{Pose: geom.Pose{Rot: degrees(1.9)}}, false},
		{"2.1 degrees, fast", 0, 3, sim.Body{Pose: geom.Pose{Rot: degrees(2.1)}}, true},
		{"0.009 m/s", 1, 1, sim.Body{Linear: geom.Vec3{Z: 0.009}}, false},
		{"0.011 m/s", 1, 1, sim.Body{Linear: geom.Vec3{Z: 0.011}}, true},
		{"0.009 rad/s", 1, 1, sim.Body{Angular: geom.Vec3{Z: 0.009}}, false},
		{"0.011 rad/s", 1, 1, sim.Body{Angular: geom.Vec3{Z: 0.011}}, true},
		{"1 mm at rest", 0, 0, sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: 0.001}}, Asleep: true}, true},
	} {
		server := sim.Body{Pose: geom.Pose{Rot: geom.Identity}, Linear: geom.Vec3{X: c.speed}, Angular: geom.Vec3{Z: c.spin}, Asleep: c.off.Asleep}
		remembered := server
		remembered.Pose.Pos, remembered.Linear, remembered.Angular = c.off.Pose.Pos, remembered.Linear.Add(c.off.Linear), remembered.Angular.Add(c.off.Angular)
		if c.off.Pose.Rot != (geom.Quat{}) {
			remembered.Pose.Rot = c.off.Pose.Rot
		}
		d, found := published.Correction(&server, &remembered, 0.7)
		if found != c.found {
			t.Errorf("%s: found %v", c.name, found)
		}
		if found && d.Pos.Sub(c.off.Pose.Pos.Scale(-0.7)).Len() > 1e-6 {
			t.Errorf("%s: it adds %v", c.name, d.Pos)
		}
		if whole, _ := published.Correction(&server, &remembered, 1); found && !c.off.Asleep {
			whole.ApplyTo(&remembered)
			if _, again := published.Correction(&server, &remembered, 1); again {
				t.Errorf("%s: found again after it was applied", c.name)
			}
		}
	}
}

// TestStep checks that a pending correction is applied in smaller and smaller steps whose sum is the
// whole; that 36 % remain after Steps sixtieths of a second, at any tick rate; and that it ends at
// zero.
func TestStep(t *testing.T) {
	g := Gradual{Steps: 20, MaxPosition: 50, Remainder: 0.15, MaxRotation: 180}
	for _, rate := range []int{30, 60, 120} {
		pending := Shift{Pos: geom.Vec3{X: 1}, Rot: geom.AxisAngle(geom.Vec3{Z: 1}, 1), Linear: geom.Vec3{Y: 2}, Angular: geom.Vec3{Z: -1}}
		b := sim.Body{Pose: geom.Pose{Rot: geom.Identity}}
		last := float32(math.Inf(1))
		n := 0
		for ; !pending.IsZero() && n < 10000; n++ {
			part := g.Step(&pending, rate)
			part.ApplyTo(&b)
			if step := part.Pos.Len(); step > last && step > minRemainder {
				t.Errorf("rate %d: a step of %v after one of %v", rate, step, last)
			}
			last = part.Pos.Len()
			if rest := 1 - b.Pose.Pos.X; n+1 == rate/3 && (rest < 0.34 || rest > 0.38) {
				t.Errorf("rate %d: %v m remain after 1/3 s", rate, rest)
			}
		}
		if b.Pose.Pos.Sub(geom.Vec3{X: 1}).Len() > 1e-5 || geom.Abs(b.Pose.Rot.Angle()-1) > 1e-4 || b.Linear.Sub(geom.Vec3{Y: 2}).Len() > 1e-5 || n > 30*rate {
			t.Errorf("rate %d: after %d ticks %+v", rate, n, b)
		}
	}
}

// TestLargeAtOnce checks that a correction above a limit is applied at once, its position except for
// the remainder.
func TestLargeAtOnce(t *testing.T) {
	g := Gradual{Steps: 20, MaxPosition: 2, Remainder: 0.15, MaxRotation: 30}
	small := Shift{Pos: geom.Vec3{X: 1.5}, Rot: geom.AxisAngle(geom.Vec3{Z: 1}, 0.5)}
	if part := g.Step(&small, 60); part.Pos.Len() > 0.08 || part.Rot.Angle() > 0.03 {
		t.Errorf("of 1.5 m and 29 degrees %v m and %v rad at once", part.Pos.Len(), part.Rot.Angle())
	}
	large := Shift{Pos: geom.Vec3{X: 3}, Rot: geom.AxisAngle(geom.Vec3{Z: 1}, 0.6)}
	part := g.Step(&large, 60)
	if geom.Abs(large.Pos.Len()-0.15) > 1e-6 || geom.Abs(part.Pos.Len()-2.85) > 1e-6 {
		t.Errorf("of 3 m %v m remain", large.Pos.Len())
	}
	if large.turns() || geom.Abs(part.Rot.Angle()-0.6) > 1e-5 {
		t.Errorf("of 34 degrees %v rad remain", large.Rot.Angle())
	}
}

// TestShiftAdds checks that the sum of two shifts acts like the two in sequence, that a rotated shift
// moves a rotated body equally, and that the zero value changes nothing.
func TestShiftAdds(t *testing.T) {
	a := Shift{Pos: geom.Vec3{X: 1}, Rot: geom.AxisAngle(geom.Vec3{Z: 1}, 0.5), Linear: geom.Vec3{Y: 1}}
	b := Shift{Pos: geom.Vec3{Z: 2}, Rot: geom.AxisAngle(geom.Vec3{X: 1}, -0.8), Angular: geom.Vec3{X: 3}}
	start := sim.Body{Pose: pose(1, 2, 3, 0.4), Linear: geom.Vec3{X: 1}}
	one, both := start, a
	a.ApplyTo(&one)
	b.ApplyTo(&one)
	both.Add(&b)
	other := start
	both.ApplyTo(&other)
	if other.Pose.Pos.Sub(one.Pose.Pos).Len() > 1e-6 || other.Pose.Rot.Mul(one.Pose.Rot.Inverse()).Angle() > 1e-3 ||
		other.Linear != one.Linear || other.Angular != one.Angular {
		t.Errorf("the sum gives %+v, the sequence %+v", other, one)
	}
	turn := geom.AxisAngle(geom.Vec3{Y: 1}, 1.1)
	rotated := a.Rotated(turn)
	if got, want := rotated.Pos, turn.Rotate(a.Pos); got != want {
		t.Errorf("rotated it moves by %v, want %v", got, want)
	}
	if got, want := rotated.Rot.Rotate(turn.Rotate(geom.Vec3{X: 1})), turn.Rotate(a.Rot.Rotate(geom.Vec3{X: 1})); got.Sub(want).Len() > 1e-5 {
		t.Errorf("rotated it turns to %v, want %v", got, want)
	}
	var none Shift
	same := start
	none.ApplyTo(&same)
	if same != start || !none.IsZero() || a.IsZero() {
		t.Error("the zero value changes something")
	}
}
