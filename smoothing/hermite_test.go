package smoothing

import (
	"testing"

	"ghostcube/sim/geom"
)

// TestHermite says that the curve is the cubic with those ends and tangents:
// of a known cubic it gives every point, a constant velocity it keeps, and what
// stands still at both ends it does not move by a bit.
func TestHermite(t *testing.T) {
	at := func(c [4]float32, x float32) float32 { return c[0] + x*(c[1]+x*(c[2]+x*c[3])) }
	slope := func(c [4]float32, x float32) float32 { return c[1] + x*(2*c[2]+x*3*c[3]) }
	cubic := [3][4]float32{{1, -2, 3, 0.5}, {-4, 0.25, -1, 2}, {0.75, 5, 0, -3}}
	point := func(f func([4]float32, float32) float32, x float32) geom.Vec3 {
		return geom.Vec3{X: f(cubic[0], x), Y: f(cubic[1], x), Z: f(cubic[2], x)}
	}
	for i := range 65 {
		x := float32(i) / 64
		got := Hermite(point(at, 0), point(slope, 0), point(at, 1), point(slope, 1), x)
		if d := got.Sub(point(at, x)).Len(); d > 2e-6 {
			t.Errorf("at %v: %v, the cubic is at %v", x, got, point(at, x))
		}
		v := geom.Vec3{X: 2, Y: -1, Z: 0.5}
		a := geom.Vec3{X: 100, Y: 200, Z: 7}
		if d := Hermite(a, v, a.Add(v), v, x).Sub(a.AddScaled(x, v)).Len(); d > 2e-5 {
			t.Errorf("at %v a constant velocity is left by %v m", x, d)
		}
		rest := geom.Vec3{X: 1.1, Y: -2.3, Z: 0.2}
		if Hermite(rest, geom.Vec3{}, rest, geom.Vec3{}, x) != rest {
			t.Errorf("at %v what rests has moved", x)
		}
	}
}
