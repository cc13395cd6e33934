// Package tape stores sessions as text. A tape is a session's starting point and its
// entries; it may also carry hash checks, which tell whether another run is the same. The
// package reads, writes, records and verifies tapes. It knows no files: names and folders
// are the caller's.
package tape

import (
	"io"

	"ghostcube/predict/lab"
)

// Tape is a recorded session.
type Tape struct {
	Version    string // of the program that wrote it; may be empty
	Config     lab.Config
	Panes      []string // specs
	Entries    []lab.Entry
	HashChecks []HashCheck // in the order of their ticks; may be empty

	// Truncated is set if the file ended before its last line, because the program that
	// wrote it was stopped. The entries before the end are valid.
	Truncated bool
	LastLine  int // number of the last line that was read; 0: the tape was not read from a file
}

// The text of a tape. Equal entries are written once, with their number:
//
//	ghostcube tape 2
//	version 0.2.0
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
// A line of ticks is a count and the input of each player: W A S D roll, U lifts, Z pulls,
// E enters or leaves a vehicle, C connects or disconnects a coupling, - is no button; @ precedes
// the heading if it is not 0; * precedes a shot, which is its yaw and, with its sign, its pitch if
// that is not 0. ! precedes a command, which is applied before the next tick. = precedes the hash
// of each pane after the ticks so far. # begins a comment.
const (
	magic      = "ghostcube tape 2"
	magicOf010 = "ghostcube tape 1" // of version 0.1.0, whose commands and knobs have other names
	headerEnd  = "---"
	maxTicks   = 2_000_000 // of a tape: nine hours at 60 per second
	maxLineLen = 64 << 10  // bytes
)

// Write writes the tape as text.
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

// NewLab returns a lab at the tape's starting point.
func (t *Tape) NewLab() (*lab.Lab, error) {
	l := lab.New(t.Config)
	for _, spec := range t.Panes {
		if _, err := l.Open(spec); err != nil {
			return nil, err
		}
	}
	return l, nil
}
