package historyoffset

import (
	"testing"

	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestTouchedBodiesAreSimulated checks that the pucks that the player hits, and those behind them, move
// in the client's world at once, a quarter of a second before the interpolation does; and that in the
// end all are kinematic at the server's poses, without a jump on the way back.
func TestTouchedBodiesAreSimulated(t *testing.T) {
	r := newRig(t, "billiards", "latency=100ms", "others", "auto")
	ahead := func(tick int) sim.Input {
		if tick >= 100 && tick < 150 {
			return sim.Input{Buttons: sim.Forward}
		}
		return sim.Input{}
	}
	start := append([]sim.Body(nil), r.ClientWorld().Bodies()...)
	simulatedTick, interpolatedTick, maxCount := 0, 0, 0 // the ticks are of the first motion
	last := make([]geom.Vec3, len(start))
	for r.Tick < 600 {
		for i := range start {
			last[i] = r.ClientWorld().Bodies()[i].Pose.Pos
		}
		r.Run(1, ahead)
		maxCount = max(maxCount, r.c.Nearby.Count())
		for i := 1; i < len(start); i++ {
			at := r.ClientWorld().Bodies()[i].Pose.Pos
			if simulatedTick == 0 && at.Sub(start[i].Pose.Pos).Len() > 0.02 {
				simulatedTick = r.Tick
			}
			if interpolatedTick == 0 && r.c.Interpolated.Pose(i).Pos.Sub(start[i].Pose.Pos).Len() > 0.02 {
				interpolatedTick = r.Tick
			}
			if d := at.Sub(last[i]).Len(); d > 0.35 {
				t.Errorf("tick %d: puck %d jumps by %v m", r.Tick, i, d)
			}
			if r.c.Nearby.Simulated(i) == r.ClientWorld().IsKinematic(i) {
				t.Fatalf("tick %d: puck %d is simulated and kinematic, or neither", r.Tick, i)
			}
		}
	}
	if simulatedTick == 0 || interpolatedTick-simulatedTick < 15 {
		t.Errorf("the first puck moves in tick %d, its interpolation in tick %d", simulatedTick, interpolatedTick)
	}
	if maxCount < 10 || r.Counter("simulation_starts") < 10 {
		t.Errorf("at most %d pucks were simulated", maxCount)
	}
	r.Run(900, predicttest.NoInput)
	if r.c.Nearby.Count() != 0 || r.Counter("simulated_bodies") != 0 {
		t.Errorf("%d are simulated in the end", r.c.Nearby.Count())
	}
	for i := range start {
		if d := r.Distance(i); d > 1e-3 {
			t.Errorf("in the end body %d is %v m away from the server's", i, d)
		}
	}
}

// TestSimulatedBodyStartsWithItsVelocity checks that a puck that approaches the player starts its
// simulation with its interpolated pose and velocity.
func TestSimulatedBodyStartsWithItsVelocity(t *testing.T) {
	r := newRig(t, "billiards", "latency=100ms", "others", "auto")
	r.Run(100, predicttest.NoInput)
	const puck = 1 // the foremost
	r.ChangeBody(puck, func(b *sim.Body) { b.Linear.Y = -5 })
	tap := predicttest.Press(sim.Forward)
	for range 120 {
		at := r.ClientWorld().Bodies()[puck].Pose.Pos
		r.Run(1, tap)
		if !r.c.Nearby.Simulated(puck) {
			continue
		}
		now := r.ClientWorld().Bodies()[puck]
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
	r := newRig(t, "billiards", "latency=100ms", "others", "auto", "simulate-time", "10s")
	r.Run(100, predicttest.NoInput)
	r.Run(50, predicttest.Press(sim.Forward))
	r.Run(60, predicttest.NoInput)
	last := len(r.ClientWorld().Bodies()) - 1
	for last > 0 && !r.c.Nearby.Simulated(last) {
		last--
	}
	if last == 0 {
		t.Fatal("none is simulated")
	}
	r.ChangeBody(last, func(b *sim.Body) { b.Pose.Pos.Y -= 0.4 })
	var at geom.Vec3
	for i := range 120 {
		r.Run(1, predicttest.NoInput)
		now := r.ClientWorld().Bodies()[last].Pose.Pos
		if d := now.Sub(at).Len(); i > 0 && d > 0.25 {
			t.Errorf("it jumps by %v m", d)
		}
		at = now
	}
	if d := r.Distance(last); d > 0.3 || !r.c.Nearby.Simulated(last) {
		t.Errorf("two seconds later it is %v m away", d)
	}
}

// TestRemoteBodiesBecomeKinematic checks that simulations end when others is set to interpolate.
func TestRemoteBodiesBecomeKinematic(t *testing.T) {
	r := newRig(t, "hauler", "latency=100ms", "others", "auto")
	r.Run(140, drive)
	if r.c.Nearby.Count() != 1 || r.ClientWorld().IsKinematic(1) {
		t.Fatalf("%d are simulated", r.c.Nearby.Count())
	}
	r.SetKnob("others", "interpolate")
	r.Run(1, drive)
	if r.c.Nearby.Count() != 0 || !r.ClientWorld().IsKinematic(1) {
		t.Errorf("%d are simulated", r.c.Nearby.Count())
	}
}
