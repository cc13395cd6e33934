package lab

import "testing"

// allKnobs is all that may be predicted or shown otherwise, at once.
const allKnobs = ":dynamic=linked:links=relative:others=dynamic:switch-off=3:dirty=6"

// TestAllTogether says that what each strategy of the predicted mode can do does not get
// in each other's way: the same session twice gives the same bits, a copy goes as its
// model does, no tick takes memory, nothing that comes is refused, and when the keys rest
// the picture is the truth.
func TestAllTogether(t *testing.T) {
	for _, x := range []struct{ spec, scene string }{
		{"relative" + allKnobs, "train:links=8"}, {"relative" + allKnobs, "ship:tender=1"},
		{"relative:links=hung:switch-off=3", "train:links=8"},
		{"relative:dynamic=linked:chain-most=4:links=relative:switch-off=3", "train:links=8"},
		{"historyoffset" + allKnobs, "trailer"},
	} {
		spec, scene := x.spec, x.scene
		allocatesNothing(t, scene, AtClient, spec)
		c := config(t, scene, "latency=75ms,jitter=20ms,loss=10%,dup=5%,reorder=5%,reorder-by=40ms", AtClient)
		a, b := open(t, c, spec), open(t, c, spec)
		run(t, a, 300)
		run(t, b, 300)
		f := a.Fork()
		run(t, a, 200)
		run(t, b, 200)
		run(t, f, 200)
		if a.Hash() != b.Hash() || a.Hash() != f.Hash() {
			t.Errorf("%s in %s: %016x, again %016x, a copy %016x", spec, scene, a.Hash(), b.Hash(), f.Hash())
		}
		p := a.Panes[0]
		if n := p.Counters.Value("refused"); n != 0 {
			t.Errorf("%s in %s: %v refused", spec, scene, n)
		}
		for range 900 {
			if err := a.Tick(Entry{}); err != nil {
				t.Fatal(err)
			}
		}
		for i, b := range p.ServerWorld.Bodies() {
			if d := p.Clients[0].View.Bodies[i].Pos.Sub(b.Pose.Pos).Len(); b.Asleep && d > 0.005 {
				t.Errorf("%s in %s: at rest body %d is drawn %v m from where it is", spec, scene, i, d)
			}
		}
	}
}
