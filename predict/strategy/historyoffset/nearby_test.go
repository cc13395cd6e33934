package historyoffset

import (
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestTouchedBodiesAreSimulated checks that the pucks that the player hits, and those behind them, move
// in the client's world at once, a quarter of a second before the interpolation does; and that in the
// end all are kinematic at the server's poses, without a jump on the way back.
func TestTouchedBodiesAreSimulated(t *testing.T) {
	r := newRig(t, "billiards", "latency=100ms", "remote-bodies", "dynamic")
	ahead := func(tick int) sim.Input {
		if tick >= 100 && tick < 150 {
			return sim.Input{Buttons: sim.Forward}
		}
		return sim.Input{}
	}
	start := append([]sim.Body(nil), r.env[0].World.Bodies()...)
	simulatedTick, interpolatedTick, maxCount := 0, 0, 0 // the ticks are of the first motion
	last := make([]geom.Vec3, len(start))
	for r.tick < 600 {
		for i := range start {
			last[i] = r.env[0].World.Bodies()[i].Pose.Pos
		}
		r.run(1, ahead)
		maxCount = max(maxCount, r.c.world.Nearby.Count())
		for i := 1; i < len(start); i++ {
			at := r.env[0].World.Bodies()[i].Pose.Pos
			if simulatedTick == 0 && at.Sub(start[i].Pose.Pos).Len() > 0.02 {
				simulatedTick = r.tick
			}
			if interpolatedTick == 0 && r.c.world.Interpolated.Pose(i).Pos.Sub(start[i].Pose.Pos).Len() > 0.02 {
				interpolatedTick = r.tick
			}
			if d := at.Sub(last[i]).Len(); d > 0.35 {
				t.Errorf("tick %d: puck %d jumps by %v m", r.tick, i, d)
			}
			if r.c.world.Nearby.Simulated(i) == r.env[0].World.IsKinematic(i) {
				t.Fatalf("tick %d: puck %d is simulated and kinematic, or neither", r.tick, i)
			}
		}
	}
	if simulatedTick == 0 || interpolatedTick-simulatedTick < 15 {
		t.Errorf("the first puck moves in tick %d, its interpolation in tick %d", simulatedTick, interpolatedTick)
	}
	if maxCount < 10 || r.counter("simulation_starts") < 10 {
		t.Errorf("at most %d pucks were simulated", maxCount)
	}
	r.run(900, noInput)
	if r.c.world.Nearby.Count() != 0 || r.counter("simulated_bodies") != 0 {
		t.Errorf("%d are simulated in the end", r.c.world.Nearby.Count())
	}
	for i := range start {
		if d := r.env[0].World.Bodies()[i].Pose.Pos.Sub(r.env[1].World.Bodies()[i].Pose.Pos).Len(); d > 1e-3 {
			t.Errorf("in the end body %d is %v m away from the server's", i, d)
		}
	}
}

// TestSimulatedBodyStartsWithItsVelocity checks that a puck that approaches the player starts its
// simulation with its interpolated pose and velocity.
func TestSimulatedBodyStartsWithItsVelocity(t *testing.T) {
	r := newRig(t, "billiards", "latency=100ms", "remote-bodies", "dynamic")
	r.run(100, noInput)
	const puck = 1 // the foremost
	b := r.env[1].World.Bodies()[puck]
	b.Linear.Y, b.Asleep = -5, false
	r.env[1].World.SetBody(puck, b)
	tap := func(int) sim.Input { return sim.Input{Buttons: sim.Forward} }
	for range 120 {
		at := r.env[0].World.Bodies()[puck].Pose.Pos
		r.run(1, tap)
		if !r.c.world.Nearby.Simulated(puck) {
			continue
		}
		now := r.env[0].World.Bodies()[puck]
		if d := now.Pose.Pos.Sub(at).Len(); d > 0.12 || now.Linear.Y > -3 {
			t.Errorf("it starts at %v m/s, %v m from its last position", now.Linear, d)
		}
		return
	}
	t.Error("it is not simulated")
}

// TestSimulatedBodyIsCorrected checks that a simulated puck is corrected gradually if the server's is
// displaced.
func TestSimulatedBodyIsCorrected(t *testing.T) {
	r := newRig(t, "billiards", "latency=100ms", "remote-bodies", "dynamic", "simulate-time", "10s")
	r.run(100, noInput)
	r.run(50, func(int) sim.Input { return sim.Input{Buttons: sim.Forward} })
	r.run(60, noInput)
	last := len(r.env[0].World.Bodies()) - 1
	for last > 0 && !r.c.world.Nearby.Simulated(last) {
		last--
	}
	if last == 0 {
		t.Fatal("none is simulated")
	}
	b := r.env[1].World.Bodies()[last]
	b.Pose.Pos.Y, b.Asleep = b.Pose.Pos.Y-0.4, false
	r.env[1].World.SetBody(last, b)
	var at geom.Vec3
	for i := range 120 {
		r.run(1, noInput)
		now := r.env[0].World.Bodies()[last].Pose.Pos
		if d := now.Sub(at).Len(); i > 0 && d > 0.25 {
			t.Errorf("it jumps by %v m", d)
		}
		at = now
	}
	if d := r.env[0].World.Bodies()[last].Pose.Pos.Sub(r.env[1].World.Bodies()[last].Pose.Pos).Len(); d > 0.3 || !r.c.world.Nearby.Simulated(last) {
		t.Errorf("two seconds later it is %v m away", d)
	}
}

// TestRemoteBodiesBecomeKinematic checks that simulations end when remote-bodies is set to kinematic.
func TestRemoteBodiesBecomeKinematic(t *testing.T) {
	r := newRig(t, "hauler", "latency=100ms", "remote-bodies", "dynamic")
	r.run(140, drive)
	if r.c.world.Nearby.Count() != 1 || r.env[0].World.IsKinematic(1) {
		t.Fatalf("%d are simulated", r.c.world.Nearby.Count())
	}
	if err := r.env[0].Knobs.Set("remote-bodies", "kinematic"); err != nil {
		t.Fatal(err)
	}
	r.run(1, drive)
	if r.c.world.Nearby.Count() != 0 || !r.env[0].World.IsKinematic(1) {
		t.Errorf("%d are simulated", r.c.world.Nearby.Count())
	}
}

// TestSimulatedBodiesAreCopied checks that a copy of a client with simulated pucks continues like the
// original, whether the copy's target had simulated any or not.
func TestSimulatedBodiesAreCopied(t *testing.T) {
	used, fresh := newRig(t, "billiards", "perfect", "remote-bodies", "dynamic"), newRig(t, "billiards", "perfect", "remote-bodies", "dynamic")
	ahead := func(int) sim.Input { return sim.Input{Buttons: sim.Forward} }
	fresh.run(60, noInput)
	used.run(180, ahead)
	if used.c.world.Nearby.Count() == 0 {
		t.Fatal("none is simulated")
	}
	third := newRig(t, "billiards", "perfect", "remote-bodies", "dynamic")
	for _, c := range []struct{ to, from *rig }{{third, used}, {used, fresh}} {
		for i := range c.to.env {
			c.to.env[i].World.CopyFrom(c.from.env[i].World)
		}
		c.to.c.CopyFrom(c.from.c)
		c.to.s.CopyFrom(c.from.s)
		if c.to.c.world.Nearby.Count() != c.from.c.world.Nearby.Count() {
			t.Error("the copy simulates another number of bodies")
		}
		for range 120 {
			c.to.c.Tick(sim.Input{Buttons: sim.Forward}, c.to.up)
			c.from.c.Tick(sim.Input{Buttons: sim.Forward}, c.from.up)
			for i := range c.to.env[0].World.Bodies() {
				if c.to.env[0].World.Bodies()[i] != c.from.env[0].World.Bodies()[i] {
					t.Fatalf("body %d differs", i)
				}
			}
		}
	}
}
