package validation

import (
	"math/rand/v2"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/scene"
)

// TestRandomPlayers steps every scene with random keys at 10 to 240 Hz, and the scenes in which that made impossible
// bodies once: no body is one that a client refuses.
func TestRandomPlayers(t *testing.T) {
	names := append(scene.Names(), "walker:rpm=60", "walker:mounted=1")
	seeds, ticks, most := uint64(1), 100, 100
	rates := []int{64}
	if experiment.Enabled() {
		seeds, ticks, most = 2, 240, 1000
		rates = []int{10, 20, 30, 64, 128, 240}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := predicttest.Scene(t, name)
			if len(s.Boxes) > most {
				t.Skip("too many bodies for a quick test")
			}
			for _, rate := range rates {
				for seed := range seeds {
					checkPlayers(t, s, rate, ticks, seed)
				}
			}
		})
	}
}

// checkPlayers steps a scene with random keys and checks the bodies after each tick.
func checkPlayers(t *testing.T, s sim.Scene, rate, ticks int, seed uint64) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	w := sim.New(s, rate)
	in := make([]sim.Input, s.Players)
	for tick := range ticks {
		for p := range in {
			switch {
			case tick == 0 && seed == 0:
				in[p].Buttons = sim.Forward | sim.Lift | sim.Right | sim.Pull
			case random.IntN(max(rate/6, 2)) == 0:
				in[p] = sim.Input{Buttons: sim.Buttons(random.Uint32()) & (sim.MoveButtons | sim.ActionButtons), Heading: uint8(random.Uint32())}
			}
		}
		w.Step(in...)
		for i := range w.Bodies() {
			if !Body(&w.Bodies()[i], w.Scene()) {
				t.Fatalf("%d Hz, seed %d, tick %d: body %d: %+v", rate, seed, tick, i, w.Bodies()[i])
			}
		}
	}
}
