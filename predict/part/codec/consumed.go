package codec

import (
	"ghostcube/net/quant"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// ConsumedHeader is the prefix of a snapshot that tells a client which of its inputs led to it. Its
// wire form is
//
//	input_source, 2 bits: input.Source; unless that is SourceNone:
//	client_tick, 16 low bits
//	waited_ticks, 6 bits
type ConsumedHeader struct {
	input.Consumed
	WaitedTicks int // of the newest input used; at most MaxWaitedTicks
}

// MaxWaitedTicks is the longest wait that fits the header.
const MaxWaitedTicks = 63

// clientTickBits is the width of the client's tick on the wire: it wraps after 18 minutes.
const clientTickBits = 16

// NewConsumedHeader returns the header for the last tick that took its input from a buffer. A longer
// wait than MaxWaitedTicks is sent as MaxWaitedTicks.
func NewConsumedHeader(b *input.PlayoutBuffer) ConsumedHeader {
	return ConsumedHeader{b.LastConsumed(), min(b.WaitedTicks(), MaxWaitedTicks)}
}

// Code reads or writes the header. near is a tick near the client tick, to complete its low bits.
func (h *ConsumedHeader) Code(c *quant.Coder, near sim.Tick) {
	c.Label("input_source")
	h.Source = input.Source(c.Int(int(h.Source), int(input.SourceNone), int(input.SourceRepeated)))
	if h.Source == input.SourceNone {
		return
	}
	c.Label("client_tick")
	h.ClientTick = input.UnwrapTick(c.Bits(uint32(h.ClientTick)&(1<<clientTickBits-1), clientTickBits), clientTickBits, near)
	c.Label("waited_ticks")
	h.WaitedTicks = c.Int(h.WaitedTicks, 0, MaxWaitedTicks)
}

// NamesInput reports whether the snapshot describes the client tick after ClientTick: the server did
// not repeat an older input.
func (h *ConsumedHeader) NamesInput() bool {
	return h.Source == input.SourceReceived || h.Source == input.SourceFilled
}

// FirstNeeded returns the first client tick whose input the server may still need.
func (h *ConsumedHeader) FirstNeeded() sim.Tick {
	if h.Source == input.SourceNone {
		return 0
	}
	return h.ClientTick + 1
}

// ConsumedFields reports the fields of a payload of a strategy whose server sends a ConsumedHeader
// before each snapshot. If more is not nil, it reads the fields between the two.
func ConsumedFields(up bool, payload []byte, scene *sim.Scene, see func(quant.Field), more func(*quant.Coder)) error {
	return input.FieldsOr(up, payload, see, func() error {
		return FieldsWithHeader(func(c *quant.Coder) {
			var h ConsumedHeader
			h.Code(c, 0)
			if more != nil {
				more(c)
			}
		}, payload, scene, see)
	})
}
