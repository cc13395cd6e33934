package statesync

import (
	"ghostcube/predict"
	"ghostcube/sim"
)

// packetRecord describes a sender's last packet, for inspection.
type packetRecord struct {
	tick        sim.Tick
	budget      int // bytes that the budget allowed, including all headers
	bytes       int // bytes sent, including all headers
	inputBits   int
	headerBits  int // payload without its updates
	payloadBits int
	updateCount int
}

// inspect reports the priorities and the last packet of one client.
func (s *server) inspect(l *predict.Inspection, peer int) {
	if peer >= len(s.senders) {
		return // before the first tick
	}
	p := &s.senders[peer]
	for i := range p.bodies {
		l.Priority = append(l.Priority, p.bodies[i].priority)
	}
	last := &p.state.lastPacket
	if last.bytes == 0 {
		return
	}
	l.Packet = predict.PacketBreakdown{
		Tick: last.tick, BudgetBits: 8 * max(last.budget, last.bytes), BodyCount: last.updateCount,
		InputBits: last.inputBits, BodyBits: last.payloadBits - last.headerBits, HeaderBits: 8*last.bytes - last.payloadBits + last.headerBits - last.inputBits,
	}
}

// inputBits returns the size of the message's inputs. headerBits is the size of the message without
// updates.
func (s *server) inputBits(headerBits int) int {
	m, count := &s.scratch.message, s.scratch.message.inputCount
	m.inputCount = 0
	s.scratch.coder.BeginMeasure()
	m.code(&s.scratch.coder, s.Env.World.Scene())
	m.inputCount = count
	return headerBits - s.scratch.coder.BitsProcessed()
}

// inspect reports the age of the newest state of each body, by the client's clock, and how it was
// encoded.
func (c *client) inspect(l *predict.Inspection) {
	w := c.env.World
	for i := range w.Bodies() {
		l.Age = append(l.Age, int32(max(int64(w.Tick())-int64(c.bodies[i].appliedTick), 0)))
		l.Moving = append(l.Moving, !w.Bodies()[i].Asleep)
		l.Encoding = append(l.Encoding, c.bodies[i].encoding)
	}
	l.Owner = append(l.Owner, w.Owners()...)
	first := w.Tick() + 1
	l.AddBuffer(predict.JitterBuffer, first, max(first, c.state.newest+1), 0, func(t sim.Tick) bool { return c.packets.Find(t) != nil })
	c.inputSender.Inspect(l, c.firstUnackedInput())
}

// encodingClass returns the class of an update's encoding. A body in its initial state counts as
// absolute.
func (u *update) encodingClass() predict.Encoding {
	switch {
	case u.isDelta():
		return predict.DeltaEncoded
	case u.encoding == playerRelative:
		return predict.RelativeToPlayer
	}
	return predict.Absolute
}
