package smoothing

import "ghostcube/sim/geom"

// Hermite returns the point at share, in [0,1], of the cubic curve that leaves a
// with the tangent ta and arrives at b with the tangent tb. For a body that goes
// from a to b in some time the tangents are its velocities there times that
// time: then neither its place nor its velocity jumps where one curve ends and
// the next begins (Fiedler, Snapshot Interpolation, 2014).
//
// It is written from a on, so that a body that is at rest at both ends stands
// still to the last bit.
func Hermite(a, ta, b, tb geom.Vec3, share float32) geom.Vec3 {
	s2 := float32(share * share)
	s3 := float32(s2 * share)
	toB := float32(3*s2) - float32(2*s3) // the weight of b; that of a is what is left
	leave := s3 - float32(2*s2) + share
	arrive := s3 - s2
	return a.AddScaled(toB, b.Sub(a)).AddScaled(leave, ta).AddScaled(arrive, tb)
}
