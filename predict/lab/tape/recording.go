package tape

import (
	"ghostcube/predict/lab"
)

// HashCheckDue reports whether a tape gets a check after so many ticks: it does once
// in a second of the session, at so many ticks a second, so that of a difference
// the second is known.
func HashCheckDue(ticks, rate int) bool { return ticks%rate == 0 }

// Recording writes down a session while it runs: call Made after each tick of l with
// what happened in it.
type Recording struct {
	Tape
	lab *lab.Lab
}

// NewRecording returns the beginning of a tape of l, which has not had a tick yet and
// was opened with the panes that specs say.
func NewRecording(l *lab.Lab, version string, open []string) *Recording {
	return &Recording{Tape{Version: version, Config: l.Config(), Panes: open}, l}
}

// Ticked adds the entry of the tick that l has just made, and a check if one is
// due or the tick is the last.
func (t *Recording) Ticked(e lab.Entry, last bool) {
	t.Entries = append(t.Entries, e)
	if n := len(t.Entries); last || HashCheckDue(n, t.Config.Rate) {
		t.HashChecks = append(t.HashChecks, *NewHashCheck(t.lab))
	}
}
