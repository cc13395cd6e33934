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

func BenchmarkBitPacker(b *testing.B) {
	const n = 1024
	buffer := make([]byte, n*4)
	var c Coder
	values := func() {
		for i := range n {
			c.Bits(uint32(i)&1, 1+i%32)
		}
	}
	c.BeginMeasure()
	values()
	size := int64(c.BitsProcessed() / 8)
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(size)
		for b.Loop() {
			c.BeginWrite(buffer)
			values()
			c.FinishWrite()
		}
	})
	c.BeginWrite(buffer)
	values()
	data := c.FinishWrite()
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(size)
		for b.Loop() {
			c.BeginRead(data)
			values()
		}
	})
	b.Run("measure", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(size)
		for b.Loop() {
			c.BeginMeasure()
			values()
		}
	})
	if c.Err() != nil {
		b.Fatal(c.Err())
	}
}

func BenchmarkSnapshot901(b *testing.B) {
	points, rotations := randomBodies(901)
	buffer := make([]byte, 9016)
	var c Coder
	c.BeginWrite(buffer)
	codeSnapshot(&c, points, rotations)
	data := c.FinishWrite()
	for name, begin := range map[string]func(){"write": func() { c.BeginWrite(buffer) }, "read": func() { c.BeginRead(data) }, "measure": c.BeginMeasure} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				begin()
				codeSnapshot(&c, points, rotations)
			}
			if c.Err() != nil || c.BitsProcessed() != 901*80 {
				b.Fatal(c.BitsProcessed(), c.Err())
			}
		})
	}
}

func BenchmarkRange(b *testing.B) {
	points, _ := randomBodies(1024)
	b.ReportAllocs()
	sum, i := float32(0), 0
	for b.Loop() {
		sum += SyncPosition[0].Quantise(points[i%1024][0])
		i++
	}
	_ = sum
}

func BenchmarkSmallestThree(b *testing.B) {
	_, rotations := randomBodies(1024)
	var codes []QuantisedRotation
	for _, q := range rotations {
		codes = append(codes, SyncRotation.Encode(q))
	}
	i := 0
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			SyncRotation.Encode(rotations[i%1024])
			i++
		}
	})
	b.Run("encode near ties", func(b *testing.B) {
		b.ReportAllocs()
		q := [4]float32{0.5, 0.5, -0.5, 0.5}
		for b.Loop() {
			SyncRotation.Encode(q)
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			SyncRotation.Decode(codes[i%1024])
			i++
		}
	})
}

func BenchmarkRelative(b *testing.B) {
	var c Coder
	buffer := make([]byte, 1024)
	p, from := [3]int{1000, 2000, 3000}, [3]int{1010, 1900, 3000}
	list := make([]int, 0, 901)
	for i := 3; i < 901; i += 7 {
		list = append(list, i)
	}
	for name, do := range map[string]func(){
		"point":       func() { c.RelativePosition(p, from, &SnapshotPosition, PositionDeltaBits) },
		"129 indices": func() { c.Subset(list, 901, &SnapshotIndexBuckets) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.BeginWrite(buffer)
				do()
			}
			if c.Err() != nil {
				b.Fatal(c.Err())
			}
		})
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
