package geom

// Mat3 is a rotation matrix by columns: the axes of a body in the world frame.
type Mat3 struct{ X, Y, Z Vec3 }

// Mul returns m * v: v of the body's frame in the world frame.
func (m *Mat3) Mul(v Vec3) Vec3 {
	return Vec3{
		float32(m.X.X*v.X) + float32(m.Y.X*v.Y) + float32(m.Z.X*v.Z),
		float32(m.X.Y*v.X) + float32(m.Y.Y*v.Y) + float32(m.Z.Y*v.Z),
		float32(m.X.Z*v.X) + float32(m.Y.Z*v.Y) + float32(m.Z.Z*v.Z),
	}
}

// MulT returns the transpose of m times v: v of the world frame in the body's frame.
func (m *Mat3) MulT(v Vec3) Vec3 { return Vec3{m.X.Dot(v), m.Y.Dot(v), m.Z.Dot(v)} }

// Col returns column i, in [0, 2].
func (m *Mat3) Col(i int) Vec3 {
	switch i {
	case 0:
		return m.X
	case 1:
		return m.Y
	}
	return m.Z
}

// SymMat3 is a symmetric matrix, such as an inertia tensor.
type SymMat3 struct{ XX, XY, XZ, YY, YZ, ZZ float32 }

// Mul returns m * v.
func (m *SymMat3) Mul(v Vec3) Vec3 {
	return Vec3{
		float32(m.XX*v.X) + float32(m.XY*v.Y) + float32(m.XZ*v.Z),
		float32(m.XY*v.X) + float32(m.YY*v.Y) + float32(m.YZ*v.Z),
		float32(m.XZ*v.X) + float32(m.YZ*v.Y) + float32(m.ZZ*v.Z),
	}
}

// Inverse returns the inverse of m, which must be regular.
func (m *SymMat3) Inverse() SymMat3 {
	xx := float32(m.YY*m.ZZ) - float32(m.YZ*m.YZ)
	xy := float32(m.XZ*m.YZ) - float32(m.XY*m.ZZ)
	xz := float32(m.XY*m.YZ) - float32(m.XZ*m.YY)
	d := 1 / (float32(m.XX*xx) + float32(m.XY*xy) + float32(m.XZ*xz))
	return SymMat3{
		float32(xx * d), float32(xy * d), float32(xz * d),
		float32((float32(m.XX*m.ZZ) - float32(m.XZ*m.XZ)) * d),
		float32((float32(m.XY*m.XZ) - float32(m.XX*m.YZ)) * d),
		float32((float32(m.XX*m.YY) - float32(m.XY*m.XY)) * d),
	}
}

// RotatedDiagonal returns r * diag(d) * transpose(r): a matrix with diagonal d in the frame r, in
// the world frame.
func RotatedDiagonal(r *Mat3, d Vec3) SymMat3 {
	if d.X == d.Y && d.Y == d.Z {
		return SymMat3{d.X, 0, 0, d.X, 0, d.X}
	}
	x, y, z := r.X.Scale(d.X), r.Y.Scale(d.Y), r.Z.Scale(d.Z)
	return SymMat3{
		float32(x.X*r.X.X) + float32(y.X*r.Y.X) + float32(z.X*r.Z.X),
		float32(x.X*r.X.Y) + float32(y.X*r.Y.Y) + float32(z.X*r.Z.Y),
		float32(x.X*r.X.Z) + float32(y.X*r.Y.Z) + float32(z.X*r.Z.Z),
		float32(x.Y*r.X.Y) + float32(y.Y*r.Y.Y) + float32(z.Y*r.Z.Y),
		float32(x.Y*r.X.Z) + float32(y.Y*r.Y.Z) + float32(z.Y*r.Z.Z),
		float32(x.Z*r.X.Z) + float32(y.Z*r.Y.Z) + float32(z.Z*r.Z.Z),
	}
}
