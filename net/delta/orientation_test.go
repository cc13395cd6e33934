package delta

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"ghostcube/net/entropy"
	"ghostcube/net/quant"
)

// TestOrientationSchemes checks that any rotations relative to any others are read as
// written, by every scheme and by the arithmetic coder with and without a motion, and
// that both ends learn the same.
func TestOrientationSchemes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type pair struct {
			now, base Orientation
			older     *Orientation
		}
		var pairs []pair
		for range rapid.IntRange(1, 20).Draw(t, "pairs") {
			base := drawOrientation(t)
			p := pair{drawChangedCube(t, Cube{Orientation: base}).Orientation, base, nil}
			if rapid.Bool().Draw(t, "motion") {
				older := drawChangedCube(t, Cube{Orientation: base}).Orientation
				p.older = &older
			}
			pairs = append(pairs, p)
		}
		for i := range OrientationSchemes {
			s := &OrientationSchemes[i]
			var c quant.Coder
			c.BeginWrite(make([]byte, 128))
			for _, p := range pairs {
				s.Code(&c, p.now, p.base)
			}
			c.BeginRead(c.FinishWrite())
			for _, p := range pairs {
				if got := s.Code(&c, Orientation{}, p.base); got != p.now || c.Err() != nil {
					t.Fatalf("%s: %v is read as %v, %v", s.Name, p, got, c.Err())
				}
			}
		}
		var c entropy.Coder
		var m, n OrientationModel
		c.BeginWrite(make([]byte, 4096))
		for _, p := range pairs {
			m.Code(&c, p.now, p.base, p.older)
		}
		c.BeginRead(bytes.Clone(c.FinishWrite()))
		for _, p := range pairs {
			if got := n.Code(&c, Orientation{}, p.base, p.older); got != p.now {
				t.Fatalf("%v is read as %v, %v", p, got, c.Err())
			}
		}
		if err := c.FinishRead(); err != nil || m != n {
			t.Fatal("writer and reader learned different models", err)
		}
	})
}

// TestPublishedEdges checks the ranges as the program of 2015 counts them: 5 and 8 bits
// reach 14 and 141, 4 and 7 reach 6 and 69.
func TestPublishedEdges(t *testing.T) {
	base := Orientation{3, [3]int16{256, 256, 256}}
	for _, c := range []struct {
		scheme, by, bits int
	}{
		{0, 0, 29}, {1, 0, 19}, {1, 14, 19}, {1, 15, 22}, {1, 141, 22}, {1, 142, 30},
		{2, 6, 16}, {2, 7, 19}, {2, 69, 19}, {2, 70, 30}, {3, 143, 22}, {3, 145, 30}, {4, 7, 16}, {4, 71, 19}, {4, 73, 30},
	} {
		for _, sign := range []int{1, -1} {
			now := base
			now.Smallest[1] += int16(sign * c.by)
			var q quant.Coder
			q.BeginWrite(make([]byte, 64))
			OrientationSchemes[c.scheme].Code(&q, now, base)
			if q.BitsProcessed() != c.bits {
				t.Errorf("%s: a difference of %d takes %d bits, want %d", OrientationSchemes[c.scheme].Name, sign*c.by, q.BitsProcessed(), c.bits)
			}
		}
	}
}
