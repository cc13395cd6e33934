package relative

import (
	"testing"

	"ghostcube/predict/localprediction/frame"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// TestRestsInInterpolatedParent checks that a cube that sleeps at the server, in a ship that has
// arrived, does not adopt the server's pose while the displayed ship is still moving.
func TestRestsInInterpolatedParent(t *testing.T) {
	r := newRigAt(t, Strategy, &geom.Vec3{Y: 6, Z: 0.87}, "ship", "latency=50ms", "validity", "1000")
	r.Run(120, predicttest.NoInput)
	slept := false
	for range 20 * 60 {
		r.Run(1, predicttest.NoInput)
		if d := r.localError(0); d > 0.01 {
			t.Fatalf("tick %d: its position in the ship is %v m off", r.Tick, d)
		}
		ship := r.serverFrame(0)
		behind := r.c.parent.Interpolated(0).Pose.Pos.Sub(ship.Pose.Pos).Len()
		slept = slept || r.Tick > 18*60 && behind > 0.01 && r.c.Interpolated.Receiver().Bodies[0].Asleep
	}
	if !slept {
		t.Error("it did not sleep at the server while the displayed ship moved")
	}
}

// TestShiftsHistoryOfOtherParents checks that a shift in one frame moves the states remembered in
// another frame equally, as the two frames are displayed.
func TestShiftsHistoryOfOtherParents(t *testing.T) {
	r := newRigAt(t, Strategy, &geom.Vec3{X: 2, Y: 1, Z: 0.87}, "turntable", "latency=50ms")
	r.Run(400, predicttest.NoInput)
	now, f := r.ClientWorld().Tick(), r.c.parent.Interpolated(0)
	world := func(at sim.Tick) geom.Vec3 {
		e := r.c.Find(at)
		f := r.c.parent.Interpolated(e.Parent)
		return f.ToWorld(&e.Body).Pose.Pos
	}
	e := r.c.Find(now - 5)
	e.Body, e.Parent = f.ToWorld(&e.Body), frame.NoParent
	before := [2]geom.Vec3{world(now - 5), world(now)}
	d := smoothing.Shift{Pos: geom.Vec3{X: 0.3, Y: -0.2}}
	r.c.Shift(&d, frame.NoParent, now-5)
	for i, at := range []sim.Tick{now - 5, now} {
		if off := world(at).Sub(before[i]).Sub(d.Pos).Len(); off > 1e-4 {
			t.Errorf("tick %d: moved by %v, want %v", at, world(at).Sub(before[i]), d.Pos)
		}
	}
	if off := r.c.Player.Pending.Pos.Sub(d.Pos).Len(); off > 1e-4 {
		t.Errorf("pending %v", r.c.Player.Pending.Pos)
	}
}
