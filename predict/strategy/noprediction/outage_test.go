package noprediction

import (
	"testing"
	"time"

	"ghostcube/predict/predicttest"
	"ghostcube/sim"
)

// TestBelievesStateAfterOutage checks that the first state after any silence is taken: the client knows by its own ticks
// how far the server has gone on.
func TestBelievesStateAfterOutage(t *testing.T) {
	for _, every := range []string{"1", "64"} {
		r := predicttest.New(t, Strategy, predicttest.Config{Network: "latency=30ms", Knobs: []string{"snapshot-every", every}})
		r.Run(130, predicttest.Press(sim.Right))
		r.Network.Blackout = r.Now() + 2*time.Second
		r.Run(130+64, predicttest.Press(sim.Right))
		if n := r.Counter("rejected_payloads"); n > 0 {
			t.Errorf("snapshot-every=%s: %v states are refused", every, n)
		}
		if d := r.ServerWorld().Tick() - r.ClientWorld().Tick(); d > 2+64 {
			t.Errorf("snapshot-every=%s: the client is %d ticks behind", every, d)
		}
	}
}
