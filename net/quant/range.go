package quant

import (
	"math"
	"math/bits"
)

// Range maps a bounded real number to an integer: the low bound to 0, the high bound to
// Steps, and an even grid between. Make one with NewRangePerUnit.
//
// It is Fiedler's compressed float of Serialization Strategies, computed in 64-bit
// floats with every operation rounded by itself, and clamped before the conversion to
// an integer, so that every machine gets the same result. A number halfway between two
// steps rounds up.
//
// Decode returns the 32-bit float nearest to the grid point. The grid must be at least
// twice as coarse as the floats at its largest magnitude. Then Encode(Decode(n)) == n
// for every n, and quantising twice equals quantising once. Fiedler's VR sample has
// 2^20 steps per metre up to 64 m, which no Range can have: 32-bit floats cannot
// represent that grid.
type Range struct {
	low, high float32
	span      float64 // high - low
	steps     int
	bits      int
}

// NewRangePerUnit returns a range over [low, high) with n steps per unit. It has
// n*(high-low) values. Fiedler's bounds are of this kind: 512 per metre in [-256, 256)
// take 18 bits. If n is a power of two, Decode is exact. It panics unless the bounds
// increase and 32-bit floats can represent the grid.
func NewRangePerUnit(low, high, n int) Range {
	steps := (high-low)*n - 1
	if n < 1 || steps < 1 || steps > 1<<24 {
		panic("quant: NewRangePerUnit with fewer than two values or too many")
	}
	return newRange(float32(low), float32(float64(high)-1/float64(n)), steps)
}

func newRange(low, high float32, steps int) Range {
	r := Range{low, high, float64(high) - float64(low), steps, bits.Len(uint(steps))}
	if !(low < high) || !(r.span <= math.MaxFloat32) || r.span/float64(steps) < 2*r.ulp() {
		panic("quant: a range that 32-bit floats cannot represent")
	}
	return r
}

// ulp returns the largest distance between neighbouring 32-bit floats in the range.
func (r *Range) ulp() float64 {
	largest := max(-r.low, r.high)
	return float64(largest) - float64(math.Float32frombits(math.Float32bits(largest)-1))
}

// Steps returns the largest integer of the range.
func (r *Range) Steps() int { return r.steps }

// Contains reports whether x lies within the bounds. NaN does not.
func (r *Range) Contains(x float32) bool { return x >= r.low && x <= r.high }

// Encode returns the integer in [0, Steps] nearest to x. Numbers out of bounds are
// clamped; NaN becomes 0.
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

// Decode returns the number for an integer, clamped to [0, Steps].
func (r *Range) Decode(n int) float32 {
	switch {
	case n <= 0:
		return r.low
	case n >= r.steps:
		return r.high
	}
	return float32(float64(r.low) + float64(float64(n)*r.span)/float64(r.steps))
}

// Quantise returns the grid point nearest to x, the value a reader gets. It is
// idempotent.
func (r *Range) Quantise(x float32) float32 { return r.Decode(r.Encode(x)) }

// CompressedFloat codes a real number in a range and returns the value a reader gets,
// so a writer can quantise its own state. A number out of range is an error; call
// Quantise first to clamp it.
func (c *Coder) CompressedFloat(v float32, r *Range) float32 {
	if c.mode != reading && !r.Contains(v) {
		c.fail("CompressedFloat", c.BitsProcessed(), ErrRange)
		return v
	}
	return r.Decode(c.codeInt(r.Encode(v), 0, r.steps, "CompressedFloat"))
}

// Grid is a range for each of three coordinates.
type Grid [3]Range

// Fiedler's grids, named after the article they come from. Lengths are in metres, z is
// up, velocities in m/s and rad/s.
var (
	SnapshotPosition    = Grid{NewRangePerUnit(-256, 256, 512), NewRangePerUnit(-256, 256, 512), NewRangePerUnit(0, 32, 512)}    // 50 bits, error 0.98 mm per axis
	SyncPosition        = Grid{NewRangePerUnit(-256, 256, 4096), NewRangePerUnit(-256, 256, 4096), NewRangePerUnit(0, 32, 4096)} // 59 bits, error 0.12 mm per axis
	SyncLinearVelocity  = uniformGrid(NewRangePerUnit(-32, 32, 4096))                                                            // 54 bits
	SyncAngularVelocity = uniformGrid(NewRangePerUnit(-16, 16, 4096))                                                            // 51 bits
)

func uniformGrid(r Range) Grid { return Grid{r, r, r} }

// Bits returns the bits of a vector.
func (g *Grid) Bits() int { return g[0].bits + g[1].bits + g[2].bits }

// Encode returns the integers of v.
func (g *Grid) Encode(v [3]float32) [3]int {
	return [3]int{g[0].Encode(v[0]), g[1].Encode(v[1]), g[2].Encode(v[2])}
}

// Decode returns the vector for n.
func (g *Grid) Decode(n [3]int) [3]float32 {
	return [3]float32{g[0].Decode(n[0]), g[1].Decode(n[1]), g[2].Decode(n[2])}
}

// Quantise returns the grid point nearest to v.
func (g *Grid) Quantise(v [3]float32) [3]float32 {
	return [3]float32{g[0].Quantise(v[0]), g[1].Quantise(v[1]), g[2].Quantise(v[2])}
}

// CompressedVector codes three numbers on a grid, each as CompressedFloat does.
func (c *Coder) CompressedVector(v [3]float32, g *Grid) [3]float32 {
	return [3]float32{c.CompressedFloat(v[0], &g[0]), c.CompressedFloat(v[1], &g[1]), c.CompressedFloat(v[2], &g[2])}
}
