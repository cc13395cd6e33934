package geom

// RayCastBox returns how far along a ray a box lies: the length, in units of along, from
// the ray's origin to where it enters the box, and 0 if it begins inside. The box is
// as large as twice half in each of its own directions. ok is false if the ray misses
// it or has it behind.
func RayCastBox(origin, direction Vec3, box Pose, half Vec3) (length float32, ok bool) {
	inverse := box.Rot.Inverse()
	o, d := inverse.Rotate(origin.Sub(box.Pos)), inverse.Rotate(direction)
	exit := float32(3e38)
	for i := range 3 {
		o, d, h := o.At(i), d.At(i), half.At(i)
		if Abs(d) < 1e-9 { // along the two faces: between them or not
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
