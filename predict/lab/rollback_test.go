package lab_test

import (
	"testing"

	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
)

// TestRollbackRecovers pushes the server's cube, so that the worlds of all clients differ from the server's for good,
// lets the clients download the world one after the other, and checks that all worlds are the same again, bit for
// bit, while the players keep playing: every checksum agrees.
func TestRollbackRecovers(t *testing.T) {
	t.Parallel()
	for _, scene := range []string{"two-players", "katamari:cubes=60:players=2", "convoy:players=2"} {
		t.Run(scene, func(t *testing.T) {
			t.Parallel()
			c := labtest.Config(t, scene, "latency=40ms,jitter=10ms,loss=5%", AtClient)
			l := labtest.Open(t, c, "rollback:messages=reliable:checksum-every=1")
			p := l.Panes[0]
			run := func(n int) {
				for range n {
					i := int(l.Ticks())
					labtest.Tick(t, l, Entry{Inputs: []sim.Input{labtest.Inputs(i)[0], labtest.Inputs(i + 400)[0]}})
				}
			}
			run(180)
			labtest.Apply(t, l, "nudge all x 1")
			run(120)
			if n := p.Counters.Value("desyncs"); n != 2 {
				t.Fatalf("%v desyncs after a push of the server's cube", n)
			}
			labtest.Apply(t, l, "rejoin all 1 -")
			run(20)
			labtest.Apply(t, l, "rejoin all 2 -")
			run(500)
			compared := p.Counters.Value("compared_checksums")
			run(200)
			if n := p.Counters.Value("joins"); n != 2 {
				t.Errorf("%v joins", n)
			}
			if n := p.Counters.Value("compared_checksums") - compared; n < 300 {
				t.Errorf("%v checksums compared after the joins", n)
			}
			for i, c := range p.Clients {
				if c.View.Note != "" || p.Counters.Value("desyncs") != 2 {
					t.Errorf("client %d: %q, %v desyncs", i, c.View.Note, p.Counters.Value("desyncs"))
				}
			}
		})
	}
}
