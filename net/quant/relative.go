package quant

import "math/bits"

// Ladder is the form of a whole number that is likely to be near another that
// both sides know: one bit says whether the difference is small, and it follows
// in so many bits (Fiedler, Snapshot Compression). Small is in [1,16], Large in
// [1,24].
//
// A small difference of n bits is in [-2^(n-1), 2^(n-1)-1]. A large one is
// counted from where the small ones end, so that no difference has two forms
// and all of the bits are used: 5 and 9 bits reach [-272, 271].
type Ladder struct{ Small, Large int }

// The ladders of the articles and the program. PositionLadder is for steps of
// 1/512 m, RotationLadder for 9 bits a component; FineRotationLadder has the
// widths that cost less on the author's recording; VRLadder is that of
// Networked Physics in Virtual Reality (2018).
var (
	PositionLadder     = Ladder{5, 9}
	RotationLadder     = Ladder{5, 8}
	FineRotationLadder = Ladder{4, 7}
	VRLadder           = Ladder{5, 10}
)

// Reach returns the least and the greatest difference that has a form.
func (l Ladder) Reach() (low, high int) {
	half := 1<<(l.Small-1) + 1<<(l.Large-1)
	return -half, half - 1
}

// Reaches reports whether a difference has a form.
func (l Ladder) Reaches(d int) bool {
	low, high := l.Reach()
	return d >= low && d <= high
}

func (l Ladder) isSmall(d int) bool { return d >= -(1<<(l.Small-1)) && d < 1<<(l.Small-1) }

// Step is a difference that l reaches: what Near has behind its first bit, for
// those who say otherwise that it follows. One beyond is not written.
func (c *Coder) Step(d int, l Ladder) int { return c.step(d, l, "Step") }

// step is a difference that l reaches.
func (c *Coder) step(d int, l Ladder, what string) int {
	half, far := 1<<(l.Small-1), 1<<(l.Large-1)
	if c.Bool(l.isSmall(d)) {
		return c.number(d, -half, half-1, what)
	}
	if d < 0 {
		d += half
	} else {
		d -= half
	}
	d = c.number(d, -far, far-1, what)
	if d < 0 {
		return d - half
	}
	return d + half
}

// Near is a number in [low, high] by its difference from base, which is one,
// too: a bit that is set if l reaches it and the difference, or the number as
// Int has it.
func (c *Coder) Near(v, base, low, high int, l Ladder) int {
	at := c.Processed()
	if c.Bool(l.Reaches(v - base)) {
		v = base + c.step(v-base, l, "Near")
		if v < low || v > high {
			c.fail("Near", at, ErrRange)
		}
	} else if v = c.number(v, low, high, "Near"); l.Reaches(v - base) {
		c.fail("Near", at, ErrForm)
	}
	if c.failure != nil && c.mode == reading {
		return low
	}
	return v
}

// NearPoint is three integers of a grid by their differences from those of
// base: a bit that is set if l reaches all three and the differences, or the
// three whole (Fiedler's relative position). With 50 bits for the whole a point
// takes 19 to 31 or 51.
func (c *Coder) NearPoint(v, base [3]int, g *Grid, l Ladder) [3]int {
	at := c.Processed()
	if c.Bool(reachesAll(v, base, l)) {
		for i := range v {
			v[i] = base[i] + c.step(v[i]-base[i], l, "NearPoint")
			if v[i] < 0 || v[i] > g[i].steps {
				c.fail("NearPoint", at, ErrRange)
			}
		}
	} else {
		for i := range v {
			v[i] = c.number(v[i], 0, g[i].steps, "NearPoint")
		}
		if reachesAll(v, base, l) {
			c.fail("NearPoint", at, ErrForm)
		}
	}
	if c.failure != nil && c.mode == reading {
		return [3]int{}
	}
	return v
}

func reachesAll(v, base [3]int, l Ladder) bool {
	return l.Reaches(v[0]-base[0]) && l.Reaches(v[1]-base[1]) && l.Reaches(v[2]-base[2])
}

// NearRotation is a rotation in integers by their differences from those of
// base: a bit that is set if both lack the same component and l reaches all
// three differences, and these, or the rotation as Smallest has it (Fiedler's
// relative smallest three).
func (c *Coder) NearRotation(p, base Smallest, s SmallestThree, l Ladder) Smallest {
	at, most := c.Processed(), s.Most()
	from := base.ints()
	if c.Bool(p.Largest == base.Largest && reachesAll(p.ints(), from, l)) {
		p.Largest = base.Largest
		for i := range p.Rest {
			n := from[i] + c.step(int(p.Rest[i])-from[i], l, "NearRotation")
			if n < -most || n > most {
				c.fail("NearRotation", at, ErrRange)
			}
			p.Rest[i] = int16(n)
		}
		return c.canonical(p, s, at)
	}
	p = c.Smallest(p, s)
	if p.Largest == base.Largest && reachesAll(p.ints(), from, l) {
		c.fail("NearRotation", at, ErrForm)
	}
	if c.failure != nil && c.mode == reading {
		return Smallest{Largest: 3}
	}
	return p
}

func (p Smallest) ints() [3]int { return [3]int{int(p.Rest[0]), int(p.Rest[1]), int(p.Rest[2])} }

// Changed is a number of n bits behind a bit that says whether it is other than
// base.
func (c *Coder) Changed(v, base uint32, n int) uint32 {
	at := c.Processed()
	if !c.Bool(v != base) {
		return c.held(base)
	}
	if v = c.field(v, n, "Changed"); v == base {
		c.fail("Changed", at, ErrForm)
	}
	return v
}

// held is base, if nothing has failed.
func (c *Coder) held(base uint32) uint32 {
	if c.failure != nil {
		return 0
	}
	return base
}

// Xor is a number of 32 bits by those in which it differs from base: a bit that
// says whether any does, the place of the highest that does in 5 bits, and those
// below it. A float that keeps its sign and exponent takes at most 28 bits.
func (c *Coder) Xor(v, base uint32) uint32 {
	x := v ^ base
	if !c.Bool(x != 0) {
		return c.held(base)
	}
	top := int(c.field(uint32(max(bits.Len32(x), 1)-1), 5, "Xor"))
	if top > 0 {
		x = c.field(x&(1<<top-1), top, "Xor")
	} else {
		x = 0
	}
	if c.failure != nil && c.mode == reading {
		return 0
	}
	return base ^ (x | 1<<top)
}
