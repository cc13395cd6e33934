package lab_test

import (
	"slices"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
)

// TestDisplaySettings promises that the lab stores any show command: the newest value of each name, in the
// order in which the names first came, and that a fork has its own settings. TestTapeReplays promises the
// same of tapes.
func TestDisplaySettings(t *testing.T) {
	t.Parallel()
	l := labtest.Open(t, labtest.Config(t, "plain", "perfect", AtClient), "rewind")
	labtest.Apply(t, l, "show all ghosts off", "show all no-such-setting 7")
	f := l.Fork()
	labtest.Apply(t, l, "show all ghosts on")
	if want := []DisplaySetting{{"ghosts", "on"}, {"no-such-setting", "7"}}; !slices.Equal(l.Display(), want) {
		t.Errorf("%v, want %v", l.Display(), want)
	}
	if want := []DisplaySetting{{"ghosts", "off"}, {"no-such-setting", "7"}}; !slices.Equal(f.Display(), want) {
		t.Errorf("a fork has %v, want %v", f.Display(), want)
	}
}

// TestFocus promises that the focus moves to the pane of a command, and to the last pane when its own is
// closed.
func TestFocus(t *testing.T) {
	t.Parallel()
	l := labtest.Open(t, labtest.Config(t, "plain", "perfect", AtClient), "rewind", "noprediction", "rewind")
	for _, c := range []struct {
		command string
		focus   int
	}{{"focus 3 - -", 2}, {"close 1 - -", 1}, {"focus 1 - -", 0}, {"close 2 - -", 0}} {
		labtest.Apply(t, l, c.command)
		if l.Focus() != c.focus || l.Fork().Focus() != c.focus {
			t.Errorf("after %s the focus is on pane %d, want %d", c.command, l.Focus()+1, c.focus+1)
		}
	}
}

// TestInspectChangesNothing checks for every strategy that inspecting a session in every tick
// does not change it, that every report covers all bodies or none, and that inspecting
// allocates nothing once the buffers exist.
func TestInspectChangesNothing(t *testing.T) {
	experiment.Skip(t)
	for _, seat := range []Seat{AtClient, AtHost} {
		for _, s := range Strategies {
			a := labtest.Open(t, labtest.Config(t, "katamari:cubes=60", "wifi-bad", seat), s.Name)
			b := labtest.Open(t, labtest.Config(t, "katamari:cubes=60", "wifi-bad", seat), s.Name)
			var l predict.Inspection
			for i := range 120 {
				e := Entry{Inputs: []sim.Input{{Buttons: sim.Pull | sim.Buttons(1<<(i/30%4))}}}
				a.Panes[0].Inspect(&l)
				a.Tick(e)
				b.Tick(e)
				a.Panes[0].Inspect(&l)
				for what, n := range map[string]int{
					"priorities": len(l.Priority), "ages": len(l.Age), "moves": len(l.Moving),
					"codings": len(l.Encoding), "owners": len(l.Owner),
				} {
					if n != 0 && n != 61 {
						t.Fatalf("%s reports %d %s for 61 bodies", s.Name, n, what)
					}
				}
			}
			if a.Hash() != b.Hash() {
				t.Errorf("%s: inspecting changes the session", s.Name)
			}
			if n := testing.AllocsPerRun(10, func() { a.Panes[0].Inspect(&l) }); n != 0 {
				t.Errorf("%s: %v allocations", s.Name, n)
			}
		}
	}
}

// TestSnapshotAge checks that the age of a body is at most the interval between snapshots
// while all arrive, and grows by one per tick during a blackout.
func TestSnapshotAge(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{"snapshot:snapshot-every=6", "snapshot:snapshot-every=6:interpolation=none"} {
		l := labtest.Open(t, labtest.Config(t, "zen", "latency=50ms", AtClient), spec)
		labtest.Run(t, l, 120)
		var look predict.Inspection
		for range 60 {
			labtest.Run(t, l, 1)
			if l.Panes[0].Inspect(&look); look.Age[0] < 0 || look.Age[0] > 6 {
				t.Errorf("%s: age %d", spec, look.Age[0])
			}
		}
		l.Apply(Command{Verb: "blackout", Pane: AllPanes, Value: "5s"})
		labtest.Run(t, l, 60)
		l.Panes[0].Inspect(&look)
		was := look.Age[0]
		labtest.Run(t, l, 30)
		if l.Panes[0].Inspect(&look); was < 20 || look.Age[0] != was+30 {
			t.Errorf("%s: in a blackout %d, half a second later %d", spec, was, look.Age[0])
		}
	}
}
