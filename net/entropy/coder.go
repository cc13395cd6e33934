// Package entropy writes yes or no answers in about as many bits as they are
// surprising: what was expected to be so costs next to nothing, what was not
// costs more than a bit. It is a binary arithmetic coder, as in video formats
// and in Fabian Giesen's entry to Fiedler's compression challenge of 2015, with
// models that learn from what has been coded (model.go), a mixer of several of
// them (mixer.go), and whole numbers made of such answers (number.go).
//
// It knows nothing of what the answers mean. It works in whole numbers only, so
// that every machine writes the same bytes, and allocates nothing.
//
// A writer and a reader must ask the same questions of equal models: the bytes
// alone say nothing. Bytes that come from a network are untrusted: a reader
// never goes beyond their end, and End refuses every form but the one that a
// writer makes.
package entropy

import (
	"errors"
	"fmt"
	"math/bits"
)

// Coder moves answers into bytes or out of them, with one description for both:
// x = c.Bit(x, &model) writes x and returns it, or returns what was read. After
// its first failure it stays failed: Err tells, reads return false and zero,
// and no model learns any more. Its zero value reads nothing.
//
// It holds an interval of 32-bit numbers, which every answer divides in the
// ratio of its chances and of which one part is kept. Bytes that both ends agree
// in are settled and move out (the carryless coder of Mahoney's lpaq).
type Coder struct {
	low, high uint32 // the interval, both ends in it
	code      uint32 // the bytes that are being read
	writing   bool
	data      []byte
	pos       int // bytes that are settled
	err       error
}

// The reasons of a failure.
var (
	ErrPastEnd      = errors.New("entropy: past the end")
	ErrNotCanonical = errors.New("entropy: not in canonical form")
	ErrRange        = errors.New("entropy: number out of range")
)

// BeginWrite begins to write into b.
func (c *Coder) BeginWrite(b []byte) {
	*c = Coder{high: 0xffffffff, writing: true, data: b}
}

// BeginRead begins to read b, which may hold anything.
func (c *Coder) BeginRead(b []byte) {
	*c = Coder{high: 0xffffffff, data: b}
	for i := range 4 {
		c.code = c.code<<8 | uint32(c.byteAt(i))
	}
}

// byteAt is a byte of what is read. Behind the end there are zeros.
func (c *Coder) byteAt(i int) byte {
	if i < len(c.data) {
		return c.data[i]
	}
	return 0
}

// Reading reports whether answers come in.
func (c *Coder) Reading() bool { return !c.writing }

// Err returns the first failure, or nil.
func (c *Coder) Err() error { return c.err }

// Fail notes a failure that only the caller could see.
func (c *Coder) Fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// codeBit is one answer with a chance of yes, in 65536ths, that is neither 0 nor 1.
func (c *Coder) codeBit(v bool, chance uint32) bool {
	if c.err != nil {
		return v && c.writing
	}
	middle := c.low + uint32(uint64(c.high-c.low)*uint64(chance)>>16)
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

// shiftByte moves a settled byte out of the interval.
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

// finalByte returns the byte that says which number of the interval is meant, if one
// is needed: with zeros behind it, it lies in the interval, whose ends differ in
// their first byte.
func (c *Coder) finalByte() (b byte, n int) {
	if c.low == 0 {
		return 0, 0
	}
	return byte((c.low + 0xffffff) >> 24), 1
}

// FinishWrite ends the writing and returns what was written, in the memory that was
// given to Write.
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

// FinishRead ends the reading: an error says that something has failed, or that what
// was read is not what a writer of the same answers makes.
func (c *Coder) FinishRead() error {
	b, n := c.finalByte()
	if c.pos+n != len(c.data) {
		c.Fail(fmt.Errorf("%w: %d bytes, want %d", ErrNotCanonical, len(c.data), c.pos+n))
	} else if n > 0 && c.data[c.pos] != b {
		c.Fail(ErrNotCanonical)
	}
	return c.err
}

// BitsSpent returns the bits that all answers so far have cost, to a hundredth: the
// bytes that are settled, and by how much the interval has become narrower.
func (c *Coder) BitsSpent() float64 {
	width := float64(c.high-c.low) + 1
	whole := bits.Len64(uint64(width)) - 1
	m := width/float64(uint64(1)<<whole) - 1 // log2(1+m) is about m and a little
	return float64(8*c.pos) + 32 - float64(whole) - m - float64(0.344*float64(m*(1-m)))
}
