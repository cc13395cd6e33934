package smoothing

import "ghostcube/sim/geom"

// Hermite returns the point at share, in [0,1], of the cubic curve from a with tangent ta to b with
// tangent tb. If the tangents are the velocities of a body at a and b times the time between the
// two, neither its position nor its velocity jumps from one curve to the next (Fiedler, Snapshot
// Interpolation, 2014).
//
// The sum starts from a, so that a body at rest at both ends keeps its position bit for bit.
func Hermite(a, ta, b, tb geom.Vec3, share float32) geom.Vec3 {
	s2 := float32(share * share)
	s3 := float32(s2 * share)
	toB := float32(3*s2) - float32(2*s3) // weight of b; that of a is 1-toB
	leave := s3 - float32(2*s2) + share
	arrive := s3 - s2
	return a.AddScaled(toB, b.Sub(a)).AddScaled(leave, ta).AddScaled(arrive, tb)
}
