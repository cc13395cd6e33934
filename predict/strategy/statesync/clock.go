package statesync

import "ghostcube/sim"

// note looks at a packet that came so many ticks before its turn. While the pace
// is being changed that says nothing.
func (c *client) note(early int) {
	if c.env.Pace != 0 {
		c.span = span{}
		c.spread.drop()
		return
	}
	c.spread.take(early)
	if !c.span.any || early > c.span.most {
		c.span.any, c.span.most = true, early
	}
}

// steer keeps the earliest packet of a second waiting for as many ticks as the
// buffer is: if the way has become longer or shorter, or the server's clock runs
// otherwise, the client's next ticks come slower or faster. The article's buffer
// measures from the first packet, which may have been late.
func (c *client) steer() {
	w := c.env.World
	if c.buffer == 0 {
		c.env.Pace, c.span = 0, span{}
		return
	}
	if c.span.ticks++; c.span.ticks >= w.Rate() {
		c.adapt()
		if c.span.any {
			now := max(int64(w.Tick()), 2*farTicks)
			jump := c.servo.Aim(sim.Tick(now+int64(c.span.most)), sim.Tick(now), 0, -c.size, w.Rate())
			w.SetTick(w.Tick() + sim.Tick(jump))
		}
		c.span = span{}
	}
	c.env.Pace = c.servo.Tick()
	c.env.Counters.Set("buffer_ticks", float64(c.size))
	c.env.Counters.Set("clock_behind_ticks", c.servo.Behind())
}

// agesMost is how many ticks of staleness are told apart.
const agesMost = 600

// ages counts how old the server's last word of moving bodies was, tick by tick.
type ages struct {
	bins  [agesMost]uint32 // by age in ticks; the last holds all that are older
	total uint64
}

func (a *ages) add(ticks int) {
	a.bins[min(max(ticks, 0), agesMost-1)]++
	a.total++
}

// quantile is the age in ticks that a share of all ages, in [0,1], does not
// exceed.
func (a *ages) quantile(share float64) int {
	left := uint64(float64(float64(a.total) * share))
	for i, n := range a.bins {
		if uint64(n) > left {
			return i
		}
		left -= uint64(n)
	}
	return agesMost - 1
}

// count tells how many packets wait, and how stale bodies are.
func (c *client) count() {
	w, m := c.env.World, c.env.Counters
	if !c.running || c.hold > 0 {
		return
	}
	waiting := 0
	if c.buffer > 0 {
		for i := range sim.Tick(farTicks) {
			if c.ring.At(w.Tick()+1+i) != nil {
				waiting++
			}
		}
	}
	m.Set("packets_waiting", float64(waiting))
	for i := range w.Bodies() {
		if !w.Bodies()[i].Asleep {
			c.ages.add(int(int64(w.Tick()) - int64(c.applied[i])))
		}
	}
	if c.now%sim.Tick(w.Rate()) == 0 && c.ages.total > 0 {
		m.Set("staleness_p50_ms", float64(c.ages.quantile(0.5)*1000)/float64(w.Rate()))
		m.Set("staleness_p99_ms", float64(c.ages.quantile(0.99)*1000)/float64(w.Rate()))
	}
}
