package tape

import (
	"ghostcube/predict/lab"
)

// HashCheckDue reports whether a tape gets a hash check after a number of ticks: one per
// second of the session, so a difference is located within a second.
func HashCheckDue(ticks, rate int) bool { return ticks%rate == 0 }

// Recording records a session while it runs: call Ticked after each tick of the lab, and End after the last one.
type Recording struct {
	Tape
	lab *lab.Lab
}

// NewRecording starts the recording of a lab that has not made a tick and was opened with
// the specs in open.
func NewRecording(l *lab.Lab, version string, open []string) *Recording {
	return &Recording{Tape{Version: version, Config: l.Config(), Panes: open}, l}
}

// Ticked adds the entry of the tick that the lab has just made, and a hash check if one is due.
func (t *Recording) Ticked(e lab.Entry) {
	t.Entries = append(t.Entries, e)
	if HashCheckDue(len(t.Entries), t.Config.Rate) {
		t.HashChecks = append(t.HashChecks, *NewHashCheck(t.lab))
	}
}

// End adds a hash check of the last tick, unless it has one.
func (t *Recording) End() {
	n, checks := len(t.Entries), len(t.HashChecks)
	if n > 0 && (checks == 0 || t.HashChecks[checks-1].Ticks != n) {
		t.HashChecks = append(t.HashChecks, *NewHashCheck(t.lab))
	}
}
