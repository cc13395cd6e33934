package statesync

import (
	"slices"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
)

// misplacedBodies counts the bodies that rest at the server and are drawn more than a millimetre
// from the server's pose.
func (r *rig) misplacedBodies() (n int) {
	for i, b := range r.ServerWorld().Bodies() {
		if b.Asleep && r.c.drawnPose(i).Pos.Sub(b.Pose.Pos).Len() > 0.001 {
			n++
		}
	}
	return n
}

// TestReliableRest checks that at 30 % loss no body is misplaced two seconds after all have come to
// rest, and that without reliable-rest some are.
func TestReliableRest(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	left := func(commit string) int {
		r := newRig(t, "katamari", "latency=50ms,loss=30%", "compression", "quantised", "budget", "64", "reliable-rest", commit)
		r.input = func(tick int) sim.Input {
			if tick > 600 {
				return sim.Input{}
			}
			in := predicttest.DriveAround(tick)
			in.Buttons |= sim.Lift
			return in
		}
		r.run(600)
		for range 1200 {
			r.run(1)
			if !slices.ContainsFunc(r.ServerWorld().Bodies(), func(b sim.Body) bool { return !b.Asleep }) {
				r.run(120)
				return r.misplacedBodies()
			}
		}
		t.Fatal("the pile does not come to rest")
		return 0
	}
	on, off := left("on"), left("off")
	t.Logf("%d misplaced bodies with reliable-rest, %d without", on, off)
	if on > 0 || off == 0 {
		t.Errorf("%d misplaced bodies with reliable-rest, %d without", on, off)
	}
}
