// Package input carries what players do from client to server: the same
// inputs again in several packets, so that a lost one costs nothing, and at the
// server a queue that hands each input out in its tick.
package input

import (
	"slices"

	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
)

const (
	buttonBits  = 6
	headingBits = 8

	// MaxInputs is the largest number of inputs in one message.
	MaxInputs = 128
	// MinTickBits and MaxTickBits bound the width of the tick on the wire; the
	// field that tells it has four bits.
	MinTickBits, MaxTickBits = 8, 23
)

// MostBits is the longest that one input gets on its own, without a shot, and
// MostShotBits with one.
const (
	MaxInputBits     = buttonBits + 1 + headingBits
	MaxShotInputBits = MaxInputBits + maxShotBits
)

// CodeInput reads, writes or measures one input on its own: six buttons, and the
// heading behind a bit that says whether it is other than zero. A shot is left out.
func CodeInput(c *quant.Coder, in sim.Input) sim.Input {
	in.Shot = sim.Shot{}
	if in = codeInputAfter(c, in, sim.Input{}); in.Shot.Fired {
		c.Fail(predict.ErrMalformed)
	}
	return in
}

// codeInputAfter is an input that follows another: its heading costs eight bits only
// when it has changed. A heading that is said to have changed and has not
// announces a shot: then the input goes on as shot has it.
func codeInputAfter(c *quant.Coder, in, before sim.Input) sim.Input {
	c.Label("buttons")
	in.Buttons = sim.Buttons(c.Bits(uint32(in.Buttons), buttonBits))
	if c.Reading() {
		in.Shot = sim.Shot{} // of whatever was there before
	}
	if in.Shot.Fired {
		c.Label("heading_changed")
		c.Bool(true)
		c.Label("heading")
		c.Bits(uint32(before.Heading), headingBits)
		return codeShot(c, in, before)
	}
	c.Label("heading_changed")
	if !c.Bool(in.Heading != before.Heading) {
		in.Heading = before.Heading
		return in
	}
	c.Label("heading")
	if in.Heading = uint8(c.Bits(uint32(in.Heading), headingBits)); in.Heading == before.Heading {
		return codeShot(c, in, before)
	}
	return in
}

// Message is a run of inputs, one for each tick, oldest first. On the wire it
// is
//
//	the width of the tick less 8, 4 bits
//	the tick of the newest input, its low bits
//	the number of inputs less 1, 7 bits
//	one bit: whether only important moves follow
//	the oldest input
//	then either for every other one a bit, set if it differs from the one before,
//	and if so the input (Fiedler, Deterministic Lockstep, 2014),
//	or for each input that differs from the one before: a set bit, its place in
//	the run, and the input; and a clear bit after the last
//
// Shots are in shots.go.
//
// An important move is an input that differs from the one before it (Fiedler,
// Zen of Networked Physics, 2004): both forms say the same.
type Message struct {
	TickBits      int // of the tick on the wire, in [MinTickBits, MaxTickBits]
	NewestTick    sim.Tick
	ImportantOnly bool // send only what differs
	Inputs        []sim.Input
}

// Code reads, writes or measures the message. When it reads, Newest must hold
// a tick near the true one, to complete its low bits from; what it reads may be
// anything, and c fails if it is no message.
func (m *Message) Code(c *quant.Coder) {
	c.Label("tick_bits")
	m.TickBits = c.Int(m.TickBits, MinTickBits, MaxTickBits)
	c.Label("tick")
	low := c.Bits(uint32(m.NewestTick)&(1<<m.TickBits-1), m.TickBits)
	c.Label("count")
	n := c.Int(len(m.Inputs), 1, MaxInputs)
	c.Label("important")
	m.ImportantOnly = c.Bool(m.ImportantOnly)
	if c.Err() != nil {
		return
	}
	if c.Reading() {
		m.NewestTick = UnwrapTick(low, m.TickBits, m.NewestTick)
		if int64(m.NewestTick) < int64(n)-1 {
			c.Fail(predict.ErrMalformed) // it would begin before the session
			return
		}
		m.Inputs = slices.Grow(m.Inputs[:0], MaxInputs)[:n]
		clear(m.Inputs)
	}
	if !m.ImportantOnly {
		CodeInputs(c, m.Inputs)
		return
	}
	c.Group("inputs", 0)
	m.Inputs[0] = codeInputAfter(c, m.Inputs[0], sim.Input{})
	if c.Reading() {
		m.readMoves(c)
	} else {
		m.writeMoves(c)
	}
}

// CodeInputs reads, writes or measures inputs that follow each other: the first on its
// own, and for each other one a bit that says whether it differs from the one
// before, and the input if it does. So one that does not costs one bit.
func CodeInputs(c *quant.Coder, list []sim.Input) {
	for i := range list {
		c.Group("inputs", i)
		if i == 0 {
			list[0] = codeInputAfter(c, list[0], sim.Input{})
			continue
		}
		c.Label("changed")
		if c.Bool(list[i] != list[i-1]) {
			if list[i] = codeInputAfter(c, list[i], list[i-1]); list[i] == list[i-1] {
				c.Fail(predict.ErrMalformed) // a bit would have said so
			}
		} else {
			list[i] = list[i-1]
		}
	}
}

// writeMoves writes the inputs that differ from those before them.
func (m *Message) writeMoves(c *quant.Coder) {
	for i := 1; i < len(m.Inputs); i++ {
		if m.Inputs[i] != m.Inputs[i-1] {
			c.Bool(true)
			c.Int(i, 1, len(m.Inputs)-1)
			codeInputAfter(c, m.Inputs[i], m.Inputs[i-1])
		}
	}
	c.Bool(false)
}

// readMoves reads what writeMoves wrote and fills in the inputs between. At
// most as many rounds are made as there are inputs, whatever is read.
func (m *Message) readMoves(c *quant.Coder) {
	at := 0 // of the last input read
	fill := func(end int) {
		for i := at + 1; i < end; i++ {
			m.Inputs[i] = m.Inputs[at]
		}
	}
	c.Group("changes", 0)
	c.Label("changed")
	for moves := 1; c.Bool(false); moves++ {
		if len(m.Inputs) == 1 {
			c.Fail(predict.ErrMalformed) // there is no second input that could differ
			return
		}
		c.Label("index")
		place := c.Int(0, 1, len(m.Inputs)-1)
		if c.Err() != nil || place <= at {
			c.Fail(predict.ErrMalformed)
			return
		}
		fill(place)
		m.Inputs[place] = codeInputAfter(c, sim.Input{}, m.Inputs[place-1])
		at = place
		c.Group("changes", moves)
		c.Label("changed")
	}
	fill(len(m.Inputs))
}

// Fields reads a payload and has see told of every field of it.
func Fields(payload []byte, see func(quant.Field)) error {
	var c quant.Coder
	c.OnField(see)
	c.BeginRead(payload)
	m := Message{NewestTick: 1 << MaxTickBits} // any tick will do
	m.Code(&c)
	if c.Err() == nil && !c.AtEnd(len(payload)) {
		return predict.ErrMalformed
	}
	return c.Err()
}

// FieldsOr looks into a payload of a strategy whose clients send inputs: what its
// server sends is read by down. An empty payload has no fields.
func FieldsOr(up bool, payload []byte, see func(quant.Field), down func() error) error {
	switch {
	case len(payload) == 0:
		return nil
	case up:
		return Fields(payload, see)
	}
	return down()
}

// UnwrapTick returns the tick nearest to guess whose lowest bits are low.
func UnwrapTick(low uint32, bits int, guess sim.Tick) sim.Tick {
	size := int64(1) << bits
	t := int64(guess)&^(size-1) | int64(low)
	switch away := t - int64(guess); {
	case away > size/2 && t >= size:
		t -= size
	case away < -size/2 && t+size <= int64(^sim.Tick(0)):
		t += size
	}
	return sim.Tick(t)
}
