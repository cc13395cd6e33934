package delta

import (
	"math/bits"
	"slices"

	"ghostcube/net/entropy"
	"ghostcube/sim/geom"
)

// motionModel is what a wire has taught both of its ends about how cubes move: how
// likely each answer is, for level Arithmetic. It belongs to a frame. A frame is
// coded with what was learned up to its base, and goes on learning from there
// (Giesen's entry to the challenge, 2015): so what is lost on the way teaches
// neither end anything. The zero value has learned nothing.
type motionModel struct {
	changed                         [4][64]entropy.BitModel
	touched                         [3][32]entropy.BitModel
	largest                         [3][32]entropy.BitModel
	otherLargest                    [4][2]entropy.BitModel
	positionModel, orientationModel vectorModel

	changedMix, touchedMix [4]entropy.Mixer
	largestMix             entropy.Mixer

	coefficients [unknownCount]float64 // coefficients that the frame ended with
	residuals    []residual            // by cube
}

// vectorModel is what has been learned of the numbers of a position or of a rotation,
// by what else is known.
type vectorModel struct {
	byDeviation     [64]entropy.NumberModel // how far the forecast is from the ball's motion
	byAxis          [24]entropy.NumberModel // which axis, and how far the axes before it were off
	byRecentError   [20]entropy.NumberModel // how far the cubes before were off
	byLastError     [20]entropy.NumberModel // how far this cube was off at the base
	byPositionError [12]entropy.NumberModel // of a rotation: how far its position was off
	mixers          [2]entropy.NumberMixer
}

// residual is how far one cube was off in the frame that was coded last. It is
// zero for one that had not changed.
type residual struct {
	translation, rotation           geom.Vec3 // beyond its forecast, in m and rad
	positionError, orientationError int32     // beyond what was expected in the end, in steps
}

// loadBaseline makes m what was learned up to the base.
func (m *motionModel) loadBaseline(p *baseline, cubes int) {
	if p.model == nil {
		m.reset(cubes)
		return
	}
	m.copyFrom(p.model)
}

// reset makes m what has learned nothing.
func (m *motionModel) reset(cubes int) {
	*m = motionModel{residuals: slices.Grow(m.residuals[:0], cubes)[:cubes]}
	clear(m.residuals)
}

// copyFrom makes m an equal of o that shares no memory with it.
func (m *motionModel) copyFrom(o *motionModel) {
	missed := append(m.residuals[:0], o.residuals...)
	*m = *o
	m.residuals = missed
}

// sizeClass is the number of bits of a magnitude, at most most.
func sizeClass(n, most int) int { return min(bits.Len(uint(max(n, -n))), most) }

// lengthClass is the size of a length in steps of 1/1024, at most most.
func lengthClass(x float32, most int) int {
	if !(x < 1<<12) {
		return most
	}
	return sizeClass(int(float32(x*1024)), most)
}

// boolInt is 1 for yes.
func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// snapshotCoder is a frame that is being coded.
type snapshotCoder struct {
	*motionModel
	c        *entropy.Coder
	cubes    []Cube
	baseline *baseline
	ball     ballMotion

	changeHistory          int // bits, the lowest of the cube before: it has changed
	recentPositionError    int // mean of how far the cubes before were off, in steps
	recentOrientationError int // the same of rotations
	bitAccount
}

// charge puts the bits since the last time down to what they told.
func (f *snapshotCoder) charge(on *float64) { f.chargeUpTo(on, f.c.BitsSpent()) }

// codeSnapshot reads or writes a frame.
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
func (f *snapshotCoder) codeCube(i int) {
	k, b := &f.cubes[i], &f.baseline.cubes[i]
	ahead := f.baseline.extrapolate(i)
	far := 0 // from the player's cube, whose frame is known by now
	if i > 0 {
		far = 1 + lengthClass(f.cubes[0].Position().Sub(ahead.basePos).Len()/64, 14)
	}
	changed := f.codeChanged(k, b, &ahead, far)
	f.charge(&f.Index)
	if !changed {
		*k = *b
		f.residuals[i] = residual{}
		return
	}
	f.codeTouched(k, b, &ahead, far)
	f.charge(&f.Touched)

	e := f.predict(i, k, &ahead)
	was := f.residuals[i]
	var now residual
	now.positionError = int32(f.codePosition(k, &e, &was))
	f.charge(&f.Position)
	now.translation = k.Position().Sub(ahead.basePos).Sub(ahead.translation)
	if k.Touched {
		f.ball.residual.add(e.translation, now.translation, 1)
		e.rot = quatFromVector(ahead.rotation.Add(f.ball.residual.evaluate(e.rotation))).Mul(ahead.baseRot).Unit()
	}
	now.orientationError = int32(f.codeOrientation(k, &e, &was, int(now.positionError)))
	f.charge(&f.Rotation)
	now.rotation = rotationVector(k.Rotation().Mul(quatFromVector(ahead.rotation).Mul(ahead.baseRot).Inverse()))
	if k.Touched {
		f.ball.residual.add(e.rotation, now.rotation, rotationWeight)
	}
	f.residuals[i] = now
	if f.c.Reading() && *k == *b {
		f.c.Fail(entropy.ErrNotCanonical) // it has not changed
	}
}

// codeChanged reports whether a cube is other than in the base.
func (f *snapshotCoder) codeChanged(k, b *Cube, ahead *extrapolation, far int) bool {
	moving, touched := boolInt(ahead.moving), boolInt(b.Touched)
	v := f.c.MixedBit(*k != *b, &f.changedMix[moving*2+touched], []*entropy.BitModel{
		&f.changed[0][moving*4+touched*2+f.changeHistory&1],
		&f.changed[1][lengthClass(ahead.translation.Len(), 14)*2+touched],
		&f.changed[2][moving*16+far],
		&f.changed[3][moving*8+f.changeHistory&7],
	})
	f.changeHistory = f.changeHistory<<1&7 | boolInt(v)
	return v
}

// codeTouched is whether a cube is touched.
func (f *snapshotCoder) codeTouched(k, b *Cube, ahead *extrapolation, far int) {
	t := boolInt(b.Touched)
	k.Touched = f.c.MixedBit(k.Touched, &f.touchedMix[t], []*entropy.BitModel{
		&f.touched[0][t*2+boolInt(ahead.moving)],
		&f.touched[1][t*16+far],
		&f.touched[2][t*16+lengthClass(ahead.translation.Len(), 14)],
	})
}

// prediction is where a cube is expected, and how.
type prediction struct {
	ballMember
	pos                                   [3]int32
	rot                                   geom.Quat
	deviationClass, angularDeviationClass int // how far the forecast is from the ball's motion: which models know
}

// predict returns what is expected of a cube. A cube that is not in the player's
// hands is expected to go on; of one that is, the swarm knows more.
func (f *snapshotCoder) predict(i int, k *Cube, ahead *extrapolation) (e prediction) {
	way := ahead.translation
	if k.Touched {
		e.ballMember = f.ball.member(ahead, &f.residuals[i])
		way = way.Add(f.ball.residual.evaluate(e.translation))
		e.deviationClass, e.angularDeviationClass = 32+lengthClass(e.deviation, 20), 32+lengthClass(e.angularDeviation, 20)
	} else {
		e.deviationClass, e.angularDeviationClass = lengthClass(way.Len(), 20), lengthClass(ahead.rotation.Len(), 20)
		e.rot = quatFromVector(ahead.rotation).Mul(ahead.baseRot).Unit()
	}
	for a, x := range [3]float32{way.X, way.Y, way.Z} {
		e.pos[a] = min(max(f.baseline.cubes[i].Pos[a]+metresToSteps(x), MinPosition[a]), MaxPosition[a])
	}
	return e
}

// codePosition is a position by its difference from what is expected. It returns how
// far off that was, in steps.
func (f *snapshotCoder) codePosition(k *Cube, e *prediction, was *residual) (off int) {
	x := &f.positionModel
	for a := range k.Pos {
		want := int(e.pos[a])
		d := f.c.Number(int(k.Pos[a])-want, int(MinPosition[a])-want, int(MaxPosition[a])-want, &x.mixers[boolInt(k.Touched)],
			&x.byDeviation[e.deviationClass], &x.byAxis[a*8+sizeClass(off, 7)], &x.byRecentError[sizeClass(f.recentPositionError, 19)], &x.byLastError[sizeClass(int(was.positionError), 19)])
		k.Pos[a] = int32(want + d)
		off += max(d, -d)
	}
	f.recentPositionError = (3*f.recentPositionError + 4*off) / 4
	return off
}

// codeOrientation is a rotation in the same way: which component is the largest, and
// the others. How far the position was off says how wildly the cube moves.
func (f *snapshotCoder) codeOrientation(k *Cube, e *prediction, was *residual, moved int) (off int) {
	f.codeLargest(k, e.rot, sizeClass(moved, 11))
	x := &f.orientationModel
	want := smallestComponents(e.rot, k.Largest)
	for a := range k.Smallest {
		w := int(want[a])
		d := f.c.Number(int(k.Smallest[a])-w, -w, MaxComponent-w, &x.mixers[boolInt(k.Touched)],
			&x.byDeviation[e.angularDeviationClass], &x.byAxis[a*8+sizeClass(off, 7)], &x.byRecentError[sizeClass(f.recentOrientationError, 19)], &x.byLastError[sizeClass(int(was.orientationError), 19)], &x.byPositionError[sizeClass(moved, 11)])
		k.Smallest[a] = int16(w + d)
		off += max(d, -d)
	}
	f.recentOrientationError = (3*f.recentOrientationError + 4*off) / 4
	if f.c.Reading() && !k.Valid() {
		f.c.Fail(ErrOrientation)
	}
	return off
}

// codeLargest is which component is the largest.
func (f *snapshotCoder) codeLargest(k *Cube, rot geom.Quat, moved int) {
	l := largestComponent(rot)
	if f.c.MixedBit(k.Largest == l, &f.largestMix, []*entropy.BitModel{
		&f.largest[0][sizeClass(f.recentOrientationError, 19)], &f.largest[1][largestMargin(rot)], &f.largest[2][moved],
	}) {
		k.Largest = l
		return
	}
	k.Largest = codeOtherLargest(f.c, k.Largest, l, &f.otherLargest[l])
}

// codeOtherLargest is which component is the largest if it is not the expected one: one of
// three, by its distance from that.
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

// largestMargin is by how much the largest component of a rotation is larger than the
// next, in 128ths, at most 31.
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
