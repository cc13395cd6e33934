// Package render says what there is to see: cubes, ghosts and trails in space,
// and rectangles, lines and text in front of them. It draws nothing itself and
// knows no network; render/gpu and render/raster draw the same lists, on a
// graphics card and without one.
package render

import "ghostcube/sim/geom"

// Color is a colour as a screen shows it, with how opaque it is; not
// multiplied by that.
type Color struct{ R, G, B, A uint8 }

// RGB returns an opaque colour of components in [0,1].
func RGB(r, g, b float32) Color { return Color{toByte(r), toByte(g), toByte(b), 255} }

func toByte(x float32) uint8 { return uint8(float32(geom.Clamp(x, 0, 1)*255) + 0.5) }

// ScaleAlpha returns c with a share of its opacity.
func (c Color) ScaleAlpha(share float32) Color {
	c.A = toByte(float32(float32(c.A) * share / 255))
	return c
}

// Mix returns the colour a share of the way from c to d.
func (c Color) Mix(d Color, share float32) Color {
	m := func(a, b uint8) uint8 {
		return uint8(float32(a) + float32((float32(b)-float32(a))*share) + 0.5)
	}
	return Color{m(c.R, d.R), m(c.G, d.G), m(c.B, d.B), m(c.A, d.A)}
}

// Scene is all there is to see in space. The ground is always there.
type Scene struct {
	Cubes  []Cube // those that are not opaque are ghosts: seen through, and casting no shadow
	Trails []Trail
	Lines  []Line
}

// Cube is one box to draw.
type Cube struct {
	Pose  geom.Pose
	Half  geom.Vec3 // half of its three sides, metres
	Color Color
}

// Ghost reports whether the cube is seen through.
func (c *Cube) Ghost() bool { return c.Color.A < 255 }

// Trail is a line through points in space, oldest first. It fades towards its
// beginning.
type Trail struct {
	Points []geom.Vec3
	Color  Color
}

// Line is a straight line through space. It is hidden by what is nearer, and as
// wide near as far.
type Line struct {
	A, B  geom.Vec3
	Color Color
}

// Reset empties s and keeps its memory.
func (s *Scene) Reset() { s.Cubes, s.Trails, s.Lines = s.Cubes[:0], s.Trails[:0], s.Lines[:0] }
