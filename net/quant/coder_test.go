package quant

import (
	"errors"
	"math"
	"testing"
)

// numbers is one description for reading, writing and measuring.
type numbers struct {
	bits    uint32
	integer int
	truth   bool
	real    float32
}

func (n *numbers) code(c *Coder) {
	n.bits = c.Bits(n.bits, 13)
	n.integer = c.Int(n.integer, -5, 90)
	n.truth = c.Bool(n.truth)
	n.real = c.Float(n.real)
}

// TestRoundTrip says that what is written is read, and measured at its size.
func TestRoundTrip(t *testing.T) {
	var c Coder
	for _, n := range []numbers{{}, {8191, 90, true, -1.5}, {1, -5, false, math.MaxFloat32}, {77, 0, true, float32(math.Copysign(0, -1))}} {
		want := n
		var b [64]byte
		c.Write(b[:])
		n.code(&c)
		bits, data := c.Processed(), c.Data()
		if bits != 13+7+1+32 || len(data) != 7 || c.Err() != nil || n != want {
			t.Fatalf("%+v: %d bits in %d bytes, %v", n, bits, len(data), c.Err())
		}
		c.Measure()
		n.code(&c)
		if c.Processed() != bits {
			t.Errorf("measured %d bits, written %d", c.Processed(), bits)
		}
		var back numbers
		c.Read(data)
		back.code(&c)
		if back != want || c.Err() != nil || !c.Whole(len(data)) || c.Whole(len(data)+1) || c.Whole(len(data)-1) {
			t.Errorf("read %+v, want %+v (%v)", back, want, c.Err())
		}
		for cut := range data {
			back = numbers{}
			c.Read(data[:cut])
			back.code(&c)
			if c.Err() == nil {
				t.Errorf("%d of %d bytes are read without an error", cut, len(data))
			}
		}
	}
}

// TestRange says that a number outside its range is refused when read.
func TestRange(t *testing.T) {
	var b [8]byte
	var c Coder
	c.Write(b[:])
	c.Bits(127, 7)
	data := c.Data()
	c.Read(data)
	if got := c.Int(0, -5, 90); got != -5 || c.Err() == nil {
		t.Errorf("read %d, %v", got, c.Err())
	}
	c.Write(b[:])
	if c.Int(7, 7, 7) != 7 || c.Processed() != 0 || c.Err() != nil {
		t.Error("the only number of its range costs bits")
	}
	if c.Int(8, 7, 7); c.Err() == nil {
		t.Error("a number outside a range of one is written")
	}
	c.Read(data)
	c.Fail(errors.New("first"))
	c.Fail(errors.New("second"))
	if c.Err() == nil || c.Err().Error() != "first" {
		t.Errorf("%v", c.Err())
	}
}

func TestAllocatesNothing(t *testing.T) {
	var c Coder
	b := make([]byte, 64)
	n := numbers{5, 6, true, 7}
	if a := testing.AllocsPerRun(100, func() {
		c.Write(b)
		n.code(&c)
		data := c.Data()
		c.Read(data)
		n.code(&c)
	}); a != 0 {
		t.Errorf("%v allocations", a)
	}
}
