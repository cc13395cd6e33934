package quant

import "math/bits"

// DeltaBits is the form of a whole number that is likely to be near another that
// both sides know: one bit says whether the difference is small, and it follows
// in so many bits (Fiedler, Snapshot Compression). Small is in [1,16], Large in
// [1,24].
//
// A small difference of n bits is in [-2^(n-1), 2^(n-1)-1]. A large one is
// counted from where the small ones end, so that no difference has two forms
// and all of the bits are used: 5 and 9 bits reach [-272, 271].
type DeltaBits struct{ Small, Large int }

// The ladders of the articles and the program. PositionLadder is for steps of
// 1/512 m, RotationLadder for 9 bits a component; FineRotationLadder has the
// widths that cost less on the author's recording; VRLadder is that of
// Networked Physics in Virtual Reality (2018).
var (
	PositionDeltaBits     = DeltaBits{5, 9}
	RotationDeltaBits     = DeltaBits{5, 8}
	FineRotationDeltaBits = DeltaBits{4, 7}
	VRDeltaBits           = DeltaBits{5, 10}
)

// Bounds returns the least and the greatest difference that has a form.
func (l DeltaBits) Bounds() (low, high int) {
	half := 1<<(l.Small-1) + 1<<(l.Large-1)
	return -half, half - 1
}

// Fits reports whether a difference has a form.
func (l DeltaBits) Fits(d int) bool {
	low, high := l.Bounds()
	return d >= low && d <= high
}

func (l DeltaBits) fitsSmall(d int) bool { return d >= -(1<<(l.Small-1)) && d < 1<<(l.Small-1) }

// Delta is a difference that l reaches: what Near has behind its first bit, for
// those who say otherwise that it follows. One beyond is not written.
func (c *Coder) Delta(d int, l DeltaBits) int { return c.codeDelta(d, l, "Delta") }

// codeDelta is a difference that l reaches.
func (c *Coder) codeDelta(d int, l DeltaBits, what string) int {
	half, far := 1<<(l.Small-1), 1<<(l.Large-1)
	if c.Bool(l.fitsSmall(d)) {
		return c.codeInt(d, -half, half-1, what)
	}
	if d < 0 {
		d += half
	} else {
		d -= half
	}
	d = c.codeInt(d, -far, far-1, what)
	if d < 0 {
		return d - half
	}
	return d + half
}

// RelativeInt is a number in [low, high] by its difference from base, which is one,
// too: a bit that is set if l reaches it and the difference, or the number as
// Int has it.
func (c *Coder) RelativeInt(v, base, low, high int, l DeltaBits) int {
	at := c.BitsProcessed()
	if c.Bool(l.Fits(v - base)) {
		v = base + c.codeDelta(v-base, l, "RelativeInt")
		if v < low || v > high {
			c.fail("RelativeInt", at, ErrRange)
		}
	} else if v = c.codeInt(v, low, high, "RelativeInt"); l.Fits(v - base) {
		c.fail("RelativeInt", at, ErrNotCanonical)
	}
	if c.err != nil && c.mode == reading {
		return low
	}
	return v
}

// RelativePosition is three integers of a grid by their differences from those of
// base: a bit that is set if l reaches all three and the differences, or the
// three whole (Fiedler's relative position). With 50 bits for the whole a point
// takes 19 to 31 or 51.
func (c *Coder) RelativePosition(v, base [3]int, g *Grid, l DeltaBits) [3]int {
	at := c.BitsProcessed()
	if c.Bool(fitsAll(v, base, l)) {
		for i := range v {
			v[i] = base[i] + c.codeDelta(v[i]-base[i], l, "RelativePosition")
			if v[i] < 0 || v[i] > g[i].steps {
				c.fail("RelativePosition", at, ErrRange)
			}
		}
	} else {
		for i := range v {
			v[i] = c.codeInt(v[i], 0, g[i].steps, "RelativePosition")
		}
		if fitsAll(v, base, l) {
			c.fail("RelativePosition", at, ErrNotCanonical)
		}
	}
	if c.err != nil && c.mode == reading {
		return [3]int{}
	}
	return v
}

func fitsAll(v, base [3]int, l DeltaBits) bool {
	return l.Fits(v[0]-base[0]) && l.Fits(v[1]-base[1]) && l.Fits(v[2]-base[2])
}

// RelativeRotation is a rotation in integers by their differences from those of
// base: a bit that is set if both lack the same component and l reaches all
// three differences, and these, or the rotation as Smallest has it (Fiedler's
// relative smallest three).
func (c *Coder) RelativeRotation(p, base QuantisedRotation, s SmallestThree, l DeltaBits) QuantisedRotation {
	at, most := c.BitsProcessed(), s.MaxComponent()
	from := base.components()
	if c.Bool(p.Largest == base.Largest && fitsAll(p.components(), from, l)) {
		p.Largest = base.Largest
		for i := range p.Smallest {
			n := from[i] + c.codeDelta(int(p.Smallest[i])-from[i], l, "RelativeRotation")
			if n < -most || n > most {
				c.fail("RelativeRotation", at, ErrRange)
			}
			p.Smallest[i] = int16(n)
		}
		return c.requireCanonical(p, s, at)
	}
	p = c.QuantisedRotation(p, s)
	if p.Largest == base.Largest && fitsAll(p.components(), from, l) {
		c.fail("RelativeRotation", at, ErrNotCanonical)
	}
	if c.err != nil && c.mode == reading {
		return QuantisedRotation{Largest: 3}
	}
	return p
}

func (p QuantisedRotation) components() [3]int {
	return [3]int{int(p.Smallest[0]), int(p.Smallest[1]), int(p.Smallest[2])}
}

// BitsIfChanged is a number of n bits behind a bit that says whether it is other than
// base.
func (c *Coder) BitsIfChanged(v, base uint32, n int) uint32 {
	at := c.BitsProcessed()
	if !c.Bool(v != base) {
		return c.baseUnlessFailed(base)
	}
	if v = c.codeField(v, n, "BitsIfChanged"); v == base {
		c.fail("BitsIfChanged", at, ErrNotCanonical)
	}
	return v
}

// baseUnlessFailed is base, if nothing has failed.
func (c *Coder) baseUnlessFailed(base uint32) uint32 {
	if c.err != nil {
		return 0
	}
	return base
}

// XorDelta is a number of 32 bits by those in which it differs from base: a bit that
// says whether any does, the place of the highest that does in 5 bits, and those
// below it. A float that keeps its sign and exponent takes at most 28 bits.
func (c *Coder) XorDelta(v, base uint32) uint32 {
	x := v ^ base
	if !c.Bool(x != 0) {
		return c.baseUnlessFailed(base)
	}
	top := int(c.codeField(uint32(max(bits.Len32(x), 1)-1), 5, "XorDelta"))
	if top > 0 {
		x = c.codeField(x&(1<<top-1), top, "XorDelta")
	} else {
		x = 0
	}
	if c.err != nil && c.mode == reading {
		return 0
	}
	return base ^ (x | 1<<top)
}
