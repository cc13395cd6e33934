package delta

import (
	"math"
	"testing"

	"ghostcube/sim/geom"
)

// TestRotationVector checks that quatFromVector inverts rotationVector, and that angles
// beyond the limit and NaN become the identity.
func TestRotationVector(t *testing.T) {
	for _, angle := range []float32{0, 0.001, 0.1, -0.5, 1.2} {
		q := geom.AxisAngle(geom.Vec3{X: 0.6, Z: 0.8}, angle)
		back := quatFromVector(rotationVector(q))
		if d := back.Dot(q); d < 1-1e-6 {
			t.Errorf("%v rad: %v, want %v", angle, back, q)
		}
	}
	nan := float32(math.NaN())
	for _, v := range []geom.Vec3{{X: 2}, {Y: nan}, {Z: float32(math.Inf(1))}} {
		if quatFromVector(v) != geom.Identity {
			t.Errorf("%v is not the identity", v)
		}
	}
	if metresToSteps(nan) != 0 || metresToSteps(1e9) != 0 || metresToSteps(-0.5) != -256 || lengthClass(nan, 9) != 9 {
		t.Error("NaN or a length beyond the grid has a size")
	}
}

// TestExtrapolate checks that motion continues at the same speed about the same axis.
func TestExtrapolate(t *testing.T) {
	pose := func(ticks float32) []Cube {
		return []Cube{QuantiseCube(geom.Pose{Pos: geom.Vec3{X: ticks / 32, Y: -ticks / 64, Z: 5}, Rot: geom.AxisAngle(geom.Vec3{Y: 1}, float32(ticks*0.05))}, true)}
	}
	p := baseline{cubes: pose(4), olderCubes: pose(0), age: 6, olderGap: 4}
	f := p.extrapolate(0)
	if want := (geom.Vec3{X: 6. / 32, Y: -6. / 64}); !f.moving || f.translation.Sub(want).Len() > 1e-4 {
		t.Errorf("displacement %v, want %v", f.translation, want)
	}
	if f.rotation.Sub(geom.Vec3{Y: 0.3}).Len() > 0.01 {
		t.Errorf("rotation %v", f.rotation)
	}
	p.olderCubes = p.cubes
	if f := p.extrapolate(0); f.moving || f.translation != (geom.Vec3{}) {
		t.Errorf("a resting cube moves by %v", f.translation)
	}
}

// TestLeastSquares checks that a fit recovers the translation, the rotation and the
// coefficients from motions generated with them.
func TestLeastSquares(t *testing.T) {
	var f leastSquares
	for i := range unknownCount {
		f.addPrior(i, 0, 1e-9)
	}
	translation, rotation := geom.Vec3{X: 0.1, Y: -0.2, Z: 0.3}, geom.Vec3{X: 0.01, Y: 0.02, Z: -0.03}
	vector := func(i int) geom.Vec3 {
		a := float32(i)
		return geom.Vec3{X: geom.Sin(a), Y: geom.Cos(2 * a), Z: geom.Sin(3 * a)}
	}
	const coefficient = 0.75
	for i := range 20 {
		d := vector(3 * i)
		e := translationEquations{arm: d, terms: [...]geom.Vec3{vector(i), vector(7 * i), vector(5 * i)}}
		f.addTranslation(&e, translation.Add(rotation.Cross(d)).AddScaled(coefficient, vector(7*i)))
		r := rotationEquations{vector(11 * i), vector(2 * i)}
		f.addRotation(&r, rotation.AddScaled(-coefficient, vector(2*i)), 0.5)
	}
	f.solve()
	const most = 1e-5
	off := max(f.translation.Sub(translation).Len(), f.rotation.Sub(rotation).Len())
	for i, want := range [...]float32{0, coefficient, 0, 0, -coefficient} {
		off = max(off, geom.Abs(f.coefficients[i]-want))
	}
	if off > most {
		t.Errorf("%+v, off by %v", f.motionFit, off)
	}
}

// TestBallMotion checks that the first cubes coded improve the prediction of the
// others. In a ball that is pushed and turned unexpectedly, cubes after the tenth are
// predicted to within 10 steps, 2 cm; their own motion alone is off by up to 79.
func TestBallMotion(t *testing.T) {
	pose := func(i int, push, angle float32) geom.Pose {
		a := float32(i) * 2.4
		arm := geom.Vec3{X: geom.Cos(a), Y: geom.Sin(a), Z: float32(i%5)*0.3 - 0.6}.Scale(float32(min(i, 1)))
		q := geom.AxisAngle(geom.Vec3{Y: 1}, angle)
		return geom.Pose{Pos: geom.Vec3{X: push, Z: 3}.Add(q.Rotate(arm)), Rot: q.Mul(geom.AxisAngle(geom.Vec3{X: 1}, a))}
	}
	snapshot := func(push, angle float32) (list []Cube) {
		for i := range 40 {
			list = append(list, QuantiseCube(pose(i, push, angle), true))
		}
		return list
	}
	p := baseline{olderCubes: snapshot(0, 0), cubes: snapshot(0.1, 0.06), olderGap: 6, age: 6}
	now := snapshot(0.27, 0.22)
	var s ballMotion
	s.begin(p.cubes[0].Position(), &[unknownCount - sharedCount]float32{})
	for i := range p.cubes {
		f := p.extrapolate(i)
		s.addMotion(&f)
	}
	s.motion.solve()
	fitted, extrapolated := float32(0), float32(0)
	for i := range now {
		f := p.extrapolate(i)
		m := s.member(&f, &residual{})
		residual := now[i].Position().Sub(f.basePos).Sub(f.translation)
		if i >= 10 {
			fitted = max(fitted, residual.Sub(s.residual.displacement(&m.translation)).Len())
			extrapolated = max(extrapolated, residual.Len())
		}
		s.residual.addTranslation(&m.translation, residual)
		s.residual.refresh()
	}
	if fitted*StepsPerMetre > 10 || extrapolated*StepsPerMetre < 75 {
		t.Errorf("fitted: off by %.1f steps, extrapolated: %.1f", fitted*StepsPerMetre, extrapolated*StepsPerMetre)
	}
}
