package render

import "ghostcube/sim/geom"

// Camera is a point of view. It never rolls: the horizon is level.
type Camera struct {
	Eye, Target geom.Vec3 // metres, world frame
	FOV         float32   // vertical, radians
}

// NearPlane is the depth in metres at which the view is clipped.
const NearPlane = 0.2

// Orbit returns a camera at a distance in metres from its target. Yaw turns it counter-clockwise from
// looking along +y, pitch tilts it down; both are in degrees. The eye stays above the ground.
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

// Projection maps points of the world to pixels of a picture.
type Projection struct {
	Eye                geom.Vec3
	Right, Up, Forward geom.Vec3 // unit vectors, world frame
	FocalLength        float32   // pixels
	CenterX, CenterY   float32   // pixels from the top left corner
}

// Projection returns the camera's projection for a picture of w by h pixels.
func (c *Camera) Projection(w, h float32) Projection {
	p := Projection{Eye: c.Eye, CenterX: float32(w * 0.5), CenterY: float32(h * 0.5)}
	p.Forward = c.Target.Sub(c.Eye).Unit()
	p.Right = p.Forward.Cross(geom.Vec3{Z: 1}).Unit()
	p.Up = p.Right.Cross(p.Forward)
	half := float32(c.FOV * 0.5)
	p.FocalLength = float32(p.CenterY*geom.Cos(half)) / geom.Sin(half)
	return p
}

// Depth returns the distance of a point from the eye along Forward, in metres.
func (p *Projection) Depth(point geom.Vec3) float32 { return point.Sub(p.Eye).Dot(p.Forward) }

// Project returns the pixel of a point, from the top left corner, and the point's depth. Neither is
// meaningful for points nearer than NearPlane.
func (p *Projection) Project(point geom.Vec3) (x, y, depth float32) {
	d := point.Sub(p.Eye)
	depth = d.Dot(p.Forward)
	s := p.FocalLength / depth
	return p.CenterX + float32(s*d.Dot(p.Right)), p.CenterY - float32(s*d.Dot(p.Up)), depth
}

// Ray returns the direction from the eye through the pixel at x, y. Its depth is one metre.
func (p *Projection) Ray(x, y float32) geom.Vec3 {
	return p.Forward.AddScaled((x-p.CenterX)/p.FocalLength, p.Right).AddScaled((p.CenterY-y)/p.FocalLength, p.Up)
}
