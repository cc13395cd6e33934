package lab

import (
	"strings"
	"testing"

	"ghostcube/predict"
	"ghostcube/sim"
)

// TestParseDisplay says that settings of the picture become the commands that make
// them, which a session takes, and that what is wrong is refused with what there is.
func TestParseDisplay(t *testing.T) {
	list, err := ParseDisplay("color=age, simulated=on,packet=on,ages=on,pitch=30")
	if err != nil || len(list) != 5 {
		t.Fatal(list, err)
	}
	l := open(t, config(t, "plain", "perfect", AtClient), "rewind")
	for _, c := range list {
		again, err := parseCommand(c.String())
		if err != nil || again != c {
			t.Errorf("%v becomes %v: %v", c, again, err)
		}
		if err := l.Apply(c); err != nil {
			t.Error(err)
		}
	}
	want := DefaultDisplay
	want.Coloring, want.Simulated, want.Packet, want.Ages, want.Pitch = ByAge, true, true, true, 30
	if l.Display() != want {
		t.Errorf("%+v", l.Display())
	}
	if list, err := ParseDisplay(""); list != nil || err != nil {
		t.Error(list, err)
	}
	for text, want := range map[string]string{
		"colr=age": `no part of the picture "colr"`, "color=prority": `no color "prority"`, "simulated": "such as color=age",
		"simulated=on,": "such as color=age", "color=": "no color", "ages=2": "on or off",
	} {
		if _, err := ParseDisplay(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for i, name := range ColoringNames {
		if got := Coloring(i).String(); got != name {
			t.Error(got, name)
		}
	}
}

// TestInspectChangesNothing says that a session of every strategy comes to the same
// if it is looked at in every tick, that all which is told is of all bodies or of
// none, and that looking takes no memory once there is some.
func TestInspectChangesNothing(t *testing.T) {
	for _, seat := range []Seat{AtClient, AtHost} {
		for _, s := range Strategies {
			a := open(t, config(t, "katamari:cubes=60", "wifi-bad", seat), s.Name)
			b := open(t, config(t, "katamari:cubes=60", "wifi-bad", seat), s.Name)
			var l predict.Inspection
			for i := range 240 {
				e := Entry{Inputs: []sim.Input{{Buttons: sim.Pull | sim.Buttons(1<<(i/30%4))}}}
				a.Panes[0].Inspect(&l)
				a.Tick(e)
				b.Tick(e)
				a.Panes[0].Inspect(&l)
				for what, n := range map[string]int{"priorities": len(l.Priority), "ages": len(l.Age), "moves": len(l.Moving), "codings": len(l.Encoding), "owners": len(l.Owner)} {
					if n != 0 && n != 61 {
						t.Fatalf("%s tells %d %s of 61 bodies", s.Name, n, what)
					}
				}
			}
			if a.Hash() != b.Hash() {
				t.Errorf("%s: looking changes the session", s.Name)
			}
			if n := testing.AllocsPerRun(10, func() { a.Panes[0].Inspect(&l) }); n != 0 {
				t.Errorf("%s: %v allocations", s.Name, n)
			}
		}
	}
}

// TestSnapshotAge says that the age of a body among snapshots is at most the ticks
// between two of them while all come, and grows by one a tick while none does.
func TestSnapshotAge(t *testing.T) {
	for _, spec := range []string{"snapshot:snapshot-every=6", "snapshot:snapshot-every=6:interpolation=none"} {
		l := open(t, config(t, "zen", "latency=50ms", AtClient), spec)
		run(t, l, 120)
		var look predict.Inspection
		for range 60 {
			run(t, l, 1)
			if l.Panes[0].Inspect(&look); look.Age[0] < 0 || look.Age[0] > 6 {
				t.Errorf("%s: age %d", spec, look.Age[0])
			}
		}
		l.Apply(Command{Verb: "blackout", Pane: AllPanes, Value: "5s"})
		run(t, l, 60)
		l.Panes[0].Inspect(&look)
		was := look.Age[0]
		run(t, l, 30)
		if l.Panes[0].Inspect(&look); was < 20 || look.Age[0] != was+30 {
			t.Errorf("%s: in a burst %d, half a second later %d", spec, was, look.Age[0])
		}
	}
}

// BenchmarkInspect tells what it takes to ask about 901 bodies, once a tick while
// something of it is shown.
func BenchmarkInspect(b *testing.B) {
	for _, spec := range []string{"statesync:compression=delta", "snapshot", "rewind"} {
		b.Run(spec, func(b *testing.B) {
			l := open(b, config(b, "katamari", "latency=50ms", AtHost), spec)
			for range 60 {
				l.Tick(Entry{})
			}
			var look predict.Inspection
			l.Panes[0].Inspect(&look)
			b.ReportAllocs()
			for b.Loop() {
				l.Panes[0].Inspect(&look)
			}
		})
	}
}
