package playout

import (
	"testing"

	"ghostcube/sim"
)

// TestSlew checks the speed at which a schedule follows a drift, and that it ends at the drift:
// up to 25 ms at 1/200 of the elapsed time, more at a quarter of it, and more than a second at
// once. In the last two cases the clock is set back instead of the schedule.
func TestSlew(t *testing.T) {
	const rate = 60
	for _, c := range []struct {
		drift         sim.Moment
		min, max      int        // ticks until the drift is compensated
		slowest, slow sim.Moment // of it, by which the schedule moves
	}{
		{0, 0, 0, 0, 0},
		{tick, 200, 201, tick, tick},
		{-tick, 200, 201, tick, tick},
		{tick * 3 / 2, 300, 301, tick * 3 / 2, tick * 3 / 2},
		{tick * 11 / 2, 310, 320, tick * 3 / 2, tick * 2}, // four ticks in 16
		{-60 * tick, 520, 540, tick * 3 / 2, tick * 3},    // 58 ticks in 234
		{61 * tick, 1, 1, 0, 0},
		{-61 * tick, 1, 1, 0, 0},
	} {
		var s Slew
		left, ticks := c.drift, 0
		for ; left != s.Offset() && ticks < 1000; ticks++ {
			back, jump := s.Follow(left, rate)
			if left -= back; jump != (c.max == 1) || !jump && max(back, -back) > tick/4 {
				t.Fatalf("a drift of %d: set back by %d, %v", c.drift, back, jump)
			}
		}
		moved := max(s.Offset(), -s.Offset())
		if ticks < c.min || ticks > c.max || moved < c.slowest || moved > c.slow {
			t.Errorf("a drift of %d is made up for after %d ticks, and the schedule is at %d", c.drift, ticks, s.Offset())
		}
	}
}
