package scene

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// plain is a player's cube on a plane.
func plain(paramValues) sim.Scene { return baseScene("plain", "one player's cube on a plane") }

// zen is a playground with a ramp, steps, a low wall and two dozen cubes. It has the name of the
// demo of 2004 that belongs to Fiedler's first articles.
func zen(paramValues) sim.Scene {
	s := baseScene("zen", "a ramp, steps, a low wall, two dozen cubes to push")
	v := func(x, y, z float32) geom.Vec3 { return geom.Vec3{X: x, Y: y, Z: z} }

	// A ramp of 15 degrees that rises to the north, with its lower edge on the ground.
	s.Static = append(s.Static, staticBox(v(-9, 7, 0.55), v(2.5, 4.5, 0.5), geom.AxisAngle(v(1, 0, 0), geom.Pi/12)))
	// Three steps of 0.4 m each.
	for i := range 3 {
		h := float32(0.2 * float32(i+1))
		s.Static = append(s.Static, staticBox(v(9, float32(6+2*i), h), v(2.5, 1, h), geom.Identity))
	}
	// A low wall to the south, low enough to jump over.
	s.Static = append(s.Static, staticBox(v(0, -9, 0.3), v(6, 0.3, 0.3), geom.Identity))

	// A small pyramid: nine, four and one.
	for layer, n := range []int{3, 2, 1} {
		middle := float32(float32(n-1) * 0.5)
		for i := range n * n {
			x := float32((float32(i%n) - middle) * 0.44)
			y := float32((float32(i/n) - middle) * 0.44)
			s.Boxes = append(s.Boxes, cube(v(x, 6+y, 0.2+float32(0.4*float32(layer))), 0))
		}
	}
	// A row along the wall, each cube rotated a little further, and four single cubes.
	for i := range 6 {
		s.Boxes = append(s.Boxes, cube(v(float32(2*i-5), -7, 0.2), float32(0.3*float32(i))))
	}
	for i, p := range []geom.Vec3{v(5, 2, 0.2), v(-5, 1, 0.2), v(4, -3, 0.2), v(-4, -4, 0.2)} {
		s.Boxes = append(s.Boxes, cube(p, float32(0.5*float32(i+1))))
	}
	return s
}

// tower is one stack of cubes.
func tower(p paramValues) sim.Scene {
	s := baseScene("tower", "a stack of cubes to knock over")
	s.Boxes[0].Start.Pose.Pos.Y = -5
	for i := range p.value("height") {
		s.Boxes = append(s.Boxes, cube(geom.Vec3{Z: 0.2 + float32(0.4*float32(i))}, 0))
	}
	return s
}

// twoPlayers is a wall of cubes between two players, and a larger cube at equal distance from both,
// for contested ownership.
func twoPlayers(paramValues) sim.Scene {
	s := baseScene("two-players", "two players, a pile between them, and one large cube to contest")
	s.Players = 2
	s.Boxes = append(s.Boxes[:0], playerBox(geom.Vec3{X: -6, Z: playerHalf}), playerBox(geom.Vec3{X: 6, Z: playerHalf}))
	prize := cube(geom.Vec3{Y: -4, Z: 0.5}, 0)
	prize.Half = geom.Vec3{X: 0.5, Y: 0.5, Z: 0.5}
	s.Boxes = append(s.Boxes, prize)
	for layer := range 4 {
		for y := range 8 {
			for x := range 2 {
				s.Boxes = append(s.Boxes, cube(geom.Vec3{
					X: float32(0.42*float32(x)) - 0.21,
					Y: float32(0.42*float32(y)) + 0.5,
					Z: 0.2 + float32(0.4*float32(layer)),
				}, 0))
			}
		}
	}
	return s
}

// katamari is the world of Fiedler's demo of 2015: small cubes asleep on a grid of one metre, and a
// player's cube dropped from 10 m. The demo has one player, this scene up to eight.
func katamari(p paramValues) sim.Scene {
	s := baseScene("katamari", "small cubes asleep on a grid, for players to gather")
	s.Players = p.value("players")
	s.Boxes = s.Boxes[:0]
	for i := range s.Players { // the first in the middle, the others around it
		at := [sim.MaxPlayers]geom.Vec3{{}, {X: 4}, {X: -4}, {Y: 4}, {Y: -4}, {X: 4, Y: 4}, {X: -4, Y: -4}, {X: 4, Y: -4}}[i]
		at.Z = 10
		s.Boxes = append(s.Boxes, playerBox(at))
	}
	n := p.value("cubes")
	side := 1
	for side*side < n {
		side++
	}
	low := 0.5 - float32(float32(side)*0.5)
	for i := range n {
		s.Boxes = append(s.Boxes, cube(geom.Vec3{X: low + float32(i%side), Y: low + float32(i/side), Z: cubeHalf}, 0))
	}
	return s
}
