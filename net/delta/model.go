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
	groupChanged          [groupDistances]entropy.BitModel
	changed               [4][64]entropy.BitModel
	touched               [3][32]entropy.BitModel
	largest               [3][32]entropy.BitModel
	otherLargest          [4][2]entropy.BitModel
	position, orientation [3][fineSizeClasses]entropy.NumberModel // by axis, and error expected

	changedMix, touchedMix [4]entropy.Mixer
	largestMix             entropy.Mixer

	coefficients [unknownCount - sharedCount]float32 // at the end of the snapshot
	residuals    []residual                          // of the touched cubes, in order
}

// residual is the motion of a touched cube beyond its extrapolation.
type residual struct {
	cube                  int
	translation, rotation geom.Vec3 // m and rad
}

// loadBaseline sets m to the model of the baseline.
func (m *motionModel) loadBaseline(p *baseline) {
	if p.model == nil {
		m.reset()
		return
	}
	m.copyFrom(p.model)
}

// reset sets m to a model that has learned nothing.
func (m *motionModel) reset() { *m = motionModel{residuals: m.residuals[:0]} }

// copyFrom sets m to a copy of o that shares no memory.
func (m *motionModel) copyFrom(o *motionModel) {
	residuals := append(m.residuals[:0], o.residuals...)
	*m = *o
	m.residuals = residuals
}

// sizeClass returns the bit length of a magnitude, at most limit.
func sizeClass(n, limit int) int { return min(bits.Len(uint(max(n, -n))), limit) }

// fineSizeClasses is the number of fine size classes.
const fineSizeClasses = 24

// fineSizeClass returns a class of a magnitude, two to each doubling.
func fineSizeClass(n int) int {
	if n < 2 {
		return n
	}
	size := bits.Len(uint(n))
	return min(2*size-2+n>>(size-2)&1, fineSizeClasses-1)
}

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

// snapshotCoder codes one snapshot. It reuses memory. The zero value is ready.
type snapshotCoder struct {
	*motionModel
	c        *entropy.Coder
	cubes    []Cube
	baseline *baseline
	ball     ballMotion
	ahead    []extrapolation // by cube; at first, of those that do not rest
	resting  []uint32        // by group, a bit per cube
	previous []residual      // at the baseline, of the cubes not yet coded

	changeHistory          int // one bit per previous cube, lowest first: it changed
	recentPositionError    int // running mean over the previous cubes, in steps
	recentOrientationError int // likewise for rotations
	bitAccount
	cubeBits *cubeBits
}

// Cubes rest that are not touched and did not move up to the baseline. One bit tells of a
// group of neighbouring indices whether any of its resting cubes changes.
const (
	groupCubes     = 32
	groupDistances = 20
)

// charge attributes the bits since the last call to a field.
func (s *snapshotCoder) charge(on *float64) { s.chargeUpTo(on, s.c.BitsSpent()) }

// code reads or writes a snapshot. m is the model of the baseline, which learns it.
func (s *snapshotCoder) code(c *entropy.Coder, now []Cube, p *baseline, m *motionModel, spent *BitBreakdown, each *cubeBits) {
	s.motionModel, s.c, s.cubes, s.baseline, s.bitAccount = m, c, now, p, bitAccount{BitBreakdown: spent}
	s.cubeBits = each
	s.changeHistory, s.recentPositionError, s.recentOrientationError = 0, 0, 0
	s.begin()
	if c.Reading() {
		copy(now, p.cubes)
	}
	for g := range s.resting {
		s.codeGroup(g)
		if c.Err() != nil {
			break
		}
	}
	s.charge(&s.Index)
	s.ball.residual.solve()
	m.coefficients = s.ball.residual.coefficients
	s.motionModel, s.c, s.cubes, s.baseline, s.bitAccount, s.previous = nil, nil, nil, nil, bitAccount{}, nil
	s.cubeBits = nil
}

// begin extrapolates the cubes that do not rest and fits the motion of the ball.
func (s *snapshotCoder) begin() {
	p := s.baseline
	n := len(p.cubes)
	s.ball.begin(p.cubes[0].Position(), &s.coefficients)
	s.ahead = slices.Grow(s.ahead[:0], n)[:n]
	s.resting = slices.Grow(s.resting[:0], n/groupCubes+1)[:0]
	for i := range p.cubes {
		if i%groupCubes == 0 {
			s.resting = append(s.resting, 0)
		}
		b := &p.cubes[i]
		if !b.Touched && (p.olderCubes == nil || p.olderCubes[i] == *b) {
			s.resting[i/groupCubes] |= 1 << (i % groupCubes)
			continue
		}
		s.ahead[i] = p.extrapolate(i)
		if b.Touched && s.ahead[i].moving {
			s.ball.addMotion(&s.ahead[i])
		}
	}
	s.ball.motion.solve()
	s.previous = s.residuals
	if p.model != nil {
		s.previous = p.model.residuals
	}
	s.residuals = s.residuals[:0]
}

// codeGroup reads or writes a group of cubes.
func (s *snapshotCoder) codeGroup(g int) {
	first := g * groupCubes
	last := min(first+groupCubes, len(s.cubes))
	resting := s.resting[g]
	awake := resting == 0 || s.codeGroupChanged(first, resting)
	restingChanged := resting == 0 || !awake
	for i := first; i < last; i++ {
		rests := resting>>(i-first)&1 != 0
		if !rests || awake {
			restingChanged = s.codeCube(i, rests) && rests || restingChanged
		}
	}
	if s.c.Reading() && !restingChanged {
		s.c.Fail(entropy.ErrNotCanonical)
	}
}

// codeGroupChanged codes whether any resting cube of a group changes. The player's cube
// wakes those near it.
func (s *snapshotCoder) codeGroupChanged(first int, resting uint32) bool {
	base := s.baseline.cubes
	nearest, changed := groupDistances-1, false
	for ; resting != 0; resting &= resting - 1 {
		i := first + bits.TrailingZeros32(resting)
		nearest = min(nearest, distanceClass(&base[i], &base[0]))
		changed = changed || s.cubes[i] != base[i]
	}
	changed = s.c.Bit(changed, &s.groupChanged[nearest])
	s.cubeBits.chargeShared(s.c.BitsSpent())
	return changed
}

// distanceClass returns the size class of the distance of two cubes in steps, below
// groupDistances.
func distanceClass(a, b *Cube) int {
	x, y, z := int64(a.Pos[0]-b.Pos[0]), int64(a.Pos[1]-b.Pos[1]), int64(a.Pos[2]-b.Pos[2])
	return (bits.Len64(uint64(x*x+y*y+z*z)) + 1) / 2
}

// codeCube reads or writes one cube and returns whether it changes. When reading, it is
// the baseline's at first.
func (s *snapshotCoder) codeCube(i int, rests bool) bool {
	k, b := &s.cubes[i], &s.baseline.cubes[i]
	ahead := &s.ahead[i]
	if rests {
		*ahead = extrapolation{basePos: b.Position(), baseRot: b.Rotation()}
	}
	distance := 0 // from the player's cube, whose new state is already known
	if i > 0 {
		distance = 1 + lengthClass(s.cubes[0].Position().Sub(ahead.basePos).Len()/64, 14)
	}
	changed := s.codeChanged(k, b, ahead, distance)
	s.cubeBits.chargeCube(i, s.c.BitsSpent())
	if !changed {
		return false
	}
	s.charge(&s.Index)
	s.codeTouched(k, b, ahead, distance)
	s.charge(&s.Touched)

	previous := s.previousResidual(i)
	now := residual{cube: i}
	e := s.predict(i, k, ahead, &previous)
	positionError := s.codePosition(k, &e)
	s.charge(&s.Position)
	if k.Touched {
		now.translation = k.Position().Sub(ahead.basePos).Sub(ahead.translation)
		s.ball.residual.addTranslation(&e.translation, now.translation)
		s.ball.residual.refresh()
		e.rot = quatFromVector(ahead.rotation.Add(s.ball.residual.spin(&e.rotation))).Mul(ahead.baseRot).Unit()
	}
	s.codeOrientation(k, &e, positionError)
	s.charge(&s.Rotation)
	s.cubeBits.chargeCube(i, s.charged)
	if k.Touched {
		now.rotation = rotationVector(k.Rotation().Mul(quatFromVector(ahead.rotation).Mul(ahead.baseRot).Inverse()))
		s.ball.residual.addRotation(&e.rotation, now.rotation, rotationWeight)
		s.ball.residual.refresh()
		s.residuals = append(s.residuals, now)
	}
	if s.c.Reading() && *k == *b {
		s.c.Fail(entropy.ErrNotCanonical) // not changed
	}
	return true
}

// previousResidual returns the residual of cube i at the baseline, zero if it was not touched.
func (s *snapshotCoder) previousResidual(i int) residual {
	for len(s.previous) > 0 && s.previous[0].cube < i {
		s.previous = s.previous[1:]
	}
	if len(s.previous) > 0 && s.previous[0].cube == i {
		return s.previous[0]
	}
	return residual{}
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
	pos [3]int32
	rot geom.Quat
}

// predict predicts a cube. A touched cube follows the ball, any other its own motion.
func (s *snapshotCoder) predict(i int, k *Cube, ahead *extrapolation, previous *residual) (e prediction) {
	displacement := ahead.translation
	if k.Touched {
		e.ballMember = s.ball.member(ahead, previous)
		displacement = displacement.Add(s.ball.residual.displacement(&e.translation))
	} else {
		e.rot = quatFromVector(ahead.rotation).Mul(ahead.baseRot).Unit()
	}
	for a, x := range [3]float32{displacement.X, displacement.Y, displacement.Z} {
		e.pos[a] = min(max(s.baseline.cubes[i].Pos[a]+metresToSteps(x), MinPosition[a]), MaxPosition[a])
	}
	return e
}

// codePosition codes a position as the difference from its prediction and returns the
// size of that difference, in steps.
func (s *snapshotCoder) codePosition(k *Cube, e *prediction) (errorSize int) {
	for a := range k.Pos {
		predicted := int(e.pos[a])
		d := s.c.Number(int(k.Pos[a])-predicted, int(MinPosition[a])-predicted, int(MaxPosition[a])-predicted,
			&s.position[a][fineSizeClass(s.recentPositionError+8*errorSize)])
		k.Pos[a] = int32(predicted + d)
		errorSize += max(d, -d)
	}
	s.recentPositionError = (3*s.recentPositionError + 4*errorSize) / 4
	return errorSize
}

// codeOrientation does the same for a rotation: first which component is the largest,
// then the others. A large position error means wild motion, so it is a context.
func (s *snapshotCoder) codeOrientation(k *Cube, e *prediction, positionError int) {
	s.codeLargest(k, e.rot, sizeClass(positionError, 11))
	predicted := smallestComponents(e.rot, k.Largest)
	errorSize := 0
	for a := range k.Smallest {
		w := int(predicted[a])
		d := s.c.Number(int(k.Smallest[a])-w, -w, MaxComponent-w,
			&s.orientation[a][fineSizeClass(4*positionError+8*errorSize)])
		k.Smallest[a] = int16(w + d)
		errorSize += max(d, -d)
	}
	s.recentOrientationError = (3*s.recentOrientationError + 4*errorSize) / 4
	if s.c.Reading() && !k.Valid() {
		s.c.Fail(ErrOrientation)
	}
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
