package main

import (
	"math"
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestStartStop checks that the cube gains speed and then rolls out nearly to rest, 22 times
// or more.
func TestStartStop(t *testing.T) {
	for _, late := range inputDelays() {
		starts, fast := 0, false
		stepTape(t, "start-stop", late, func(w *predict.World, _ []sim.Input) {
			switch v := w.Bodies()[0].Linear.Len(); {
			case v > 3:
				fast = true
			case v < 0.3 && fast:
				fast, starts = false, starts+1
			}
		})
		if starts < 22 {
			t.Errorf("%d ticks late: stopped %d times", late, starts)
		}
	}
}

// winding counts the turns of a path around a point, counter-clockwise.
type winding struct {
	x, y, last, sum float64
}

func (w *winding) add(p geom.Vec3) {
	a := math.Atan2(float64(p.Y)-w.y, float64(p.X)-w.x)
	w.sum += math.Remainder(a-w.last, 2*math.Pi) / (2 * math.Pi)
	w.last = a
}

// TestCircle checks that the cube makes about 13 turns.
func TestCircle(t *testing.T) {
	for _, late := range inputDelays() {
		laps := winding{y: -0.75}
		stepTape(t, "circle", late, func(w *predict.World, _ []sim.Input) { laps.add(w.Bodies()[0].Pose.Pos) })
		labtest.Report(t, laps.sum < 12.5, "%d ticks late: %.1f times round", late, laps.sum)
	}
}

// TestTurns checks that the cube's velocity turns within half a second by more than 120
// degrees, and by 60 to 120 degrees, a dozen times each.
func TestTurns(t *testing.T) {
	for _, late := range inputDelays() {
		var past []geom.Vec3 // velocities
		back, aside, since := 0, 0, 0
		stepTape(t, "turns", late, func(w *predict.World, _ []sim.Input) {
			v := w.Bodies()[0].Linear
			v.Z = 0
			past = append(past, v)
			if since++; since < 30 || len(past) <= 30 {
				return
			}
			was := past[len(past)-31]
			if v.Len() < 2 || was.Len() < 2 {
				return
			}
			switch cos := v.Dot(was) / (v.Len() * was.Len()); {
			case cos < -0.5:
				back, since = back+1, 0
			case cos < 0.5:
				aside, since = aside+1, 0
			}
		})
		labtest.Report(t, back < 12 || aside < 12, "%d ticks late: %d times back, %d times aside", late, back, aside)
	}
}

// TestFigureEight checks that the path turns left around one point and right around another,
// and that the heading makes whole turns in both directions.
func TestFigureEight(t *testing.T) {
	for _, late := range inputDelays() {
		east, west := winding{x: 2, y: -0.75}, winding{x: -2, y: -0.75}
		var last uint8
		left, right, changes := 0, 0, 0
		stepTape(t, "figure-eight", late, func(w *predict.World, in []sim.Input) {
			east.add(w.Bodies()[0].Pose.Pos)
			west.add(w.Bodies()[0].Pose.Pos)
			if in == nil || in[0].Buttons == 0 {
				return
			}
			if in[0].Buttons != sim.Forward {
				t.Fatalf("input %v", in[0])
			}
			switch d := int(int8(in[0].Heading - last)); {
			case d > 0:
				left, changes = left+d, changes+1
			case d < 0:
				right, changes = right-d, changes+1
			}
			last = in[0].Heading
		})
		labtest.Report(t, east.sum*west.sum > 0 || math.Abs(east.sum) < 4 || math.Abs(west.sum) < 4,
			"%d ticks late: %.1f and %.1f times round, %d changes of heading, 1/256 turns: %d left, %d right",
			late, east.sum, west.sum, changes, left, right)
		if changes < 150 || left < 4*sim.HeadingSteps || right < 4*sim.HeadingSteps {
			t.Errorf("%d changes of heading, 1/256 turns: %d left, %d right", changes, left, right)
		}
	}
}

// TestJump checks that the cube rises by a third of a metre and lands again, 23 times.
func TestJump(t *testing.T) {
	for _, late := range inputDelays() {
		hops, up := 0, false
		top := float32(0)
		stepTape(t, "jump", late, func(w *predict.World, _ []sim.Input) {
			c := clearance(&w.Bodies()[0])
			top = max(top, c)
			switch {
			case c > 0.33:
				up = true
			case c < 0.02 && up:
				up, hops = false, hops+1
			}
		})
		labtest.Report(t, hops < 23, "%d ticks late: %d hops, the highest %.2f m", late, hops, top)
	}
}
