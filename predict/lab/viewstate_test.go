package lab_test

import (
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
)

// TestViewState checks that a session with another focus opens a pane from the pane that it would have without,
// if its own view state is swapped in for the tick.
func TestViewState(t *testing.T) {
	run := func(swap bool) uint64 {
		l := labtest.Open(t, labtest.Config(t, "zen", "latency=100ms,loss=10%", lab.AtClient), "lockstep", "rewind")
		for i := range 200 {
			e := lab.Entry{Inputs: labtest.Inputs(i)}
			switch i {
			case 20:
				e.Commands = []lab.Command{{Verb: "focus", Pane: 1}}
			case 100:
				e.Commands = []lab.Command{{Verb: "open", Pane: lab.AllPanes, Name: "snapshot"}}
			}
			own := l.ViewState()
			if swap {
				if err := l.Apply(lab.Command{Verb: "focus", Pane: i % len(l.Panes)}); err != nil {
					t.Fatal(err)
				}
				l.SwapViewState(&own)
			}
			labtest.Tick(t, l, e)
		}
		return l.Hash()
	}
	if a, b := run(false), run(true); a != b {
		t.Errorf("hash %016x with the viewer's focus, want %016x", b, a)
	}
}
