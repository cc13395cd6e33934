// Package clock changes the pace of a client's own ticks, so that its clock keeps step with
// the server's. How far off the clock is, each strategy measures in its own way: by the
// newest state and the round trip (Behind), or by the earliest packets (playout.Arrivals).
// The package reads no clock and changes none: a Servo asks for a pace, and whoever calls
// the client obeys.
package clock

import (
	"time"

	"ghostcube/sim"
)

// Servo steers one client. The zero value has not been synchronised.
type Servo struct {
	// ResetBehind is how far behind its aim a client jumps instead of hurrying; 0 stands
	// for a second.
	ResetBehind sim.Moment

	synced       bool
	behind       sim.Moment // the aim; below 0: ahead of it
	arrivalEarly sim.Moment // the same at the last Sync
	pace         int32      // ppm of the last tick
}

// resetAfter is the default of ResetBehind.
const resetAfter = time.Second

// The client changes its pace when it is more than slewStart off its aim, until it is within
// slewStop.
const (
	slewStart     = 3 * sim.MomentsPerTick / 2
	slewStop      = sim.MomentsPerTick / 2
	slewPPM       = 250_000 // a quarter of a tick per tick
	fastSlewPPM   = 500_000 // half a tick, if it is more than fastSlewStart off
	fastSlewStart = 30 * sim.MomentsPerTick
)

// Behind returns how far a client is behind its aim when a state of a tick of the server
// arrives in the client's tick own. The aim is that an input arrives lead ticks before the
// server needs it. trip is the time from the server and back: the round trip for a client
// that sends inputs, half of it for one that only watches. It is rounded to whole ticks,
// like the ticks themselves.
func Behind(server, own sim.Tick, trip time.Duration, lead, rate int) sim.Moment {
	aim := server.Moment() + sim.MomentOf(trip, rate).Round() + sim.Moment(lead)*sim.MomentsPerTick
	return aim - own.Moment()
}

// Sync sets how far the client is behind its aim, at rate ticks per second; below 0 it is
// ahead. A client that is behind by more than ResetBehind, or that has not been
// synchronised before, has to jump by the returned number of ticks; Sync counts the jump as
// done. A client never jumps back: the inputs of those ticks are on their way.
func (s *Servo) Sync(behind sim.Moment, rate int) (jump int) {
	s.behind, s.arrivalEarly = behind, behind
	reset := s.ResetBehind
	if reset == 0 {
		reset = sim.MomentOf(resetAfter, rate)
	}
	if behind > reset || !s.synced {
		jump = int(behind.Tick())
	}
	if jump > 0 {
		s.behind = 0
	}
	s.synced = true
	return jump
}

// Tick is called once in each of the client's ticks and returns the pace to ask for, in
// ppm. A tick at another pace than the session's changes the distance by the difference, so
// the servo does not overshoot between two calls of Sync.
func (s *Servo) Tick() int32 {
	const one = 1_000_000 // ppm
	s.behind -= sim.MomentsPerTick * sim.Moment(s.pace) / (one + sim.Moment(s.pace))
	switch {
	case s.behind > fastSlewStart:
		s.pace = fastSlewPPM
	case s.behind > slewStart || s.pace > 0 && s.behind > slewStop:
		s.pace = slewPPM
	case s.behind < -fastSlewStart:
		s.pace = -fastSlewPPM
	case s.behind < -slewStart || s.pace < 0 && s.behind < -slewStop:
		s.pace = -slewPPM
	default:
		s.pace = 0
	}
	return s.pace
}

// Synced reports whether Sync has been called.
func (s *Servo) Synced() bool { return s.synced }

// ArrivalEarly returns how far the client was behind its aim at the last Sync: what arrived
// then was so much earlier than it should have been by the client's clock.
func (s *Servo) ArrivalEarly() sim.Moment { return s.arrivalEarly }

// Behind returns how far the client is behind its aim; below 0 it is ahead.
func (s *Servo) Behind() sim.Moment { return s.behind }
