package lockstep

import (
	"time"

	"ghostcube/predict/part/playout"
	"ghostcube/sim"
)

const (
	maxEarlyInputs = 1024 // that are buffered, from the next one on
	driftSpan      = 2    // s, of which the earliest input counts
	shrinkDivisor  = 50   // an adaptive delay shrinks by one part in so many of the time that passes
	maxDelay       = 5 * time.Second
)

// playoutBuffer is the playout delay buffer for the inputs of a player at another side. It
// releases them in order: the one of tick n at t0 + (n-first)/rate + delay, where t0 is
// when the first one arrived, whichever it was. It waits for one that is due and missing,
// and so for all behind it, and repeats nothing.
//
// The article's program adds half a tick to the delay, so that no input is due at the very
// moment of a tick. The article does not, nor does this.
//
// The article leaves two exercises: to adapt the delay to the link, and to follow a clock
// that runs faster or slower than one's own. Both are here, as playout.Peak and playout.Slew.
type playoutBuffer struct {
	inputs   playout.Buffer[sim.Input]
	next     sim.Tick // that is released next
	now      sim.Moment
	rate     int
	clock    playout.Clock
	arrivals playout.Arrivals
	slew     playout.Slew
	peak     playout.Peak
	adaptive bool
	delay    sim.Moment // in force
}

// newPlayoutBuffer returns a playout buffer for inputs from tick first on, at rate ticks
// per second.
func newPlayoutBuffer(first sim.Tick, rate int) playoutBuffer {
	return playoutBuffer{next: first, rate: rate, arrivals: playout.Arrivals{SpanTicks: driftSpan * rate}}
}

// beginTick begins a tick of this side. The settings may change at any time.
func (p *playoutBuffer) beginTick(s *settings) {
	p.now += sim.MomentsPerTick
	if p.adaptive = s.adaptive; !p.adaptive {
		p.delay = sim.MomentOfMillis(s.playoutDelay, p.rate)
	}
	if !p.clock.Running() {
		return
	}
	if span, ended := p.arrivals.Tick(); ended && span.Any {
		p.peak.Add(span)
	}
	if s.followClock {
		back, jump := p.slew.Follow(p.arrivals.Drift(), p.rate)
		p.clock.Move(-back)
		p.arrivals.SetBack(back)
		if jump {
			p.arrivals.Discard()
			p.peak.Forget()
		}
	}
	if p.adaptive && p.peak.Confident() {
		p.adapt(sim.MomentsPerTick / shrinkDivisor)
	}
}

// adapt sets the delay to what the latest input of the last ten seconds needed, and a tick.
func (p *playoutBuffer) adapt(shrink sim.Moment) {
	wanted := p.peak.Wanted(p.arrivals.Current()) - p.slew.Offset() + sim.MomentsPerTick
	p.delay = playout.Adapt(p.delay, min(max(wanted, 0), sim.MomentOf(maxDelay, p.rate)), shrink)
}

// push inserts the input of a tick. It reports false if that is too far ahead to be kept;
// one that is late, or there already, is ignored.
func (p *playoutBuffer) push(t sim.Tick, in sim.Input) bool {
	if t < p.next {
		return true
	}
	if t-p.next >= maxEarlyInputs {
		return false
	}
	place := p.inputs.Insert(t)
	if place == nil {
		return true
	}
	*place = in
	if !p.clock.Running() {
		p.clock.Start(p.next, p.now)
	}
	p.arrivals.Add(p.clock.Lateness(t, p.now))
	if p.adaptive {
		p.adapt(0)
	}
	return true
}

// due reports whether the input of a tick is due.
func (p *playoutBuffer) due(t sim.Tick) bool {
	return p.clock.Running() && t.Moment() <= p.clock.Expected(p.now)-p.slew.Offset()-p.delay
}

// releasable returns how many inputs in a row, at most limit, are due and there. So many
// times pop has one.
func (p *playoutBuffer) releasable(limit int) (n int) {
	for n < min(limit, p.inputs.Len()) {
		if t := p.inputs.At(n).Tick; t != p.next+sim.Tick(n) || !p.due(t) {
			break
		}
		n++
	}
	return n
}

// stalled reports whether the next input is due and missing.
func (p *playoutBuffer) stalled() bool {
	return p.due(p.next) && (p.inputs.Len() == 0 || p.inputs.At(0).Tick != p.next)
}

// pop returns the next input if it is due and there.
func (p *playoutBuffer) pop() (in sim.Input, ok bool) {
	if p.releasable(1) == 0 {
		return sim.Input{}, false
	}
	in = p.inputs.At(0).Value
	p.inputs.Drop(1)
	p.next++
	return in, true
}

// copyFrom makes p an equal of o that shares no memory with it.
func (p *playoutBuffer) copyFrom(o *playoutBuffer) {
	inputs := p.inputs
	inputs.CopyFrom(&o.inputs, nil)
	*p = *o
	p.inputs = inputs
}
