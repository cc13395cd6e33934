package sim

import "ghostcube/sim/geom"

// Within appends the bodies that overlap a box to found, in the order of their
// numbers, each once, asleep or awake. The box is as large as twice half in each
// of its directions. What only touches it does not overlap.
func (w *World) Within(box geom.Pose, half geom.Vec3, found []int32) []int32 {
	q := solid{half: half}
	q.place(box)
	for i := range w.bodies {
		in := q.overlaps(&w.solids[i])
		for k := w.firstPart[i]; !in && k < w.firstPart[i+1]; k++ {
			in = q.overlaps(&w.solids[len(w.bodies)+int(k)])
		}
		if in {
			found = append(found, int32(i))
		}
	}
	return found
}

// overlaps reports whether two boxes have room in common: whether they are apart
// along none of the fifteen directions that boxBox looks along.
func (a *solid) overlaps(b *solid) bool {
	if a.lo.X > b.hi.X || b.lo.X > a.hi.X || a.lo.Y > b.hi.Y || b.lo.Y > a.hi.Y || a.lo.Z > b.hi.Z || b.lo.Z > a.hi.Z {
		return false
	}
	d := b.pose.Pos.Sub(a.pose.Pos)
	for i := range 3 {
		if a.apart(b, d, a.axes.Col(i)) || a.apart(b, d, b.axes.Col(i)) {
			return false
		}
		for j := range 3 {
			n := a.axes.Col(i).Cross(b.axes.Col(j))
			if n.Len2() > 1e-4 && a.apart(b, d, n) {
				return false
			}
		}
	}
	return true
}

// apart reports whether two boxes, with the way d from a to b, are apart along a
// direction of any length.
func (a *solid) apart(b *solid, d, along geom.Vec3) bool {
	return geom.Abs(d.Dot(along)) >= a.extent(along)+b.extent(along)
}

// extent returns how far the box reaches from its middle along a direction.
func (a *solid) extent(along geom.Vec3) float32 {
	l := a.axes.TMul(along)
	return float32(geom.Abs(l.X)*a.half.X) + float32(geom.Abs(l.Y)*a.half.Y) + float32(geom.Abs(l.Z)*a.half.Z)
}
