package statesync

import (
	"ghostcube/predict"
	"ghostcube/sim"
)

// outgo is what a sender notes of its last packet, to be looked at.
type outgo struct {
	tick   sim.Tick
	room   int // bytes that might have travelled
	bytes  int // that did
	inputs int // bits of inputs
	head   int // bits of the payload without updates
	bits   int // of the payload
	n      int // updates
}

// Inspect tells the priorities and the last packet of one client.
func (s *server) Inspect(l *predict.Inspection, seat int) {
	if seat >= len(s.peers) {
		return // before the first tick
	}
	p := &s.peers[seat]
	l.Priority = append(l.Priority, p.priority...)
	o := &p.out
	if o.bytes == 0 {
		return
	}
	l.Packet = predict.PacketBreakdown{
		Tick: o.tick, Budget: 8 * max(o.room, o.bytes), Bodies: o.n,
		Inputs: o.inputs, Updates: o.bits - o.head, Header: 8*o.bytes - o.bits + o.head - o.inputs,
	}
}

// inputBits is how many bits of the message are inputs.
func (s *server) inputBits(head int) int {
	m, count := &s.message, s.message.count
	m.count = 0
	s.coder.Measure()
	m.code(&s.coder, s.env.World.Scene())
	m.count = count
	return head - s.coder.Processed()
}

// Inspect tells how old the server's last word of each body is by what the client
// shows, and how it came.
func (c *client) Inspect(l *predict.Inspection) {
	w := c.env.World
	for i := range w.Bodies() {
		l.Age = append(l.Age, int32(max(int64(w.Tick())-int64(c.applied[i]), 0)))
		l.Moving = append(l.Moving, !w.Bodies()[i].Asleep)
	}
	l.Encoding = append(l.Encoding, c.coded...)
	l.Owner = append(l.Owner, w.Owners()...)
}

// coding is how an update came. What lies as the scene begins is told by itself.
func (u *update) coding() predict.Encoding {
	switch {
	case u.based():
		return predict.DeltaEncoded
	case u.kind == near:
		return predict.RelativeToPlayer
	}
	return predict.Absolute
}
