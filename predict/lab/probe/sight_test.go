package probe_test

import (
	"testing"

	"ghostcube/predict"
	. "ghostcube/predict/lab/probe"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/sim/scene"
)

// TestSight checks the peeker's advantage against known pictures: one cube comes out from behind another body
// on one screen in tick 100 and on the other some ticks later. The faster cube is the peeker, and the
// advantage is negative if the slower one sees it first. A player who was hidden for a moment only, or
// whom the other one never sees, is no peek.
func TestSight(t *testing.T) {
	sc, err := scene.Named("two-players")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		own, other   sim.Tick // ticks in which the screens of players 0 and 1 show the other one
		hiddenBefore sim.Tick // since this tick
		faster       int      // player
		peeks        float64
		millis       float64
	}{
		"the peeker sees first":  {100, 122, 0, 0, 1, 22 * 1000.0 / 60},
		"the holder sees first":  {100, 106, 0, 1, 1, -100},
		"at once":                {100, 100, 0, 0, 1, 0},
		"never seen":             {100, 400, 0, 0, 0, 0},
		"later than a second":    {100, 161, 0, 0, 0, 0},
		"hidden for too short":   {100, 122, 90, 0, 0, 0},
		"hidden for long enough": {100, 122, 80, 0, 1, 22 * 1000.0 / 60},
	} {
		w := predict.NewWorld(sc, 60)
		moving := w.Bodies()[c.faster]
		moving.Linear = geom.Vec3{Y: 5}
		w.SetBody(c.faster, moving)
		var m predict.Counters
		var s Sight
		screen := func(shownFrom, now sim.Tick) *predict.View {
			v := &predict.View{Bodies: predict.AppendPoses(nil, w.Bodies())}
			for i := range v.Bodies {
				v.Bodies[i].Pos = geom.Vec3{X: 500 + 3*float32(i), Z: 1}
			}
			v.Bodies[0].Pos, v.Bodies[1].Pos = geom.Vec3{X: -6, Z: 1}, geom.Vec3{X: 6, Z: 1}
			if now >= c.hiddenBefore && now < shownFrom {
				v.Bodies[2].Pos = geom.Vec3{Z: 1} // between them
			}
			return v
		}
		for now := range sim.Tick(300) {
			s.Add(&m, w, now+1, []Screen{screen(c.own-1, now), screen(c.other-1, now)})
		}
		peeks, off := m.Value("peeks"), m.Value("peekers_advantage_ms")-c.millis
		if peeks != c.peeks || off > 0.01 || off < -0.01 {
			t.Errorf("%s: %v peeks, %v ms off, want %v, %v", name, peeks, off, c.peeks, c.millis)
		}
	}
}
