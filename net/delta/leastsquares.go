package delta

import "ghostcube/sim/geom"

// Number of unknowns. The first six are a translation in metres and a rotation in
// radians, shared by all cubes; the others are coefficients without a unit.
const (
	unknownCount = 11
	sharedCount  = 6
)

// equations are three equations, one per axis: the factor of each unknown.
type equations [3][unknownCount]float64

// leastSquares finds the unknowns that minimise the squared error of many equations. It
// stores the normal equations, whose size is constant.
type leastSquares struct {
	matrix   [unknownCount][unknownCount]float64 // symmetric; only the upper triangle is used
	rhs      [unknownCount]float64
	solution [unknownCount]float64
	solved   bool
}

// addPrior states that an unknown is about x, with the weight of that many equations.
// Every unknown needs a prior.
func (l *leastSquares) addPrior(i int, x, weight float64) {
	l.matrix[i][i] += weight
	l.rhs[i] += float64(weight * x)
	l.solved = false
}

// add adds three equations whose right-hand sides are is.
func (l *leastSquares) add(r equations, rhs geom.Vec3, weight float64) {
	for k, v := range [3]float32{rhs.X, rhs.Y, rhs.Z} {
		row := &r[k]
		for i, c := range row {
			if c == 0 {
				continue
			}
			c = float64(c * weight)
			for j := i; j < unknownCount; j++ {
				l.matrix[i][j] += float64(c * row[j])
			}
			l.rhs[i] += float64(c * float64(v))
		}
	}
	l.solved = false
}

// solve solves the normal equations by elimination. The matrix is positive definite, so
// no pivot is zero.
func (l *leastSquares) solve() {
	if l.solved {
		return
	}
	l.solved = true
	m, r := l.matrix, l.rhs
	for i := range unknownCount {
		for j := i + 1; j < unknownCount; j++ {
			if m[i][j] == 0 {
				continue
			}
			share := m[i][j] / m[i][i]
			for k := j; k < unknownCount; k++ {
				m[j][k] -= float64(share * m[i][k])
			}
			r[j] -= float64(share * r[i])
		}
	}
	for i := unknownCount - 1; i >= 0; i-- {
		for k := i + 1; k < unknownCount; k++ {
			r[i] -= float64(m[i][k] * l.solution[k])
		}
		l.solution[i] = r[i] / m[i][i]
	}
}

// evaluate returns the left-hand sides of r for the current solution.
func (l *leastSquares) evaluate(r equations) geom.Vec3 {
	l.solve()
	var v [3]float64
	for k := range r {
		for i, c := range r[k] {
			v[k] += float64(c * l.solution[i])
		}
	}
	return geom.Vec3{X: float32(v[0]), Y: float32(v[1]), Z: float32(v[2])}
}

// sharedMotion returns the translation and the rotation shared by all cubes.
func (l *leastSquares) sharedMotion() (translation, rotation geom.Vec3) {
	l.solve()
	vec := func(i int) geom.Vec3 {
		return geom.Vec3{X: float32(l.solution[i]), Y: float32(l.solution[i+1]), Z: float32(l.solution[i+2])}
	}
	return vec(0), vec(3)
}
