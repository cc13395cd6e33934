package input

import (
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
)

// ringLen is the number of inputs that a client remembers: a power of two, so that a tick's slot is its
// low bits.
const ringLen = 1024

// Sender is the client's side: it remembers the player's inputs and sends the recent ones in every
// packet.
type Sender struct {
	redundant     bool
	maxInputs     int
	importantOnly bool
	tickBits      int

	ring   [ringLen]sim.Input
	oldest sim.Tick // tick of the oldest remembered input
	next   sim.Tick // tick after the newest one
	hasAny bool

	packets, bits predict.Counter
	senderScratch
}

// senderScratch is memory of one packet.
type senderScratch struct {
	message Message
	buffer  [maxBytes]byte
	coder   quant.Coder
}

// maxBytes is enough for MaxInputs inputs that all differ and have shots, with their indices.
const maxBytes = (MaxInputs*(1+7+MaxShotInputBits) + 64 + 63) / 64 * 8

// Declare declares the knobs and counters.
func (s *Sender) Declare(env *predict.Env) {
	env.Knobs.Bool(&s.redundant, "redundant", true, "send all inputs since the last received state, not only the newest")
	env.Knobs.Int(&s.maxInputs, "redundant-max", 64, 1, MaxInputs, "largest number of inputs in a packet")
	env.Knobs.Bool(&s.importantOnly, "important-moves", false, "send only inputs that differ from the one before")
	env.Knobs.Int(&s.tickBits, "tick-bits", 10, MinTickBits, 16, "bits of the tick number in an input packet; the number wraps")
	s.packets = env.Counters.New("input_packets", "input packets sent")
	s.bits = env.Counters.New("input_bits", "bits in input packets, without headers")
}

// Add remembers the input of a tick. A gap in the ticks forgets the inputs before it.
func (s *Sender) Add(t sim.Tick, in sim.Input) {
	if !s.hasAny || t != s.next {
		s.oldest, s.hasAny = t, true
	}
	s.ring[t%ringLen] = in
	s.next = t + 1
	if s.next-s.oldest > ringLen {
		s.oldest = s.next - ringLen
	}
}

// SampledTick returns the tick after the newest added input, or 0 if there is none.
func (s *Sender) SampledTick() sim.Tick { return s.next }

// Send sends the newest input and, if redundant, all inputs from tick needed on, which the server may
// not have.
func (s *Sender) Send(e *packet.Endpoint, needed sim.Tick) {
	if !s.hasAny {
		return
	}
	c := &s.coder
	c.BeginWrite(s.buffer[:])
	s.Encode(c, needed)
	if c.Err() != nil {
		panic("input: a message exceeds its buffer: " + c.Err().Error())
	}
	e.Send(c.FinishWrite())
}

// Encode writes the message that Send sends, at the front of a longer payload. An input must have been
// added.
func (s *Sender) Encode(c *quant.Coder, needed sim.Tick) {
	first := s.next - 1
	if s.redundant {
		limit := sim.Tick(s.maxInputs)
		first = s.oldest
		if needed > first {
			first = needed
		}
		if first > s.next-1 {
			first = s.next - 1
		}
		first = s.oldestRecentShot(first)
		if s.next-first > limit {
			first = s.next - limit
		}
	}
	m := &s.message
	m.TickBits, m.NewestTick, m.ImportantOnly = s.tickBits, s.next-1, s.importantOnly
	m.Inputs = m.Inputs[:0]
	for t := first; t != s.next; t++ {
		m.Inputs = append(m.Inputs, s.ring[t%ringLen])
	}
	m.Code(c)
	s.packets.Inc()
	s.bits.Add(float64(c.BitsProcessed()))
}

// CopyFrom makes s a copy of o, except for its counters.
func (s *Sender) CopyFrom(o *Sender) {
	s.redundant, s.maxInputs, s.importantOnly, s.tickBits = o.redundant, o.maxInputs, o.importantOnly, o.tickBits
	s.ring, s.oldest, s.next, s.hasAny = o.ring, o.oldest, o.next, o.hasAny
}

// oldestRecentShot returns the oldest of the last shotRepeatTicks ticks that has a shot, or t if that is
// older.
func (s *Sender) oldestRecentShot(t sim.Tick) sim.Tick {
	for i := s.next - min(shotRepeatTicks, s.next-s.oldest); i < t; i++ {
		if s.ring[i%ringLen].Shot.Fired {
			return i
		}
	}
	return t
}
