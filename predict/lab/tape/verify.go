package tape

import (
	"fmt"

	"ghostcube/predict/lab"
)

// HashCheck is the state of a session after a number of ticks. It tells whether another run
// of the tape is the same.
type HashCheck struct {
	Ticks  int      // ticks before the check
	Hashes []uint64 // by pane
	Line   int      // line in the file; 0: the check was not read from a file
}

// NewHashCheck returns the hash check of a lab as it is now.
func NewHashCheck(l *lab.Lab) *HashCheck {
	c := &HashCheck{Ticks: int(l.Ticks())}
	for _, p := range l.Panes {
		c.Hashes = append(c.Hashes, p.Hash())
	}
	return c
}

// String returns the check's line on a tape.
func (c *HashCheck) String() string {
	b := []byte("=")
	for _, h := range c.Hashes {
		b = fmt.Appendf(b, " %016x", h)
	}
	return string(b)
}

// Mismatch is the first difference between a run and its tape.
type Mismatch struct {
	FirstTick, LastTick int // range of ticks in which it happened, counted from 1
	Pane                int // index of the first pane that differs
	Spec                string
	Line                int // of the hash check in the file
	Got, Want           uint64
}

// Error names the line, the pane, the range of ticks and both hashes.
func (m *Mismatch) Error() string {
	return fmt.Sprintf("line %d: pane %d, %s, differs in ticks %d to %d: hash %016x here, %016x on the tape",
		m.Line, m.Pane+1, m.Spec, m.FirstTick, m.LastTick, m.Got, m.Want)
}

// Verify compares a lab, which has made the ticks up to a hash check of the tape, with that
// check. The error is a *Mismatch if a pane differs, and another error if the check does
// not fit the session.
func (t *Tape) Verify(l *lab.Lab, check int) error {
	c := &t.HashChecks[check]
	if len(c.Hashes) != len(l.Panes) {
		return fmt.Errorf("line %d: hashes of %d panes after tick %d: the session has %d panes", c.Line, len(c.Hashes), c.Ticks, len(l.Panes))
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
