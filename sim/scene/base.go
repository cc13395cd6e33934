package scene

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Sizes and density of Fiedler's demo: a player of 1.5 m weighs 3.375 kg, a small cube of 0.4 m
// weighs 0.064 kg.
const (
	playerHalf  = 0.75
	cubeHalf    = 0.2
	cubeDensity = 1
)

// The player's friction makes 120 N roll the cube instead of sliding it: its edge must resist 120 N
// under a weight of 67.5 N, which takes a coefficient above 1.8. With the ground's 1 the geometric
// mean is 2.
const (
	playerFriction = 4
	cubeFriction   = 1
)

// baseScene returns a scene with one player and the constants of Fiedler's demo.
func baseScene(name, doc string) sim.Scene {
	return sim.Scene{
		Name: name, Doc: doc, Players: 1,
		Gravity: 20, Damping: 0.6, MaxLinearSpeed: 32, MaxAngularSpeed: 16, HalfWidth: 256, Height: 32,
		Boxes: []sim.Box{playerBox(geom.Vec3{X: 0, Y: 0, Z: playerHalf})},
	}
}

func playerBox(at geom.Vec3) sim.Box {
	return sim.Box{
		Half:    geom.Vec3{X: playerHalf, Y: playerHalf, Z: playerHalf},
		Density: cubeDensity, Friction: playerFriction,
		Start: sim.Body{Pose: geom.Pose{Pos: at, Rot: geom.Identity}},
	}
}

// cube returns a small cube, asleep, rotated about the vertical by turn, in radians.
func cube(at geom.Vec3, turn float32) sim.Box {
	return sim.Box{
		Half:    geom.Vec3{X: cubeHalf, Y: cubeHalf, Z: cubeHalf},
		Density: cubeDensity, Friction: cubeFriction,
		Start: sim.Body{
			Pose:   geom.Pose{Pos: at, Rot: geom.AxisAngle(geom.Vec3{Z: 1}, turn)},
			Asleep: true,
		},
	}
}

func staticBox(at, half geom.Vec3, turn geom.Quat) sim.Box {
	return sim.Box{Half: half, Friction: 1, Start: sim.Body{Pose: geom.Pose{Pos: at, Rot: turn}}}
}

// baseSceneBeside is baseScene with the player out of the way of boxes that fall in the middle.
func baseSceneBeside(name, doc string) sim.Scene {
	s := baseScene(name, doc)
	s.Boxes[0].Start.Pose.Pos.Y = -7
	return s
}

// Half extents of an avatar: 1.8 m tall, 3.24 kg, so that it pushes small cubes as a player's cube does.
const (
	avatarHalfWidth  = 0.3
	avatarHalfHeight = 0.9
)

// makeAvatars replaces the cubes of players and walkers by avatars that stand in their places.
func makeAvatars(s *sim.Scene) {
	for i := range s.Players + s.Walkers {
		b := &s.Boxes[i]
		b.Half = geom.Vec3{X: avatarHalfWidth, Y: avatarHalfWidth, Z: avatarHalfHeight}
		b.Density, b.Friction, b.Avatar = 5, 1, true
		b.Start.Pose.Pos.Z += avatarHalfHeight - playerHalf
	}
}

// avatarParam is the parameter of scenes whose players can be avatars.
var avatarParam = Param{"avatar", "1: players are upright avatars that walk and jump, not cubes that roll", 0, 0, 1}
