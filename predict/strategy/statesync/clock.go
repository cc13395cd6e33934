package statesync

import (
	"ghostcube/predict/part/clock"
	"ghostcube/predict/part/playout"
	"ghostcube/sim"
)

// onTimePercent is the share of packets for which an adaptive jitter buffer is long enough. Unlike
// lockstep, this strategy tolerates a late packet in a hundred, so the buffer need not be as long as
// the latest packet requires.
const onTimePercent = 99

// minArrivals is the number of packets without which a second does not set back the clock that numbers a client's states: in an
// outage only those arrive that something has delayed.
const minArrivals = 3

// recordArrival records that a packet arrived some ticks before its turn. What the client's clock has
// gained does not count: packets are later by that, and not by the network. One that others have overtaken does not count as one
// of minArrivals.
func (c *client) recordArrival(early int, newest bool) {
	late := -sim.Moment(early)*sim.MomentsPerTick - c.env.TickEarly - c.state.gain
	c.state.arrivals.Add(late)
	if newest {
		c.state.arrived++
	}
	c.state.percentile.Add(late)
	if early >= 0 {
		c.state.lateRun, c.state.lateCount = playout.Span{}, 0
		return
	}
	c.state.lateRun.Add(late)
	c.state.lateCount++
}

// lateRunShare is the part of a second of packets in a row that are late, after which an adaptive buffer follows them before
// the second is over.
const lateRunShare = 16

// adjustClock slews the client's clock so that the earliest packet of each second waits for the
// length of the jitter buffer, even if the latency changes or the server's clock runs at another
// rate. The article's buffer measures from the first packet, which may have been late.
func (c *client) adjustClock() {
	w := c.env.World
	if c.settings.jitterBuffer == 0 {
		c.env.SlewPPM = 0
		c.state.arrivals.Discard()
		return
	}
	if span, ended := c.state.arrivals.Tick(); ended {
		c.adaptBuffer()
		behind := -span.Min - c.state.gain - c.state.delay
		if few := c.mayClaim() && c.state.arrived < minArrivals; span.Any && (!few || behind > 0) {
			if c.settings.adaptive {
				behind = clock.Tight(behind) // the buffer is just long enough
			}
			jump := c.state.servo.Sync(behind, w.Rate())
			if jump > 0 {
				c.counters.clockJumps.Inc()
			}
			w.SetTick(w.Tick() + sim.Tick(jump))
			c.state.gain += sim.Tick(jump).Moment()
		}
		c.state.arrived = 0
	}
	if c.settings.adaptive && c.state.lateCount*lateRunShare > w.Rate() {
		c.state.servo.Sync(clock.Tight(-c.state.lateRun.Min-c.state.gain-c.state.delay), w.Rate())
		c.state.lateRun, c.state.lateCount = playout.Span{}, 0
	}
	c.state.gain += c.state.servo.Gained()
	c.env.SlewPPM = c.state.servo.Tick()
	c.counters.bufferTicks.Set(c.state.delay.Ticks())
	c.counters.clockBehindTicks.Set(c.state.servo.Behind().Ticks())
}

// adaptBuffer sets the length of the jitter buffer at the end of a second. An adaptive buffer grows
// at once if it was too short, and shrinks by a tick per second once the arrivals of ten seconds are
// known.
func (c *client) adaptBuffer() {
	if !c.settings.adaptive {
		c.state.delay = sim.Tick(c.settings.jitterBuffer).Moment()
		return
	}
	c.state.percentile.EndSpan()
	shrink := sim.Moment(0)
	if c.state.percentile.Confident() {
		shrink = sim.MomentsPerTick
	}
	if wanted, ok := c.state.percentile.Wanted(); ok {
		c.state.delay = playout.Adapt(c.state.delay, min(wanted, maxBufferTicks*sim.MomentsPerTick), shrink)
	}
}

// maxAgeTicks is the number of bins of an ageHistogram.
const maxAgeTicks = 600

// ageHistogram counts, in each tick, the ages of the newest states of moving bodies. It is plain.
type ageHistogram struct {
	bins  [maxAgeTicks]uint32 // by age in ticks; the last includes all greater ages
	total uint64
}

func (a *ageHistogram) add(ticks int) {
	a.bins[min(max(ticks, 0), maxAgeTicks-1)]++
	a.total++
}

// quantile returns the age that a share of all ages, in [0,1], does not exceed.
func (a *ageHistogram) quantile(share float64) sim.Tick {
	remaining := uint64(float64(float64(a.total) * share))
	for i, n := range a.bins {
		if uint64(n) > remaining {
			return sim.Tick(i)
		}
		remaining -= uint64(n)
	}
	return maxAgeTicks - 1
}

// updateCounters counts the buffered packets and the ages of states.
func (c *client) updateCounters() {
	w := c.env.World
	if !c.state.started || c.state.startDelay > 0 {
		return
	}
	waiting := 0
	if c.settings.jitterBuffer > 0 {
		for i := range sim.Tick(c.maxEarlyTicks()) {
			if c.packets.Find(w.Tick()+1+i) != nil {
				waiting++
			}
		}
	}
	c.counters.bufferedPackets.Set(float64(waiting))
	for i := range w.Bodies() {
		if !w.Bodies()[i].Asleep {
			c.state.stateAges.add(int(int64(w.Tick()) - int64(c.bodies[i].appliedTick)))
		}
	}
	if c.state.localTick%sim.Tick(w.Rate()) == 0 && c.state.stateAges.total > 0 {
		c.counters.stateAgeP50.Set(c.state.stateAges.quantile(0.5).Moment().Millis(w.Rate()))
		c.counters.stateAgeP99.Set(c.state.stateAges.quantile(0.99).Moment().Millis(w.Rate()))
	}
}
