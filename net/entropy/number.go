package entropy

import "math/bits"

// A number is coded as a sequence of bits: whether it is zero, its sign, its length in
// unary, and its mantissa from the top (Exp-Golomb). All have models except the lower
// bits of the mantissa, which are taken to be uniform.
const (
	maxBits      = 18 // of a magnitude
	modelledBits = 2  // mantissa bits with models, below the leading one

	zeroNode      = 0
	signNode      = 1
	lengthNodes   = 2
	mantissaNodes = lengthNodes + maxBits
	nodeCount     = mantissaNodes + maxBits*(1<<modelledBits-1)
)

// NumberModel estimates the distribution of one kind of number. The zero value has seen
// none.
type NumberModel [nodeCount]BitModel

// NumberMixer learns how much weight to give each of several NumberModels.
type NumberMixer [nodeCount]Mixer

// Number codes a number in [low, high] with the prediction of m, which then learns it.
// Its magnitude must be below 2^18. Small magnitudes are cheap: code the difference from
// the expected value. Both signs are taken to be equally likely.
func (c *Coder) Number(v, low, high int, m *NumberModel) int {
	zero, negative, size := v == 0, v < 0, 1
	if v = max(v, -v); !c.Bit(zero, &m[zeroNode]) {
		negative = c.codeBit(negative, 1<<15)
		most := c.magnitudeBits(v)
		for size < maxBits && c.Bit(most > size, &m[lengthNodes+size]) {
			size++
		}
		top := 1
		for i := size - 2; i >= 0; i-- {
			one := v>>i&1 != 0
			if top < 1<<modelledBits {
				one = c.Bit(one, &m[mantissaNode(size, top)])
			} else {
				one = c.codeBit(one, 1<<15)
			}
			top = top<<1 | boolInt(one)
		}
		if v = top; negative {
			v = -v
		}
	} else {
		v = 0
	}
	return c.inRange(v, low, high)
}

// MixedNumber does the same with the mixed prediction of several models, also of the
// sign.
func (c *Coder) MixedNumber(v, low, high int, m *NumberMixer, models ...*NumberModel) int {
	n := numberCoder{c: c, mixer: m, models: models}
	if n.codeBit(v == 0, zeroNode) {
		v = 0
	} else {
		negative := n.codeBit(v < 0, signNode)
		if v = n.codeMagnitude(max(v, -v)); negative {
			v = -v
		}
	}
	return c.inRange(v, low, high)
}

// magnitudeBits returns the length of a magnitude, which fails c if it is too long to
// write.
func (c *Coder) magnitudeBits(v int) int {
	size := bits.Len(uint(v))
	if c.writing && size > maxBits {
		c.Fail(ErrRange)
	}
	return size
}

// mantissaNode returns the node of the bit below the leading ones of a magnitude.
func mantissaNode(size, top int) int {
	return mantissaNodes + (size-1)*(1<<modelledBits-1) + top - 1
}

// inRange returns a number that is not out of range, and fails c otherwise.
func (c *Coder) inRange(v, low, high int) int {
	if v < low || v > high {
		c.Fail(ErrRange)
	}
	if c.err != nil && !c.writing {
		return 0
	}
	return v
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// numberCoder codes one number with a mix.
type numberCoder struct {
	c      *Coder
	mixer  *NumberMixer
	models []*NumberModel
}

func (n *numberCoder) codeBit(v bool, node int) bool {
	var b [maxInputs]*BitModel
	for i, x := range n.models {
		b[i] = &x[node]
	}
	return n.c.MixedBit(v, &n.mixer[node], b[:len(n.models)])
}

// codeMagnitude codes a number above zero.
func (n *numberCoder) codeMagnitude(v int) int {
	most, size := n.c.magnitudeBits(v), 1
	for size < maxBits && n.codeBit(most > size, lengthNodes+size) {
		size++
	}
	top := 1
	for i := size - 2; i >= 0; i-- {
		one := v>>i&1 != 0
		if top < 1<<modelledBits {
			one = n.codeBit(one, mantissaNode(size, top))
		} else {
			one = n.c.codeBit(one, 1<<15)
		}
		top = top<<1 | boolInt(one)
	}
	return top
}
