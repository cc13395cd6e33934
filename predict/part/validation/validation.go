// Package validation checks what a server says before a client believes it: the states of bodies
// against the bounds and the largest speeds of the scene, and ticks against those before. Bytes from
// the network are untrusted, and a checksum protects against accidents only.
//
// It does not know how states are encoded. Strategies refuse and count a payload that fails a check.
package validation

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// speedTolerance is how far speeds may exceed those with which a step of the simulation ends, by rounding.
const speedTolerance = 1.001

// unitTolerance is the largest deviation of an orientation's squared length from 1.
const unitTolerance = 2e-3

// Body reports whether the scene could contain the body: its position is within the bounds, its
// orientation is a unit quaternion, and its speeds are possible. NaN fails every comparison.
func Body(b *sim.Body, scene *sim.Scene) bool {
	p, q := b.Pose.Pos, b.Pose.Rot
	inside := geom.Abs(p.X) <= scene.HalfWidth && geom.Abs(p.Y) <= scene.HalfWidth && p.Z >= 0 && p.Z <= scene.Height
	unit := geom.Abs(q.Dot(q)-1) <= unitTolerance
	linear := float32(speedTolerance * sim.MaxLinearFactor * scene.MaxLinearSpeed)
	angular := float32(speedTolerance * sim.MaxAngularFactor * scene.MaxAngularSpeed)
	return inside && unit && b.Linear.LenSq() <= float32(linear*linear) && b.Angular.LenSq() <= float32(angular*angular)
}
