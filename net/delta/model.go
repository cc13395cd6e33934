package delta

import (
	"math/bits"
	"slices"

	"ghostcube/net/entropy"
	"ghostcube/sim/geom"
)

// motionModel is what both ends have learned about the motion of the cubes, for level
// Arithmetic. It belongs to a snapshot: each snapshot is coded with the model of its
// baseline and trains it further (Giesen's entry to the challenge, 2015), so a lost
// packet changes neither end. The zero value has learned nothing.
type motionModel struct {
	changed                         [4][64]entropy.BitModel
	touched                         [3][32]entropy.BitModel
	largest                         [3][32]entropy.BitModel
	otherLargest                    [4][2]entropy.BitModel
	positionModel, orientationModel vectorModel

	changedMix, touchedMix [4]entropy.Mixer
	largestMix             entropy.Mixer

	coefficients [unknownCount]float64 // at the end of the snapshot
	residuals    []residual            // by cube
}

// vectorModel models the three numbers of a position or of a rotation, with several
// contexts.
type vectorModel struct {
	byDeviation     [64]entropy.NumberModel // difference of the extrapolation from the ball's motion
	byAxis          [24]entropy.NumberModel // axis, and error of the axes before it
	byRecentError   [20]entropy.NumberModel // error of the cubes before it
	byLastError     [20]entropy.NumberModel // error of this cube at the baseline
	byPositionError [12]entropy.NumberModel // for a rotation: error of its position
	mixers          [2]entropy.NumberMixer
}

// residual is the prediction error of one cube in its last snapshot. It is zero for a
// cube that did not change.
type residual struct {
	translation, rotation           geom.Vec3 // beyond the extrapolation, m and rad
	positionError, orientationError int32     // beyond the final prediction, in steps
}

// loadBaseline sets m to the model of the baseline.
func (m *motionModel) loadBaseline(p *baseline, cubes int) {
	if p.model == nil {
		m.reset(cubes)
		return
	}
	m.copyFrom(p.model)
}

// reset sets m to a model that has learned nothing.
func (m *motionModel) reset(cubes int) {
	*m = motionModel{residuals: slices.Grow(m.residuals[:0], cubes)[:cubes]}
	clear(m.residuals)
}

// copyFrom sets m to a copy of o that shares no memory.
func (m *motionModel) copyFrom(o *motionModel) {
	residuals := append(m.residuals[:0], o.residuals...)
	*m = *o
	m.residuals = residuals
}

// sizeClass returns the bit length of a magnitude, at most limit.
func sizeClass(n, limit int) int { return min(bits.Len(uint(max(n, -n))), limit) }

// lengthClass returns the size class of a length in steps of 1/1024, at most limit.
func lengthClass(x float32, limit int) int {
	if !(x < 1<<12) {
		return limit
	}
	return sizeClass(int(float32(x*1024)), limit)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// snapshotCoder codes one snapshot.
type snapshotCoder struct {
	*motionModel
	c        *entropy.Coder
	cubes    []Cube
	baseline *baseline
	ball     ballMotion

	changeHistory          int // one bit per previous cube, lowest first: it changed
	recentPositionError    int // running mean over the previous cubes, in steps
	recentOrientationError int // likewise for rotations
	bitAccount
}

// charge attributes the bits since the last call to a field.
func (s *snapshotCoder) charge(on *float64) { s.chargeUpTo(on, s.c.BitsSpent()) }

// codeSnapshot reads or writes a snapshot.
func (m *motionModel) codeSnapshot(c *entropy.Coder, now []Cube, p *baseline, spent *BitBreakdown) {
	f := snapshotCoder{motionModel: m, c: c, cubes: now, baseline: p, bitAccount: bitAccount{BitBreakdown: spent}}
	f.ball.fitBaseline(p, &m.coefficients)
	for i := range now {
		if c.Err() != nil {
			return
		}
		f.codeCube(i)
	}
	f.ball.residual.solve()
	m.coefficients = f.ball.residual.solution
}

// codeCube reads or writes one cube.
func (s *snapshotCoder) codeCube(i int) {
	k, b := &s.cubes[i], &s.baseline.cubes[i]
	ahead := s.baseline.extrapolate(i)
	distance := 0 // from the player's cube, whose new state is already known
	if i > 0 {
		distance = 1 + lengthClass(s.cubes[0].Position().Sub(ahead.basePos).Len()/64, 14)
	}
	changed := s.codeChanged(k, b, &ahead, distance)
	s.charge(&s.Index)
	if !changed {
		*k = *b
		s.residuals[i] = residual{}
		return
	}
	s.codeTouched(k, b, &ahead, distance)
	s.charge(&s.Touched)

	e := s.predict(i, k, &ahead)
	previous := s.residuals[i]
	var now residual
	now.positionError = int32(s.codePosition(k, &e, &previous))
	s.charge(&s.Position)
	now.translation = k.Position().Sub(ahead.basePos).Sub(ahead.translation)
	if k.Touched {
		s.ball.residual.add(e.translation, now.translation, 1)
		e.rot = quatFromVector(ahead.rotation.Add(s.ball.residual.evaluate(e.rotation))).Mul(ahead.baseRot).Unit()
	}
	now.orientationError = int32(s.codeOrientation(k, &e, &previous, int(now.positionError)))
	s.charge(&s.Rotation)
	now.rotation = rotationVector(k.Rotation().Mul(quatFromVector(ahead.rotation).Mul(ahead.baseRot).Inverse()))
	if k.Touched {
		s.ball.residual.add(e.rotation, now.rotation, rotationWeight)
	}
	s.residuals[i] = now
	if s.c.Reading() && *k == *b {
		s.c.Fail(entropy.ErrNotCanonical) // not changed
	}
}

// codeChanged codes whether a cube differs from the baseline.
func (s *snapshotCoder) codeChanged(k, b *Cube, ahead *extrapolation, distance int) bool {
	moving, touched := boolInt(ahead.moving), boolInt(b.Touched)
	v := s.c.MixedBit(*k != *b, &s.changedMix[moving*2+touched], []*entropy.BitModel{
		&s.changed[0][moving*4+touched*2+s.changeHistory&1],
		&s.changed[1][lengthClass(ahead.translation.Len(), 14)*2+touched],
		&s.changed[2][moving*16+distance],
		&s.changed[3][moving*8+s.changeHistory&7],
	})
	s.changeHistory = s.changeHistory<<1&7 | boolInt(v)
	return v
}

// codeTouched codes whether a cube is touched.
func (s *snapshotCoder) codeTouched(k, b *Cube, ahead *extrapolation, distance int) {
	t := boolInt(b.Touched)
	k.Touched = s.c.MixedBit(k.Touched, &s.touchedMix[t], []*entropy.BitModel{
		&s.touched[0][t*2+boolInt(ahead.moving)],
		&s.touched[1][t*16+distance],
		&s.touched[2][t*16+lengthClass(ahead.translation.Len(), 14)],
	})
}

// prediction is the predicted pose of a cube.
type prediction struct {
	ballMember
	pos                                   [3]int32
	rot                                   geom.Quat
	deviationClass, angularDeviationClass int // difference of the extrapolation from the ball's motion, as a context
}

// predict predicts a cube. A touched cube follows the ball, any other its own motion.
func (s *snapshotCoder) predict(i int, k *Cube, ahead *extrapolation) (e prediction) {
	displacement := ahead.translation
	if k.Touched {
		e.ballMember = s.ball.member(ahead, &s.residuals[i])
		displacement = displacement.Add(s.ball.residual.evaluate(e.translation))
		e.deviationClass, e.angularDeviationClass = 32+lengthClass(e.deviation, 20), 32+lengthClass(e.angularDeviation, 20)
	} else {
		e.deviationClass, e.angularDeviationClass = lengthClass(displacement.Len(), 20), lengthClass(ahead.rotation.Len(), 20)
		e.rot = quatFromVector(ahead.rotation).Mul(ahead.baseRot).Unit()
	}
	for a, x := range [3]float32{displacement.X, displacement.Y, displacement.Z} {
		e.pos[a] = min(max(s.baseline.cubes[i].Pos[a]+metresToSteps(x), MinPosition[a]), MaxPosition[a])
	}
	return e
}

// codePosition codes a position as the difference from its prediction and returns the
// size of that difference, in steps.
func (s *snapshotCoder) codePosition(k *Cube, e *prediction, previous *residual) (errorSize int) {
	x := &s.positionModel
	for a := range k.Pos {
		predicted := int(e.pos[a])
		d := s.c.Number(int(k.Pos[a])-predicted, int(MinPosition[a])-predicted, int(MaxPosition[a])-predicted, &x.mixers[boolInt(k.Touched)],
			&x.byDeviation[e.deviationClass], &x.byAxis[a*8+sizeClass(errorSize, 7)], &x.byRecentError[sizeClass(s.recentPositionError, 19)],
			&x.byLastError[sizeClass(int(previous.positionError), 19)])
		k.Pos[a] = int32(predicted + d)
		errorSize += max(d, -d)
	}
	s.recentPositionError = (3*s.recentPositionError + 4*errorSize) / 4
	return errorSize
}

// codeOrientation does the same for a rotation: first which component is the largest,
// then the others. A large position error means wild motion, so it is a context.
func (s *snapshotCoder) codeOrientation(k *Cube, e *prediction, previous *residual, positionError int) (errorSize int) {
	s.codeLargest(k, e.rot, sizeClass(positionError, 11))
	x := &s.orientationModel
	predicted := smallestComponents(e.rot, k.Largest)
	for a := range k.Smallest {
		w := int(predicted[a])
		d := s.c.Number(int(k.Smallest[a])-w, -w, MaxComponent-w, &x.mixers[boolInt(k.Touched)],
			&x.byDeviation[e.angularDeviationClass], &x.byAxis[a*8+sizeClass(errorSize, 7)],
			&x.byRecentError[sizeClass(s.recentOrientationError, 19)], &x.byLastError[sizeClass(int(previous.orientationError), 19)],
			&x.byPositionError[sizeClass(positionError, 11)])
		k.Smallest[a] = int16(w + d)
		errorSize += max(d, -d)
	}
	s.recentOrientationError = (3*s.recentOrientationError + 4*errorSize) / 4
	if s.c.Reading() && !k.Valid() {
		s.c.Fail(ErrOrientation)
	}
	return errorSize
}

// codeLargest codes which component is the largest.
func (s *snapshotCoder) codeLargest(k *Cube, rot geom.Quat, positionClass int) {
	l := largestComponent(rot)
	if s.c.MixedBit(k.Largest == l, &s.largestMix, []*entropy.BitModel{
		&s.largest[0][sizeClass(s.recentOrientationError, 19)], &s.largest[1][largestMargin(rot)], &s.largest[2][positionClass],
	}) {
		k.Largest = l
		return
	}
	k.Largest = codeOtherLargest(s.c, k.Largest, l, &s.otherLargest[l])
}

// codeOtherLargest codes which of the three unexpected components is the largest.
func codeOtherLargest(c *entropy.Coder, v, expected uint8, m *[2]entropy.BitModel) uint8 {
	d := (v - expected) & 3
	switch {
	case c.Bit(d == 1, &m[0]):
		d = 1
	case c.Bit(d == 2, &m[1]):
		d = 2
	default:
		d = 3
	}
	return (expected + d) & 3
}

// largestMargin returns the margin of the largest component over the second, in 128ths,
// at most 31.
func largestMargin(q geom.Quat) int {
	var first, second float32
	for _, x := range [4]float32{q.X, q.Y, q.Z, q.W} {
		if x = geom.Abs(x); x > first {
			first, second = x, first
		} else if x > second {
			second = x
		}
	}
	return int(min(float32((first-second)*128), 31))
}
