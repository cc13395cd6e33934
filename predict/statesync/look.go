package statesync

import (
	"ghostcube/predict"
	"ghostcube/sim"
)

// outgo is what a sender notes of its last packet, to be looked at.
type outgo struct {
	tick  sim.Tick
	form  form
	room  int // bytes that might have travelled
	bytes int // that did
	head  int // bits of the payload without updates
	bits  int // of the payload
	n     int // updates
}

// Look tells the priorities and the last packet of one client.
func (s *server) Look(l *predict.Look, seat int) {
	if seat >= len(s.peers) {
		return // before the first tick
	}
	p := &s.peers[seat]
	l.Priority = append(l.Priority, p.priority...)
	o := &p.out
	if o.bytes == 0 {
		return
	}
	bare := s.bare(o)
	l.Packet = predict.Packet{
		Tick: o.tick, Room: 8 * max(o.room, o.bytes), Bodies: o.n,
		Inputs: o.head - bare, Updates: o.bits - o.head, Head: 8*o.bytes - o.bits + bare,
	}
}

// bare is how many bits a payload takes that has neither inputs nor updates.
func (s *server) bare(o *outgo) int {
	m := &s.message
	n, count, form := m.n, m.count, m.form
	m.n, m.count, m.form = 0, 0, o.form
	s.coder.Measure()
	m.code(&s.coder, s.env.World.Scene())
	m.n, m.count, m.form = n, count, form
	return s.coder.Processed()
}

// Look tells how old the server's last word of each body is by what the client
// shows, and how it came.
func (c *client) Look(l *predict.Look) {
	w := c.env.World
	for i := range w.Bodies() {
		l.Age = append(l.Age, int32(max(int64(w.Tick())-int64(c.applied[i]), 0)))
		l.Moves = append(l.Moves, !w.Bodies()[i].Asleep)
	}
	l.Coding = append(l.Coding, c.coded...)
	l.Owner = append(l.Owner, w.Owners()...)
}

// coding is how an update of a message came. A position that is within reach of
// the player's is always sent relative to it: what is sent otherwise is refused.
func (m *message) coding(u *update) predict.Coding {
	if u.based {
		return predict.ToEarlier
	}
	at := m.anchor(u)
	if !m.form.relative || at == nil {
		return predict.Absolute
	}
	g := &m.form.grid().Position
	a, b := encode(g, u.state.Pose.Pos), encode(g, *at)
	for i := range a {
		if !anchorLadder.Reaches(a[i] - b[i]) {
			return predict.Absolute
		}
	}
	return predict.ToPlayer
}
