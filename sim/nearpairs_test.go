package sim_test

import (
	"math/rand/v2"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestNearPairs steps a world that keeps near pairs beside one that forgets them before each step, and compares all
// hashes. Bodies fall asleep, wake, fly and jump at random, states are loaded and copied, and ticks are replayed.
// The pairs are those of a comparison of all shapes.
func TestNearPairs(t *testing.T) {
	t.Parallel()
	seeds, ticks := uint64(6), 100
	if experiment.Brief() {
		seeds, ticks = 1, 60
	}
	kept, replaced, replays := 0, 0, 0
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 3))
		warm, cold := newNearWorld(seed, false), newNearWorld(seed, true)
		kinds := []int{0, 1, 1, 1, 2, 2, 3, 4, 6, 8, 9, 14}
		if seed%3 == 2 {
			kinds = append(kinds, 5, 7, 10)
		}
		in := sim.Input{}
		for tick := range ticks {
			if r.IntN(12) == 0 {
				in = sim.Input{Buttons: sim.Buttons(r.IntN(16)), Heading: uint8(r.IntN(256))}
			}
			if r.IntN(4) == 0 {
				kind, body, x := kinds[r.IntN(len(kinds))], r.IntN(len(warm.w.Bodies())), r.Uint32()
				for _, n := range []*nearWorld{warm, cold} {
					n.change(kind, body, x)
					if kind == 5 || kind == 6 {
						n.states, n.inputs = nil, nil // of another world
					}
				}
			} else if r.IntN(6) == 0 {
				back, all, other := 2+r.IntN(8), r.IntN(2) == 0, []sim.Input{{Buttons: sim.Buttons(r.IntN(16)) | sim.Pull}}
				if warm.replay(back, all, other) {
					replays++
				}
				cold.replay(back, all, other)
			} else if r.IntN(6) == 0 {
				i, x := 1+r.IntN(len(warm.w.Bodies())-2), r.Float32()
				warm.meet(i, x)
				cold.meet(i, x)
			}
			if tick%2 == 0 { // it looks for pairs, too
				if err := sim.CheckPairs(warm.w); err != nil {
					t.Fatalf("seed %d, tick %d: %v", seed, tick, err)
				}
			}
			warm.step(in)
			cold.step(in)
			if valid, left := sim.NearPairs(warm.w); valid {
				kept++
				replaced += left
			}
			a, x := warm.w.Hash()
			if b, y := cold.w.Hash(); a != b || x != y {
				t.Fatalf("seed %d: tick %d differs from that of a world without near pairs", seed, tick)
			}
		}
	}
	if kept < ticks/5*int(seeds) || replaced == 0 || replays == 0 {
		t.Errorf("%d ticks kept near pairs, %d bounds were replaced, %d replays: want more", kept, replaced, replays)
	}
}

// nearWorld is a changed world that remembers states for replays. A cold one forgets its near pairs before each step.
type nearWorld struct {
	*changedWorld
	cold   bool
	states []*sim.State // before each step
	inputs [][]sim.Input
}

// newNearWorld returns the world of a seed: a player and awake cubes and planks, dropped from low heights.
func newNearWorld(seed uint64, cold bool) *nearWorld {
	r := rand.New(rand.NewPCG(seed, 4))
	any := func(low, high float32) float32 { return low + float32(r.Float32()*(high-low)) }
	s := baseScene()
	for i := range 140 {
		b := cube(geom.Vec3{X: 0.5*float32(i%12) - 3, Y: 0.5*float32(i/12%6) + 1, Z: 0.25 + 0.5*float32(i/72)}, any(0, 3))
		if i%7 == 0 {
			b.Half.X = any(0.1, 0.6)
		}
		b.Start.Asleep = false
		s.Boxes = append(s.Boxes, b)
	}
	n := &nearWorld{changedWorld: &changedWorld{w: sim.New(s, 60), other: sim.New(s, 60)}, cold: cold}
	n.w.Save(&n.saved)
	return n
}

func (n *nearWorld) step(in ...sim.Input) {
	s := &sim.State{}
	n.w.Save(s)
	n.states, n.inputs = append(n.states, s), append(n.inputs, in)
	n.forget()
	n.w.Step(in...)
}

func (n *nearWorld) forget() {
	if n.cold {
		sim.ForgetNearPairs(n.w)
	}
}

// meet moves two bodies to one place.
func (n *nearWorld) meet(i int, x float32) {
	for k := range 2 {
		b := n.w.Bodies()[i+k]
		b.Pose.Pos, b.Asleep = geom.Vec3{X: float32(40*x) - 20, Y: 8, Z: 0.3 + float32(0.3*float32(k))}, false
		n.w.SetBody(i+k, b)
	}
}

// replay steps the last ticks again with another input, and only the bodies that can differ or all, if that is possible.
func (n *nearWorld) replay(back int, all bool, in []sim.Input) bool {
	first := len(n.states) - back
	if first < 0 || !n.w.BeginReplay(n.states[first]) {
		return false
	}
	if all {
		bodies := make([]int32, len(n.w.Bodies()))
		for i := range bodies {
			bodies[i] = int32(i)
		}
		n.w.JoinBodies(n.states[first], n.states[first+1], bodies)
	}
	for t := first; t < len(n.states); t++ {
		var after *sim.State
		if t+1 < len(n.states) {
			after = n.states[t+1]
		}
		n.w.JoinReplay(n.states[t], after, n.inputs[t], in)
		n.forget()
		n.w.Step(in...)
		n.w.SaveReplayed(after)
		n.inputs[t] = in
	}
	n.w.EndReplay()
	return true
}
