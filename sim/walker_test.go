package sim_test

import (
	"testing"

	"ghostcube/sim/geom"
)

// TestWalkers checks that the walkers of a crowd walk about, upright and within their range, and that in a
// world that does not run their scripts they stand.
func TestWalkers(t *testing.T) {
	for _, run := range []bool{true, false} {
		w := newWorld(t, "crowd:walkers=60")
		w.RunWalkers(run)
		moving, ticks := 0, shortTicks(600)
		for tick := range ticks {
			w.Step()
			for i := 1; i <= w.Scene().Walkers; i++ {
				b := &w.Bodies()[i]
				if b.Linear.Len() > 1 {
					moving++
				}
				if b.Pose.Rot.X != 0 || b.Pose.Rot.Y != 0 || b.Pose.Pos.Len() > 24 || geom.Abs(b.Pose.Pos.Z-0.9) > 3 {
					t.Fatalf("tick %d: walker %d is %+v", tick, i, *b)
				}
			}
		}
		if share := float64(moving) / float64(60*ticks); run && share < 0.5 || !run && share > 0 {
			t.Errorf("scripts run: %v; the walkers move %.0f %% of the time", run, 100*share)
		}
	}
}
