package score

import (
	"math"
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// withinShare reports whether got differs from want by at most a share of want.
func withinShare(got, want, share float64) bool { return within(got, want, share*math.Abs(want)) }

// within reports whether got differs from want by at most the tolerance. NaN does not.
func within(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance }

// stopAndGo moves at 4 m/s for a second and a half, then rests for as long, and repeats.
func stopAndGo(t float64) float64 {
	cycle := math.Floor(t / 3)
	return 6*cycle + 4*math.Min(t-3*cycle, 1.5)
}

// TestStops compares the overshoot with motion drawn late, ahead, and past the
// server's cube by an offset that decays.
func TestStops(t *testing.T) {
	server := along(60, stopAndGo)
	decays := func(i int) geom.Pose {
		p := server(i)
		if k := i%180 - 91; k >= 0 { // the first tick at rest
			p.Pos.X += float32(0.3 * math.Pow(0.9, float64(k)))
		}
		return p
	}
	for _, c := range []struct {
		name      string
		drawn     func(i int) geom.Pose
		overshoot float64
	}{
		{"no error", server, 0},
		{"late", delayed(server, 12), 0},
		{"ahead", delayed(server, -12), 0}, // and moves on before the server's cube
		{"beyond", decays, 0.3},
		{"beside", func(i int) geom.Pose { return shiftedY(server(i), 0.05) }, 0},
		{"nearly", func(i int) geom.Pose { return shiftedY(server(i), 0.015) }, 0},
	} {
		overshoot, ok := runOne(t, 60, 30, server, c.drawn).Overshoot()
		if !ok || !within(overshoot, c.overshoot, 1e-3) {
			t.Errorf("%s: %v m, %v; want %v m", c.name, overshoot, ok, c.overshoot)
		}
	}
	// Overshoot is measured along the direction of motion, whatever jump aside the server's cube
	// makes.
	jumps := func(f func(i int) geom.Pose) func(i int) geom.Pose {
		return func(i int) geom.Pose { return shiftedY(f(i), float32((i+90)/180)) }
	}
	if overshoot, ok := runOne(t, 60, 30, jumps(server), jumps(decays)).Overshoot(); !ok || !within(overshoot, 0.3, 1e-3) {
		t.Errorf("jumping aside: %v m, %v", overshoot, ok)
	}
}

// TestStallIsNoStop checks that a server's cube that stands because its server does not tick has
// not stopped; one that stands for as long while its server ticks has.
func TestStallIsNoStop(t *testing.T) {
	for _, ticks := range []bool{false, true} {
		p := newSession(t, 60, 1)
		label := sim.Tick(0)
		for i := range 300 {
			x := min(i, 150) + max(0, i-190)
			if ticks || i <= 150 || i > 190 {
				label++
			}
			p.world.SetBody(0, sim.Body{Pose: poseAt(float64(x) / 15)})
			p.world.SetTick(label)
			p.view.ShowTick(sim.Tick(i))
			p.view.Bodies[0] = poseAt(float64(i) / 15)
			p.score.Add(p.world, &p.view, 0)
		}
		if _, ok := p.score.Overshoot(); ok != ticks {
			t.Errorf("ticking %v: a stop, %v", ticks, ok)
		}
	}
}

// TestNoStop checks that turning back is no stop, nor is rest, creeping, or a jump at rest.
func TestNoStop(t *testing.T) {
	rest := func(int) geom.Pose { return poseAt(1) }
	for name, server := range map[string]func(i int) geom.Pose{
		"turns": oscillation(60, 1, 3),
		"rests": rest,
		"creep": along(60, func(t float64) float64 { return 0.9 * math.Min(t-math.Floor(t/3)*2, 10) }),
		"jumps": func(i int) geom.Pose { return shiftedY(rest(i), float32(i/100)) },
	} {
		if _, ok := runOne(t, 60, 20, server, rest).Overshoot(); ok {
			t.Errorf("%s: a stop", name)
		}
	}
}
