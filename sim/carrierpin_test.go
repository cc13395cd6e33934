package sim_test

import (
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestPinnedCarrierPose checks that a carrier pinned to the beginning of a tick has the pose of
// that tick, to the bit, and that between two ticks it has a pose in between.
func TestPinnedCarrierPose(t *testing.T) {
	for name, scene := range map[string]sim.Scene{"turntable": turntableScene(7), "ship": shipScene(40, 10), "fast ship": shipScene(530, 20)} {
		w := sim.New(scene, 60)
		p := &w.Scene().Carriers[0].Path
		box := w.Scene().Carriers[0].Boxes[0].Start.Pose
		for tick := sim.Tick(0); tick < 1200; tick += 7 {
			now, next := p.Pose(box, tick, 60), p.Pose(box, tick+1, 60)
			if got := p.PoseAt(box, tick.Moment(), 60); got != now {
				t.Fatalf("%s, tick %d: pose %v, want %v", name, tick, got, now)
			}
			half := p.PoseAt(box, tick.Moment()+sim.MomentsPerTick/2, 60)
			want := geom.Pose{Pos: now.Pos.AddScaled(0.5, next.Pos.Sub(now.Pos)), Rot: geom.Slerp(now.Rot, next.Rot, 0.5)}
			if half.Pos.Sub(want.Pos).Len() > 0.001 || half.Rot.Mul(want.Rot.Inverse()).Angle() > 1e-3 {
				t.Fatalf("%s, half a tick after %d: pose %v, want %v", name, tick, half, want)
			}
			w.PinCarriers(tick.Moment() + sim.MomentsPerTick/2)
			if got := sim.CarrierBoxPose(w, 0); got != half {
				t.Fatalf("%s, pinned half a tick after %d: pose %v, want %v", name, tick, got, half)
			}
		}
	}
}

// TestPinnedCarrierIsAtRest checks that boxes on a pinned carrier come to rest and sleep, even in
// ticks in which the ship would move, and that they wake, stay behind and are pushed by a wall when
// the carrier is pinned elsewhere.
func TestPinnedCarrierIsAtRest(t *testing.T) {
	w := sim.New(shipScene(40, 10), 60)
	w.SetTick(13 * 60) // at top speed
	w.PinCarriers(0)
	in := w.Bodies()[1] // a cube in the ship at the start
	for range 120 {
		w.Step()
	}
	if got := w.Bodies()[1]; got.Pose.Pos.Sub(in.Pose.Pos).Len() > 0.01 || !got.Asleep {
		t.Fatalf("the cube moved from %v to %v, asleep %t", in.Pose.Pos, got.Pose.Pos, got.Asleep)
	}
	// The ship moves by less than two centimetres a tick. The cubes in it stay until a wall reaches
	// them.
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
			t.Errorf("cube %d, far from the wall, moved from %v to %v", i+1, start, b.Pose.Pos)
		}
		if rear := x() - 5 + 0.3; start.X < -3 && b.Pose.Pos.X < rear {
			t.Errorf("cube %d is at %v, behind the wall at x = %v", i+1, b.Pose.Pos, rear)
		}
	}
}

// TestPinnedCarrierPushes checks that a wall pinned to one moment after another wakes a sleeping
// body in its way and pushes it, as long as it moves more slowly than the push-out speed.
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
		t.Fatal("the cube is awake")
	}
	for m := sim.Moment(0); m <= sim.Tick(480).Moment(); m += sim.MomentsPerTick {
		w.PinCarriers(m)
		w.Step()
	}
	if x := w.Bodies()[0].Pose.Pos.X; x < 8.4 {
		t.Errorf("the cube ends at x = %v", x)
	}
}

// TestUnpinCarriers checks that pins are not part of a state, so that Load, SetTick and SetBody do
// not move pinned carriers; that a copy of the world has the same pin and continues equally; and
// that an unpinned world continues to the bit like one that was never pinned.
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
			t.Errorf("%s: pinned at %v, pose %v", name, pose, got)
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
			t.Errorf("%s: a copy diverges", name)
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
			t.Errorf("%s: an unpinned world diverges from one that was never pinned", name)
		}
	}
}
