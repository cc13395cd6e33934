package vp8

import "math/bits"

// boolCoder is the arithmetic coder of RFC 6386, section 7: it codes bits that are zero with a given
// probability.
type boolCoder struct {
	out   []byte
	low   uint32
	width uint32 // of the interval, 128 to 255
	count int    // bits in low beyond the last byte written, minus 24
}

// reset starts a partition that is appended to dst.
func (b *boolCoder) reset(dst []byte) { *b = boolCoder{out: dst, width: 255, count: -24} }

// put codes a bit that is zero with probability p/256.
func (b *boolCoder) put(bit int, p uint8) {
	split := 1 + ((b.width-1)*uint32(p))>>8
	if bit != 0 {
		b.low += split
		b.width -= split
	} else {
		b.width = split
	}
	shift := bits.LeadingZeros8(uint8(b.width))
	b.width <<= shift
	b.count += shift
	if b.count >= 0 {
		before := shift - b.count
		if b.low<<(before-1)&(1<<31) != 0 {
			b.carry()
		}
		b.out = append(b.out, byte(b.low>>(24-before)))
		b.low <<= before
		shift = b.count
		b.low &= 1<<24 - 1
		b.count -= 8
	}
	b.low <<= shift
}

// carry adds one to the bytes written so far.
func (b *boolCoder) carry() {
	i := len(b.out) - 1
	for b.out[i] == 0xff {
		b.out[i] = 0
		i--
	}
	b.out[i]++
}

// putBool codes a bit.
func (b *boolCoder) putBool(bit bool, p uint8) {
	if bit {
		b.put(1, p)
	} else {
		b.put(0, p)
	}
}

// literal codes the low n bits of v, the highest first.
func (b *boolCoder) literal(v, n int) {
	for i := n - 1; i >= 0; i-- {
		b.put(v>>i&1, 128)
	}
}

// flush ends the partition and returns it, appended to what reset was given.
func (b *boolCoder) flush() []byte {
	b.literal(0, 32)
	return b.out
}

// bitCosts are the lengths of a zero with probability i/256, in 1/256 bits.
var bitCosts = makeBitCosts()

// makeBitCosts computes -log2(i/256) digit by digit: squaring a number in [1, 2) doubles its logarithm.
func makeBitCosts() (t [257]int) {
	for i := 1; i <= 256; i++ {
		whole := bits.Len(uint(i)) - 1
		x := uint64(i) << (31 - whole) // 31 bits after the point
		log := whole << 10
		for k := 9; k >= 0; k-- {
			x = x * x >> 31
			if x >= 1<<32 {
				x >>= 1
				log |= 1 << k
			}
		}
		t[i] = (8<<10 - log + 2) >> 2
	}
	t[0] = 8 << 8
	return t
}

// bitCost returns the length of a bit that is zero with probability p/256, in 1/256 bits.
func bitCost(bit int, p uint8) int {
	if bit == 0 {
		return bitCosts[p]
	}
	return bitCosts[256-int(p)]
}

// bestProb returns the probability that codes the given numbers of zeros and ones in the fewest bits.
func bestProb(zeros, ones uint32) uint8 {
	n := uint64(zeros) + uint64(ones)
	if n == 0 {
		return 128
	}
	return uint8(min(max((uint64(zeros)*256+n/2)/n, 1), 255))
}

// gain returns how much shorter, in 1/256 bits, the given numbers of zeros and ones become with another probability.
func gain(zeros, ones uint32, from, to uint8) int64 {
	return int64(zeros)*int64(bitCosts[from]-bitCosts[to]) + int64(ones)*int64(bitCosts[256-int(from)]-bitCosts[256-int(to)])
}
