package lockstep

import "ghostcube/sim"

// inputHistoryTicks is the number of inputs that a side remembers for each player: 68 s at 60 Hz. It
// is a power of two, so that a tick's place is its low bits.
const inputHistoryTicks = 4096

// inputStream is the gapless sequence of one player's inputs that a side has.
type inputStream struct {
	ring  [inputHistoryTicks]sim.Input
	first sim.Tick // tick of the first input
	next  sim.Tick // tick after the newest input
}

func newInputStream(first sim.Tick) inputStream { return inputStream{first: first, next: first} }

// at returns the input of a tick, which must be in the stream and remembered.
func (s *inputStream) at(t sim.Tick) sim.Input { return s.ring[t%inputHistoryTicks] }

// add appends the next input.
func (s *inputStream) add(in sim.Input) {
	s.ring[s.next%inputHistoryTicks] = in
	s.next++
}

// sendWindow tracks what the other side of a connection has of one player's stream.
type sendWindow struct {
	acked      sim.Tick // inputs below this are acknowledged, by the newest packet
	sent       sim.Tick // inputs below this were sent over TCP
	sentOldest bool     // the last message that could not hold all inputs had the oldest ones
}

// pending returns the inputs to send: over UDP all that are not acknowledged, over TCP all that have
// not been sent. Over TCP the oldest ones come first if a message cannot hold them all. Over UDP the
// oldest and the newest ones take turns then: the other side may lack the oldest, or it has them and
// only its acknowledgements are lost, so that it needs the newest.
func (w *sendWindow) pending(s *inputStream, overTCP bool) (from sim.Tick, n int) {
	if !overTCP {
		w.sent = w.acked
		if s.next-w.acked > maxInputs {
			if w.sentOldest = !w.sentOldest; !w.sentOldest {
				return s.next - maxInputs, maxInputs
			}
		}
	}
	from = max(w.acked, w.sent)
	n = min(int(s.next-from), maxInputs)
	if overTCP {
		w.sent = from + sim.Tick(n)
	}
	return from, n
}

// acknowledge records that the other side has the inputs before tick t, and no others: the newest packet
// says so. One that says less than a packet before it refutes that, which was forged.
func (w *sendWindow) acknowledge(s *inputStream, t sim.Tick) {
	if t >= s.first && t <= s.next && s.next-t <= inputHistoryTicks {
		w.acked = t
	}
}

// hasRoom reports whether one more input can be remembered until it is acknowledged.
func (w *sendWindow) hasRoom(s *inputStream) bool { return s.next-w.acked < inputHistoryTicks }
