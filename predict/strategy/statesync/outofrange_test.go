package statesync

import (
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
)

// newRigAt returns a rig at a rate, over a link with a latency.
func newRigAt(t *testing.T, rate int, latency time.Duration) *rig {
	r := predicttest.New(t, Strategy, predicttest.Config{Network: "latency=" + latency.String(), Rate: rate, AtHost: true})
	return &rig{Rig: r, c: r.Clients[0].Client.(*client), s: r.Server.(*server), input: predicttest.DriveAround}
}

// TestHonestPacketsAreNotRefused checks that a client refuses no packet of an honest server, at any rate: over a way that
// becomes longer or shorter by up to 3 s.
func TestHonestPacketsAreNotRefused(t *testing.T) {
	experiment.Skip(t)
	for _, rate := range []int{20, 60, 240} {
		for _, change := range []struct{ before, after time.Duration }{
			{20 * time.Millisecond, 900 * time.Millisecond}, {900 * time.Millisecond, 20 * time.Millisecond},
			{20 * time.Millisecond, 3 * time.Second}, {250 * time.Millisecond, 20 * time.Millisecond},
		} {
			r := newRigAt(t, rate, change.before)
			r.run(6 * rate)
			r.SetNetwork("latency=" + change.after.String())
			r.run(12 * rate)
			if n := r.Counter("rejected_payloads"); n > 0 {
				t.Errorf("%d Hz, latency %v, then %v: %v payloads are refused", rate, change.before, change.after, n)
			}
			if now, at := r.ServerWorld().Tick(), r.ClientWorld().Tick(); sim.Tick(4*rate)+at < now || at > now {
				t.Errorf("%d Hz, latency %v, then %v: tick %d at the client, %d at the server", rate, change.before, change.after, at, now)
			}
		}
	}
}

// TestPlausiblePackets checks how far a packet's tick may be from the client's clock at most.
func TestPlausiblePackets(t *testing.T) {
	for _, c := range []struct {
		rate, roundTrip, missed, early int
		plausible                      bool
	}{
		{60, 0, 0, 31, true}, {60, 0, 0, 32, false}, {60, 20, 0, 51, true}, {60, 20, 0, 52, false},
		{60, 0, 100, 131, true}, {60, 0, 100, 132, false}, {60, 0, 0, -600, true}, {60, 0, 0, -601, false},
		{240, 0, 0, 126, true}, {240, 0, 0, 127, false}, {240, 0, 0, -2400, true}, {10, 0, 0, 31, true}, {10, 0, 0, -101, false},
	} {
		r := newRigAt(t, c.rate, 0)
		r.c.state.roundTrip, r.c.state.missedTicks = sim.Tick(c.roundTrip), c.missed
		if got := r.c.isPlausible(c.early); got != c.plausible {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
