package delta

import (
	"math"
	"testing"

	"ghostcube/sim/geom"
)

// TestRotationVector says that axis and angle give back the rotation that they were made
// of, and that a turn beyond what is forecast, or none at all, is none.
func TestRotationVector(t *testing.T) {
	for _, angle := range []float32{0, 0.001, 0.1, -0.5, 1.2} {
		q := geom.AxisAngle(geom.Vec3{X: 0.6, Z: 0.8}, angle)
		back := quatFromVector(rotationVector(q))
		if d := back.Dot(q); d < 1-1e-6 {
			t.Errorf("%v rad come back as %v, not %v", angle, back, q)
		}
	}
	nan := float32(math.NaN())
	for _, v := range []geom.Vec3{{X: 2}, {Y: nan}, {Z: float32(math.Inf(1))}} {
		if quatFromVector(v) != geom.Identity {
			t.Errorf("%v turns", v)
		}
	}
	if metresToSteps(nan) != 0 || metresToSteps(1e9) != 0 || metresToSteps(-0.5) != -256 || lengthClass(nan, 9) != 9 {
		t.Error("what is no number is one")
	}
}

// TestExtrapolate says that a motion goes on: as far again for each tick, and about the
// same axis.
func TestExtrapolate(t *testing.T) {
	pose := func(ticks float32) []Cube {
		return []Cube{QuantiseCube(geom.Pose{Pos: geom.Vec3{X: ticks / 32, Y: -ticks / 64, Z: 5}, Rot: geom.AxisAngle(geom.Vec3{Y: 1}, float32(ticks*0.05))}, true)}
	}
	p := baseline{cubes: pose(4), olderCubes: pose(0), age: 6, olderGap: 4}
	f := p.extrapolate(0)
	if want := (geom.Vec3{X: 6. / 32, Y: -6. / 64}); !f.moving || f.translation.Sub(want).Len() > 1e-4 {
		t.Errorf("the way is %v, want %v", f.translation, want)
	}
	if f.rotation.Sub(geom.Vec3{Y: 0.3}).Len() > 0.01 {
		t.Errorf("the turn is %v", f.rotation)
	}
	p.olderCubes = p.cubes
	if f := p.extrapolate(0); f.moving || f.translation != (geom.Vec3{}) {
		t.Errorf("what stands goes %v", f.translation)
	}
}

// TestLeastSquares says that a fit finds the push, the turn and the coefficients of
// motions that were made of them.
func TestLeastSquares(t *testing.T) {
	var f leastSquares
	for i := range unknownCount {
		f.addPrior(i, 0, 1e-9)
	}
	push, turn := geom.Vec3{X: 0.1, Y: -0.2, Z: 0.3}, geom.Vec3{X: 0.01, Y: 0.02, Z: -0.03}
	part := func(i int) geom.Vec3 {
		a := float32(i)
		return geom.Vec3{X: geom.Sin(a), Y: geom.Cos(2 * a), Z: geom.Sin(3 * a)}
	}
	const share = 0.75
	for i := range 20 {
		d := part(3 * i)
		r := translationEquations(d, part(i), part(7*i))
		f.add(r, push.Add(turn.Cross(d)).AddScaled(share, part(7*i)), 1)
	}
	gotPush, gotTurn := f.sharedMotion()
	if gotPush.Sub(push).Len() > 1e-5 || gotTurn.Sub(turn).Len() > 1e-5 || math.Abs(f.solution[sharedCount+1]-share) > 1e-5 || math.Abs(f.solution[sharedCount]) > 1e-5 {
		t.Errorf("push %v, turn %v, coefficients %v", gotPush, gotTurn, f.solution[sharedCount:])
	}
}

// TestBallMotion says that the first cubes of a ball pay for the rest: where a ball is
// pushed and turned as nothing foretold, the cubes after the tenth are expected
// to within 10 steps of where they are, 2 cm, and by their own motion alone to
// 79.
func TestBallMotion(t *testing.T) {
	place := func(i int, push, angle float32) geom.Pose {
		a := float32(i) * 2.4
		arm := geom.Vec3{X: geom.Cos(a), Y: geom.Sin(a), Z: float32(i%5)*0.3 - 0.6}.Scale(float32(min(i, 1)))
		q := geom.AxisAngle(geom.Vec3{Y: 1}, angle)
		return geom.Pose{Pos: geom.Vec3{X: push, Z: 3}.Add(q.Rotate(arm)), Rot: q.Mul(geom.AxisAngle(geom.Vec3{X: 1}, a))}
	}
	all := func(push, angle float32) (list []Cube) {
		for i := range 40 {
			list = append(list, QuantiseCube(place(i, push, angle), true))
		}
		return list
	}
	p := baseline{olderCubes: all(0, 0), cubes: all(0.1, 0.06), olderGap: 6, age: 6}
	now := all(0.27, 0.22)
	var s ballMotion
	var kept [unknownCount]float64
	s.fitBaseline(&p, &kept)
	worst, alone := float32(0), float32(0)
	for i := range now {
		f := p.extrapolate(i)
		m := s.member(&f, &residual{})
		miss := now[i].Position().Sub(f.basePos).Sub(f.translation)
		if i >= 10 {
			worst = max(worst, miss.Sub(s.residual.evaluate(m.translation)).Len())
			alone = max(alone, miss.Len())
		}
		s.residual.add(m.translation, miss, 1)
	}
	if worst*StepsPerMetre > 10 || alone*StepsPerMetre < 75 {
		t.Errorf("off by %.1f steps, alone %.1f", worst*StepsPerMetre, alone*StepsPerMetre)
	}
}
