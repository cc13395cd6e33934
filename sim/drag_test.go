package sim_test

import (
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// dragTicks drags body i of a world for some ticks of the rate, by a point, to a target.
func dragTicks(w *sim.World, ticks, i int, point, target geom.Vec3) {
	for range ticks {
		w.DragBody(i, point, target)
		w.Step()
	}
}

// TestDragBody promises that a dragged body wakes, that its point is within 10 cm of the target after a second, at
// every rate and for a corner and the centre alike, that it hangs there calmly, and that it flies on when it is
// released in motion.
func TestDragBody(t *testing.T) {
	target := geom.Vec3{X: 1.5, Y: 6, Z: 3}
	for _, rate := range []int{10, 30, 60, 240} {
		for _, point := range []geom.Vec3{{}, {X: 0.2, Y: 0.2, Z: 0.2}} {
			w := sim.New(yardScene(), rate)
			for range 2 * rate {
				w.Step()
			}
			const top = 14 // of the pyramid
			if !w.Bodies()[top].Asleep {
				t.Fatal("the pyramid does not sleep")
			}
			dragTicks(w, 2*rate, top, point, target)
			b := w.Bodies()[top]
			off := b.Pose.Pos.Add(b.Pose.Rot.Rotate(point)).Sub(target).Len()
			calm := 0.3 + 0.5*w.Scene().Gravity/float32(rate) // it falls and is held in every tick
			if b.Asleep || off > 0.1 || b.Linear.Len() > calm {
				t.Errorf("rate %d, point %v: asleep %t, %.3f m off, %.2f m/s", rate, point, b.Asleep, off, b.Linear.Len())
			}
			for k := range rate / 2 {
				w.DragBody(top, point, target.AddScaled(float32(k+1)*10/float32(rate), geom.Vec3{X: 1}))
				w.Step()
			}
			if v := w.Bodies()[top].Linear.X; v < 5 || v > 15 {
				t.Errorf("rate %d, point %v: released with %.1f m/s, want about 10", rate, point, v)
			}
			before := w.Bodies()[top].Pose.Pos.X
			for range rate / 5 {
				w.Step()
			}
			if flown := w.Bodies()[top].Pose.Pos.X - before; flown < 0.8 {
				t.Errorf("rate %d, point %v: it flew on by %.2f m", rate, point, flown)
			}
		}
	}
}

// TestDragBodyLimits promises that no drag gives a body more than the scene's speeds, and that kinematic bodies stay.
func TestDragBodyLimits(t *testing.T) {
	w := sim.New(yardScene(), 60)
	limit := w.Scene().MaxLinearSpeed
	w.SetKinematic(3, true)
	before := w.Bodies()[3]
	for k := range 600 {
		far := geom.Vec3{X: float32(1 - k%2*2), Y: 0.5, Z: 0.1}.Scale(1e4)
		for _, i := range []int{0, 3, 14} {
			w.DragBody(i, geom.Vec3{X: 100, Z: -100}, far)
			if b := w.Bodies()[i]; !(b.Linear.Len() <= 1.001*limit) || !(b.Angular.Len() <= 1.001*w.Scene().MaxAngularSpeed) {
				t.Fatalf("tick %d: body %d has %v m/s, %v rad/s", k, i, b.Linear.Len(), b.Angular.Len())
			}
		}
		w.Step()
		for i, b := range w.Bodies() {
			if !b.Pose.Pos.IsFinite() || !b.Pose.Rot.IsFinite() {
				t.Fatalf("tick %d: body %d is at %v", k, i, b.Pose)
			}
		}
	}
	if w.Bodies()[3] != before {
		t.Errorf("a kinematic body went from %v to %v", before, w.Bodies()[3])
	}
}
