// Package input carries the players' inputs from the clients to the server. A client sends its recent
// inputs in every packet, so that a lost packet costs nothing. At the server a queue returns each
// input in its tick (Queue), or a playout buffer delays all of them evenly (PlayoutBuffer).
package input

import (
	"slices"

	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
)

const (
	buttonBits  = 6 // of sim.MoveButtons
	headingBits = 8

	// MaxInputs is the largest number of inputs in a message.
	MaxInputs = 128
	// MinTickBits and MaxTickBits bound the width of the tick on the wire.
	MinTickBits, MaxTickBits = 8, 23
)

// MaxInputBits is the largest size of an input coded on its own, and MaxShotInputBits of one with a
// shot.
const (
	MaxInputBits     = buttonBits + 1 + headingBits + maxActionBits
	MaxShotInputBits = MaxInputBits + maxShotBits
)

// CodeInput reads, writes or measures an input on its own, without its shot: six buttons, one bit
// that says whether the heading is not zero, and if so the heading. An input with an action takes
// more (actions.go).
func CodeInput(c *quant.Coder, in sim.Input) sim.Input {
	in.Shot = sim.Shot{}
	if in = codeInputAfter(c, in, sim.Input{}); in.Shot.Fired {
		c.Fail(predict.ErrMalformed)
	}
	return in
}

// codeInputAfter reads, writes or measures an input that follows another one. The heading takes eight
// bits only if it has changed. A heading that is marked as changed but equals the last one announces
// an action or a shot, and codeRareInput continues.
func codeInputAfter(c *quant.Coder, in, before sim.Input) sim.Input {
	if c.Reading() {
		in = sim.Input{Heading: in.Heading} // in may hold an older input
	}
	actions := in.Buttons & sim.ActionButtons
	c.Label("buttons")
	in.Buttons = actions | sim.Buttons(c.Bits(uint32(in.Buttons&sim.MoveButtons), buttonBits))
	if in.Shot.Fired || actions != 0 {
		c.Label("heading_changed")
		c.Bool(true)
		c.Label("heading")
		c.Bits(uint32(before.Heading), headingBits)
		return codeRareInput(c, in, before)
	}
	c.Label("heading_changed")
	if !c.Bool(in.Heading != before.Heading) {
		in.Heading = before.Heading
		return in
	}
	c.Label("heading")
	if in.Heading = uint8(c.Bits(uint32(in.Heading), headingBits)); in.Heading == before.Heading {
		return codeRareInput(c, in, before)
	}
	return in
}

// Message is a run of inputs of consecutive ticks, oldest first. On the wire it is
//
//	width of the tick less 8, 4 bits
//	tick of the newest input, low bits
//	number of inputs less 1, 7 bits
//	one bit: important moves only
//	the oldest input
//	then either for each other input a bit that is set if it differs from the one before,
//	and if so the input (Fiedler, Deterministic Lockstep, 2014),
//	or for each input that differs from the one before: a set bit, its index in the run,
//	and the input; and a clear bit at the end
//
// An important move is an input that differs from the one before it (Fiedler, Zen of Networked
// Physics, 2004). Both forms contain the same inputs. Shots are described in shots.go.
type Message struct {
	TickBits      int // width of the tick on the wire, in [MinTickBits, MaxTickBits]
	NewestTick    sim.Tick
	ImportantOnly bool // only inputs that differ
	Inputs        []sim.Input
}

// Code reads, writes or measures the message. Before reading, NewestTick must be near the true one,
// because only its low bits are on the wire. The bytes may be anything: c fails if they are
// malformed.
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
			c.Fail(predict.ErrMalformed) // the run begins before the session
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

// CodeInputs reads, writes or measures inputs of consecutive ticks: the first on its own, and for each
// other one a bit that is set if it differs from the one before, and if so the input.
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
				c.Fail(predict.ErrMalformed) // an equal input is not marked as changed
			}
		} else {
			list[i] = list[i-1]
		}
	}
}

// writeMoves writes the inputs that differ from the ones before them.
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

// readMoves reads what writeMoves writes and fills in the inputs between. It reads no more moves than
// there are inputs.
func (m *Message) readMoves(c *quant.Coder) {
	last := 0 // index of the last input read
	fill := func(end int) {
		for i := last + 1; i < end; i++ {
			m.Inputs[i] = m.Inputs[last]
		}
	}
	c.Group("changes", 0)
	c.Label("changed")
	for moves := 1; c.Bool(false); moves++ {
		if len(m.Inputs) == 1 {
			c.Fail(predict.ErrMalformed) // no second input
			return
		}
		c.Label("index")
		index := c.Int(0, 1, len(m.Inputs)-1)
		if c.Err() != nil || index <= last {
			c.Fail(predict.ErrMalformed)
			return
		}
		fill(index)
		m.Inputs[index] = codeInputAfter(c, sim.Input{}, m.Inputs[index-1])
		last = index
		c.Group("changes", moves)
		c.Label("changed")
	}
	fill(len(m.Inputs))
}

// Fields reports the fields of a payload to see.
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

// FieldsOr reports the fields of a payload of a strategy whose clients send inputs. down reports those
// of the server's payloads. An empty payload has no fields.
func FieldsOr(up bool, payload []byte, see func(quant.Field), down func() error) error {
	switch {
	case len(payload) == 0:
		return nil
	case up:
		return Fields(payload, see)
	}
	return down()
}

// UnwrapTick returns the tick nearest to near whose low bits are low.
func UnwrapTick(low uint32, bits int, near sim.Tick) sim.Tick {
	size := int64(1) << bits
	t := int64(near)&^(size-1) | int64(low)
	switch distance := t - int64(near); {
	case distance > size/2 && t >= size:
		t -= size
	case distance < -size/2 && t+size <= int64(^sim.Tick(0)):
		t += size
	}
	return sim.Tick(t)
}
