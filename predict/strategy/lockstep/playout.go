package lockstep

import (
	"time"

	"ghostcube/predict/part/playout"
	"ghostcube/sim"
)

const (
	maxEarlyInputs = 1024 // buffered inputs, counted from the next one
	driftSpan      = 2    // s
	shrinkDivisor  = 50   // an adaptive delay shrinks by a 50th of the time that passes
	maxDelay       = 5 * time.Second
)

// playoutBuffer is the playout delay buffer for the inputs of a player at another side. It
// releases them in order: the input of tick n at t0 + (n-first)/rate + delay, where t0 is the
// time at which the first one arrived, whichever it was (but see start). If an input is due and missing, the
// buffer waits for it and repeats nothing.
//
// The article's program adds half a tick to the delay, so that no input is due exactly at the
// beginning of a tick. The article does not, and neither does this buffer.
//
// The article leaves two exercises: to adapt the delay to the link, and to follow a clock
// that runs faster or slower than one's own. Here they are playout.Peak and playout.Slew.
type playoutBuffer struct {
	inputs   playout.Buffer[sim.Input]
	next     sim.Tick   // of the input to release next
	now      sim.Moment // on this side's clock
	rate     int
	clock    playout.Clock
	arrivals playout.Arrivals
	slew     playout.Slew
	peak     playout.Peak
	adaptive bool
	delay    sim.Moment // in force
	resuming bool       // this side was frozen before the present tick
	settled  bool       // a whole span has passed in which no input was early by more than maxStartBacklog
}

// newPlayoutBuffer returns a playout buffer for inputs from tick first on, at rate ticks
// per second.
func newPlayoutBuffer(first sim.Tick, rate int) playoutBuffer {
	return playoutBuffer{next: first, rate: rate, arrivals: newArrivals(rate)}
}

func newArrivals(rate int) playout.Arrivals { return playout.Arrivals{SpanTicks: driftSpan * rate} }

// beginTick begins a tick of this side, which has missed the ticks before it if its program was
// frozen. The settings may change at any time. It reports whether the clock jumps.
func (p *playoutBuffer) beginTick(s *settings, missed int) (jumps bool) {
	p.now += sim.Tick(1 + missed).Moment()
	p.resuming = missed > 0
	if p.adaptive = s.adaptive; !p.adaptive {
		p.delay = sim.MomentOfMillis(s.playoutDelay, p.rate)
	}
	if !p.clock.Running() {
		return false
	}
	if span, ended := p.arrivals.Tick(); ended && span.Any {
		p.peak.Add(span)
		jumps = p.skipBacklog(&span)
	}
	if s.followClock {
		back, jump := p.slew.Follow(p.arrivals.Drift(), p.rate)
		p.clock.Move(-back)
		p.arrivals.SetBack(back)
		if jump {
			p.arrivals.Discard()
			p.peak.Forget()
			jumps = true
		}
	}
	if p.adaptive && p.peak.Confident() {
		p.adapt(sim.MomentsPerTick / shrinkDivisor)
	}
	return jumps
}

// skipBacklog sets the clock forward if all inputs of a span were early by more than maxStartBacklog. The
// clock was then started by an input of a side that was late itself and is catching up. After the first
// span in which no input is that early, the clock stays. It reports whether the clock was set.
func (p *playoutBuffer) skipBacklog(span *playout.Span) (set bool) {
	p.settled = p.settled || span.Min.Seconds(p.rate) >= -maxStartBacklog
	if p.settled || span.Max.Seconds(p.rate) >= -maxStartBacklog {
		return false
	}
	p.clock.Move(-span.Max)
	p.arrivals = newArrivals(p.rate)
	p.peak.Forget()
	return true
}

// adapt sets the delay to what the latest input of the last ten seconds needed, and one tick
// more.
func (p *playoutBuffer) adapt(shrink sim.Moment) {
	wanted := p.peak.Wanted(p.arrivals.Current()) - p.slew.Offset() + sim.MomentsPerTick
	p.delay = playout.Adapt(p.delay, min(max(wanted, 0), sim.MomentOf(maxDelay, p.rate)), shrink)
}

// maxStartBacklog is the longest run of inputs, in seconds, whose oldest one sets the clock when it
// arrives. A longer one has waited for an outage at the start of the session; the newest one sets the
// clock then, so that the session is not late for good.
const maxStartBacklog = 0.25

// start starts the clock with the first message to arrive, if it has not started.
func (p *playoutBuffer) start(newest sim.Tick) {
	if p.clock.Running() {
		return
	}
	if first := p.next; float64(newest-first) <= maxStartBacklog*float64(p.rate) {
		p.clock.Start(first, p.now)
	} else {
		p.clock.Start(newest, p.now)
	}
}

// push inserts the input of a tick. It reports false if the tick is too far ahead for the
// buffer. A late input or a duplicate is ignored.
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
	p.start(t)
	if p.resuming {
		return true // the input arrived while nothing was read
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

// releasable returns the number of inputs, at most limit, that pop can return now: they are
// due, and none before them is missing.
func (p *playoutBuffer) releasable(limit int) (n int) {
	for n < min(limit, p.inputs.Len()) {
		if t := p.inputs.At(n).Tick; t != p.next+sim.Tick(n) || !p.due(t) {
			break
		}
		n++
	}
	return n
}

// behind returns the number of ticks whose inputs are due and have not been released.
func (p *playoutBuffer) behind() int {
	if !p.due(p.next) {
		return 0
	}
	return int((p.clock.Expected(p.now) - p.slew.Offset() - p.delay - p.next.Moment()).Tick()) + 1
}

// stalled reports whether the next input is due and missing.
func (p *playoutBuffer) stalled() bool {
	return p.due(p.next) && (p.inputs.Len() == 0 || p.inputs.At(0).Tick != p.next)
}

// pop returns the next input if it is due and has arrived.
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
