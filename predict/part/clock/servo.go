// Package clock keeps a client's ticks in step with the server's. A client
// that sends inputs must be ahead: an input has to arrive before the server's
// tick of the same number begins. It never reads a clock; it compares the tick
// labels that arrive with its own and asks for its next ticks to come faster or
// slower.
package clock

import (
	"time"

	"ghostcube/sim"
)

// Servo steers one client. The zero value has no aim yet.
type Servo struct {
	// Reset is by how many ticks a client must be behind to be told to jump; 0
	// for as many as the constant of that name has.
	Reset int

	aimed  bool
	behind int64 // millionths of a tick by which the client is behind its aim
	early  int64 // the same, when the last state came
	pace   int32
}

// Reset is how far behind its aim a client jumps instead of hurrying.
const Reset = time.Second

const (
	one      = 1_000_000 // a tick, in the units of behind
	start    = 3 * one / 2
	enough   = one / 2
	paceMost = 250_000 // ppm: a quarter of a tick more or less per tick
	paceFar  = 500_000 // ppm: half a tick more or less per tick, for a client that is far away
	far      = 30 * one
)

// Aim takes in a state of the server's tick that has just arrived, when the
// client's next tick is own. trip is the way that news and answer make: a
// round trip for a client that sends inputs, half of one for one that only
// watches. ahead is by how many ticks more the client wants to be early. A
// client that is more than Reset behind, or has no aim yet, is told by how many
// ticks to jump; Aim takes the jump for done. A client never jumps back: the
// inputs of those ticks are on their way.
func (s *Servo) Aim(server, own sim.Tick, trip time.Duration, ahead, rate int) (jump int) {
	tick := time.Second / time.Duration(rate)
	target := int64(server) + int64((trip+tick/2)/tick) + int64(ahead)
	s.behind = (target - int64(own)) * one
	s.early = s.behind
	reset := one * int64(Reset/tick)
	if s.Reset > 0 {
		reset = one * int64(s.Reset)
	}
	if s.behind > reset || s.behind > 0 && !s.aimed {
		jump = int(s.behind / one)
		s.behind = 0
	}
	s.aimed = true
	return jump
}

// Tick is called once in each of the client's ticks and returns the pace to
// ask for. A tick made at another pace than the session's changes the distance
// by the difference, so the servo does not overshoot while no news comes.
func (s *Servo) Tick() int32 {
	if s.pace != 0 {
		s.behind -= one * int64(s.pace) / (one + int64(s.pace))
	}
	switch {
	case s.behind > far:
		s.pace = paceFar
	case s.behind > start || s.pace > 0 && s.behind > enough:
		s.pace = paceMost
	case s.behind < -far:
		s.pace = -paceFar
	case s.behind < -start || s.pace < 0 && s.behind < -enough:
		s.pace = -paceMost
	default:
		s.pace = 0
	}
	return s.pace
}

// Aimed reports whether the servo knows the server's time.
func (s *Servo) Aimed() bool { return s.aimed }

// Early returns by how many ticks the last state came sooner than it should have by
// the client's clock; below 0 it came later. Sooner means that the client is behind.
func (s *Servo) Early() float64 { return float64(s.early) / one }

// Behind returns by how many ticks the client is behind its aim.
func (s *Servo) Behind() float64 { return float64(s.behind) / one }
