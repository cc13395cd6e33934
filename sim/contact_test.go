package sim_test

import (
	"slices"
	"testing"

	"ghostcube/sim"
)

// TestContacts checks the contacts of a body: with the ground, with a carrier, with another cube,
// and none in the air; and which of these are below it.
func TestContacts(t *testing.T) {
	s := boxScene(boxOnFloor(0, 0, 0.2, 1), boxAt(0, 0, floorTop+0.6, 0.2, 1), boxAt(20, 0, 0.2, 0.2, 1), boxAt(-20, 0, 5, 0.2, 1))
	s.Carriers = []sim.Carrier{{Path: sim.Path{RPM: 1}, Boxes: []sim.Box{carrierFloor(0, 0, 6, 6)}}}
	s.NoSleep = true
	w := sim.New(s, 60)
	for range 30 {
		w.Step()
	}
	for i, want := range [][]sim.Contact{{{1, -1, false}, {-1, 0, true}}, {{0, -1, true}}, {{-1, -1, true}}, nil} {
		if got := w.AppendContacts(nil, i); !slices.Equal(got, want) {
			t.Errorf("body %d has contacts %v, want %v", i, got, want)
		}
	}
	if n := testing.AllocsPerRun(10, func() { w.AppendContacts(make([]sim.Contact, 0, 8), 0) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
