package delta

import "ghostcube/sim/geom"

// Unknowns of a leastSquares: a translation in metres and a rotation in radians, shared
// by all cubes, and coefficients without a unit.
const (
	translationUnknown = 0
	rotationUnknown    = 3
	sharedCount        = 6
	unknownCount       = sharedCount + translationTermCount + rotationTermCount

	translationTermCount = 3
	rotationTermCount    = 2
)

// translationEquations are the equations of a cube's displacement: the shared
// translation, the shared rotation times an arm, and a coefficient times each term.
type translationEquations struct {
	arm   geom.Vec3 // from the centre of the rotation, m
	terms [translationTermCount]geom.Vec3
}

// rotationEquations are the equations of a cube's rotation: the shared rotation, and a
// coefficient times each term.
type rotationEquations [rotationTermCount]geom.Vec3

// leastSquares finds the unknowns that minimise the squared error of many equations. It
// stores the normal equations, whose size is constant.
type leastSquares struct {
	matrix [unknownCount][unknownCount + 1]float64 // upper triangle, and the right-hand side
	count  int                                     // sets of equations
	fresh  int                                     // of them not yet in the solution
	motionFit
}

// motionFit is a solution.
type motionFit struct {
	translation, rotation geom.Vec3
	coefficients          [unknownCount - sharedCount]float32
}

// addPrior states that an unknown is about x, with the weight of that many equations.
// Every unknown needs a prior.
func (l *leastSquares) addPrior(i int, x float32, weight float64) {
	l.matrix[i][i] += weight
	l.matrix[i][unknownCount] += float64(weight * float64(x))
}

// addColumn adds three numbers to a column.
func (l *leastSquares) addColumn(row, column int, v geom.Vec3) {
	l.matrix[row][column] += float64(v.X)
	l.matrix[row+1][column] += float64(v.Y)
	l.matrix[row+2][column] += float64(v.Z)
}

// addTranslation adds the displacement v of a cube.
func (l *leastSquares) addTranslation(e *translationEquations, v geom.Vec3) {
	m, d := &l.matrix, e.arm
	for i := range 3 {
		m[i][i]++
	}
	// The rotation's part is its cross product with the arm.
	l.addColumn(translationUnknown, rotationUnknown, geom.Vec3{Y: -d.Z, Z: d.Y})
	l.addColumn(translationUnknown, rotationUnknown+1, geom.Vec3{X: d.Z, Z: -d.X})
	l.addColumn(translationUnknown, rotationUnknown+2, geom.Vec3{X: -d.Y, Y: d.X})
	xx, yy, zz := float32(d.X*d.X), float32(d.Y*d.Y), float32(d.Z*d.Z)
	l.addColumn(rotationUnknown, rotationUnknown, geom.Vec3{X: yy + zz})
	l.addColumn(rotationUnknown, rotationUnknown+1, geom.Vec3{X: -float32(d.X * d.Y), Y: xx + zz})
	l.addColumn(rotationUnknown, rotationUnknown+2, geom.Vec3{X: -float32(d.X * d.Z), Y: -float32(d.Y * d.Z), Z: xx + yy})
	for i, t := range e.terms {
		column := sharedCount + i
		l.addColumn(translationUnknown, column, t)
		l.addColumn(rotationUnknown, column, d.Cross(t))
		for k, u := range e.terms[:i+1] {
			m[sharedCount+k][column] += float64(u.Dot(t))
		}
		m[column][unknownCount] += float64(t.Dot(v))
	}
	l.addColumn(translationUnknown, unknownCount, v)
	l.addColumn(rotationUnknown, unknownCount, d.Cross(v))
	l.count++
	l.fresh++
}

// addRotation adds the rotation v of a cube, with a weight.
func (l *leastSquares) addRotation(e *rotationEquations, v geom.Vec3, weight float32) {
	m := &l.matrix
	for i := rotationUnknown; i < sharedCount; i++ {
		m[i][i] += float64(weight)
	}
	for i, t := range e {
		column := sharedCount + translationTermCount + i
		weighted := t.Scale(weight)
		l.addColumn(rotationUnknown, column, weighted)
		for k, u := range e[:i+1] {
			m[sharedCount+translationTermCount+k][column] += float64(u.Dot(weighted))
		}
		m[column][unknownCount] += float64(weighted.Dot(v))
	}
	l.addColumn(rotationUnknown, unknownCount, v.Scale(weight))
	l.count++
	l.fresh++
}

// solve solves the normal equations by elimination. The matrix is positive definite, so
// no pivot is zero.
func (l *leastSquares) solve() {
	l.fresh = 0
	m := l.matrix
	var inverse [unknownCount]float64
	for i := range unknownCount {
		inverse[i] = 1 / m[i][i]
		for j := i + 1; j < unknownCount; j++ {
			share := float64(m[i][j] * inverse[i])
			to := m[j][j:]
			from := m[i][j:][:len(to)]
			for k := range to {
				to[k] -= float64(share * from[k])
			}
		}
	}
	var x [unknownCount]float64
	for i := unknownCount - 1; i >= 0; i-- {
		sum := m[i][unknownCount]
		for k := i + 1; k < unknownCount; k++ {
			sum -= float64(m[i][k] * x[k])
		}
		x[i] = float64(sum * inverse[i])
	}
	l.translation = geom.Vec3{X: float32(x[0]), Y: float32(x[1]), Z: float32(x[2])}
	l.rotation = geom.Vec3{X: float32(x[3]), Y: float32(x[4]), Z: float32(x[5])}
	for i := range l.coefficients {
		l.coefficients[i] = float32(x[sharedCount+i])
	}
}

// refresh solves the equations if an eighth of them is not yet in the solution, so the
// number of solutions grows with the logarithm of the equations.
func (l *leastSquares) refresh() {
	if 8*l.fresh >= l.count {
		l.solve()
	}
}

// displacement returns the displacement of a cube in the solution.
func (f *motionFit) displacement(e *translationEquations) geom.Vec3 {
	v := f.translation.Add(f.rotation.Cross(e.arm))
	for i, t := range e.terms {
		v = v.AddScaled(f.coefficients[i], t)
	}
	return v
}

// spin returns the rotation of a cube in the solution.
func (f *motionFit) spin(e *rotationEquations) geom.Vec3 {
	v := f.rotation
	for i, t := range e {
		v = v.AddScaled(f.coefficients[translationTermCount+i], t)
	}
	return v
}
