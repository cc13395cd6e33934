package delta

import (
	"math"

	"ghostcube/sim/geom"
)

// extrapolation is where and how a cube is expected if its motion from the older frame
// to the base goes on until now. Without a motion that is the base.
type extrapolation struct {
	moving      bool
	basePos     geom.Vec3 // the base's position, in metres
	translation geom.Vec3 // from there to where it is expected
	rotation    geom.Vec3 // axis and angle from the base's rotation, in radians
	baseRot     geom.Quat // the base's
}

// extrapolate returns the forecast of cube i.
func (p *baseline) extrapolate(i int) (f extrapolation) {
	b := &p.cubes[i]
	f.basePos, f.baseRot = b.Position(), b.Rotation()
	if p.olderCubes == nil || p.olderCubes[i] == *b {
		return f
	}
	o := &p.olderCubes[i]
	share := float32(p.age) / float32(p.olderGap)
	f.moving = true
	f.translation = f.basePos.Sub(o.Position()).Scale(share)
	f.rotation = rotationVector(f.baseRot.Mul(o.Rotation().Inverse())).Scale(share)
	return f
}

// rotationVector returns axis and angle of a rotation, the short way round, as they are
// for small ones: up to a tenth of a turn they are off by 1.6 %.
func rotationVector(q geom.Quat) geom.Vec3 {
	if q.W < 0 {
		q = q.Neg()
	}
	return geom.Vec3{X: 2 * q.X, Y: 2 * q.Y, Z: 2 * q.Z}
}

// maxAngle is the greatest angle that is forecast, in radians, where its sine
// stands for itself.
const maxAngle = 1.8

// quatFromVector is turnOf the other way. A turn by more than turnMost, or by what is
// no number, is none.
func quatFromVector(turn geom.Vec3) geom.Quat {
	h := turn.Scale(0.5)
	l := h.LenSq()
	if !(l <= maxAngle*maxAngle/4) {
		return geom.Identity
	}
	return geom.Quat{X: h.X, Y: h.Y, Z: h.Z, W: geom.Sqrt(1 - l)}
}

// ballMotion is what is known of the motion that the cubes in the player's hands
// share: a ball of them rolls, and what one does the others do. What each cube
// does beyond its forecast is fitted, by least squares, with
//
//	a push and a turn that all share, about the player's cube
//	the pull inwards that goes with the ball's turn before
//	how much of its own motion, beyond the ball's, lasts
//	how much of what it did beyond its forecast at the base comes again
//
// and each cube that is coded adds its equations: so the first ones pay for what
// the later ones need not say.
type ballMotion struct {
	centre   geom.Vec3
	motion   leastSquares // the motion from the older frame to the base, continued
	rotation geom.Vec3
	residual leastSquares // what cubes do beyond their forecasts
}

// Weights of least squares: of what is held true before anything was seen, in
// equations of a cube's motion; and how much less a rotation's equations count.
const (
	priorWeight       = 2e-3
	coefficientWeight = 0.1 // of the coefficients that the base's frame ended with
	rotationWeight    = 0.05
)

// fitBaseline fits the motion of the past. kept are the coefficients to begin with.
func (s *ballMotion) fitBaseline(p *baseline, kept *[unknownCount]float64) {
	s.centre = p.cubes[0].Position()
	s.motion, s.residual = leastSquares{}, leastSquares{}
	for i := range unknownCount {
		s.motion.addPrior(i, 0, 1e-3)
		if i < sharedCount {
			s.residual.addPrior(i, 0, priorWeight)
		} else {
			s.residual.addPrior(i, kept[i], priorWeight+coefficientWeight)
		}
	}
	for i := range p.cubes {
		if !p.cubes[i].Touched {
			continue
		}
		if f := p.extrapolate(i); f.moving {
			s.motion.add(translationEquations(f.basePos.Sub(s.centre)), f.translation, 1)
			s.motion.add(rotationEquations(), f.rotation, rotationWeight)
		}
	}
	_, s.rotation = s.motion.sharedMotion()
}

// ballMember is a cube of the swarm: its equations.
type ballMember struct {
	translation, rotation equations
	deviation             float32 // m and rad; how far its forecast is from the ball's motion
	angularDeviation      float32
}

// member returns a cube's equations. before is what it did at the base.
func (s *ballMotion) member(f *extrapolation, before *residual) (m ballMember) {
	d := f.basePos.Sub(s.centre)
	own := f.translation.Sub(s.motion.evaluate(translationEquations(d)))
	spin := f.rotation.Sub(s.rotation)
	inwards := s.rotation.Cross(s.rotation.Cross(d)).Scale(0.5)
	m.translation = translationEquations(d, inwards, own, before.translation)
	m.rotation = rotationEquations(spin, before.rotation)
	m.deviation, m.angularDeviation = own.Len(), spin.Len()
	return m
}

// translationEquations are the equations of a motion at a distance from the centre, with what
// else has a part in it.
func translationEquations(d geom.Vec3, parts ...geom.Vec3) (r equations) {
	x, y, z := float64(d.X), float64(d.Y), float64(d.Z)
	r = equations{{1, 0, 0, 0, z, -y}, {0, 1, 0, -z, 0, x}, {0, 0, 1, y, -x, 0}}
	r.set(sharedCount, parts)
	return r
}

// rotationEquations are those of a turn.
func rotationEquations(parts ...geom.Vec3) (r equations) {
	r = equations{{3: 1}, {4: 1}, {5: 1}}
	r.set(sharedCount+3, parts)
	return r
}

func (r *equations) set(first int, parts []geom.Vec3) {
	for k, v := range parts {
		r[0][first+k], r[1][first+k], r[2][first+k] = float64(v.X), float64(v.Y), float64(v.Z)
	}
}

// metresToSteps returns a length as whole steps of the grid, at most as many as it has.
func metresToSteps(metres float32) int32 {
	n := math.Floor(float64(float64(metres)*StepsPerMetre) + 0.5)
	if !(n >= -1<<18 && n <= 1<<18) {
		return 0
	}
	return int32(n)
}
