package lab_test

import (
	"testing"

	"ghostcube/internal/experiment"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
)

// TestCrowd checks a player among fifty walkers: an interpolating client draws them on the server's path; a
// client of lockstep runs their scripts and stays equal to the server; and a client that predicts all bodies does
// not know their input, as of remote players, and is corrected.
func TestCrowd(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	l := labtest.Open(t, labtest.Config(t, "crowd:walkers=50", "latency=75ms", AtClient), "animated", "lockstep", "rewind")
	for tick := range 180 {
		labtest.Tick(t, l, Entry{Inputs: []sim.Input{{Buttons: sim.Forward, Heading: uint8(tick)}}})
	}
	moving := 0
	for i := 1; i <= 50; i++ {
		if l.Panes[0].ServerWorld.Bodies()[i].Linear.Len() > 1 {
			moving++
		}
	}
	all, _, _ := l.Panes[0].Score.PathErrorAll()
	if moving < 30 || all > 0.05 {
		t.Errorf("animated: %d walkers move, path error of all bodies %v m", moving, all)
	}
	if d, ok := l.Panes[1].Divergence(); ok {
		t.Errorf("lockstep diverges: %+v", d)
	}
	if n := l.Panes[2].Counters.Value("corrections"); n < 50 {
		t.Errorf("rewind: %v corrections", n)
	}
}
