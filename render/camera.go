package render

import "ghostcube/sim/geom"

// Camera looks at the world.
type Camera struct {
	Eye, Target geom.Vec3
	FOV         float32 // vertical, radians
}

// Near is the distance in metres before the eye from which on things are seen.
const Near = 0.2

// Orbit returns a camera that looks at a target from a distance: turned
// counter-clockwise by yaw from looking along +y, and looking down by pitch,
// both in degrees. It stays above the ground.
func Orbit(target geom.Vec3, yaw, pitch, distance float32) Camera {
	const degree = geom.Pi / 180
	y, p := float32(yaw*degree), float32(pitch*degree)
	back := geom.Vec3{
		X: float32(geom.Sin(y) * geom.Cos(p)),
		Y: -float32(geom.Cos(y) * geom.Cos(p)),
		Z: geom.Sin(p),
	}
	eye := target.Plus(distance, back)
	eye.Z = max(eye.Z, 0.3)
	return Camera{Eye: eye, Target: target, FOV: 40 * degree}
}

// Lens is a camera before a picture of a size: where points land on it.
type Lens struct {
	Eye              geom.Vec3
	Right, Up, Ahead geom.Vec3 // unit vectors
	Focal            float32   // pixels
	X, Y             float32   // the picture's middle, pixels
}

// Lens returns the camera's lens for a picture of w by h pixels.
func (c *Camera) Lens(w, h float32) Lens {
	l := Lens{Eye: c.Eye, X: float32(w * 0.5), Y: float32(h * 0.5)}
	l.Ahead = c.Target.Sub(c.Eye).Unit()
	l.Right = l.Ahead.Cross(geom.Vec3{Z: 1}).Unit()
	l.Up = l.Right.Cross(l.Ahead)
	half := float32(c.FOV * 0.5)
	l.Focal = float32(l.Y*geom.Cos(half)) / geom.Sin(half)
	return l
}

// Depth returns how far ahead of the eye a point is, in metres.
func (l *Lens) Depth(p geom.Vec3) float32 { return p.Sub(l.Eye).Dot(l.Ahead) }

// Project returns where a point lands, in pixels from the top left corner, and
// how far ahead it is. It means nothing for points nearer than Near.
func (l *Lens) Project(p geom.Vec3) (x, y, depth float32) {
	d := p.Sub(l.Eye)
	depth = d.Dot(l.Ahead)
	s := l.Focal / depth
	return l.X + float32(s*d.Dot(l.Right)), l.Y - float32(s*d.Dot(l.Up)), depth
}

// Ray returns the direction in which the pixel at x, y is seen, one metre
// ahead long.
func (l *Lens) Ray(x, y float32) geom.Vec3 {
	return l.Ahead.Plus((x-l.X)/l.Focal, l.Right).Plus((l.Y-y)/l.Focal, l.Up)
}
