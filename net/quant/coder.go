// Package quant turns numbers into few bits and back. It stands between the
// bit packer and those who know what the numbers mean: it knows integers, real
// numbers, and four reals that are a rotation, never a body.
//
// The bits themselves are packed by serialize.go, Fiedler's own port of the
// packer that his articles describe: bounds-checked, little endian, low bits
// first. Of it only bits, bytes and align are used; its compressed floats fuse
// multiplications with additions and so differ between machines.
//
// The encodings are those of Fiedler's articles Reading and Writing Packets and
// Serialization Strategies (2015, 2016), Snapshot Compression and State
// Synchronization (2015), and of the program he showed at GDC 2015. Where these
// disagree:
//
//   - The order of the bits is the articles', not the program's, which fills
//     words from the top.
//   - The snapshot's linear velocity has the article's 32 steps per m/s (11
//     bits); the program's hundredths (13 bits) are there under another name.
//   - 512 steps per metre are steps of 1.95 mm, and so an error of at most 0.98
//     mm; the article says 2 mm in one place and 0.5 mm in another.
//   - The large step of a relative number begins where the small one ends, as
//     in the program, so that each number has one form; but both use all of
//     their codes, which the program does not.
//   - Relative orientations are relative smallest-three integers. Steps of 4
//     and 7 bits cost less on the author's own recording than the published 5
//     and 8 (relative_test.go); both have a name.
//   - A measured align costs what a written one costs, instead of always seven
//     bits.
//
// Every value has one form. A reader refuses any other, so that what was read,
// written again, gives the same bits; FuzzRead holds that.
package quant

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/mas-bandwidth/serialize.go"
)

// Coder moves numbers through a bit stream, in, out, or only counted, with one
// description for all three: x = c.Bits(x, 7) writes x and returns it, or reads
// it and returns what was read. It allocates nothing unless it fails. After the
// first failure it stays failed: Err tells, reads return the lowest value,
// writes do nothing; so a number that steers a loop is checked before it does.
// Its zero value counts.
type Coder struct {
	write        serialize.WriteStream
	read         serialize.ReadStream
	mode         mode
	measuredBits int    // bits measured
	data         []byte // what is read
	err          error
	lastCheck    string // the last Check that was passed, and the bit after it
	lastCheckEnd int
	onField      func(Field)
	label        Field
}

type mode uint8

const (
	measuring mode = iota
	writing
	reading
)

// The reasons of an Error.
var (
	ErrPastEnd      = errors.New("past the end")
	ErrRange        = errors.New("out of range")
	ErrNotCanonical = errors.New("not in canonical form")
	ErrPadding      = errors.New("non-zero padding")
	ErrCheck        = errors.New("writer and reader are out of sync")
)

// Error says what could not be read, written or measured, and where.
type Error struct {
	Op        string // "reading", "writing" or "measuring"
	Kind      string // the kind of value
	BitOffset int    // where the value begins
	Err       error  // why: one of the reasons above
}

func (e *Error) Error() string {
	return fmt.Sprintf("quant: %s %s at bit %d: %v", e.Op, e.Kind, e.BitOffset, e.Err)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// BeginWrite begins to write into b, whose length is a multiple of eight bytes.
func (c *Coder) BeginWrite(b []byte) {
	c.reset(writing)
	c.write.Reset(b)
}

// BeginRead begins to read from b, which may hold anything.
func (c *Coder) BeginRead(b []byte) {
	c.reset(reading)
	c.read.Reset(b)
	c.data = b
}

// BeginMeasure begins to count bits, from the beginning of a byte.
func (c *Coder) BeginMeasure() { c.reset(measuring) }

func (c *Coder) reset(m mode) {
	c.mode, c.measuredBits, c.data, c.err, c.lastCheck, c.lastCheckEnd = m, 0, nil, nil, "", 0
	c.label = Field{}
}

// Reading reports whether numbers come in.
func (c *Coder) Reading() bool { return c.mode == reading }

// Err returns the first failure, or nil: an *Error, or what was given to Fail.
func (c *Coder) Err() error { return c.err }

// Fail notes a failure that only the caller could see.
func (c *Coder) Fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// fail notes a failure of the value that begins at a bit.
func (c *Coder) fail(what string, at int, reason error) {
	if c.err == nil {
		c.err = &Error{[...]string{"measuring", "writing", "reading"}[c.mode], what, at, reason}
	}
}

// BitsProcessed returns the bits written, read or counted so far.
func (c *Coder) BitsProcessed() int {
	switch c.mode {
	case writing:
		return int(c.write.BitsProcessed())
	case reading:
		return int(c.read.BitsProcessed())
	}
	return c.measuredBits
}

// FinishWrite ends the writing and returns what was written, in the memory that was
// given to Write.
func (c *Coder) FinishWrite() []byte {
	c.write.Flush()
	return c.write.Data()
}

// Bits is an unsigned number of n bits, n in [1,32]. A number that needs more
// is not written.
func (c *Coder) Bits(v uint32, n int) uint32 { return c.codeField(v, n, "Bits") }

// codeField is a number of n bits that is part of what. The streams themselves check
// n, the end, and that nothing has failed in them before.
func (c *Coder) codeField(v uint32, n int, what string) uint32 {
	if c.onField == nil {
		return c.codeBits(v, n, what)
	}
	at := c.BitsProcessed()
	v = c.codeBits(v, n, what)
	if c.err == nil {
		c.reportField(what, at, v)
	}
	return v
}

func (c *Coder) codeBits(v uint32, n int, what string) uint32 {
	if c.err == nil {
		switch {
		case c.mode == reading:
			if v = 0; c.read.SerializeBits(&v, n) == nil {
				return v
			}
			c.fail(what, c.BitsProcessed(), ErrPastEnd)
		case uint64(v)>>n != 0:
			c.fail(what, c.BitsProcessed(), ErrRange)
		case c.mode == writing:
			if c.write.SerializeBits(&v, n) != nil {
				c.fail(what, c.BitsProcessed(), ErrPastEnd)
			}
		case n < 1 || n > 32:
			panic("quant: a number of bits outside [1,32]")
		default:
			c.measuredBits += n
		}
	}
	if c.mode == reading {
		return 0
	}
	return v
}

// Int is a number in [low, high], in as many bits as that range asks for: none
// if there is only one such number. The bounds fit 32 signed bits.
func (c *Coder) Int(v, low, high int) int { return c.codeInt(v, low, high, "Int") }

// codeInt is a number in a range that is part of what.
func (c *Coder) codeInt(v, low, high int, what string) int {
	if low > high || int(int32(low)) != low || int(int32(high)) != high {
		panic("quant: a range that is none")
	}
	switch {
	case c.err != nil:
		if c.mode == reading {
			return low
		}
		return v
	case c.mode != reading && (v < low || v > high):
		c.fail(what, c.BitsProcessed(), ErrRange)
		return v
	case low == high:
		return low
	}
	// The distance is taken without a sign: it may be as wide as 32 bits.
	span := uint32(high) - uint32(low)
	at := c.BitsProcessed()
	got := c.codeField(uint32(v)-uint32(low), bits.Len32(span), what)
	if got > span {
		c.fail(what, at, ErrRange)
		got = 0
	}
	return int(int32(got + uint32(low)))
}

// Signed is a number of n bits with its sign, n in [1,32]: it lies in
// [-2^(n-1), 2^(n-1)-1].
func (c *Coder) Signed(v int32, n int) int32 {
	half := int64(1) << (n - 1)
	return int32(c.codeInt(int(v), int(-half), int(half-1), "Signed"))
}

// Bool is one bit.
func (c *Coder) Bool(v bool) bool {
	var bit uint32
	if v {
		bit = 1
	}
	return c.codeField(bit, 1, "Bool") != 0
}

// Float is a number of 32 bits, every one of them. What is read may be
// infinite or no number at all.
func (c *Coder) Float(v float32) float32 {
	return math.Float32frombits(c.codeField(math.Float32bits(v), 32, "Float"))
}

// AtEnd reports whether a reader has come to the end of n bytes: nothing is
// left but the bits that fill the last one, and they are zero.
func (c *Coder) AtEnd(n int) bool {
	p := c.BitsProcessed()
	if p <= (n-1)*8 || p > n*8 {
		return false
	}
	return c.mode != reading || p == n*8 || c.data[n-1]>>(p%8) == 0
}
