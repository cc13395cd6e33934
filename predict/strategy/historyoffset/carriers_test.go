package historyoffset

import (
	"testing"

	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestCarriers checks both choices of the knob. With interpolated carriers, a ship stands in the
// client's world where it is displayed, without velocity, and the cube in it is left behind until
// snapshots correct it. With predicted carriers, the ship moves and takes the cube along; the
// server's ship may be a tick off when it uses the input, so there are a few corrections as well. In
// both cases the ship is drawn where it stands in the client's world.
func TestCarriers(t *testing.T) {
	for _, carriers := range []string{"interpolated", "predicted"} {
		r := newRig(t, "ship", "latency=100ms", "carriers", carriers)
		aboard := r.ClientWorld().Bodies()[0]
		aboard.Pose.Pos.Y, aboard.Pose.Pos.Z = 6, 0.12+0.75
		r.ClientWorld().SetBody(0, aboard)
		r.ServerWorld().SetBody(0, aboard)
		path := &r.ClientWorld().Scene().Carriers[0].Path
		rear := 0.0
		for range 13 * 60 {
			r.Run(1, predicttest.NoInput)
			v := r.View()
			w := r.ClientWorld()
			if v.Carriers != w.CarrierMoment() {
				t.Fatalf("carriers %s, tick %d: the ship is at %d but drawn at %d", carriers, r.Tick, w.CarrierMoment(), v.Carriers)
			}
			if carriers == "interpolated" && r.Tick > 60 && (v.Carriers >= sim.Tick(r.Tick).Moment() || v.Carriers != r.c.Interpolated.DisplayMoment()) {
				t.Fatalf("tick %d: the ship is drawn at %d, the display moment is %d", r.Tick, v.Carriers, r.c.Interpolated.DisplayMoment())
			}
			ship := path.PoseAt(geom.Pose{}, v.Carriers, 60).Pos.X
			rear = min(rear, float64(r.c.Body().Pose.Pos.X-ship))
		}
		n := r.Counter("corrections")
		t.Logf("%s: %v corrections, %v m behind its position in the ship", carriers, n, -rear)
		if carriers == "interpolated" && n < 200 || carriers == "predicted" && (n > 50 || rear < -0.15) {
			t.Errorf("%s: %v corrections, %v m behind its position in the ship", carriers, n, -rear)
		}
	}
}
