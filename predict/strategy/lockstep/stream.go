package lockstep

import "ghostcube/sim"

// inputHistoryTicks is how many inputs of a player are remembered until all have them: 68 s
// at 60 a second. A power of two, so that a tick's place is its low bits.
const inputHistoryTicks = 4096

// inputStream is one player's inputs without a gap, as far as they are known here.
type inputStream struct {
	ring  [inputHistoryTicks]sim.Input
	first sim.Tick // of the stream
	next  sim.Tick // after the newest
}

func newInputStream(first sim.Tick) inputStream { return inputStream{first: first, next: first} }

// at returns the input of a tick that is known and kept.
func (s *inputStream) at(t sim.Tick) sim.Input { return s.ring[t%inputHistoryTicks] }

// add takes in the next input.
func (s *inputStream) add(in sim.Input) {
	s.ring[s.next%inputHistoryTicks] = in
	s.next++
}

// sendWindow is what is known of the other side of one connection, for one player's
// stream.
type sendWindow struct {
	acked sim.Tick // inputs below this are acknowledged
	sent  sim.Tick // inputs below this were sent over TCP
}

// pending returns the inputs to send: all that are not acknowledged, the oldest
// ones if they are too many for a message; over TCP those not sent yet.
func (l *sendWindow) pending(s *inputStream, tcp bool) (from sim.Tick, n int) {
	if !tcp {
		l.sent = l.acked
	}
	from = max(l.acked, l.sent)
	n = min(int(s.next-from), maxInputs)
	if tcp {
		l.sent = from + sim.Tick(n)
	}
	return from, n
}

// acknowledge takes in that inputs below t have arrived.
func (l *sendWindow) acknowledge(s *inputStream, t sim.Tick) {
	if t > l.acked && t <= s.next {
		l.acked = t
	}
}

// hasRoom reports whether one more input can be kept until this side has it.
func (l *sendWindow) hasRoom(s *inputStream) bool { return s.next-l.acked < inputHistoryTicks }
