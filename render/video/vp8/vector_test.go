package vp8

import (
	"bytes"
	"testing"
)

// TestVectors compares the vectors' sums and filters with those of the Go code.
func TestVectors(t *testing.T) {
	if !hasVectors {
		t.Skip("this processor computes eight pixels at a time")
	}
	const stride = 37
	seed := uint32(1)
	pixels := func(round int) []byte {
		b := make([]byte, 24*stride)
		for i := range b {
			seed = seed*1664525 + 1013904223
			if b[i] = byte(seed >> 24); round%2 == 0 { // extremes
				b[i] = byte(int32(seed) >> 31)
			}
		}
		return b
	}
	for round := range 60 {
		a, b, c := pixels(round), pixels(round/2), pixels(round/3)
		var s source16
		s.load(a, stride)
		s.spread()
		if got, want := sad16(&s, b, stride, 0), s.lanes.sad(b, stride, 1<<30); got != want {
			t.Errorf("differences of %d, want %d", got, want)
		}
		if got, want := sadAverage16(&s, b, c, stride, 0), s.lanes.sadAverage(b, c, stride, 1<<30); got != want {
			t.Errorf("differences from a mean of %d, want %d", got, want)
		}
		for k := range sixTaps {
			var got, want [16 * 16]byte
			filterRows(got[:], 16, a, stride, 16, 16, &sixTaps[k])
			filterRowsByWord(want[:], 16, a, stride, 16, 16, &sixTaps[k])
			if !bytes.Equal(got[:], want[:]) {
				t.Errorf("filter %d gives other rows", k)
			}
			filterColumns(got[:], 16, a, stride, 16, 16, &sixTaps[k])
			filterColumnsByWord(want[:], 16, a, stride, 16, 16, &sixTaps[k])
			if !bytes.Equal(got[:], want[:]) {
				t.Errorf("filter %d gives other columns", k)
			}
		}
	}
}
