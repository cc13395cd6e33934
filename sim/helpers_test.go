package sim_test

import (
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/sim/scene"
)

// Scenes and measurements that several tests share.

// Sizes in metres: half a player's cube, half a small cube, height and half thickness of a
// carrier's floor.
const (
	playerHalf         = 0.75
	cubeHalf           = 0.2
	floorTop           = 0.12
	floorHalfThickness = 0.5
)

// baseScene is one player on a plane.
func baseScene() sim.Scene {
	return sim.Scene{
		Name: "test", Players: 1,
		Gravity: 20, Damping: 0.6, MaxLinearSpeed: 32, MaxAngularSpeed: 16, HalfWidth: 256, Height: 32,
		Boxes: []sim.Box{playerBox(geom.Vec3{Z: playerHalf})},
	}
}

// boxScene is boxes on a plane, without players.
func boxScene(boxes ...sim.Box) sim.Scene {
	s := baseScene()
	s.Players, s.Boxes = 0, boxes
	return s
}

// yardScene is a player, a pyramid of sleeping cubes, and a row of six.
func yardScene() sim.Scene {
	s := baseScene()
	for layer, n := range []int{3, 2, 1} {
		middle := 0.5 * float32(n-1)
		for i := range n * n {
			x, y := (float32(i%n)-middle)*0.44, (float32(i/n)-middle)*0.44
			s.Boxes = append(s.Boxes, cube(geom.Vec3{X: x, Y: 6 + y, Z: 0.2 + 0.4*float32(layer)}, 0))
		}
	}
	for i := range 6 {
		s.Boxes = append(s.Boxes, cube(geom.Vec3{X: float32(2*i - 5), Y: -7, Z: 0.2}, 0.3*float32(i)))
	}
	return s
}

// turntableScene is a player beside a rotating table with cubes on it.
func turntableScene(rpm int) sim.Scene {
	s := baseScene()
	s.Boxes[0].Start.Pose.Pos.Y = -10.5
	s.Carriers = []sim.Carrier{{Path: sim.Path{RPM: rpm}, Boxes: []sim.Box{carrierFloor(0, 0, 6, 6)}}}
	for i := range 8 {
		s.Boxes = append(s.Boxes, spinWithTable(boxOnFloor(1.5+float32(i%2)*2.5, float32(i)*0.5-2, cubeHalf, 1), rpm))
	}
	return s
}

// shipScene is a player beside a floor with walls that moves back and forth, with six sleeping
// cubes on it.
func shipScene(distance float32, seconds int) sim.Scene {
	s := baseScene()
	s.HalfWidth, s.MaxLinearSpeed = max(256, distance+100), 64
	s.Boxes[0].Start.Pose.Pos.Y = -3
	wall := func(x, y, halfX, halfY float32) sim.Box {
		return staticBox(geom.Vec3{X: x, Y: 6 + y, Z: floorTop + 0.5}, geom.Vec3{X: halfX, Y: halfY, Z: 0.5}, geom.Identity)
	}
	s.Carriers = []sim.Carrier{{
		Path: sim.Path{Travel: geom.Vec3{X: distance}, TravelSeconds: seconds, WaitSeconds: 8},
		Boxes: []sim.Box{
			carrierFloor(0, 6, 5, 3.5),
			wall(0, 3.35, 5, 0.15), wall(-4.85, 0, 0.15, 3.2), wall(4.85, 0, 0.15, 3.2),
			wall(-3.5, -3.35, 1.5, 0.15), wall(3.5, -3.35, 1.5, 0.15),
		},
	}}
	for i, p := range []geom.Vec3{{X: -4, Y: 7}, {X: -3.2, Y: 8}, {X: -2, Y: 8.6}, {X: 3.5, Y: 8}, {X: 4, Y: 5}, {X: 3, Y: 7.2}} {
		p.Z = floorTop + cubeHalf
		s.Boxes = append(s.Boxes, cube(p, 0.3*float32(i)))
	}
	return s
}

func playerBox(at geom.Vec3) sim.Box {
	return sim.Box{
		Half:    geom.Vec3{X: playerHalf, Y: playerHalf, Z: playerHalf},
		Density: 1, Friction: 4,
		Start: sim.Body{Pose: geom.Pose{Pos: at, Rot: geom.Identity}},
	}
}

// cube is a small sleeping cube, rotated about the vertical by turn, in radians.
func cube(at geom.Vec3, turn float32) sim.Box {
	return sim.Box{
		Half:    geom.Vec3{X: cubeHalf, Y: cubeHalf, Z: cubeHalf},
		Density: 1, Friction: 1,
		Start: sim.Body{Pose: geom.Pose{Pos: at, Rot: geom.AxisAngle(geom.Vec3{Z: 1}, turn)}, Asleep: true},
	}
}

// boxAt is an awake cube.
func boxAt(x, y, z, half, friction float32) sim.Box {
	b := cube(geom.Vec3{X: x, Y: y, Z: z}, 0)
	b.Half = geom.Vec3{X: half, Y: half, Z: half}
	b.Friction = friction
	b.Start.Asleep = false
	return b
}

func staticBox(at, half geom.Vec3, turn geom.Quat) sim.Box {
	return sim.Box{Half: half, Friction: 1, Start: sim.Body{Pose: geom.Pose{Pos: at, Rot: turn}}}
}

// carrierFloor is the floor of a carrier. It reaches below the ground.
func carrierFloor(x, y, halfX, halfY float32) sim.Box {
	return staticBox(geom.Vec3{X: x, Y: y, Z: floorTop - floorHalfThickness}, geom.Vec3{X: halfX, Y: halfY, Z: floorHalfThickness}, geom.Identity)
}

// boxOnFloor is a cube on the floor of a carrier.
func boxOnFloor(x, y, half, friction float32) sim.Box {
	return boxAt(x, y, floorTop+half, half, friction)
}

// spinWithTable returns b with the velocities of a table that rotates about the origin.
func spinWithTable(b sim.Box, rpm int) sim.Box {
	spin, at := geom.TwoPi/60*float32(rpm), b.Start.Pose.Pos
	b.Start.Linear = geom.Vec3{X: -spin * at.Y, Y: spin * at.X}
	b.Start.Angular.Z = spin
	return b
}

func newWorld(t testing.TB, spec string) *sim.World {
	t.Helper()
	return sim.New(newScene(t, spec), 60)
}

func newScene(t testing.TB, spec string) sim.Scene {
	t.Helper()
	s, err := scene.Named(spec)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sceneInput is the scripted player of a scene: it first runs into obstacles, if there are any.
func sceneInput(name string, t sim.Tick) sim.Input {
	switch name {
	case "pile", "heap", "tower", "seesaw", "billiards", "trailer":
		if t < 240 {
			return sim.Input{Buttons: sim.Forward | sim.Buttons(t/60%2)*sim.Pull}
		}
	case "katamari":
		if t > 60 {
			return sim.Input{Buttons: scriptedInput(t).Buttons | sim.Pull, Heading: scriptedInput(t).Heading}
		}
	}
	in := scriptedInput(t)
	if name == "convoy" { // enters, drives, uncouples, leaves, couples
		if t%150 >= 30 && t%150 < 34 {
			in.Buttons |= sim.Use
		}
		if t%97 >= 60 && t%97 < 62 {
			in.Buttons |= sim.Couple
		}
	}
	return in
}

// scriptedInput is a scripted player: it presses a set of buttons for a third of a second and turns
// its heading slowly.
func scriptedInput(t sim.Tick) sim.Input {
	x := (uint64(t)/20 + 1) * 0x9E3779B97F4A7C15
	x ^= x >> 31
	return sim.Input{Buttons: sim.Buttons(x>>7) & sim.MoveButtons &^ (sim.Buttons(x>>23) & (sim.Lift | sim.Pull)), Heading: uint8(t / 8)}
}

// shortTicks returns the number of ticks, of n, that a test runs.
func shortTicks(n int) int {
	if experiment.Brief() {
		return n / 6
	}
	return n
}

// tickBudget returns the number of ticks, of n, that a test runs a named scene. Large scenes are
// slow.
func tickBudget(name string, n int) int {
	switch name {
	case "katamari", "pile", "heap", "fleet", "walker":
		n /= 6
		if experiment.Brief() {
			n /= 3
		}
		return n
	}
	if !experiment.Enabled() {
		n /= 3
	}
	return n
}

// awakeCount returns the number of awake bodies.
func awakeCount(w *sim.World) int {
	n := 0
	for i := range w.Bodies() {
		if !w.Bodies()[i].Asleep {
			n++
		}
	}
	return n
}

// energy returns the kinetic and potential energy of all bodies in joules.
func energy(w *sim.World) (sum float64) {
	for i, b := range w.Bodies() {
		m, inertia := float64(sim.Mass(w, i)), sim.Inertia(w, i)
		local := b.Pose.Rot.Inverse().Rotate(b.Angular)
		sum += m*float64(b.Linear.LenSq())/2 + m*float64(w.Scene().Gravity)*float64(b.Pose.Pos.Z)
		sum += (float64(local.X*local.X*inertia.X) + float64(local.Y*local.Y*inertia.Y) + float64(local.Z*local.Z*inertia.Z)) / 2
	}
	return sum
}

// momentum returns the total linear and angular momentum, the latter about the origin.
func momentum(w *sim.World) (along, about geom.Vec3) {
	for i, b := range w.Bodies() {
		p := b.Linear.Scale(sim.Mass(w, i))
		local, inertia := b.Pose.Rot.Inverse().Rotate(b.Angular), sim.Inertia(w, i)
		local = geom.Vec3{X: local.X * inertia.X, Y: local.Y * inertia.Y, Z: local.Z * inertia.Z}
		along = along.Add(p)
		about = about.Add(b.Pose.Rot.Rotate(local)).Add(b.Pose.Pos.Cross(p))
	}
	return along, about
}

// freeFloatingScene is boxes without gravity and damping.
func freeFloatingScene(boxes ...sim.Box) sim.Scene {
	s := boxScene(boxes...)
	s.Gravity, s.Damping, s.NoSleep = 0, 0, true
	return s
}

// maxJointSeparation returns the largest separation of a joint's anchors in metres.
func maxJointSeparation(w *sim.World) (worst float32) {
	for i := range w.Scene().Joints {
		a, b := w.JointAnchors(i)
		worst = max(worst, b.Sub(a).Len())
	}
	return worst
}

// maxHingeMisalignment returns the largest angle between the axes of a hinge in rad.
func maxHingeMisalignment(w *sim.World) (worst float32) {
	axis := func(body int, start geom.Vec3) geom.Vec3 {
		if body == sim.WorldBody {
			return start
		}
		return w.Bodies()[body].Pose.Rot.Rotate(w.Scene().Boxes[body].Start.Pose.Rot.Inverse().Rotate(start))
	}
	for _, j := range w.Scene().Joints {
		if j.Hinge {
			worst = max(worst, axis(j.A, j.Axis).Cross(axis(j.B, j.Axis)).Len())
		}
	}
	return worst
}

// stepTicks steps a world n times with the same input of the first player.
func stepTicks(w *sim.World, n int, in sim.Input) {
	for range n {
		w.Step(in)
	}
}
