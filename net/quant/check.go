package quant

import "fmt"

// Align fills the byte that was begun with zeros. A reader refuses anything
// else there, and so often finds that it has lost its way (Fiedler,
// Serialization Strategies: after 323 bits follow 5).
func (c *Coder) Align() {
	at := c.BitsProcessed()
	if pad := -at & 7; pad != 0 && c.codeField(0, pad, "Align") != 0 {
		c.fail("Align", at, ErrPadding)
	}
}

// Bytes is a run of at most most bytes: its length, an Align, and the bytes as
// they are. When it reads, it writes over b and makes it longer if it must; no
// more than has come is ever allocated.
func (c *Coder) Bytes(b []byte, most int) []byte {
	at := c.BitsProcessed()
	n := c.codeInt(len(b), 0, most, "Bytes")
	c.Align()
	if c.err != nil {
		return c.emptyIfReading(b)
	}
	if c.onField != nil {
		from := c.BitsProcessed()
		defer func() {
			if c.err == nil {
				c.reportField("Bytes", from, 0)
			}
		}()
	}
	switch c.mode {
	case measuring:
		c.measuredBits += n * 8
	case writing:
		if c.write.SerializeBytes(b) != nil {
			c.fail("Bytes", at, ErrPastEnd)
		}
	case reading:
		if n > c.bitsLeft()/8 {
			c.fail("Bytes", at, ErrPastEnd)
			return b[:0]
		}
		if n > cap(b) {
			b = make([]byte, n)
		}
		b = b[:n]
		if c.read.SerializeBytes(b) != nil {
			c.fail("Bytes", at, ErrPastEnd)
			return b[:0]
		}
	}
	return b
}

// emptyIfReading is what a failed coder makes of b.
func (c *Coder) emptyIfReading(b []byte) []byte {
	if c.mode == reading {
		return b[:0]
	}
	return b
}

// bitsLeft is the bits that a reader has before it.
func (c *Coder) bitsLeft() int { return len(c.data)*8 - c.BitsProcessed() }

// checkBits is the width of a check on the wire.
const checkBits = 32

// Check is a number in the middle of a packet that both sides know: if a reader
// finds another, the two have gone apart since the check before, and the
// *CheckError says between which two. The number follows from the name, so that
// the wrong check is refused, too (Fiedler, Serialization Strategies:
// serialize_check). It costs 32 bits.
func (c *Coder) Check(name string) {
	if c.err != nil {
		return
	}
	at := c.BitsProcessed()
	mark := uint32(2166136261) // FNV-1a
	for i := range len(name) {
		mark = (mark ^ uint32(name[i])) * 16777619
	}
	got := c.codeField(mark, checkBits, "Check")
	switch {
	case c.err != nil:
		c.err = &CheckError{name, at, c.lastCheck, c.lastCheckEnd, c.err.(*Error).Err}
	case got != mark:
		c.err = &CheckError{name, at, c.lastCheck, c.lastCheckEnd, ErrCheck}
	default:
		c.lastCheck, c.lastCheckEnd = name, c.BitsProcessed()
	}
}

// CheckError says between which two checks a writer and a reader have gone
// apart.
type CheckError struct {
	Name         string // of the check that failed
	BitOffset    int    // where it was expected
	LastCheck    string // name of the last check that was passed, "" for none
	LastCheckEnd int    // the bit after that one
	Err          error  // ErrCheck, or ErrEnd where the packet ended before the check
}

func (e *CheckError) Error() string {
	since := "the beginning"
	if e.LastCheck != "" {
		since = fmt.Sprintf("check %q", e.LastCheck)
	}
	return fmt.Sprintf("quant: check %q at bit %d: %v, since %s (bit %d)", e.Name, e.BitOffset, e.Err, since, e.LastCheckEnd)
}

// Unwrap returns the reason.
func (e *CheckError) Unwrap() error { return e.Err }
