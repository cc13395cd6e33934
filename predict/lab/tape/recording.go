package tape

import (
	"ghostcube/predict/lab"
)

// HashCheckDue reports whether a tape gets a hash check after a number of ticks: one per
// second of the session, so a difference is located within a second.
func HashCheckDue(ticks, rate int) bool { return ticks%rate == 0 }

// Recording records a session while it runs: call Ticked after each tick of the lab.
type Recording struct {
	Tape
	lab *lab.Lab
}

// NewRecording starts the recording of a lab that has not made a tick and was opened with
// the specs in open.
func NewRecording(l *lab.Lab, version string, open []string) *Recording {
	return &Recording{Tape{Version: version, Config: l.Config(), Panes: open}, l}
}

// Ticked adds the entry of the tick that the lab has just made, and a hash check if one is
// due or the tick is the last.
func (t *Recording) Ticked(e lab.Entry, last bool) {
	t.Entries = append(t.Entries, e)
	if n := len(t.Entries); last || HashCheckDue(n, t.Config.Rate) {
		t.HashChecks = append(t.HashChecks, *NewHashCheck(t.lab))
	}
}
