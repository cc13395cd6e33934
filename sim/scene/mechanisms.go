package scene

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// seesaw is a plank on an axle, with a little friction so that equal weights balance, and a player
// that can drop onto one end.
func seesaw(p paramValues) sim.Scene {
	s := baseScene("seesaw", "a plank that balances three cubes against three, and a player to throw them off")
	s.Boxes[0].Start.Pose.Pos = geom.Vec3{X: 3, Y: -4, Z: playerHalf}
	s.MinSubsteps = 8
	v := func(x, y, z float32) geom.Vec3 { return geom.Vec3{X: x, Y: y, Z: z} }
	const height, halfThickness, halfLength, group = 0.6, 0.06, 4, 1
	plank := len(s.Boxes)
	s.Boxes = append(s.Boxes, sim.Box{
		Half: v(halfLength, 1, halfThickness), Density: cubeDensity, Friction: 1, FilterGroup: group,
		Start: sim.Body{Pose: geom.Pose{Pos: v(0, 0, height), Rot: geom.Identity}},
	})
	s.Joints = []sim.Joint{{A: sim.WorldBody, B: plank, Hinge: true, Anchor: v(0, 0, height), Axis: v(0, 1, 0), MaxMotorTorque: 0.5}}
	for _, y := range []float32{-1.15, 1.15} { // supports of the axle
		post := staticBox(v(0, y, 0.35), v(0.12, 0.1, 0.35), geom.Identity)
		s.Static = append(s.Static, post)
	}
	for arm, side := range []float32{-1, 1} {
		for i := range []int{3, p.value("right")}[arm] {
			b := cube(v(float32(side*3.4), float32(0.6*float32(i-1)), height+halfThickness+cubeHalf), 0)
			b.Start.Asleep = false
			s.Boxes = append(s.Boxes, b)
		}
	}
	return s
}

// A wheel consists of three square boxes, rotated against each other: twelve corners roll well
// enough.
const (
	wheelHalfSide  = 0.3                        // metres; half of a square's side
	wheelRadius    = 1.41421356 * wheelHalfSide // metres; to a corner
	wheelHalfWidth = 0.12                       // metres
)

// wheelBox returns a wheel with its axle along y, rotated about the vertical by steer, in radians.
func wheelBox(at geom.Vec3, steer float32, group int) sim.Box {
	half := geom.Vec3{X: wheelHalfSide, Y: wheelHalfWidth, Z: wheelHalfSide}
	b := sim.Box{
		Half: half, Density: 2, Friction: 1, FilterGroup: group,
		Start: sim.Body{Pose: geom.Pose{Pos: at, Rot: geom.AxisAngle(geom.Vec3{Z: 1}, steer)}},
	}
	for i := range 2 {
		turn := geom.AxisAngle(geom.Vec3{Y: 1}, float32(float32(i+1)*(geom.Pi/6)))
		b.SubShapes = append(b.SubShapes, sim.SubShape{Half: half, Pose: geom.Pose{Rot: turn}, Density: 2})
	}
	return b
}

// trailer is a tractor that drives in a circle and pulls a trailer with cubes in it.
func trailer(p paramValues) sim.Scene {
	s := baseScene("trailer", "a tractor that drives in a circle and pulls a trailer with cubes in it")
	s.Boxes[0].Start.Pose.Pos.Y = -5
	s.MinSubsteps = 8
	v := func(x, y, z float32) geom.Vec3 { return geom.Vec3{X: x, Y: y, Z: z} }
	sub := func(at, half geom.Vec3, density float32) sim.SubShape {
		return sim.SubShape{Half: half, Pose: geom.Pose{Pos: at, Rot: geom.Identity}, Density: density}
	}
	start := func(at geom.Vec3) sim.Body { return sim.Body{Pose: geom.Pose{Pos: at, Rot: geom.Identity}} }
	const (
		axleHeight    = wheelRadius + 0.01 // metres; height of the axles at the start
		halfWheelbase = 1.1                // metres; half of the tractor's wheelbase
		halfTrack     = 0.95               // metres; half of the distance between its wheels
		radius        = 9                  // metres; of the circle of the rear axle's centre
		trailerX      = -3.9               // metres; position of the trailer's axle
		hitchX        = -2.0
	)
	speed := float32(p.value("speed")) / wheelRadius // rad/s of a wheel at the rear axle's centre
	steer := float32(geom.Atan2(2*halfWheelbase, radius))

	// The tractor: a chassis, a cab, and a ballast below that balances it.
	tractor := len(s.Boxes)
	s.Boxes = append(s.Boxes, sim.Box{
		Half: v(1.6, 0.6, 0.12), Density: 4, Friction: 1, FilterGroup: 1, Start: start(v(0, 0, axleHeight+0.1)),
		SubShapes: []sim.SubShape{sub(v(0, 0, 0.47), v(0.6, 0.55, 0.35), 1), sub(v(0, 0, -0.2), v(0.6, 0.3, 0.08), 0.35*0.55*0.47/(0.2*0.3*0.08))},
	})
	addWheel := func(body, group int, x, y, turn, speed float32) {
		at := v(x, y, axleHeight)
		w := len(s.Boxes)
		s.Boxes = append(s.Boxes, wheelBox(at, turn, group))
		j := sim.Joint{A: body, B: w, Hinge: true, Anchor: at, Axis: geom.AxisAngle(v(0, 0, 1), turn).Rotate(v(0, 1, 0))}
		if speed != 0 {
			j.MotorSpeed, j.MaxMotorTorque = speed, 60
		}
		s.Joints = append(s.Joints, j)
	}
	for _, y := range []float32{-halfTrack, halfTrack} {
		addWheel(tractor, 1, halfWheelbase, y, steer, 0)
		// A left turn: the left wheel has the shorter path.
		addWheel(tractor, 1, -halfWheelbase, y, 0, float32(speed*(radius-y))/radius)
	}

	// The trailer: a floor, four walls, a bar to the hitch, and a ballast below.
	bed := len(s.Boxes)
	// Half of the walls' thickness in metres, and their mass in kg.
	const halfWall, wallMass = 0.05, 8 * 0.25 * 0.05 * (2*1.5 + 2*0.75)
	s.Boxes = append(s.Boxes, sim.Box{
		Half: v(1.5, 0.8, 0.06), Density: 4, Friction: 1, FilterGroup: 2, Start: start(v(trailerX, 0, axleHeight+0.1)),
		SubShapes: []sim.SubShape{
			sub(v(0, 0.75, 0.31), v(1.5, halfWall, 0.25), 1), sub(v(0, -0.75, 0.31), v(1.5, halfWall, 0.25), 1),
			sub(v(1.45, 0, 0.31), v(halfWall, 0.75, 0.25), 1), sub(v(-1.45, 0, 0.31), v(halfWall, 0.75, 0.25), 1),
			sub(v(0, 0, -0.16), v(0.6, 0.3, 0.1), wallMass*0.31/0.16/(8*0.6*0.3*0.1)),
			sub(v(1.65, 0, -0.02), v(0.15, 0.06, 0.04), 0),
		},
	})
	for _, y := range []float32{-1.0, 1.0} {
		addWheel(bed, 2, trailerX, y, 0, 0)
	}
	s.Joints = append(s.Joints, sim.Joint{A: tractor, B: bed, Anchor: v(hitchX, 0, axleHeight+0.1), Axis: v(0, 0, 1), ConeAngle: 1})
	for i := range 6 {
		b := cube(v(trailerX+float32(0.7*float32(i%3-1)), float32(0.6*float32(i/3))-0.3, axleHeight+0.16+cubeHalf), 0)
		b.Start.Asleep = false
		s.Boxes = append(s.Boxes, b)
	}
	return s
}

// hauler is a sled that the player drives, with cubes in its bays, which leave them little room.
func hauler(p paramValues) sim.Scene {
	s := baseScene("hauler", "a sled that the player drives, with cubes in its bays")
	v := func(x, y, z float32) geom.Vec3 { return geom.Vec3{X: x, Y: y, Z: z} }
	sub := func(at, half geom.Vec3, density float32) sim.SubShape {
		return sim.SubShape{Half: half, Pose: geom.Pose{Pos: at, Rot: geom.Identity}, Density: density}
	}
	// The floor, walls around it and between the bays, and a ballast below that balances them and
	// reaches to the ground.
	const halfLength, halfWidth, halfThickness, halfHeight, halfWall = 1.2, 0.5, 0.05, 0.2, 0.05
	const wallMass = 8 * halfHeight * halfWall * (2*halfLength + 4*(halfWidth-2*halfWall)) // kg
	// Distances of the walls' centre and of the ballast's from the floor's centre, metres.
	const wallCentre, ballastDepth = halfThickness + halfHeight, 0.1
	s.Boxes[0] = sim.Box{
		Half: v(halfLength, halfWidth, halfThickness), Density: 8, Friction: 0.04,
		Start: sim.Body{Pose: geom.Pose{Pos: v(0, 0, 2*ballastDepth-halfThickness), Rot: geom.Identity}},
		SubShapes: []sim.SubShape{
			sub(v(0, halfWidth-halfWall, wallCentre), v(halfLength, halfWall, halfHeight), 1),
			sub(v(0, halfWall-halfWidth, wallCentre), v(halfLength, halfWall, halfHeight), 1),
			sub(v(0, 0, -ballastDepth), v(halfLength, halfWidth, ballastDepth-halfThickness),
				wallMass*wallCentre/ballastDepth/(8*halfLength*halfWidth*(ballastDepth-halfThickness))),
		},
	}
	sled := &s.Boxes[0]
	const bayLength = (2*halfLength - 4*2*halfWall) / 3 // metres
	for i := range 4 {
		x := float32(-halfLength+halfWall) + float32(float32(i)*(bayLength+2*halfWall))
		sled.SubShapes = append(sled.SubShapes, sub(v(x, 0, wallCentre), v(halfWall, halfWidth-2*halfWall, halfHeight), 1))
	}
	half := float32(bayLength/2 - 0.03)
	for i := range p.value("cargo") {
		x := float32(float32([...]int{0, 1, -1}[i]) * (bayLength + 2*halfWall))
		b := cube(v(x, 0, sled.Start.Pose.Pos.Z+halfThickness+half), 0)
		b.Half, b.Start.Asleep = v(half, half, half), false
		s.Boxes = append(s.Boxes, b)
	}
	for i := range 6 { // beside the sled's path
		s.Boxes = append(s.Boxes, cube(v(float32(4*i)-10, -4, cubeHalf), float32(0.4*float32(i))))
	}
	return s
}

// billiards is a table with rails and a triangle of smooth pucks, so that one player moves many
// bodies.
func billiards(p paramValues) sim.Scene {
	s := baseScene("billiards", "a triangle of smooth pucks between rails, for the player to break")
	s.Boxes[0].Start.Pose.Pos.Y = -7
	const halfX, halfY, halfRail, halfHeight, halfPuck = 5, 10, 0.25, 0.7, 0.3 // metres
	v := func(x, y, z float32) geom.Vec3 { return geom.Vec3{X: x, Y: y, Z: z} }
	for _, side := range []float32{-1, 1} {
		s.Static = append(s.Static,
			staticBox(v(float32(side*(halfX+halfRail)), 0, halfHeight), v(halfRail, halfY+2*halfRail, halfHeight), geom.Identity),
			staticBox(v(0, float32(side*(halfY+halfRail)), halfHeight), v(halfX, halfRail, halfHeight), geom.Identity))
	}
	for row := range p.value("rows") {
		for i := range row + 1 {
			b := cube(v(float32((float32(i)-float32(0.5*float32(row)))*(2*halfPuck+0.02)), float32(float32(row)*(2*halfPuck+0.01)), halfPuck), 0)
			b.Half = v(halfPuck, halfPuck, halfPuck)
			b.Density, b.Friction = 1, 0.002 // with the ground's 1 the coefficient is 0.045
			s.Boxes = append(s.Boxes, b)
		}
	}
	return s
}
