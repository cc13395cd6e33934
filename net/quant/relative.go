package quant

// DeltaBits are the two widths of an integer difference that is likely to be small: one
// bit selects a width, and the difference follows in that many bits (Fiedler, Snapshot
// Compression). Small is in [1,16], Large in [1,24].
//
// A small difference of n bits is in [-2^(n-1), 2^(n-1)-1]. Large differences begin
// where small ones end, so every difference has one encoding and no code is unused: 5
// and 9 bits cover [-272, 271].
type DeltaBits struct{ Small, Large int }

// The widths of the articles and the program. PositionDeltaBits is for steps of 1/512
// m, RotationDeltaBits for components of 9 bits. FineRotationDeltaBits costs less than
// RotationDeltaBits on Fiedler's recording.
var (
	PositionDeltaBits     = DeltaBits{5, 9}
	RotationDeltaBits     = DeltaBits{5, 8}
	FineRotationDeltaBits = DeltaBits{4, 7}
)

// bounds returns the smallest and the largest difference that can be encoded.
func (b DeltaBits) bounds() (low, high int) {
	half := 1<<(b.Small-1) + 1<<(b.Large-1)
	return -half, half - 1
}

// Fits reports whether a difference can be encoded.
func (b DeltaBits) Fits(d int) bool {
	low, high := b.bounds()
	return d >= low && d <= high
}

func (b DeltaBits) fitsSmall(d int) bool { return d >= -(1<<(b.Small-1)) && d < 1<<(b.Small-1) }

// Delta codes a difference. One that does not fit is an error.
func (c *Coder) Delta(d int, l DeltaBits) int { return c.codeDelta(d, l, "Delta") }

// codeDelta codes a difference as part of the value kind.
func (c *Coder) codeDelta(d int, l DeltaBits, kind string) int {
	small, large := 1<<(l.Small-1), 1<<(l.Large-1)
	if c.Bool(l.fitsSmall(d)) {
		return c.codeInt(d, -small, small-1, kind)
	}
	if d < 0 {
		d += small
	} else {
		d -= small
	}
	d = c.codeInt(d, -large, large-1, kind)
	if d < 0 {
		return d - small
	}
	return d + small
}

// RelativePosition codes a point of a grid relative to a known one: a bit that is set
// if all three differences fit and the differences, or else the three integers
// (Fiedler's relative position). On a grid of 50 bits a point takes 19 to 31 bits, or
// 51.
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
