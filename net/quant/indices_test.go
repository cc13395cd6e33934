package quant

import (
	"errors"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestIndexBucketEdges checks the size of the first and the last distance of every
// bucket, for the buckets of both articles, and of absolute indices.
func TestIndexBucketEdges(t *testing.T) {
	for _, v := range []struct {
		s     *IndexBuckets
		n     int
		edges [][3]int // first distance, last, bits
	}{
		{&SnapshotIndexBuckets, 901, [][3]int{{1, 8, 4}, {9, 40, 7}, {41, 900, 12}}},
		{&DenseIndexBuckets, 4000, [][3]int{{1, 1, 1}, {2, 5, 4}, {6, 13, 6}, {14, 29, 8}, {30, 61, 10}, {62, 125, 12}, {126, 3999, 18}}},
	} {
		for _, e := range v.edges {
			for _, d := range []int{e[0], (e[0] + e[1]) / 2, e[1]} {
				for _, after := range []int{0, v.n - 1 - d} {
					_, bits := roundTrip(t, after+d, func(c *Coder, i int) int { return c.relativeIndex(i, after, v.n, v.s) })
					if bits != e[2] || v.s.indexBits(after+d, after, v.n) != bits {
						t.Errorf("%d after %d of %d takes %d bits and is measured as %d, want %d", after+d, after, v.n, bits, v.s.indexBits(after+d, after, v.n), e[2])
					}
				}
			}
		}
	}
}

// TestIndicesRoundTrip checks that any list is read as written in all encodings,
// with the size computed beforehand.
func TestIndicesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 1200).Draw(t, "n")
		list := rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 0, n, rapid.ID).Draw(t, "list")
		slices.Sort(list)
		s := rapid.SampledFrom([]*IndexBuckets{&SnapshotIndexBuckets, &DenseIndexBuckets, new(IndexBuckets)}).Draw(t, "steps")
		_, indices := roundTrip(t, list, func(c *Coder, l []int) []int { return c.Indices(l, n, s) })
		if counted := indicesBits(list, n, s); counted != indices {
			t.Fatalf("%d bits, computed %d", indices, counted)
		}
		if _, bits := roundTrip(t, list, func(c *Coder, l []int) []int { return c.Bitmap(l, n) }); bits != n {
			t.Fatalf("a bitmap of %d in %d bits", n, bits)
		}
		if _, bits := roundTrip(t, list, func(c *Coder, l []int) []int { return c.Subset(l, n, s) }); bits != 1+min(n, indices) {
			t.Fatalf("a bitmap of %d or %d bits of indices in %d bits", n, indices, bits)
		}
		sizes := map[IndexEncoding]int{}
		for _, e := range IndexEncodings() {
			_, sizes[e] = roundTrip(t, list, func(c *Coder, l []int) []int { return e.Code(c, l, n) })
		}
		full := bits.Len(uint(n)) + len(list)*bits.Len(uint(n-1))
		if sizes[BitmapIndices] != n || sizes[FullIndices] != full || sizes[ShorterIndices] != 1+min(n, sizes[RelativeIndices]) ||
			sizes[ShorterDenseIndices] != 1+min(n, sizes[DenseRelativeIndices]) {
			t.Fatalf("%d of %d in %v bits, and %d in full", len(list), n, sizes, full)
		}
	})
}

// TestIndicesReaderRefuses checks that a reader rejects lists that do not increase,
// exceed the last object, are longer than the data, or are in the longer of two
// encodings, and that the data bounds the memory allocated.
func TestIndicesReaderRefuses(t *testing.T) {
	var c Coder
	indices := func() []int { return c.Indices(nil, 901, &SnapshotIndexBuckets) }
	full := func() []int { return c.AbsoluteIndices(nil, 901) }
	subset := func(n int) func() []int {
		return func() []int { return c.Subset(nil, n, &SnapshotIndexBuckets) }
	}
	for name, v := range map[string]struct {
		write  func()
		read   func() []int
		reason error
	}{
		"equal":          {func() { c.Int(2, 0, 901); c.Int(50, 0, 900); c.Bits(0, 2); c.Int(50, 0, 900) }, indices, ErrNotCanonical},
		"lower":          {func() { c.Int(2, 0, 901); c.Int(50, 0, 900); c.Bits(0, 2); c.Int(49, 0, 900) }, indices, ErrNotCanonical},
		"near":           {func() { c.Int(2, 0, 901); c.Int(50, 0, 900); c.Bits(0, 2); c.Int(90, 0, 900) }, indices, ErrNotCanonical},
		"beyond":         {func() { c.Int(2, 0, 901); c.Int(900, 0, 900); c.Bool(true); c.Bits(0, 3) }, indices, ErrRange},
		"too many":       {func() { c.Bits(902, 10); c.Bits(0, 32) }, indices, ErrRange},
		"full, equal":    {func() { c.Int(2, 0, 901); c.Int(50, 0, 900); c.Int(50, 0, 900) }, full, ErrRange},
		"full, too many": {func() { c.Bits(901, 10); c.Bits(0, 32) }, full, ErrPastEnd},
		"cut":            {func() { c.Bits(901, 10); c.Bits(0, 32) }, indices, ErrPastEnd},
		"bitmap":         {func() { c.Bool(false); c.Bits(1, 32); c.Bits(0, 8) }, subset(40), ErrNotCanonical},
		"indices":        {func() { c.Bool(true); c.Indices([]int{1, 5, 7, 9, 12, 14}, 16, &SnapshotIndexBuckets) }, subset(16), ErrNotCanonical},
	} {
		c.BeginWrite(make([]byte, 32))
		v.write()
		if c.Err() != nil {
			t.Fatalf("%s: %v", name, c.Err())
		}
		c.BeginRead(c.FinishWrite())
		if list := v.read(); len(list) > 0 || !errors.Is(c.Err(), v.reason) {
			t.Errorf("%s: %v, %v, want %v", name, list, c.Err(), v.reason)
		}
	}
	for _, list := range [][]int{{3, 3}, {5, 4}, {901}, {-1}, {0, 901}} {
		c.BeginWrite(make([]byte, 256))
		if c.Indices(list, 901, &SnapshotIndexBuckets); c.Err() == nil {
			t.Errorf("Indices writes %v", list)
		}
		c.BeginWrite(make([]byte, 256))
		if c.Bitmap(list, 901); c.Err() == nil {
			t.Errorf("Bitmap writes %v", list)
		}
	}
	few := []byte{0xff, 0xff, 0xff, 0x0f, 0, 0, 0, 0}
	if a := testing.AllocsPerRun(10, func() {
		c.BeginRead(few)
		c.Indices(nil, 1<<28, &SnapshotIndexBuckets)
	}); a > 1 { // the error
		t.Errorf("%v allocations for a list without data", a)
	}
}
