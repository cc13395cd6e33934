package timeline

import "math/bits"

// bitset is a set of small numbers.
type bitset []uint64

// add adds n, which is not negative.
func (b *bitset) add(n int) {
	for len(*b) <= n/64 {
		*b = append(*b, 0)
	}
	(*b)[n/64] |= 1 << (n % 64)
}

// remove removes n.
func (b bitset) remove(n int) {
	if n >= 0 && n/64 < len(b) {
		b[n/64] &^= 1 << (n % 64)
	}
}

// next returns the lowest number in [from, to) that is in the set, or -1.
func (b bitset) next(from, to int) int {
	from = max(from, 0)
	for i := from / 64; i < len(b) && i*64 < to; i++ {
		word := b[i]
		if i == from/64 {
			word &= ^uint64(0) << (from % 64)
		}
		if word != 0 {
			if n := i*64 + bits.TrailingZeros64(word); n < to {
				return n
			}
			return -1
		}
	}
	return -1
}

// previous returns the highest number in [from, to) that is in the set, or -1.
func (b bitset) previous(from, to int) int {
	from = max(from, 0)
	to = min(to, len(b)*64)
	for i := (to - 1) / 64; to > from && i >= 0 && i*64+63 >= from; i-- {
		word := b[i]
		if i == (to-1)/64 {
			word &= ^uint64(0) >> (63 - (to-1)%64)
		}
		if word != 0 {
			if n := i*64 + 63 - bits.LeadingZeros64(word); n >= from {
				return n
			}
			return -1
		}
	}
	return -1
}

// count returns the number of members in [from, to).
func (b bitset) count(from, to int) (n int) {
	from, to = max(from, 0), min(to, len(b)*64)
	if from >= to {
		return 0
	}
	first, last := from/64, (to-1)/64
	for i := first; i <= last; i++ {
		word := b[i]
		if i == first {
			word &= ^uint64(0) << (from % 64)
		}
		if i == last {
			word &= ^uint64(0) >> (63 - (to-1)%64)
		}
		n += bits.OnesCount64(word)
	}
	return n
}
