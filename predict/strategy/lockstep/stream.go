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
	acked   sim.Tick // inputs below this are acknowledged, by the newest packet
	sent    sim.Tick // inputs below this were sent over TCP
	turn    int      // of the next message that cannot hold all inputs
	backlog sim.Tick // inputs from here on are the next of those between the oldest and the newest
}

// pending returns the inputs to send: over UDP all that are not acknowledged, over TCP all that have
// not been sent. Over TCP the oldest ones come first if a message cannot hold them all. Over UDP three kinds
// of messages take turns then. One has the oldest inputs, which the other side lacks after an outage. One has
// the newest, because the other side may have all others, and only its acknowledgements are lost. And one has
// a part of those between, each time the next, without waiting for an acknowledgement: after an outage all
// inputs are there within a round trip and some ticks.
func (w *sendWindow) pending(s *inputStream, overTCP bool) (from sim.Tick, n int) {
	if !overTCP {
		w.sent = w.acked
		if s.next-w.acked > maxInputs {
			switch w.turn = (w.turn + 1) % 3; w.turn {
			case 0:
				return s.next - maxInputs, maxInputs
			case 1:
				return w.acked, maxInputs
			}
			if from = w.backlog; from < w.acked+maxInputs || from >= s.next {
				from = w.acked + maxInputs
			}
			w.backlog = from + maxInputs
			return from, min(int(s.next-from), maxInputs)
		}
		w.backlog = 0
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
