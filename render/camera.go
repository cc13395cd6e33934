package render

import "ghostcube/sim/geom"

// Camera looks at the world.
type Camera struct {
	Eye, Target geom.Vec3
	FOV         float32 // vertical, radians
}

// NearPlane is the distance in metres before the eye from which on things are seen.
const NearPlane = 0.2

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
	eye := target.AddScaled(distance, back)
	eye.Z = max(eye.Z, 0.3)
	return Camera{Eye: eye, Target: target, FOV: 40 * degree}
}

// Projection is a camera before a picture of a size: where points land on it.
type Projection struct {
	Eye                geom.Vec3
	Right, Up, Forward geom.Vec3 // unit vectors
	FocalLength        float32   // pixels
	CenterX, CenterY   float32   // the picture's middle, pixels
}

// Projection returns the camera's lens for a picture of w by h pixels.
func (c *Camera) Projection(w, h float32) Projection {
	l := Projection{Eye: c.Eye, CenterX: float32(w * 0.5), CenterY: float32(h * 0.5)}
	l.Forward = c.Target.Sub(c.Eye).Unit()
	l.Right = l.Forward.Cross(geom.Vec3{Z: 1}).Unit()
	l.Up = l.Right.Cross(l.Forward)
	half := float32(c.FOV * 0.5)
	l.FocalLength = float32(l.CenterY*geom.Cos(half)) / geom.Sin(half)
	return l
}

// Depth returns how far ahead of the eye a point is, in metres.
func (l *Projection) Depth(p geom.Vec3) float32 { return p.Sub(l.Eye).Dot(l.Forward) }

// Project returns where a point lands, in pixels from the top left corner, and
// how far ahead it is. It means nothing for points nearer than Near.
func (l *Projection) Project(p geom.Vec3) (x, y, depth float32) {
	d := p.Sub(l.Eye)
	depth = d.Dot(l.Forward)
	s := l.FocalLength / depth
	return l.CenterX + float32(s*d.Dot(l.Right)), l.CenterY - float32(s*d.Dot(l.Up)), depth
}

// Ray returns the direction in which the pixel at x, y is seen, one metre
// ahead long.
func (l *Projection) Ray(x, y float32) geom.Vec3 {
	return l.Forward.AddScaled((x-l.CenterX)/l.FocalLength, l.Right).AddScaled((l.CenterY-y)/l.FocalLength, l.Up)
}
