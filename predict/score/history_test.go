package score

import (
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestPathErrorAll holds the distance from the truth at the label against
// pictures whose distance is known: the truth late, beside it, or under a wrong
// label. What has never moved is not in it; a label that is ahead, or older than
// what is remembered, is told nothing of.
func TestPathErrorAll(t *testing.T) {
	goes := along(60, func(t float64) float64 { return 3 * t })
	rest := func(int) geom.Pose { return poseAt(-40) }
	for _, c := range []struct {
		name      string
		label     int // ticks behind the truth
		shows     int // ticks behind the truth, too
		off       func(i int) float32
		rms, most float64
		ok        bool
	}{
		{"the truth", 0, 0, func(int) float32 { return 0 }, 0, 0, true},
		{"late", 40, 40, func(int) float32 { return 0 }, 0, 0, true},
		{"as late as can be", 127, 127, func(int) float32 { return 0 }, 0, 0, true},
		{"later", 128, 128, func(int) float32 { return 0 }, 0, 0, false},
		{"ahead", -1, -1, func(int) float32 { return 0 }, 0, 0, false},
		{"beside", 8, 8, func(int) float32 { return 0.25 }, 0.25, 0.25, true},
		{"now and then beside", 8, 8, func(i int) float32 { return float32(i % 4 / 3) }, 0.5, 1, true},
		{"two ticks later than it says", 8, 10, func(int) float32 { return 0 }, 0.1, 0.1, true},
	} {
		p := newSession(t, 60, 2)
		for i := range 60 + 600 {
			at := max(i-c.shows, 0)
			p.world.SetBody(0, sim.Body{Pose: goes(i)})
			p.world.SetBody(1, sim.Body{Pose: rest(i)})
			p.view.Bodies[0] = shiftedY(goes(at), c.off(i))
			p.view.Bodies[1] = shiftedY(rest(at), 7)
			p.world.SetTick(sim.Tick(i + 200))
			p.view.Tick = sim.Tick(i + 200 - c.label)
			p.score.Add(p.world, &p.view, 0)
		}
		rms, most, ok := p.score.PathErrorAll()
		if ok != c.ok || !within(rms, c.rms, 1e-4) || !within(most, c.most, 1e-4) {
			t.Errorf("%s: %v m, at most %v, %v; want %v, %v, %v", c.name, rms, most, ok, c.rms, c.most, c.ok)
		}
		var d Score
		d.CopyFrom(&p.score)
		p.score.Add(p.world, &p.view, 0)
		d.Add(p.world, &p.view, 0)
		if allMeasures(&d) != allMeasures(&p.score) {
			t.Errorf("%s: a copy goes on otherwise", c.name)
		}
		if n := testing.AllocsPerRun(20, func() { p.score.Add(p.world, &p.view, 0) }); n != 0 {
			t.Errorf("%s: %v allocations", c.name, n)
		}
	}
}
