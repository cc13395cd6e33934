package snapshot

import (
	"ghostcube/predict/part/clock"
	"ghostcube/sim"
)

// drift is how the arrivals lie now, and how they lay at first.
type drift struct {
	servo clock.Servo
	ticks int // of the present span
	any   bool
	most  int64 // ticks by which its earliest snapshot came before its time
	known bool
	usual int64 // the same of the first span
}

const (
	spanSeconds = 2
	sureShare   = 4 // of a second: what comes so much before its time is no luck
)

// start forgets all: the clock begins anew.
func (d *drift) start(now int64, rate int) {
	*d = drift{}
	t := sim.Tick(now)
	d.servo.Aim(t, t, 0, 0, rate) // it is where it should be
}

// note looks at a snapshot that has come. Its time is that of the first one, and
// on from there by the own clock. While the pace is being changed it says nothing.
func (c *client) note(tick sim.Tick) {
	d := &c.drift
	if c.env.Pace != 0 {
		d.ticks, d.any = 0, false
		return
	}
	if early := int64(tick) - c.now - c.origin/part; !d.any || early > d.most {
		d.any, d.most = true, early
	}
}

// steer keeps the earliest snapshots of two seconds as early as those of the first
// two were: if the server's clock runs otherwise, or the way has become longer or
// shorter, the client's next ticks come slower or faster. One that has stood still
// for more than a second jumps.
func (c *client) steer() {
	d, rate := &c.drift, c.env.World.Rate()
	if c.set.interpolation == onArrival || !c.running {
		c.env.Pace = 0
		return
	}
	d.ticks++
	sure := d.known && d.any && d.most-d.usual > int64(rate/sureShare)
	if sure || d.ticks >= spanSeconds*rate {
		switch {
		case !d.any:
		case !d.known:
			d.known, d.usual = true, d.most
		default:
			now := max(c.now, int64(rate)*3600)
			jump := d.servo.Aim(sim.Tick(now+d.most-d.usual), sim.Tick(now), 0, 0, rate)
			c.origin += int64(jump) * part
		}
		d.ticks, d.any = 0, false
	}
	c.env.Pace = d.servo.Tick()
	c.env.Counters.Set("clock_behind_ticks", d.servo.Behind())
}
