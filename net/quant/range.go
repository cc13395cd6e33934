package quant

import (
	"math"
	"math/bits"
)

// Range is a bounded real number as an integer: low is 0, high is Steps, and
// what is between lies on an even grid. Make one with NewRange or PerUnit.
//
// Arithmetic is in 64-bit floats, each operation rounded by itself, and the
// number is brought between the bounds before it becomes an integer: so every
// machine finds the same one (Fiedler's compressed float of Serialization
// Strategies, without its multiply-adds in 32 bits). Of a number half way
// between two steps the upper one is taken.
//
// Decode gives the 32-bit float nearest to the grid. A grid is at least twice
// as coarse as the floats of its largest number, so that the way back finds the
// same integer: Encode(Decode(n)) == n for every n, and Quantise changes what
// it has made no more. Fiedler's VR program has 2^20 steps per metre up to 64
// m: no Range, since 32-bit floats do not hold that grid.
type Range struct {
	low, high float32
	span      float64 // high - low
	steps     int
	bits      int
}

// NewRange returns the range from low to high in steps of resolution or a
// little less, so that a whole number of them fills it: ceil((high - low) /
// resolution), the quotient as a 32-bit float. It panics for bounds that are
// not finite or not in order, for a resolution that is not above zero, and for
// one that 32-bit floats cannot hold.
func NewRange(low, high, resolution float32) Range {
	steps := math.Ceil(float64((high - low) / resolution))
	if !(resolution > 0) || !(steps <= 1<<24) {
		panic("quant: a range with a resolution that cannot be")
	}
	return newRange(low, high, int(steps))
}

// NewRangePerUnit returns the range of the whole numbers and their parts, n to each,
// from low up to but without high: those are n*(high-low) numbers, where the
// two ends of a NewRange make one more. Fiedler's bounds are of this kind: 512
// per metre in [-256, 256) are 18 bits. If n is a power of two, Decode is
// exact. It panics as NewRange does.
func NewRangePerUnit(low, high, n int) Range {
	steps := (high-low)*n - 1
	if n < 1 || steps < 1 || steps > 1<<24 {
		panic("quant: a range with a resolution that cannot be")
	}
	return newRange(float32(low), float32(float64(high)-1/float64(n)), steps)
}

func newRange(low, high float32, steps int) Range {
	r := Range{low, high, float64(high) - float64(low), steps, bits.Len(uint(steps))}
	if !(low < high) || !(r.span <= math.MaxFloat32) || r.span/float64(steps) < 2*r.ulp() {
		panic("quant: a range that 32-bit floats cannot hold")
	}
	return r
}

// ulp is the distance from the number of r with the largest magnitude to
// its neighbour below: no two neighbours in r are further apart.
func (r *Range) ulp() float64 {
	most := max(-r.low, r.high)
	return float64(most) - float64(math.Float32frombits(math.Float32bits(most)-1))
}

// Steps returns the largest integer, that of High.
func (r *Range) Steps() int { return r.steps }

// Contains reports whether x lies in [Low, High]. What is no number does not.
func (r *Range) Contains(x float32) bool { return x >= r.low && x <= r.high }

// Encode returns the integer in [0, Steps] whose number is nearest to x. What
// lies outside counts as the bound that it is beyond; what is no number counts
// as Low.
func (r *Range) Encode(x float32) int {
	switch {
	case !(x > r.low):
		return 0
	case x >= r.high:
		return r.steps
	}
	u := float64((float64(x)-float64(r.low))*float64(r.steps)) / r.span
	n := math.Floor(u)
	if u-n >= 0.5 {
		n++
	}
	return int(n)
}

// Decode returns the number of an integer; one outside [0, Steps] counts as the
// bound that it is beyond.
func (r *Range) Decode(n int) float32 {
	switch {
	case n <= 0:
		return r.low
	case n >= r.steps:
		return r.high
	}
	return float32(float64(r.low) + float64(float64(n)*r.span)/float64(r.steps))
}

// Quantise returns the number of the grid that is nearest to x: what a reader
// has after x was sent. Twice is as good as once, bit for bit.
func (r *Range) Quantise(x float32) float32 { return r.Decode(r.Encode(x)) }

// CompressedFloat is a real number in a range, and returns what a reader gets: a writer
// that keeps it has quantised its own side, too. A number outside the range is
// not written; who wants the bound instead calls Quantise first.
func (c *Coder) CompressedFloat(v float32, r *Range) float32 {
	if c.mode != reading && !r.Contains(v) {
		c.fail("CompressedFloat", c.BitsProcessed(), ErrRange)
		return v
	}
	return r.Decode(c.codeInt(r.Encode(v), 0, r.steps, "CompressedFloat"))
}

// Grid is a range for each of three coordinates.
type Grid [3]Range

// Fiedler's grids, by the article that they come from. Lengths are in metres, z
// is up, speeds are in m/s and rad/s.
var (
	SnapshotPosition           = Grid{NewRangePerUnit(-256, 256, 512), NewRangePerUnit(-256, 256, 512), NewRangePerUnit(0, 32, 512)}    // 50 bits, off by 0.98 mm an axis
	SnapshotLinearVelocity     = uniformGrid(NewRangePerUnit(-32, 32, 32))                                                              // 33 bits
	SnapshotLinearVelocityFine = uniformGrid(NewRange(-32, 32, 0.01))                                                                   // 39 bits: the GDC program's
	SyncPosition               = Grid{NewRangePerUnit(-256, 256, 4096), NewRangePerUnit(-256, 256, 4096), NewRangePerUnit(0, 32, 4096)} // 59 bits, off by 0.12 mm an axis
	SyncLinearVelocity         = uniformGrid(NewRangePerUnit(-32, 32, 4096))                                                            // 54 bits
	SyncAngularVelocity        = uniformGrid(NewRangePerUnit(-16, 16, 4096))                                                            // 51 bits
)

func uniformGrid(r Range) Grid { return Grid{r, r, r} }

// Bits returns the bits of all three integers.
func (g *Grid) Bits() int { return g[0].bits + g[1].bits + g[2].bits }

// Encode returns the three integers of v.
func (g *Grid) Encode(v [3]float32) [3]int {
	return [3]int{g[0].Encode(v[0]), g[1].Encode(v[1]), g[2].Encode(v[2])}
}

// Decode returns the three numbers of n.
func (g *Grid) Decode(n [3]int) [3]float32 {
	return [3]float32{g[0].Decode(n[0]), g[1].Decode(n[1]), g[2].Decode(n[2])}
}

// Quantise returns the point of the grid that is nearest to v.
func (g *Grid) Quantise(v [3]float32) [3]float32 {
	return [3]float32{g[0].Quantise(v[0]), g[1].Quantise(v[1]), g[2].Quantise(v[2])}
}

// CompressedVector are three real numbers on a grid, each as Real has it.
func (c *Coder) CompressedVector(v [3]float32, g *Grid) [3]float32 {
	return [3]float32{c.CompressedFloat(v[0], &g[0]), c.CompressedFloat(v[1], &g[1]), c.CompressedFloat(v[2], &g[2])}
}
