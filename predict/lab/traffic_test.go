package lab_test

import (
	"fmt"
	"testing"

	"ghostcube/internal/experiment"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
)

// TestRarerSnapshotsCostLess checks that every strategy with the knob snapshot-every sends
// fewer bits with fewer snapshots: acknowledgements between two snapshots count at the second
// one.
func TestRarerSnapshotsCostLess(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	tried := 0
	for _, s := range Strategies {
		knobs, _ := Describe(s)
		if knobs.Lookup("snapshot-every") == nil {
			continue
		}
		tried++
		last := 0.0
		for _, every := range []int{1, 2, 4, 8, 16, 32} {
			l := labtest.Open(t, labtest.Config(t, "zen", "csp-75ms", AtClient), fmt.Sprintf("%s:snapshot-every=%d", s.Name, every))
			for range 1200 {
				if err := l.Tick(Entry{Inputs: []sim.Input{{Buttons: sim.Right}}}); err != nil {
					t.Fatal(err)
				}
			}
			bits := l.Panes[0].Counters.Value("snapshot_bits")
			if last != 0 && bits > 0.7*last {
				t.Errorf("%s: %.0f bits every %d ticks, %.0f twice as often", s.Name, bits, every, last)
			}
			last = bits
		}
	}
	if tried == 0 {
		t.Error("no strategy has the knob")
	}
}
