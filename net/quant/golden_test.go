package quant

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"
)

// TestGolden hashes the results of every encoder and decoder of real
// numbers for 200,000 inputs: arbitrary bits, numbers in range, and rotations near
// edges. The inputs are made without functions whose results differ between machines.
func TestGolden(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	h := fnv.New64a()
	var buffer [8]byte
	note := func(u uint64) {
		for i := range buffer {
			buffer[i] = byte(u >> (8 * i))
		}
		h.Write(buffer[:])
	}
	names := []string{"snapshot xy", "snapshot z", "snapshot linear", "fine linear", "sync xy", "sync angular", "ten", "hundred",
		"all below zero", "far from zero", "uneven", "small", "finest"}
	for i := range 200_000 {
		r := ranges[names[i%len(names)]]
		x := math.Float32frombits(random.Uint32())
		if i%4 > 0 {
			n := random.IntN(2*r.Steps() + 1)
			x = r.Decode(n/2) + float32(float64(n%2)*float64(r.stepSize()/2)) // on the grid, or halfway
		}
		n := r.Encode(x)
		note(uint64(n)<<32 | uint64(math.Float32bits(r.Decode(n))))

		s := SmallestThree(2 + i%15)
		var q [4]float32
		for j := range q {
			q[j] = float32(random.IntN(2001)-1000) / 1024
			if i%3 == 0 {
				q[j] = 0.5 + float32(float64(random.IntN(65)-32)*formats[s].step/8) // nearly equal
			}
		}
		p := s.Encode(q)
		note(uint64(p.Largest)<<48 | uint64(uint16(p.Smallest[0]))<<32 | uint64(uint16(p.Smallest[1]))<<16 | uint64(uint16(p.Smallest[2])))
		for _, x := range s.Decode(p) {
			note(uint64(math.Float32bits(x)))
		}
	}
	if got, want := h.Sum64(), uint64(0x5b53f9a2e1d7730a); got != want {
		t.Errorf("the hash is %#x, want %#x", got, want)
	}
}
