package smoothing

import (
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// swing returns a body after some seconds on a circle of 1 m radius at 3 rad/s, which turns with it.
func swing(seconds float32) sim.Body {
	spin := geom.Vec3{Z: 3}
	turn := geom.AxisAngle(geom.Vec3{Z: 1}, spin.Z*seconds)
	p := turn.Rotate(geom.Vec3{X: 1})
	return sim.Body{Pose: geom.Pose{Pos: p, Rot: turn}, Linear: spin.Cross(p), Angular: spin}
}

// TestInterpolationMeetsItsEnds checks that each interpolation starts at one state and ends at the
// other, and that equal poses are returned bit for bit.
func TestInterpolationMeetsItsEnds(t *testing.T) {
	a, b := swing(0), swing(0.1)
	interpolations := map[string]func(a, b *sim.Body, share float32) geom.Pose{
		"linear":  func(a, b *sim.Body, share float32) geom.Pose { return LerpPose(a.Pose, b.Pose, share) },
		"body":    func(a, b *sim.Body, share float32) geom.Pose { return LerpBody(a, b, share).Pose },
		"hermite": func(a, b *sim.Body, share float32) geom.Pose { return HermitePose(a, b, 0.1, share) },
	}
	for name, interpolate := range interpolations {
		for share, want := range map[float32]geom.Pose{0: a.Pose, 1: b.Pose} {
			got := interpolate(&a, &b, share)
			if got.Pos.Sub(want.Pos).Len() > 1e-6 || got.Rot.Mul(want.Rot.Inverse()).Angle() > 1e-3 {
				t.Errorf("%s at %v: %v, want %v", name, share, got, want)
			}
		}
	}
	rest := sim.Body{Pose: pose(1.1, -2.3, 0.2, 0.7), Linear: geom.Vec3{X: 1}, Angular: geom.Vec3{Y: 2}}
	if got := HermitePose(&rest, &rest, 0.1, 0.3); got != rest.Pose {
		t.Errorf("a curve between equal poses gives %v, want %v", got, rest.Pose)
	}
	if got := LerpRotation(rest.Pose.Rot, rest.Pose.Rot, 0.3); got != rest.Pose.Rot {
		t.Errorf("between equal rotations: %v, want %v", got, rest.Pose.Rot)
	}
}

// TestHermitePoseFollowsArc checks that the curve over 0.1 s of a circular motion stays within 0.1 mm of
// the circle, from which the line deviates by a centimetre.
func TestHermitePoseFollowsArc(t *testing.T) {
	a, b := swing(0), swing(0.1)
	for i := range 17 {
		share := float32(i) / 16
		p, want := HermitePose(&a, &b, 0.1, share), swing(0.1*share)
		if d := p.Pos.Sub(want.Pose.Pos).Len(); d > 1e-4 {
			t.Errorf("at %v: %v m off the circle", share, d)
		}
		if d := p.Rot.Mul(want.Pose.Rot.Inverse()).Angle(); d > 1e-3 {
			t.Errorf("at %v: %v rad off", share, d)
		}
	}
	if d := 1 - LerpPose(a.Pose, b.Pose, 0.5).Pos.Len(); d < 0.01 {
		t.Errorf("the line deviates from the circle by %v m", d)
	}
}

// TestExtrapolate checks the motion at constant velocities.
func TestExtrapolate(t *testing.T) {
	b := swing(0)
	p := Extrapolate(b.Pose, b.Linear, b.Angular, 0.5)
	if want := (geom.Vec3{X: 1, Y: 1.5}); p.Pos.Sub(want).Len() > 1e-6 {
		t.Errorf("position %v, want %v", p.Pos, want)
	}
	if d := p.Rot.Angle() - 1.5; geom.Abs(d) > 1e-5 {
		t.Errorf("rotation by %v rad, want 1.5", p.Rot.Angle())
	}
}

// TestSmoothstep checks both ends, the middle, and the slopes at the ends.
func TestSmoothstep(t *testing.T) {
	for s, want := range map[float32]float32{0: 0, 0.5: 0.5, 1: 1} {
		if got := Smoothstep(s); got != want {
			t.Errorf("%v gives %v, want %v", s, got, want)
		}
	}
	if Smoothstep(0.1) > 0.03 || Smoothstep(0.9) < 0.97 {
		t.Error("its slope at an end is too large")
	}
}
