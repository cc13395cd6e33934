package frame

import (
	"testing"

	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// TestState checks that a state is read as it was written, to half a step of its grid, in the number
// of bits that docs/reference/wire.md says; that a state without a parent is one bit; and that the index of a
// candidate that the scene does not have is an error.
func TestState(t *testing.T) {
	sc := predicttest.Scene(t, "ship:distance=530:platform=1")
	g := Grid(&sc)
	for _, x := range []struct {
		parent, candidates, bits int
	}{{NoParent, 2, 1}, {0, 2, 1 + 1 + 57 + 47 + 60 + 54}, {1, 2, 1 + 1 + 57 + 47 + 60 + 54}, {4, 5, 1 + 3 + 57 + 47 + 60 + 54}} {
		r := State{x.parent, sim.Body{
			Pose:   geom.Pose{Pos: geom.Vec3{X: -4.3, Y: 6.1, Z: 63}, Rot: geom.AxisAngle(geom.Vec3{X: 1}, 1)},
			Linear: geom.Vec3{X: -100, Y: 3, Z: 1}, Angular: geom.Vec3{Z: 20},
		}}
		var c quant.Coder
		c.BeginWrite(make([]byte, 40))
		r.Code(&c, x.candidates, &g)
		if got := c.BitsProcessed(); got != x.bits || c.Err() != nil {
			t.Errorf("%d of %d: %d bits, want %d: %v", x.parent, x.candidates, got, x.bits, c.Err())
		}
		var got State
		c.BeginRead(c.FinishWrite())
		got.Code(&c, x.candidates, &g)
		if got.Parent != x.parent || c.Err() != nil {
			t.Errorf("parent %d is read as %d: %v", x.parent, got.Parent, c.Err())
		}
		if x.parent == NoParent {
			continue
		}
		if d := predict.Diff(&got.Body, &r.Body); d.Position > 3e-4 || d.Rotation > 3e-4 || d.Linear > 3e-4 || d.Angular > 3e-4 {
			t.Errorf("%+v is read as %+v", r.Body, got.Body)
		}
	}
	for _, x := range []struct{ parent, written, read int }{{6, 8, 5}, {1, 2, 1}} {
		var c quant.Coder
		c.BeginWrite(make([]byte, 40))
		r := State{Parent: x.parent}
		r.Body.Pose.Rot = geom.Identity
		r.Code(&c, x.written, &g)
		c.BeginRead(c.FinishWrite())
		var got State
		if got.Code(&c, x.read, &g); c.Err() == nil {
			t.Errorf("reading candidate %d of %d is no error", x.parent, x.read)
		}
	}
	far := State{0, sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: 64.1}}}}
	if far.inRange(&g) {
		t.Error("a body that is too far away is in range")
	}
}

// TestShiftChangesFrame checks that a shift converted to the world's axes moves a body in the world as
// the original moves it in the parent's frame, and that converting it back gives the same shift.
func TestShiftChangesFrame(t *testing.T) {
	f := OfBody(&sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: 40, Y: 3}, Rot: geom.AxisAngle(geom.Vec3{X: 0.6, Y: 0.8}, 1.2)}})
	d := smoothing.Shift{Pos: geom.Vec3{X: 1, Y: 2, Z: 3}, Linear: geom.Vec3{X: -1}, Angular: geom.Vec3{Z: 2}, Rot: geom.AxisAngle(geom.Vec3{Z: 1}, 0.4)}
	local := sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: 5}, Rot: geom.AxisAngle(geom.Vec3{Y: 1}, 0.7)}}
	got := f.ToWorld(&local)
	world := f.ShiftToWorld(&d)
	world.ApplyTo(&got)
	d.ApplyTo(&local)
	want := f.ToWorld(&local)
	if off := predict.Diff(&got, &want); off.Position > 1e-4 || off.Rotation > 1e-3 || off.Linear > 1e-4 || off.Angular > 1e-4 {
		t.Errorf("%+v, want %+v", got, want)
	}
	back := f.ShiftToLocal(&world)
	if back.Pos.Sub(d.Pos).Len() > 1e-4 || back.Rot.Mul(d.Rot.Inverse()).Angle() > 1e-3 {
		t.Errorf("%+v comes back as %+v", d, back)
	}
}
