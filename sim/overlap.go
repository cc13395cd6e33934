package sim

import "ghostcube/sim/geom"

// OverlapBox appends to found the indices of the bodies that overlap a box with half extents half,
// in ascending order, asleep or awake. Touching is not overlapping.
func (w *World) OverlapBox(box geom.Pose, half geom.Vec3, found []int32) []int32 {
	q := shape{half: half}
	q.setPose(box)
	for i := range w.state.Bodies {
		overlaps := q.overlaps(&w.shapes[i])
		for k := w.firstPart[i]; !overlaps && k < w.firstPart[i+1]; k++ {
			overlaps = q.overlaps(&w.shapes[len(w.state.Bodies)+int(k)])
		}
		if overlaps {
			found = append(found, int32(i))
		}
	}
	return found
}

// NearbyBodies appends to found the indices of the other bodies whose axis-aligned bounds come
// within reach metres of those of body i, in ascending order.
func (w *World) NearbyBodies(i int, reach float32, found []int32) []int32 {
	bounds := w.bodyBounds(i)
	for j := range w.state.Bodies {
		if j == i {
			continue
		}
		if b := w.bodyBounds(j); bounds.within(&b, reach) {
			found = append(found, int32(j))
		}
	}
	return found
}

// bodyBounds returns the bounds of all boxes of a body.
func (w *World) bodyBounds(i int) aabb {
	b := w.shapes[i].aabb
	for k := w.firstPart[i]; k < w.firstPart[i+1]; k++ {
		b = b.union(w.shapes[len(w.state.Bodies)+int(k)].aabb)
	}
	return b
}

// overlaps reports whether two boxes overlap, by the fifteen separating axes of collideBoxes.
func (a *shape) overlaps(b *shape) bool {
	if !a.within(&b.aabb, 0) {
		return false
	}
	d := b.pose.Pos.Sub(a.pose.Pos)
	for i := range 3 {
		if a.separatedAlong(b, d, a.axes.Col(i)) || a.separatedAlong(b, d, b.axes.Col(i)) {
			return false
		}
		for j := range 3 {
			n := a.axes.Col(i).Cross(b.axes.Col(j))
			if n.LenSq() > 1e-4 && a.separatedAlong(b, d, n) {
				return false
			}
		}
	}
	return true
}

// separatedAlong reports whether an axis of any length separates two boxes. d is the offset from a
// to b.
func (a *shape) separatedAlong(b *shape, d, along geom.Vec3) bool {
	return geom.Abs(d.Dot(along)) >= a.extentAlong(along)+b.extentAlong(along)
}

// extentAlong returns the half extent of the box along a direction, in units of that direction's
// length.
func (a *shape) extentAlong(along geom.Vec3) float32 {
	l := a.axes.MulT(along)
	return float32(geom.Abs(l.X)*a.half.X) + float32(geom.Abs(l.Y)*a.half.Y) + float32(geom.Abs(l.Z)*a.half.Z)
}
