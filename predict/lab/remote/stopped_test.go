package remote

import (
	"testing"
	"time"

	"ghostcube/internal/experiment"
)

// TestStoppedPlayer stops the process of a player in lockstep for four seconds, from several moments on, as a suspended machine
// is. Afterwards no input waits for longer than before: neither player has left out inputs while the other's were missing.
func TestStoppedPlayer(t *testing.T) {
	experiment.Skip(t)
	for _, phase := range []time.Duration{1250 * time.Millisecond, 1500 * time.Millisecond} {
		w := newWorld(t, "two-players", "latency=75ms,jitter=10ms,loss=3%", "lockstep")
		ann, bob := w.connect("ann"), w.connect("bob")
		w.run(3*time.Second + phase)
		bob.still = true
		w.run(4 * time.Second)
		bob.still = false
		w.run(5 * time.Second)
		for i, p := range []*process{ann, bob} {
			pane := p.Lab.Panes[0]
			if behind := int(p.Lab.Ticks()) - int(pane.Clients[0].World.Tick()); behind > 4 || pane.Counters.Value("input_pause_ticks") > 0 {
				t.Errorf("stopped after %v: player %d is %d ticks behind its keys, and left out %v of them", 3*time.Second+phase, i+1, behind,
					pane.Counters.Value("input_pause_ticks"))
			}
		}
	}
}
