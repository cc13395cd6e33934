package score

import (
	"math"
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/sim/scene"
)

// TestPathErrorAtJoint checks that path errors along a joint chain are measured by the number of
// joints, at the tick that the view claims to show, past or future; there are none where no joint
// connects a body to the player's cube.
func TestPathErrorAtJoint(t *testing.T) {
	for _, ahead := range []int{-7, 0, 9} {
		s := predicttest.Scene(t, "train:rods=5")
		w, future := predict.NewWorld(s, 60), predict.NewWorld(s, 60)
		var at [][]geom.Pose // by tick
		for range 400 {
			at = append(at, predict.AppendPoses(nil, future.Bodies()))
			future.Step(sim.Input{Buttons: sim.Forward})
		}
		var c Score
		for i := range 300 {
			var v predict.View
			tick := max(i+ahead, 0)
			v.Own = sim.Tick(tick).Moment()
			v.Bodies = append(v.Bodies, at[tick]...)
			for b := range v.Bodies {
				v.Predicted = append(v.Predicted, true)
				if b <= 5 {
					v.Bodies[b].Pos.X += 0.1 * float32(b) // 10 cm a joint
				}
			}
			c.Add(w, &v, 0)
			w.Step(sim.Input{Buttons: sim.Forward})
		}
		for _, depth := range []int{1, 4} {
			if e, ok := c.PathErrorAtJoint(depth); !ok || math.Abs(e-0.1*float64(depth)) > 1e-3 {
				t.Errorf("%d ticks ahead, joint %d: %v m", ahead, depth, e)
			}
		}
		if _, ok := c.PathErrorAtJoint(16); ok {
			t.Error("a chain of five has a sixteenth joint")
		}
	}
	var c Score
	w := predict.NewWorld(scene.Templates[0].Build(), 60)
	for range 100 {
		c.Add(w, &predict.View{Bodies: predict.AppendPoses(nil, w.Bodies())}, 0)
	}
	if _, ok := c.PathErrorAtJoint(1); ok {
		t.Error("a scene without joints has a first joint")
	}
}
