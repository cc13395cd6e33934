package snapshot

import (
	"ghostcube/predict/part/clock"
	"ghostcube/sim"
)

// driftEstimator is how the arrivals lie now, and how they lay at first.
type driftEstimator struct {
	servo       clock.Servo
	spanTicks   int // of the present span
	hasEarliest bool
	earliest    int64 // ticks by which its earliest snapshot came before its time
	hasBaseline bool
	baseline    int64 // the same of the first span
}

const (
	spanSeconds      = 2
	significantShare = 4 // of a second: what comes so much before its time is no luck
)

// reset forgets all: the clock begins anew.
func (d *driftEstimator) reset(rate int) {
	*d = driftEstimator{}
	d.servo.Sync(0, rate) // it is where it should be
}

// recordArrival looks at a snapshot that has come. Its time is that of the first one, and
// on from there by the own clock. While the pace is being changed it says nothing.
func (c *client) recordArrival(tick sim.Tick) {
	d := &c.drift
	if c.env.SlewPPM != 0 {
		d.spanTicks, d.hasEarliest = 0, false
		return
	}
	if early := int64(tick) - c.now - int64(c.clockOffset/sim.MomentsPerTick); !d.hasEarliest || early > d.earliest {
		d.hasEarliest, d.earliest = true, early
	}
}

// adjustClock keeps the earliest snapshots of two seconds as early as those of the first
// two were: if the server's clock runs otherwise, or the way has become longer or
// shorter, the client's next ticks come slower or faster. One that has stood still
// for more than a second jumps.
func (c *client) adjustClock() {
	d, rate := &c.drift, c.env.World.Rate()
	if c.settings.interpolation == onArrival || !c.clockRunning {
		c.env.SlewPPM = 0
		return
	}
	d.spanTicks++
	sure := d.hasBaseline && d.hasEarliest && d.earliest-d.baseline > int64(rate/significantShare)
	if sure || d.spanTicks >= spanSeconds*rate {
		switch {
		case !d.hasEarliest:
		case !d.hasBaseline:
			d.hasBaseline, d.baseline = true, d.earliest
		default:
			jump := d.servo.Sync(sim.Moment(d.earliest-d.baseline)*sim.MomentsPerTick, rate)
			c.clockOffset += sim.Moment(jump) * sim.MomentsPerTick
		}
		d.spanTicks, d.hasEarliest = 0, false
	}
	c.env.SlewPPM = d.servo.Tick()
	c.env.Counters.Set("clock_behind_ticks", d.servo.Behind().Ticks())
}
