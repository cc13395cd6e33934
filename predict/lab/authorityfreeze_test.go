package lab_test

import (
	"testing"

	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
)

// TestClientAuthorityAfterFreeze checks that a client with authority that was frozen leaves out the ticks that it has missed,
// and goes on at its usual pace. The server has gone on without them: what the client then draws is where the server has its
// cube in the tick that the view names.
func TestClientAuthorityAfterFreeze(t *testing.T) {
	told := builtInTape(t, "turns")
	for _, freeze := range []string{"300ms", "500ms", "2s"} {
		l := labtest.Open(t, labtest.Config(t, "plain", "latency=75ms,jitter=10ms", AtClient), "statesync:authority=client")
		for i := range 780 {
			if i == 480 {
				labtest.Apply(t, l, "freeze all - "+freeze)
			}
			labtest.Tick(t, l, Entry{Inputs: told.Entries[i].Inputs})
		}
		path, _ := l.Panes[0].Score.PathError()
		labtest.Report(t, path.Max > 0.05, "after %s: path error %.4f m, at most %.4f m", freeze, path.RMS, path.Max)
	}
}

// TestAuthorityAfterFreezeInMetro checks that the server knows the states of a client with authority as soon as they have
// arrived after a freeze. The ones that arrive while the client stands still, all of them late, do not set the server's buffer
// back, neither many that others have overtaken (seed 24) nor a single newest one (seed 3), and one that is missing right after
// the freeze is filled in by the next (seed 4): the client's picture would be wrong by 3, 2 and 2 m.
func TestAuthorityAfterFreezeInMetro(t *testing.T) {
	for _, s := range []struct {
		freeze string
		seed   uint64
	}{{"500ms", 24}, {"900ms", 3}, {"900ms", 4}} {
		told, c := builtInTape(t, "turns"), labtest.Config(t, "plain", "metro", AtClient)
		c.Network.Seed = s.seed
		l := labtest.Open(t, c, "statesync:authority=client")
		for i := range 780 {
			if i == 480 {
				labtest.Apply(t, l, "freeze all - "+s.freeze)
			}
			labtest.Tick(t, l, Entry{Inputs: told.Entries[i].Inputs})
		}
		path, _ := l.Panes[0].Score.PathError()
		labtest.Report(t, path.Max > 0.2, "%s, seed %d: path error %.4f m, at most %.4f m", s.freeze, s.seed, path.RMS, path.Max)
	}
}
