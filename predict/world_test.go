package predict_test

import (
	"slices"
	"testing"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/scene"
)

func newWorld(t *testing.T, spec string) *predict.World {
	t.Helper()
	s, err := scene.Named(spec)
	if err != nil {
		t.Fatal(err)
	}
	return predict.NewWorld(s, 60)
}

// push presses keys by which two players run into the pile and pull from it.
func push(tick sim.Tick) []sim.Input {
	buttons := []sim.Buttons{sim.Forward, sim.Forward | sim.Pull, sim.Right | sim.Lift, sim.Back, sim.Left | sim.Pull}
	n := int(tick) / 25
	return []sim.Input{{Buttons: buttons[n%5]}, {Buttons: buttons[(n+2)%5]}}
}

// TestStateHasOwnership checks that a saved world and a copy of a world continue with the same
// owners, bit for bit.
func TestStateHasOwnership(t *testing.T) {
	w := newWorld(t, "katamari:players=2")
	var s predict.State
	owned := false
	for range 30 {
		w.Save(&s)
		copied := newWorld(t, "katamari:players=2")
		copied.CopyFrom(w)
		if !slices.Equal(copied.TouchedBy(), w.TouchedBy()) {
			t.Fatalf("tick %d: a copy reports other players who touch", w.Tick())
		}
		for range 10 {
			w.Step(push(w.Tick())...)
		}
		bodies, cache := w.Hash()
		owners := slices.Clone(w.Owners())
		owned = owned || slices.Contains(owners[2:], 0) && slices.Contains(owners[2:], 1)

		loaded := newWorld(t, "katamari:players=2")
		loaded.Load(&s)
		w.Load(&s)
		for _, other := range []*predict.World{w, loaded, copied} {
			for range 10 {
				other.Step(push(other.Tick())...)
			}
			if b, c := other.Hash(); b != bodies || c != cache || !slices.Equal(other.Owners(), owners) {
				t.Fatalf("tick %d differs after the replay", other.Tick())
			}
		}
	}
	if !owned {
		t.Error("the players never owned cubes at the same time")
	}
}

// TestHashHasOwnership checks that the hashes show the owner of a body and how long its owner has not
// touched it.
func TestHashHasOwnership(t *testing.T) {
	w, other := newWorld(t, "two-players"), newWorld(t, "two-players")
	last := len(w.Bodies()) - 1
	hash := func(w *predict.World) [3]uint64 {
		bodies, cache := w.Hash()
		return [3]uint64{bodies, cache, uint64(w.BodyHash(last))}
	}
	if hash(w) != hash(other) {
		t.Fatal("equal worlds have unequal hashes")
	}
	other.SetOwner(last, 1)
	a, b := hash(w), hash(other)
	if a[0] == b[0] || a[1] != b[1] || a[2] == b[2] {
		t.Errorf("the hashes are %x without an owner and %x with one", a, b)
	}
	w.SetOwner(last, 1)
	w.Step()
	other.Step()
	if hash(w) != hash(other) {
		t.Error("the same owner gives unequal hashes")
	}
	w.SetOwner(last, sim.NoPlayer)
	w.SetOwner(last, 1) // touched just now
	if a, b := hash(w), hash(other); a[0] == b[0] {
		t.Error("the hash does not show when a body was last touched")
	}
}

// TestWorldAllocatesNothing checks that Save, Load and Step of a world in motion allocate nothing.
func TestWorldAllocatesNothing(t *testing.T) {
	w := newWorld(t, "katamari:players=2")
	for range 300 {
		w.Step(push(w.Tick())...)
	}
	var start, end predict.State
	w.Save(&start)
	inputs := push(0)
	if n := testing.AllocsPerRun(30, func() { w.Load(&start); w.Step(inputs...); w.Save(&end) }); n != 0 {
		t.Errorf("%v allocations a tick", n)
	}
}
