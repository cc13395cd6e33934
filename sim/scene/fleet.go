package scene

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// fleet is a world of many bodies, most of them far away: fields of cubes. In each field but the
// player's a bar rotates and keeps some of them awake.
func fleet(p paramValues) sim.Scene {
	s := baseScene("fleet", "fields of 400 bodies, 100 m apart, with a rotating bar in all but one")
	// Cubes along a side of a field, metres between fields, half length of a bar in metres.
	const side, spacing, halfBar = 20, 100, 2.2
	fields := p.value("fields")
	columns := 1
	for columns*columns < fields {
		columns++
	}
	s.HalfWidth = max(256, float32(float32(columns/2)*spacing)+56)
	v := func(x, y, z float32) geom.Vec3 { return geom.Vec3{X: x, Y: y, Z: z} }
	for f := range fields {
		// From the middle outwards; the player is in the first field.
		x, y := spiral(f)
		at := v(float32(float32(x)*spacing), float32(float32(y)*spacing), 0)
		if f > 0 {
			b := sim.Box{
				Half: v(halfBar, 0.1, 0.1), Density: 10, Friction: 1,
				Start: sim.Body{Pose: geom.Pose{Pos: at.Add(v(0, 0, 0.2)), Rot: geom.Identity}},
			}
			s.Joints = append(s.Joints, sim.Joint{
				A: sim.WorldBody, B: len(s.Boxes), Hinge: true, Anchor: b.Start.Pose.Pos, Axis: v(0, 0, 1), MotorSpeed: 1.5, MaxMotorTorque: 40,
			})
			s.Boxes = append(s.Boxes, b)
		}
		for i := range side * side {
			x, y := float32(i%side-side/2), float32(i/side-side/2)
			// The player or the field's bar takes the place of this cube.
			if x == 0 && y == 0 {
				continue
			}
			s.Boxes = append(s.Boxes, cube(at.Add(v(x+0.5, y+0.5, cubeHalf)), 0))
		}
	}
	s.Boxes[0].Start.Pose.Pos = v(0, -12, playerHalf)
	return s
}

// spiral returns cell n of a spiral on a grid, from the middle outwards.
func spiral(n int) (x, y int) {
	dx, dy := 1, 0
	for leg := 1; ; leg++ {
		for range 2 {
			for range leg {
				if n == 0 {
					return x, y
				}
				x, y, n = x+dx, y+dy, n-1
			}
			dx, dy = -dy, dx
		}
	}
}
