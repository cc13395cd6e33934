package delta

import (
	"ghostcube/net/entropy"
	"ghostcube/net/quant"
	"ghostcube/sim/geom"
)

// OrientationScheme encodes a rotation relative to an older one, in whole bits.
type OrientationScheme struct {
	Name, Doc string

	code func(p *bitPacker, now, base *Orientation)
}

// OrientationSchemes are the article's schemes, simplest first. The published ones take
// the ranges as the article's program counts them, which leaves codes unused; the
// ranges of package quant use all codes.
var OrientationSchemes = []OrientationScheme{
	{"absolute", "2 bits and three components of 9", func(p *bitPacker, now, base *Orientation) { p.codeOrientation(now) }},
	{"relative 5-8, published", "the article's scheme, with the ranges of its program",
		func(p *bitPacker, now, base *Orientation) { p.codePublishedOrientation(now, base, 5, 8) }},
	{"relative 4-7, published", "the same with 4 and 7 bits", func(p *bitPacker, now, base *Orientation) { p.codePublishedOrientation(now, base, 4, 7) }},
	{"relative 5-8", "the same with no unused codes", func(p *bitPacker, now, base *Orientation) {
		p.codeRelativeOrientation(now, base, quant.RotationDeltaBits)
	}},
	{"relative 4-7", "the same with 4 and 7 bits", func(p *bitPacker, now, base *Orientation) {
		p.codeRelativeOrientation(now, base, quant.FineRotationDeltaBits)
	}},
}

// Code reads or writes a rotation relative to base and returns it.
func (s *OrientationScheme) Code(c *quant.Coder, now, base Orientation) Orientation {
	p := bitPacker{c: c}
	s.code(&p, &now, &base)
	return now
}

// codePublishedOrientation codes a rotation as the program of 2015 does: a bit that is
// set if it is relative, then for each component a bit that is set if the difference is
// small, and the difference, in a range that is smaller than its bits could represent.
func (p *bitPacker) codePublishedOrientation(now, base *Orientation, small, large int) {
	smallEnd := 1<<(small-1) - 1
	largeEnd := smallEnd - 1 + 1<<(large-1)
	if !p.c.Bool(now.deltasFit(base, func(d int) bool { return max(d, -d) < largeEnd })) {
		p.codeOrientation(now)
		return
	}
	now.Largest = base.Largest
	for i := range now.Smallest {
		d := int(now.Smallest[i]) - int(base.Smallest[i])
		if p.c.Bool(max(d, -d) < smallEnd) {
			d = int(p.c.Signed(int32(d), small))
		} else {
			z := zigzag(d-smallEnd, 0, 0)
			if d < 0 {
				z = zigzag(d+smallEnd-1, 0, 0)
			}
			z[0] = int(p.c.Bits(uint32(z[0]), large))
			if d = unzigzag(z)[0]; d < 0 {
				d -= smallEnd - 1
			} else {
				d += smallEnd
			}
		}
		now.Smallest[i] = p.checkedComponent(int(base.Smallest[i]) + d)
	}
	p.checkOrientation(now)
}

// OrientationModel is an adaptive model of rotations relative to older ones. The zero
// value has learned nothing.
type OrientationModel struct {
	largest      [3][32]entropy.BitModel
	largestMix   entropy.Mixer
	otherLargest [4][2]entropy.BitModel

	byRecentError, byComponent, byLastError, bySign, byRotation [80]entropy.NumberModel
	mixers                                                      [2]entropy.NumberMixer

	recentError, lastError int // of the previous rotations, in steps
}

// motionPersistence is the fraction of a motion that is expected to persist.
const motionPersistence = 0.95

// Code reads or writes a rotation relative to base and returns it. older, which may be
// nil, is as long before base as base is before now; with it the motion is
// extrapolated.
//
// It is the article's relative smallest three with three changes. The baseline is
// expressed without the component omitted now, so the two need not omit the same one.
// The context of each difference is the size of earlier ones, in this rotation and
// before. And instead of a fixed short and long form, the distribution of differences
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

	predicted, unchanged := smallestComponents(to, now.Largest), smallestComponents(from, now.Largest)
	same := boolInt(now.Largest == base.Largest)
	errorSize, lastDelta := 0, 0
	for i := range now.Smallest {
		w := int(predicted[i])
		d := c.MixedNumber(int(now.Smallest[i])-w, -w, MaxComponent-w, &m.mixers[same],
			&m.byRecentError[sizeClass(m.recentError, 14)],
			&m.byComponent[i*12+sizeClass(errorSize, 11)],
			&m.byLastError[sizeClass(m.lastError, 9)*8+sizeClass(errorSize, 7)],
			&m.bySign[same*40+signedSizeClass(lastDelta)],
			&m.byRotation[sizeClass(w-int(unchanged[i]), 4)*16+min(sizeClass(errorSize, 15), 15)],
			&m.byRecentError[15+speed*5+sizeClass(errorSize, 8)/2])
		now.Smallest[i] = int16(w + d)
		errorSize += max(d, -d)
		lastDelta = d
	}
	m.recentError, m.lastError = (3*m.recentError+4*errorSize)/4, errorSize
	if c.Reading() && !now.Valid() {
		c.Fail(ErrOrientation)
	}
	return now
}

// inverseRotation returns the inverse of the rotation.
func (o *Orientation) inverseRotation() geom.Quat { return o.Rotation().Inverse() }

// signedSizeClass returns a class of sign and size in [0,32], 16 for zero.
func signedSizeClass(n int) int {
	if n < 0 {
		return 16 - sizeClass(n, 16)
	}
	return 16 + sizeClass(n, 16)
}
