package predict_test

import (
	"testing"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/scene"
)

// TestContactHertzHasAnEffect checks that every value of contact-hertz makes another world, up to the
// largest one, which depends on the tick rate and on the substeps of the scene.
func TestContactHertzHasAnEffect(t *testing.T) {
	for _, c := range []struct {
		scene string
		rate  int
		max   float64
	}{{"zen", 60, 30}, {"zen", 240, 120}, {"zen", 20, 10}, {"train", 60, 60}} {
		s, err := scene.Named(c.scene)
		if err != nil {
			t.Fatal(err)
		}
		hash := func(hertz float64) uint64 {
			w := predict.NewWorld(s, c.rate)
			var k predict.Knobs
			var solver predict.Solver
			k.Solver(&solver, w)
			if knob := k.Lookup("contact-hertz"); knob.Max != c.max || knob.Number() > knob.Max {
				t.Fatalf("%s at %d Hz: contact-hertz is %v of %v, want at most %v", c.scene, c.rate, knob.Number(), knob.Max, c.max)
			}
			solver.ContactHertz = hertz
			for range 2 * c.rate {
				solver.Step(w, sim.Input{Buttons: sim.Forward})
			}
			bodies, _ := w.Hash()
			return bodies
		}
		if hash(c.max) == hash(0.9*c.max) {
			t.Errorf("%s at %d Hz: contact-hertz has no effect below %v", c.scene, c.rate, c.max)
		}
	}
}
