package scene

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// crowd is a player among many walkers, with small cubes between them. A walker takes the place of a remote
// player: the server moves it, and no client knows its input.
func crowd(p paramValues) sim.Scene {
	s := baseScene("crowd", "a player on foot among 120 others, and cubes to push")
	s.Walkers = p.value("walkers")
	const spacing = 2 // metres
	for i := range s.Walkers {
		x, y := spiral(i + 1)
		s.Boxes = append(s.Boxes, playerBox(geom.Vec3{X: float32(spacing * x), Y: float32(spacing * y), Z: playerHalf}))
	}
	makeAvatars(&s)
	for i := range 24 {
		x, y := i%6-3, i/6-2
		s.Boxes = append(s.Boxes, cube(geom.Vec3{X: float32(4*x) + 1, Y: float32(4*y) + 1, Z: cubeHalf}, float32(0.4*float32(i))))
	}
	return s
}
