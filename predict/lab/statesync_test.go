package lab

import (
	"os"
	"testing"
)

// katamariBall plays some seconds of the katamari ball at the host, and returns
// the panes.
func katamariBall(t *testing.T, weather string, seconds int, specs ...string) []*Pane {
	t.Helper()
	if testing.Short() {
		t.Skip("901 cubes for a while")
	}
	f, err := os.Open("../../assets/tapes/katamari-ball.tape")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tape, err := ReadTape(f)
	if err != nil {
		t.Fatal(err)
	}
	l := open(t, config(t, tape.Config.Scene, weather, AtHost), specs...)
	for _, e := range tape.Entries[:seconds*60] {
		if err := l.Tick(e); err != nil {
			t.Fatal(err)
		}
	}
	return l.Panes
}

func measured(t *testing.T, p *Pane, name string) float64 {
	t.Helper()
	for _, m := range p.Measures(nil) {
		if m.Name == name {
			return m.Value
		}
	}
	t.Fatal("no measure " + name)
	return 0
}

// TestQuantisingBothSides says, of 901 cubes and without smoothing, that where
// only the wire is quantised cubes pop, and that stepping both sides from the
// grid takes away more than nine tenths of what that adds; and that a coarse grid
// moves cubes by more than a fine one.
func TestQuantisingBothSides(t *testing.T) {
	p := katamariBall(t, "latency=50ms", 20, "statesync:smoothing=none:level=uncompressed", "statesync:smoothing=none:level=quantised",
		"statesync:smoothing=none", "statesync:smoothing=none:position-steps=512:rotation-bits=9")
	var pops, snaps [4]float64
	for i := range p {
		pops[i], snaps[i] = measured(t, p[i], "pop_energy_all_m2"), p[i].Meter.Value("snap_mean_m")
	}
	t.Logf("pop energy %.3g m2, updates move by %.3g m, updates a packet %.3g %.3g", pops, snaps, p[0].Meter.Value("updates_per_packet"), p[2].Meter.Value("updates_per_packet"))
	if pops[1] < 2*pops[0] || pops[2]-pops[0] > 0.1*(pops[1]-pops[0]) {
		t.Errorf("pop energy: %v", pops)
	}
	if snaps[2] > 0.1*snaps[1] || snaps[3] < 4*snaps[2] {
		t.Errorf("updates move bodies by: %v", snaps)
	}
	if a, b := p[0].Meter.Value("updates_per_packet"), p[1].Meter.Value("updates_per_packet"); b < 1.8*a {
		t.Errorf("%v updates a packet uncompressed, %v quantised", a, b)
	}
}

// TestStatesForked says that a copy of a session of any level goes the same way as
// its model, and that at rest it draws what the server has.
func TestStatesForked(t *testing.T) {
	for _, spec := range []string{"statesync:level=uncompressed:jitter-buffer=0", "statesync:level=quantised", "statesync:level=relative:priority=momentary",
		"statesync:level=delta", "statesync:level=delta:budget=48:velocities=off"} {
		a := open(t, config(t, "katamari:cubes=60", "latency=75ms,jitter=20ms,loss=10%,dup=5%,reorder=5%,reorder-by=40ms", AtHost), spec)
		run(t, a, 300)
		f := a.Fork()
		run(t, a, 300)
		run(t, f, 300)
		if a.Hash() != f.Hash() {
			t.Errorf("%s: the copy went another way", spec)
		}
		for range 600 {
			a.Tick(Entry{})
		}
		for i, b := range a.Panes[0].Truth.Bodies() {
			if d := a.Panes[0].Seats[0].View.Bodies[i].Pos.Sub(b.Pose.Pos).Len(); d > 0.001 {
				t.Errorf("%s: at rest body %d is drawn %v m from where it is", spec, i, d)
			}
		}
	}
}
