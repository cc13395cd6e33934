package sim

import "ghostcube/sim/geom"

// manifold is a contact of two boxes: up to four points with one normal. It is part of the state:
// its impulses warm-start the next solve, and it is recycled, with updated separations, while the
// boxes hardly move relative to each other. Recycling is what keeps a pile of 900 cubes standing,
// because points that are recomputed in each tick wander, and so does the pile.
type manifold struct {
	key             uint32 // pairKey of the two shapes
	pointCount      int32  // number of points in use
	normal          geom.Vec3
	points          [4]manifoldPoint
	frictionImpulse geom.Vec3 // N s, world frame
	twistImpulse    float32   // N m s, about the normal

	// Orientations and offset at which the points were computed.
	rotA, rotB geom.Quat
	offset     geom.Vec3 // from a's centre to b's, metres, in a's frame
}

// manifoldPoint is one point of a manifold.
type manifoldPoint struct {
	// From the centres to the point when it was computed, metres, world frame.
	anchorA, anchorB geom.Vec3
	separation       float32 // metres, when the point was computed
	normalImpulse    float32 // N s, at the end of the last tick
	featureID        uint32
}

// shapes returns the indices of the two shapes. The first may be static, a carrier box or the
// ground; the second belongs to a body.
func (m *manifold) shapes() (a, b int32) { return int32(m.key >> 16), int32(m.key & 0xffff) }

// hasImpulse reports whether a point had a normal impulse at the end of the last tick.
func (m *manifold) hasImpulse() bool {
	for i := range m.points[:m.pointCount] {
		if m.points[i].normalImpulse > 0 {
			return true
		}
	}
	return false
}

// recycleCosSq limits the rotation of either box since the manifold was computed: ten degrees, as
// the squared cosine of half the angle.
const recycleCosSq = 0.99240388

// canRecycle reports whether the boxes have moved little enough relative to each other since the
// manifold was computed.
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
	// The rest of the limit must cover the displacement of b's farthest corner by its rotation in
	// a's frame. For small angles that is twice the quaternion's vector part times the corner.
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

// separations returns the current separations of the points: those at the time of computation, plus
// the relative displacement of the anchors along the normal since.
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

// matchImpulses copies the impulses of the pair's last manifold to the points with the same
// features.
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
