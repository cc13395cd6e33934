package geom

import (
	"math"
	"testing"
)

// TestTrigonometry compares the polynomials with package math. Its results differ between machines
// in the last bit, which a test may tolerate.
func TestTrigonometry(t *testing.T) {
	worst := map[string]float64{}
	note := func(name string, got float32, want float64) {
		worst[name] = max(worst[name], math.Abs(float64(got)-want))
	}
	for i := -200000; i <= 200000; i++ {
		x := float32(i) * 0.001
		note("sin", Sin(x), math.Sin(float64(x)))
		note("cos", Cos(x), math.Cos(float64(x)))
	}
	for i := range 720 {
		a := float64(i-360) * math.Pi / 360
		for _, r := range []float64{1e-6, 1, 1e6} {
			x, y := float32(r*math.Cos(a)), float32(r*math.Sin(a))
			note("atan2", Atan2(y, x), math.Atan2(float64(y), float64(x)))
		}
	}
	for name, e := range worst {
		if e > 2.5e-7 {
			t.Errorf("%s: an error of %g", name, e)
		}
	}
	if Atan2(0, 0) != 0 || Atan2(0, -1) != Pi || Atan2(1, 0) != HalfPi || Atan2(-1, 0) != -HalfPi {
		t.Error("Atan2 on the axes")
	}
	if Sin(float32(math.NaN())) != 0 || Cos(1e30) != 0 {
		t.Error("Sin of NaN or Cos of a huge angle is not 0")
	}
}

// TestScaleAngle checks the angle of a share of a rotation, and that q and -q give the same.
func TestScaleAngle(t *testing.T) {
	axis := Vec3{1, 2, 3}.Unit()
	for _, angle := range []float32{0.0001, 0.3, 1.5, 3.1} {
		q := AxisAngle(axis, angle)
		for _, share := range []float32{0, 0.1, 0.5, 0.9, 1} {
			for _, r := range []Quat{q.ScaleAngle(share), q.Neg().ScaleAngle(share)} {
				if got, want := r.Angle(), angle*share; Abs(got-want) > 3e-6 {
					t.Errorf("%g of a rotation by %g is a rotation by %g, want %g", share, angle, got, want)
				}
			}
		}
	}
	if Identity.ScaleAngle(0.5) != Identity {
		t.Error("a share of Identity is not Identity")
	}
}

// TestRotations checks that quaternion, matrix and tensor rotate a vector equally, and that the
// matrix is orthonormal.
func TestRotations(t *testing.T) {
	a, b := AxisAngle(Vec3{0, 0, 1}, 0.7), AxisAngle(Vec3{1, 1, 0}.Unit(), -1.2)
	v := Vec3{0.3, -2, 5}
	near := func(what string, x, y Vec3) {
		t.Helper()
		if x.Sub(y).Len() > 1e-5 {
			t.Errorf("%s: %v, want %v", what, x, y)
		}
	}
	near("product", a.Mul(b).Rotate(v), a.Rotate(b.Rotate(v)))
	near("inverse", a.Inverse().Rotate(a.Rotate(v)), v)
	m := a.Mul(b).Mat()
	near("matrix", m.Mul(v), a.Mul(b).Rotate(v))
	near("transpose", m.MulT(m.Mul(v)), v)
	near("quarter turn", AxisAngle(Vec3{0, 0, 1}, HalfPi).Rotate(Vec3{1, 0, 0}), Vec3{0, 1, 0})
	near("half way", Slerp(Identity, a, 0.5).Rotate(v), AxisAngle(Vec3{0, 0, 1}, 0.35).Rotate(v))
	s := RotatedDiagonal(&m, Vec3{1, 2, 3})
	l := m.MulT(v)
	near("tensor", s.Mul(v), m.Mul(Vec3{l.X, 2 * l.Y, 3 * l.Z}))
}

// TestPerpendicular checks length and direction of the vector, for directions all around the
// sphere.
func TestPerpendicular(t *testing.T) {
	for i := range 1000 {
		a := Vec3{Sin(float32(i)), Cos(float32(i) * 1.7), Sin(float32(i) * 2.3)}.Unit()
		p := a.Perpendicular()
		if Abs(p.Dot(a)) > 1e-6 || Abs(p.Len()-1) > 1e-6 {
			t.Fatalf("%v is not perpendicular to %v", p, a)
		}
	}
}

func TestIsFinite(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, x := range []float32{inf, -inf, nan} {
		if IsFinite(x) || (Vec3{0, x, 0}).IsFinite() || (Quat{W: x}).IsFinite() {
			t.Errorf("%v counts as finite", x)
		}
	}
	if !IsFinite(0) || !IsFinite(math.MaxFloat32) || !IsFinite(1e-45) {
		t.Error("a finite number does not count as finite")
	}
}

// TestSymMat3 checks that a symmetric matrix times its inverse changes no vector, and that the matrix
// of a rotated diagonal scales along the rotated axes.
func TestSymMat3(t *testing.T) {
	m := SymMat3{XX: 4, XY: -1, XZ: 0.5, YY: 3, YZ: 0.25, ZZ: 5}
	inverse := m.Inverse()
	for _, v := range []Vec3{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.3, -2, 5}} {
		if got := inverse.Mul(m.Mul(v)); got.Sub(v).Len() > 1e-5 {
			t.Errorf("%v becomes %v", v, got)
		}
	}
	q := AxisAngle(Vec3{1, 2, 3}.Unit(), 0.8)
	axes := q.Mat()
	d := RotatedDiagonal(&axes, Vec3{2, 3, 7})
	for i, axis := range []Vec3{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}} {
		along := q.Rotate(axis)
		if got, want := d.Mul(along), along.Scale([]float32{2, 3, 7}[i]); got.Sub(want).Len() > 1e-5 {
			t.Errorf("axis %d becomes %v, want %v", i, got, want)
		}
	}
}
