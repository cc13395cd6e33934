package quant

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

// bounds returns the least and the greatest difference that has a form.
func (l DeltaBits) bounds() (low, high int) {
	half := 1<<(l.Small-1) + 1<<(l.Large-1)
	return -half, half - 1
}

// Fits reports whether a difference has a form.
func (l DeltaBits) Fits(d int) bool {
	low, high := l.bounds()
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
