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

// Number codes a number in [low, high] with the mixed prediction of several models. Its
// magnitude must be below 2^18. Small magnitudes are cheap: code the difference from
// the expected value.
func (c *Coder) Number(v, low, high int, m *NumberMixer, models ...*NumberModel) int {
	n := numberCoder{c: c, mixer: m, models: models}
	if n.codeBit(v == 0, zeroNode) {
		v = 0
	} else {
		negative := n.codeBit(v < 0, signNode)
		if v = n.codeMagnitude(max(v, -v)); negative {
			v = -v
		}
	}
	if v < low || v > high {
		c.Fail(ErrRange)
	}
	if c.err != nil && !c.writing {
		return 0
	}
	return v
}

// numberCoder codes one number.
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
	size := bits.Len(uint(v))
	got := 1
	for got < maxBits && n.codeBit(size > got, lengthNodes+got) {
		got++
	}
	if n.c.writing && size > maxBits {
		n.c.Fail(ErrRange)
	}
	top := 1
	for i := got - 2; i >= 0; i-- {
		one := v>>i&1 != 0
		if top < 1<<modelledBits {
			one = n.codeBit(one, mantissaNodes+(got-1)*(1<<modelledBits-1)+top-1)
		} else {
			one = n.c.codeBit(one, 1<<15)
		}
		top <<= 1
		if one {
			top |= 1
		}
	}
	return top
}
