package entropy

import "math/bits"

// A number is a chain of answers: is it zero, is it negative, how many bits has
// it, and these bits from the top (Exp-Golomb). The first few of them have
// models, the rest are taken to be even.
const (
	maxBits      = 18 // of a number's magnitude
	modelledBits = 2  // of its bits below the uppermost have models

	zeroNode      = 0
	signNode      = 1
	lengthNodes   = 2
	mantissaNodes = lengthNodes + maxBits
	nodeCount     = mantissaNodes + maxBits*(1<<modelledBits-1)
)

// NumberModel is what has been learned of one kind of number. The zero value has
// learned nothing.
type NumberModel [nodeCount]BitModel

// NumberMixer learns which of several Numbers to believe.
type NumberMixer [nodeCount]Mixer

// Number is a number in [low, high] and [-NumberMost, NumberMost], by what several models
// have learned of its kind: zero is where it is expected.
func (c *Coder) Number(v, low, high int, m *NumberMixer, in ...*NumberModel) int {
	n := numberCoder{c: c, mixer: m, models: in}
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

// numberCoder are the models of a number that is being coded.
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

// codeMagnitude is a number above zero.
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
