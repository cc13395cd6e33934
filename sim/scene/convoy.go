package scene

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Sizes of the convoy's sleds, in metres: half extents, and half the distance between two sleds.
const (
	roverHalfLength, roverHalfWidth, roverHalfHeight = 1.2, 0.7, 0.3
	wagonHalfLength, wagonHalfWidth, wagonHalfHeight = 1.0, 0.6, 0.25
	halfCouplingGap                                  = 0.15
)

// convoy is a rover that a player on foot can enter and drive, a train of wagons coupled to it and to
// each other, and another wagon that stands behind them, uncoupled. Rovers and wagons slide on runners. A wagon is heavier than
// a rover, so a joint tree whose root is the heaviest body has another root than one whose root is
// the body that the player drives.
func convoy(p paramValues) sim.Scene {
	s := baseScene("convoy", "rovers to enter, and wagons to couple and uncouple")
	s.MinSubsteps = 8
	v := func(x, y, z float32) geom.Vec3 { return geom.Vec3{X: x, Y: y, Z: z} }
	sled := func(x, y float32, half geom.Vec3, density float32) int {
		s.Boxes = append(s.Boxes, sim.Box{
			Half: half, Density: density, Friction: 0.01,
			Start: sim.Body{Pose: geom.Pose{Pos: v(x, y, half.Z), Rot: geom.Identity}, Asleep: true},
		})
		return len(s.Boxes) - 1
	}
	players := p.value("players")
	s.Players = players
	s.Boxes = s.Boxes[:0]
	for i := range players { // beside their rovers
		s.Boxes = append(s.Boxes, playerBox(v(0, float32(12*i)-1.6, playerHalf)))
	}
	makeAvatars(&s)
	for i := range players {
		y := float32(12 * i)
		rover := sled(0, y, v(roverHalfLength, roverHalfWidth, roverHalfHeight), 8)
		s.Vehicles = append(s.Vehicles, sim.Vehicle{
			Body: rover, Force: 320, Exit: v(0, -roverHalfWidth-2*avatarHalfWidth, avatarHalfHeight-roverHalfHeight+0.05),
			Seat: geom.Pose{Pos: v(0.3, 0, roverHalfHeight+avatarHalfHeight), Rot: geom.Identity},
		})
		last, end := rover, float32(-roverHalfLength)
		for k := range p.value("wagons") + 1 {
			joint := end - halfCouplingGap
			wagon := sled(joint-halfCouplingGap-wagonHalfLength, y, v(wagonHalfLength, wagonHalfWidth, wagonHalfHeight), 18)
			s.Couplings = append(s.Couplings, sim.Coupling{Joint: len(s.Joints), Open: k == p.value("wagons")})
			s.Joints = append(s.Joints, sim.Joint{A: last, B: wagon, Anchor: v(joint, y, wagonHalfHeight), Axis: v(-1, 0, 0), ConeAngle: 1.2})
			last, end = wagon, joint-halfCouplingGap-2*wagonHalfLength
		}
	}
	for i := range 6 {
		s.Boxes = append(s.Boxes, cube(v(float32(2*i)+3, -4, cubeHalf), float32(0.4*float32(i))))
	}
	return s
}
