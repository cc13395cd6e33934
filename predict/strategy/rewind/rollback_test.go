package rewind

import (
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict"
	"ghostcube/sim"
)

// lateNetwork makes inputs up to 100 ms late with a lead of one tick.
const lateNetwork = "latency=75ms,up.jitter=100ms,up.shape=uniform-positive"

// TestLateInputs checks that a server that resimulates late inputs reaches the same world, contact
// cache included, as one to which no input is late, and its client corrects nothing. A server that
// drops late inputs does neither.
func TestLateInputs(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	scenes := []string{"plain", "pile:layers=2", "zen", "katamari:cubes=100", "turntable"}
	if experiment.Brief() {
		scenes = scenes[:2]
	}
	for _, scene := range scenes {
		for _, mode := range lateInputModes {
			r := newRig(t, scene, lateNetwork, "lead", "1", "late-inputs", mode)
			want := predict.NewWorld(*r.ServerWorld().Scene(), 60)
			known := map[sim.Tick]sim.Input{}
			for range 900 {
				r.run(1)
				if r.Tick == 840 {
					r.SetNetwork("latency=5ms") // from now on all inputs are in time
				}
				for at := r.ClientWorld().Tick() - 1; at != ^sim.Tick(0); at-- {
					if _, ok := known[at]; ok {
						break
					}
					known[at] = r.c.inputHistory.Find(at).input
				}
			}
			for want.Tick() < r.ServerWorld().Tick() {
				want.Step(known[want.Tick()])
			}
			wantBodies, wantCache := want.Hash()
			gotBodies, gotCache := r.ServerWorld().Hash()
			same := wantBodies == gotBodies && wantCache == gotCache
			local := 0
			for _, correction := range r.Corrections {
				if correction.Cause == predict.LocalInput {
					local++
				}
			}
			late, resimulated, ticks := r.Counter("late_inputs"), r.Counter("resimulated_inputs"), r.Counter("server_replayed_ticks")
			t.Logf("%s, %s: %v late, %v of them resimulated, %v ticks replayed, %d corrections, %d because of the local input",
				scene, mode, late, resimulated, ticks, len(r.Corrections), local)
			switch {
			case late < 100:
				t.Errorf("%s, %s: only %v inputs were late", scene, mode, late)
			case mode == "drop" && (same || local == 0 || resimulated+ticks > 0):
				t.Errorf("%s: same world although late inputs are dropped: %v, %d, %v", scene, same, local, resimulated)
			case mode == "resimulate" && (!same || len(r.Corrections) > 0 || resimulated != late || ticks == 0):
				t.Errorf("%s: different world (%v), %d corrections, %v of %v resimulated", scene, !same, len(r.Corrections), resimulated, late)
			}
		}
	}
}

// TestMaxRollback checks that the server rolls back by at most max-rollback ticks; an input later
// than that is dropped, and the client is corrected.
func TestMaxRollback(t *testing.T) {
	for _, maxRollback := range []string{"1", "3", "15"} {
		r := newRig(t, "zen", "latency=75ms,up.loss=60%", "lead", "0", "late-inputs", "resimulate", "max-rollback", maxRollback)
		longest := 0.0
		for range 900 {
			before := r.Counter("server_replayed_ticks")
			r.run(1)
			longest = max(longest, r.Counter("server_replayed_ticks")-before)
		}
		if limit := map[string]float64{"1": 1, "3": 3, "15": 15}[maxRollback]; longest > limit || longest == 0 {
			t.Errorf("max-rollback=%s: rollback of %v ticks", maxRollback, longest)
		}
		dropped := r.Counter("late_inputs") - r.Counter("resimulated_inputs")
		if tooShort := maxRollback != "15"; (dropped > 0) != tooShort || (len(r.Corrections) > 0) != tooShort {
			t.Errorf("max-rollback=%s: %v dropped, %d corrections", maxRollback, dropped, len(r.Corrections))
		}
	}
}

// TestRollbackKeepsNudge checks that the server does not roll back past a command that changed its
// bodies.
func TestRollbackKeepsNudge(t *testing.T) {
	r := newRig(t, "plain", lateNetwork, "lead", "0", "late-inputs", "resimulate")
	r.run(300)
	for range 20 {
		before := r.ServerWorld().Bodies()[0].Pose.Pos.X
		r.nudge()
		r.run(1)
		if moved := r.ServerWorld().Bodies()[0].Pose.Pos.X - before; moved < 0.7 {
			t.Fatalf("a nudge of 1 m moved the cube by %v", moved)
		}
		r.run(9)
	}
	if r.Counter("server_rollbacks") == 0 {
		t.Error("nothing was late")
	}
}
