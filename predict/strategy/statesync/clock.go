package statesync

import "ghostcube/sim"

// recordArrival looks at a packet that came so many ticks before its turn. While the pace
// is being changed that says nothing.
func (c *client) recordArrival(early int) {
	if c.env.SlewPPM != 0 {
		c.arrivals = arrivalWindow{}
		c.jitter.discardSecond()
		return
	}
	c.jitter.add(early)
	if !c.arrivals.hasArrivals || early > c.arrivals.earliest {
		c.arrivals.hasArrivals, c.arrivals.earliest = true, early
	}
}

// adjustClock keeps the earliest packet of a second waiting for as many ticks as the
// buffer is: if the way has become longer or shorter, or the server's clock runs
// otherwise, the client's next ticks come slower or faster. The article's buffer
// measures from the first packet, which may have been late.
func (c *client) adjustClock() {
	w := c.env.World
	if c.jitterBuffer == 0 {
		c.env.SlewPPM, c.arrivals = 0, arrivalWindow{}
		return
	}
	if c.arrivals.ticks++; c.arrivals.ticks >= w.Rate() {
		c.adaptBuffer()
		if c.arrivals.hasArrivals {
			jump := c.servo.Sync(sim.Moment(c.arrivals.earliest-c.bufferTicks)*sim.MomentsPerTick, w.Rate())
			w.SetTick(w.Tick() + sim.Tick(jump))
		}
		c.arrivals = arrivalWindow{}
	}
	c.env.SlewPPM = c.servo.Tick()
	c.env.Counters.Set("buffer_ticks", float64(c.bufferTicks))
	c.env.Counters.Set("clock_behind_ticks", c.servo.Behind().Ticks())
}

// maxAgeTicks is how many ticks of staleness are told apart.
const maxAgeTicks = 600

// ageHistogram counts how old the server's last word of moving bodies was, tick by tick.
type ageHistogram struct {
	bins  [maxAgeTicks]uint32 // by age in ticks; the last holds all that are older
	total uint64
}

func (a *ageHistogram) add(ticks int) {
	a.bins[min(max(ticks, 0), maxAgeTicks-1)]++
	a.total++
}

// quantile is the age in ticks that a share of all ages, in [0,1], does not
// exceed.
func (a *ageHistogram) quantile(share float64) int {
	left := uint64(float64(float64(a.total) * share))
	for i, n := range a.bins {
		if uint64(n) > left {
			return i
		}
		left -= uint64(n)
	}
	return maxAgeTicks - 1
}

// updateCounters tells how many packets wait, and how stale bodies are.
func (c *client) updateCounters() {
	w, m := c.env.World, c.env.Counters
	if !c.started || c.startDelay > 0 {
		return
	}
	waiting := 0
	if c.jitterBuffer > 0 {
		for i := range sim.Tick(maxEarlyTicks) {
			if c.packets.Find(w.Tick()+1+i) != nil {
				waiting++
			}
		}
	}
	m.Set("buffered_packets", float64(waiting))
	for i := range w.Bodies() {
		if !w.Bodies()[i].Asleep {
			c.stateAges.add(int(int64(w.Tick()) - int64(c.appliedTick[i])))
		}
	}
	if c.localTick%sim.Tick(w.Rate()) == 0 && c.stateAges.total > 0 {
		m.Set("state_age_p50_ms", float64(c.stateAges.quantile(0.5)*1000)/float64(w.Rate()))
		m.Set("state_age_p99_ms", float64(c.stateAges.quantile(0.99)*1000)/float64(w.Rate()))
	}
}
