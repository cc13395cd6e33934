package smoothing

import "ghostcube/sim/geom"

// Extrapolate returns the pose of a body after some seconds at constant velocities, from p.
func Extrapolate(p geom.Pose, linear, angular geom.Vec3, seconds float32) geom.Pose {
	p.Pos = p.Pos.AddScaled(seconds, linear)
	if spin := angular.Len(); spin > 0 {
		p.Rot = geom.AxisAngle(angular.Scale(1/spin), float32(spin*seconds)).Mul(p.Rot).Unit()
	}
	return p
}

// ExtrapolateArc is Extrapolate for a body whose linear velocity turns with it, so that it moves
// along an arc.
func ExtrapolateArc(p geom.Pose, linear, angular geom.Vec3, seconds float32) geom.Pose {
	spin := angular.Len()
	if spin == 0 {
		p.Pos = p.Pos.AddScaled(seconds, linear)
		return p
	}
	turn := geom.AxisAngle(angular.Scale(1/spin), float32(spin*seconds))
	// The motion is a screw: a rotation about an axis, and a translation along it.
	centre := p.Pos.AddScaled(1/float32(spin*spin), angular.Cross(linear))
	along := angular.Scale(angular.Dot(linear) / float32(spin*spin))
	return geom.Pose{
		Pos: centre.Add(turn.Rotate(p.Pos.Sub(centre))).AddScaled(seconds, along),
		Rot: turn.Mul(p.Rot).Unit(),
	}
}
