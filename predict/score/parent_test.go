package score

import (
	"math"
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// shipScene is a session on a ship at 50 m/s with the player's cube at a fixed position in the
// ship's frame, and drawn at a given offset from it.
type shipScene struct {
	drawnOffset func(tick int) geom.Vec3 // metres, in the drawn ship's frame
	cubeLead    int                      // ticks by which the drawn cube is ahead of the server
	shipLead    int                      // ticks by which the drawn ship is ahead of the server
}

func (s *shipScene) score(t *testing.T, spec string, ticks int) *Score {
	t.Helper()
	r := predicttest.Scene(t, spec)
	w := predict.NewWorld(r, 60)
	path := &r.Carriers[0].Path
	position := geom.Vec3{Y: 6, Z: 0.87}
	var c Score
	for tick := range ticks {
		w.SetTick(sim.Tick(tick + 900))
		b := w.Bodies()[0]
		b.Pose = path.Pose(geom.Pose{Pos: position, Rot: geom.Identity}, w.Tick(), 60)
		w.SetBody(0, b)
		var v predict.View
		v.ShowTick(w.Tick() + sim.Tick(s.shipLead))
		v.Bodies = predict.AppendPoses(v.Bodies, w.Bodies())
		v.Predicted = make([]bool, len(v.Bodies))
		v.Predicted[0], v.Own = true, (w.Tick() + sim.Tick(s.cubeLead)).Moment()
		at := position
		if s.drawnOffset != nil {
			at = at.Add(s.drawnOffset(tick))
		}
		v.Bodies[0] = path.PoseAt(geom.Pose{Pos: at, Rot: geom.Identity}, v.Carriers, 60)
		c.Add(w, &v, 0)
	}
	return &c
}

// TestParentError checks that a cube drawn at its position in its ship has no error, however far it is
// ahead of the server and however late the ship is drawn. A cube drawn a metre away from it has an
// error of one metre, one drawn ten metres behind is outside, and one that jumps by a third of a
// metre in the ship pops once. A scene without parents has no such measures.
func TestParentError(t *testing.T) {
	constant := func(v geom.Vec3) func(int) geom.Vec3 { return func(int) geom.Vec3 { return v } }
	for _, c := range []struct {
		what               string
		r                  shipScene
		outside, rms, pops float64
	}{
		{"no error", shipScene{}, 0, 0, 0},
		{"cube ahead, ship late", shipScene{cubeLead: 12, shipLead: -10}, 0, 0, 0},
		{"late", shipScene{cubeLead: -20, shipLead: -20}, 0, 0, 0},
		{"a metre beside", shipScene{drawnOffset: constant(geom.Vec3{X: 1}), cubeLead: 12, shipLead: -10}, 0, 1, 0},
		{"outside", shipScene{drawnOffset: constant(geom.Vec3{X: -10}), cubeLead: 12, shipLead: -10}, 4, 10, 0},
		{"outside for a second", shipScene{drawnOffset: func(i int) geom.Vec3 {
			return geom.Vec3{X: -10 * float32(i/60%4/3)}
		}}, 1, 5, -1},
		{"one jump", shipScene{drawnOffset: func(i int) geom.Vec3 {
			return geom.Vec3{Y: float32(min(max(i-150, 0), 1)) / 3}
		}, shipLead: -10}, 0, -1, 1},
	} {
		e := &c.r.score(t, "ship:distance=530", 60+240).parents
		if e.ticks != 240 {
			t.Errorf("%s: %d ticks in the ship", c.what, e.ticks)
		}
		if math.Abs(float64(e.wrongTicks)/60-c.outside) > 0.25 {
			t.Errorf("%s: outside for %d ticks", c.what, e.wrongTicks)
		}
		if rms := e.pathError.rms(); c.rms >= 0 && math.Abs(rms-c.rms) > 0.01 {
			t.Errorf("%s: %v m off", c.what, rms)
		}
		if n := e.mostPops(); c.pops >= 0 && float64(n) != c.pops {
			t.Errorf("%s: %d pops", c.what, n)
		}
	}
	var c Score
	w := predict.NewWorld(mustScene(t, "plain"), 60)
	for range 100 {
		w.Step()
		c.Add(w, &predict.View{Bodies: predict.AppendPoses(nil, w.Bodies())}, 0)
	}
	if c.parents.ticks > 0 {
		t.Error("a scene without parents has a parent error")
	}
}

func mustScene(t *testing.T, name string) sim.Scene {
	t.Helper()
	s := predicttest.Scene(t, name)
	return s
}
