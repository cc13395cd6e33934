package lab_test

import (
	"testing"

	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
)

// TestPaneNames promises that a pane keeps the name that its spec gives it when knobs are set, the scene restarts and the
// session is copied, that another spec gives it another or none, and that the name changes no hash.
func TestPaneNames(t *testing.T) {
	t.Parallel()
	config := labtest.Config(t, "two-players", "latency=75ms", AtClient)
	l := labtest.Open(t, config, "shooter=historyoffset:playout=2", "historyoffset:playout=2")
	do := func(text string) {
		t.Helper()
		c, err := ParseCommand(text)
		if err == nil {
			err = l.Apply(c)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	want := func(title, spec, knobs string) {
		t.Helper()
		p := l.Panes[0]
		if got := string(p.AppendKnobs(nil, " ")); p.Title() != title || p.Spec() != spec || got != knobs {
			t.Errorf("pane %s, %s, %s: want %s, %s, %s", p.Title(), p.Spec(), got, title, spec, knobs)
		}
	}
	labtest.Run(t, l, 30)
	if a, b := l.Panes[0].Hash(), l.Panes[1].Hash(); a != b {
		t.Errorf("the panes differ by their names alone: %x and %x", a, b)
	}
	want("shooter", "shooter=historyoffset:playout=2", "historyoffset playout=2")
	do("set 1 playout 3")
	do("restart all - -")
	other := labtest.Open(t, config, "rewind")
	other.CopyFrom(l)
	l = other
	want("shooter", "shooter=historyoffset:playout=3", "historyoffset playout=3")
	do("switch 1 far-4=rewind -")
	want("far-4", "far-4=rewind", "rewind")
	do("switch 1 rewind:lead=9 -")
	want("rewind", "rewind:lead=9", "lead=9")
}
