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
			labtest.Hold(t, l, 1200, sim.Input{Buttons: sim.Right})
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

// TestTCPCostsMore checks that lockstep over TCP, which sends each input once, takes more
// bandwidth than over UDP with and without losses, and most with most losses, and that the
// measure agrees with the bytes that the strategy's packets have.
func TestTCPCostsMore(t *testing.T) {
	previous := 0.0
	for _, network := range []string{"latency=125ms", "latency=50ms,loss=1%", "latency=125ms,loss=5%"} {
		l := labtest.Open(t, labtest.Config(t, "plain", network, AtClient), "lockstep", "lockstep:transport=tcp")
		labtest.Hold(t, l, 1200, sim.Input{Buttons: sim.Right})
		rate := func(pane int, name string) float64 { return measure(t, l.Panes[pane], name) }
		for _, name := range []string{"up_kbit_per_second", "down_kbit_per_second"} {
			if udp, tcp := rate(0, name), rate(1, name); tcp < 1.2*udp {
				t.Errorf("%s: %s is %.1f over UDP and %.1f over TCP", network, name, udp, tcp)
			}
		}
		if up, stats := rate(0, "up_kbit_per_second"), l.Panes[0].Clients[0].Endpoint.Stats.BytesSent; up != float64(stats)*8/1000/20 {
			t.Errorf("%s: %.3f kbit/s over UDP, the endpoint has sent %d bytes", network, up, stats)
		}
		if tcp := rate(1, "up_kbit_per_second"); tcp < 1.05*previous {
			t.Errorf("%s: %.1f kbit/s over TCP, %.1f with fewer losses", network, tcp, previous)
		} else {
			previous = tcp
		}
	}
}
