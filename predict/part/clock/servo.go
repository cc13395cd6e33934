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
	// ResetTicks is by how many ticks a client must be behind to be told to jump; 0
	// for as many as the constant of that name has.
	ResetTicks int

	synced       bool
	behind       int64 // millionths of a tick by which the client is behind its aim
	arrivalEarly int64 // the same, when the last state came
	slew         int32
}

// ResetAfter is how far behind its aim a client jumps instead of hurrying.
const ResetAfter = time.Second

const (
	tickUnits     = 1_000_000 // a tick, in the units of behind
	slewStart     = 3 * tickUnits / 2
	slewStop      = tickUnits / 2
	slewPPM       = 250_000 // ppm: a quarter of a tick more or less per tick
	fastSlewPPM   = 500_000 // ppm: half a tick more or less per tick, for a client that is far away
	fastSlewStart = 30 * tickUnits
)

// Behind returns how far a client is behind its aim when a state of a tick of the server
// arrives in the client's tick own. The aim is that an input arrives lead ticks before the
// server needs it. trip is the time from the server and back: the round trip for a client
// that sends inputs, half of it for one that only watches. Times are rounded to whole
// ticks, like the ticks themselves.
func Behind(server, own sim.Tick, trip time.Duration, lead, rate int) sim.Moment {
	tick := time.Second / time.Duration(rate)
	ticks := int64(server) + int64((trip+tick/2)/tick) + int64(lead) - int64(own)
	return sim.Moment(ticks) * sim.MomentsPerTick
}

// Sync sets how far the client is behind its aim, at rate ticks per second; below 0 it is
// ahead. A client that is more than ResetTicks behind, or that has not been synchronised
// before, has to jump by the returned number of ticks; Sync counts the jump as done. A
// client never jumps back: the inputs of those ticks are on their way.
func (s *Servo) Sync(behind sim.Moment, rate int) (jump int) {
	s.behind = int64(behind) * tickUnits / sim.MomentsPerTick
	s.arrivalEarly = s.behind
	tick := time.Second / time.Duration(rate)
	reset := tickUnits * int64(ResetAfter/tick)
	if s.ResetTicks > 0 {
		reset = tickUnits * int64(s.ResetTicks)
	}
	if s.behind > reset || s.behind > 0 && !s.synced {
		jump = int(s.behind / tickUnits)
		s.behind = 0
	}
	s.synced = true
	return jump
}

// Tick is called once in each of the client's ticks and returns the pace to
// ask for. A tick made at another pace than the session's changes the distance
// by the difference, so the servo does not overshoot while no news comes.
func (s *Servo) Tick() int32 {
	if s.slew != 0 {
		s.behind -= tickUnits * int64(s.slew) / (tickUnits + int64(s.slew))
	}
	switch {
	case s.behind > fastSlewStart:
		s.slew = fastSlewPPM
	case s.behind > slewStart || s.slew > 0 && s.behind > slewStop:
		s.slew = slewPPM
	case s.behind < -fastSlewStart:
		s.slew = -fastSlewPPM
	case s.behind < -slewStart || s.slew < 0 && s.behind < -slewStop:
		s.slew = -slewPPM
	default:
		s.slew = 0
	}
	return s.slew
}

// Synced reports whether the servo knows the server's time.
func (s *Servo) Synced() bool { return s.synced }

// ArrivalEarly returns by how many ticks the last state came sooner than it should have by
// the client's clock; below 0 it came later. Sooner means that the client is behind.
func (s *Servo) ArrivalEarly() float64 { return float64(s.arrivalEarly) / tickUnits }

// Behind returns by how many ticks the client is behind its aim.
func (s *Servo) Behind() float64 { return float64(s.behind) / tickUnits }
