package statesync

import (
	"ghostcube/predict"
	"ghostcube/sim"
)

// packetRecord is what a sender notes of its last packet, to be looked at.
type packetRecord struct {
	tick        sim.Tick
	budget      int // bytes that might have travelled
	bytes       int // that did
	inputBits   int // bits of inputs
	headerBits  int // bits of the payload without updates
	payloadBits int // of the payload
	updateCount int // updates
}

// inspect tells the priorities and the last packet of one client.
func (s *server) inspect(l *predict.Inspection, seat int) {
	if seat >= len(s.senders) {
		return // before the first tick
	}
	p := &s.senders[seat]
	for i := range p.bodies {
		l.Priority = append(l.Priority, p.bodies[i].priority)
	}
	o := &p.state.lastPacket
	if o.bytes == 0 {
		return
	}
	l.Packet = predict.PacketBreakdown{
		Tick: o.tick, BudgetBits: 8 * max(o.budget, o.bytes), BodyCount: o.updateCount,
		InputBits: o.inputBits, BodyBits: o.payloadBits - o.headerBits, HeaderBits: 8*o.bytes - o.payloadBits + o.headerBits - o.inputBits,
	}
}

// inputBits is how many bits of the message are inputs.
func (s *server) inputBits(head int) int {
	m, count := &s.scratch.message, s.scratch.message.inputCount
	m.inputCount = 0
	s.scratch.coder.BeginMeasure()
	m.code(&s.scratch.coder, s.env.World.Scene())
	m.inputCount = count
	return head - s.scratch.coder.BitsProcessed()
}

// inspect tells how old the server's last word of each body is by what the client
// shows, and how it came.
func (c *client) inspect(l *predict.Inspection) {
	w := c.env.World
	for i := range w.Bodies() {
		l.Age = append(l.Age, int32(max(int64(w.Tick())-int64(c.bodies[i].appliedTick), 0)))
		l.Moving = append(l.Moving, !w.Bodies()[i].Asleep)
		l.Encoding = append(l.Encoding, c.bodies[i].encoding)
	}
	l.Owner = append(l.Owner, w.Owners()...)
}

// encodingClass is how an update came. What lies as the scene begins is told by itself.
func (u *update) encodingClass() predict.Encoding {
	switch {
	case u.isDelta():
		return predict.DeltaEncoded
	case u.encoding == playerRelative:
		return predict.RelativeToPlayer
	}
	return predict.Absolute
}
