package remote

import (
	"testing"
	"time"

	"ghostcube/internal/experiment"
)

// TestRoundTrip plays in a slow window, which makes three ticks in each frame: the host is told the round trip that the client
// measures and shows, since its own has the wait of each tick for the frame. From a silent client there is none.
func TestRoundTrip(t *testing.T) {
	for _, spec := range []string{"rewind", "rollback:topology=mesh"} {
		if experiment.Brief() && spec != "rewind" {
			continue
		}
		w := newWorld(t, "two-players", "latency=20ms", spec)
		ann, bob := w.connect("ann"), w.connect("bob")
		ann.frame, ann.end.real = 50*time.Millisecond, &w.now
		w.run(4 * time.Second)
		for _, p := range []*process{ann, bob} {
			own, ok := p.RoundTrip()
			seat := w.server.Seats()[p.Player]
			t.Logf("%s, %s: %v, the host shows %v, and measures %v itself", spec, p.config.Name, own, seat.RoundTrip, seat.Stats.RTT)
			if d := own - seat.RoundTrip; !ok || max(d, -d) > 2*time.Millisecond || own < 39*time.Millisecond || own > 65*time.Millisecond {
				t.Errorf("%s, %s: %v, %v, the host shows %v", spec, p.config.Name, own, ok, seat.RoundTrip)
			}
		}
		ann.still = true
		w.run(4500 * time.Millisecond)
		if seats := w.server.Seats(); seats[ann.Player].RoundTrip != 0 || seats[bob.Player].RoundTrip == 0 {
			t.Errorf("%s: from a silent client the host has %v, from the other one %v", spec, seats[ann.Player].RoundTrip, seats[bob.Player].RoundTrip)
		}
		ann.still = false
		if w.run(3 * time.Second); w.server.Seats()[ann.Player].RoundTrip == 0 {
			t.Errorf("%s: the client is back, without a round trip", spec)
		}
	}
}
