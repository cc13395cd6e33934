// Package entropy is an adaptive binary arithmetic coder. A bit that its model expects
// costs next to nothing, a surprising one costs more than a bit. It has the structure
// of the coders in video formats and of Fabian Giesen's entry to Fiedler's compression
// challenge of 2015: models that learn from the bits coded so far (model.go), a mixer
// that combines several of them (mixer.go), and integers binarised into such bits
// (number.go).
//
// The package does not know what the bits mean. It uses integer arithmetic only, so
// every machine writes the same bytes, and it allocates nothing.
//
// Writer and reader must code the same sequence with equal models; the bytes alone mean
// nothing. Bytes from the network are untrusted: a reader never passes their end, and
// FinishRead rejects every encoding but the one a writer produces.
package entropy

import (
	"errors"
	"fmt"
	"math/bits"
)

// Coder writes or reads a stream of bits. One description serves both: c.Bit(x, &model)
// writes x and returns it, or reads a bit and returns that. Errors are sticky: after
// the first failure Err returns it, reads return false and zero, and models stop
// learning. The zero value reads an empty stream.
//
// The state is an interval of 32-bit numbers. Every bit divides it in proportion to the
// probabilities and keeps one part. Leading bytes that both ends share are final and
// move out (the carryless coder of Mahoney's lpaq).
type Coder struct {
	low, high uint32 // ends of the interval, both inclusive
	code      uint32 // next bytes of the data read
	writing   bool
	data      []byte
	pos       int // bytes that are final
	err       error
}

// Reasons for a failure.
var (
	ErrPastEnd      = errors.New("entropy: past the end")
	ErrNotCanonical = errors.New("entropy: not in canonical form")
	ErrRange        = errors.New("entropy: number out of range")
)

// BeginWrite starts writing into b.
func (c *Coder) BeginWrite(b []byte) {
	*c = Coder{high: 0xffffffff, writing: true, data: b}
}

// BeginRead starts reading b, which may contain anything.
func (c *Coder) BeginRead(b []byte) {
	*c = Coder{high: 0xffffffff, data: b}
	for i := range 4 {
		c.code = c.code<<8 | uint32(c.byteAt(i))
	}
}

// byteAt returns a byte of the data, and zero beyond its end.
func (c *Coder) byteAt(i int) byte {
	if i < len(c.data) {
		return c.data[i]
	}
	return 0
}

// Reading reports whether the Coder reads.
func (c *Coder) Reading() bool { return !c.writing }

// Err returns the first failure, or nil.
func (c *Coder) Err() error { return c.err }

// Fail records a failure that only the caller can detect. The first one is kept.
func (c *Coder) Fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// codeBit codes a bit. one is the probability that it is set, in 65536ths, neither 0
// nor 65536.
func (c *Coder) codeBit(v bool, one uint32) bool {
	if c.err != nil {
		return v && c.writing
	}
	middle := c.low + uint32(uint64(c.high-c.low)*uint64(one)>>16)
	if !c.writing {
		v = c.code <= middle
	}
	if v {
		c.high = middle
	} else {
		c.low = middle + 1
	}
	for (c.low^c.high)>>24 == 0 && c.err == nil {
		c.shiftByte()
	}
	return v
}

// shiftByte moves a final byte out of the interval.
func (c *Coder) shiftByte() {
	if c.pos >= len(c.data) {
		c.Fail(ErrPastEnd)
	} else if c.writing {
		c.data[c.pos] = byte(c.low >> 24)
	}
	c.pos++
	c.low, c.high = c.low<<8, c.high<<8|0xff
	if !c.writing {
		c.code = c.code<<8 | uint32(c.byteAt(c.pos+3))
	}
}

// finalByte returns the byte that selects a number of the interval, if one is needed.
// With zeros after it that number lies in the interval, whose ends differ in their
// first byte.
func (c *Coder) finalByte() (b byte, n int) {
	if c.low == 0 {
		return 0, 0
	}
	return byte((c.low + 0xffffff) >> 24), 1
}

// FinishWrite ends writing and returns the bytes written, in the memory passed to
// BeginWrite.
func (c *Coder) FinishWrite() []byte {
	if b, n := c.finalByte(); n > 0 {
		if c.pos < len(c.data) {
			c.data[c.pos] = b
		} else {
			c.Fail(ErrPastEnd)
		}
		c.pos++
	}
	c.low, c.high = 0, 0xffffffff
	return c.data[:min(c.pos, len(c.data))]
}

// FinishRead ends reading. It returns the first failure, or an error if the bytes are
// not what a writer of the same values produces.
func (c *Coder) FinishRead() error {
	b, n := c.finalByte()
	if c.pos+n != len(c.data) {
		c.Fail(fmt.Errorf("%w: %d bytes, want %d", ErrNotCanonical, len(c.data), c.pos+n))
	} else if n > 0 && c.data[c.pos] != b {
		c.Fail(ErrNotCanonical)
	}
	return c.err
}

// BitsSpent returns the cost of all values so far, to a hundredth of a bit: the final
// bytes, plus the narrowing of the interval.
func (c *Coder) BitsSpent() float64 {
	width := float64(c.high-c.low) + 1
	octaves := bits.Len64(uint64(width)) - 1
	m := width/float64(uint64(1)<<octaves) - 1 // log2(1+m) is approximately m + 0.344*m*(1-m)
	return float64(8*c.pos) + 32 - float64(octaves) - m - float64(0.344*float64(m*(1-m)))
}
