package snapshot

import (
	"ghostcube/predict/part/clock"
	"ghostcube/predict/part/playout"
	"ghostcube/sim"
)

const (
	driftSpan  = 2                      // s, of which the earliest snapshot counts
	earlyShare = sim.MomentsPerTick / 4 // of a second: a snapshot that much early is no accident
)

// startClock starts the clock with the arrival of the first snapshot.
func (c *client) startClock(t sim.Tick) {
	rate := c.env.World.Rate()
	c.clock.Start(t, c.ownMoment())
	c.arrivals = playout.Arrivals{SpanTicks: driftSpan * rate, Early: sim.Moment(rate) * earlyShare}
	c.servo = clock.Servo{}
	c.servo.Sync(0, rate)
}

// recordArrival records the arrival of a snapshot.
func (c *client) recordArrival(t sim.Tick) {
	if c.env.SlewPPM != 0 {
		c.arrivals.Discard()
		return
	}
	c.arrivals.Add(c.clock.Lateness(t, c.ownMoment()))
}

// adjustClock keeps the earliest snapshots of two seconds as late as those of the first two
// were: if the server's clock runs faster or slower, or the path has become longer or
// shorter, the client's next ticks come faster or slower. One that has stood still for
// more than a second jumps.
func (c *client) adjustClock() {
	if c.settings.interpolation == onArrival || !c.clock.Running() {
		c.env.SlewPPM = 0
		return
	}
	if span, ended := c.arrivals.Tick(); ended && span.Any {
		jump := c.servo.Sync(-c.arrivals.Drift(), c.env.World.Rate())
		c.clock.Move(sim.Moment(jump) * sim.MomentsPerTick)
	}
	c.env.SlewPPM = c.servo.Tick()
	c.env.Counters.Set("clock_behind_ticks", c.servo.Behind().Ticks())
}

// ownMoment is the time on the client's own clock.
func (c *client) ownMoment() sim.Moment { return sim.Moment(c.now) * sim.MomentsPerTick }
