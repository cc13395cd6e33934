package quant

import (
	"errors"
	"strings"
	"testing"
)

// TestAlignVerifiesZeros checks that Align pads 323 bits with 5 more, and that a reader
// rejects each of them if it is set.
func TestAlignVerifiesZeros(t *testing.T) {
	var b [64]byte
	var c Coder
	code := func() {
		for range 10 {
			c.Bits(0x55555555, 32)
		}
		c.Bits(5, 3)
		c.Align()
		c.Bits(200, 8)
		c.Align()
	}
	c.BeginMeasure()
	code()
	if c.BitsProcessed() != 323+5+8 {
		t.Errorf("measured %d bits", c.BitsProcessed())
	}
	c.BeginWrite(b[:])
	code()
	data := c.FinishWrite()
	c.BeginRead(data)
	if code(); c.Err() != nil || c.BitsProcessed() != 336 || len(data) != 42 {
		t.Errorf("%v, %d bits in %d bytes", c.Err(), c.BitsProcessed(), len(data))
	}
	for bit := 323; bit < 328; bit++ {
		data[bit/8] ^= 1 << (bit % 8)
		c.BeginRead(data)
		code()
		var e *Error
		if !errors.As(c.Err(), &e) || e.Err != ErrPadding || e.BitOffset != 323 {
			t.Errorf("bit %d of the padding is set: %v", bit, c.Err())
		}
		data[bit/8] ^= 1 << (bit % 8)
	}
}

// TestAtEndVerifiesZeros checks that the bits after the last value must be zero.
func TestAtEndVerifiesZeros(t *testing.T) {
	var c Coder
	for bit := range 8 {
		c.BeginRead([]byte{1 << bit})
		c.Bits(0, 3)
		if got, want := c.AtEnd(1), bit < 3; got != want {
			t.Errorf("bit %d is set after 3 bits: %v", bit, got)
		}
	}
}

// TestBytes checks that byte strings are aligned, copied and limited on both sides, and
// that nothing is allocated for a length without data.
func TestBytes(t *testing.T) {
	var b [64]byte
	var c Coder
	code := func(p []byte) []byte {
		c.Bool(true)
		p = c.Bytes(p, 40)
		c.Bits(3, 2)
		return p
	}
	for _, text := range []string{"", "a", strings.Repeat("bytes of text ", 2), strings.Repeat("x", 40)} {
		c.BeginMeasure()
		code([]byte(text))
		measured := c.BitsProcessed()
		c.BeginWrite(b[:])
		code([]byte(text))
		bits, data := c.BitsProcessed(), c.FinishWrite()
		if bits != 8+len(text)*8+2 || measured != bits || c.Err() != nil {
			t.Errorf("%d bytes: %d bits, measured %d, %v", len(text), bits, measured, c.Err())
		}
		for _, room := range []int{0, 3, 40} {
			c.BeginRead(data)
			if got := code(make([]byte, room)); string(got) != text || c.Err() != nil {
				t.Errorf("%q is read as %q, %v", text, got, c.Err())
			}
		}
		for cut := range data[:len(data)-1] {
			c.BeginRead(data[:cut])
			if got := code(nil); c.Err() == nil || len(got) > 0 {
				t.Errorf("%d of %d bytes: %q, %v", cut, len(data), got, c.Err())
			}
		}
	}
	c.BeginWrite(b[:])
	if code(make([]byte, 41)); !errors.Is(c.Err(), ErrRange) {
		t.Errorf("41 bytes of at most 40: %v", c.Err())
	}
	c.BeginWrite(b[:])
	c.Bytes(make([]byte, 70), 1<<30)
	if !errors.Is(c.Err(), ErrPastEnd) {
		t.Errorf("70 bytes in 64: %v", c.Err())
	}
	c.BeginRead([]byte{0xfe, 0xff, 0xff, 0x3f, 0, 0}) // a length of almost 2^29
	if got := c.Bytes(nil, 1<<30-1); cap(got) > 0 || !errors.Is(c.Err(), ErrPastEnd) {
		t.Errorf("room for %d bytes, %v", cap(got), c.Err())
	}
	c.BeginRead([]byte{20, 0, 0, 0, 0, 0}) // length 20, with 5 bytes of data
	if got := c.Bytes(nil, 40); cap(got) > 0 || !errors.Is(c.Err(), ErrPastEnd) {
		t.Errorf("room for %d bytes, %v", cap(got), c.Err())
	}
}

// TestCheckErrorSaysWhere checks that an error names the two checks between which
// reader and writer diverged.
func TestCheckErrorSaysWhere(t *testing.T) {
	code := func(c *Coder, width int) {
		c.EnableChecks(true)
		c.Bits(7, 5)
		c.Check("header")
		c.Bits(1, width)
		c.Bits(90, 9)
		c.Check("bodies")
	}
	var b [64]byte
	var c Coder
	c.BeginWrite(b[:])
	code(&c, 10)
	data := c.FinishWrite()
	c.BeginRead(data)
	if code(&c, 10); c.Err() != nil || c.BitsProcessed() != 5+32+10+9+32 {
		t.Fatalf("%v, %d bits", c.Err(), c.BitsProcessed())
	}
	c.BeginRead(data)
	code(&c, 9)
	var e *CheckError
	if !errors.As(c.Err(), &e) || *e != (CheckError{checkPlace{name: "bodies"}, 55, checkPlace{name: "header"}, 37, ErrCheck}) {
		t.Errorf("%v", c.Err())
	}
	if want := `quant: check "bodies" at bit 55: writer and reader are out of sync since check "header" (bit 37)`; c.Err().Error() != want {
		t.Errorf("%v", c.Err())
	}
	c.BeginRead(data)
	c.EnableChecks(true)
	c.Bits(0, 4)
	c.Check("header")
	if want := `quant: check "header" at bit 4: writer and reader are out of sync since the start (bit 0)`; c.Err().Error() != want {
		t.Errorf("%v", c.Err())
	}
	c.BeginRead(data)
	c.EnableChecks(true)
	c.Bits(0, 5)
	if c.Check("reader"); !errors.Is(c.Err(), ErrCheck) {
		t.Errorf("a check of another name passes: %v", c.Err())
	}
	c.BeginRead(data[:6])
	if code(&c, 10); !errors.As(c.Err(), new(*Error)) || !errors.Is(c.Err(), ErrPastEnd) {
		t.Errorf("cut before a check: %v", c.Err())
	}
	c.BeginRead(data[:8])
	if code(&c, 10); !errors.As(c.Err(), &e) || e.err != ErrPastEnd || e.place.String() != "bodies" {
		t.Errorf("cut in a check: %v", c.Err())
	}
	first := c.Err()
	if c.Check("later"); c.Err() != first {
		t.Errorf("a later check covers %v", first)
	}
}
