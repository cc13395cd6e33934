package input

import (
	"math/rand/v2"
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
	if a, b := relayLength(turning, maxRelayBits), relayLength(steady, maxRelayBits); a != 4 || b != maxRelayed {
		t.Errorf("%d turning and %d steady inputs fit", a, b)
	}
	var want, got Relayed
	for p, run := range [][]sim.Input{steady, nil, turning[:relayLength(turning, maxRelayBits)], steady[:1]} {
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

// TestRelayedRunsFit checks that no run takes more bits than its limit, nor all runs more than MaxRelayedBits each, when
// players change headings and buttons and use actions in every tick.
func TestRelayedRunsFit(t *testing.T) {
	chance := rand.New(rand.NewPCG(3, 8))
	run := make([]sim.Input, maxRelayed)
	var all Relayed
	var c quant.Coder
	for range 300 {
		for p := range sim.MaxPlayers {
			for i := range run {
				run[i] = sim.Input{Buttons: sim.Buttons(chance.Uint32()) & (sim.MoveButtons | sim.ActionButtons), Heading: uint8(chance.IntN(3))}
			}
			n := relayLength(run, maxPastBits)
			c.BeginMeasure()
			if CodeInputs(&c, run[:n]); c.BitsProcessed() > maxPastBits {
				t.Fatalf("%d inputs take %d bits: %+v", n, c.BitsProcessed(), run[:n])
			}
			all.counts[p] = copy(all.inputs[p][:], run[:n])
		}
		c.BeginMeasure()
		if all.Code(&c, sim.MaxPlayers); c.BitsProcessed() > sim.MaxPlayers*MaxRelayedBits {
			t.Fatalf("the runs of all players take %d bits", c.BitsProcessed())
		}
	}
}

// TestPastRuns checks that the inputs of earlier ticks precede those that wait, for as many ticks as fit beside them, that
// the receiver knows how many, and that shots are dropped.
func TestPastRuns(t *testing.T) {
	for _, c := range []struct{ receiver, ticks, period, want int }{
		{1, 10, 7, 10}, {-1, 10, 7, 10}, {1, 100, 7, 61}, {1, 100, 2, 31}, {1, 0, 1, 0},
	} {
		var past [][sim.MaxPlayers]sim.Input
		for i := range c.ticks {
			in := sim.Input{Buttons: sim.Buttons(1 << (i / c.period % 4)), Shot: sim.Shot{Fired: true}}
			past = append(past, [sim.MaxPlayers]sim.Input{0: in, 2: in})
		}
		var r, got Relayed
		waiting := []sim.Input{{Buttons: sim.Lift}, {Buttons: sim.Lift}, {Buttons: sim.Left}}
		r.counts[2] = copy(r.inputs[2][:], waiting)
		r.Prepend(c.receiver, 3, past)
		var coder quant.Coder
		coder.BeginWrite(make([]byte, 128))
		r.Code(&coder, 3)
		coder.BeginRead(coder.FinishWrite())
		if got.Code(&coder, 3); coder.Err() != nil || got.Past(c.receiver) != c.want {
			t.Errorf("%+v: %d ticks, error %v", c, got.Past(c.receiver), coder.Err())
			continue
		}
		run := got.Of(2)
		if len(run) != c.want+3 || !slices.Equal(run[c.want:], waiting) {
			t.Fatalf("%+v: %d inputs, %v", c, len(run), run)
		}
		for i, of := range past[c.ticks-c.want:] {
			if want := (sim.Input{Buttons: of[2].Buttons}); run[i] != want || got.Of(0)[i] != want {
				t.Errorf("%+v: input %d is %v and %v, want %v", c, i, run[i], got.Of(0)[i], want)
			}
		}
	}
}
