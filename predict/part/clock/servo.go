// Package clock changes the pace of a client's own ticks, so that its clock keeps step with
// the server's. How far off the clock is, a client that runs ahead of the server measures by the
// earliest state of the last second and the round trip (Follower), and one that runs behind it by
// the earliest packets (playout.Arrivals). The package reads no clock and changes none: a Servo asks
// for a pace, and whoever calls the client obeys.
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

	// Gentle makes the servo correct the last gentleSpan by a per cent of the pace or less, and a client that
	// is ahead by more by a few. It is for a client that steps wrong ticks again: it is better a tick off its
	// aim than at a pace that shows.
	Gentle bool

	synced bool
	behind sim.Moment // the aim; below 0: ahead of it
	pace   int32      // ppm of the last tick
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

	gentleSpan      = 3 * sim.MomentsPerTick
	gentleFasterPPM = 10_000 // at gentleSpan behind the aim, and in proportion below; Slippi's figures
	gentleSlowerPPM = 5_000
	aheadPPM        = 50_000 // further ahead, up to fastSlewStart
)

// Sync sets how far the client is behind its aim, at rate ticks per second; below 0 it is
// ahead. A client that is behind by more than ResetBehind, or that has not been
// synchronised before, has to jump by the returned number of ticks; Sync counts the jump as
// done.
func (s *Servo) Sync(behind sim.Moment, rate int) (jump int) {
	s.behind = behind
	if behind > s.resetBehind(rate) || !s.synced {
		jump = int(behind.Tick())
	}
	if jump > 0 {
		s.behind = 0
	}
	s.synced = true
	return jump
}

// resetBehind returns ResetBehind or its default.
func (s *Servo) resetBehind(rate int) sim.Moment {
	if s.ResetBehind == 0 {
		return sim.MomentOf(resetAfter, rate)
	}
	return s.ResetBehind
}

// Tick is called once in each of the client's ticks and returns the pace to ask for, in
// ppm. A tick at another pace than the session's changes the distance by the difference, so
// the servo does not overshoot between two calls of Sync.
func (s *Servo) Tick() int32 {
	s.behind -= s.gained()
	switch {
	case s.behind > fastSlewStart:
		s.pace = fastSlewPPM
	case s.Gentle && max(s.behind, -s.behind) <= gentleSpan:
		s.pace = s.gentlePace()
	case s.Gentle && s.behind < 0 && s.behind >= -fastSlewStart:
		s.pace = -aheadPPM
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

// gentlePace returns the pace of a gentle servo within gentleSpan of its aim.
func (s *Servo) gentlePace() int32 {
	switch {
	case s.behind > slewStop:
		return int32(s.behind * gentleFasterPPM / gentleSpan)
	case s.behind < -slewStop:
		return int32(s.behind * gentleSlowerPPM / gentleSpan)
	}
	return 0
}

// gained returns by how much the last tick brought the client closer to its aim, because it was
// shorter than the session's; below 0 it was longer.
func (s *Servo) gained() sim.Moment {
	const one = 1_000_000 // ppm
	return sim.MomentsPerTick * sim.Moment(s.pace) / (one + sim.Moment(s.pace))
}

// Synced reports whether Sync has been called.
func (s *Servo) Synced() bool { return s.synced }

// Behind returns how far the client is behind its aim; below 0 it is ahead.
func (s *Servo) Behind() sim.Moment { return s.behind }
