package sim_test

import (
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestFrameMotion checks that a player who flies, rolls, brakes and hovers in a moving frame does
// the same as in the world: the same path, less that of the frame, within two centimetres after a
// second. An accelerating frame adds the opposite acceleration.
func TestFrameMotion(t *testing.T) {
	for _, c := range []struct {
		what  string
		speed float32 // m/s, of the frame
		more  float32 // m/s2, of the frame
		in    sim.Input
		high  float32
	}{
		{"flies", 20, 0, sim.Input{}, 20},
		{"flies while the frame accelerates", 5, 6, sim.Input{}, 20},
		{"flies and strafes", 20, 0, sim.Input{Buttons: sim.Right}, 20},
		{"flies and brakes", 20, 0, sim.Input{Buttons: sim.Left}, 20},
		{"hovers", 10, 0, sim.Input{Buttons: sim.Lift}, 25},
	} {
		scene := baseScene()
		scene.Boxes[0].Start.Pose.Pos.Z = c.high
		scene.Boxes[0].Start.Linear.X = c.speed
		scene.Boxes[0].Start.Angular = geom.Vec3{X: 1, Y: 2, Z: 3}
		w, seen := sim.New(scene, 60), sim.New(scene, 60)
		b := seen.Bodies()[0]
		b.Linear.X = 0
		seen.SetBody(0, b)
		frame, speed := float32(0), c.speed
		for range 60 {
			w.Step(c.in)
			seen.SetFrameMotion(0, sim.FrameMotion{Linear: geom.Vec3{X: speed}, Acceleration: geom.Vec3{X: -c.more}})
			seen.Step(c.in)
			next := speed + c.more/60
			frame += (speed + next) / 120
			speed = next
		}
		got := seen.Bodies()[0]
		got.Pose.Pos.X += frame
		got.Linear.X += speed
		want := w.Bodies()[0]
		if d := got.Pose.Pos.Sub(want.Pose.Pos).Len(); d > 0.02 {
			t.Errorf("%s: position %v, want %v", c.what, got.Pose.Pos, want.Pose.Pos)
		}
		if d := got.Linear.Sub(want.Linear).Len(); d > 0.02 || got.Angular.Sub(want.Angular).Len() > 0.01 {
			t.Errorf("%s: velocities %v and %v, want %v and %v", c.what, got.Linear, got.Angular, want.Linear, want.Angular)
		}
	}
}

// TestFastInFrame checks that a body which falls onto another one in a frame at 30 m/s stops in the same tick as in the
// world, where its speed lets it meet the other early: by its speed in the frame it would sink in by five centimetres
// first. Both bodies stay below the speed limit, which would make the one in the frame slide at 13 m/s.
func TestFastInFrame(t *testing.T) {
	const speed = 30
	scene := baseScene()
	scene.Boxes = append(scene.Boxes, cube(geom.Vec3{Z: 20}, 0))
	world, frame := sim.New(scene, 60), sim.New(scene, 60)
	for i, z := range []float32{20 + scene.Boxes[1].Half.Z + scene.Boxes[0].Half.Z + 0.15, 20} {
		b := sim.Body{Pose: geom.Pose{Pos: geom.Vec3{Z: z}, Rot: geom.Identity}}
		if i == 0 {
			b.Linear.Z = -12
		}
		frame.SetBody(i, b)
		b.Linear.X = speed
		world.SetBody(i, b)
	}
	frame.SetFrameMotion(0, sim.FrameMotion{Linear: geom.Vec3{X: speed}})
	world.Step()
	frame.Step()
	gap := func(w *sim.World) float32 { return w.Bodies()[0].Pose.Pos.Z - w.Bodies()[1].Pose.Pos.Z }
	if a, b := gap(world), gap(frame); geom.Abs(a-b) > 0.001 {
		t.Errorf("after a tick the two are %.4f m apart in the frame, %.4f m in the world", b, a)
	}
}

// TestFrameMotionEnds checks that a frame motion lasts for one step, and that a zero one changes no
// bit.
func TestFrameMotionEnds(t *testing.T) {
	w, plain := sim.New(yardScene(), 60), sim.New(yardScene(), 60)
	for range 300 {
		w.SetFrameMotion(0, sim.FrameMotion{})
		w.Step(scriptedInput(w.Tick()))
		plain.Step(scriptedInput(plain.Tick()))
	}
	a, x := w.Hash()
	if b, y := plain.Hash(); a != b || x != y {
		t.Error("a zero frame motion changes the world")
	}
	w.SetFrameMotion(0, sim.FrameMotion{Acceleration: geom.Vec3{Z: 60}})
	w.Step()
	var after sim.State
	w.Save(&after)
	plain.Load(&after)
	w.Step()
	plain.Step()
	a, x = w.Hash()
	if b, y := plain.Hash(); a != b || x != y {
		t.Error("the frame motion lasts for more than one step")
	}
}
