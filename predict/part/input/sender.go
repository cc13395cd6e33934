package input

import (
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
)

// ringLen is how many inputs a client keeps: a power of two, so that a
// tick's slot is its low bits.
const ringLen = 1024

// Sender is the client's side: it keeps what was pressed and puts a run of it
// into every packet.
type Sender struct {
	redundant     bool
	maxInputs     int
	importantOnly bool
	tickBits      int

	ring   [ringLen]sim.Input
	oldest sim.Tick // first input kept
	next   sim.Tick // after the newest
	hasAny bool

	counters *predict.Counters
	message  Message
	buffer   [maxBytes]byte
	coder    quant.Coder
}

// maxBytes holds Most inputs that all differ and shoot, their places, and the head.
const maxBytes = (MaxInputs*(1+7+MaxShotInputBits) + 64 + 63) / 64 * 8

// Declare tells env what of the sender may be tuned and what it counts.
func (s *Sender) Declare(env *predict.Env) {
	s.counters = env.Counters
	env.Knobs.Bool(&s.redundant, "redundant", true, "send all inputs since the last state that came, not the newest alone")
	env.Knobs.Int(&s.maxInputs, "redundant-max", 64, 1, MaxInputs, "at most this many inputs in a packet")
	env.Knobs.Bool(&s.importantOnly, "important-moves", false, "send only inputs that differ from the one before")
	env.Knobs.Int(&s.tickBits, "tick-bits", 10, MinTickBits, 16, "bits of the tick in an input packet; it wraps")
	env.Counters.Declare("input_packets", "input packets sent")
	env.Counters.Declare("input_bits", "bits in them, headers apart")
}

// Add remembers the input of a tick, which follows the one before.
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

// SampledTick returns the tick after that of the newest input that was added, and 0 before
// any was.
func (s *Sender) SampledTick() sim.Tick { return s.next }

// Send sends the newest input and, if redundant, those before it down to the
// input for tick since, which the server has answered for.
func (s *Sender) Send(e *packet.Endpoint, since sim.Tick) {
	if !s.hasAny {
		return
	}
	c := &s.coder
	c.BeginWrite(s.buffer[:])
	s.Encode(c, since)
	if c.Err() != nil {
		panic("input: a message that does not fit: " + c.Err().Error())
	}
	e.Send(c.FinishWrite())
}

// Encode writes what Send sends into a payload that has more behind it. Something
// must have been added.
func (s *Sender) Encode(c *quant.Coder, since sim.Tick) {
	first := s.next - 1
	if s.redundant {
		most := sim.Tick(s.maxInputs)
		first = s.oldest
		if since > first {
			first = since
		}
		if first > s.next-1 {
			first = s.next - 1
		}
		first = s.oldestRecentShot(first)
		if s.next-first > most {
			first = s.next - most
		}
	}
	m := &s.message
	m.TickBits, m.NewestTick, m.ImportantOnly = s.tickBits, s.next-1, s.importantOnly
	m.Inputs = m.Inputs[:0]
	for t := first; t != s.next; t++ {
		m.Inputs = append(m.Inputs, s.ring[t%ringLen])
	}
	m.Code(c)
	s.counters.Add("input_packets", 1)
	s.counters.Add("input_bits", float64(c.BitsProcessed()))
}

// CopyFrom makes s an equal of o, all but the meter.
func (s *Sender) CopyFrom(o *Sender) {
	s.redundant, s.maxInputs, s.importantOnly, s.tickBits = o.redundant, o.maxInputs, o.importantOnly, o.tickBits
	s.ring, s.oldest, s.next, s.hasAny = o.ring, o.oldest, o.next, o.hasAny
}

// oldestRecentShot returns the oldest tick of the last few with a shot, if it is before t,
// and else t.
func (s *Sender) oldestRecentShot(t sim.Tick) sim.Tick {
	for i := s.next - min(shotRepeatTicks, s.next-s.oldest); i < t; i++ {
		if s.ring[i%ringLen].Shot.Fired {
			return i
		}
	}
	return t
}
