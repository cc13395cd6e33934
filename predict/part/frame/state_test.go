package frame

import (
	"testing"

	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// TestState says that what is told of a ride is read as it was written, to half a step of
// its grid, in as many bits as docs/wire.md says; that there is one bit without a parent;
// and that a vessel that the scene does not have is refused.
func TestState(t *testing.T) {
	scene, err := sim.SceneNamed("ship:distance=530:platform=1")
	if err != nil {
		t.Fatal(err)
	}
	g := Grid(&scene)
	for _, x := range []struct {
		parent, vessels, bits int
	}{{NoParent, 2, 1}, {0, 2, 1 + 1 + 57 + 47 + 60 + 54}, {1, 2, 1 + 1 + 57 + 47 + 60 + 54}, {4, 5, 1 + 3 + 57 + 47 + 60 + 54}} {
		r := State{x.parent, sim.Body{
			Pose:   geom.Pose{Pos: geom.Vec3{X: -4.3, Y: 6.1, Z: 63}, Rot: geom.AxisAngle(geom.Vec3{X: 1}, 1)},
			Linear: geom.Vec3{X: -100, Y: 3, Z: 1}, Angular: geom.Vec3{Z: 20},
		}}
		var c quant.Coder
		c.BeginWrite(make([]byte, 40))
		r.Code(&c, x.vessels, &g)
		if got := c.BitsProcessed(); got != x.bits || c.Err() != nil {
			t.Errorf("%d of %d: %d bits, want %d: %v", x.parent, x.vessels, got, x.bits, c.Err())
		}
		var got State
		c.BeginRead(c.FinishWrite())
		got.Code(&c, x.vessels, &g)
		if got.Parent != x.parent || c.Err() != nil {
			t.Errorf("%d comes as %d: %v", x.parent, got.Parent, c.Err())
		}
		if x.parent == NoParent {
			continue
		}
		if d := predict.Diff(&got.Body, &r.Body); d.Position > 3e-4 || d.Rotation > 3e-4 || d.Linear > 3e-4 || d.Angular > 3e-4 {
			t.Errorf("%+v comes as %+v", r.Body, got.Body)
		}
	}
	var c quant.Coder
	c.BeginWrite(make([]byte, 40))
	r := State{Parent: 6}
	r.Body.Pose.Rot = geom.Identity
	r.Code(&c, 8, &g)
	c.BeginRead(c.FinishWrite())
	if got := (State{}); true {
		got.Code(&c, 5, &g)
	}
	if c.Err() == nil {
		t.Error("a vessel that is not there is read")
	}
	far := State{0, sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: 64.1}}}}
	if far.inRange(&g) {
		t.Error("what is too far fits")
	}
}

// TestShiftChangesFrame says that a difference in a vessel's space, seen along the world's
// axes and back, is the same, and moves a body that is taken out as it does the body in
// the vessel.
func TestShiftChangesFrame(t *testing.T) {
	f := OfBody(&sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: 40, Y: 3}, Rot: geom.AxisAngle(geom.Vec3{X: 0.6, Y: 0.8}, 1.2)}})
	d := smoothing.Shift{Pos: geom.Vec3{X: 1, Y: 2, Z: 3}, Linear: geom.Vec3{X: -1}, Angular: geom.Vec3{Z: 2}, Rot: geom.AxisAngle(geom.Vec3{Z: 1}, 0.4)}
	own := sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: 5}, Rot: geom.AxisAngle(geom.Vec3{Y: 1}, 0.7)}}
	out := f.ToWorld(&own)
	along := f.ShiftToWorld(&d)
	along.ApplyTo(&out)
	d.ApplyTo(&own)
	want := f.ToWorld(&own)
	if off := predict.Diff(&out, &want); off.Position > 1e-4 || off.Rotation > 1e-3 || off.Linear > 1e-4 || off.Angular > 1e-4 {
		t.Errorf("%+v, want %+v", out, want)
	}
	back := f.ShiftToLocal(&along)
	if back.Pos.Sub(d.Pos).Len() > 1e-4 || back.Rot.Mul(d.Rot.Inverse()).Angle() > 1e-3 {
		t.Errorf("%+v comes back as %+v", d, back)
	}
}
