package lab_test

import (
	"fmt"
	"testing"

	"ghostcube/internal/experiment"

	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
)

// TestAttacksCostNothing attacks sessions of every strategy and compares them with a fork
// that is left alone. Forged packets far ahead, replayed packets, and a false fragment
// before each datagram cost no packet at either end, and forged packets just ahead one
// each. A fork in the middle of an attack ends like the original.
func TestAttacksCostNothing(t *testing.T) {
	experiment.Skip(t)
	for _, s := range Strategies {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			// Whole snapshots of 91 bodies have several fragments.
			l := labtest.Open(t, labtest.Config(t, "pile:layers=1", "latency=40ms", AtClient), s.Name)
			run := func(l *Lab, n int) {
				labtest.Hold(t, l, n, sim.Input{Buttons: sim.Right})
			}
			run(l, 120)
			alone := l.Fork()
			for _, ahead := range []int{50, 900, 5000, 32000} {
				labtest.Apply(t, l, fmt.Sprint("attack all forge ", ahead))
				run(l, 20)
			}
			labtest.Apply(t, l, "attack all replay 500ms", "attack all false-fragments 80")
			run(l, 20)
			fork := l.Fork()
			run(fork, 60)
			run(l, 60)
			if fork.Hash() != l.Hash() {
				t.Error("a fork in the middle of an attack ends differently")
			}
			run(alone, 160)
			ends := func(l *Lab) (received, acked uint64) {
				up, down := &l.Panes[0].Clients[0].Endpoint.Stats, l.Panes[0].ServerStats()
				return up.PacketsReceived + down.PacketsReceived, up.Acked + down.Acked
			}
			received, acked := ends(l)
			wantReceived, wantAcked := ends(alone)
			if received != wantReceived || acked != wantAcked {
				t.Errorf("%d packets received and %d acknowledged under attack, %d and %d without", received, acked, wantReceived, wantAcked)
			}
			counts := map[string]uint64{}
			for _, r := range Rejections(&l.Panes[0].Clients[0].Endpoint.Stats, l.Panes[0].ServerStats()) {
				counts[r.Key] = r.Count
			}
			if counts["sequence_jump"] != 8 || counts["received_before"] < 2 || counts["false_fragments"] < 150 {
				t.Errorf("counted %v", counts)
			}
		})
	}
}

// TestForgedPacketJustAhead checks that a forged packet whose number is among the next 32
// is delivered, refused by the strategy as malformed, and costs the packet of that number.
func TestForgedPacketJustAhead(t *testing.T) {
	l := labtest.Open(t, labtest.Config(t, "zen", "latency=40ms", AtClient), "rewind")
	labtest.Hold(t, l, 120, sim.Input{Buttons: sim.Right})
	labtest.Apply(t, l, "attack all forge 10")
	labtest.Hold(t, l, 120, sim.Input{Buttons: sim.Right})
	p := l.Panes[0]
	if s := p.ServerStats(); s.Duplicates != 1 || s.PacketsReceived != 240-3 { // three are on their way
		t.Errorf("server: %+v", *s)
	}
	if n := p.Counters.Value("rejected_payloads"); n != 2 {
		t.Errorf("%v payloads rejected", n)
	}
}
