package statesync

import (
	"strconv"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/packet"
)

// TestCongestion checks that over a link of less than the budget the send rate falls to what the
// link carries and the queue stays short, while without congestion control it fills; that the rate
// returns when the link does; and that loss and long latency do not count as congestion.
func TestCongestion(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	stats := func(r *rig) *packet.Stats { return &r.Peers[0].Endpoint.Stats }
	links := []int{40, 96, 160}
	if experiment.Brief() {
		links = links[:1]
	}
	for _, kbit := range links {
		network := "latency=30ms,down.bandwidth=" + strconv.Itoa(kbit) + "kbit,down.queue=2s"
		r := newRig(t, "katamari:cubes=200", network)
		r.run(900)
		worst, before := time.Duration(0), r.bytesSent()
		for range 1200 {
			r.run(1)
			worst = max(worst, stats(r).RTT)
		}
		if got := float64(r.bytesSent()-before) * 8 / 20e3; got > 1.05*float64(kbit) || got < 0.5*float64(kbit) {
			t.Errorf("over %d kbit/s: %v kbit/s sent", kbit, got)
		}
		if worst > 900*time.Millisecond {
			t.Errorf("over %d kbit/s: the round trip reaches %v", kbit, worst)
		}
		full := newRig(t, "katamari:cubes=200", network, "congestion", "off")
		full.run(2100)
		if trip := stats(full).RTT; trip < 1500*time.Millisecond {
			t.Errorf("over %d kbit/s without congestion control: the round trip is only %v", kbit, trip)
		}
		r.Network.Down.Bandwidth = 0
		r.run(66 * 60)
		before = r.bytesSent()
		r.run(600)
		if got := float64(r.bytesSent()-before) * 8 / 10e3; got < 240 {
			t.Errorf("after %d kbit/s and more than a minute without a limit: %v kbit/s", kbit, got)
		}
	}
	for _, network := range []string{"latency=300ms", "latency=50ms,loss=30%", "latency=50ms,jitter=40ms,loss=5%"} {
		r := newRig(t, "katamari:cubes=200", network)
		r.run(1800 * len(links) / 3)
		if n := r.Counter("congested_ticks"); n > 0 {
			t.Errorf("%s: %v ticks of congestion", network, n)
		}
	}
}
