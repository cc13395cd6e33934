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

// TestOvertakenStates checks that states which others have overtaken do not set the server's buffer back while a client with
// authority stands still: in metro they are the only ones to arrive then, and all late. The buffer would be wrong by half a
// second when the client goes on, and the client's picture by 4 m.
func TestOvertakenStates(t *testing.T) {
	told := builtInTape(t, "jump")
	c := labtest.Config(t, "plain", "metro", AtClient)
	c.Network.Seed = 1
	l := labtest.Open(t, c, "statesync:authority=client")
	for i := range 780 {
		if i == 480 {
			labtest.Apply(t, l, "freeze all - 500ms")
		}
		labtest.Tick(t, l, Entry{Inputs: told.Entries[i].Inputs})
	}
	path, _ := l.Panes[0].Score.PathError()
	labtest.Report(t, path.Max > 0.2, "path error %.4f m, at most %.4f m", path.RMS, path.Max)
}
