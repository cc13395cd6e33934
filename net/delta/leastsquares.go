package delta

import "ghostcube/sim/geom"

// A fit has so many unknowns. The first are a push, in metres, and a turn, in
// radians, that all cubes share; the rest are coefficients without unit.
const (
	unknownCount = 11
	sharedCount  = 6
)

// equations are three equations, one for each axis: what each unknown counts in them.
type equations [3][unknownCount]float64

// leastSquares finds the unknowns that meet many equations best: those with the least sum
// of squared misses. It keeps the normal equations, which do not grow.
type leastSquares struct {
	matrix   [unknownCount][unknownCount]float64 // symmetric: of it only what is on the diagonal and right of it
	rhs      [unknownCount]float64
	solution [unknownCount]float64
	solved   bool
}

// addPrior holds an unknown to be about so much, with the weight of so many
// equations. Every unknown must be expected to be something.
func (f *leastSquares) addPrior(i int, x, weight float64) {
	f.matrix[i][i] += weight
	f.rhs[i] += float64(weight * x)
	f.solved = false
}

// add adds three equations.
func (f *leastSquares) add(r equations, is geom.Vec3, weight float64) {
	for k, v := range [3]float32{is.X, is.Y, is.Z} {
		row := &r[k]
		for i, c := range row {
			if c == 0 {
				continue
			}
			c = float64(c * weight)
			for j := i; j < unknownCount; j++ {
				f.matrix[i][j] += float64(c * row[j])
			}
			f.rhs[i] += float64(c * float64(v))
		}
	}
	f.solved = false
}

// solve finds the unknowns by elimination. The matrix is positive definite, so
// no pivot is zero.
func (f *leastSquares) solve() {
	if f.solved {
		return
	}
	f.solved = true
	m, r := f.matrix, f.rhs
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
			r[i] -= float64(m[i][k] * f.solution[k])
		}
		f.solution[i] = r[i] / m[i][i]
	}
}

// evaluate returns what the equations say now.
func (f *leastSquares) evaluate(r equations) geom.Vec3 {
	f.solve()
	var v [3]float64
	for k := range r {
		for i, c := range r[k] {
			v[k] += float64(c * f.solution[i])
		}
	}
	return geom.Vec3{X: float32(v[0]), Y: float32(v[1]), Z: float32(v[2])}
}

// sharedMotion returns the push and the turn that all share.
func (f *leastSquares) sharedMotion() (push, turn geom.Vec3) {
	f.solve()
	vec := func(i int) geom.Vec3 {
		return geom.Vec3{X: float32(f.solution[i]), Y: float32(f.solution[i+1]), Z: float32(f.solution[i+2])}
	}
	return vec(0), vec(3)
}
