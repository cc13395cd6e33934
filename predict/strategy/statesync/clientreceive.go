package statesync

import (
	"slices"

	"ghostcube/predict/part/clock"
	"ghostcube/predict/part/playout"
	"ghostcube/sim"
)

// read decodes an untrusted payload into scratch.received. It counts a malformed one and reports false.
func (c *client) read(payload []byte) (ok bool) {
	w, s := c.env.World, &c.scratch.received
	s.baselines, s.rate = c, w.Rate()
	s.consumedTick = c.state.inputTick
	if s.read(&c.scratch.coder, payload, w.Scene(), c.state.newest) != nil {
		c.counters.rejectedPayloads.Inc()
		return false
	}
	return true
}

// receive reads a payload, and reports whether it is well-formed and the client has the baselines of all
// updates in it. The packet waits in the jitter buffer, or is applied at once without one.
func (c *client) receive(payload []byte) (ok bool) {
	w, s := c.env.World, &c.scratch.received
	if !c.read(payload) {
		return false
	}
	ok = !slices.ContainsFunc(s.updates[:s.updateCount], func(u update) bool { return u.missingBaseline })
	first := !c.state.started
	if first {
		c.startClock(s.tick)
	}
	early := c.ticksEarly(s.tick)
	if limit := c.maxEarlyTicks(); early >= limit || early <= -2*limit {
		c.receiveOutOfRange(early)
		return ok && s.format.reckoning == notReckoned // the sender must not extrapolate what was not applied
	}
	c.state.outOfRange, c.state.fellBehind, c.state.missedTicks = 0, false, 0
	c.counters.packetsReceived.Inc()
	c.recordArrival(early, first || s.tick > c.state.newest)
	late := early < 0
	if c.settings.jitterBuffer == 0 {
		late = s.tick <= c.state.newest && !first
	}
	if c.state.newest = max(c.state.newest, s.tick); c.state.newest == s.tick && s.format.authority {
		c.authority.serverTick, c.authority.consumedTick, c.authority.move = s.tick, s.consumedTick, s.move
	}
	c.storeInputs(s)
	c.storePacket(s)
	c.observe(s)
	switch {
	case late:
		c.counters.packetsLate.Inc()
		c.applyLate(s)
	case c.settings.jitterBuffer == 0:
		w.SetTick(s.tick)
		c.applyPacket(s)
	}
	return ok
}

// baseline returns the state of a body in the newest acknowledged packet that contains it. If an
// acknowledged packet is missing or forgotten, the states before it are unknown.
func (c *client) baseline(body int, ackedTick sim.Tick, ackBits uint32) (*sim.Body, sim.Tick) {
	for i := sim.Tick(0); i <= min(maxAckOffset, ackedTick); i++ {
		if ackBits>>i&1 == 0 {
			continue
		}
		m := c.packets.Find(ackedTick - i)
		if m == nil {
			return nil, 0
		}
		if u := m.find(body); u != nil {
			return u.knownState(), m.tick
		}
	}
	return nil, 0
}

// baselineAt returns the state of a body in the packet of a tick, or nil.
func (c *client) baselineAt(body int, t sim.Tick) *sim.Body {
	if m := c.packets.Find(t); m != nil {
		if u := m.find(body); u != nil {
			return u.knownState()
		}
	}
	return nil
}

// playerAt returns the state of a player's cube in the packet of a tick, or nil.
func (c *client) playerAt(p int, t sim.Tick) *sim.Body { return c.baselineAt(p, t) }

// ticksEarly returns the number of ticks until the packet of a tick is applied. It is negative if
// its tick is over.
func (c *client) ticksEarly(t sim.Tick) int {
	return int(int64(t) - int64(c.env.World.Tick()) - 1 + int64(c.state.startDelay))
}

// startClock starts the clock with the packet of tick t, which waits for the length of the jitter
// buffer.
func (c *client) startClock(t sim.Tick) {
	c.state.started, c.state.startDelay, c.state.delay = true, c.settings.jitterBuffer, sim.Tick(c.settings.jitterBuffer).Moment()
	c.state.arrivals = playout.Arrivals{SpanTicks: c.env.World.Rate()}
	c.state.percentile = playout.Percentile{Percent: onTimePercent}
	c.state.newest = min(c.state.newest, t)
	c.env.World.SetTick(max(t, 1) - 1)
	c.state.servo, c.state.gain = clock.Servo{}, 0
	c.state.servo.Sync(0, c.env.World.Rate())
}

const (
	maxLateSeconds = 10      // no link delivers a packet later
	maxMissedTicks = 1 << 15 // farther apart, ticks on the wire are ambiguous
)

// maxEarlyTicks returns the number of ticks from which on an early packet is out of range. A late one is at twice as many.
// It is half a second, but more than the longest jitter buffer and less than the history of packets.
func (c *client) maxEarlyTicks() int {
	return min(max(c.env.World.Rate()*32/60, maxBufferTicks+2), historyTicks-1)
}

// isPlausible reports whether an honest packet may be early by some ticks, or late if they are below zero. It is early if
// the way from the server has become shorter, by a round trip at most, or if the client stood still.
func (c *client) isPlausible(early int) bool {
	if early < 0 {
		return -early <= maxLateSeconds*c.env.World.Rate()
	}
	return early < c.maxEarlyTicks()+int(c.state.roundTrip)+c.state.missedTicks
}

// receiveOutOfRange counts a packet whose tick is too far from the client's clock: as refused, unless it may be honest. If for a second
// only such packets arrive, at least resyncPackets of them, the next one restarts the clock. If the
// client is behind, because it was suspended, a quarter of a second is enough. Meanwhile it sends no
// inputs: their ticks follow its clock, and the server, which receives only the low bits of the
// ticks, would take them for others. The packet is stored all the same, because it is acknowledged
// and may become a baseline.
func (c *client) receiveOutOfRange(early int) {
	if !c.isPlausible(early) {
		c.counters.rejectedPayloads.Inc()
	} else if c.counters.packetsReceived.Inc(); early < 0 {
		c.counters.packetsLate.Inc()
	}
	c.storePacket(&c.scratch.received)
	if c.state.outOfRange++; c.state.outOfRange == 1 {
		c.state.outOfRangeSince = c.state.localTick
	}
	c.state.fellBehind = early > 0
	wait := c.env.World.Rate()
	if c.state.fellBehind {
		wait /= 4
	}
	if c.state.outOfRange >= resyncPackets && c.state.localTick-c.state.outOfRangeSince >= sim.Tick(wait) {
		if c.state.fellBehind {
			c.state.inputTick += sim.Tick(early - int(c.state.delay.Tick()))
			c.authority.consumedTick = 0
		}
		c.counters.clockJumps.Inc()
		c.state.started, c.state.outOfRange, c.state.fellBehind = false, 0, false
		c.inputs.Reset()
		for i := range c.bodies {
			c.bodies[i].appliedTick = 0
		}
	}
}

// storePacket stores a packet in the jitter buffer and as a baseline, unless it is too old for both.
func (c *client) storePacket(s *message) {
	if s.tick+historyTicks > c.state.newest {
		c.packets.Insert(s.tick).copyFrom(s)
	}
}

// storeInputs stores the inputs of a packet.
func (c *client) storeInputs(s *message) {
	for i := range s.inputCount {
		t := s.tick - sim.Tick(s.inputCount-i)
		if t < c.env.World.Tick() && c.settings.jitterBuffer > 0 {
			continue // already stepped
		}
		inputs := c.inputs.Insert(t)
		for p := range c.lastInputs {
			inputs[p] = s.inputs[p][i]
		}
	}
	if c.settings.jitterBuffer == 0 && s.inputCount > 0 && s.tick == c.state.newest {
		for p := range c.lastInputs {
			c.lastInputs[p] = s.inputs[p][s.inputCount-1]
		}
		c.state.repeats = 0
	}
}
