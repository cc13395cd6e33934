package codec

import (
	"testing"

	"ghostcube/net/quant"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// TestConsumedHeader checks that a header is read as it was written, also after the client tick has
// wrapped, and which input it needs next.
func TestConsumedHeader(t *testing.T) {
	for h, next := range map[ConsumedHeader]sim.Tick{
		{}: 0,
		{input.Consumed{Source: input.SourceReceived, ClientTick: 5}, 4}:                   6,
		{input.Consumed{Source: input.SourceFilled, ClientTick: 65535}, 0}:                 65536,
		{input.Consumed{Source: input.SourceRepeated, ClientTick: 200000}, MaxWaitedTicks}: 200001,
	} {
		if h.FirstNeeded() != next {
			t.Errorf("%+v needs tick %d, want %d", h, h.FirstNeeded(), next)
		}
		written, client := h, h.ClientTick
		var c quant.Coder
		c.BeginWrite(make([]byte, 8))
		h.Code(&c, 0)
		var got ConsumedHeader
		c.BeginRead(c.FinishWrite())
		if got.Code(&c, client+100); got != written || c.Err() != nil {
			t.Errorf("%+v is read as %+v: %v", written, got, c.Err())
		}
	}
}
