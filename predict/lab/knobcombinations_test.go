package lab_test

import (
	"testing"

	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
)

// allKnobs switches on every knob that decides which bodies are predicted or interpolated.
const allKnobs = ":predicted-bodies=joint-tree:joint-tree=relative:remote-bodies=dynamic:fallback-corrections=3:fallback-dirty-ticks=6"

// TestKnobsCombine checks that the knobs of the predicting strategies work together: two runs
// and a fork are equal, ticks allocate nothing, no payload is rejected, and at rest the views
// equal the server's world.
func TestKnobsCombine(t *testing.T) {
	for _, x := range []struct{ spec, scene string }{
		{"relative" + allKnobs, "train:rods=8"}, {"relative" + allKnobs, "ship:platform=1"},
		{"relative:joint-tree=relative-position:fallback-corrections=3", "train:rods=8"},
		{"relative:predicted-bodies=joint-tree:chain-joints-max=4:joint-tree=relative:fallback-corrections=3", "train:rods=8"},
		{"historyoffset" + allKnobs, "trailer"},
	} {
		spec, scene := x.spec, x.scene
		allocatesNothing(t, scene, AtClient, spec)
		c := labtest.Config(t, scene, "latency=75ms,jitter=20ms,loss=10%,duplicate=5%,reorder=5%,reorder-delay=40ms", AtClient)
		a, b := labtest.Open(t, c, spec), labtest.Open(t, c, spec)
		labtest.Run(t, a, 300)
		labtest.Run(t, b, 300)
		f := a.Fork()
		labtest.Run(t, a, 200)
		labtest.Run(t, b, 200)
		labtest.Run(t, f, 200)
		if a.Hash() != b.Hash() || a.Hash() != f.Hash() {
			t.Errorf("%s in %s: %016x, a second run %016x, a fork %016x", spec, scene, a.Hash(), b.Hash(), f.Hash())
		}
		p := a.Panes[0]
		if n := p.Counters.Value("rejected_payloads"); n != 0 {
			t.Errorf("%s in %s: %v rejected payloads", spec, scene, n)
		}
		for range 900 {
			if err := a.Tick(Entry{}); err != nil {
				t.Fatal(err)
			}
		}
		for i, b := range p.ServerWorld.Bodies() {
			if d := p.Clients[0].View.Bodies[i].Pos.Sub(b.Pose.Pos).Len(); b.Asleep && d > 0.005 {
				t.Errorf("%s in %s: at rest body %d is drawn %v m from the server's pose", spec, scene, i, d)
			}
		}
	}
}
