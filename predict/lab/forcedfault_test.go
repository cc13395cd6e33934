package lab_test

import (
	"strings"
	"testing"

	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
)

// TestCorrectionNamesFault promises that the first correction after a forced fault names it and that later ones do
// not, that packets lost before a correction are counted, and that both survive a fork.
func TestCorrectionNamesFault(t *testing.T) {
	l := labtest.Open(t, labtest.Config(t, "zen", "latency=50ms", AtClient), "rewind")
	p := l.Panes[0]
	tick := func(n int, commands ...string) {
		t.Helper()
		labtest.Apply(t, l, commands...)
		labtest.Hold(t, l, n, sim.Input{Buttons: sim.Right})
	}
	tick(120)
	if _, ok := p.LastFault(); ok {
		t.Error("a fault before any was forced")
	}
	first := p.Corrections.Total()
	tick(40, "nudge all x 1")
	if p.Corrections.Total() == first {
		t.Fatal("no correction after a nudge")
	}
	named := 0
	for n := first; n < p.Corrections.Total(); n++ {
		if x := p.Corrections.At(n); x.Fault != "" {
			if named++; n != first || x.Fault != "the server's cube was moved by 1 m along x" {
				t.Errorf("correction %d names %q", n-first, x.Fault)
			}
		}
	}
	if named != 1 || p.Corrections.At(first).LostBefore != 0 {
		t.Errorf("%d corrections name the fault; the first has %d lost packets before it", named, p.Corrections.At(first).LostBefore)
	}
	before := p.Corrections.Total()
	tick(1, "blackout all - 250ms")
	tick(60, "nudge all x 1")
	if p.Corrections.Total() == before {
		t.Fatal("no correction after an outage with a nudge")
	}
	x := p.Corrections.At(before)
	if x.LostBefore < 13 || x.LostBefore > 16 || !strings.Contains(x.Fault, "moved by 1 m") {
		t.Errorf("after an outage of 250 ms: %+v", x)
	}
	fork := l.Fork().Panes[0]
	last, _ := p.LastFault()
	if f, ok := fork.LastFault(); !ok || f != last || *fork.Corrections.At(before) != *x {
		t.Errorf("a fork has %+v, %v", f, *fork.Corrections.At(before))
	}
	labtest.Apply(t, l, "restart all - -")
	if _, ok := p.LastFault(); ok {
		t.Error("a restart keeps the fault")
	}
}
