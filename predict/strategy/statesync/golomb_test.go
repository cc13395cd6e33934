package statesync

import (
	"slices"
	"testing"

	"ghostcube/net/quant"
)

// TestGolomb checks that values of any size are read as they were written, with as many bits as
// golombBits says, larger values with at least as many as smaller ones; and that endless clear bits
// are rejected.
func TestGolomb(t *testing.T) {
	var c quant.Coder
	for k := 0; k <= maxGolombWidth-4; k++ {
		last := 0
		for v := 0; v < 1<<22; v += 1 + v/7 {
			c.BeginWrite(make([]byte, 16))
			codeGolomb(&c, v, k)
			n := c.BitsProcessed()
			if c.Err() != nil || n != golombBits(v, k) || n < last {
				t.Fatalf("value %d, parameter %d: %d bits, want %d; the value before took %d: %v", v, k, n, golombBits(v, k), last, c.Err())
			}
			last = n
			c.BeginRead(slices.Clone(c.FinishWrite()))
			if got := codeGolomb(&c, 0, k); got != v || c.Err() != nil {
				t.Fatalf("value %d, parameter %d: read as %d: %v", v, k, got, c.Err())
			}
		}
	}
	c.BeginRead(make([]byte, 16))
	if got := codeGolomb(&c, 0, 3); c.Err() == nil || got != 0 {
		t.Errorf("clear bits are read as %d", got)
	}
	for d := -1000; d <= 1000; d++ {
		if v := zigzag(d); v < 0 || v > 2000 || unzigzag(v) != d {
			t.Fatalf("%d maps to %d and back to %d", d, v, unzigzag(v))
		}
	}
}

// TestParamsAdapt checks that after two dozen packets the parameters are within one of those that
// need the fewest bits, whatever is sent.
func TestParamsAdapt(t *testing.T) {
	x := uint32(1)
	for size := range 15 {
		var sum paramTuner
		l := defaultParams
		values := make([]int, 300)
		for i := range values {
			x = x*1664525 + 1013904223
			values[i] = int(x>>8) & (1<<size - 1)
		}
		for range 24 {
			for _, v := range values {
				sum.add(deltaPosition, v, int(l[deltaPosition]), 0)
			}
			sum.adapt(&l)
		}
		best, least := 0, 1<<30
		for k := range 16 {
			n := 0
			for _, v := range values {
				n += golombBits(v, k)
			}
			if n < least {
				best, least = k, n
			}
		}
		if off := int(l[deltaPosition]) - best; off < -1 || off > 1 {
			t.Errorf("values of %d bits: the parameter is %d, the best one is %d", size, l[deltaPosition], best)
		}
		if l[deltaRotation] != defaultParams[deltaRotation] {
			t.Errorf("the parameter of an unused kind becomes %d", l[deltaRotation])
		}
	}
}
