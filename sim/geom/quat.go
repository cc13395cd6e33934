package geom

// Quat is a rotation as a unit quaternion; q and -q are the same rotation.
type Quat struct{ X, Y, Z, W float32 }

// Identity is the rotation by 0.
var Identity = Quat{W: 1}

// Mul returns the rotation by b, then by a.
func (a Quat) Mul(b Quat) Quat {
	return Quat{
		float32(a.W*b.X) + float32(a.X*b.W) + float32(a.Y*b.Z) - float32(a.Z*b.Y),
		float32(a.W*b.Y) - float32(a.X*b.Z) + float32(a.Y*b.W) + float32(a.Z*b.X),
		float32(a.W*b.Z) + float32(a.X*b.Y) - float32(a.Y*b.X) + float32(a.Z*b.W),
		float32(a.W*b.W) - float32(a.X*b.X) - float32(a.Y*b.Y) - float32(a.Z*b.Z),
	}
}

// Inverse returns the inverse of a unit quaternion.
func (a Quat) Inverse() Quat { return Quat{-a.X, -a.Y, -a.Z, a.W} }

// Neg returns -a, the same rotation.
func (a Quat) Neg() Quat { return Quat{-a.X, -a.Y, -a.Z, -a.W} }

// Dot returns the dot product: the cosine of half the angle between two rotations, up to its sign.
func (a Quat) Dot(b Quat) float32 {
	return float32(a.X*b.X) + float32(a.Y*b.Y) + float32(a.Z*b.Z) + float32(a.W*b.W)
}

// Unit returns a scaled to length 1, or Identity if a is 0.
func (a Quat) Unit() Quat {
	l := Sqrt(a.Dot(a))
	if l == 0 {
		return Identity
	}
	s := 1 / l
	return Quat{float32(a.X * s), float32(a.Y * s), float32(a.Z * s), float32(a.W * s)}
}

// Rotate returns v rotated by a.
func (a Quat) Rotate(v Vec3) Vec3 {
	u := Vec3{a.X, a.Y, a.Z}
	t := u.Cross(v).Scale(2)
	return v.AddScaled(a.W, t).Add(u.Cross(t))
}

// Mat returns the rotation as a matrix.
func (a Quat) Mat() Mat3 {
	x2, y2, z2 := a.X+a.X, a.Y+a.Y, a.Z+a.Z
	xx, yy, zz := float32(a.X*x2), float32(a.Y*y2), float32(a.Z*z2)
	xy, xz, yz := float32(a.X*y2), float32(a.X*z2), float32(a.Y*z2)
	wx, wy, wz := float32(a.W*x2), float32(a.W*y2), float32(a.W*z2)
	return Mat3{
		Vec3{1 - (yy + zz), xy + wz, xz - wy},
		Vec3{xy - wz, 1 - (xx + zz), yz + wx},
		Vec3{xz + wy, yz - wx, 1 - (xx + yy)},
	}
}

// AxisAngle returns the rotation by angle, in radians, about a unit axis.
func AxisAngle(axis Vec3, angle float32) Quat {
	half := float32(angle * 0.5)
	s := Sin(half)
	return Quat{float32(axis.X * s), float32(axis.Y * s), float32(axis.Z * s), Cos(half)}
}

// Angle returns the angle of the rotation, in [0, pi] radians.
func (a Quat) Angle() float32 {
	return float32(2 * Atan2(Vec3{a.X, a.Y, a.Z}.Len(), Abs(a.W)))
}

// ScaleAngle returns the rotation about the same axis by share times the angle, share in [0, 1]:
// the spherical interpolation from Identity to a, the short way round.
func (a Quat) ScaleAngle(share float32) Quat {
	if a.W < 0 {
		a = a.Neg()
	}
	v := Vec3{a.X, a.Y, a.Z}
	l := v.Len()
	if l == 0 {
		return Identity
	}
	half := float32(Atan2(l, a.W) * share)
	s := Sin(half) / l
	return Quat{float32(a.X * s), float32(a.Y * s), float32(a.Z * s), Cos(half)}
}

// Slerp returns the spherical interpolation from a to b, share in [0, 1], the short way round.
func Slerp(a, b Quat, share float32) Quat {
	return b.Mul(a.Inverse()).ScaleAngle(share).Mul(a).Unit()
}

// IsFinite reports whether no component is infinite or not a number.
func (a Quat) IsFinite() bool {
	return IsFinite(a.X) && IsFinite(a.Y) && IsFinite(a.Z) && IsFinite(a.W)
}

// Pose is a position and an orientation.
type Pose struct {
	Pos Vec3 // metres, world frame
	Rot Quat // from the body's frame to the world's
}
