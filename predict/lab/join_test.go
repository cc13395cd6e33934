package lab_test

import (
	"testing"

	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
)

// TestAddedPaneJoins promises that a pane that is added to a running session begins with the world and the moment
// of the focused pane and with the clock faults of all panes, and that with the player at the host both servers then stay equal.
func TestAddedPaneJoins(t *testing.T) {
	l := labtest.Open(t, labtest.Config(t, "katamari:cubes=30", "latency=75ms", AtHost), "noprediction")
	labtest.Run(t, l, 200)
	labtest.Apply(t, l, "clock all skew 500", "nudge all x 1", "open all snapshot -")
	for range 4 {
		a, b := l.Panes[0], l.Panes[1]
		first, firstCache := a.ServerWorld.Hash()
		second, secondCache := b.ServerWorld.Hash()
		if first != second || firstCache != secondCache || a.ServerWorld.Tick() != b.ServerWorld.Tick() {
			t.Fatalf("after %d ticks the pane's server is at tick %d with %#x, the first one's at %d with %#x",
				l.Ticks(), b.ServerWorld.Tick(), second, a.ServerWorld.Tick(), first)
		}
		labtest.Run(t, l, 50)
	}
	if a, b := l.Panes[0].DescribeClockFaults(), l.Panes[1].DescribeClockFaults(); a != b {
		t.Errorf("clocks: %q and %q", a, b)
	}
	if err := l.Apply(Command{Verb: "open", Pane: AllPanes, Name: "no-such-strategy"}); err == nil || len(l.Panes) != 2 {
		t.Errorf("a pane without a strategy: %v, %d panes", err, len(l.Panes))
	}
}
