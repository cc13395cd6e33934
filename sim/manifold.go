package sim

import "ghostcube/sim/geom"

// manifold is how two boxes touch: up to four points with one normal. It is
// part of the state, because it outlives the tick: its impulses start the next
// solve, and while its boxes hardly move against each other its points are
// kept and only their separations are renewed. That is what lets a pile of 900
// cubes stand: points that are found anew each tick wander, and the pile with
// them.
type manifold struct {
	key             uint32 // pairKey of the two solids
	pointCount      int32  // points in use
	normal          geom.Vec3
	points          [4]manifoldPoint
	frictionImpulse geom.Vec3 // friction impulse of the whole manifold, world frame
	twistImpulse    float32   // friction impulse about the normal

	// The poses at which the points were found.
	rotA, rotB geom.Quat
	offset     geom.Vec3 // from a's centre to b's, in a's frame
}

// manifoldPoint is one point of a manifold.
type manifoldPoint struct {
	anchorA, anchorB geom.Vec3 // from the centres to the point, world frame, when it was found
	separation       float32   // separation when it was found, metres
	normalImpulse    float32   // along the normal, at the end of the last tick
	featureID        uint32
}

// shapes returns the numbers of the two solids. The first may be what stands
// still; the second is of a body.
func (m *manifold) shapes() (a, b int32) { return int32(m.key >> 16), int32(m.key & 0xffff) }

// hasImpulse reports whether a manifold had an impulse at the end of the last tick.
func (m *manifold) hasImpulse() bool {
	for i := range m.points[:m.pointCount] {
		if m.points[i].normalImpulse > 0 {
			return true
		}
	}
	return false
}

// recycleCosSq limits how far either box may turn before its points are found
// anew: ten degrees, as the squared cosine of half the angle.
const recycleCosSq = 0.99240388

// canRecycle reports whether the boxes of a manifold have moved so little against
// each other since its points were found that the points may stay.
func (w *World) canRecycle(m *manifold, s, t *shape) bool {
	limit := w.Settings.RecycleDistance
	if limit <= 0 || w.Settings.ColdStart || m.pointCount == 0 {
		return false
	}
	rotA, offset := geom.Identity, t.pose.Pos
	if s != nil {
		rotA = s.pose.Rot
		offset = s.axes.MulT(t.pose.Pos.Sub(s.pose.Pos))
	}
	cosA, cosB := rotA.Dot(m.rotA), t.pose.Rot.Dot(m.rotB)
	if float32(cosA*cosA) < recycleCosSq || float32(cosB*cosB) < recycleCosSq {
		return false
	}
	moved2 := offset.Sub(m.offset).LenSq()
	if moved2 >= float32(limit*limit) {
		return false
	}
	// What is left of the limit must cover the way of the farthest corner as
	// b turns in a's frame: for small angles twice the quaternion's vector
	// times the corner.
	slack := limit - geom.Sqrt(moved2)
	before := m.rotA.Inverse().Mul(m.rotB)
	turned := before.Inverse().Mul(rotA.Inverse().Mul(t.pose.Rot))
	x, y, z := geom.Abs(turned.X), geom.Abs(turned.Y), geom.Abs(turned.Z)
	arc := geom.Vec3{
		X: float32(y*t.half.Z) + float32(z*t.half.Y),
		Y: float32(z*t.half.X) + float32(x*t.half.Z),
		Z: float32(x*t.half.Y) + float32(y*t.half.X),
	}
	return float32(4*arc.LenSq()) < float32(slack*slack)
}

// separations returns how far apart the surfaces are now at each point: as far
// as when the points were found, and by as much as the two arms have moved
// apart along the normal since.
func (m *manifold) separations(s, t *shape) (current [4]float32) {
	rotA, distance := geom.Identity, t.pose.Pos
	if s != nil {
		rotA, distance = s.pose.Rot, t.pose.Pos.Sub(s.pose.Pos)
	}
	turnA, turnB := rotA.Mul(m.rotA.Inverse()), t.pose.Rot.Mul(m.rotB.Inverse())
	for i := range m.points[:m.pointCount] {
		p := &m.points[i]
		current[i] = p.separation + distance.Add(turnB.Rotate(p.anchorB).Sub(turnA.Rotate(p.anchorA))).Dot(m.normal)
	}
	return current
}

// matchImpulses takes over the impulses of the manifold that the same pair had in the last
// tick: point by point where the same features meet.
func (m *manifold) matchImpulses(previous *manifold) {
	m.frictionImpulse, m.twistImpulse = previous.frictionImpulse, previous.twistImpulse
	for i := range m.points[:m.pointCount] {
		for j := range previous.points[:previous.pointCount] {
			if previous.points[j].featureID == m.points[i].featureID {
				m.points[i].normalImpulse = previous.points[j].normalImpulse
				break
			}
		}
	}
}
