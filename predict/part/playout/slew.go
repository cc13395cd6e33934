package playout

import (
	"time"

	"ghostcube/sim"
)

const (
	slewDivisor       = 200 // the schedule moves by one part in so many of the time that passes
	fastSlewDivisor   = 4   // and by one in so many where it has to move by more than
	fastSlewThreshold = 25 * time.Millisecond
	jumpThreshold     = time.Second // what is more than that is made up for at once
)

// Slew moves the schedule of a receiver that cannot change its own pace after the drift of
// the sender's clock. The zero value is on schedule.
//
// A drift of up to 25 ms is that of a clock, or of a path, and the schedule follows it by a
// 200th of the time that passes. Where it is more, one of the two sides has stood still:
// then the receiver's clock is set back, by a quarter of the time that passes, or at once
// if it is more than a second.
type Slew struct {
	offset sim.Moment // by which everything is due later
}

// Offset returns how much later than by the clock everything is due.
func (s *Slew) Offset() sim.Moment { return s.offset }

// Follow moves the schedule towards a drift for a tick, of which there are rate per
// second. It returns how far the receiver's clock is to be set back now, and whether that
// is all of it at once.
func (s *Slew) Follow(drift sim.Moment, rate int) (back sim.Moment, jump bool) {
	away := drift - s.offset
	far := max(away, -away)
	switch threshold := sim.MomentOf(fastSlewThreshold, rate); {
	case far > sim.MomentOf(jumpThreshold, rate):
		back, jump = away, true
	case far > threshold:
		if back = min(sim.MomentsPerTick/fastSlewDivisor, far-threshold); away < 0 {
			back = -back
		}
	}
	const step = sim.MomentsPerTick / slewDivisor
	s.offset += min(max(away-back, -step), step)
	return back, jump
}
