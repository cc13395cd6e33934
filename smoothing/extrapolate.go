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

// ExtrapolateArc returns the pose that a body at p reaches after a time if its velocities turn with
// it: on the ground plane it goes along an arc.
func ExtrapolateArc(p geom.Pose, linear, angular geom.Vec3, seconds float32) geom.Pose {
	spin := angular.Len()
	if spin == 0 {
		p.Pos = p.Pos.AddScaled(seconds, linear)
		return p
	}
	turn := geom.AxisAngle(angular.Scale(1/spin), float32(spin*seconds))
	// The body turns about the axis of its motion and moves along it.
	centre := p.Pos.AddScaled(1/float32(spin*spin), angular.Cross(linear))
	along := angular.Scale(angular.Dot(linear) / float32(spin*spin))
	return geom.Pose{
		Pos: centre.Add(turn.Rotate(p.Pos.Sub(centre))).AddScaled(seconds, along),
		Rot: turn.Mul(p.Rot).Unit(),
	}
}
