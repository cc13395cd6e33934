package scene

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Floors of carriers reach below the ground, so that a cube that rolls against one meets an edge
// and does not get under it.
const (
	floorTop           = 0.12 // metres; a player's cube can roll over this step
	floorHalfThickness = 0.5  // metres
)

// carrierFloor returns the floor of a carrier, with its centre and half extents in metres.
func carrierFloor(x, y, halfX, halfY float32) sim.Box {
	return staticBox(geom.Vec3{X: x, Y: y, Z: floorTop - floorHalfThickness}, geom.Vec3{X: halfX, Y: halfY, Z: floorHalfThickness}, geom.Identity)
}

// turntable is a large square table that rotates at a constant rate.
func turntable(p paramValues) sim.Scene {
	s := baseScene("turntable", "a large rotating table, with cubes on it and beside it")
	s.Boxes[0].Start.Pose.Pos.Y = -10.5
	rpm := p.value("rpm")
	s.Carriers = []sim.Carrier{{Path: sim.Path{RPM: rpm}, Boxes: []sim.Box{carrierFloor(0, 0, 6, 6)}}}
	spin := float32(geom.TwoPi / 60 * float32(rpm))
	if b := &s.Boxes[0].Start; p.value("aboard") == 1 {
		const radius = 2.8 // metres; between the two rings of cubes
		b.Pose.Pos = geom.Vec3{Y: -radius, Z: floorTop + playerHalf}
		b.Linear.X, b.Angular.Z = float32(radius*spin), spin
	}
	for i := range 8 { // in two rings, at the velocity of the table
		radius := 1.5 + float32(float32(i%2)*2.5)
		a := float32(float32(i) * (geom.TwoPi / 8))
		at := geom.Vec3{X: float32(radius * geom.Cos(a)), Y: float32(radius * geom.Sin(a)), Z: floorTop + cubeHalf}
		b := cube(at, a)
		b.Start.Asleep = false
		b.Start.Linear = geom.Vec3{X: -float32(spin * at.Y), Y: float32(spin * at.X)}
		b.Start.Angular.Z = spin
		s.Boxes = append(s.Boxes, b)
	}
	for i := range 8 { // around it, out of reach of its corners
		a := float32((float32(i) + 0.5) * (geom.TwoPi / 8))
		s.Boxes = append(s.Boxes, cube(geom.Vec3{X: float32(9.2 * geom.Cos(a)), Y: float32(9.2 * geom.Sin(a)), Z: cubeHalf}, 0))
	}
	return s
}

// ship is a room without a roof that moves back and forth, with a door to the south and long stops
// at both ends. On a long path it is fast; the bounds and speed limits of the world are larger
// then, and damping is lower, because at 50 m/s it would exceed the friction of the cubes on board.
// With platform=1 a second carrier moves in parallel beside the door. The player starts on it and
// boards a moving ship.
func ship(p paramValues) sim.Scene {
	if p.value("players") == 2 {
		return flownShip()
	}
	s := baseScene("ship", "a ship with walls and a door that moves back and forth and stops at both ends")
	distance := p.value("distance")
	// At most 7.5 m/s and 2.3 m/s2 for 40 m, 50 m/s and 7.6 m/s2 for 530 m.
	seconds := 10 + (distance-40)/49
	if distance > 40 {
		s.HalfWidth, s.MaxLinearSpeed, s.Damping = float32(max(256, distance+100)), 64, 0.1
	}
	s.Boxes[0].Start.Pose.Pos.Y = -3
	v := func(x, y, z float32) geom.Vec3 { return geom.Vec3{X: x, Y: y, Z: z} }
	// Half extents in metres; middle is the ship's y.
	const middle, halfLength, halfWidth, halfHeight, halfThickness = 6, 5, 3.5, 0.5, 0.15
	wall := func(x, y, halfX, halfY float32) sim.Box {
		return staticBox(v(x, middle+y, floorTop+halfHeight), v(halfX, halfY, halfHeight), geom.Identity)
	}
	// Half widths in metres of the door and of the wall on either side of it.
	const halfDoor, halfDoorWall = 2, (halfLength - 2) / 2.0
	s.Carriers = []sim.Carrier{{
		Path: sim.Path{Travel: v(float32(distance), 0, 0), TravelSeconds: seconds, WaitSeconds: 8},
		Boxes: []sim.Box{
			carrierFloor(0, middle, halfLength, halfWidth),
			wall(0, halfWidth-halfThickness, halfLength, halfThickness),
			wall(halfThickness-halfLength, 0, halfThickness, halfWidth-2*halfThickness), wall(halfLength-halfThickness, 0, halfThickness, halfWidth-2*halfThickness),
			wall(-halfDoor-halfDoorWall, halfThickness-halfWidth, halfDoorWall, halfThickness),
			wall(halfDoor+halfDoorWall, halfThickness-halfWidth, halfDoorWall, halfThickness),
		},
	}}
	if p.value("platform") == 1 {
		const gap, halfX, halfY = 0.1, 4, 2.75
		y := float32(middle - halfWidth - gap - halfY)
		s.Boxes[0].Start.Pose.Pos = v(0, y, floorTop+playerHalf)
		s.Carriers = append(s.Carriers, sim.Carrier{Path: s.Carriers[0].Path, Boxes: []sim.Box{carrierFloor(0, y, halfX, halfY)}})
	}
	if p.value("jetpack") == 1 {
		makeAvatars(&s)
		s.Boxes[0].Thrust = 16
		if p.value("platform") == 0 {
			s.Boxes[0].Start.Pose.Pos = v(0, -6, 3)
		}
	}
	for i, p := range []geom.Vec3{v(-4, 7, 0), v(-3.2, 8, 0), v(-2, 8.6, 0), v(3.5, 8, 0), v(4, 5, 0), v(3, 7.2, 0)} {
		p.Z = floorTop + cubeHalf
		s.Boxes = append(s.Boxes, cube(p, float32(0.3*float32(i))))
	}
	for i := range 4 { // out of the ship's way
		s.Boxes = append(s.Boxes, cube(v(float32(3*i)-4.5, -6, cubeHalf), float32(0.4*float32(i))))
	}
	return s
}

// flownShip is a ship that hovers and that the second player flies, with the buttons that walk it: a client cannot
// predict where it goes. The first player has a jetpack and boards the ship in flight.
func flownShip() sim.Scene {
	s := baseScene("ship", "a ship that another player flies, and a player with a jetpack who boards it")
	s.Players, s.HalfWidth, s.MaxLinearSpeed, s.Damping = 2, 1200, 64, 0.24 // 12 m/s2 at 50 m/s
	v := func(x, y, z float32) geom.Vec3 { return geom.Vec3{X: x, Y: y, Z: z} }
	const (
		halfLength, halfWidth, halfFloor = 5, 3.5, 0.25 // metres
		halfWall, halfThickness          = 0.5, 0.15
		height                           = 1.5 // of the floor's centre
		acceleration                     = 12  // m/s2
		density                          = 100 // kg/m3; 3.5 t, a thousand times an avatar
	)
	wall := func(x, y, halfX, halfY float32) sim.SubShape { // without mass, so that the centre of mass is the floor's
		return sim.SubShape{Half: v(halfX, halfY, halfWall), Pose: geom.Pose{Pos: v(x, y, halfFloor+halfWall), Rot: geom.Identity}}
	}
	const body, deck = 2, height + halfFloor + avatarHalfHeight // z of an avatar that stands aboard
	s.Boxes = []sim.Box{playerBox(v(0, -24, playerHalf)), playerBox(v(2, 0, deck-avatarHalfHeight+playerHalf)), {
		Half: v(halfLength, halfWidth, halfFloor), Density: density, Friction: 1, Hover: true,
		SubShapes: []sim.SubShape{
			wall(0, halfWidth-halfThickness, halfLength, halfThickness), wall(0, halfThickness-halfWidth, halfLength, halfThickness),
			wall(halfLength-halfThickness, 0, halfThickness, halfWidth-2*halfThickness), wall(halfThickness-halfLength, 0, halfThickness, halfWidth-2*halfThickness),
		},
		Start: sim.Body{Pose: geom.Pose{Pos: v(0, 0, height), Rot: geom.Identity}, Asleep: true},
	}}
	makeAvatars(&s)
	s.Boxes[0].Thrust = 24 // it keeps up with the ship in a turn
	s.Vehicles = []sim.Vehicle{{
		Body: body, Force: 8 * halfLength * halfWidth * halfFloor * density * acceleration, Turn: 0.8,
		Seat: geom.Pose{Pos: v(3.8, 0, halfFloor+avatarHalfHeight), Rot: geom.Identity}, Exit: v(2, 0, halfFloor+avatarHalfHeight+0.05),
	}}
	for i := range 12 { // landmarks
		x, y := spiral(i + 1)
		s.Boxes = append(s.Boxes, cube(v(float32(60*x)+9, float32(60*y)-9, cubeHalf), 0))
	}
	return s
}
