package geom

import "testing"

// TestRayCastBox compares distances with values calculated by hand: from all sides, from inside,
// along a face, with a rotated box, with the box behind the ray and beside it.
func TestRayCastBox(t *testing.T) {
	x, y := Vec3{X: 1}, Vec3{Y: 1}
	half := Vec3{X: 1, Y: 2, Z: 3}
	aligned := Pose{Pos: Vec3{X: 10, Y: 0, Z: 0}, Rot: Identity}
	rotated := Pose{Pos: Vec3{X: 10}, Rot: AxisAngle(Vec3{Z: 1}, Pi/4)}
	for _, c := range []struct {
		name        string
		from, along Vec3
		box         Pose
		half        Vec3
		want        float32 // below 0: a miss
	}{
		{"from in front", Vec3{}, x, aligned, half, 9},
		{"from behind it", Vec3{X: 20}, x.Neg(), aligned, half, 9},
		{"from the side", Vec3{X: 10, Y: -7}, y, aligned, half, 5},
		{"from inside", Vec3{X: 10.5}, x, aligned, half, 0},
		{"it lies behind", Vec3{X: 20}, x, aligned, half, -1},
		{"along a face, inside", Vec3{Y: 1.999}, x, aligned, half, 9},
		{"along a face, outside", Vec3{Y: 2.001}, x, aligned, half, -1},
		{"past a corner", Vec3{Y: -12}, Vec3{X: 1, Y: 1}.Unit(), aligned, half, 10 * Sqrt(2)},
		{"beyond the corner", Vec3{Y: -13.1}, Vec3{X: 1, Y: 1}.Unit(), aligned, half, -1},
		{"at an edge of a cube turned by 45 degrees", Vec3{}, x, rotated, Vec3{X: 1, Y: 1, Z: 1}, 10 - Sqrt(2)},
		{"past that cube, where an unturned one would be hit", Vec3{Y: 0.9, X: 8.8}, y, rotated, Vec3{X: 1, Y: 1, Z: 1}, -1},
	} {
		got, ok := RayCastBox(c.from, c.along, c.box, c.half)
		if ok != (c.want >= 0) || ok && Abs(got-c.want) > 1e-5 {
			t.Errorf("%s: %v %v, want %v", c.name, got, ok, c.want)
		}
	}
}
