package delta

import (
	"ghostcube/net/entropy"
	"ghostcube/net/quant"
	"ghostcube/sim/geom"
)

// OrientationScheme is a way to write a rotation of which an older one is known, in
// bits.
type OrientationScheme struct {
	Name, Doc string

	code func(p *bitPacker, now, base *Orientation)
}

// OrientationSchemes are the article's, from the plain one on. Those of the program take
// the ranges as it counts them, which leave some codes unused; package quant's
// use all of them.
var OrientationSchemes = []OrientationScheme{
	{"absolute", "2 bits and three times 9", func(p *bitPacker, now, base *Orientation) { p.codeOrientation(now) }},
	{"relative 5-8, published", "the article's, with the ranges as its program counts them", func(p *bitPacker, now, base *Orientation) { p.codePublishedOrientation(now, base, 5, 8) }},
	{"relative 4-7, published", "the same in finer steps", func(p *bitPacker, now, base *Orientation) { p.codePublishedOrientation(now, base, 4, 7) }},
	{"relative 5-8", "with all codes used", func(p *bitPacker, now, base *Orientation) {
		p.codeRelativeOrientation(now, base, quant.RotationDeltaBits)
	}},
	{"relative 4-7", "the same in finer steps", func(p *bitPacker, now, base *Orientation) {
		p.codeRelativeOrientation(now, base, quant.FineRotationDeltaBits)
	}},
}

// Code reads or writes a turn by a known one, and returns it.
func (s *OrientationScheme) Code(c *quant.Coder, now, base Orientation) Orientation {
	p := bitPacker{c: c}
	s.code(&p, &now, &base)
	return now
}

// codePublishedOrientation is a rotation relative to another as the program of 2015 counts it: a
// bit that says it is relative, a bit for each component that says it is small,
// and its difference, without the outermost of what the bits could hold.
func (p *bitPacker) codePublishedOrientation(now, base *Orientation, small, large int) {
	near := 1<<(small-1) - 1
	far := near - 1 + 1<<(large-1)
	if !p.c.Bool(now.deltasFit(base, func(d int) bool { return max(d, -d) < far })) {
		p.codeOrientation(now)
		return
	}
	now.Largest = base.Largest
	for i := range now.Smallest {
		d := int(now.Smallest[i]) - int(base.Smallest[i])
		if p.c.Bool(max(d, -d) < near) {
			d = int(p.c.Signed(int32(d), small))
		} else {
			z := zigzag(d-near, 0, 0)
			if d < 0 {
				z = zigzag(d+near-1, 0, 0)
			}
			z[0] = int(p.c.Bits(uint32(z[0]), large))
			if d = unzigzag(z)[0]; d < 0 {
				d -= near - 1
			} else {
				d += near
			}
		}
		now.Smallest[i] = p.checkedComponent(int(base.Smallest[i]) + d)
	}
	p.checkOrientation(now)
}

// OrientationModel is what has been learned of rotations of which older ones are known. The
// zero value has learned nothing.
type OrientationModel struct {
	largest      [3][32]entropy.BitModel
	largestMix   entropy.Mixer
	otherLargest [4][2]entropy.BitModel

	byRecentError, byComponent, byLastError, bySign, byRotation [80]entropy.NumberModel
	mixers                                                      [2]entropy.NumberMixer

	recentError, lastError int // of how far the turns before were off, in steps
}

// motionPersistence is how much of a motion is expected to last.
const motionPersistence = 0.95

// Code reads or writes a turn by one that is known, its base, and returns it.
// older, which may be nil, is as long before the base as the base is before now:
// then the motion is expected to last.
//
// It is the article's relative smallest three with three differences. The base
// is seen without the component that now lacks, so that it does not matter which
// the base lacks. Each difference is coded by how far off the ones before were, of
// this turn and of others. And what lies in between is no step but a curve that
// is learned.
func (m *OrientationModel) Code(c *entropy.Coder, now, base Orientation, older *Orientation) Orientation {
	from := base.Rotation()
	to, speed := from, 0
	if older != nil {
		motion := rotationVector(from.Mul(older.inverseRotation())).Scale(motionPersistence)
		to = quatFromVector(motion).Mul(from).Unit()
		speed = 1 + lengthClass(motion.Len(), 10)
	}
	l := largestComponent(to)
	if c.MixedBit(now.Largest == l, &m.largestMix, []*entropy.BitModel{
		&m.largest[0][largestMargin(to)], &m.largest[1][sizeClass(m.recentError, 14)], &m.largest[2][largestMargin(from)],
	}) {
		now.Largest = l
	} else {
		now.Largest = codeOtherLargest(c, now.Largest, l, &m.otherLargest[l])
	}

	want, was := smallestComponents(to, now.Largest), smallestComponents(from, now.Largest)
	same := boolInt(now.Largest == base.Largest)
	off, before := 0, 0
	for i := range now.Smallest {
		w := int(want[i])
		d := c.Number(int(now.Smallest[i])-w, -w, MaxComponent-w, &m.mixers[same],
			&m.byRecentError[sizeClass(m.recentError, 14)],
			&m.byComponent[i*12+sizeClass(off, 11)],
			&m.byLastError[sizeClass(m.lastError, 9)*8+sizeClass(off, 7)],
			&m.bySign[same*40+signedSizeClass(before)],
			&m.byRotation[sizeClass(w-int(was[i]), 4)*16+min(sizeClass(off, 15), 15)],
			&m.byRecentError[15+speed*5+sizeClass(off, 8)/2])
		now.Smallest[i] = int16(w + d)
		off += max(d, -d)
		before = d
	}
	m.recentError, m.lastError = (3*m.recentError+4*off)/4, off
	if c.Reading() && !now.Valid() {
		c.Fail(ErrOrientation)
	}
	return now
}

// inverseRotation returns the rotation the other way.
func (t *Orientation) inverseRotation() geom.Quat { return t.Rotation().Inverse() }

// signedSizeClass is a number's sign and size: 16 for zero, in [0,32].
func signedSizeClass(n int) int {
	if n < 0 {
		return 16 - sizeClass(n, 16)
	}
	return 16 + sizeClass(n, 16)
}
