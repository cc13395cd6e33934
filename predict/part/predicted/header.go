// Package predicted is what Space Engineers calls Predicted mode (a talk at GDC): one
// body, the player's, is stepped alone and at once, remembered by tick, and shifted by
// what the server says of the past; all others are shown late. The strategies that do
// so differ in what they predict relative to, and in what is said of the others. They
// declare their knobs and share the rest.
package predicted

import (
	"ghostcube/net/quant"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/frame"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// header is what the server puts before each client's snapshot. On the wire it is
//
//	how the tick was made, 2 bits: inputs.How
//	client_tick, 16 low bits, and
//	for how many ticks its input had waited, 6 bits, unless none has been used yet
type header struct {
	input.Consumed
	waitedTicks int // at most mostWaited
}

// maxWaitedTicks is the longest that is told.
const maxWaitedTicks = 63

// clientTickBits is the width of the frame on the wire: it wraps after 18 minutes.
const clientTickBits = 16

// code reads or writes the head. guess is a tick near the frame's.
func (h *header) code(c *quant.Coder, guess sim.Tick) {
	c.Label("input_source")
	h.Source = input.Source(c.Int(int(h.Source), int(input.SourceNone), int(input.SourceRepeated)))
	if h.Source == input.SourceNone {
		return
	}
	c.Label("client_tick")
	h.ClientTick = input.UnwrapTick(c.Bits(uint32(h.ClientTick)&(1<<clientTickBits-1), clientTickBits), clientTickBits, guess)
	c.Label("waited_ticks")
	h.waitedTicks = c.Int(h.waitedTicks, 0, maxWaitedTicks)
}

// Fields looks into a payload.
func Fields(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	return fields(up, payload, scene, see, func(*quant.Coder) {})
}

// RelativeFields looks into one of a server that tells of parents.
func RelativeFields(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	return fields(up, payload, scene, see, func(c *quant.Coder) {
		var told parentState
		g := parentGrid(scene)
		told.code(c, len(frame.Candidates(scene)), &g)
	})
}

func fields(up bool, payload []byte, scene *sim.Scene, see func(quant.Field), more func(*quant.Coder)) error {
	return input.FieldsOr(up, payload, see, func() error {
		return codec.FieldsWithHeader(func(c *quant.Coder) {
			var h header
			h.code(c, 0)
			more(c)
		}, payload, scene, see)
	})
}
