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

	synced bool
	behind sim.Moment // the aim; below 0: ahead of it
	pace   int32      // ppm of the last tick
}

// resetAfter is the default of ResetBehind.
const resetAfter = time.Second

// The client changes its pace when it is more than slewStart off its aim, until it is within
// slewStop. The change is in proportion to the distance: a twentieth of a tick per tick at gentleEnd,
// which clocks and jitter do not exceed, and nobody sees. Only a path that has become longer or shorter
// takes it further away. Then it hurries, by a tenth more for each tick, up to a quarter.
const (
	slewStart     = 3 * sim.MomentsPerTick / 2
	slewStop      = sim.MomentsPerTick / 2
	gentleEnd     = 3 * sim.MomentsPerTick
	gentlePPM     = 50_000  // at gentleEnd
	hurryPPM      = 100_000 // more for each tick beyond it
	slewPPM       = 250_000 // at most, up to fastSlewStart
	fastSlewPPM   = 500_000 // half a tick per tick, if it is more than fastSlewStart off
	fastSlewStart = 30 * sim.MomentsPerTick
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

// Refine replaces the distance of the last Sync by a better one.
func (s *Servo) Refine(behind sim.Moment) { s.behind = behind }

// Tight returns the distance to call Sync with for a client whose buffer is just long enough. Behind its aim it has time,
// so the dead band of the servo costs nothing. Ahead of it packets come too late: from a quarter of a tick on
// the client falls back, to a tick behind where it would have stopped.
func Tight(behind sim.Moment) sim.Moment {
	if behind < -sim.MomentsPerTick/4 {
		return min(behind, -slewStart-sim.MomentsPerTick/4)
	}
	return behind
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
	s.behind -= s.Gained()
	switch {
	case s.behind > slewStart || s.pace > 0 && s.behind > slewStop:
		s.pace = slew(s.behind)
	case s.behind < -slewStart || s.pace < 0 && s.behind < -slewStop:
		s.pace = -slew(-s.behind)
	default:
		s.pace = 0
	}
	return s.pace
}

// slew returns by how much the pace changes at a distance from the aim, in ppm.
func slew(away sim.Moment) int32 {
	switch {
	case away > fastSlewStart:
		return fastSlewPPM
	case away > gentleEnd:
		return int32(min(gentlePPM+hurryPPM*(away-gentleEnd)/sim.MomentsPerTick, slewPPM))
	}
	return int32(gentlePPM * away / gentleEnd)
}

// Gained returns by how much the last tick brought the client closer to its aim, because it was
// shorter than the session's; below 0 it was longer.
func (s *Servo) Gained() sim.Moment {
	const one = 1_000_000 // ppm
	return sim.MomentsPerTick * sim.Moment(s.pace) / (one + sim.Moment(s.pace))
}

// Synced reports whether Sync has been called.
func (s *Servo) Synced() bool { return s.synced }

// Behind returns how far the client is behind its aim; below 0 it is ahead.
func (s *Servo) Behind() sim.Moment { return s.behind }
