// Package quant encodes numbers in few bits and decodes them again. It sits between the
// bit packer and the code that knows what the numbers mean. It knows integers, real
// numbers, and rotations as four reals; it knows nothing of bodies, packets or time.
//
// Bits are packed by serialize.go, Glenn Fiedler's own port of the packer in his
// articles: bounds-checked, little endian, lowest bit first. Only its bits, bytes and
// align are used. Its compressed floats are not, because they fuse multiplications with
// additions and so give different results on different machines.
//
// The encodings are those of Fiedler's articles Reading and Writing Packets and
// Serialization Strategies (2015, 2016), Snapshot Compression and State Synchronization
// (2015), and of the program shown at GDC 2015. Where these disagree:
//
//   - Bits are in the articles' order. The program fills words from the top.
//   - 512 steps per metre are steps of 1.95 mm, with an error of at most 0.98 mm. The
//     article says 2 mm in one place and 0.5 mm in another.
//   - Large differences begin where small ones end, as in the program, so every
//     difference has one encoding. Unlike the program, both ranges use all of their codes.
//   - Relative rotations are differences of smallest-three integers. Widths of 4 and 7
//     bits cost less on Fiedler's own recording than the published 5 and 8
//     (TestRecordedRotations); both are in the table of DeltaBits.
//   - A measured align costs what a written one costs, not always seven bits.
//
// Every value has exactly one encoding. A reader rejects all others, so reading and
// writing again gives the same bits; FuzzRead checks it.
package quant

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/mas-bandwidth/serialize.go"
)

// Coder writes, reads or measures a bit stream. One description serves all three modes:
// c.Bits(x, 7) writes x and returns it, or reads a value and returns that.
//
// Errors are sticky. After the first failure Err returns it, reads return the lowest
// value of their range, and writes do nothing. Check Err before a value controls a
// loop. A Coder allocates only when it fails. Its zero value measures.
type Coder struct {
	write        serialize.WriteStream
	read         serialize.ReadStream
	mode         mode
	measuredBits int    // bits measured so far
	data         []byte // bytes to read
	err          error
	checks       bool       // Check codes markers
	lastCheck    checkPlace // last Check passed, and the bit after it
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

// Reasons for an Error.
var (
	ErrPastEnd      = errors.New("past the end")
	ErrRange        = errors.New("out of range")
	ErrNotCanonical = errors.New("not in canonical form")
	ErrPadding      = errors.New("non-zero padding")
	ErrCheck        = errors.New("writer and reader are out of sync")
)

// Error says which value could not be read, written or measured, and where.
type Error struct {
	Op        string // "reading", "writing" or "measuring"
	Kind      string // Coder method that failed
	BitOffset int    // where the value begins
	Err       error  // one of the reasons above
}

func (e *Error) Error() string {
	return fmt.Sprintf("quant: %s %s at bit %d: %v", e.Op, e.Kind, e.BitOffset, e.Err)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// BeginWrite starts writing into b. Its length must be a multiple of eight bytes.
func (c *Coder) BeginWrite(b []byte) {
	c.reset(writing)
	c.write.Reset(b)
}

// BeginRead starts reading from b, which may contain anything.
func (c *Coder) BeginRead(b []byte) {
	c.reset(reading)
	c.read.Reset(b)
	c.data = b
}

// BeginMeasure starts counting bits, from a byte boundary.
func (c *Coder) BeginMeasure() { c.reset(measuring) }

func (c *Coder) reset(m mode) {
	c.mode, c.measuredBits, c.data, c.err, c.lastCheck, c.lastCheckEnd = m, 0, nil, nil, checkPlace{}, 0
	c.label, c.checks = Field{}, false
}

// Reading reports whether the Coder reads.
func (c *Coder) Reading() bool { return c.mode == reading }

// Err returns the first failure or nil: an *Error, a *CheckError, or the argument of
// Fail.
func (c *Coder) Err() error { return c.err }

// Fail records a failure that only the caller can detect. The first one is kept.
func (c *Coder) Fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// fail records a failure of the value that begins at bit at.
func (c *Coder) fail(kind string, at int, reason error) {
	if c.err == nil {
		c.err = &Error{[...]string{"measuring", "writing", "reading"}[c.mode], kind, at, reason}
	}
}

// BitsProcessed returns the number of bits written, read or measured so far.
func (c *Coder) BitsProcessed() int {
	switch c.mode {
	case writing:
		return int(c.write.BitsProcessed())
	case reading:
		return int(c.read.BitsProcessed())
	}
	return c.measuredBits
}

// FinishWrite ends writing and returns the bytes written, in the memory passed to
// BeginWrite.
func (c *Coder) FinishWrite() []byte {
	c.write.Flush()
	return c.write.Data()
}

// Bits codes an unsigned number of n bits, n in [1,32]. A larger number is an error.
func (c *Coder) Bits(v uint32, n int) uint32 { return c.codeField(v, n, "Bits") }

// codeField codes n bits of the value kind. The streams check n, the end of the data,
// and that nothing failed before.
func (c *Coder) codeField(v uint32, n int, kind string) uint32 {
	if c.onField == nil {
		return c.codeBits(v, n, kind)
	}
	at := c.BitsProcessed()
	v = c.codeBits(v, n, kind)
	if c.err == nil {
		c.reportField(kind, at, v)
	}
	return v
}

func (c *Coder) codeBits(v uint32, n int, kind string) uint32 {
	if c.err == nil {
		switch {
		case c.mode == reading:
			if v = 0; c.read.SerializeBits(&v, n) == nil {
				return v
			}
			c.fail(kind, c.BitsProcessed(), ErrPastEnd)
		case uint64(v)>>n != 0:
			c.fail(kind, c.BitsProcessed(), ErrRange)
		case c.mode == writing:
			if c.write.SerializeBits(&v, n) != nil {
				c.fail(kind, c.BitsProcessed(), ErrPastEnd)
			}
		case n < 1 || n > 32:
			panic("quant: width out of [1,32]")
		default:
			c.measuredBits += n
		}
	}
	if c.mode == reading {
		return 0
	}
	return v
}

// Int codes a number in [low, high] with as many bits as the range needs, none if low
// equals high. The bounds must fit int32.
func (c *Coder) Int(v, low, high int) int { return c.codeInt(v, low, high, "Int") }

// codeInt codes a number in [low, high] as part of the value kind.
func (c *Coder) codeInt(v, low, high int, kind string) int {
	if low > high || int(int32(low)) != low || int(int32(high)) != high {
		panic("quant: Int with bounds that do not increase or do not fit int32")
	}
	switch {
	case c.err != nil:
		if c.mode == reading {
			return low
		}
		return v
	case c.mode != reading && (v < low || v > high):
		c.fail(kind, c.BitsProcessed(), ErrRange)
		return v
	case low == high:
		return low
	}
	// Subtract without a sign: the span may need all 32 bits.
	span := uint32(high) - uint32(low)
	at := c.BitsProcessed()
	got := c.codeField(uint32(v)-uint32(low), bits.Len32(span), kind)
	if got > span {
		c.fail(kind, at, ErrRange)
		got = 0
	}
	return int(int32(got + uint32(low)))
}

// Signed codes a two's complement number of n bits, n in [1,32].
func (c *Coder) Signed(v int32, n int) int32 {
	half := int64(1) << (n - 1)
	return int32(c.codeInt(int(v), int(-half), int(half-1), "Signed"))
}

// Bool codes one bit.
func (c *Coder) Bool(v bool) bool {
	var bit uint32
	if v {
		bit = 1
	}
	return c.codeField(bit, 1, "Bool") != 0
}

// Float codes all 32 bits of a float. A value read may be infinite or NaN.
func (c *Coder) Float(v float32) float32 {
	return math.Float32frombits(c.codeField(math.Float32bits(v), 32, "Float"))
}

// AtEnd reports whether a reader has consumed n bytes: only the padding of the last
// byte is left, and it is zero.
func (c *Coder) AtEnd(n int) bool {
	p := c.BitsProcessed()
	if p <= (n-1)*8 || p > n*8 {
		return false
	}
	return c.mode != reading || p == n*8 || c.data[n-1]>>(p%8) == 0
}
