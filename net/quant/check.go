package quant

import "fmt"

// Align fills the byte that was begun with zeros. A reader refuses anything
// else there, and so often finds that it has lost its way (Fiedler,
// Serialization Strategies: after 323 bits follow 5).
func (c *Coder) Align() {
	at := c.Processed()
	if pad := -at & 7; pad != 0 && c.field(0, pad, "Align") != 0 {
		c.fail("Align", at, ErrPadding)
	}
}

// Bytes is a run of at most most bytes: its length, an Align, and the bytes as
// they are. When it reads, it writes over b and makes it longer if it must; no
// more than has come is ever allocated.
func (c *Coder) Bytes(b []byte, most int) []byte {
	at := c.Processed()
	n := c.number(len(b), 0, most, "Bytes")
	c.Align()
	if c.failure != nil {
		return c.nothing(b)
	}
	if c.watch != nil {
		from := c.Processed()
		defer func() {
			if c.failure == nil {
				c.saw("Bytes", from, 0)
			}
		}()
	}
	switch c.mode {
	case measuring:
		c.count += n * 8
	case writing:
		if c.write.SerializeBytes(b) != nil {
			c.fail("Bytes", at, ErrEnd)
		}
	case reading:
		if n > c.left()/8 {
			c.fail("Bytes", at, ErrEnd)
			return b[:0]
		}
		if n > cap(b) {
			b = make([]byte, n)
		}
		b = b[:n]
		if c.read.SerializeBytes(b) != nil {
			c.fail("Bytes", at, ErrEnd)
			return b[:0]
		}
	}
	return b
}

// nothing is what a failed coder makes of b.
func (c *Coder) nothing(b []byte) []byte {
	if c.mode == reading {
		return b[:0]
	}
	return b
}

// left is the bits that a reader has before it.
func (c *Coder) left() int { return len(c.data)*8 - c.Processed() }

// checkBits is the width of a check on the wire.
const checkBits = 32

// Check is a number in the middle of a packet that both sides know: if a reader
// finds another, the two have gone apart since the check before, and the
// *CheckError says between which two. The number follows from the name, so that
// the wrong check is refused, too (Fiedler, Serialization Strategies:
// serialize_check). It costs 32 bits.
func (c *Coder) Check(name string) {
	if c.failure != nil {
		return
	}
	at := c.Processed()
	mark := uint32(2166136261) // FNV-1a
	for i := range len(name) {
		mark = (mark ^ uint32(name[i])) * 16777619
	}
	got := c.field(mark, checkBits, "Check")
	switch {
	case c.failure != nil:
		c.failure = &CheckError{name, at, c.passed, c.beyond, c.failure.(*Error).Err}
	case got != mark:
		c.failure = &CheckError{name, at, c.passed, c.beyond, ErrCheck}
	default:
		c.passed, c.beyond = name, c.Processed()
	}
}

// CheckError says between which two checks a writer and a reader have gone
// apart.
type CheckError struct {
	Name  string // of the check that failed
	Bit   int    // where it was expected
	Since string // name of the last check that was passed, "" for none
	From  int    // the bit after that one
	Err   error  // ErrCheck, or ErrEnd where the packet ended before the check
}

func (e *CheckError) Error() string {
	since := "the beginning"
	if e.Since != "" {
		since = fmt.Sprintf("check %q", e.Since)
	}
	return fmt.Sprintf("quant: check %q at bit %d: %v, since %s (bit %d)", e.Name, e.Bit, e.Err, since, e.From)
}

// Unwrap returns the reason.
func (e *CheckError) Unwrap() error { return e.Err }
