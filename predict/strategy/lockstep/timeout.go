package lockstep

import (
	"ghostcube/net/packet"
	"ghostcube/sim"
)

// connection is the state of a side's connection to another side. It is plain.
//
// The article lets the other side be silent for two seconds in the worst case and then times the
// connection out. Here that is the knob timeout, which is off by default, so that a session outlasts
// any outage. When a connection to a client times out, the server sends nothing more to that client
// and goes on without it: from then on its player gives no input. The other clients receive these
// inputs as any others, so all worlds stay the same. The client, which receives nothing any more,
// times out too. Its world stops. There is no way back into the session but a restart.
type connection struct {
	started      bool // a packet has arrived
	silentTicks  int  // own ticks since the last one
	disconnected bool
	newest       packet.Sequence // of the packets whose acknowledgements count
}

// tick begins a tick of the side. It reports whether the connection times out in it.
func (c *connection) tick(s *settings, rate int) (timedOut bool) {
	c.silentTicks++
	if s.timeout == 0 || !c.started || c.disconnected || sim.Tick(c.silentTicks).Moment() <= sim.MomentOfMillis(s.timeout, rate) {
		return false
	}
	c.disconnected = true
	return true
}

// maxReorder is the largest number of packets by which one that arrives late is behind the newest. One that
// is farther behind shows that the newest number was forged.
const maxReorder = 32

// receive records that packet s has arrived. It reports whether its acknowledgements count: not those of one
// that another has overtaken.
func (c *connection) receive(s packet.Sequence) (counts bool) {
	counts = !c.started || s >= c.newest || s+maxReorder < c.newest
	if c.started, c.silentTicks = true, 0; counts {
		c.newest = s
	}
	return counts
}

// fill inserts empty inputs of a disconnected player, as if they arrived on time, and appends
// them to the player's stream.
func (s *side) fill(p int, full func(p int) bool) {
	if e := &s.eventInputs[p]; e.active {
		e.keys = sim.Input{}
		return
	}
	q, st := &s.playoutBuffers[p], &s.streams[p]
	for !full(p) && st.next.Moment() <= q.clock.Expected(q.now)-q.slew.Offset() {
		*q.inputs.Insert(st.next) = sim.Input{}
		st.add(sim.Input{})
	}
}
