package tape

import (
	"io"

	"ghostcube/predict/lab"
)

// Tape is a session that can be run again, and may say what it came to.
type Tape struct {
	Version    string // of the program that made it; empty: not said
	Config     lab.Config
	Panes      []string // specs of the panes
	Entries    []lab.Entry
	HashChecks []HashCheck // in the order of their ticks; none: it says nothing of hashes

	// Truncated says that the file ended before its last line: whoever wrote it was
	// stopped. What was read is whole all the same.
	Truncated bool
	LastLine  int // line of the file that was read last; 0: it was not read
}

// Equal entries are written once, with how often they come:
//
//	ghostcube tape 2
//	version 0.1.0
//	scene zen
//	rate 60
//	seat client
//	seed 1
//	network latency=75ms
//	pane rewind
//	---
//	60
//	30 W
//	! nudge all x 1
//	15 WD@64
//	1 D@64*2048-30
//	= 4f1f09ffcf86b50e
//	end 106
//
// A line of ticks is a count and, for each player, the keys held: W A S D along
// the ground, U to lift, Z to pull, - for none; and behind @ the heading if it
// is not 0; and behind * a shot that is fired: its yaw, and its pitch with its sign if
// that is not 0. A line that begins with ! is a command, carried out before the
// tick that follows. A line that begins with = is a check: the hash of each pane
// after the ticks so far. What follows # is a remark.
const (
	magic      = "ghostcube tape 2"
	headerEnd  = "---"
	maxTicks   = 2_000_000 // in a tape: nine hours
	maxLineLen = 64 << 10  // bytes
)

// Write writes the tape as text that a person can read.
func (t *Tape) Write(w io.Writer) error {
	out := NewWriter(w, t.Version, t.Config, t.Panes)
	checks := t.HashChecks
	for i, e := range t.Entries {
		out.Add(e)
		if len(checks) > 0 && checks[0].Ticks == i+1 {
			out.HashCheck(&checks[0])
			checks = checks[1:]
		}
	}
	return out.Close()
}

// NewLab returns a lab as the tape's head says.
func (t *Tape) NewLab() (*lab.Lab, error) {
	l := lab.New(t.Config)
	for _, spec := range t.Panes {
		if _, err := l.Open(spec); err != nil {
			return nil, err
		}
	}
	return l, nil
}
