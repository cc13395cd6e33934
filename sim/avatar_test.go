package sim_test

import (
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestAvatarWalks checks that an avatar walks at 5 m/s, stops within half a metre, jumps 1.2 m high, and
// sleeps when it stands.
func TestAvatarWalks(t *testing.T) {
	w := newWorld(t, "plain:avatar=1")
	run := func(ticks int, buttons sim.Buttons) { stepTicks(w, ticks, sim.Input{Buttons: buttons, Heading: 64}) }
	run(120, 0)
	if !w.Bodies()[0].Asleep {
		t.Error("a standing avatar does not sleep")
	}
	run(60, sim.Forward) // towards -x
	b := w.Bodies()[0]
	if b.Linear.Sub(geom.Vec3{X: -5}).Len() > 0.1 {
		t.Errorf("it walks at %v", b.Linear)
	}
	run(60, 0)
	if way := w.Bodies()[0].Pose.Pos.Sub(b.Pose.Pos).Len(); way > 0.7 || w.Bodies()[0].Linear.Len() > 0.01 {
		t.Errorf("it stops after %v m, and moves at %v", way, w.Bodies()[0].Linear)
	}
	highest := float32(0)
	run(1, sim.Lift)
	for range 60 {
		run(1, 0)
		highest = max(highest, w.Bodies()[0].Pose.Pos.Z-0.9)
	}
	if highest < 1 || highest > 1.3 || geom.Abs(w.Bodies()[0].Pose.Pos.Z-0.9) > 0.01 {
		t.Errorf("it jumps %v m high and lands at %v", highest, w.Bodies()[0].Pose.Pos)
	}
}

// TestAvatarJumpsFromMovingFloor checks that an avatar jumps at 7 m/s relative to the floor on which it stands, whether
// that rises, sinks or travels, and keeps the speed at which it was carried.
func TestAvatarJumpsFromMovingFloor(t *testing.T) {
	for _, travel := range []geom.Vec3{{}, {Z: 12}, {X: 30, Z: 12}} {
		box := playerBox(geom.Vec3{Z: floorTop + playerHalf})
		box.Avatar = true
		s := boxScene(box)
		s.Players = 1
		path := sim.Path{Travel: travel, TravelSeconds: 6, WaitSeconds: 1}
		s.Carriers = []sim.Carrier{{Path: path, Boxes: []sim.Box{carrierFloor(0, 0, 6, 6)}}}
		for _, at := range []int{1 + 3, 7 + 1 + 3} { // s; halfway there and back
			w := sim.New(s, 60)
			stepTicks(w, at*60, sim.Input{})
			before := w.Bodies()[0].Linear
			if travel != (geom.Vec3{}) && before.Len() < 2 {
				t.Fatalf("after %d s of a way of %v it is carried at %v", at, travel, before)
			}
			stepTicks(w, 1, sim.Input{Buttons: sim.Lift})
			if v := w.Bodies()[0].Linear.Sub(before).Sub(geom.Vec3{Z: 7}); v.Len() > 0.5 { // gravity and drag of a tick
				t.Errorf("after %d s of a way of %v it jumps at %v from a floor at %v", at, travel, w.Bodies()[0].Linear, before)
			}
		}
	}
}

// TestAvatarStaysUpright checks that nothing tilts an avatar or makes its state invalid: cubes, ramps,
// steps and walls that it runs into, a rotating floor, and another avatar.
func TestAvatarStaysUpright(t *testing.T) {
	for _, name := range []string{"zen:avatar=1", "turntable:rpm=20:aboard=1:avatar=1", "ship:avatar=1", "two-players:avatar=1"} {
		w := newWorld(t, name)
		for tick := range shortTicks(1800) {
			in := scriptedInput(sim.Tick(tick))
			w.Step(in, sim.Input{Buttons: in.Buttons, Heading: in.Heading + 128})
			for i := range w.Scene().Players {
				b := &w.Bodies()[i]
				if q := b.Pose.Rot; q.X != 0 || q.Y != 0 || b.Angular.X != 0 || b.Angular.Y != 0 {
					t.Fatalf("%s, tick %d: avatar %d has rotation %v and angular velocity %v", name, tick, i, q, b.Angular)
				}
				if !b.Pose.Pos.IsFinite() || !b.Linear.IsFinite() || !(geom.Abs(b.Pose.Rot.Dot(b.Pose.Rot)-1) < 1e-4) || b.Pose.Pos.Z < 0.85 {
					t.Fatalf("%s, tick %d: avatar %d is %+v", name, tick, i, *b)
				}
			}
		}
	}
}

// TestAvatarRides checks that a turntable carries a standing avatar along and turns it, and that a
// walking one moves relative to the table.
func TestAvatarRides(t *testing.T) {
	w := newWorld(t, "turntable:rpm=12:aboard=1:avatar=1")
	start := w.Bodies()[0].Pose.Pos
	stepTicks(w, 300, sim.Input{}) // one turn
	if d := w.Bodies()[0].Pose.Pos.Sub(start); d.Len() > 0.1 {
		t.Errorf("after a turn it is displaced by %v", d)
	}
	stepTicks(w, 75, sim.Input{}) // a quarter turn: it is at +x and faces +y
	if angle := w.Bodies()[0].Pose.Rot.Angle(); geom.Abs(angle-geom.HalfPi) > 0.1 {
		t.Errorf("the table has turned it by %v rad", angle)
	}
	w = newWorld(t, "ship:distance=530:avatar=1")
	b := w.Bodies()[0]
	b.Pose.Pos = geom.Vec3{Y: 6, Z: 0.12 + 0.9}
	w.SetBody(0, b)
	stepTicks(w, 1080, sim.Input{}) // the ship is at full speed
	if v := w.Bodies()[0].Linear.X; v < 40 {
		t.Fatalf("the ship carries it at %v m/s", v)
	}
	before := w.Bodies()[0].Linear.X
	stepTicks(w, 15, sim.Input{Buttons: sim.Left})
	if v := w.Bodies()[0].Linear.X - before; v > -4 || v < -6 {
		t.Errorf("it walks at %v m/s in a ship at %v m/s", v, before)
	}
}

// TestJetpack checks that an avatar with a jetpack has no weight in the air, accelerates in six
// directions, and stands on what it lands on.
func TestJetpack(t *testing.T) {
	w := newWorld(t, "ship:distance=530:jetpack=1")
	height := w.Bodies()[0].Pose.Pos.Z
	stepTicks(w, 60, sim.Input{})
	if z := w.Bodies()[0].Pose.Pos.Z; geom.Abs(z-height) > 0.05 {
		t.Errorf("it falls from %v to %v m", height, z)
	}
	for _, c := range []struct {
		buttons sim.Buttons
		way     geom.Vec3
	}{
		{sim.Right, geom.Vec3{X: 1}}, {sim.Left, geom.Vec3{X: -1}}, {sim.Forward, geom.Vec3{Y: 1}},
		{sim.Back, geom.Vec3{Y: -1}}, {sim.Lift, geom.Vec3{Z: 1}}, {sim.Pull, geom.Vec3{Z: -1}},
	} {
		before := w.Bodies()[0].Linear
		stepTicks(w, 6, sim.Input{Buttons: c.buttons})
		if v := w.Bodies()[0].Linear.Sub(before); v.Dot(c.way) < 1.4 || v.Dot(c.way) > 1.7 {
			t.Errorf("buttons %v change its velocity by %v", c.buttons, v)
		}
	}
	stepTicks(w, 60, sim.Input{Buttons: sim.Pull})
	stepTicks(w, 60, sim.Input{})
	if z := w.Bodies()[0].Pose.Pos.Z; geom.Abs(z-0.9) > 0.01 {
		t.Errorf("after landing it stands at %v m", z)
	}
}
