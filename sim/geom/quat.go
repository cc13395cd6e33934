package geom

// Quat is a rotation as a unit quaternion; q and -q are the same rotation.
type Quat struct{ X, Y, Z, W float32 }

// Identity is the rotation by 0.
var Identity = Quat{W: 1}

// Mul returns the rotation by b, then by a.
func (q Quat) Mul(b Quat) Quat {
	return Quat{
		float32(q.W*b.X) + float32(q.X*b.W) + float32(q.Y*b.Z) - float32(q.Z*b.Y),
		float32(q.W*b.Y) - float32(q.X*b.Z) + float32(q.Y*b.W) + float32(q.Z*b.X),
		float32(q.W*b.Z) + float32(q.X*b.Y) - float32(q.Y*b.X) + float32(q.Z*b.W),
		float32(q.W*b.W) - float32(q.X*b.X) - float32(q.Y*b.Y) - float32(q.Z*b.Z),
	}
}

// Inverse returns the inverse of a unit quaternion.
func (q Quat) Inverse() Quat { return Quat{-q.X, -q.Y, -q.Z, q.W} }

// Neg returns -a, the same rotation.
func (q Quat) Neg() Quat { return Quat{-q.X, -q.Y, -q.Z, -q.W} }

// Dot returns the dot product: the cosine of half the angle between two rotations, up to its sign.
func (q Quat) Dot(b Quat) float32 {
	return float32(q.X*b.X) + float32(q.Y*b.Y) + float32(q.Z*b.Z) + float32(q.W*b.W)
}

// Unit returns a scaled to length 1, or Identity if a is 0.
func (q Quat) Unit() Quat {
	l := Sqrt(q.Dot(q))
	if l == 0 {
		return Identity
	}
	s := 1 / l
	return Quat{float32(q.X * s), float32(q.Y * s), float32(q.Z * s), float32(q.W * s)}
}

// Rotate returns v rotated by a.
func (q Quat) Rotate(v Vec3) Vec3 {
	u := Vec3{q.X, q.Y, q.Z}
	t := u.Cross(v).Scale(2)
	return v.AddScaled(q.W, t).Add(u.Cross(t))
}

// Mat returns the rotation as a matrix.
func (q Quat) Mat() Mat3 {
	x2, y2, z2 := q.X+q.X, q.Y+q.Y, q.Z+q.Z
	xx, yy, zz := float32(q.X*x2), float32(q.Y*y2), float32(q.Z*z2)
	xy, xz, yz := float32(q.X*y2), float32(q.X*z2), float32(q.Y*z2)
	wx, wy, wz := float32(q.W*x2), float32(q.W*y2), float32(q.W*z2)
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
func (q Quat) Angle() float32 {
	return float32(2 * Atan2(Vec3{q.X, q.Y, q.Z}.Len(), Abs(q.W)))
}

// ScaleAngle returns the rotation about the same axis by share times the angle, share in [0, 1]:
// the spherical interpolation from Identity to a, the short way round.
func (q Quat) ScaleAngle(share float32) Quat {
	if q.W < 0 {
		q = q.Neg()
	}
	v := Vec3{q.X, q.Y, q.Z}
	l := v.Len()
	if l == 0 {
		return Identity
	}
	half := float32(Atan2(l, q.W) * share)
	s := Sin(half) / l
	return Quat{float32(q.X * s), float32(q.Y * s), float32(q.Z * s), Cos(half)}
}

// Slerp returns the spherical interpolation from a to b, share in [0, 1], the short way round.
func Slerp(a, b Quat, share float32) Quat {
	return b.Mul(a.Inverse()).ScaleAngle(share).Mul(a).Unit()
}

// IsFinite reports whether no component is infinite or not a number.
func (q Quat) IsFinite() bool {
	return IsFinite(q.X) && IsFinite(q.Y) && IsFinite(q.Z) && IsFinite(q.W)
}

// Pose is a position and an orientation.
type Pose struct {
	Pos Vec3 // metres, world frame
	Rot Quat // from the body's frame to the world's
}
