// Package render describes pictures: a scene of cubes, trails and lines, a camera, and a list of
// rectangles, lines and texts over them. It draws nothing and knows neither simulation nor network.
// render/gpu and render/raster draw the same descriptions with a GPU and without one.
package render

import "ghostcube/sim/geom"

// Color is a colour in sRGB with straight (not premultiplied) alpha.
type Color struct{ R, G, B, A uint8 }

// RGB returns the opaque colour with components in [0, 1]; others are clamped.
func RGB(r, g, b float32) Color { return Color{toByte(r), toByte(g), toByte(b), 255} }

func toByte(x float32) uint8 { return uint8(float32(geom.Clamp(x, 0, 1)*255) + 0.5) }

// ScaleAlpha returns c with its alpha times a share in [0, 1].
func (c Color) ScaleAlpha(share float32) Color {
	c.A = toByte(float32(float32(c.A) * share / 255))
	return c
}

// Mix interpolates linearly from c, at share 0, to d, at share 1.
func (c Color) Mix(d Color, share float32) Color {
	m := func(a, b uint8) uint8 {
		return uint8(float32(a) + float32((float32(b)-float32(a))*share) + 0.5)
	}
	return Color{m(c.R, d.R), m(c.G, d.G), m(c.B, d.B), m(c.A, d.A)}
}

// Scene is what a camera sees, besides the ground and the sky that every picture has.
type Scene struct {
	Cubes  []Cube // translucent ones are ghosts
	Trails []Trail
	Lines  []Line

	points []geom.Vec3 // of trails
}

// Cube is one box to draw, or a ghost. Ghosts of one colour are drawn as one figure over all other cubes: a
// line around the pixels that any of them covers, with a light fill inside. They hide nothing and cast no
// shadow.
type Cube struct {
	Pose  geom.Pose
	Half  geom.Vec3 // half extents, metres
	Color Color     // its alpha is the strength of a ghost's line and fill
}

// Ghost reports whether the cube is translucent.
func (c *Cube) Ghost() bool { return c.Color.A < 255 }

// MaxGhostColors is the number of figures of ghosts in a picture. Ghosts of any further colour join the last.
const MaxGhostColors = 4

// GhostColors are the colours of the ghosts of a scene, opaque and in their order of appearance. The index of
// a colour is that of its figure. The zero value has none.
type GhostColors struct {
	Colors [MaxGhostColors]Color
	Count  int
}

// Index returns the index of a colour, which it adds if it is new.
func (g *GhostColors) Index(c Color) int {
	c.A = 255
	for i, known := range g.Colors[:g.Count] {
		if known == c {
			return i
		}
	}
	if g.Count == MaxGhostColors {
		return MaxGhostColors - 1
	}
	g.Colors[g.Count] = c
	g.Count++
	return g.Count - 1
}

// GhostStrength returns the strength in [0, 1] of a ghost whose centre is at a depth in metres. Fog weakens it.
func (c *Cube) GhostStrength(depth float32) float32 {
	fog := geom.Clamp((depth-FogStart)*(1./FogRange), 0, FogMax)
	return float32(float32(c.Color.A) * (1 - fog) * (1. / 255))
}

// GhostLineWidth returns half of the width, in pixels, of the line around ghosts in a picture of a height.
func GhostLineWidth(height int) int { return min(max((height+200)/400, 1), 3) }

// Trail is a line through points of the world, oldest first. It fades towards the oldest.
type Trail struct {
	Points []geom.Vec3
	Color  Color
}

// Line is a straight line through the world. Nearer cubes hide it; its width in pixels does not depend
// on its depth.
type Line struct {
	A, B  geom.Vec3
	Color Color
}

// AddTrail adds a trail through points, which it copies. The copies are valid until Reset.
func (s *Scene) AddTrail(points []geom.Vec3, c Color) {
	n := len(s.points)
	s.points = append(s.points, points...)
	s.Trails = append(s.Trails, Trail{Points: s.points[n:len(s.points):len(s.points)], Color: c})
}

// Reset empties s and keeps its memory for the next cubes.
func (s *Scene) Reset() {
	s.Cubes, s.Trails, s.Lines, s.points = s.Cubes[:0], s.Trails[:0], s.Lines[:0], s.points[:0]
}
