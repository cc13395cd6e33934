// Package quant turns numbers into few bits and back. It stands between the
// bit packer and those who know what the numbers mean.
//
// The bits themselves are packed by serialize.go, Fiedler's own port of the
// packer that his articles describe: bounds-checked, little endian, low bits
// first. Of it only integers, bits and bools are used; its compressed floats
// fuse multiplications with additions and so differ between machines.
package quant

import (
	"math"

	"github.com/mas-bandwidth/serialize.go"
)

// Coder moves numbers through a bit stream, in, out, or only counted, with one
// description for all three: x = c.Bits(x, 7) writes x and returns it, or reads
// it and returns what was read. It allocates nothing. After the first failure
// it stays failed: Err tells, reads return the lowest value, writes do nothing;
// so a number that steers a loop is checked before it does.
type Coder struct {
	write   serialize.WriteStream
	read    serialize.ReadStream
	measure serialize.MeasureStream
	stream  serialize.Stream
	failure error // found by Fail

	// What the streams read and write, here and not on the stack, so that it
	// need not be allocated each time.
	bits    uint32
	integer int32
	truth   bool
}

// Write begins to write into b, whose length is a multiple of eight bytes.
func (c *Coder) Write(b []byte) { c.write.Reset(b); c.stream, c.failure = &c.write, nil }

// Read begins to read from b, which may hold anything.
func (c *Coder) Read(b []byte) { c.read.Reset(b); c.stream, c.failure = &c.read, nil }

// Measure begins to count bits.
func (c *Coder) Measure() { c.measure.Reset(); c.stream, c.failure = &c.measure, nil }

// Reading reports whether numbers come in.
func (c *Coder) Reading() bool { return c.stream.IsReading() }

// Err returns the first failure, or nil.
func (c *Coder) Err() error {
	if c.failure != nil {
		return c.failure
	}
	return c.stream.Err()
}

// Fail notes a failure that only the caller could see.
func (c *Coder) Fail(err error) {
	if c.Err() == nil {
		c.failure = err
	}
}

// Processed returns the bits written, read or counted so far.
func (c *Coder) Processed() int { return int(c.stream.BitsProcessed()) }

// Data ends the writing and returns what was written, in the memory that was
// given to Write.
func (c *Coder) Data() []byte {
	c.write.Flush()
	return c.write.Data()
}

// Bits is an unsigned number of n bits, n in [1,32].
func (c *Coder) Bits(v uint32, n int) uint32 {
	c.bits = v
	if c.stream.SerializeBits(&c.bits, n) != nil && c.Reading() {
		return 0
	}
	return c.bits
}

// Int is a number in [low, high], in as many bits as that range asks for: none
// if there is only one such number.
func (c *Coder) Int(v, low, high int) int {
	if low == high {
		if v != low && !c.Reading() {
			c.Fail(serialize.ErrValueOutOfRange)
		}
		return low
	}
	c.integer = int32(v)
	if c.stream.SerializeInt(&c.integer, int32(low), int32(high)) != nil && c.Reading() {
		return low
	}
	return int(c.integer)
}

// Bool is one bit.
func (c *Coder) Bool(v bool) bool {
	c.truth = v
	if c.stream.SerializeBool(&c.truth) != nil && c.Reading() {
		return false
	}
	return c.truth
}

// Float is a number of 32 bits, every one of them. What is read may be
// infinite or no number at all.
func (c *Coder) Float(v float32) float32 {
	return math.Float32frombits(c.Bits(math.Float32bits(v), 32))
}

// Whole reports whether a reader has come to the end of n bytes: nothing is
// left but the bits that fill the last one.
func (c *Coder) Whole(n int) bool { return c.Processed() > (n-1)*8 && c.Processed() <= n*8 }
