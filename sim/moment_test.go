package sim_test

import (
	"testing"
	"time"

	"ghostcube/sim"
)

// TestMoment checks the conversions of moments: milliseconds to ticks and back, the nearest tick,
// and moments before the first tick.
func TestMoment(t *testing.T) {
	for _, c := range []struct {
		length time.Duration
		rate   int
		want   sim.Moment
	}{
		{0, 60, 0},
		{time.Second, 60, 60 * sim.MomentsPerTick},
		{100 * time.Millisecond, 60, 6 * sim.MomentsPerTick},
		{25 * time.Millisecond, 60, sim.MomentsPerTick * 3 / 2},
		{-25 * time.Millisecond, 60, -sim.MomentsPerTick * 3 / 2},
		{time.Second, 64, 64 * sim.MomentsPerTick},
		{10 * time.Hour, 240, 10 * 3600 * 240 * sim.MomentsPerTick},
	} {
		if got := sim.MomentOf(c.length, c.rate); got != c.want {
			t.Errorf("%v at %d ticks per second: %d, want %d", c.length, c.rate, got, c.want)
		}
		ms := float64(c.length) / 1e6
		if got := sim.MomentOfMillis(ms, c.rate); got != c.want {
			t.Errorf("%v ms at %d ticks per second: %d, want %d", ms, c.rate, got, c.want)
		}
		if got := c.want.Ticks(); got != ms/1000*float64(c.rate) {
			t.Errorf("%d: %v ticks", c.want, got)
		}
		if got := c.want.Millis(c.rate); got != ms {
			t.Errorf("%d at %d ticks per second: %v ms, want %v", c.want, c.rate, got, ms)
		}
		if got := c.want.Seconds(c.rate); got != float32(ms/1000) {
			t.Errorf("%d at %d ticks per second: %v s, want %v", c.want, c.rate, got, ms/1000)
		}
	}
	for _, c := range []struct {
		m             sim.Moment
		tick, nearest sim.Tick
	}{
		{0, 0, 0},
		{sim.Tick(7).Moment(), 7, 7},
		{sim.Tick(7).Moment() + sim.MomentsPerTick/2 - 1, 7, 7},
		{sim.Tick(7).Moment() + sim.MomentsPerTick/2, 7, 8},
		{sim.Tick(7).Moment() + sim.MomentsPerTick/16, 7, 7},
		{sim.Tick(8).Moment() - sim.MomentsPerTick/16, 7, 8},
		{sim.Tick(8).Moment() - 1, 7, 8},
		{-1, 0, 0},
		{-sim.MomentsPerTick / 4, 0, 0},
		{-9 * sim.MomentsPerTick, 0, 0},
	} {
		if off := c.m - c.m.Round(); off < -sim.MomentsPerTick/2 || off >= sim.MomentsPerTick/2 || c.m.Round()%sim.MomentsPerTick != 0 {
			t.Errorf("%d is rounded to %d", c.m, c.m.Round())
		}
		if c.m.Tick() != c.tick || c.m.NearestTick() != c.nearest {
			t.Errorf("%d: tick %d, nearest %d, want %d and %d", c.m, c.m.Tick(), c.m.NearestTick(), c.tick, c.nearest)
		}
	}
}
