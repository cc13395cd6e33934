package statesync

import (
	"slices"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestInterestArea checks that without an area of interest bodies are sent as often far away as
// near; with one, near bodies more often, and far ones less often with the square of the distance;
// and beyond the cutoff never.
func TestInterestArea(t *testing.T) {
	experiment.Skip(t)
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

// TestInterestSpreads checks that bodies outside the radius take turns: of those at one distance equally many are due
// in every tick, and each is due once in its interval.
func TestInterestSpreads(t *testing.T) {
	const interval = 16 // at four times the radius
	w := predict.NewWorld(predicttest.Scene(t, "katamari:cubes=64"), 60)
	for i := 1; i < len(w.Bodies()); i++ {
		b := w.Bodies()[i]
		b.Pose.Pos = w.Bodies()[0].Pose.Pos.Add(geom.Vec3{X: 20.01})
		w.SetBody(i, b)
		w.TouchedBy()[i] = sim.NoPlayer
	}
	by, knobs, p := policy{}, &predict.Knobs{}, newSender(65, 60)
	by.declare(knobs)
	predicttest.SetKnobs(t, knobs, "interest-radius", "5", "reliable-rest", "off")
	for tick := range interval {
		w.SetTick(sim.Tick(1000 + tick))
		before := slices.Clone(p.bodies)
		p.accumulatePriorities(w, make([]bool, 65), &by, 0)
		due := 0
		for i := 1; i < 65; i++ {
			if p.bodies[i].priority > before[i].priority {
				due++
			}
		}
		if due != 64/interval {
			t.Errorf("tick %d: %d of 64 bodies are due, want %d", tick, due, 64/interval)
		}
	}
	for i := 1; i < 65; i++ {
		if n := p.bodies[i].priority; n != 1 {
			t.Errorf("in %d ticks body %d was due %d times", interval, i, n)
		}
	}
}
