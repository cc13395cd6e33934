package predicted

import (
	"testing"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestPaths says that a ship stands where it is shown in the client's world, in the
// past and without velocity, and the own cube that stands in it is left behind until
// the server's word comes; and that where the client knows the path, the ship is where
// its own tick has it and the cube goes along. That is not quite where the server has it
// when it uses the input, a tick sooner or later, so something is corrected there too.
// In both the ship is drawn where the client's world has it.
func TestPaths(t *testing.T) {
	for _, way := range []string{"shown", "known"} {
		r := newRig(t, "ship", "latency=100ms", "paths", way)
		aboard := r.env[0].World.Bodies()[0]
		aboard.Pose.Pos.Y, aboard.Pose.Pos.Z = 6, 0.12+0.75
		for _, e := range r.env {
			e.World.SetBody(0, aboard)
		}
		path := &r.env[0].World.Scene().Carriers[0].Path
		rear := 0.0
		for range 13 * 60 {
			r.run(1, nothing)
			var v predict.View
			r.c.View(&v)
			w := r.env[0].World
			if v.Carriers() != w.CarrierMoment() {
				t.Fatalf("%s, tick %d: the ship is at %d, and drawn at %d", way, r.tick, w.CarrierMoment(), v.Carriers())
			}
			if way == "shown" && r.tick > 60 && (v.Carriers() >= sim.Tick(r.tick).Moment() || v.Carriers() != r.c.shown.Moment()) {
				t.Fatalf("tick %d: the ship stands at %d, what is shown is at %d", r.tick, v.Carriers(), r.c.shown.Moment())
			}
			ship := path.PoseAt(geom.Pose{}, v.Carriers(), 60).Pos.X
			rear = min(rear, float64(r.c.own().Pose.Pos.X-ship))
		}
		n := r.count("corrections")
		t.Logf("%s: %v corrections, %v m behind its place", way, n, -rear)
		if way == "shown" && n < 200 || way == "known" && (n > 50 || rear < -0.15) {
			t.Errorf("%s: %v corrections, %v m behind its place", way, n, -rear)
		}
	}
}

// TestPathsCopied says that a copy of a half holds the carriers as it does.
func TestPathsCopied(t *testing.T) {
	a, b := newRig(t, "ship", "latency=60ms"), newRig(t, "ship", "latency=60ms")
	a.run(700, keys)
	b.env[0].World.CopyFrom(a.env[0].World)
	b.c.CopyFrom(a.c)
	var v, copied predict.View
	a.c.View(&v)
	b.c.View(&copied)
	if v.Carriers() != copied.Carriers() || v.Carriers()%sim.MomentsPerTick == 0 {
		t.Errorf("the copy draws the ship at %d, its model at %d", copied.Carriers(), v.Carriers())
	}
}
