package quant

import "math/bits"

// IndexBuckets is the form of an index that follows a lower one, by the distance
// between them: steps, each of so many bits and so twice as long for each bit
// more, begin where the one before ends, the first at 1. In front of the
// distance stand bits that say which step: clear ones for those it is beyond, and
// a set one. What is beyond all of them follows whole.
type IndexBuckets struct {
	widths [8]uint8
	count  int
}

// newIndexBuckets returns the steps of so many bits each, in [0,16], at most eight.
func newIndexBuckets(widths ...int) (s IndexBuckets) {
	for _, w := range widths {
		if w < 0 || w > 16 || s.count == len(s.widths) {
			panic("quant: steps that cannot be")
		}
		s.widths[s.count] = uint8(w)
		s.count++
	}
	return s
}

// The steps of Snapshot Compression reach 8 and 40, for 4 and 7 bits; with 901
// bodies the rest takes 12. Those of Serialization Strategies reach 1, 5, 13,
// 29, 61 and 125, for 1, 4, 6, 8, 10 and 12 bits; with 4000 objects the rest
// takes 18. The first fit bodies here and there, the second dense runs.
var (
	SnapshotIndexBuckets = newIndexBuckets(3, 5)
	DenseIndexBuckets    = newIndexBuckets(0, 2, 3, 4, 5, 6)
)

// indexBits returns the bits of index v after another, among n.
func (s *IndexBuckets) indexBits(v, after, n int) int {
	d := v - after - 1
	for i, w := range s.widths[:s.count] {
		if d < 1<<w {
			return i + 1 + int(w)
		}
		d -= 1 << w
	}
	return s.count + bits.Len(uint(n-1))
}

// relativeIndex is an index in [0, n) that follows a lower one.
func (c *Coder) relativeIndex(v, after, n int, s *IndexBuckets) int {
	at, d, first := c.BitsProcessed(), v-after-1, after+1
	step := -1
	for i, w := range s.widths[:s.count] {
		if c.Bool(d >= 0 && d < 1<<w) {
			step = i
			break
		}
		d -= 1 << w
		first += 1 << w
	}
	if step >= 0 {
		v = first
		if w := int(s.widths[step]); w > 0 {
			v += int(c.codeField(uint32(d), w, "Indices"))
		}
	} else if v = c.codeInt(v, 0, n-1, "Indices"); v < first {
		c.fail("Indices", at, ErrNotCanonical) // lower, or near enough for a step
	}
	if v <= after || v >= n {
		c.fail("Indices", at, ErrRange)
	}
	if c.err != nil && c.mode == reading {
		return 0
	}
	return v
}

// Indices is a list of indices in [0, n), each higher than the one before:
// their number, the first, and each by its distance from the last. When it
// reads, it writes over list and makes it longer if it must; no more than has
// come is ever allocated.
func (c *Coder) Indices(list []int, n int, s *IndexBuckets) []int {
	at := c.BitsProcessed()
	count := c.codeInt(len(list), 0, n, "Indices")
	if c.mode == reading {
		list = list[:0]
		if count > 1+c.bitsLeft() { // every index but the first takes a bit or more
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

// listUnlessFailed is a list that was read if nothing has failed.
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

// Bitmap is the same list as a bit for each of the n indices, set for those that
// are in it.
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
		c.fail("Bitmap", at, ErrRange) // not in order, or not below n
	}
	return list
}

// Subset is the same list as Indices or as Flags, whichever is shorter, behind a
// bit that is set for Indices (Fiedler, Snapshot Compression: the program counts
// the bits first and sends a flag for each of 901 cubes where the indices would
// take more). Of two of equal length it is Flags.
func (c *Coder) Subset(list []int, n int, s *IndexBuckets) []int {
	at := c.BitsProcessed()
	told := c.Bool(c.mode != reading && indicesBits(list, n, s) < n)
	if told {
		list = c.Indices(list, n, s)
	} else {
		list = c.Bitmap(list, n)
	}
	if c.mode == reading && (indicesBits(list, n, s) < n) != told {
		c.fail("Subset", at, ErrNotCanonical)
	}
	return c.listUnlessFailed(list)
}
