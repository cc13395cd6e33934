package statesync

import (
	"testing"
	"time"

	"ghostcube/sim"
)

// TestClockRestart says that a client whose packets suddenly come two thirds of a
// second sooner, which is farther from its clock than it follows, starts its clock
// anew soon after the last of the old ones, also where packets are rare; and that
// what it could not use until then is a base all the same, since the server knows
// that it has come. Likewise where they come later.
func TestClockRestart(t *testing.T) {
	for _, knobs := range [][]string{{"budget", "16"}, {"compression", "delta"}, {"compression", "delta", "budget", "48"}} {
		r := newRig(t, "zen", "latency=700ms", append(knobs, "congestion", "off")...)
		r.run(600)
		r.network.Down.Latency, r.network.Up.Latency = 0, 0
		r.run(42 + 60)
		if age := int(r.env[1].World.Tick()) - int(r.env[0].World.Tick()); age > 12 {
			t.Errorf("%v: the client is %d ticks behind", knobs, age)
		}
		lost := r.counter("missing_baselines")
		r.run(120)
		if n := r.counter("missing_baselines") - lost; n > 0 {
			t.Errorf("%v: %v updates could not be used", knobs, n)
		}
		r.network.Down.Latency = 1300 * time.Millisecond // farther behind than it goes back
		r.run(78 + 60 + 180)
		if n := r.counter("missing_baselines") - lost; n > 0 {
			t.Errorf("%v: when packets come later, %v updates could not be used", knobs, n)
		}
		r.input = func(int) sim.Input { return sim.Input{} }
		r.run(600)
		if n := r.misplacedBodies(); n > 0 {
			t.Errorf("%v: %d bodies rest elsewhere", knobs, n)
		}
	}
}
