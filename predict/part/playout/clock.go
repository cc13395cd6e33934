package playout

import "ghostcube/sim"

// Clock maps a receiver's own time to the sender's. It knows which of the sender's moments
// is expected in a packet that arrives now; from the moment that is expected, the delay is
// subtracted to get the moment that is played out. The zero value is not running.
type Clock struct {
	running bool
	offset  sim.Moment // the sender's moment that is expected, less own time
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
