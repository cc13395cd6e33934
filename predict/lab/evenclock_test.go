package lab_test

import (
	"testing"

	"ghostcube/internal/experiment"

	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
)

// TestDrawnTimeIsEven checks that the picture moves evenly although the client's clock is 5000 ppm wrong,
// or its packets jitter, and it is steered: once it has settled, from one frame to the next the server's
// moment that it shows advances by a tick and no more than a thirtieth of one beside it. Whole ticks would
// be none or two. The clock is wrong in all cases, so the test cannot pass because nothing happens. In
// historyoffset and relative the moment also depends on the inputs that the server skips.
func TestDrawnTimeIsEven(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	const limit = sim.MomentsPerTick / 30
	for _, c := range []struct{ network, skew string }{
		{"latency=75ms", "5000"}, {"latency=75ms", "-5000"}, {"latency=75ms,jitter=20ms", "5000"},
	} {
		for _, spec := range []string{"rewind", "lockstep", "snapshot", "statesync", "animated"} {
			l := labtest.Open(t, labtest.Config(t, "plain", c.network, AtClient), spec)
			labtest.Apply(t, l, "clock all skew "+c.skew)
			tape := builtInTape(t, "circle")
			last, most, between := sim.Moment(0), sim.Moment(0), 0
			for i := range 1500 {
				labtest.Tick(t, l, Entry{Inputs: tape.Entries[i%len(tape.Entries)].Inputs})
				m := l.Panes[0].Clients[0].View.MomentOf(0)
				if off := m - last - sim.MomentsPerTick; i >= 300 {
					most = max(most, off, -off)
				}
				if m != m.Tick().Moment() {
					between++
				}
				last = m
			}
			t.Logf("%s, skew %s, %s: at most %.3f of a tick", c.network, c.skew, spec, most.Ticks())
			if most > limit || between < 1000 {
				t.Errorf("%s, skew %s, %s: %.3f of a tick beside one, drawn between two ticks in %d frames", c.network, c.skew, spec, most.Ticks(), between)
			}
		}
	}
}

// TestForkDrawsBetweenTicks checks that a fork draws on from the tick before its newest: the frames of a
// program with 25 of them a second and a wrong clock stay between two ticks until the next one.
func TestForkDrawsBetweenTicks(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	l := labtest.Open(t, labtest.Config(t, "plain", "latency=75ms", AtClient), "rewind", "snapshot")
	labtest.Apply(t, l, "clock all skew 5000", "clock all fps 25")
	tape := builtInTape(t, "circle")
	for i := range 300 {
		e := Entry{Inputs: tape.Entries[i%len(tape.Entries)].Inputs}
		f := l.Fork()
		labtest.Tick(t, l, e)
		if labtest.Tick(t, f, e); f.Hash() != l.Hash() {
			t.Fatalf("at tick %d the fork draws something else", i)
		}
	}
}
