package delta

import "ghostcube/sim/geom"

// A fit has so many unknowns. The first are a push, in metres, and a turn, in
// radians, that all cubes share; the rest are coefficients without unit.
const (
	terms  = 11
	shared = 6
)

// rows are three equations, one for each axis: what each unknown counts in them.
type rows [3][terms]float64

// fit finds the unknowns that meet many equations best: those with the least sum
// of squared misses. It keeps the normal equations, which do not grow.
type fit struct {
	square [terms][terms]float64 // symmetric: of it only what is on the diagonal and right of it
	right  [terms]float64
	x      [terms]float64
	solved bool
}

// expect holds an unknown to be about so much, with the weight of so many
// equations. Every unknown must be expected to be something.
func (f *fit) expect(i int, x, weight float64) {
	f.square[i][i] += weight
	f.right[i] += float64(weight * x)
	f.solved = false
}

// add adds three equations.
func (f *fit) add(r rows, is geom.Vec3, weight float64) {
	for k, v := range [3]float32{is.X, is.Y, is.Z} {
		row := &r[k]
		for i, c := range row {
			if c == 0 {
				continue
			}
			c = float64(c * weight)
			for j := i; j < terms; j++ {
				f.square[i][j] += float64(c * row[j])
			}
			f.right[i] += float64(c * float64(v))
		}
	}
	f.solved = false
}

// solve finds the unknowns by elimination. The matrix is positive definite, so
// no pivot is zero.
func (f *fit) solve() {
	if f.solved {
		return
	}
	f.solved = true
	m, r := f.square, f.right
	for i := range terms {
		for j := i + 1; j < terms; j++ {
			if m[i][j] == 0 {
				continue
			}
			share := m[i][j] / m[i][i]
			for k := j; k < terms; k++ {
				m[j][k] -= float64(share * m[i][k])
			}
			r[j] -= float64(share * r[i])
		}
	}
	for i := terms - 1; i >= 0; i-- {
		for k := i + 1; k < terms; k++ {
			r[i] -= float64(m[i][k] * f.x[k])
		}
		f.x[i] = r[i] / m[i][i]
	}
}

// of returns what the equations say now.
func (f *fit) of(r rows) geom.Vec3 {
	f.solve()
	var v [3]float64
	for k := range r {
		for i, c := range r[k] {
			v[k] += float64(c * f.x[i])
		}
	}
	return geom.Vec3{X: float32(v[0]), Y: float32(v[1]), Z: float32(v[2])}
}

// motion returns the push and the turn that all share.
func (f *fit) motion() (push, turn geom.Vec3) {
	f.solve()
	vec := func(i int) geom.Vec3 {
		return geom.Vec3{X: float32(f.x[i]), Y: float32(f.x[i+1]), Z: float32(f.x[i+2])}
	}
	return vec(0), vec(3)
}
