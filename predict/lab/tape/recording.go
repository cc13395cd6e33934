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
func (r *Recording) Ticked(e lab.Entry) {
	r.Entries = append(r.Entries, e)
	if HashCheckDue(len(r.Entries), r.Config.Rate) {
		r.HashChecks = append(r.HashChecks, *NewHashCheck(r.lab))
	}
}

// End adds a hash check of the last tick, unless it has one.
func (r *Recording) End() {
	if n := len(r.Entries); n > 0 && (len(r.HashChecks) == 0 || r.HashChecks[len(r.HashChecks)-1].Ticks != n) {
		r.HashChecks = append(r.HashChecks, *NewHashCheck(r.lab))
	}
}
