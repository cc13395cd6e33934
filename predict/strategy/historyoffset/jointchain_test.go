package historyoffset

import (
	"strings"
	"testing"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestChainIsPredicted says that what hangs on the own cube is predicted with it: where no
// input is missed nothing is ever corrected, of a chain of any length, and the client has
// each rod where the server will have it.
func TestChainIsPredicted(t *testing.T) {
	for _, scene := range []string{"train:rods=1", "train", "train:rods=32"} {
		r := newRig(t, scene, "latency=100ms", "predicted-bodies", "joint-tree")
		var ahead [][]sim.Body
		for i := range 400 {
			r.run(1, keys)
			if i > 300 {
				ahead = append(ahead, append([]sim.Body(nil), r.env[0].World.Bodies()...))
			}
		}
		for i := range r.env[0].World.Bodies() {
			if r.env[0].World.IsKinematic(i) {
				t.Errorf("%s: body %d is not predicted", scene, i)
			}
		}
		if n := r.counter("corrections") + r.counter("chain_corrections"); n != 0 {
			t.Errorf("%s: %v corrections", scene, n)
		}
		met := 0
		for range 100 {
			r.run(1, keys)
			for _, was := range ahead {
				if was[0] == r.env[1].World.Bodies()[0] {
					met++
					for i, b := range r.env[1].World.Bodies() {
						if was[i] != b {
							t.Fatalf("%s: body %d is elsewhere", scene, i)
						}
					}
				}
			}
		}
		if met < 8 {
			t.Errorf("%s: the server was %d times where the client had been", scene, met)
		}
	}
}

// TestChainIsCorrected says that a rod that the server has pushed aside goes there in the
// client's world, though its cube was right; that all is as the server has it when all
// rests; and that with predicted-bodies=player no rod is stepped.
func TestChainIsCorrected(t *testing.T) {
	for _, dynamic := range []string{"joint-tree", "player"} {
		r := newRig(t, "train", "latency=100ms", "predicted-bodies", dynamic)
		r.run(200, noInput)
		const rod = 8
		b := r.env[1].World.Bodies()[rod]
		b.Linear, b.Asleep = geom.Vec3{X: 6}, false
		r.env[1].World.SetBody(rod, b)
		from := b.Pose.Pos
		r.run(25, noInput)
		far := r.env[0].World.Bodies()[rod].Pose.Pos.Sub(from).Len()
		if far < 0.1 {
			t.Errorf("%s: after 25 ticks it has gone %v m", dynamic, far)
		}
		if n := r.counter("chain_corrections"); (n > 0) != (dynamic == "joint-tree") {
			t.Errorf("%s: %v corrections", dynamic, n)
		}
		if r.env[0].World.IsKinematic(rod) != (dynamic == "player") {
			t.Errorf("%s: the rod is held or not", dynamic)
		}
		r.run(600, noInput)
		for i, b := range r.env[1].World.Bodies() {
			if d := r.env[0].World.Bodies()[i].Pose.Pos.Sub(b.Pose.Pos).Len(); d > 0.001 {
				t.Errorf("%s: at rest body %d is %v m away", dynamic, i, d)
			}
		}
	}
}

// TestChainMaxJoints says that a tree of more joints than chain-joints-max is not predicted, nor the
// own cube in it: it moves when the server says so, which the view says; that the server
// hears the keys all the same; and that it is predicted again when the knob says so.
func TestChainMaxJoints(t *testing.T) {
	r := newRig(t, "train", "latency=100ms", "predicted-bodies", "joint-tree", "chain-joints-max", "7")
	held := func(int) sim.Input { return sim.Input{Buttons: sim.Forward} }
	r.run(120, noInput)
	var v predict.View
	view := func() *predict.View {
		v.Reset()
		r.c.View(&v)
		return &v
	}
	moved := func() int { // ticks until the picture moves
		from := view().Bodies[0].Pos
		for i := range 100 {
			if r.run(1, held); view().Bodies[0].Pos != from {
				return i
			}
		}
		return 100
	}
	if n := moved(); n < 12 || n > 40 {
		t.Errorf("it moves after %d ticks", n)
	}
	if v := view(); !strings.Contains(v.Note, "8 joints") || v.Predicted[0] || r.c.world.Chain.Active() {
		t.Errorf("note %q, in hand %v", v.Note, v.Predicted)
	}
	r.run(60, held)
	if y := r.env[1].World.Bodies()[0].Pose.Pos.Y; y < 1 || r.counter("corrections") > 0 {
		t.Errorf("at the server it is at %v, %v corrections", y, r.counter("corrections"))
	}
	if err := r.env[0].Knobs.Set("chain-joints-max", "8"); err != nil {
		t.Fatal(err)
	}
	r.run(600, noInput)
	if n := moved(); n > 1 || view().Note != "" || !view().Predicted[3] {
		t.Errorf("predicted again it moves after %d ticks; note %q", n, v.Note)
	}
}
