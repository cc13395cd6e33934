package delta

import (
	"math"

	"ghostcube/sim/geom"
)

// extrapolation predicts the pose of a cube from its motion between the older snapshot
// and the baseline. Without a motion the prediction is the baseline.
type extrapolation struct {
	moving      bool
	basePos     geom.Vec3 // baseline position, metres
	translation geom.Vec3 // predicted displacement, metres
	rotation    geom.Vec3 // predicted rotation, axis times angle, radians
	baseRot     geom.Quat // baseline rotation
}

// extrapolate predicts cube i.
func (b *baseline) extrapolate(i int) (f extrapolation) {
	p := &b.cubes[i]
	f.basePos, f.baseRot = p.Position(), p.Rotation()
	if b.olderCubes == nil || b.olderCubes[i] == *p {
		return f
	}
	o := &b.olderCubes[i]
	share := float32(b.age) / float32(b.olderGap)
	f.moving = true
	f.translation = f.basePos.Sub(o.Position()).Scale(share)
	f.rotation = rotationVector(f.baseRot.Mul(o.Rotation().Inverse())).Scale(share)
	return f
}

// rotationVector returns axis times angle of a rotation, the shorter way round, with
// the small-angle approximation: at a tenth of a turn it is off by 1.6 %.
func rotationVector(q geom.Quat) geom.Vec3 {
	if q.W < 0 {
		q = q.Neg()
	}
	return geom.Vec3{X: 2 * q.X, Y: 2 * q.Y, Z: 2 * q.Z}
}

// maxAngle is the largest predicted angle in radians for which the small-angle
// approximation is used.
const maxAngle = 1.8

// quatFromVector is the inverse of rotationVector. Angles above maxAngle and NaN become
// the identity.
func quatFromVector(v geom.Vec3) geom.Quat {
	h := v.Scale(0.5)
	l := h.LenSq()
	if !(l <= maxAngle*maxAngle/4) {
		return geom.Identity
	}
	return geom.Quat{X: h.X, Y: h.Y, Z: h.Z, W: geom.Sqrt(1 - l)}
}

// ballMotion fits the motion shared by the cubes that touch the player's: in a rolling
// ball they move as one. The difference between each cube's motion and its
// extrapolation is fitted by least squares with
//
//	a translation and a rotation about the player's cube, common to all
//	a pull inwards that goes with the ball's previous rotation
//	how much of the cube's own motion, relative to the ball, persists
//	how much of the previous residual repeats
//
// Every cube coded adds its equations, so the first cubes are expensive and the later
// ones cheap.
type ballMotion struct {
	centre   geom.Vec3
	motion   leastSquares // motion from the older snapshot to the baseline, continued
	rotation geom.Vec3
	residual leastSquares // motion of cubes beyond their extrapolation
}

// Weights of the fit: of the priors, in equations of a cube's motion, and of a
// rotation's equations.
const (
	priorWeight       = 2e-3
	coefficientWeight = 0.1 // of the coefficients at the end of the baseline
	rotationWeight    = 0.05
)

// fitBaseline fits the ball's motion up to the baseline. coefficients are the initial
// coefficients.
func (b *ballMotion) fitBaseline(p *baseline, coefficients *[unknownCount]float64) {
	b.centre = p.cubes[0].Position()
	b.motion, b.residual = leastSquares{}, leastSquares{}
	for i := range unknownCount {
		b.motion.addPrior(i, 0, 1e-3)
		if i < sharedCount {
			b.residual.addPrior(i, 0, priorWeight)
		} else {
			b.residual.addPrior(i, coefficients[i], priorWeight+coefficientWeight)
		}
	}
	for i := range p.cubes {
		if !p.cubes[i].Touched {
			continue
		}
		if f := p.extrapolate(i); f.moving {
			b.motion.add(translationEquations(f.basePos.Sub(b.centre)), f.translation, 1)
			b.motion.add(rotationEquations(), f.rotation, rotationWeight)
		}
	}
	_, b.rotation = b.motion.sharedMotion()
}

// ballMember holds the equations of a cube in the ball.
type ballMember struct {
	translation, rotation equations
	deviation             float32 // difference of its extrapolation from the ball's motion, m and rad
	angularDeviation      float32
}

// member returns the equations of a cube. before is its residual at the baseline.
func (b *ballMotion) member(f *extrapolation, before *residual) (m ballMember) {
	d := f.basePos.Sub(b.centre)
	own := f.translation.Sub(b.motion.evaluate(translationEquations(d)))
	spin := f.rotation.Sub(b.rotation)
	inwards := b.rotation.Cross(b.rotation.Cross(d)).Scale(0.5)
	m.translation = translationEquations(d, inwards, own, before.translation)
	m.rotation = rotationEquations(spin, before.rotation)
	m.deviation, m.angularDeviation = own.Len(), spin.Len()
	return m
}

// translationEquations returns the equations of a displacement at distance d from the
// centre, with further terms.
func translationEquations(d geom.Vec3, terms ...geom.Vec3) (r equations) {
	x, y, z := float64(d.X), float64(d.Y), float64(d.Z)
	r = equations{{1, 0, 0, 0, z, -y}, {0, 1, 0, -z, 0, x}, {0, 0, 1, y, -x, 0}}
	r.set(sharedCount, terms)
	return r
}

// rotationEquations returns the equations of a rotation.
func rotationEquations(terms ...geom.Vec3) (r equations) {
	r = equations{{3: 1}, {4: 1}, {5: 1}}
	r.set(sharedCount+3, terms)
	return r
}

func (e *equations) set(first int, terms []geom.Vec3) {
	for k, v := range terms {
		e[0][first+k], e[1][first+k], e[2][first+k] = float64(v.X), float64(v.Y), float64(v.Z)
	}
}

// metresToSteps converts a length to steps of the grid. Lengths beyond the grid become
// 0.
func metresToSteps(metres float32) int32 {
	n := math.Floor(float64(float64(metres)*StepsPerMetre) + 0.5)
	if !(n >= -1<<18 && n <= 1<<18) {
		return 0
	}
	return int32(n)
}
