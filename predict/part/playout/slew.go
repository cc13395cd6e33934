package playout

import (
	"time"

	"ghostcube/sim"
)

const (
	slewDivisor       = 200 // the schedule moves by a 200th of the time that passes
	fastSlewDivisor   = 4   // the clock moves by a quarter of it
	fastSlewThreshold = 25 * time.Millisecond
	jumpThreshold     = time.Second
)

// Slew lets the schedule of a receiver follow the drift of the sender's clock, without a
// change of the receiver's own pace. The zero value is on schedule.
//
// Up to 25 ms the drift is that of a clock or of a path, and the schedule follows it by a
// 200th of the time that passes. If the drift is greater, one of the two sides has stood
// still: then the receiver's clock is set back, by a quarter of the time that passes, or at
// once if the drift is more than a second.
type Slew struct {
	offset sim.Moment // by which the schedule is later than the clock
}

// Offset returns by how much the schedule is later than the clock.
func (s *Slew) Offset() sim.Moment { return s.offset }

// Follow moves the schedule towards a drift, once in each tick, at rate ticks per second. It
// returns how far the caller has to set its clock back now; jump means that this is the
// whole drift.
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
