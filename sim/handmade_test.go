package sim

import "ghostcube/sim/geom"

// Small scenes made by hand, for what looks into a world. The named ones of package
// scene are for tests from outside.

// Sizes in metres: half of a player's cube, half of a small cube; where a carrier's floor
// ends, and half of its thickness.
const (
	playerHalf         = 0.75
	cubeHalf           = 0.2
	floorTop           = 0.12
	floorHalfThickness = 0.5
)

// baseScene is a scene of one player on a plane.
func baseScene() Scene {
	return Scene{
		Name: "test", Players: 1,
		Gravity: 20, Damping: 0.6, MaxLinearSpeed: 32, MaxAngularSpeed: 16, HalfWidth: 256, Height: 32,
		Boxes: []Box{playerBox(geom.Vec3{Z: playerHalf})},
	}
}

// boxScene is a scene of boxes on a plane, without players.
func boxScene(boxes ...Box) Scene {
	s := baseScene()
	s.Players, s.Boxes = 0, boxes
	return s
}

// yardScene is a player in front of a pyramid of cubes asleep, and a few more around it.
func yardScene() Scene {
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

// turntableScene is a player beside a table that turns, and cubes on it.
func turntableScene(rpm int) Scene {
	s := baseScene()
	s.Boxes[0].Start.Pose.Pos.Y = -10.5
	s.Carriers = []Carrier{{Path: Path{RPM: rpm}, Boxes: []Box{carrierFloor(0, 0, 6, 6)}}}
	for i := range 8 {
		s.Boxes = append(s.Boxes, spinWithTable(boxOnFloor(1.5+float32(i%2)*2.5, float32(i)*0.5-2, cubeHalf, 1), rpm))
	}
	return s
}

// shipScene is a player beside a floor with walls that goes to and fro, and six cubes asleep on it.
func shipScene(distance float32, seconds int) Scene {
	s := baseScene()
	s.HalfWidth, s.MaxLinearSpeed = max(256, distance+100), 64
	s.Boxes[0].Start.Pose.Pos.Y = -3
	wall := func(x, y, halfX, halfY float32) Box {
		return staticBox(geom.Vec3{X: x, Y: 6 + y, Z: floorTop + 0.5}, geom.Vec3{X: halfX, Y: halfY, Z: 0.5}, geom.Identity)
	}
	s.Carriers = []Carrier{{
		Path: Path{Travel: geom.Vec3{X: distance}, TravelSeconds: seconds, WaitSeconds: 8},
		Boxes: []Box{
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

func playerBox(at geom.Vec3) Box {
	return Box{
		Half:    geom.Vec3{X: playerHalf, Y: playerHalf, Z: playerHalf},
		Density: 1, Friction: 4,
		Start: Body{Pose: geom.Pose{Pos: at, Rot: geom.Identity}},
	}
}

// cube is a small cube asleep, turned about the vertical.
func cube(at geom.Vec3, turn float32) Box {
	return Box{
		Half:    geom.Vec3{X: cubeHalf, Y: cubeHalf, Z: cubeHalf},
		Density: 1, Friction: 1,
		Start: Body{Pose: geom.Pose{Pos: at, Rot: geom.AxisAngle(geom.Vec3{Z: 1}, turn)}, Asleep: true},
	}
}

// boxAt is a cube of any size, awake.
func boxAt(x, y, z, half, friction float32) Box {
	b := cube(geom.Vec3{X: x, Y: y, Z: z}, 0)
	b.Half = geom.Vec3{X: half, Y: half, Z: half}
	b.Friction = friction
	b.Start.Asleep = false
	return b
}

func staticBox(at, half geom.Vec3, turn geom.Quat) Box {
	return Box{Half: half, Friction: 1, Start: Body{Pose: geom.Pose{Pos: at, Rot: turn}}}
}

// carrierFloor is the floor of a carrier. It reaches below the ground.
func carrierFloor(x, y, halfX, halfY float32) Box {
	return staticBox(geom.Vec3{X: x, Y: y, Z: floorTop - floorHalfThickness}, geom.Vec3{X: halfX, Y: halfY, Z: floorHalfThickness}, geom.Identity)
}

// boxOnFloor is a box that stands on the floor of a carrier.
func boxOnFloor(x, y, half, friction float32) Box { return boxAt(x, y, floorTop+half, half, friction) }

// spinWithTable returns a box that turns about the origin along with a table.
func spinWithTable(b Box, rpm int) Box {
	spin, at := geom.TwoPi/60*float32(rpm), b.Start.Pose.Pos
	b.Start.Linear = geom.Vec3{X: -spin * at.Y, Y: spin * at.X}
	b.Start.Angular.Z = spin
	return b
}
