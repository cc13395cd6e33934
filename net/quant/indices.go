package quant

import "math/bits"

// IndexBuckets encodes the distance from one index to a higher one. Bucket i covers
// 2^width(i) distances; the first bucket begins at 1, each later one where the previous
// ends. A unary prefix selects the bucket: a clear bit for each bucket skipped, then a
// set one. A distance beyond the last bucket is sent as an absolute index.
type IndexBuckets struct {
	widths [8]uint8 // in bits, each at most 16
	count  int
}

// The buckets of Snapshot Compression end at distances 8 and 40, for 4 and 7 bits in
// all; with 901 bodies an absolute index takes 12. The buckets of Serialization
// Strategies end at 1, 5, 13, 29, 61 and 125, for 1, 4, 6, 8, 10 and 12 bits; with 4000
// objects an absolute index takes 18. The former suit scattered bodies, the latter
// dense runs.
var (
	SnapshotIndexBuckets = IndexBuckets{[8]uint8{3, 5}, 2}
	DenseIndexBuckets    = IndexBuckets{[8]uint8{0, 2, 3, 4, 5, 6}, 6}
)

// indexBits returns the bits that index v takes after the index before it, out of n.
func (b *IndexBuckets) indexBits(v, previous, n int) int {
	d := v - previous - 1
	for i, w := range b.widths[:b.count] {
		if d < 1<<w {
			return i + 1 + int(w)
		}
		d -= 1 << w
	}
	return b.count + bits.Len(uint(n-1))
}

// relativeIndex codes an index in [0, n) that is higher than the one before.
func (c *Coder) relativeIndex(v, previous, n int, s *IndexBuckets) int {
	at, d, first := c.BitsProcessed(), v-previous-1, previous+1
	bucket := -1
	for i, w := range s.widths[:s.count] {
		if c.Bool(d >= 0 && d < 1<<w) {
			bucket = i
			break
		}
		d -= 1 << w
		first += 1 << w
	}
	if bucket >= 0 {
		v = first
		if w := int(s.widths[bucket]); w > 0 {
			v += int(c.codeField(uint32(d), w, "Indices"))
		}
	} else if v = c.codeInt(v, 0, n-1, "Indices"); v < first {
		c.fail("Indices", at, ErrNotCanonical) // not increasing, or a bucket would do
	}
	if v <= previous || v >= n {
		c.fail("Indices", at, ErrRange)
	}
	if c.err != nil && c.mode == reading {
		return 0
	}
	return v
}

// Indices codes a strictly increasing list of indices in [0, n) as relative indices: its length, the
// first index, and the distance to each later one. A reader reuses the memory of list and
// grows it if needed, but never allocates more than it has data for.
func (c *Coder) Indices(list []int, n int, s *IndexBuckets) []int {
	at := c.BitsProcessed()
	count := c.codeInt(len(list), 0, n, "Indices")
	if c.mode == reading {
		list = list[:0]
		if count > 1+c.bitsLeft() { // every index but the first takes at least one bit
			c.fail("Indices", at, ErrPastEnd)
		}
	}
	last := 0
	for i := range count {
		if c.err != nil {
			break
		}
		var v int
		if c.mode != reading {
			v = list[i]
		}
		if i == 0 {
			v = c.codeInt(v, 0, n-1, "Indices")
		} else {
			v = c.relativeIndex(v, last, n, s)
		}
		if c.mode == reading && c.err == nil {
			list = append(list, v)
		}
		last = v
	}
	return c.listUnlessFailed(list)
}

// listUnlessFailed returns list, emptied if reading failed.
func (c *Coder) listUnlessFailed(list []int) []int {
	if c.err != nil && c.mode == reading {
		return list[:0]
	}
	return list
}

// indicesBits returns the bits that Indices takes for a list.
func indicesBits(list []int, n int, s *IndexBuckets) int {
	sum := bits.Len(uint(n))
	for i, v := range list {
		if i == 0 {
			sum += bits.Len(uint(n - 1))
		} else {
			sum += s.indexBits(v, list[i-1], n)
		}
	}
	return sum
}

// Bitmap codes the same list with one bit for each of the n indices.
func (c *Coder) Bitmap(list []int, n int) []int {
	at := c.BitsProcessed()
	if c.mode == reading {
		list = list[:0]
		if n > c.bitsLeft() {
			c.fail("Bitmap", at, ErrPastEnd)
		}
		for v := 0; v < n && c.err == nil; v++ {
			if c.Bool(false) {
				list = append(list, v)
			}
		}
		return c.listUnlessFailed(list)
	}
	next := 0
	for v := range n {
		in := next < len(list) && list[next] == v
		if in {
			next++
		}
		c.Bool(in)
	}
	if next < len(list) {
		c.fail("Bitmap", at, ErrRange) // not increasing, or not below n
	}
	return list
}

// Subset codes the list as Indices or as Bitmap, whichever is shorter, after a bit that
// selects one: set for Indices (Fiedler, Snapshot Compression: the program counts first
// and sends a bit for each of 901 cubes where indices would take more). Bitmap wins a
// tie.
func (c *Coder) Subset(list []int, n int, s *IndexBuckets) []int {
	at := c.BitsProcessed()
	asIndices := c.Bool(c.mode != reading && indicesBits(list, n, s) < n)
	if asIndices {
		list = c.Indices(list, n, s)
	} else {
		list = c.Bitmap(list, n)
	}
	if c.mode == reading && (indicesBits(list, n, s) < n) != asIndices {
		c.fail("Subset", at, ErrNotCanonical)
	}
	return c.listUnlessFailed(list)
}

// AbsoluteIndices codes the same list as its length and each index in full.
func (c *Coder) AbsoluteIndices(list []int, n int) []int {
	at := c.BitsProcessed()
	count := c.codeInt(len(list), 0, n, "AbsoluteIndices")
	if c.mode == reading {
		list = list[:0]
		if count > c.bitsLeft()+1 { // an index takes a bit unless there is only one
			c.fail("AbsoluteIndices", at, ErrPastEnd)
		}
	}
	last := -1
	for i := range count {
		if c.err != nil {
			break
		}
		v := 0
		if c.mode != reading {
			v = list[i]
		}
		if v = c.codeInt(v, 0, n-1, "AbsoluteIndices"); v <= last {
			c.fail("AbsoluteIndices", at, ErrRange)
		}
		if last = v; c.mode == reading && c.err == nil {
			list = append(list, v)
		}
	}
	return c.listUnlessFailed(list)
}

// IndexEncoding is a way to code which of n things are in a packet: a strictly increasing list of indices in [0, n).
type IndexEncoding int

// The encodings.
const (
	ShorterIndices IndexEncoding = iota
	ShorterDenseIndices
	BitmapIndices
	FullIndices
	RelativeIndices
	DenseRelativeIndices
	indexEncodingCount
)

var indexEncodings = [indexEncodingCount]struct{ name, doc string }{
	{"shorter", "bitmap or relative, and a bit that says which"},
	{"shorter-dense", "bitmap or relative-dense, and a bit that says which"},
	{"bitmap", "one bit per object"},
	{"absolute", "their number, and each index in full"},
	{"relative", "distances up to 8 in 4 bits, up to 40 in 7 (Snapshot Compression)"},
	{"relative-dense", "distances of 1 in 1 bit, up to 125 in 4 to 12 (Serialization Strategies)"},
}

// IndexEncodings returns all encodings, the simple ones first.
func IndexEncodings() []IndexEncoding {
	return []IndexEncoding{BitmapIndices, FullIndices, RelativeIndices, DenseRelativeIndices, ShorterIndices, ShorterDenseIndices}
}

// IndexEncodingNames returns the names of all encodings, in the order of their numbers.
func IndexEncodingNames() (names []string) {
	for _, e := range indexEncodings {
		names = append(names, e.name)
	}
	return names
}

// String returns the name of the encoding.
func (e IndexEncoding) String() string { return indexEncodings[e].name }

// Doc describes the encoding in one line.
func (e IndexEncoding) Doc() string { return indexEncodings[e].doc }

// Code codes a list. A reader reuses the memory of list.
func (e IndexEncoding) Code(c *Coder, list []int, n int) []int {
	switch e {
	case BitmapIndices:
		return c.Bitmap(list, n)
	case FullIndices:
		return c.AbsoluteIndices(list, n)
	case RelativeIndices:
		return c.Indices(list, n, &SnapshotIndexBuckets)
	case DenseRelativeIndices:
		return c.Indices(list, n, &DenseIndexBuckets)
	case ShorterDenseIndices:
		return c.Subset(list, n, &DenseIndexBuckets)
	}
	return c.Subset(list, n, &SnapshotIndexBuckets)
}
