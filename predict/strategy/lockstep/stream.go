package lockstep

import "ghostcube/sim"

// kept is how many inputs of a player are remembered until all have them: 68 s
// at 60 a second. A power of two, so that a tick's place is its low bits.
const kept = 4096

// stream is one player's inputs without a gap, as far as they are known here.
type stream struct {
	ring  [kept]sim.Input
	first sim.Tick // of the stream
	next  sim.Tick // after the newest
}

func newStream(first sim.Tick) stream { return stream{first: first, next: first} }

// at returns the input of a tick that is known and kept.
func (s *stream) at(t sim.Tick) sim.Input { return s.ring[t%kept] }

// add takes in the next input.
func (s *stream) add(in sim.Input) {
	s.ring[s.next%kept] = in
	s.next++
}

// delivery is what is known of the other side of one connection, for one player's
// stream.
type delivery struct {
	known sim.Tick // inputs below this are acknowledged
	sent  sim.Tick // inputs below this were sent over TCP
}

// due returns the inputs to send: all that are not acknowledged, the oldest
// ones if they are too many for a message; over TCP those not sent yet.
func (l *delivery) due(s *stream, tcp bool) (from sim.Tick, n int) {
	if !tcp {
		l.sent = l.known
	}
	from = max(l.known, l.sent)
	n = min(int(s.next-from), mostInputs)
	if tcp {
		l.sent = from + sim.Tick(n)
	}
	return from, n
}

// acknowledge takes in that inputs below t have arrived.
func (l *delivery) acknowledge(s *stream, t sim.Tick) {
	if t > l.known && t <= s.next {
		l.known = t
	}
}

// room reports whether one more input can be kept until this side has it.
func (l *delivery) room(s *stream) bool { return s.next-l.known < kept }
