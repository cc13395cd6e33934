package scene

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// train is a chain of rods that the player tows. It is attached to the centre of the player's cube,
// so that the cube can roll.
func train(p paramValues) sim.Scene {
	s := baseScene("train", "a chain of rods on ball joints, towed by the player")
	s.MinSubsteps = 8
	const (
		halfThickness = 0.1  // metres
		halfLength    = 0.4  // metres; half of the distance between joints
		firstEnd      = 1.45 // metres behind the player, of the first rod's end
		density       = 2    // kg/m3
	)
	from := s.Boxes[0].Start.Pose.Pos
	s.Boxes[0].FilterGroup = 1
	for i := range p.value("rods") {
		to := geom.Vec3{Y: -float32(firstEnd + float32(2*halfLength*float32(i))), Z: halfThickness}
		d := to.Sub(from)
		rod := len(s.Boxes)
		s.Boxes = append(s.Boxes, sim.Box{
			Half: geom.Vec3{X: halfThickness, Y: float32(d.Len()*0.5) - halfThickness/2, Z: halfThickness}, Density: density, Friction: 0.5, FilterGroup: 1,
			Start: sim.Body{Pose: geom.Pose{Pos: from.AddScaled(0.5, d), Rot: geom.AxisAngle(geom.Vec3{X: 1}, geom.Atan2(d.Z, d.Y))}},
		})
		j := sim.Joint{A: rod - 1, B: rod, Anchor: from, Axis: geom.Vec3{Y: -1}, ConeAngle: 1.2}
		if i == 0 {
			j.ConeAngle = 0
		}
		s.Joints = append(s.Joints, j)
		from = to
	}
	return s
}
