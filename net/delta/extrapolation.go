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
	residual leastSquares // motion of cubes beyond their extrapolation
}

// Weights of the fit: of the priors, in equations of a cube's motion, and of a
// rotation's equations.
const (
	priorWeight       = 2e-3
	coefficientWeight = 0.1 // of the coefficients at the end of the baseline
	rotationWeight    = 0.05
)

// begin starts a snapshot. coefficients are the initial coefficients.
func (b *ballMotion) begin(centre geom.Vec3, coefficients *[unknownCount - sharedCount]float32) {
	b.centre = centre
	b.motion, b.residual = leastSquares{}, leastSquares{}
	for i := range unknownCount {
		b.motion.addPrior(i, 0, 1e-3)
		if i < sharedCount {
			b.residual.addPrior(i, 0, priorWeight)
		} else {
			b.residual.addPrior(i, coefficients[i-sharedCount], priorWeight+coefficientWeight)
		}
	}
	b.residual.solve()
}

// addMotion adds the motion of a cube up to the baseline.
func (b *ballMotion) addMotion(f *extrapolation) {
	b.motion.addTranslation(&translationEquations{arm: f.basePos.Sub(b.centre)}, f.translation)
	b.motion.addRotation(&rotationEquations{}, f.rotation, rotationWeight)
}

// ballMember holds the equations of a cube in the ball.
type ballMember struct {
	translation translationEquations
	rotation    rotationEquations
}

// member returns the equations of a cube. before is its residual at the baseline.
func (b *ballMotion) member(f *extrapolation, before *residual) (m ballMember) {
	m.translation.arm = f.basePos.Sub(b.centre)
	own := f.translation.Sub(b.motion.displacement(&m.translation))
	spin := f.rotation.Sub(b.motion.rotation)
	inwards := b.motion.rotation.Cross(b.motion.rotation.Cross(m.translation.arm)).Scale(0.5)
	m.translation.terms = [...]geom.Vec3{inwards, own, before.translation}
	m.rotation = rotationEquations{spin, before.rotation}
	return m
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
