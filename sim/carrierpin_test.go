package sim_test

import (
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestPinnedCarrierPose says that a carrier held at the beginning of a tick is where it is
// in that tick, to the bit, and between two ticks in between.
func TestPinnedCarrierPose(t *testing.T) {
	for name, scene := range map[string]sim.Scene{"turntable": turntableScene(7), "ship": shipScene(40, 10), "fast ship": shipScene(530, 20)} {
		w := sim.New(scene, 60)
		p := &w.Scene().Carriers[0].Path
		box := w.Scene().Carriers[0].Boxes[0].Start.Pose
		for tick := sim.Tick(0); tick < 1200; tick += 7 {
			now, next := p.Pose(box, tick, 60), p.Pose(box, tick+1, 60)
			if got := p.PoseAt(box, tick.Moment(), 60); got != now {
				t.Fatalf("%s, tick %d: at its moment it is at %v, not %v", name, tick, got, now)
			}
			half := p.PoseAt(box, tick.Moment()+sim.MomentsPerTick/2, 60)
			if want := (geom.Pose{Pos: now.Pos.AddScaled(0.5, next.Pos.Sub(now.Pos)), Rot: geom.Slerp(now.Rot, next.Rot, 0.5)}); half.Pos.Sub(want.Pos).Len() > 0.001 || half.Rot.Mul(want.Rot.Inverse()).Angle() > 1e-3 {
				t.Fatalf("%s, half a tick after %d: it is at %v, not %v", name, tick, half, want)
			}
			w.PinCarriers(tick.Moment() + sim.MomentsPerTick/2)
			if got := sim.CarrierBoxPose(w, 0); got != half {
				t.Fatalf("%s: held half a tick after %d it is at %v, not %v", name, tick, got, half)
			}
		}
	}
}

// TestPinnedCarrierIsAtRest says that what stands on a carrier that is held stands, and
// sleeps, though the ticks go by in which the ship is under way; that it does so where
// the carrier is held at and not where the tick has it; and that it wakes, stays behind
// and is pushed by a wall when the carrier is held elsewhere.
func TestPinnedCarrierIsAtRest(t *testing.T) {
	w := sim.New(shipScene(40, 10), 60)
	w.SetTick(13 * 60) // under way, at its fastest
	w.PinCarriers(0)
	in := w.Bodies()[1] // a cube in the ship, as it starts
	for range 120 {
		w.Step()
	}
	if got := w.Bodies()[1]; got.Pose.Pos.Sub(in.Pose.Pos).Len() > 0.01 || !got.Asleep {
		t.Fatalf("it was at %v, and is at %v, asleep %t", in.Pose.Pos, got.Pose.Pos, got.Asleep)
	}
	// The ship goes on by less than two centimetres a tick under what stands in it, which stays
	// until a wall comes.
	path := &w.Scene().Carriers[0].Path
	m := sim.Moment(9 * 60 * sim.MomentsPerTick)
	x := func() float32 { return path.PoseAt(geom.Pose{}, m, 60).Pos.X }
	for ; x() < 4; m += sim.MomentsPerTick / 8 {
		w.PinCarriers(m)
		w.Step()
	}
	for i, b := range w.Bodies()[1:7] {
		start := w.Scene().Boxes[i+1].Start.Pose.Pos
		if start.X > 0 && geom.Abs(b.Pose.Pos.X-start.X) > 0.5 {
			t.Errorf("cube %d, far from the wall, was at %v and is at %v", i+1, start, b.Pose.Pos)
		}
		if rear := x() - 5 + 0.3; start.X < -3 && b.Pose.Pos.X < rear {
			t.Errorf("cube %d is at %v, behind the wall at %v", i+1, b.Pose.Pos, rear)
		}
	}
}

// TestPinnedCarrierPushes says that a wall that is held at one moment after another wakes a
// sleeper in its way and takes it along, as long as it comes more slowly than a
// penetration is pushed out.
func TestPinnedCarrierPushes(t *testing.T) {
	s := boxScene(cube(geom.Vec3{X: 3, Z: cubeHalf}, 0))
	wall := staticBox(geom.Vec3{Z: 1}, geom.Vec3{X: 0.4, Y: 3, Z: 1}, geom.Identity)
	s.Carriers = []sim.Carrier{{Path: sim.Path{Travel: geom.Vec3{X: 8}, TravelSeconds: 8}, Boxes: []sim.Box{wall}}}
	w := sim.New(s, 60)
	w.PinCarriers(0)
	for range 60 {
		w.Step()
	}
	if !w.Bodies()[0].Asleep {
		t.Fatal("it is awake")
	}
	for m := sim.Moment(0); m <= sim.Tick(480).Moment(); m += sim.MomentsPerTick {
		w.PinCarriers(m)
		w.Step()
	}
	if x := w.Bodies()[0].Pose.Pos.X; x < 8.4 {
		t.Errorf("it is at %v", x)
	}
}

// TestUnpinCarriers says that what is held is no part of a state: neither Load nor
// Relabel nor SetBody moves the carriers; that a copy of the world holds them too and
// goes the same way; and that a world in which they were held and are not goes on to
// the bit like one in which they never were.
func TestUnpinCarriers(t *testing.T) {
	for name, scene := range map[string]sim.Scene{"turntable": turntableScene(6), "ship": shipScene(40, 10)} {
		w, never := sim.New(scene, 60), sim.New(scene, 60)
		at := sim.Tick(600).Moment() + 1234
		w.PinCarriers(at)
		pose := sim.CarrierBoxPose(w, 0)
		var s sim.State
		for range 300 {
			never.Step(scriptedInput(never.Tick()))
		}
		never.Save(&s)
		w.Step()
		w.Load(&s)
		w.SetTick(500)
		w.SetBody(0, w.Bodies()[0])
		w.Step()
		if got := sim.CarrierBoxPose(w, 0); got != pose || w.CarrierMoment() != at {
			t.Errorf("%s: held at %v, it is at %v", name, pose, got)
		}
		copied := sim.New(scene, 60)
		w.PinCarriers(at + sim.MomentsPerTick)
		copied.CopyFrom(w)
		for range 60 {
			in := scriptedInput(w.Tick())
			w.Step(in)
			copied.Step(in)
		}
		a, x := w.Hash()
		if b, y := copied.Hash(); a != b || x != y || copied.CarrierMoment() != at+sim.MomentsPerTick {
			t.Errorf("%s: a copy goes another way", name)
		}
		w.UnpinCarriers()
		w.Load(&s)
		for range 300 {
			in := scriptedInput(w.Tick())
			w.Step(in)
			never.Step(in)
		}
		a, x = w.Hash()
		if b, y := never.Hash(); a != b || x != y {
			t.Errorf("%s: what was held and is not goes another way", name)
		}
	}
}
