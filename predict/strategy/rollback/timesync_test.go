package rollback

import (
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
)

// TestGentlePace checks that jitter and loss change a client's pace by no more than five per cent, once it has joined.
func TestGentlePace(t *testing.T) {
	experiment.Skip(t)
	r := newRig(t, "two-players", "latency=60ms,jitter=10ms,loss=2%", false)
	r.run(t, 120)
	for range 600 {
		r.run(t, 1)
		for i, c := range r.c {
			if ppm := c.env.SlewPPM; ppm > 50_000 || ppm < -50_000 {
				t.Fatalf("client %d runs at a pace of %d ppm", i, ppm)
			}
		}
	}
}

// TestSlowPeerSlowsNobody checks that a player with a long and bad path changes no tick of another one's clock,
// and makes it skip none.
func TestSlowPeerSlowsNobody(t *testing.T) {
	experiment.Skip(t)
	ticks := func(network string) (list []sim.Tick, skipped float64) {
		r := newRig(t, "two-players", network, false)
		for range 600 {
			r.run(t, 1)
			list = append(list, r.ClientWorld().Tick())
		}
		return list, r.Counter("skipped_ticks")
	}
	good, _ := ticks("latency=40ms")
	slow, skipped := ticks("latency=40ms,latency-per-player=300ms")
	for i := range good {
		if good[i] != slow[i] {
			t.Fatalf("in tick %d a client is at %d beside a near player, at %d beside a far one", i, good[i], slow[i])
		}
	}
	if skipped != 0 {
		t.Errorf("%v ticks skipped", skipped)
	}
}

// TestFollowsRoundTrip checks that after a change of the round trip all inputs arrive in time again.
func TestFollowsRoundTrip(t *testing.T) {
	experiment.Skip(t)
	r := newRig(t, "two-players", "latency=40ms", false)
	r.input = func(_, tick int) sim.Input { return predicttest.DriveAround(tick) }
	for _, network := range []string{"latency=120ms", "latency=20ms", "latency=70ms"} {
		r.run(t, 300)
		r.SetNetwork(network)
		r.run(t, 300)
		late := r.Counter("late_inputs")
		r.run(t, 200)
		if n := r.Counter("late_inputs") - late; n != 0 {
			t.Errorf("%s: %v inputs are late five seconds later", network, n)
		}
	}
	r.requireProgress(t, 20)
}
