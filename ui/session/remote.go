package session

import (
	"fmt"
	"time"

	"ghostcube/predict/lab"
	"ghostcube/sim"
)

// Remote is the client of a session whose server runs in another process. It makes ticks when they are due on the clock,
// and there is no way back: nothing leads its server into the past.
type Remote interface {
	// Lab returns the client's lab.
	Lab() *lab.Lab

	// Due returns the number of ticks that are due by now.
	Due() int

	// Tick makes the next tick with the player's input. An error says why the session has ended.
	Tick(in sim.Input) error

	// Apply applies a command of the viewer.
	Apply(c lab.Command) error

	// Label says who plays, and how long the round trip is.
	Label() string

	// Silence returns for how long nothing has come from the server.
	Silence() time.Duration

	// CheckSay returns why a text can never be said.
	CheckSay(text string) error

	// Say says a line to all, and returns why it cannot now.
	Say(text string) error

	// News returns chat and events since the last call, one line each, in printable ASCII.
	News() []string
}

// online is a player whose server runs in another process.
type online struct{ keys }

func (o online) note() string {
	if o.s.Lab.Watches() {
		return o.s.byKind("you watch", "you watch: F10 looks at the next player, F1 lists all keys")
	}
	return o.s.byKind(o.keys.note(), "F1 lists all keys, W A S D or the arrows roll, Space lifts")
}

func (o online) command(c lab.Command) bool {
	if c.Verb == "show" && c.Name == "speed" {
		return !o.s.refuses("another speed")
	}
	return true
}

// Whole says why nothing is possible that needs the session's other sides, or its past; empty: all is. The server may run in
// another process.
func (s *Session) Whole() string {
	if s.Remote == nil {
		return ""
	}
	return "Not possible while the server runs in another process."
}

// refuses reports whether the server runs in another process, so that something is not possible, with a notice.
func (s *Session) refuses(what string) bool {
	if s.Remote == nil {
		return false
	}
	s.Notices.Post(what + ": not possible while the server runs in another process")
	return true
}

// dueRemote returns the number of ticks that are due by now. Such a session does not pause.
func (s *Session) dueRemote() int {
	if s.Paused {
		s.Paused, s.pendingSteps = false, 0
		s.refuses("a pause")
	}
	if s.Lost != nil {
		return 0
	}
	return s.Remote.Due()
}

// makeTick makes a tick of the lab. made is false if a session with a server in another process has ended instead.
func (s *Session) makeTick(e lab.Entry) (made bool, err error) {
	if s.Remote == nil {
		return true, s.Lab.Tick(e)
	}
	s.Lost = s.Remote.Tick(e.Inputs[0])
	return s.Lost == nil, nil
}

// PaneLabels returns the labels of the panes; empty: their names say enough.
func (s *Session) PaneLabels() (labels [lab.MaxPanes]string) {
	if s.Remote != nil {
		labels[0] = s.Remote.Label()
		return labels
	}
	return s.Beside.Labels
}

// lostSilence is the time without a datagram of the server after which the connection counts as lost. Servers send many times
// a second, whatever the strategy.
const lostSilence = time.Second

// LostText says why a session with a server in another process has ended, or for how long nothing has come from the server;
// empty: it goes on.
func (s *Session) LostText() string {
	switch {
	case s.Lost != nil:
		return "the session has ended: " + s.Lost.Error() + ". Join again, or start a session here"
	case s.Remote == nil:
		return ""
	}
	silence := s.Remote.Silence()
	if silence < lostSilence {
		return ""
	}
	return fmt.Sprintf("connection lost: nothing from the server for %d s", int(silence.Seconds()))
}
