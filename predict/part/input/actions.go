package input

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
)

const (
	actionBits    = 2          // of sim.ActionButtons
	firstAction   = buttonBits // index of the lowest one
	maxActionBits = 2*(1+headingBits) + actionBits + 1
)

// codeRareInput reads, writes or measures what follows the announcement of an action or a shot. A
// second announcement means an action:
//
//	use, couple: 1 bit each, not both clear
//	a bit that says whether the heading has changed, and if so the heading
//	a bit that says whether a shot follows
//
// Without the second announcement there is a shot and no action. Neither changes the encoding of
// inputs that have none.
func codeRareInput(c *quant.Coder, in, before sim.Input) sim.Input {
	actions := in.Buttons & sim.ActionButtons
	if actions != 0 { // not while reading
		c.Label("heading_changed")
		c.Bool(true)
		c.Label("heading")
		c.Bits(uint32(before.Heading), headingBits)
	} else {
		var announced bool
		if in.Heading, announced = codeHeading(c, in.Heading, before.Heading); !announced {
			return codeShot(c, in)
		}
	}
	c.Label("actions")
	if actions = sim.Buttons(c.Bits(uint32(actions>>firstAction), actionBits)) << firstAction; actions == 0 {
		c.Fail(predict.ErrMalformed)
	}
	in.Buttons = in.Buttons&sim.MoveButtons | actions
	var again bool
	if in.Heading, again = codeHeading(c, in.Heading, before.Heading); again {
		c.Fail(predict.ErrMalformed) // an equal heading is not marked as changed
	}
	c.Label("has_shot")
	if c.Bool(in.Shot.Fired) {
		return codeShot(c, in)
	}
	return in
}

// codeHeading reads, writes or measures a bit that says whether the heading has changed, and if so the
// heading. equal reports that a heading was read that is marked as changed and has not.
func codeHeading(c *quant.Coder, heading, before uint8) (next uint8, equal bool) {
	c.Label("heading_changed")
	if !c.Bool(heading != before) {
		return before, false
	}
	c.Label("heading")
	heading = uint8(c.Bits(uint32(heading), headingBits))
	return heading, heading == before
}
