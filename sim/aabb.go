package sim

import "ghostcube/sim/geom"

// aabb is an axis-aligned bounding box in metres, in the world frame.
type aabb struct{ lower, upper geom.Vec3 }

// union returns the smallest box that contains both.
func (a aabb) union(b aabb) aabb {
	return aabb{
		geom.Vec3{X: min(a.lower.X, b.lower.X), Y: min(a.lower.Y, b.lower.Y), Z: min(a.lower.Z, b.lower.Z)},
		geom.Vec3{X: max(a.upper.X, b.upper.X), Y: max(a.upper.Y, b.upper.Y), Z: max(a.upper.Z, b.upper.Z)},
	}
}

// sweep returns the bounds of a while it moves by d.
func (a aabb) sweep(d geom.Vec3) aabb {
	return aabb{
		geom.Vec3{X: a.lower.X + min(0, d.X), Y: a.lower.Y + min(0, d.Y), Z: a.lower.Z + min(0, d.Z)},
		geom.Vec3{X: a.upper.X + max(0, d.X), Y: a.upper.Y + max(0, d.Y), Z: a.upper.Z + max(0, d.Z)},
	}
}

// within reports whether two boxes overlap or are separated by at most reach metres along each
// axis.
func (a *aabb) within(b *aabb, reach float32) bool {
	return b.lower.X <= a.upper.X+reach && a.lower.X <= b.upper.X+reach &&
		b.lower.Y <= a.upper.Y+reach && a.lower.Y <= b.upper.Y+reach &&
		b.lower.Z <= a.upper.Z+reach && a.lower.Z <= b.upper.Z+reach
}

// grow returns the box with a margin in metres on each side.
func (a *aabb) grow(margin float32) aabb {
	m := geom.Vec3{X: margin, Y: margin, Z: margin}
	return aabb{a.lower.Sub(m), a.upper.Add(m)}
}

// contains reports whether b is inside a.
func (a *aabb) contains(b *aabb) bool {
	return b.lower.X >= a.lower.X && b.upper.X <= a.upper.X &&
		b.lower.Y >= a.lower.Y && b.upper.Y <= a.upper.Y &&
		b.lower.Z >= a.lower.Z && b.upper.Z <= a.upper.Z
}

// overlaps reports whether two boxes overlap.
func (a *aabb) overlaps(b *aabb) bool {
	return b.lower.X <= a.upper.X && a.lower.X <= b.upper.X && a.overlapsYZ(b)
}

// overlapsYZ reports whether two boxes overlap along y and z.
func (a *aabb) overlapsYZ(b *aabb) bool {
	return a.lower.Y <= b.upper.Y && b.lower.Y <= a.upper.Y && a.lower.Z <= b.upper.Z && b.lower.Z <= a.upper.Z
}
