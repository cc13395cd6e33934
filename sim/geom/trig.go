package geom

import "math"

// Pi, Pi/2 and 2 Pi as float32, so that no caller rounds them.
const (
	Pi     float32 = 3.14159274
	HalfPi float32 = 1.57079637
	TwoPi  float32 = 6.28318548
)

// Sin returns the sine of x radians, the same bits on every machine. The error is at most 2e-7 for
// |x| up to 10,000, and the result is 0 for |x| above 1e6. It is computed in float64 with every
// product rounded, and rounded once to float32.
func Sin(x float32) float32 { return float32(sinQuarter(float64(x), 0)) }

// Cos returns the cosine of x radians, with the properties of Sin.
func Cos(x float32) float32 { return float32(sinQuarter(float64(x), 1)) }

// sinQuarter returns sin(x + quarter*pi/2).
func sinQuarter(x float64, quarter int) float64 {
	const twoOverPi = 0.63661977236758134308
	const halfPi = 1.57079632679489661923
	if x < -1e6 || x > 1e6 || x != x {
		return 0 // such angles do not occur; an int conversion would not be portable
	}
	n := math.Floor(float64(x*twoOverPi) + 0.5)
	r := x - float64(n*halfPi) // in [-pi/4, pi/4]
	r2 := float64(r * r)
	q := (int(n) + quarter) & 3
	var y float64
	if q&1 == 0 { // sine, Taylor to r^11: error below 1e-12 on this interval
		y = float64(r2*(-1.0/39916800)) + 1.0/362880
		y = float64(r2*y) - 1.0/5040
		y = float64(r2*y) + 1.0/120
		y = float64(r2*y) - 1.0/6
		y = float64(float64(r2*y)*r) + r
	} else { // cosine, Taylor to r^12
		y = float64(r2*(1.0/479001600)) - 1.0/3628800
		y = float64(r2*y) + 1.0/40320
		y = float64(r2*y) - 1.0/720
		y = float64(r2*y) + 1.0/24
		y = float64(r2*y) - 1.0/2
		y = float64(r2*y) + 1
	}
	if q&2 != 0 {
		y = -y
	}
	return y
}

// Atan2 returns the angle of the point (x, y) in (-pi, pi], the same bits on every machine, with an
// error of at most 2e-7. Atan2(0, 0) is 0.
func Atan2(y, x float32) float32 {
	a, b := math.Abs(float64(y)), math.Abs(float64(x))
	if a == 0 && b == 0 {
		return 0
	}
	swap := a > b
	if swap {
		a, b = b, a
	}
	t := atanUnit(a / b)
	if swap {
		t = 1.57079632679489661923 - t
	}
	if x < 0 {
		t = 3.14159265358979323846 - t
	}
	if y < 0 {
		t = -t
	}
	return float32(t)
}

// atanUnit returns the arc tangent of t, in [0, 1]. It halves the angle twice by atan(t) = 2*atan(t
// / (1 + sqrt(1 + t*t))), so that t is below 0.2 and a short series suffices.
func atanUnit(t float64) float64 {
	for range 2 {
		t = t / (1 + math.Sqrt(1+float64(t*t)))
	}
	t2 := float64(t * t)
	y := float64(t2*(-1.0/11)) + 1.0/9
	y = float64(t2*y) - 1.0/7
	y = float64(t2*y) + 1.0/5
	y = float64(t2*y) - 1.0/3
	y = float64(t2*y) + 1
	return float64(4 * float64(t*y))
}
