package statesync

import (
	"testing"

	"ghostcube/internal/experiment"
)

// TestInterestArea checks that without an area of interest bodies are sent as often far away as
// near; with one, near bodies more often, and far ones less often with the square of the distance;
// and beyond the cutoff never.
func TestInterestArea(t *testing.T) {
	t.Parallel()
	rates := func(knobs ...string) (near, mid, far float64) {
		r := newRig(t, "fleet:fields=6", "latency=30ms", append(knobs, "reliable-rest", "off")...)
		if experiment.Brief() {
			r.run(360)
		} else {
			r.run(600)
		}
		return r.Counter("updates_near_hz"), r.Counter("updates_mid_hz"), r.Counter("updates_far_hz")
	}
	if !experiment.Brief() {
		near, mid, far := rates()
		if mid < 0.5*near || far < 0.9*mid || far > 1.1*mid {
			t.Errorf("without an area: %.3g, %.3g, %.3g updates per second", near, mid, far)
		}
	}
	near, mid, far := rates("interest-radius", "20")
	if near < 3*mid || far > 0.7*mid || far == 0 {
		t.Errorf("with a radius: %.3g, %.3g, %.3g updates per second", near, mid, far)
	}
	near, mid, far = rates("interest-radius", "20", "interest-cutoff", "60")
	if near < 5*mid || far != 0 {
		t.Errorf("with a cutoff: %.3g, %.3g, %.3g updates per second", near, mid, far)
	}
}
