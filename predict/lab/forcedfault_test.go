package lab

import (
	"strings"
	"testing"

	"ghostcube/sim"
)

// TestCorrectionNamesFault promises that the first correction after a forced fault names it and that later ones do
// not, that packets lost before a correction are counted, and that both survive a fork.
func TestCorrectionNamesFault(t *testing.T) {
	c := Config{Scene: "zen", Rate: 60}
	if err := c.Network.Parse("latency=50ms"); err != nil {
		t.Fatal(err)
	}
	l := New(c)
	p, err := l.Open("rewind")
	if err != nil {
		t.Fatal(err)
	}
	tick := func(n int, commands ...Command) {
		t.Helper()
		for range n {
			if err := l.Tick(Entry{Inputs: []sim.Input{{Buttons: sim.Right}}, Commands: commands}); err != nil {
				t.Fatal(err)
			}
			commands = nil
		}
	}
	tick(120)
	if _, ok := p.LastFault(); ok {
		t.Error("a fault before any was forced")
	}
	first := p.Corrections.Total()
	tick(40, Command{Verb: "nudge", Pane: AllPanes, Name: "x", Value: "1"})
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
	tick(1, Command{Verb: "blackout", Pane: AllPanes, Value: "250ms"})
	tick(60, Command{Verb: "nudge", Pane: AllPanes, Name: "x", Value: "1"})
	if p.Corrections.Total() == before {
		t.Fatal("no correction after an outage with a nudge")
	}
	x := p.Corrections.At(before)
	if x.LostBefore < 13 || x.LostBefore > 16 || !strings.Contains(x.Fault, "moved by 1 m") {
		t.Errorf("after an outage of 250 ms: %+v", x)
	}
	fork := l.Fork().Panes[0]
	if f, ok := fork.LastFault(); !ok || f != p.forced || *fork.Corrections.At(before) != *x {
		t.Errorf("a fork has %+v, %v", f, *fork.Corrections.At(before))
	}
	if err := l.Apply(Command{Verb: "restart", Pane: AllPanes}); err != nil {
		t.Fatal(err)
	}
	if _, ok := p.LastFault(); ok {
		t.Error("a restart keeps the fault")
	}
}
