package lab_test

import (
	"testing"

	"ghostcube/internal/golden"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// The functions with comments behind their lines are the pseudo-code of the guide to latency. The others are what one of its
// words stands for.

func keyToScreen(game *Lab, keys func(t int) sim.Input) int { // key_to_screen(game, keys):  # keys: one is pressed in its next tick
	a, b := game.Fork(), game.Fork() // a = copy(game); b = copy(game)
	for t := range 300 {             // for t = 0 .. 299:
		tick(a, keys(t))                     // a.tick(keys[t])
		tick(b, released(keys(t)))           // b.tick(keys[t] without the pressed one)
		if moved(screenOf(a), screenOf(b)) { // if picture(a) and picture(b) differ by more than 0.01 mm:
			return t // return t  # ticks; 0: the tick that takes the key
		}
	}
	return -1 // return never
}

func tick(l *Lab, in sim.Input) {
	if err := l.Tick(Entry{Inputs: []sim.Input{in}}); err != nil {
		panic(err)
	}
}

func released(in sim.Input) sim.Input {
	in.Buttons = 0
	return in
}

func screenOf(l *Lab) geom.Vec3 { return l.Panes[0].Clients[0].View.Bodies[0].Pos }

func moved(a, b geom.Vec3) bool { return a.Sub(b).Len() > 1e-5 }

// TestGuide compares the guide's figure with that of the laboratory, for strategies with and without prediction. The
// measurement must not change the session.
func TestGuide(t *testing.T) {
	golden.PseudoCode(t, "latency", "guide_test.go")
	for spec, want := range map[string]int{"noprediction": 10, "rewind": 0, "snapshot": 15, "lockstep:playout=0ms": 0, "statesync": 15} {
		l := labtest.Open(t, labtest.Config(t, "plain", "latency=75ms", AtClient), spec)
		labtest.Hold(t, l, 120, sim.Input{})
		entries := make([]Entry, 300)
		for i := range entries {
			entries[i].Inputs = []sim.Input{{Buttons: sim.Right}}
		}
		hash := l.Hash()
		got := keyToScreen(l, func(int) sim.Input { return sim.Input{Buttons: sim.Right} })
		if of := l.MeasureInputLatency(entries)[0]; got != of || got != want || l.Hash() != hash {
			t.Errorf("%s: the guide measures %d ticks, the laboratory %d, want %d", spec, got, of, want)
		}
	}
}
