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
// ceil((high - low) / resolution) steps, the quotient as a 32-bit float.
func rangeBetween(low, high, resolution float32) Range {
	return newRange(low, high, int(math.Ceil(float64((high-low)/resolution))))
}
