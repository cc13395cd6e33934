package playout

import "ghostcube/sim"

// Clock maps a receiver's own time to the sender's: it knows which of the sender's moments is
// expected in a packet that arrives now. The moment to play out is that less the delay. The
// zero value is not running.
type Clock struct {
	running bool
	offset  sim.Moment // expected moment of the sender, less own time
	updated sim.Moment // own time at the last arrival that FollowMean used
}

// Start sets the clock so that tick t, which arrives at own time now, is expected then.
func (c *Clock) Start(t sim.Tick, now sim.Moment) {
	*c = Clock{running: true, offset: t.Moment() - now}
}

// Running reports whether the clock has been started.
func (c *Clock) Running() bool { return c.running }

// Expected returns the sender's moment that is expected in a packet that arrives at own
// time now.
func (c *Clock) Expected(now sim.Moment) sim.Moment { return now + c.offset }

// Lateness returns how much later than expected tick t arrives at own time now; below 0 it
// arrives earlier.
func (c *Clock) Lateness(t sim.Tick, now sim.Moment) sim.Moment { return c.Expected(now) - t.Moment() }

// Move moves the clock ahead, so that later ticks are expected.
func (c *Clock) Move(by sim.Moment) { c.offset += by }

// FollowMean moves the clock towards the mean of the arrivals of about a span, by the arrival
// of tick t at own time now; the first arrival starts it. A tick that arrives more than a
// span early sets the clock at once, because the receiver has stood still. A late one may be
// an accident, and moves the clock only if more of them follow.
func (c *Clock) FollowMean(t sim.Tick, now, span sim.Moment) {
	early := -c.Lateness(t, now)
	if !c.running || early > span {
		c.Start(t, now)
	} else {
		passed := min(max(now-c.updated, sim.MomentsPerTick), span)
		c.offset += early * sim.Moment(passed.Tick()) / sim.Moment(span.Tick()) // in whole ticks, so that the product fits
	}
	c.updated = now
}
