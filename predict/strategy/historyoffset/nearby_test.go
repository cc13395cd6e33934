package historyoffset

import (
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestTouchedBodiesAreSimulated says that the pucks which the player runs into give way in the
// client's world at once, a quarter of a second before the server's have been heard to, and those
// behind them too; that they are drawn where they are stepped; and that all are held
// again in the end, where the server has them, without a leap on the way back.
func TestTouchedBodiesAreSimulated(t *testing.T) {
	r := newRig(t, "billiards", "latency=100ms", "remote-bodies", "dynamic")
	ahead := func(tick int) sim.Input {
		if tick >= 100 && tick < 150 {
			return sim.Input{Buttons: sim.Forward}
		}
		return sim.Input{}
	}
	start := append([]sim.Body(nil), r.env[0].World.Bodies()...)
	here, heard, most := 0, 0, 0
	last := make([]geom.Vec3, len(start))
	for r.tick < 600 {
		for i := range start {
			last[i] = r.env[0].World.Bodies()[i].Pose.Pos
		}
		r.run(1, ahead)
		most = max(most, r.c.world.Nearby.Count())
		for i := 1; i < len(start); i++ {
			at := r.env[0].World.Bodies()[i].Pose.Pos
			if here == 0 && at.Sub(start[i].Pose.Pos).Len() > 0.02 {
				here = r.tick
			}
			if heard == 0 && r.c.world.Interpolated.Pose(i).Pos.Sub(start[i].Pose.Pos).Len() > 0.02 {
				heard = r.tick
			}
			if d := at.Sub(last[i]).Len(); d > 0.35 {
				t.Errorf("tick %d: puck %d leaps by %v m", r.tick, i, d)
			}
			if r.c.world.Nearby.Simulated(i) == r.env[0].World.IsKinematic(i) {
				t.Fatalf("tick %d: puck %d is loose and held", r.tick, i)
			}
		}
	}
	if here == 0 || heard-here < 15 {
		t.Errorf("the first puck moves in tick %d, and is heard to in tick %d", here, heard)
	}
	if most < 10 || r.counter("simulation_starts") < 10 {
		t.Errorf("%d pucks were loose at once", most)
	}
	r.run(900, noInput)
	if r.c.world.Nearby.Count() != 0 || r.counter("simulated_bodies") != 0 {
		t.Errorf("%d are loose in the end", r.c.world.Nearby.Count())
	}
	for i := range start {
		if d := r.env[0].World.Bodies()[i].Pose.Pos.Sub(r.env[1].World.Bodies()[i].Pose.Pos).Len(); d > 1e-3 {
			t.Errorf("body %d is %v m off in the end", i, d)
		}
	}
}

// TestSimulatedBodyStartsWithItsVelocity says that a puck that comes towards the player is let loose where
// it is shown and as fast as it is there.
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
		if way := now.Pose.Pos.Sub(at); way.Len() > 0.12 || now.Linear.Y > -3 {
			t.Errorf("it begins at %v m/s, %v m from where it was", now.Linear, way)
		}
		return
	}
	t.Error("it is not let loose")
}

// TestSimulatedBodyIsCorrected says that a puck which is loose goes where the server's has been
// pushed, while it is loose, and is drawn on its way there and not elsewhere at once.
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
		t.Fatal("none is loose")
	}
	b := r.env[1].World.Bodies()[last]
	b.Pose.Pos.Y, b.Asleep = b.Pose.Pos.Y-0.4, false
	r.env[1].World.SetBody(last, b)
	var at geom.Vec3
	for i := range 120 {
		r.run(1, noInput)
		now := r.env[0].World.Bodies()[last].Pose.Pos
		if d := now.Sub(at).Len(); i > 0 && d > 0.25 {
			t.Errorf("its picture leaps by %v m", d)
		}
		at = now
	}
	if d := r.env[0].World.Bodies()[last].Pose.Pos.Sub(r.env[1].World.Bodies()[last].Pose.Pos).Len(); d > 0.3 || !r.c.world.Nearby.Simulated(last) {
		t.Errorf("two seconds later it is %v m off", d)
	}
}

// TestRemoteBodiesBecomeKinematic says that what is loose is held as soon as the knob is turned
// back.
func TestRemoteBodiesBecomeKinematic(t *testing.T) {
	r := newRig(t, "hauler", "latency=100ms", "remote-bodies", "dynamic")
	r.run(140, drive)
	if r.c.world.Nearby.Count() != 1 || r.env[0].World.IsKinematic(1) {
		t.Fatalf("%d are loose", r.c.world.Nearby.Count())
	}
	if err := r.env[0].Knobs.Set("remote-bodies", "kinematic"); err != nil {
		t.Fatal(err)
	}
	r.run(1, drive)
	if r.c.world.Nearby.Count() != 0 || !r.env[0].World.IsKinematic(1) {
		t.Errorf("%d are loose", r.c.world.Nearby.Count())
	}
}

// TestSimulatedBodiesAreCopied says that a half that has let pucks loose, and is made an equal of
// one that never has, and the other way round, goes on as its model does.
func TestSimulatedBodiesAreCopied(t *testing.T) {
	used, fresh := newRig(t, "billiards", "perfect", "remote-bodies", "dynamic"), newRig(t, "billiards", "perfect", "remote-bodies", "dynamic")
	ahead := func(int) sim.Input { return sim.Input{Buttons: sim.Forward} }
	fresh.run(60, noInput)
	used.run(180, ahead)
	if used.c.world.Nearby.Count() == 0 {
		t.Fatal("none is loose")
	}
	third := newRig(t, "billiards", "perfect", "remote-bodies", "dynamic")
	for _, c := range []struct{ to, from *rig }{{third, used}, {used, fresh}} {
		for i := range c.to.env {
			c.to.env[i].World.CopyFrom(c.from.env[i].World)
		}
		c.to.c.CopyFrom(c.from.c)
		c.to.s.CopyFrom(c.from.s)
		if c.to.c.world.Nearby.Count() != c.from.c.world.Nearby.Count() {
			t.Error("the copy has others loose")
		}
		for range 120 {
			c.to.c.Tick(sim.Input{Buttons: sim.Forward}, c.to.up)
			c.from.c.Tick(sim.Input{Buttons: sim.Forward}, c.from.up)
			for i := range c.to.env[0].World.Bodies() {
				if c.to.env[0].World.Bodies()[i] != c.from.env[0].World.Bodies()[i] {
					t.Fatalf("body %d goes another way", i)
				}
			}
		}
	}
}
