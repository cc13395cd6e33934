package score

import (
	"math"
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim/geom"
)

// TestGroundClearance checks that the clearance is that of the lowest corner. It is 0 for a cube
// that lies on the ground, stands on an edge or is in the ground, and the height of a cube drawn
// above the server's.
func TestGroundClearance(t *testing.T) {
	sc := predicttest.Scene(t, "plain")
	box := &sc.Boxes[0]
	edge := geom.Pose{Pos: geom.Vec3{Z: 0.75 * math.Sqrt2}, Rot: geom.AxisAngle(geom.Vec3{X: 1}, math.Pi/4)}
	for _, c := range []struct {
		at   geom.Pose
		want float32
	}{
		{geom.Pose{Pos: geom.Vec3{Z: 0.75}, Rot: geom.Identity}, 0}, {geom.Pose{Pos: geom.Vec3{Z: 0.5}, Rot: geom.Identity}, 0},
		{geom.Pose{Pos: geom.Vec3{X: 3, Z: 1.35}, Rot: geom.Identity}, 0.6}, {edge, 0},
	} {
		if got := clearance(&c.at, box); geom.Abs(got-c.want) > 1e-5 {
			t.Errorf("%v: %v m above the ground, want %v", c.at, got, c.want)
		}
	}
	w := predict.NewWorld(sc, 60)
	var score Score
	for i := range 180 {
		w.Step()
		v := predict.View{Others: w.Tick().Moment(), Bodies: predict.AppendPoses(nil, w.Bodies())}
		if i >= 120 {
			v.Bodies[0].Pos.Z += 0.6
		}
		score.Add(w, &v, 0)
	}
	mean, largest := score.GroundClearance()
	if serverMean, serverLargest := score.ServerGroundClearance(); math.Abs(mean-0.3) > 0.01 || math.Abs(largest-0.6) > 0.01 || serverMean > 0.005 || serverLargest > 0.005 {
		t.Errorf("%v and %v m above the ground, on the server %v and %v", mean, largest, serverMean, serverLargest)
	}
}
