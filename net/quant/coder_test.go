package quant

import (
	"errors"
	"math"
	"testing"
)

// values has one description for reading, writing and measuring.
type values struct {
	bits    uint32
	integer int
	boolean bool
	real    float32
}

func (n *values) code(c *Coder) {
	n.bits = c.Bits(n.bits, 13)
	n.integer = c.Int(n.integer, -5, 90)
	n.boolean = c.Bool(n.boolean)
	n.real = c.Float(n.real)
}

// TestRoundTrip checks that values are read as written, and that measured and written
// sizes agree.
func TestRoundTrip(t *testing.T) {
	var c Coder
	for _, n := range []values{{}, {8191, 90, true, -1.5}, {1, -5, false, math.MaxFloat32}, {77, 0, true, float32(math.Copysign(0, -1))}} {
		want := n
		var b [64]byte
		c.BeginWrite(b[:])
		n.code(&c)
		bits, data := c.BitsProcessed(), c.FinishWrite()
		if bits != 13+7+1+32 || len(data) != 7 || c.Err() != nil || n != want {
			t.Fatalf("%+v: %d bits in %d bytes, %v", n, bits, len(data), c.Err())
		}
		c.BeginMeasure()
		n.code(&c)
		if c.BitsProcessed() != bits {
			t.Errorf("measured %d bits, written %d", c.BitsProcessed(), bits)
		}
		var back values
		c.BeginRead(data)
		back.code(&c)
		if back != want || c.Err() != nil || !c.AtEnd(len(data)) || c.AtEnd(len(data)+1) || c.AtEnd(len(data)-1) {
			t.Errorf("read %+v, want %+v (%v)", back, want, c.Err())
		}
		for cut := range data {
			back = values{}
			c.BeginRead(data[:cut])
			back.code(&c)
			if c.Err() == nil {
				t.Errorf("%d of %d bytes are read without an error", cut, len(data))
			}
		}
	}
}

// TestRange checks that a reader rejects a number out of range.
func TestRange(t *testing.T) {
	var b [8]byte
	var c Coder
	c.BeginWrite(b[:])
	c.Bits(127, 7)
	data := c.FinishWrite()
	c.BeginRead(data)
	if got := c.Int(0, -5, 90); got != -5 || c.Err() == nil {
		t.Errorf("read %d, %v", got, c.Err())
	}
	c.BeginWrite(b[:])
	if c.Int(7, 7, 7) != 7 || c.BitsProcessed() != 0 || c.Err() != nil {
		t.Error("a range of one number takes bits")
	}
	if c.Int(8, 7, 7); c.Err() == nil {
		t.Error("a number outside a range of one is written")
	}
	c.BeginRead(data)
	c.Fail(errors.New("first"))
	c.Fail(errors.New("second"))
	if c.Err() == nil || c.Err().Error() != "first" {
		t.Errorf("%v", c.Err())
	}
}

func TestAllocatesNothing(t *testing.T) {
	var c Coder
	b := make([]byte, 64)
	n := values{5, 6, true, 7}
	if a := testing.AllocsPerRun(100, func() {
		c.BeginWrite(b)
		n.code(&c)
		data := c.FinishWrite()
		c.BeginRead(data)
		n.code(&c)
	}); a != 0 {
		t.Errorf("%v allocations", a)
	}
}
