package sim_test

import (
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/scene"
)

// TestContactsAreUnique checks in every scene that no pair of shapes ever has two manifolds, also
// if bodies become kinematic while carriers move, if they are pinned, and if the tick jumps.
func TestContactsAreUnique(t *testing.T) {
	t.Parallel()
	specs := append(scene.Names(), "turntable:aboard=1", "ship:distance=530", "ship:platform=1")
	for _, name := range specs {
		w := newWorld(t, name)
		var saved sim.State
		step := func(ticks int) {
			for range ticks {
				w.Step(sceneInput(name, w.Tick()))
				if err := w.CheckContacts(); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
		}
		ticks := max(10, tickBudget(name, 60))
		step(ticks)
		w.Save(&saved)
		makeAllKinematic(w)
		step(ticks)
		w.PinCarriers(w.Tick().Moment() / 2)
		step(2)
		w.PinCarriers(w.Tick().Moment())
		step(ticks)
		w.Load(&saved)
		for i := range w.Bodies() {
			w.SetKinematic(i, i%2 == 1)
		}
		w.UnpinCarriers()
		step(ticks)
		w.SetTick(w.Tick() + 1000)
		step(ticks)
	}
}
