package input

import (
	"slices"
	"testing"

	"ghostcube/net/quant"
	"ghostcube/sim"
)

// TestRelayedRuns checks that runs of inputs are read as they were written, that a run is cut where it
// would not fit the header, and that shots are rejected.
func TestRelayedRuns(t *testing.T) {
	var turning, steady []sim.Input
	for i := range maxRelayed {
		turning = append(turning, sim.Input{Buttons: sim.Left, Heading: uint8(i + 1)})
		steady = append(steady, sim.Input{Buttons: sim.Right})
	}
	if a, b := relayLength(turning), relayLength(steady); a != 4 || b != maxRelayed {
		t.Errorf("%d turning and %d steady inputs fit", a, b)
	}
	var want, got Relayed
	for p, run := range [][]sim.Input{steady, nil, turning[:relayLength(turning)], steady[:1]} {
		want.counts[p] = copy(want.inputs[p][:], run)
	}
	var c quant.Coder
	c.BeginWrite(make([]byte, 64))
	want.Code(&c, sim.MaxPlayers)
	if c.Err() != nil || c.BitsProcessed() > 309 {
		t.Errorf("%d bits, error %v", c.BitsProcessed(), c.Err())
	}
	c.BeginRead(c.FinishWrite())
	got.counts[1] = 9 // of the packet before
	if got.Code(&c, sim.MaxPlayers); c.Err() != nil || got.counts != want.counts {
		t.Fatalf("%v, want %v: %v", got.counts, want.counts, c.Err())
	}
	for p, n := range want.counts {
		if !slices.Equal(got.inputs[p][:n], want.inputs[p][:n]) {
			t.Errorf("player %d: %v, want %v", p, got.inputs[p][:n], want.inputs[p][:n])
		}
	}
	want.inputs[0][0].Shot.Fired = true
	c.BeginWrite(make([]byte, 64))
	want.Code(&c, 1)
	c.BeginRead(c.FinishWrite())
	if got.Code(&c, 1); c.Err() == nil {
		t.Error("a relayed shot is accepted")
	}
}
