package lab_test

import (
	"strings"
	"testing"

	"ghostcube/internal/experiment"

	. "ghostcube/predict/lab"
	"ghostcube/predict/strategy/lockstep"
)

// TestBodyLimits checks that a scene with more bodies than a strategy sends is refused, by
// every command that could combine them, that a refusal changes nothing, and that
// strategies without a limit take the scene.
func TestBodyLimits(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	large, small := Config{Scene: "fleet", Rate: 60}, Config{Scene: "plain", Rate: 60}
	refused := func(what string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), "10000 bodies") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, s := range Strategies {
		l := New(large)
		_, err := l.Open(s.Name)
		if s.MaxBodies > 0 {
			refused("open "+s.Name, err)
		} else if err != nil {
			t.Errorf("open %s: %v", s.Name, err)
		}
	}
	l := New(large)
	if _, err := l.Open(lockstep.Strategy.Name); err != nil {
		t.Fatal(err)
	}
	refused("switch", l.Apply(Command{Verb: "switch", Name: "rewind"}))
	if l.Panes[0].Strategy != lockstep.Strategy {
		t.Error("the strategy changed")
	}
	l = New(small)
	if _, err := l.Open("rewind"); err != nil {
		t.Fatal(err)
	}
	refused("scene", l.Apply(Command{Verb: "scene", Pane: AllPanes, Name: "fleet"}))
	if l.Config().Scene != "plain" {
		t.Error("the scene changed")
	}
}

// TestKnobsFitTheScene promises that a knob keeps to its range in another scene, where the range may be smaller: the pane's
// spec opens, which a fault of packets, links and tapes need.
func TestKnobsFitTheScene(t *testing.T) {
	for _, s := range Strategies {
		l := New(Config{Scene: "trailer", Rate: 60}) // of more substeps than the others
		p, err := l.Open(s.Name + ":contact-hertz=50")
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Apply(Command{Verb: "scene", Pane: AllPanes, Name: "plain"}); err != nil {
			t.Fatal(err)
		}
		if got, want := p.Spec(), s.Name; got != want {
			t.Errorf("the spec in the other scene is %q, want %q: contacts are no stiffer there than 30 Hz", got, want)
		}
		if _, err := New(l.Config()).Open(p.Spec()); err != nil {
			t.Error(err)
		}
	}
}
