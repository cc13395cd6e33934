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
	data := AppendWorld(nil, w)
	read := predict.NewWorld(predicttest.Scene(t, "two-players"), 60)
	if err := ReadWorld(data, read); err != nil {
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
		if ReadWorld(bad, read) == nil {
			for k := range read.Bodies() {
				if !validation.Body(&read.Bodies()[k], read.Scene()) {
					t.Fatalf("change %d: body %d cannot be", i, k)
				}
			}
			if err := ReadWorld(data, read); err != nil {
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
