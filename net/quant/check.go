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

// EnableChecks makes Check code markers until the next Begin. Both sides must agree.
func (c *Coder) EnableChecks(on bool) { c.checks = on }

// Check is a serialise check: it codes a marker that both sides know, if checks are enabled. If a reader finds
// another value, reader and writer have diverged since the previous check, and the
// *CheckError says between which two. The marker is a hash of the name and of the present
// group, so a check of another name or element fails too (Fiedler, Serialization
// Strategies: serialize_check). It costs 32 bits.
func (c *Coder) Check(name string) {
	if !c.checks || c.err != nil {
		return
	}
	at, here := c.BitsProcessed(), checkPlace{c.label.Group, c.label.Index, name}
	mark := here.marker()
	got := c.codeField(mark, checkBits, "Check")
	switch {
	case c.err != nil:
		c.err = &CheckError{here, at, c.lastCheck, c.lastCheckEnd, c.err.(*Error).Err}
	case got != mark:
		c.err = &CheckError{here, at, c.lastCheck, c.lastCheckEnd, ErrCheck}
	default:
		c.lastCheck, c.lastCheckEnd = here, c.BitsProcessed()
	}
}

// AlignChecked is Align if checks are enabled: the markers of equal fields are then at
// equal bits of their bytes, and the padding is verified.
func (c *Coder) AlignChecked() {
	if c.checks {
		c.Align()
	}
}

// ContainsCheck reports whether the marker of a check outside of groups is in a payload, at
// any bit, because reader and writer may disagree about all before it.
func ContainsCheck(payload []byte, name string) bool {
	want := (&checkPlace{name: name}).marker()
	window := uint32(0)
	for bit := range len(payload) * 8 {
		if window = window>>1 | uint32(payload[bit/8]>>(bit%8)&1)<<31; window == want && bit >= 31 {
			return true
		}
	}
	return false
}

// checkPlace identifies a check.
type checkPlace struct {
	group string
	index int // of the group's element
	name  string
}

// marker returns the value on the wire, an FNV-1a hash.
func (p *checkPlace) marker() uint32 {
	h := uint32(2166136261)
	add := func(s string) {
		for i := range len(s) {
			h = (h ^ uint32(s[i])) * 16777619
		}
	}
	if p.group != "" {
		add(p.group)
		for n := uint32(p.index&0xffff) | 1<<16; n > 0; n >>= 8 {
			h = (h ^ n&0xff) * 16777619
		}
	}
	add(p.name)
	return h
}

// String returns the name, after its group and index if it has one.
func (p checkPlace) String() string {
	if p.group == "" {
		return p.name
	}
	return fmt.Sprintf("%s %d %s", p.group, p.index, p.name)
}

// CheckError says between which two checks a reader lost synchronisation with the
// writer.
type CheckError struct {
	place        checkPlace // of the check that failed
	bitOffset    int        // where it was expected
	lastCheck    checkPlace // last check passed; empty for none
	lastCheckEnd int        // bit after that check
	err          error      // ErrCheck, or ErrPastEnd if the packet ends before the check
}

func (e *CheckError) Error() string {
	since := "the start"
	if e.lastCheckEnd > 0 {
		since = fmt.Sprintf("check %q", e.lastCheck)
	}
	return fmt.Sprintf("quant: check %q at bit %d: %v since %s (bit %d)", e.place, e.bitOffset, e.err, since, e.lastCheckEnd)
}

// Unwrap returns the reason.
func (e *CheckError) Unwrap() error { return e.err }
