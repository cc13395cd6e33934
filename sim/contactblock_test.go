package sim_test

import (
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/sim"
	"ghostcube/sim/scene"
)

// TestContactBlocks steps worlds that solve contacts in blocks beside worlds that solve them one by one, and compares the
// hashes of bodies and contacts in each tick, with usual settings, another order, no warm start, and hard limits.
func TestContactBlocks(t *testing.T) {
	t.Parallel()
	if !sim.HasBlocks {
		t.Skip("this processor solves contacts one by one")
	}
	names, ticks := scene.Names(), 100
	if experiment.Brief() {
		names, ticks = []string{"katamari", "heap"}, 40
	}
	settings := []func(*sim.Settings){
		func(*sim.Settings) {},
		func(s *sim.Settings) { s.SolveOrderSeed = 5 },
		func(s *sim.Settings) { s.ColdStart, s.Substeps = true, 1 },
		func(s *sim.Settings) { s.MaxPushSpeed, s.ContactHertz = 0, 60 },
	}
	for i, name := range names {
		used := 0
		blocks, oneByOne := newWorld(t, name), newWorld(t, name)
		sim.SolveOneByOne(oneByOne)
		for tick := range ticks {
			for _, w := range []*sim.World{blocks, oneByOne} {
				if tick == ticks/2 {
					settings[1+i%3](&w.Settings)
				}
				w.Step(sceneInput(name, w.Tick()))
			}
			if sim.UsesBlocks(blocks) {
				used++
			}
			bodies, contacts := blocks.Hash()
			if b, c := oneByOne.Hash(); b != bodies || c != contacts {
				t.Fatalf("%s, tick %d: the hashes differ", name, tick)
			}
		}
		if name == "heap" && used < ticks/2 {
			t.Errorf("%s solves contacts in blocks in %d of %d ticks", name, used, ticks)
		}
	}
}
