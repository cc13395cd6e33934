package sim_test

import (
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/sim/scene"
)

// TestFlownShip checks that a ship which a player flies accelerates equally in all directions, to 50 m/s, turns into its
// course, stays upright and at its height, and carries an avatar that lands in it.
func TestFlownShip(t *testing.T) {
	for _, c := range []struct {
		buttons sim.Buttons
		x, y    float32 // course
	}{{sim.Right, 1, 0}, {sim.Forward | sim.Right, 0.7071, 0.7071}, {sim.Left, -1, 0}} {
		s, err := scene.Named("ship:players=2")
		if err != nil {
			t.Fatal(err)
		}
		w := sim.New(s, 60)
		const ship = 2
		b := w.Bodies()[0] // falls into the ship
		b.Pose.Pos = geom.Vec3{X: -2, Y: 1, Z: 4}
		w.SetBody(0, b)
		for i := range 1200 {
			in := sim.Input{Buttons: c.buttons}
			if i < 5 {
				in.Buttons = sim.Use
			} else if i < 60 {
				in.Buttons = 0
			}
			w.Step(sim.Input{Buttons: sim.Pull}, in)
			b := w.Bodies()[ship]
			if i > 60 && (geom.Abs(b.Pose.Pos.Z-1.5) > 0.02 || b.Pose.Rot.X != 0 || b.Pose.Rot.Y != 0) {
				t.Fatalf("tick %d: it is at %+v", i, b.Pose)
			}
		}
		if w.Operated(1) != ship {
			t.Fatal("nobody flies it")
		}
		b = w.Bodies()[ship]
		if v := b.Linear.Len(); v < 48 || v > 50.1 {
			t.Errorf("buttons %v: %v m/s", c.buttons, v)
		}
		bow := b.Pose.Rot.Rotate(geom.Vec3{X: 1})
		if bow.X*c.x+bow.Y*c.y < 0.999 {
			t.Errorf("buttons %v: its bow points to %v", c.buttons, bow)
		}
		if p := b.Pose.Rot.Inverse().Rotate(w.Bodies()[0].Pose.Pos.Sub(b.Pose.Pos)); geom.Abs(p.X) > 5 || geom.Abs(p.Y) > 3.5 || p.Z < 1.1 || p.Z > 1.2 {
			t.Errorf("buttons %v: the avatar is at %v in it", c.buttons, p)
		}
	}
}
