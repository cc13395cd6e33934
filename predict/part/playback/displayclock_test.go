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
