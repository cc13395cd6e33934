package smoothing

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Lerp returns the point at share, in [0,1], of the straight way from a to b.
func Lerp(a, b geom.Vec3, share float32) geom.Vec3 { return a.AddScaled(share, b.Sub(a)) }

// LerpPose returns the pose at share, in [0,1], of the way from a to b: straight, and turning
// evenly by the short way round.
func LerpPose(a, b geom.Pose, share float32) geom.Pose {
	return geom.Pose{Pos: Lerp(a.Pos, b.Pos, share), Rot: geom.Slerp(a.Rot, b.Rot, share)}
}

// LerpRotation returns the rotation at share, in [0,1], of the way from a to b, and a itself
// where both are equal: a body that does not turn keeps every bit of its rotation.
func LerpRotation(a, b geom.Quat, share float32) geom.Quat {
	if a == b {
		return a
	}
	return geom.Slerp(a, b, share)
}

// LerpBody returns a body at share, in [0,1], of the way from one to another, velocities
// included. It is awake.
func LerpBody(from, to *sim.Body, share float32) sim.Body {
	return sim.Body{
		Pose:    LerpPose(from.Pose, to.Pose, share),
		Linear:  Lerp(from.Linear, to.Linear, share),
		Angular: Lerp(from.Angular, to.Angular, share),
	}
}

// HermitePose returns the pose at share, in [0,1], of the curve that leaves a and arrives at b
// with the velocities that the two bodies have there; seconds is the time between them. Two
// equal poses give that pose to the last bit.
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
	way := Hermite(geom.Vec3{}, a.Angular.Scale(seconds), rotationVector(turn), b.Angular.Scale(seconds), share)
	if angle := way.Len(); angle > 0 {
		p.Rot = geom.AxisAngle(way.Scale(1/angle), angle).Mul(a.Pose.Rot).Unit()
	} else {
		p.Rot = a.Pose.Rot
	}
	return p
}

// rotationVector returns a rotation as its axis times its angle in radians, by the short way
// round.
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

// Smoothstep returns a share that leaves 0 and arrives at 1 slowly, for s in [0,1].
func Smoothstep(s float32) float32 { return float32(float32(s*s) * (3 - float32(2*s))) }
