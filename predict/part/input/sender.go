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

// Sender is the client's side: it remembers the player's inputs and resends the recent ones in every
// packet.
type Sender struct {
	redundant     bool
	maxInputs     int
	importantOnly bool
	tickBits      int
	playout       int // ticks; 0: the server uses the newest input (SendUnacked)

	ring   [ringLen]sim.Input
	oldest sim.Tick // tick of the oldest remembered input
	next   sim.Tick // tick after the newest one
	hasAny bool

	sent  [sentLen]sentPacket // by the low bits of the sequence number (SendUnacked)
	acked sim.Tick            // tick after the newest input that the server has acknowledged

	packets, bits predict.Counter
	senderScratch
}

// sentLen is the number of packets whose acknowledgement is awaited. It is a power of two.
const sentLen = 256

// sentPacket is a packet that has been sent.
type sentPacket struct {
	sequence packet.Sequence
	end      sim.Tick // tick after the newest input in it; 0: no packet
}

// senderScratch is memory of one packet.
type senderScratch struct {
	message Message
	buffer  [maxBytes]byte
	coder   quant.Coder
}

// maxMoreBits is the largest size of what a strategy writes behind a message.
const maxMoreBits = 64

// maxBytes is enough for MaxInputs inputs that all differ and have shots, with their indices.
const maxBytes = (MaxInputs*(1+7+MaxShotInputBits) + 64 + maxMoreBits + 63) / 64 * 8

// Declare declares the knobs and counters.
func (s *Sender) Declare(env *predict.Env) {
	s.declare(env, "send all inputs since the last received state", "largest number of inputs in a packet")
}

// DeclareWithPlayout is Declare for a client that draws the past and sends with SendUnacked. Its server
// has an OptionalPlayout.
func (s *Sender) DeclareWithPlayout(env *predict.Env) {
	s.declare(env, "playout above 0: repeat inputs until acknowledged; playout=0: repeat shots",
		"largest number of inputs in a packet; playout=0: of repeated shots")
	declareOptionalPlayout(&s.playout, env.Knobs)
}

func (s *Sender) declare(env *predict.Env, redundantHelp, maxHelp string) {
	group := env.Knobs.In(predict.InputKnobs)
	group.Bool(&s.redundant, "redundant", true, redundantHelp)
	group.Int(&s.maxInputs, "redundant-max", 64, 1, MaxInputs, maxHelp)
	env.Knobs.Needs("redundant-max", "redundant", "on")
	group.Bool(&s.importantOnly, "important-moves", false, "send only inputs that differ from the one before")
	group.Int(&s.tickBits, "tick-bits", 10, MinTickBits, 16, "bits of an input packet's tick number")
	s.packets = env.Counters.New("input_packets", "input packets sent").Of(predict.InputPackets)
	s.bits = env.Counters.New("input_bits", "bits in input packets, without headers").Of(predict.InputBits)
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
func (s *Sender) Send(e *packet.Endpoint, needed sim.Tick) { s.send(e, needed, nil) }

// SendWith is Send for a strategy with at most 64 bits of its own behind the message: more writes them.
func (s *Sender) SendWith(e *packet.Endpoint, needed sim.Tick, more func(*quant.Coder)) {
	s.send(e, needed, more)
}

// SendUnacked sends the newest input and, if redundant and the server delays inputs, all inputs that
// it has not acknowledged.
func (s *Sender) SendUnacked(e *packet.Endpoint) {
	for _, a := range e.Acks() {
		if p := &s.sent[a%sentLen]; p.sequence == a {
			s.acked = max(s.acked, p.end)
		}
	}
	needed := s.next
	if s.playout > 0 {
		needed = s.acked
	}
	if q, ok := s.send(e, needed, nil); ok {
		s.sent[q%sentLen] = sentPacket{q, s.next}
	}
}

// send is Send or SendWith. It returns the number of the packet, if one was sent.
func (s *Sender) send(e *packet.Endpoint, needed sim.Tick, more func(*quant.Coder)) (q packet.Sequence, ok bool) {
	if !s.hasAny {
		return 0, false
	}
	c := &s.coder
	c.BeginWrite(s.buffer[:])
	s.Encode(c, needed)
	if more != nil {
		more(c)
	}
	if c.Err() != nil {
		panic("input: a message exceeds its buffer: " + c.Err().Error())
	}
	return e.Send(c.FinishWrite()), true
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
	m.TickBits, m.NewestTick, m.ImportantOnly = s.tickBits, s.next-1, s.importantOnly && s.next-first > 1
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
	s.playout, s.sent, s.acked = o.playout, o.sent, o.acked
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
