package animated

import (
	"testing"

	"ghostcube/predict/predicttest"
	"ghostcube/sim"
)

// TestPlayout checks that the server uses an input as many ticks after its arrival as the knob
// says, at once with 0, and the knob may be changed while inputs wait.
func TestPlayout(t *testing.T) {
	r := newRig(t, "perfect")
	s := r.Server.(*server)
	tick := func(b sim.Buttons) sim.Buttons {
		r.Run(1, predicttest.Press(b))
		return s.Inputs[0].Buttons
	}
	for _, length := range []string{"0", "4", "0", "7", "0"} {
		r.SetKnob("playout", length)
		for range 100 { // until the buffer has its new length
			tick(0)
		}
		late := 0
		for tick(sim.Right) != sim.Right && late < 60 {
			late++
		}
		if want := int(length[0] - '0'); late != want {
			t.Errorf("playout=%s: used %d ticks later", length, late)
		}
	}
}
