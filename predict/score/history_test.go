package score

import (
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestPathErrorAll compares the path error of all bodies with known ones: the server's motion drawn
// late, beside it, or under a wrong tick. A body that has never moved is left out; so is a tick
// ahead of the server, or older than the history.
func TestPathErrorAll(t *testing.T) {
	moving := along(60, func(t float64) float64 { return 3 * t })
	rest := func(int) geom.Pose { return poseAt(-40) }
	for _, c := range []struct {
		name         string
		label        int // ticks by which the view's tick is behind the server's
		shows        int // ticks by which the drawn pose is behind
		offset       func(i int) float32
		rms, largest float64
		ok           bool
	}{
		{"no delay", 0, 0, func(int) float32 { return 0 }, 0, 0, true},
		{"late", 40, 40, func(int) float32 { return 0 }, 0, 0, true},
		{"the oldest remembered tick", 127, 127, func(int) float32 { return 0 }, 0, 0, true},
		{"a forgotten tick", 128, 128, func(int) float32 { return 0 }, 0, 0, false},
		{"ahead", -1, -1, func(int) float32 { return 0 }, 0, 0, false},
		{"beside", 8, 8, func(int) float32 { return 0.25 }, 0.25, 0.25, true},
		{"beside every fourth tick", 8, 8, func(i int) float32 { return float32(i % 4 / 3) }, 0.5, 1, true},
		{"two ticks older than claimed", 8, 10, func(int) float32 { return 0 }, 0.1, 0.1, true},
	} {
		p := newSession(t, 60, 2)
		for i := range 60 + 600 {
			at := max(i-c.shows, 0)
			p.world.SetBody(0, sim.Body{Pose: moving(i)})
			p.world.SetBody(1, sim.Body{Pose: rest(i)})
			p.view.Bodies[0] = shiftedY(moving(at), c.offset(i))
			p.view.Bodies[1] = shiftedY(rest(at), 7)
			p.world.SetTick(sim.Tick(i + 200))
			p.view.ShowTick(sim.Tick(i + 200 - c.label))
			p.score.Add(p.world, &p.view, 0)
		}
		rms, largest, ok := p.score.PathErrorAll()
		if ok != c.ok || !within(rms, c.rms, 1e-4) || !within(largest, c.largest, 1e-4) {
			t.Errorf("%s: %v m, at most %v, %v; want %v, %v, %v", c.name, rms, largest, ok, c.rms, c.largest, c.ok)
		}
		var d Score
		d.CopyFrom(&p.score)
		p.score.Add(p.world, &p.view, 0)
		d.Add(p.world, &p.view, 0)
		if allMeasures(&d) != allMeasures(&p.score) {
			t.Errorf("%s: a copy continues differently", c.name)
		}
		if n := testing.AllocsPerRun(20, func() { p.score.Add(p.world, &p.view, 0) }); n != 0 {
			t.Errorf("%s: %v allocations", c.name, n)
		}
	}
}
