package quant

import "fmt"

// Align pads the stream with zeros to the next byte. A reader rejects other padding,
// which often detects that it has lost its place (Fiedler, Serialization Strategies).
func (c *Coder) Align() {
	at := c.BitsProcessed()
	if pad := -at & 7; pad != 0 && c.codeField(0, pad, "Align") != 0 {
		c.fail("Align", at, ErrPadding)
	}
}

// Bytes codes at most limit bytes: the length, an Align, and the bytes. A reader reuses
// the memory of b and grows it if needed, but never allocates more than it has data
// for.
func (c *Coder) Bytes(b []byte, limit int) []byte {
	at := c.BitsProcessed()
	n := c.codeInt(len(b), 0, limit, "Bytes")
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

// emptyIfReading returns the result of Bytes after a failure.
func (c *Coder) emptyIfReading(b []byte) []byte {
	if c.mode == reading {
		return b[:0]
	}
	return b
}

// bitsLeft returns the number of bits left to read.
func (c *Coder) bitsLeft() int { return len(c.data)*8 - c.BitsProcessed() }

// checkBits is the width of a check on the wire.
const checkBits = 32

// Check codes a marker that both sides know. If a reader finds another value, reader
// and writer have diverged since the previous check, and the *CheckError says between
// which two. The marker is a hash of the name, so a check of another name fails too
// (Fiedler, Serialization Strategies: serialize_check). It costs 32 bits.
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

// CheckError says between which two checks a reader lost synchronisation with the
// writer.
type CheckError struct {
	Name         string // of the check that failed
	BitOffset    int    // where it was expected
	LastCheck    string // name of the last check passed, "" for none
	LastCheckEnd int    // bit after that check
	Err          error  // ErrCheck, or ErrPastEnd if the packet ends before the check
}

func (e *CheckError) Error() string {
	since := "the start"
	if e.LastCheck != "" {
		since = fmt.Sprintf("check %q", e.LastCheck)
	}
	return fmt.Sprintf("quant: check %q at bit %d: %v since %s (bit %d)", e.Name, e.BitOffset, e.Err, since, e.LastCheckEnd)
}

// Unwrap returns the reason.
func (e *CheckError) Unwrap() error { return e.Err }
