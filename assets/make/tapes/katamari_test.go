package main

import (
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// countNear counts the cubes whose centres are within a radius of the first player's.
func countNear(w *predict.World, within float32) int {
	n := 0
	for i := w.Scene().Players; i < len(w.Bodies()); i++ {
		if w.Bodies()[i].Pose.Pos.Sub(w.Bodies()[0].Pose.Pos).Len() < within {
			n++
		}
	}
	return n
}

// katamariStats are the measurements of a tape in katamari.
type katamariStats struct {
	ticks          int     // since the first key
	gatheredTicks  int     // of them with at least 60 cubes within 2.5 m
	movedBodies    int     // bodies that moved in a tick, over all those ticks
	nearMax        int     // cubes within 2.5 m
	distance       float64 // metres along the ground, by steps of a second
	displacedAtEnd int     // cubes moved by half a metre or more at the end
	airborneTicks  int     // ticks with the cube half a metre above the ground
	displaced      int     // cubes that were moved by a metre or more at some time
}

func measureKatamari(t *testing.T, name string, late int) katamariStats {
	var m katamariStats
	var start, last []sim.Body
	var moved []bool
	var at geom.Vec3
	pressed := false
	stepTape(t, name, late, func(w *predict.World, in []sim.Input) {
		b := w.Bodies()
		if start == nil {
			start, last = append(start, b...), append(last, b...)
			moved = make([]bool, len(b))
		}
		if pressed = pressed || in != nil && in[0].Buttons != 0; !pressed {
			copy(last, b)
			at = b[0].Pose.Pos
			return
		}
		n := countNear(w, 2.5)
		m.nearMax = max(m.nearMax, n)
		if n >= 60 {
			m.gatheredTicks++
		}
		if clearance(&b[0]) > 0.5 {
			m.airborneTicks++
		}
		m.displacedAtEnd = 0
		for i := range b {
			if b[i].Pose != last[i].Pose {
				m.movedBodies++
			}
			d := b[i].Pose.Pos.Sub(start[i].Pose.Pos).Len()
			if i > 0 && d > 0.5 {
				m.displacedAtEnd++
			}
			if i > 0 && d > 1 && !moved[i] {
				moved[i] = true
				m.displaced++
			}
		}
		if m.ticks++; m.ticks%60 == 0 {
			d := b[0].Pose.Pos.Sub(at)
			d.Z = 0
			m.distance += float64(d.Len())
			at = b[0].Pose.Pos
		}
		copy(last, b)
	})
	ticks := float64(m.ticks)
	moving := float64(m.movedBodies) / ticks
	t.Logf("%s, %d ticks late: %d ticks from the first key", name, late, m.ticks)
	t.Logf("%.1f bodies of %d move in a tick, %.1f %%", moving, len(start), 100*moving/float64(len(start)))
	t.Logf("60 cubes within 2.5 m in %.0f %% of the ticks, %d at most", 100*float64(m.gatheredTicks)/ticks, m.nearMax)
	t.Logf("%.0f m; %d cubes moved in the end, %d cleared", m.distance, m.displacedAtEnd, m.displaced)
	t.Logf("in the air in %.0f %%", 100*float64(m.airborneTicks)/ticks)
	return m
}

// TestKatamari checks that a ball of cubes is gathered.
func TestKatamari(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	if m := measureKatamari(t, "katamari", 0); m.nearMax < 90 || m.gatheredTicks*2 < m.ticks {
		t.Errorf("%+v", m)
	}
}

// TestKatamariBall checks that a ball of cubes rolls through the grid for more than 2,837
// ticks after the first input: at least 60 cubes are near the player most of the time, a
// tenth of all bodies moves in the average tick, and the ball keeps growing.
func TestKatamariBall(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	m := measureKatamari(t, "katamari-ball", 5)
	if m.ticks < 2837 || m.gatheredTicks*4 < m.ticks*3 || m.nearMax < 120 || m.distance < 120 || m.displacedAtEnd < 200 || m.movedBodies*10 < m.ticks*901 {
		t.Errorf("%+v", m)
	}
}

// TestHover checks that the player is in the air for at least a third of the time, and blows
// away more than a hundred cubes.
func TestHover(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, late := range inputDelays() {
		if m := measureKatamari(t, "hover", late); m.airborneTicks*3 < m.ticks || m.displaced < 100 {
			t.Errorf("%d ticks late: %+v", late, m)
		}
	}
}
