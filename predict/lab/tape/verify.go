package tape

import (
	"fmt"

	"ghostcube/predict/lab"
)

// HashCheck is what a session was after some ticks of it: enough to find out whether
// another run of its tape is the same.
type HashCheck struct {
	Ticks  int      // that had been made
	Hashes []uint64 // hash of each
	Line   int      // of the file that it was read from; 0: it was not read
}

// NewHashCheck returns what a session is now.
func NewHashCheck(l *lab.Lab) *HashCheck {
	c := &HashCheck{Ticks: int(l.Ticks())}
	for _, p := range l.Panes {
		c.Hashes = append(c.Hashes, p.Hash())
	}
	return c
}

// String returns the check as a tape writes it.
func (c *HashCheck) String() string {
	b := []byte("=")
	for _, h := range c.Hashes {
		b = fmt.Appendf(b, " %016x", h)
	}
	return string(b)
}

// Mismatch is where a run parted from its tape.
type Mismatch struct {
	FirstTick, LastTick int // it happened in these ticks, the first being 1
	Pane                int // index of the first pane that differs
	Spec                string
	Line                int // of the tape's file
	Got, Want           uint64
}

// Error says what differs and where.
func (d *Mismatch) Error() string {
	return fmt.Sprintf("line %d: pane %d, %s, differs in ticks %d to %d: %016x here, %016x on the tape", d.Line, d.Pane+1, d.Spec, d.FirstTick, d.LastTick, d.Got, d.Want)
}

// Verify compares l, which has had the tape's entries up to one of its checks,
// with that check. The error is a *Difference if a pane differs, and another if
// the tape cannot be of such a session.
func (t *Tape) Verify(l *lab.Lab, check int) error {
	c := &t.HashChecks[check]
	if len(c.Hashes) != len(l.Panes) {
		return fmt.Errorf("line %d: hashes of %d panes after tick %d, where the session has %d", c.Line, len(c.Hashes), c.Ticks, len(l.Panes))
	}
	from := 1
	if check > 0 {
		from = t.HashChecks[check-1].Ticks + 1
	}
	for i, p := range l.Panes {
		if is := p.Hash(); is != c.Hashes[i] {
			return &Mismatch{from, c.Ticks, i, p.Spec(), c.Line, is, c.Hashes[i]}
		}
	}
	return nil
}
