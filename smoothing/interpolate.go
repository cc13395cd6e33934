package smoothing

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Lerp returns the point at share, in [0,1], of the line from a to b.
func Lerp(a, b geom.Vec3, share float32) geom.Vec3 { return a.AddScaled(share, b.Sub(a)) }

// LerpPose returns the pose at share, in [0,1], from a to b: linear in position, and the shorter
// rotation at a constant rate.
func LerpPose(a, b geom.Pose, share float32) geom.Pose {
	return geom.Pose{Pos: Lerp(a.Pos, b.Pos, share), Rot: geom.Slerp(a.Rot, b.Rot, share)}
}

// LerpRotation returns the rotation at share, in [0,1], from a to b. If the two are equal, it
// returns a, so that a body that does not turn keeps its rotation bit for bit.
func LerpRotation(a, b geom.Quat, share float32) geom.Quat {
	if a == b {
		return a
	}
	return geom.Slerp(a, b, share)
}

// LerpBody returns the state at share, in [0,1], between two states of a body, velocities included.
// It is awake.
func LerpBody(from, to *sim.Body, share float32) sim.Body {
	return sim.Body{
		Pose:    LerpPose(from.Pose, to.Pose, share),
		Linear:  Lerp(from.Linear, to.Linear, share),
		Angular: Lerp(from.Angular, to.Angular, share),
	}
}

// HermitePose returns the pose at share, in [0,1], of the Hermite curve between two states of a body
// that are some seconds apart. It starts and ends with the velocities of the two. If their poses are
// equal, it returns that pose bit for bit.
func HermitePose(a, b *sim.Body, seconds, share float32) geom.Pose {
	if a.Pose == b.Pose {
		return b.Pose
	}
	p := geom.Pose{
		Pos: Hermite(a.Pose.Pos, a.Linear.Scale(seconds), b.Pose.Pos, b.Linear.Scale(seconds), share),
		Rot: b.Pose.Rot,
	}
	turn := b.Pose.Rot.Mul(a.Pose.Rot.Inverse())
	if turn == geom.Identity {
		return p
	}
	turned := Hermite(geom.Vec3{}, a.Angular.Scale(seconds), rotationVector(turn), b.Angular.Scale(seconds), share)
	if angle := turned.Len(); angle > 0 {
		p.Rot = geom.AxisAngle(turned.Scale(1/angle), angle).Mul(a.Pose.Rot).Unit()
	} else {
		p.Rot = a.Pose.Rot
	}
	return p
}

// rotationVector returns the axis of a rotation times its angle in radians, in [0, pi].
func rotationVector(q geom.Quat) geom.Vec3 {
	if q.W < 0 {
		q = q.Neg()
	}
	v := geom.Vec3{X: q.X, Y: q.Y, Z: q.Z}
	if l := v.Len(); l > 0 {
		return v.Scale(q.Angle() / l)
	}
	return geom.Vec3{}
}

// Smoothstep maps [0,1] to itself with zero slope at both ends.
func Smoothstep(s float32) float32 { return float32(float32(s*s) * (3 - float32(2*s))) }
