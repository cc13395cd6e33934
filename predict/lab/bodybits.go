package lab

import (
	"ghostcube/net/link"
	"ghostcube/predict"
)

// bodyBits is what a pane remembers of the bits that bodies cost.
type bodyBits struct {
	recent []float32          // down to the first client, by body: bits, fading by 2 / rate in each tick
	sent   [2][]*clientPacket // by direction and client: of a lab with a Tap; nil: no payload with bodies is on its way
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
			s.recent = make([]float32, len(b.Bodies))
		}
		for i, n := range b.Bodies {
			s.recent[i] += float32(n)
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

// fade lets the bits of bodies fade for one tick.
func (b *bodyBits) fade(rate int) {
	keep := 1 - fadesPerSecond/float32(rate)
	for i := range b.recent {
		b.recent[i] = float32(b.recent[i] * keep)
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
	for _, n := range p.bodyBits.recent {
		l.BodyBits = append(l.BodyBits, float32(n*fadesPerSecond))
	}
}
