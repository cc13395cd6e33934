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

// Near appends the other bodies whose bounds come within reach metres of those of
// body i to found, in the order of their numbers, each once. Bounds are boxes along
// the axes of the world.
func (w *World) Near(i int, reach float32, found []int32) []int32 {
	lo, hi := w.bounds(i)
	for j := range w.bodies {
		if j == i {
			continue
		}
		l, h := w.bounds(j)
		if l.X <= hi.X+reach && lo.X <= h.X+reach && l.Y <= hi.Y+reach && lo.Y <= h.Y+reach && l.Z <= hi.Z+reach && lo.Z <= h.Z+reach {
			found = append(found, int32(j))
		}
	}
	return found
}

// bounds are those of all boxes of a body.
func (w *World) bounds(i int) (lo, hi geom.Vec3) {
	lo, hi = w.solids[i].lo, w.solids[i].hi
	for k := w.firstPart[i]; k < w.firstPart[i+1]; k++ {
		s := &w.solids[len(w.bodies)+int(k)]
		lo = geom.Vec3{X: min(lo.X, s.lo.X), Y: min(lo.Y, s.lo.Y), Z: min(lo.Z, s.lo.Z)}
		hi = geom.Vec3{X: max(hi.X, s.hi.X), Y: max(hi.Y, s.hi.Y), Z: max(hi.Z, s.hi.Z)}
	}
	return lo, hi
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
