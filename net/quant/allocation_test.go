package quant

import (
	"math/rand/v2"
	"testing"
)

// randomBodies returns the positions and rotations of a random pile.
func randomBodies(n int) (points [][3]float32, rotations [][4]float32) {
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		points = append(points, [3]float32{float32(r.NormFloat64() * 10), float32(r.NormFloat64() * 10), r.Float32() * 5})
		rotations = append(rotations, unitRotation(r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()))
	}
	return points, rotations
}

// codeSnapshot codes 80 bits per cube.
func codeSnapshot(c *Coder, points [][3]float32, rotations [][4]float32) {
	for i := range points {
		c.Bool(i%8 == 0)
		points[i] = c.CompressedVector(points[i], &SnapshotPosition)
		rotations[i] = c.Rotation(rotations[i], SnapshotRotation)
	}
}

// TestEncodersAllocateNothing checks that no encoder allocates in any mode once its
// list or byte slice has grown to size.
func TestEncodersAllocateNothing(t *testing.T) {
	points, rotations := randomBodies(20)
	list, block := []int{1, 5, 6, 90, 400}, []byte("block")
	buffer := make([]byte, 1024)
	var c Coder
	all := func() {
		c.EnableChecks(true)
		codeSnapshot(&c, points, rotations)
		c.RelativePosition([3]int{5, 5, 5}, [3]int{}, &SnapshotPosition, PositionDeltaBits)
		c.Delta(-17, PositionDeltaBits)
		c.Signed(-3, 4)
		list = c.Subset(list, 901, &SnapshotIndexBuckets)
		c.Align()
		block = c.Bytes(block, 40)
		c.Check("end")
	}
	if a := testing.AllocsPerRun(100, func() {
		c.BeginMeasure()
		all()
		c.BeginWrite(buffer)
		all()
		c.BeginRead(c.FinishWrite())
		all()
	}); a != 0 || c.Err() != nil || len(list) != 5 || len(block) != 5 {
		t.Errorf("%v allocations, %v", a, c.Err())
	}
}
