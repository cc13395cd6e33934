package snapshot

import (
	"ghostcube/predict/part/clock"
	"ghostcube/predict/part/playout"
	"ghostcube/sim"
)

// bufferSize is the greatest number of buffered snapshots, and their greatest age in send
// intervals before the newest.
const bufferSize = 64

// catchUpSize is the greatest number while playback catches up after an outage, and needs those since its end.
const catchUpSize = 256

// store puts a received snapshot into the interpolation buffer and gives s other memory. It
// reports false, and nothing changes, if the buffer has a snapshot of this tick, or is full
// of newer ones.
func (c *client) store(s *snapshot) bool {
	b := &c.buffer
	if b.Len() >= bufferSize && s.tick < b.At(0).Tick {
		return false
	}
	place := b.Insert(s.tick)
	if place == nil {
		return false
	}
	tick := s.tick
	*place, *s = *s, *place
	limit, from := bufferSize, tick.Moment()-bufferSize*c.sendInterval()
	if c.adapts() && c.started {
		// Playback is behind by less than the age that it skips, and may have as long a gap to cross.
		limit, from = catchUpSize, min(from, max(c.fromTick.Moment(), tick.Moment()-2*c.skipAge()))
	} else if !c.adapts() && c.clock.Running() {
		// A long delay and an early arrival may be more than the buffer. Playback that stands is no reason to keep more.
		needed := c.playoutMoment()
		if c.started {
			needed = min(needed, c.fromTick.Moment())
		}
		if tick.Moment()-needed <= c.leastDelay()+bufferSize/2*c.sendInterval() {
			limit, from = catchUpSize, min(from, needed)
		}
	}
	if b.Len() > limit {
		b.Drop(1)
	}
	b.Drop(b.CountUntil(from - 1))
	return true
}

// bracket returns the newest snapshot at or before a moment, and the one after it if that
// is at most maxGap ticks later; a missing one is nil. waiting is the number of snapshots
// after the moment.
func (c *client) bracket(m sim.Moment, maxGap int) (start, end *snapshot, waiting int) {
	n := c.buffer.CountUntil(m)
	waiting = c.buffer.Len() - n
	if n == 0 {
		return nil, nil, waiting
	}
	start = &c.buffer.At(n - 1).Value
	if waiting > 0 && int(c.buffer.At(n).Tick-start.tick) <= maxGap {
		end = &c.buffer.At(n).Value
	}
	return start, end, waiting
}

// The rule's margin for jitter is two send intervals, but at most 50 ms. With two losses to
// survive the delay is 350 ms at 10 snapshots a second, 150 at 30 and 83 at 60, where the
// article says 350, 150 and 85; with one or none it is 250 and 150 ms at 10 a second, as in
// the article. Extrapolation shortens the delay, but not below that for no loss: bodies are
// extrapolated from between two snapshots, so there has to be a second one.
const (
	jitterMarginIntervals = 2
	maxJitterMargin       = 50 // ms
)

// leastDelay returns the delay of the knob or of the rule.
func (c *client) leastDelay() sim.Moment {
	rate, interval := c.env.World.Rate(), c.sendInterval()
	delay := sim.MomentOfMillis(c.interpolationDelay, rate)
	if c.interpolationDelay == 0 {
		margin := min(jitterMarginIntervals*interval, sim.MomentOfMillis(maxJitterMargin, rate))
		ahead := c.settings.extrapolate
		if c.noVelocities {
			ahead = 0 // without velocities nothing is extrapolated
		}
		delay = max(sim.Moment(c.surviveLosses)*interval-sim.MomentOfMillis(ahead, rate), 0) + interval + margin
	}
	return min(delay, (bufferSize-2)*interval)
}

// sendInterval returns the time from one snapshot to the next.
func (c *client) sendInterval() sim.Moment { return sim.Tick(c.settings.snapshotEvery).Moment() }

// The rule knows the send interval and no network. With adaptive the delay is at least that of the rule, and
// grows to what the snapshots of the last ten seconds needed: playback needs one at or after the moment that it
// draws, so the delay has to be the age of the newest snapshot. That includes jitter and losses alike. While
// nothing newer is there, the delay grows with the age, and playback continues where it has stopped. After an
// outage, longer than any delay that a player would accept, it catches up, faster by what it is behind divided
// by the knob catch-up, and so less and less. It skips a silence of skipSeconds.
const (
	ageMargin     = sim.MomentsPerTick // beyond the greatest age
	growDivisor   = 20                 // playback is slower by a 20th while the delay grows
	shrinkDivisor = 100                // and faster by a 100th while it shrinks
	maxGrowth     = 300                // ms beyond the rule

	skipSeconds = 2
)

// age returns how old the newest snapshot is, beyond the time that it took to arrive.
func (c *client) age(now int64) sim.Moment {
	return c.clock.Expected(sim.Moment(now)*sim.MomentsPerTick) - c.buffer.Newest().Tick.Moment()
}

// outageAge returns the age from which the silence is an outage.
func (c *client) outageAge() sim.Moment {
	return min(c.leastDelay()+sim.MomentOfMillis(maxGrowth, c.env.World.Rate()), (bufferSize-2)*c.sendInterval())
}

// skipAge returns the age from which playback skips the silence.
func (c *client) skipAge() sim.Moment {
	if c.catchUp == 0 {
		return c.outageAge()
	}
	return max(sim.Tick(skipSeconds*c.env.World.Rate()).Moment(), c.outageAge())
}

// recordAge is called when a snapshot arrives that is newer than all others: in the tick before, playback
// had to do with those.
func (c *client) recordAge() {
	if !c.clock.Running() || c.buffer.Newest() == nil {
		return
	}
	if age := c.age(c.now - 1); age < c.outageAge() {
		c.ages.Add(age)
	}
}

// adapts reports whether the delay follows the network.
func (c *client) adapts() bool { return c.adaptive && c.interpolationDelay == 0 }

// longestGap returns the greatest distance in ticks between two snapshots that playback interpolates
// between. It is longer than the delay: once the later one is there, to stand still until it is due would only prolong the
// stop. Across an outage it stands: a curve over what nobody knows makes more jumps.
func (c *client) longestGap() int {
	gap := c.outageAge()
	if c.adapts() {
		gap = c.skipAge()
	}
	return max(int(gap/c.sendInterval()), 1) * c.settings.snapshotEvery
}

// adaptDelay sets the delay of the present tick, and reports whether playback stops in it, at the newest
// snapshot.
func (c *client) adaptDelay() (stops bool) {
	least := c.leastDelay()
	if !c.adapts() || !c.clock.Running() {
		c.growth, c.delay, c.catchingUp, c.heldTicks = 0, least, false, 0
		c.pace.Run()
		return false
	}
	longest := c.outageAge() - least
	wanted := max(min(c.peak.Wanted(c.ages)+ageMargin-least, longest), 0)
	age := c.age(c.now)
	if age < c.skipAge() {
		step := sim.MomentsPerTick - min(max(wanted-c.growth, -c.shrinks(wanted)), sim.MomentsPerTick/growDivisor)
		step = c.pace.Step(step, least+c.growth-age+sim.MomentsPerTick)
		if stops = c.pace.Stands(); c.pace.Held() {
			c.heldTicks++
		} else {
			c.heldTicks = 0
		}
		c.growth = max(c.growth+sim.MomentsPerTick-step, age-least)
		c.catchingUp = c.growth > longest || c.catchingUp && c.growth > wanted
	} else {
		c.growth, c.catchingUp, c.heldTicks = wanted, false, 0
		c.pace.Run()
	}
	c.delay = least + c.growth
	return stops
}

// shrinks returns by how much the growth shrinks at most in the present tick.
func (c *client) shrinks(wanted sim.Moment) sim.Moment {
	const slow = sim.MomentsPerTick / shrinkDivisor
	if !c.catchingUp {
		return slow
	}
	ticks := sim.MomentOfMillis(c.catchUp, c.env.World.Rate()).Tick()
	return playout.CatchUp(c.growth-wanted, int(ticks), slow)
}

// playoutMoment returns the server's moment to draw in the present tick.
func (c *client) playoutMoment() sim.Moment {
	return c.clock.Expected(sim.Moment(c.now)*sim.MomentsPerTick) - c.delay
}

// arrivalMoment returns the time on the client's own clock at which packets arrive now.
func (c *client) arrivalMoment() sim.Moment {
	return sim.Moment(c.now)*sim.MomentsPerTick - c.env.TickEarly
}

const (
	driftSpan  = 2                      // s
	earlyShare = sim.MomentsPerTick / 4 // of a second: jitter does not make a snapshot that early
)

// startClock starts the clock with the arrival of the first snapshot.
func (c *client) startClock(t sim.Tick) {
	rate := c.env.World.Rate()
	c.clock.Start(t, c.arrivalMoment())
	c.arrivals = playout.Arrivals{SpanTicks: driftSpan * rate, Early: sim.Moment(rate) * earlyShare}
	c.servo = clock.Servo{}
	c.servo.Sync(0, rate)
	c.ages, c.peak, c.growth, c.delay = playout.Span{}, playout.Peak{}, 0, c.leastDelay()
	c.catchingUp, c.heldTicks = false, 0
	c.pace.Run()
}

// tooLate reports whether the snapshot of a tick shows that everything is late now: there has been no picture for a
// second, or only as snapshots arrived, and this one is no use either.
func (c *client) tooLate(t sim.Tick) bool {
	ahead, rate := t.Moment()-c.playoutMoment(), c.env.World.Rate()
	return c.starvedTicks >= rate && ahead <= 0 || c.heldTicks >= rate && ahead <= 2*sim.MomentsPerTick
}

// recordArrival records the lateness of a snapshot. One that is so early that this cannot be jitter
// corrects the clock at once: in the first span the one that started the clock was late, for example
// because it had waited for a program that stood still; during a change of pace the client is further
// behind than it was known.
func (c *client) recordArrival(t sim.Tick) {
	early := -c.clock.Lateness(t, c.arrivalMoment())
	first, known := c.arrivals.First()
	switch {
	case !known && (early > c.arrivals.Early || early > 0 && c.backlogAt == c.now):
		c.startClock(t)
		c.arrivals.Add(0)
		c.backlogAt = c.now
	case c.env.SlewPPM != 0 && known && first+early-c.servo.Behind() > c.arrivals.Early:
		c.syncClock(first + early)
		c.arrivals.Discard()
	default:
		c.arrivals.Add(-early)
	}
}

// adjustClock keeps the earliest snapshots of two seconds as late as those of the first two.
// If the server's clock runs faster or slower, or the path has become longer or shorter, the
// client's next ticks come faster or slower. A client that has stood still for more than a
// second jumps.
func (c *client) adjustClock() {
	if c.settings.interpolation == onArrival || !c.clock.Running() {
		c.env.SlewPPM = 0
		return
	}
	c.arrivals.SetBack(-c.servo.Gained()) // packets are later by what the clock gains
	if span, ended := c.arrivals.Tick(); ended && span.Any {
		c.peak.Add(c.ages)
		c.ages = playout.Span{}
		c.syncClock(-c.arrivals.Drift())
	}
	c.env.SlewPPM = c.servo.Tick()
	c.counters.clockBehindTicks.Set(c.servo.Behind().Ticks())
}

// syncClock corrects the clock of a client that is behind its aim.
func (c *client) syncClock(behind sim.Moment) {
	jump := c.servo.Sync(behind, c.env.World.Rate())
	if jump > 0 {
		c.counters.clockJumps.Inc()
		c.clock.Move(sim.Moment(jump) * sim.MomentsPerTick)
		c.ages, c.peak = playout.Span{}, playout.Peak{} // of another clock
	}
}

// restart forgets all snapshots. The picture stands still until the next snapshot starts the
// clock anew.
func (c *client) restart() {
	c.counters.playbackRestarts.Inc()
	c.buffer.Drop(c.buffer.Len())
	c.clock, c.started = playout.Clock{}, false
}
