package input

import (
	"ghostcube/net/quant"
	"ghostcube/sim"
)

// TickBits is the width of a tick on the wire by CodeTick. It wraps after 18 minutes at 60 Hz.
const TickBits = 16

// CodeTick reads, writes or measures the low TickBits bits of a tick. near is a tick near the true one.
func CodeTick(c *quant.Coder, t, near sim.Tick) sim.Tick {
	c.Label("tick")
	low := c.Bits(uint32(t)&(1<<TickBits-1), TickBits)
	if c.Reading() {
		return UnwrapTick(low, TickBits, near)
	}
	return t
}
