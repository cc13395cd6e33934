package input

import (
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/sim"
)

// packetClock completes the ticks of the inputs of a client that numbers them by its own ticks,
// whatever the server's tick. Such a client sends one packet in each of its ticks, so the packets'
// sequence numbers count them, too: they stand still while the client does, and continue while packets
// are lost. The low bits of a tick on the wire are therefore enough after any history of freezes,
// outages and clock faults. A client may also skip ticks; it never goes back.
type packetClock struct {
	running  bool            // a message has been accepted
	sequence packet.Sequence // of the newest packet with a message
	newest   sim.Tick        // tick of the newest input in that
}

// decode reads a message in a packet that arrives at the server's tick now. It changes nothing but the
// message.
func (p *packetClock) decode(c *quant.Coder, m *Message, s packet.Sequence, now sim.Tick) {
	m.NewestTick = now
	if p.running {
		m.NewestTick = sim.Tick(max(int64(p.newest)+int64(s)-int64(p.sequence), 0))
	}
	m.Code(c)
	if p.running && s > p.sequence && m.NewestTick <= p.newest {
		m.NewestTick += 1 << m.TickBits // the client has skipped more ticks than half of those that the low bits tell apart
	}
}

// accept sets the clock by a message that is well-formed.
func (p *packetClock) accept(m *Message, s packet.Sequence) {
	if !p.running || s > p.sequence {
		p.running, p.sequence, p.newest = true, s, m.NewestTick
	}
}
