package main

import (
	"slices"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestChains checks that the chain sleeps at the first input, that the rolling cube drags all
// of it around the circle, that the hovering cube lifts a part of it and swings it, and that
// joints separate only a little.
func TestChains(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, c := range []struct {
		name           string
		lifted, fewest int // ticks with rods a metre above the ground, and the number of those rods
	}{{"chain-tow", 0, 0}, {"chain-swing", 600, 2}} {
		for _, late := range inputDelays() {
			var round, ends winding
			tick, lifted, moved := 0, 0, 0
			torn := float32(0)
			var from geom.Vec3
			stepTape(t, c.name, late, func(w *predict.World, _ []sim.Input) {
				b := w.Bodies()
				last := len(b) - 1
				if tick++; tick == chainAsleepTick {
					for i := range b {
						if !b[i].Asleep {
							t.Errorf("%s, %d ticks late: body %d is awake", c.name, late, i)
						}
					}
					from = b[last].Pose.Pos
				}
				round.add(b[0].Pose.Pos.Sub(geom.Vec3{Y: 5}))
				ends.add(b[last].Pose.Pos.Sub(geom.Vec3{Y: 5}))
				up := 0
				for i := 1; i <= last; i++ {
					if b[i].Pose.Pos.Z > 1 {
						up++
					}
				}
				if up >= max(c.fewest, 1) {
					lifted++
				}
				if tick > chainAsleepTick && b[last].Pose.Pos.Sub(from).Len() > 1 {
					moved++
				}
				for i := range w.Scene().Joints {
					x, y := w.JointAnchors(i)
					torn = max(torn, x.Sub(y).Len())
				}
			})
			wrong := torn > 0.02 || moved < 300 || lifted < c.lifted || c.name == "chain-tow" && (round.sum < 2 || lifted > 300)
			labtest.Report(t, wrong,
				"%s, %d ticks late: %.2f times round, its end %.2f, %d ticks lifted, the end moved in %d, torn %.4f m",
				c.name, late, round.sum, ends.sum, lifted, moved, torn)
		}
	}
}

// TestHaul checks that the sled drives and stops, three times or more, and keeps its cube.
func TestHaul(t *testing.T) {
	for _, late := range inputDelays() {
		stops, fast, distance := 0, false, float32(0)
		var start []sim.Body
		stepTape(t, "haul", late, func(w *predict.World, _ []sim.Input) {
			b := w.Bodies()
			if start == nil {
				start = slices.Clone(b)
			}
			distance = max(distance, b[1].Pose.Pos.Sub(b[0].Pose.Pos).Len())
			switch v := b[0].Linear.Len(); {
			case v > 3:
				fast = true
			case b[0].Asleep && fast:
				fast, stops = false, stops+1
			}
		})
		labtest.Report(t, stops < 3 || distance > start[1].Pose.Pos.Sub(start[0].Pose.Pos).Len()+0.1,
			"%d ticks late: stopped %d times, the cube at most %.2f m from the centre of the sled",
			late, stops, distance)
	}
}
