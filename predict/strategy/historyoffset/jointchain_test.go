package historyoffset

import (
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestChainIsPredicted checks that the bodies jointed to the player's cube are predicted with it: if
// the server has every input in time, a chain of any length needs no correction, and each rod is where
// the server will have it.
func TestChainIsPredicted(t *testing.T) {
	experiment.Skip(t)
	for _, scene := range []string{"train:rods=1", "train", "train:rods=32"} {
		r := newRig(t, scene, "latency=100ms", "predicted-bodies", "joint-tree")
		var ahead [][]sim.Body
		for i := range 400 {
			r.Run(1, predicttest.DriveAround)
			if i > 300 {
				ahead = append(ahead, append([]sim.Body(nil), r.ClientWorld().Bodies()...))
			}
		}
		for i := range r.ClientWorld().Bodies() {
			if r.ClientWorld().IsKinematic(i) {
				t.Errorf("%s: body %d is not predicted", scene, i)
			}
		}
		if n := r.Counter("corrections") + r.Counter("chain_corrections"); n != 0 {
			t.Errorf("%s: %v corrections", scene, n)
		}
		matches := 0
		for range 100 {
			r.Run(1, predicttest.DriveAround)
			for _, predicted := range ahead {
				if predicted[0] == r.ServerWorld().Bodies()[0] {
					matches++
					for i, b := range r.ServerWorld().Bodies() {
						if predicted[i] != b {
							t.Fatalf("%s: body %d differs", scene, i)
						}
					}
				}
			}
		}
		if matches < 8 {
			t.Errorf("%s: %d predicted states of the cube are the server's", scene, matches)
		}
	}
}

// TestChainIsCorrected checks that a rod that moves only at the server is corrected in the client's
// world, by a replay or by offset, that both worlds agree when the bodies sleep, and that with
// predicted-bodies=player no rod is predicted.
func TestChainIsCorrected(t *testing.T) {
	for _, c := range []struct {
		bodies, method   string
		shifted, replays bool
	}{{"joint-tree", "replay", false, true}, {"joint-tree", "offset", true, false}, {"player", "offset", false, false}} {
		bodies := c.bodies
		r := newRig(t, "train", "latency=100ms", "predicted-bodies", bodies, "correct-by", c.method)
		r.Run(200, predicttest.NoInput)
		const rod = 8
		from := r.ServerWorld().Bodies()[rod].Pose.Pos
		r.ChangeBody(rod, func(b *sim.Body) { b.Linear = geom.Vec3{X: 6} })
		r.Run(25, predicttest.NoInput)
		far := r.ClientWorld().Bodies()[rod].Pose.Pos.Sub(from).Len()
		if far < 0.1 {
			t.Errorf("%s: after 25 ticks it has moved %v m", bodies, far)
		}
		if n, replays := r.Counter("chain_corrections"), r.Counter("replays"); (n > 0) != c.shifted || (replays > 0) != c.replays {
			t.Errorf("%s, %s: %v corrections, %v replays", bodies, c.method, n, replays)
		}
		if r.ClientWorld().IsKinematic(rod) != (bodies == "player") {
			t.Errorf("%s: the rod is kinematic: %v", bodies, bodies != "player")
		}
		r.Run(600, predicttest.NoInput)
		for i := range r.ServerWorld().Bodies() {
			if d := r.Distance(i); d > 0.001 {
				t.Errorf("%s: asleep, body %d is %v m away", bodies, i, d)
			}
		}
	}
}

// TestChainReplayIsExact checks that one replay corrects a whole joint tree whose bodies the server moves and
// turns: those in the client's world are the server's from then on, but for the impulses that a snapshot does not
// have, and the drawn ones follow smoothly.
func TestChainReplayIsExact(t *testing.T) {
	r := newRig(t, "train", "latency=100ms")
	r.Run(200, predicttest.DriveAround)
	r.Corrections = nil
	for i := range r.ServerWorld().Bodies() {
		r.ChangeBody(i, func(b *sim.Body) { b.Pose.Pos.X, b.Linear.Y = b.Pose.Pos.X+1, b.Linear.Y+1 })
	}
	step, drawn := float32(0), r.View().Bodies[8].Pos
	for i := range 60 {
		r.Run(1, predicttest.DriveAround)
		at := r.View().Bodies[8].Pos
		step, drawn = max(step, at.Sub(drawn).Len()), at
		if i == 30 && r.Counter("island_bodies") != 8 {
			t.Errorf("%v bodies in the island", r.Counter("island_bodies"))
		}
	}
	if step > 0.35 {
		t.Errorf("a rod is drawn to move by %v m in one tick", step)
	}
	ahead := append([]sim.Body(nil), r.ClientWorld().Bodies()...)
	nearest := float32(1)
	for range 40 {
		r.Run(1, predicttest.DriveAround)
		worst := float32(0)
		for i, b := range r.ServerWorld().Bodies() {
			worst = max(worst, b.Pose.Pos.Sub(ahead[i].Pose.Pos).Len())
		}
		nearest = min(nearest, worst)
	}
	t.Logf("%d corrections, %v replays, the prediction is %v m off", len(r.Corrections), r.Counter("replays"), nearest)
	if n := len(r.Corrections); n == 0 || n > 3 || r.Counter("chain_corrections") > 0 || r.Counter("replay_offsets") > 0 || nearest > 0.005 {
		t.Errorf("%d corrections, %v by offset, the prediction is %v m off", n, r.Counter("chain_corrections"), nearest)
	}
}

// TestChainMaxJoints checks that a joint tree of more joints than chain-joints-max is not predicted,
// including the player's cube: the cube moves when the server's state arrives, with a note, and the
// server gets the inputs as before. A higher limit predicts it again.
func TestChainMaxJoints(t *testing.T) {
	r := newRig(t, "train", "latency=100ms", "predicted-bodies", "joint-tree", "chain-joints-max", "7")
	ahead := predicttest.Press(sim.Forward)
	r.Run(120, predicttest.NoInput)
	var v predict.View
	view := func() *predict.View {
		v.Reset()
		r.c.View(&v)
		return &v
	}
	delay := func() int { // ticks until the drawn cube moves
		from := view().Bodies[0].Pos
		for i := range 100 {
			if r.Run(1, ahead); view().Bodies[0].Pos != from {
				return i
			}
		}
		return 100
	}
	if n := delay(); n < 12 || n > 40 {
		t.Errorf("it moves after %d ticks", n)
	}
	if v := view(); !strings.Contains(v.Note, "8 joints") || v.Predicted[0] || r.c.Chain.Active() {
		t.Errorf("note %q, predicted %v", v.Note, v.Predicted)
	}
	r.Run(60, ahead)
	if y := r.ServerWorld().Bodies()[0].Pose.Pos.Y; y < 1 || r.Counter("corrections") > 0 {
		t.Errorf("at the server it is at %v, %v corrections", y, r.Counter("corrections"))
	}
	r.SetKnob("chain-joints-max", "8")
	r.Run(600, predicttest.NoInput)
	if n := delay(); n > 1 || view().Note != "" || !view().Predicted[3] {
		t.Errorf("predicted again it moves after %d ticks; note %q", n, v.Note)
	}
}
