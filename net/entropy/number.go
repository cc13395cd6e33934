package entropy

import "math/bits"

// A number is a chain of answers: is it zero, is it negative, how many bits has
// it, and these bits from the top (Exp-Golomb). The first few of them have
// models, the rest are taken to be even.
const (
	mostBits = 18 // of a number's magnitude
	modelled = 2  // of its bits below the uppermost have models

	zeroNode  = 0
	signNode  = 1
	sizeNodes = 2
	restNodes = sizeNodes + mostBits
	nodes     = restNodes + mostBits*(1<<modelled-1)
)

// Number is what has been learned of one kind of number. The zero value has
// learned nothing.
type Number [nodes]Bit

// NumberMixer learns which of several Numbers to believe.
type NumberMixer [nodes]Mixer

// NumberMost is the greatest magnitude that a number may have.
const NumberMost = 1<<mostBits - 1

// Number is a number in [low, high] and [-NumberMost, NumberMost], by what several models
// have learned of its kind: zero is where it is expected.
func (c *Coder) Number(v, low, high int, m *NumberMixer, in ...*Number) int {
	n := numbers{c: c, m: m, in: in}
	if n.bit(v == 0, zeroNode) {
		v = 0
	} else {
		negative := n.bit(v < 0, signNode)
		if v = n.magnitude(max(v, -v)); negative {
			v = -v
		}
	}
	if v < low || v > high {
		c.Fail(ErrRange)
	}
	if c.failure != nil && !c.writing {
		return 0
	}
	return v
}

// numbers are the models of a number that is being coded.
type numbers struct {
	c  *Coder
	m  *NumberMixer
	in []*Number
}

func (n *numbers) bit(v bool, node int) bool {
	var b [MostInputs]*Bit
	for i, x := range n.in {
		b[i] = &x[node]
	}
	return n.c.Mix(v, &n.m[node], b[:len(n.in)])
}

// magnitude is a number above zero.
func (n *numbers) magnitude(v int) int {
	size := bits.Len(uint(v))
	got := 1
	for got < mostBits && n.bit(size > got, sizeNodes+got) {
		got++
	}
	if n.c.writing && size > mostBits {
		n.c.Fail(ErrRange)
	}
	top := 1
	for i := got - 2; i >= 0; i-- {
		one := v>>i&1 != 0
		if top < 1<<modelled {
			one = n.bit(one, restNodes+(got-1)*(1<<modelled-1)+top-1)
		} else {
			one = n.c.bit(one, 1<<15)
		}
		top <<= 1
		if one {
			top |= 1
		}
	}
	return top
}
