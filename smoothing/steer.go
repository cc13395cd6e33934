package smoothing

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Steer returns the velocities that lead a body to a moving target in a number of seconds, above 0: the
// target's own, and the offset from the target by the time. Both are blended with the body's present velocities, of
// which the linear one takes over a share linear and the angular one a share angular, each in [0,1]. With
// 1 the present ones count for nothing.
//
// With smaller shares the body keeps what its own world does to it, such as a push: Unreal's predictive interpolation.
// With 1 it is Unreal's default physics replication.
func Steer(b, target *sim.Body, seconds, linear, angular float32) (linearVelocity, angularVelocity geom.Vec3) {
	to := target.Linear.AddScaled(1/seconds, target.Pose.Pos.Sub(b.Pose.Pos))
	turn := target.Angular.AddScaled(1/seconds, rotationVector(target.Pose.Rot.Mul(b.Pose.Rot.Inverse())))
	return Lerp(b.Linear, to, linear), Lerp(b.Angular, turn, angular)
}
