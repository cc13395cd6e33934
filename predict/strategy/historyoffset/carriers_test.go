package historyoffset

import (
	"testing"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestCarriers says that a ship stands where it is shown in the client's world, in the
// past and without velocity, and the own cube that stands in it is left behind until
// the server's word comes; and that where the client knows the path, the ship is where
// its own tick has it and the cube goes along. That is not quite where the server has it
// when it uses the input, a tick sooner or later, so something is corrected there too.
// In both the ship is drawn where the client's world has it.
func TestCarriers(t *testing.T) {
	for _, way := range []string{"interpolated", "predicted"} {
		r := newRig(t, "ship", "latency=100ms", "carriers", way)
		aboard := r.env[0].World.Bodies()[0]
		aboard.Pose.Pos.Y, aboard.Pose.Pos.Z = 6, 0.12+0.75
		for _, e := range r.env {
			e.World.SetBody(0, aboard)
		}
		path := &r.env[0].World.Scene().Carriers[0].Path
		rear := 0.0
		for range 13 * 60 {
			r.run(1, noInput)
			var v predict.View
			r.c.View(&v)
			w := r.env[0].World
			if v.CarrierMoment() != w.CarrierMoment() {
				t.Fatalf("%s, tick %d: the ship is at %d, and drawn at %d", way, r.tick, w.CarrierMoment(), v.CarrierMoment())
			}
			if way == "interpolated" && r.tick > 60 && (v.CarrierMoment() >= sim.Tick(r.tick).Moment() || v.CarrierMoment() != r.c.world.Interpolated.DisplayMoment()) {
				t.Fatalf("tick %d: the ship stands at %d, what is shown is at %d", r.tick, v.CarrierMoment(), r.c.world.Interpolated.DisplayMoment())
			}
			ship := path.PoseAt(geom.Pose{}, v.CarrierMoment(), 60).Pos.X
			rear = min(rear, float64(r.c.world.Body().Pose.Pos.X-ship))
		}
		n := r.counter("corrections")
		t.Logf("%s: %v corrections, %v m behind its place", way, n, -rear)
		if way == "interpolated" && n < 200 || way == "predicted" && (n > 50 || rear < -0.15) {
			t.Errorf("%s: %v corrections, %v m behind its place", way, n, -rear)
		}
	}
}

// TestCarriersCopied says that a copy of a half holds the carriers as it does.
func TestCarriersCopied(t *testing.T) {
	a, b := newRig(t, "ship", "latency=60ms"), newRig(t, "ship", "latency=60ms")
	a.run(700, keys)
	b.env[0].World.CopyFrom(a.env[0].World)
	b.c.CopyFrom(a.c)
	var v, copied predict.View
	a.c.View(&v)
	b.c.View(&copied)
	if v.CarrierMoment() != copied.CarrierMoment() || v.CarrierMoment()%sim.MomentsPerTick == 0 {
		t.Errorf("the copy draws the ship at %d, its model at %d", copied.CarrierMoment(), v.CarrierMoment())
	}
}
