package lab_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ghostcube/internal/experiment"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
	"ghostcube/sim/scene"
)

// TestContactsAreUnique lets players hold random keys, pull and lift included, in every strategy, in
// scenes with carriers and joints, and with GHOSTCUBE_CI for a second in every scene. No pair of shapes
// has two contacts in any world, nothing panics, and all bodies stay inside the scene. TestRandomPlayers
// does the same for longer.
func TestContactsAreUnique(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	scenes, ticks := []string{"ship:platform=1", "turntable:aboard=1", "train"}, 200
	if experiment.Enabled() {
		scenes, ticks = append(scenes, scene.Names()...), 60
	}
	for i, scene := range scenes {
		for j, s := range Strategies {
			if (i+j)%experiment.Pick(1, 4, 1) != 0 {
				continue
			}
			f := &soakSession{T: t, rng: rand.New(rand.NewPCG(uint64(i), uint64(j)))}
			f.lab = New(labtest.Config(t, scene, "latency=75ms", AtClient))
			if _, err := f.lab.Open(s.Name); err != nil {
				continue // TestBodyLimits: the scene is too large for the strategy
			}
			f.pane, f.in = f.lab.Panes[0], make([]sim.Input, f.lab.Players())
			f.label = fmt.Sprintf("%s, %s", scene, s.Name)
			for range ticks {
				f.randomKeys()
				f.step()
			}
		}
	}
}
