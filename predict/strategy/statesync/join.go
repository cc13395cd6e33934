package statesync

import (
	"ghostcube/net/packet"
	"ghostcube/sim"
	"ghostcube/smoothing"
)

// joinPackets is the number of packets that a joining client reads, and about the number of ticks that it steps,
// in one of its own ticks.
const joinPackets = 8

// join lets a client that has lost everything catch up: it steps the downloaded world with all packets that have
// arrived since, as if it had been there, and keeps behind the newest by the length of the jitter buffer. It
// reports whether the newest packet has been read.
func (c *client) join(server *packet.Endpoint) (done bool) {
	for range joinPackets {
		p, ok := server.Receive()
		if !ok {
			if c.state.started {
				c.finishJoin()
			}
			return c.state.started
		}
		if !c.replayPacket(p.Payload) {
			server.Refuse(p.Sequence)
		}
	}
	return false
}

// replayPacket reads a payload and steps up to it. It reports whether the payload is well-formed.
func (c *client) replayPacket(payload []byte) (ok bool) {
	w, s := c.env.World, &c.scratch.received
	if !c.read(payload) {
		return false
	}
	lag := sim.Tick(c.settings.jitterBuffer)
	if s.tick+lag < w.Tick() || s.tick > c.state.newest+maxJoinTicks {
		c.counters.rejectedPayloads.Inc()
		return false
	}
	c.counters.packetsReceived.Inc()
	c.state.started, c.state.newest = true, max(c.state.newest, s.tick)
	c.storeInputs(s)
	c.storePacket(s)
	c.observe(s)
	for w.Tick()+lag < c.state.newest {
		c.advance()
	}
	return true
}

// maxJoinTicks is the longest gap between two packets that a joining client steps over.
const maxJoinTicks = 1200

// finishJoin starts the clock. What the client draws from now on begins without error offsets.
func (c *client) finishJoin() {
	at := c.env.World.Tick()
	c.startClock(c.state.newest)
	c.env.World.SetTick(at)
	c.state.startDelay, c.state.inputTick = 0, c.state.newest
	for i := range c.bodies {
		c.bodies[i].errorOffset = smoothing.ErrorOffset{}
	}
	c.env.Joined = false
}
