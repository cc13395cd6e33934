package predict

import (
	"testing"

	"ghostcube/sim"
)

// TestNearestSubtick checks the nearest tick and subtick of a moment, also before the first tick.
func TestNearestSubtick(t *testing.T) {
	for _, c := range []struct {
		m     sim.Moment
		tick  sim.Tick
		later int
	}{
		{0, 0, 0},
		{sim.Tick(7).Moment(), 7, 0},
		{sim.Tick(7).Moment() + sim.MomentsPerTick/2 - 1, 7, 8},
		{sim.Tick(7).Moment() + sim.MomentsPerTick/2, 8, -8},
		{sim.Tick(7).Moment() + sim.MomentsPerTick/16, 7, 1},
		{sim.Tick(8).Moment() - sim.MomentsPerTick/16, 8, -1},
		{sim.Tick(8).Moment() - 1, 8, 0},
		{-1, 0, 0},
		{-sim.MomentsPerTick / 4, 0, -4},
		{-9 * sim.MomentsPerTick, 0, -8},
	} {
		if tick, later := NearestSubtick(c.m); tick != c.tick || later != c.later {
			t.Errorf("%d: tick %d and %d/16, want %d and %d/16", c.m, tick, later, c.tick, c.later)
		}
	}
}

// TestQuantities checks that a quantity is the sum of its counters, and unknown without any.
func TestQuantities(t *testing.T) {
	var m Counters
	if _, ok := m.Sum(LateInputs); ok {
		t.Error("a quantity without a counter is known")
	}
	m.New("late_inputs", "").Of(LateInputs).Add(2)
	m.New("packets", "").Add(9)
	m.New("missing_inputs", "").Of(LateInputs).Add(3)
	if sum, ok := m.Sum(LateInputs); sum != 5 || !ok || m.Total(Stalls) != 0 {
		t.Errorf("%v late inputs, known %v; %v stalls", sum, ok, m.Total(Stalls))
	}
}
