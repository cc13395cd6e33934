package lab

import (
	"ghostcube/net/link"
	"ghostcube/predict"
)

// bodyBits is what a pane remembers of the bits that bodies cost.
type bodyBits struct {
	recent []bodyCost         // down to the first client, by body
	sent   [2][]*clientPacket // by direction and client: of a lab with a Tap; nil: no payload with bodies is on its way
}

// bodyCost is what a body has cost lately.
type bodyCost struct {
	perSecond    float32 // bits, a fading mean
	pending      float32 // bits since the last tick
	since, every int32   // ticks since the last packet that it is in, and between the last two
}

// clientPacket is a payload that a side sends.
type clientPacket struct {
	bits    predict.PacketBits
	pending bool // PacketBits has not returned it
}

// fadesPerSecond is the share of the bits of bodies that fades, per second: a mean over half a second.
const fadesPerSecond = 2

// addPacketBits takes the bits of a payload before it is sent to or by a client.
func (p *Pane) addPacketBits(d link.Direction, client int, b *predict.PacketBits) {
	s := &p.bodyBits
	if d == link.Down && client == 0 {
		if len(s.recent) != len(b.Bodies) {
			s.recent = make([]bodyCost, len(b.Bodies))
		}
		for i, n := range b.Bodies {
			s.recent[i].pending += float32(n)
		}
	}
	if p.lab.Tap == nil {
		return
	}
	for len(s.sent[d]) <= client {
		s.sent[d] = append(s.sent[d], &clientPacket{})
	}
	s.sent[d][client].bits.CopyFrom(b)
	s.sent[d][client].pending = true
}

// advance makes a tick. The bits of a packet count for the time since the one before, so that a body that is sent now and
// then, at some distance, has a steady mean. It fades when no packet has come for twice that time.
func (b *bodyBits) advance(rate int) {
	for i := range b.recent {
		c := &b.recent[i]
		c.since++
		switch {
		case c.pending > 0:
			seconds := float32(c.since) / float32(rate)
			keep := 1 / (1 + float32(fadesPerSecond*seconds))
			c.perSecond = float32(c.perSecond*keep) + float32((1-keep)*c.pending)/seconds
			c.every, c.since, c.pending = c.since, 0, 0
		case c.since > 2*c.every:
			c.perSecond -= float32(c.perSecond*fadesPerSecond) / float32(rate)
		}
	}
}

// PacketBits returns what the bits of the payload were spent on that a side is sending, for the lab's Tap. ok is false
// if it has no body states, or was returned before. The bits are valid until the side sends again.
func (p *Pane) PacketBits(d link.Direction, client int) (b *predict.PacketBits, ok bool) {
	if list := p.bodyBits.sent[d]; client < len(list) && list[client].pending {
		list[client].pending = false
		return &list[client].bits, true
	}
	return nil, false
}

// inspectBodyBits reports the bits that the bodies cost lately.
func (p *Pane) inspectBodyBits(l *predict.Inspection) {
	for i := range p.bodyBits.recent {
		l.BodyBits = append(l.BodyBits, p.bodyBits.recent[i].perSecond)
	}
}
