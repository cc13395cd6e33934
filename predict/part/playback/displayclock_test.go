package playback

import (
	"testing"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/scene"
)

// TestAdvanceUntil checks when a display moment that has nothing to draw beyond an end waits: not without an outage,
// though its buffer has no room to slow down in; not after its delay has grown; and not in an outage that it skips.
func TestAdvanceUntil(t *testing.T) {
	var c DisplayClock
	server, end := sim.Tick(1000), sim.Moment(0)
	run := func(ticks int, arrives bool, delay sim.Moment) (waited int) {
		for range ticks {
			c.BeginTick()
			if server++; arrives {
				c.Receive(server, 0, rate)
				end = server.Moment()
			}
			if c.AdvanceUntil(end, delay*sim.MomentsPerTick, 120, rate); c.Waited() {
				waited++
			}
		}
		return waited
	}
	if n := run(60, true, 0); n > 0 {
		t.Errorf("without a buffer it waits in %d ticks", n)
	}
	if n := run(60, true, 4) + run(60, true, 8); n > 0 {
		t.Errorf("as its delay grows it waits in %d ticks", n)
	}
	if n := run(60, false, 8); n < 40 {
		t.Errorf("in an outage of a second it waits in %d ticks", n)
	}
	run(90, false, 8)
	if n := run(60, false, 8); n > 0 {
		t.Errorf("in an outage that it skips it waits in %d ticks", n)
	}
}

// TestDisplayStartsAtDownloadedWorld checks that a client that has joined expects snapshots near the tick of its world.
func TestDisplayStartsAtDownloadedWorld(t *testing.T) {
	sc, err := scene.Named("plain")
	if err != nil {
		t.Fatal(err)
	}
	w := predict.NewWorld(sc, rate)
	w.SetTick(5000)
	var c DisplayClock
	if c.Start(&predict.Env{World: w, Joined: true}); c.ExpectedTick() != 5000 {
		t.Errorf("it expects tick %d after the world of tick 5000", c.ExpectedTick())
	}
}

// TestCatchUpHasNoJerk checks that after an outage of a second the drawn moment catches up without a jump: it never gets
// faster by more than a quarter of a tick in one, and it is not behind any more after ten seconds.
func TestCatchUpHasNoJerk(t *testing.T) {
	const delay = 8 * sim.MomentsPerTick
	var c DisplayClock
	var end, before sim.Moment
	for tick := range sim.Tick(800) {
		c.BeginTick()
		if server := 1000 + tick; tick < 100 || tick >= 160 {
			c.Receive(server, 0, rate)
			end = server.Moment()
		}
		was := c.DisplayMoment()
		c.AdvanceUntil(end, delay, 120, rate)
		step := c.DisplayMoment() - was
		if tick > 1 && step > before+sim.MomentsPerTick/4 {
			t.Fatalf("tick %d: a step of %.2f ticks after one of %.2f", tick, float64(step)/sim.MomentsPerTick, float64(before)/sim.MomentsPerTick)
		}
		before = step
	}
	if c.Waited() {
		t.Error("it is still behind")
	}
}

// TestLongerPathSkipsNothing checks that a display moment that waits for an outage stays where it is, and catches up evenly,
// if a late packet makes the client believe that its path has become longer: states that have not arrived are not skipped.
func TestLongerPathSkipsNothing(t *testing.T) {
	const delay = 4 * sim.MomentsPerTick
	for _, until := range []sim.Tick{140, 200} { // the late packet is the last one of the outage, or playback catches up
		var c DisplayClock
		var end sim.Moment
		most, jumps := sim.Moment(0), 0
		for tick := range sim.Tick(240) {
			c.BeginTick()
			if server := 1000 + tick; tick < 100 || tick > 150 && tick < until-22 || tick > until {
				c.Receive(server, 0, rate)
				end = server.Moment()
			} else if tick == until {
				c.Receive(server-40, 0, rate)
			}
			before := c.DisplayMoment()
			if c.AdvanceUntil(end, delay, 120, rate) && tick > 0 {
				jumps++
			}
			if tick > 0 {
				most = max(most, c.DisplayMoment()-before)
			}
		}
		if most > 3*sim.MomentsPerTick/2 || jumps > 0 {
			t.Errorf("late packet at %d: a step of %.2f ticks, %d jumps", until, most.Ticks(), jumps)
		}
	}
}
