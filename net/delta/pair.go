package delta

import (
	"ghostcube/net/entropy"
	"ghostcube/net/quant"
	"ghostcube/sim/geom"
)

// PairScheme is a way to write a rotation of which an older one is known, in
// bits.
type PairScheme struct {
	Name, Doc string

	code func(p *packed, now, base *Turn)
}

// PairSchemes are the article's, from the plain one on. Those of the program take
// the ranges as it counts them, which leave some codes unused; package quant's
// use all of them.
var PairSchemes = []PairScheme{
	{"absolute", "2 bits and three times 9", func(p *packed, now, base *Turn) { p.rotation(now) }},
	{"relative 5-8, published", "the article's, with the ranges as its program counts them", func(p *packed, now, base *Turn) { p.published(now, base, 5, 8) }},
	{"relative 4-7, published", "the same in finer steps", func(p *packed, now, base *Turn) { p.published(now, base, 4, 7) }},
	{"relative 5-8", "with all codes used", func(p *packed, now, base *Turn) { p.turned(now, base, quant.RotationLadder) }},
	{"relative 4-7", "the same in finer steps", func(p *packed, now, base *Turn) { p.turned(now, base, quant.FineRotationLadder) }},
}

// Code reads or writes a turn by a known one, and returns it.
func (s *PairScheme) Code(c *quant.Coder, now, base Turn) Turn {
	p := packed{c: c}
	s.code(&p, &now, &base)
	return now
}

// published is a rotation relative to another as the program of 2015 counts it: a
// bit that says it is relative, a bit for each component that says it is small,
// and its difference, without the outermost of what the bits could hold.
func (p *packed) published(now, base *Turn, small, large int) {
	near := 1<<(small-1) - 1
	far := near - 1 + 1<<(large-1)
	if !p.c.Bool(now.within(base, func(d int) bool { return max(d, -d) < far })) {
		p.rotation(now)
		return
	}
	now.Largest = base.Largest
	for i := range now.Rest {
		d := int(now.Rest[i]) - int(base.Rest[i])
		if p.c.Bool(max(d, -d) < near) {
			d = int(p.c.Signed(int32(d), small))
		} else {
			z := zigzag(d-near, 0, 0)
			if d < 0 {
				z = zigzag(d+near-1, 0, 0)
			}
			z[0] = int(p.c.Bits(uint32(z[0]), large))
			if d = zagzig(z)[0]; d < 0 {
				d -= near - 1
			} else {
				d += near
			}
		}
		now.Rest[i] = p.component(int(base.Rest[i]) + d)
	}
	p.check(now)
}

// Turns is what has been learned of rotations of which older ones are known. The
// zero value has learned nothing.
type Turns struct {
	largest    [3][32]entropy.Bit
	largestMix entropy.Mixer
	another    [4][2]entropy.Bit

	near, before, joint, sign, moved [80]entropy.Number
	mix                              [2]entropy.NumberMixer

	mean, last int // of how far the turns before were off, in steps
}

// lasting is how much of a motion is expected to last.
const lasting = 0.95

// Code reads or writes a turn by one that is known, its base, and returns it.
// older, which may be nil, is as long before the base as the base is before now:
// then the motion is expected to last.
//
// It is the article's relative smallest three with three differences. The base
// is seen without the component that now lacks, so that it does not matter which
// the base lacks. Each difference is coded by how far off the ones before were, of
// this turn and of others. And what lies in between is no step but a curve that
// is learned.
func (m *Turns) Code(c *entropy.Coder, now, base Turn, older *Turn) Turn {
	from := base.Rotation()
	to, speed := from, 0
	if older != nil {
		motion := turnOf(from.Mul(older.inverse())).Scale(lasting)
		to = rotationOf(motion).Mul(from).Unit()
		speed = 1 + scaled(motion.Len(), 10)
	}
	l := largest(to)
	if c.Mix(now.Largest == l, &m.largestMix, []*entropy.Bit{
		&m.largest[0][margin(to)], &m.largest[1][size(m.mean, 14)], &m.largest[2][margin(from)],
	}) {
		now.Largest = l
	} else {
		now.Largest = other(c, now.Largest, l, &m.another[l])
	}

	want, was := rest(to, now.Largest), rest(from, now.Largest)
	same := one(now.Largest == base.Largest)
	off, before := 0, 0
	for i := range now.Rest {
		w := int(want[i])
		d := c.Number(int(now.Rest[i])-w, -w, TurnMost-w, &m.mix[same],
			&m.near[size(m.mean, 14)],
			&m.before[i*12+size(off, 11)],
			&m.joint[size(m.last, 9)*8+size(off, 7)],
			&m.sign[same*40+signedSize(before)],
			&m.moved[size(w-int(was[i]), 4)*16+min(size(off, 15), 15)],
			&m.near[15+speed*5+size(off, 8)/2])
		now.Rest[i] = int16(w + d)
		off += max(d, -d)
		before = d
	}
	m.mean, m.last = (3*m.mean+4*off)/4, off
	if c.Reading() && !now.Valid() {
		c.Fail(ErrTurn)
	}
	return now
}

// inverse returns the rotation the other way.
func (t *Turn) inverse() geom.Quat { return t.Rotation().Inverse() }

// signedSize is a number's sign and size: 16 for zero, in [0,32].
func signedSize(n int) int {
	if n < 0 {
		return 16 - size(n, 16)
	}
	return 16 + size(n, 16)
}
