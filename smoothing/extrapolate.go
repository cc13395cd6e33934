package smoothing

import "ghostcube/sim/geom"

// Extrapolate returns the pose that a body at p reaches after a time if it keeps its
// velocities.
func Extrapolate(p geom.Pose, linear, angular geom.Vec3, seconds float32) geom.Pose {
	p.Pos = p.Pos.AddScaled(seconds, linear)
	if spin := angular.Len(); spin > 0 {
		p.Rot = geom.AxisAngle(angular.Scale(1/spin), float32(spin*seconds)).Mul(p.Rot).Unit()
	}
	return p
}
