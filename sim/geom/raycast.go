package geom

// RayCastBox returns the distance from the origin of a ray to a box with half extents half, in
// units of the length of direction; 0 if the origin is inside. ok is false if the ray misses the
// box or the box is behind the origin.
func RayCastBox(origin, direction Vec3, box Pose, half Vec3) (length float32, ok bool) {
	inverse := box.Rot.Inverse()
	o, d := inverse.Rotate(origin.Sub(box.Pos)), inverse.Rotate(direction)
	exit := float32(3e38)
	for i := range 3 {
		o, d, h := o.At(i), d.At(i), half.At(i)
		if Abs(d) < 1e-9 { // parallel to both faces: between them or not
			if Abs(o) > h {
				return 0, false
			}
			continue
		}
		near, far := (-h-o)/d, (h-o)/d
		if near > far {
			near, far = far, near
		}
		length, exit = max(length, near), min(exit, far)
	}
	return length, length <= exit
}
