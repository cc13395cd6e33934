// Package geom is 3D arithmetic that gives the same bits on every machine: vectors, quaternions,
// matrices, poses, and a few trigonometric functions.
//
// Go may fuse x*y + z into one instruction that rounds once instead of twice. It does so on arm64,
// riscv64, ppc64le, s390x and on amd64 at GOAMD64=v3, across statements and inlined calls, too; on
// plain amd64, 386 and wasm it does not. The language offers one way to prevent it: an explicit
// conversion rounds. So in this package, and in every package whose results are compared between
// machines, each product is written float32(a*b), even if nothing is added to it. A test of the
// whole module compiles for arm64 and for amd64 v3 and counts fused instructions.
//
// For the same reason only Sqrt, Abs, Floor, Ceil, Trunc, Copysign and the bit functions of package
// math are used. The others have different implementations on different machines. Sin, Cos and
// Atan2 of this package are polynomials.
//
// The world is right-handed, in metres, and z is up.
package geom

import "math"

// Vec3 is a vector or a point, in metres unless its owner states another unit.
type Vec3 struct{ X, Y, Z float32 }

// Add returns a + b.
func (v Vec3) Add(b Vec3) Vec3 { return Vec3{v.X + b.X, v.Y + b.Y, v.Z + b.Z} }

// Sub returns a - b.
func (v Vec3) Sub(b Vec3) Vec3 { return Vec3{v.X - b.X, v.Y - b.Y, v.Z - b.Z} }

// Neg returns -a.
func (v Vec3) Neg() Vec3 { return Vec3{-v.X, -v.Y, -v.Z} }

// Scale returns a * s.
func (v Vec3) Scale(s float32) Vec3 {
	return Vec3{float32(v.X * s), float32(v.Y * s), float32(v.Z * s)}
}

// Dot returns the dot product of a and b.
func (v Vec3) Dot(b Vec3) float32 {
	return float32(v.X*b.X) + float32(v.Y*b.Y) + float32(v.Z*b.Z)
}

// Cross returns the cross product of a and b.
func (v Vec3) Cross(b Vec3) Vec3 {
	return Vec3{
		float32(v.Y*b.Z) - float32(v.Z*b.Y),
		float32(v.Z*b.X) - float32(v.X*b.Z),
		float32(v.X*b.Y) - float32(v.Y*b.X),
	}
}

// AddScaled returns a + s*b. Product and sum are rounded.
func (v Vec3) AddScaled(s float32, b Vec3) Vec3 {
	return Vec3{v.X + float32(s*b.X), v.Y + float32(s*b.Y), v.Z + float32(s*b.Z)}
}

// SubScaled returns a - s*b. Product and difference are rounded.
func (v Vec3) SubScaled(s float32, b Vec3) Vec3 {
	return Vec3{v.X - float32(s*b.X), v.Y - float32(s*b.Y), v.Z - float32(s*b.Z)}
}

// LenSq returns the squared length of a.
func (v Vec3) LenSq() float32 { return v.Dot(v) }

// Len returns the length of a.
func (v Vec3) Len() float32 { return Sqrt(v.Dot(v)) }

// Unit returns a scaled to length 1, or 0 if a is 0.
func (v Vec3) Unit() Vec3 {
	l := v.Len()
	if l == 0 {
		return Vec3{}
	}
	return v.Scale(1 / l)
}

// Perpendicular returns a unit vector perpendicular to the unit vector a. It is a function of a, so
// all machines choose the same one.
func (v Vec3) Perpendicular() Vec3 {
	// At least one component of a unit vector is at most 1/sqrt(3), so the vector is never short.
	var t Vec3
	if v.X < 0.57735 && v.X > -0.57735 {
		t = Vec3{0, v.Z, -v.Y}
	} else {
		t = Vec3{v.Y, -v.X, 0}
	}
	return t.Scale(1 / t.Len())
}

// At returns component i, in [0, 2].
func (v Vec3) At(i int) float32 {
	switch i {
	case 0:
		return v.X
	case 1:
		return v.Y
	}
	return v.Z
}

// IsFinite reports whether all components are finite.
func (v Vec3) IsFinite() bool { return IsFinite(v.X) && IsFinite(v.Y) && IsFinite(v.Z) }

// IsFinite reports whether x is neither an infinity nor NaN.
func IsFinite(x float32) bool {
	return math.Float32bits(x)&0x7f800000 != 0x7f800000
}

// Sqrt returns the square root of x, correctly rounded.
func Sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// Abs returns the magnitude of x.
func Abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// Clamp returns x limited to [low, high].
func Clamp(x, low, high float32) float32 {
	if x < low {
		return low
	}
	if x > high {
		return high
	}
	return x
}
