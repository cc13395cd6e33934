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
