package playout

import "ghostcube/sim"

// Pace is how fast playback goes on that runs out of items, and catches up afterwards. It neither stops nor
// starts at once: hardly anybody notices a picture that slows down within four ticks, and everybody one that
// jerks. After a long stop it starts within eight, or fast bodies would leave with a jerk. The zero value stands still.
type Pace struct {
	step  sim.Moment // in the last tick
	held  bool       // limited by the newest arrival
	stood int        // ticks in which it stood since it was last at the sender's pace
}

const (
	slowDivisor = 2                       // playback goes on by at most half of what is left
	lastStep    = sim.MomentsPerTick / 16 // or by all of it, if it is no more than this
	pacePerTick = sim.MomentsPerTick / 4  // and by no more than this beyond the tick before
	standing    = sim.MomentsPerTick / 4  // a smaller step is as good as none
	longStop    = 15                      // ticks of standing
	softPerTick = sim.MomentsPerTick / 8  // pacePerTick after those
)

// Run makes playback run at the sender's pace.
func (p *Pace) Run() { *p = Pace{step: sim.MomentsPerTick} }

// Step returns by how much playback goes on in a tick in which it should go on by wanted, and has left until the
// end of what has arrived.
func (p *Pace) Step(wanted, left sim.Moment) sim.Moment {
	limit := left
	if left > lastStep {
		limit /= slowDivisor
	}
	faster := sim.Moment(pacePerTick)
	if p.stood >= longStop {
		faster = softPerTick
	}
	p.held = limit < wanted
	p.step = max(min(wanted, limit, p.step+faster), 0)
	switch {
	case p.Stands():
		p.stood++
	case p.step >= sim.MomentsPerTick:
		p.stood = 0
	}
	return p.step
}

// Held reports whether playback would have gone on further in the last tick if more had arrived.
func (p *Pace) Held() bool { return p.held }

// Stands reports whether playback went on by less than a quarter of a tick in the last one.
func (p *Pace) Stands() bool { return p.step < standing }

// CatchUp returns by how much more than usual playback goes on in a tick that is behind: by what it is behind divided
// by some ticks, so by less and less, but by least until it is not behind any more.
func CatchUp(behind sim.Moment, ticks int, least sim.Moment) sim.Moment {
	return min(max(behind/sim.Moment(max(ticks, 1)), least), max(behind, 0))
}
