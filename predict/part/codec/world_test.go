package codec

import (
	"slices"
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/part/validation"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
)

// TestWorldRoundTrip checks that a world that is written and read again has the same tick,
// bodies and owners, and that every truncated or damaged one is refused or is a world that the
// scene can have, and never changes the world half.
func TestWorldRoundTrip(t *testing.T) {
	w := predict.NewWorld(predicttest.Scene(t, "two-players"), 60)
	for i := range 90 {
		w.Step(sim.Input{Buttons: sim.Right}, sim.Input{Buttons: sim.Buttons(1 << (i / 30))})
	}
	w.SetOwner(3, 1)
	data := AppendWorld(nil, w, false)
	read := predict.NewWorld(predicttest.Scene(t, "two-players"), 60)
	if err := ReadWorld(data, read, false); err != nil {
		t.Fatal(err)
	}
	if read.Tick() != w.Tick() || !slices.Equal(read.Bodies(), w.Bodies()) || !slices.Equal(read.Owners(), w.Owners()) {
		t.Error("the world is read differently")
	}
	refused := 0
	for i := range 400 {
		bad := slices.Clone(data)
		if i < 100 {
			bad = bad[:i*len(bad)/100]
		} else {
			bad[(i-100)*len(bad)/300] ^= 1 << (i % 8)
		}
		if ReadWorld(bad, read, false) == nil {
			for k := range read.Bodies() {
				if !validation.Body(&read.Bodies()[k], read.Scene()) {
					t.Fatalf("change %d: body %d cannot be", i, k)
				}
			}
			if err := ReadWorld(data, read, false); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if refused++; !slices.Equal(read.Bodies(), w.Bodies()) || read.Tick() != w.Tick() {
			t.Fatalf("change %d is refused, but changes the world", i)
		}
	}
	if refused < 200 {
		t.Errorf("%d of 400 changes are refused", refused)
	}
}

// TestExactWorld checks that an exact world continues bit for bit like the original, in scenes with piles, joints,
// vehicles and moving carriers, and that a damaged one is refused or is a world that can be stepped, and never
// changes the world half.
func TestExactWorld(t *testing.T) {
	for _, name := range []string{"katamari:cubes=60:players=2", "train:rods=8", "pile:layers=4", "convoy", "hauler", "turntable:aboard=1", "ship", "billiards"} {
		sc := predicttest.Scene(t, name)
		w := predict.NewWorld(sc, 60)
		step := func(w *predict.World, i int) {
			inputs := make([]sim.Input, sc.Players)
			for p := range inputs {
				inputs[p].Buttons = sim.Buttons(1 << ((i/20 + p) % 8))
			}
			w.Step(inputs...)
		}
		for i := range 100 {
			step(w, i)
		}
		data, read := AppendWorld(nil, w, true), predict.NewWorld(sc, 60)
		if err := ReadWorld(data, read, true); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i := range 60 {
			a, cacheA := w.Hash()
			b, cacheB := read.Hash()
			if a != b || cacheA != cacheB {
				t.Fatalf("%s: the world that was read differs after %d ticks", name, i)
			}
			step(w, 100+i)
			step(read, 100+i)
		}
		refused := 0
		for i := range 60 {
			bad := slices.Clone(data)
			bad[len(bad)-1-i*len(bad)/61] ^= 1 << (i % 8)
			before, cacheBefore := read.Hash()
			if ReadWorld(bad, read, true) == nil {
				step(read, i)
				continue
			}
			refused++
			if now, cache := read.Hash(); now != before || cache != cacheBefore {
				t.Fatalf("%s: change %d is refused, but changes the world", name, i)
			}
		}
		if short := data[:len(data)/2]; refused < 5 || ReadWorld(short, read, true) == nil {
			t.Errorf("%s: %d of 60 changes are refused", name, refused)
		}
	}
}
