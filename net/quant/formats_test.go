package quant

import "math"

// Formats of the articles that no payload of ours has. They are tested because Range and
// DeltaBits promise to express them.
var (
	snapshotLinearVelocity     = uniformGrid(NewRangePerUnit(-32, 32, 32)) // 33 bits
	snapshotLinearVelocityFine = uniformGrid(rangeBetween(-32, 32, 0.01))  // 39 bits, from the GDC program
	vrDeltaBits                = DeltaBits{5, 10}                          // Networked Physics in Virtual Reality (2018)
)

// rangeBetween returns a range from low to high in steps of at most resolution, with
// ceil((high - low) / resolution) steps, the quotient as a 32-bit float. It panics
// unless the bounds are finite and increasing, the resolution is above zero, and 32-bit
// floats can represent the grid.
func rangeBetween(low, high, resolution float32) Range {
	steps := math.Ceil(float64((high - low) / resolution))
	if !(resolution > 0) || !(steps <= 1<<24) {
		panic("quant: rangeBetween with a resolution that is not above zero or too fine")
	}
	return newRange(low, high, int(steps))
}
