package quant

import (
	"errors"
	"testing"
)

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
