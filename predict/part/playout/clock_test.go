package playout

import (
	"math"
	"testing"

	"ghostcube/sim"
)

// TestClock checks what a clock expects: the tick that it was started with, from there on
// by own time, and as it is moved.
func TestClock(t *testing.T) {
	var c Clock
	if c.Running() {
		t.Error("a clock runs before it is started")
	}
	c.Start(100, 7*tick)
	if late := c.Lateness(100, 7*tick); !c.Running() || late != 0 {
		t.Errorf("the first packet is %d late", late)
	}
	if late := c.Lateness(103, 12*tick+5); late != 2*tick+5 {
		t.Errorf("two ticks late and a little: %d", late)
	}
	c.Move(-2 * tick)
	if m := c.Expected(12 * tick); m != 103*tick {
		t.Errorf("set back by two ticks, it expects %d", m)
	}
}

// TestClockFollowsMean checks that a clock that follows the mean does so at once at first
// and after the receiver has stood still, within about a second when the path becomes
// longer or shorter, and by the mean where it varies.
func TestClockFollowsMean(t *testing.T) {
	const rate = 60
	var c Clock
	server, now := 1000, sim.Moment(0)
	run := func(ticks int, transit func(i int) int) (behind float64) {
		for i := range ticks {
			server++
			now += tick
			c.FollowMean(sim.Tick(server-transit(i)), now, rate*tick)
		}
		return float64(server) - float64(c.Expected(now))/sim.MomentsPerTick
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 0.1 {
			t.Errorf("%s: %.2f ticks behind, want %v", what, got, want)
		}
	}
	near("at first", run(1, func(int) int { return 10 }), 10)
	near("for a while", run(200, func(int) int { return 10 }), 10)
	if got := run(60, func(int) int { return 16 }); got < 13 || got > 15 {
		t.Errorf("a second after the path became longer: %.2f", got)
	}
	near("then", run(240, func(int) int { return 16 }), 16)
	near("shorter", run(300, func(int) int { return 6 }), 6)
	near("jitter", run(600, func(i int) int { return 6 + i%2*4 }), 8)
	server += 120 // the receiver stood still for two seconds
	near("after a stop", run(1, func(int) int { return 6 }), 6)
	server += rate // a second is not too much for the mean, and a tick more is
	near("after a short stop", run(1, func(int) int { return 6 }), 6+rate-1)
	server += rate + 1
	near("after a longer one", run(1, func(int) int { return 6 + rate - 1 }), 6+rate-1)
}

// TestClockFollowsAnything checks that ticks from the network, whatever they are, do not
// overflow the mean: at most a span later the clock expects what arrives.
func TestClockFollowsAnything(t *testing.T) {
	for _, late := range []sim.Tick{1 << 31, 1<<32 - 1 - 100} {
		var c Clock
		c.FollowMean(late+100, tick, 60*tick)
		c.FollowMean(100, 61*tick, 60*tick)
		if got := c.Expected(61 * tick); got != 100*tick {
			t.Errorf("%d ticks late: it expects %d", late, got)
		}
	}
}
