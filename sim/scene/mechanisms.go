package scene

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// seesaw is a plank on an axle that rubs a little, so that equal weights
// balance, and a player to jump onto one end.
func seesaw(paramValues) sim.Scene {
	s := baseScene("seesaw", "a plank that balances three cubes against three, and a player to throw them")
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
	for _, y := range []float32{-1.15, 1.15} { // what the axle rests on
		post := staticBox(v(0, y, 0.35), v(0.12, 0.1, 0.35), geom.Identity)
		s.Static = append(s.Static, post)
	}
	for _, side := range []float32{-1, 1} {
		for i := range 3 {
			b := cube(v(float32(side*3.4), float32(0.6*float32(i-1)), height+halfThickness+cubeHalf), 0)
			b.Start.Asleep = false
			s.Boxes = append(s.Boxes, b)
		}
	}
	return s
}

// Wheels are squares turned against each other: twelve corners roll well enough.
const (
	wheelHalfSide  = 0.3                        // metres; half of a square's side
	wheelRadius    = 1.41421356 * wheelHalfSide // to a corner
	wheelHalfWidth = 0.12                       // half of it
)

// wheelBox returns a wheel whose axle points along y, turned about the vertical.
func wheelBox(at geom.Vec3, steer float32, group int) sim.Box {
	half := geom.Vec3{X: wheelHalfSide, Y: wheelHalfWidth, Z: wheelHalfSide}
	b := sim.Box{
		Half: half, Density: 2, Friction: 1, FilterGroup: group,
		Start: sim.Body{Pose: geom.Pose{Pos: at, Rot: geom.AxisAngle(geom.Vec3{Z: 1}, steer)}},
	}
	for i := range 2 {
		turn := geom.AxisAngle(geom.Vec3{Y: 1}, float32(float32(i+1)*(geom.Pi/6)))
		b.Parts = append(b.Parts, sim.Part{Half: half, Pose: geom.Pose{Rot: turn}, Density: 2})
	}
	return b
}

// trailer is a tractor that drives in a circle for ever and draws a trailer with
// walls, in which cubes lie.
func trailer(p paramValues) sim.Scene {
	s := baseScene("trailer", "a tractor drives round and round, and draws a trailer with cubes in it")
	s.Boxes[0].Start.Pose.Pos.Y = -5
	s.MinSubsteps = 8
	v := func(x, y, z float32) geom.Vec3 { return geom.Vec3{X: x, Y: y, Z: z} }
	part := func(at, half geom.Vec3, density float32) sim.Part {
		return sim.Part{Half: half, Pose: geom.Pose{Pos: at, Rot: geom.Identity}, Density: density}
	}
	start := func(at geom.Vec3) sim.Body { return sim.Body{Pose: geom.Pose{Pos: at, Rot: geom.Identity}} }
	const (
		axleHeight    = wheelRadius + 0.01 // how high the axles start
		halfWheelbase = 1.1                // half of the way between the tractor's axles
		halfTrack     = 0.95               // half of that between its wheels
		radius        = 9                  // of the circle that the middle of the rear axle drives
		trailerX      = -3.9               // where the trailer's axle is
		hitchX        = -2.0
	)
	speed := float32(p.value("speed")) / wheelRadius // rad/s; the middle's
	steer := float32(geom.Atan2(2*halfWheelbase, radius))

	// The tractor: a chassis, and a cab that a weight below it balances.
	tractor := len(s.Boxes)
	s.Boxes = append(s.Boxes, sim.Box{
		Half: v(1.6, 0.6, 0.12), Density: 4, Friction: 1, FilterGroup: 1, Start: start(v(0, 0, axleHeight+0.1)),
		Parts: []sim.Part{part(v(0, 0, 0.47), v(0.6, 0.55, 0.35), 1), part(v(0, 0, -0.2), v(0.6, 0.3, 0.08), 0.35*0.55*0.47/(0.2*0.3*0.08))},
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
		addWheel(tractor, 1, -halfWheelbase, y, 0, float32(speed*(radius-y))/radius) // it turns to the left: the left wheel has less of a way
	}

	// The trailer: a floor, four walls, a bar to the hitch, and a weight below.
	bed := len(s.Boxes)
	const halfWall, wallMass = 0.05, 8 * 0.25 * 0.05 * (2*1.5 + 2*0.75) // half of their thickness, and what they weigh
	s.Boxes = append(s.Boxes, sim.Box{
		Half: v(1.5, 0.8, 0.06), Density: 4, Friction: 1, FilterGroup: 2, Start: start(v(trailerX, 0, axleHeight+0.1)),
		Parts: []sim.Part{
			part(v(0, 0.75, 0.31), v(1.5, halfWall, 0.25), 1), part(v(0, -0.75, 0.31), v(1.5, halfWall, 0.25), 1),
			part(v(1.45, 0, 0.31), v(halfWall, 0.75, 0.25), 1), part(v(-1.45, 0, 0.31), v(halfWall, 0.75, 0.25), 1),
			part(v(0, 0, -0.16), v(0.6, 0.3, 0.1), wallMass*0.31/0.16/(8*0.6*0.3*0.1)),
			part(v(1.65, 0, -0.02), v(0.15, 0.06, 0.04), 0),
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

// hauler is a sled that the player drives, with bays in which cubes lie: what is
// stowed cannot get out, and hardly move.
func hauler(p paramValues) sim.Scene {
	s := baseScene("hauler", "a sled that the player drives, with cubes stowed in its bays")
	v := func(x, y, z float32) geom.Vec3 { return geom.Vec3{X: x, Y: y, Z: z} }
	part := func(at, half geom.Vec3, density float32) sim.Part {
		return sim.Part{Half: half, Pose: geom.Pose{Pos: at, Rot: geom.Identity}, Density: density}
	}
	// The floor, walls round it and between the bays, and a weight below that
	// balances them: what lies in the ground there is the floor's own.
	const halfLength, halfWidth, halfThickness, halfHeight, halfWall = 1.2, 0.5, 0.05, 0.2, 0.05
	const wallMass = 8 * halfHeight * halfWall * (2*halfLength + 4*(halfWidth-2*halfWall)) // what they weigh
	const wallCentre, ballastDepth = halfThickness + halfHeight, 0.1                       // from the middle of the floor to theirs, and to the weight's
	s.Boxes[0] = sim.Box{
		Half: v(halfLength, halfWidth, halfThickness), Density: 8, Friction: 0.04,
		Start: sim.Body{Pose: geom.Pose{Pos: v(0, 0, 2*ballastDepth-halfThickness), Rot: geom.Identity}},
		Parts: []sim.Part{
			part(v(0, halfWidth-halfWall, wallCentre), v(halfLength, halfWall, halfHeight), 1), part(v(0, halfWall-halfWidth, wallCentre), v(halfLength, halfWall, halfHeight), 1),
			part(v(0, 0, -ballastDepth), v(halfLength, halfWidth, ballastDepth-halfThickness), wallMass*wallCentre/ballastDepth/(8*halfLength*halfWidth*(ballastDepth-halfThickness))),
		},
	}
	sled := &s.Boxes[0]
	const bayLength = (2*halfLength - 4*2*halfWall) / 3 // metres; three of them
	for i := range 4 {
		x := float32(-halfLength+halfWall) + float32(float32(i)*(bayLength+2*halfWall))
		sled.Parts = append(sled.Parts, part(v(x, 0, wallCentre), v(halfWall, halfWidth-2*halfWall, halfHeight), 1))
	}
	half := float32(bayLength/2 - 0.03)
	for i := range p.value("cargo") {
		x := float32(float32([...]int{0, 1, -1}[i]) * (bayLength + 2*halfWall))
		b := cube(v(x, 0, sled.Start.Pose.Pos.Z+halfThickness+half), 0)
		b.Half, b.Start.Asleep = v(half, half, half), false
		s.Boxes = append(s.Boxes, b)
	}
	for i := range 6 { // beside its way
		s.Boxes = append(s.Boxes, cube(v(float32(4*i)-10, -4, cubeHalf), float32(0.4*float32(i))))
	}
	return s
}

// billiards is a table with rails and a triangle of smooth pucks: what one
// player pushes, pushes the others.
func billiards(p paramValues) sim.Scene {
	s := baseScene("billiards", "smooth pucks in a triangle between rails, that one player breaks")
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
			b.Density, b.Friction = 1, 0.002 // with the ground's 1 that is a coefficient of 0.045
			s.Boxes = append(s.Boxes, b)
		}
	}
	return s
}
