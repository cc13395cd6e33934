package render

import "ghostcube/sim/geom"

// Contact is the contact shadow of a box: the part of the ground that its underside keeps the light of the sky from.
type Contact struct {
	Ground       Face    // the darkened rectangle: the footprint, larger by the reach on each side
	Reach        float32 // metres
	Height       float32 // of the underside above the centre of Ground, metres
	RiseU, RiseV float32 // of the underside from the centre of Ground to its borders, metres
}

// maxContactReach is the most that a contact shadow reaches beyond the footprint, in metres.
const maxContactReach = 0.4

// Contact returns the contact shadow of a cube. ok is false for a ghost, and for a cube too far above the ground.
func (c *Cube) Contact() (s Contact, ok bool) {
	if c.Ghost() || c.Pose.Pos.Z-(c.Half.X+c.Half.Y+c.Half.Z) > ContactHeight {
		return s, false
	}
	axes := c.Pose.Rot.Mat()
	k := 0 // of the most upright axis
	for i := 1; i < 3; i++ {
		if geom.Abs(axes.Col(i).Z) > geom.Abs(axes.Col(k).Z) {
			k = i
		}
	}
	down := axes.Col(k)
	if down.Z > 0 {
		down = down.Neg()
	}
	under := c.Pose.Pos.AddScaled(c.Half.At(k), down)
	u, v := axes.Col((k+1)%3), axes.Col((k+2)%3)
	g := &s.Ground
	g.Normal, g.Center = geom.Vec3{Z: 1}, geom.Vec3{X: under.X, Y: under.Y}
	g.U = geom.Vec3{X: u.X, Y: u.Y}.Unit()
	g.V = geom.Vec3{X: -g.U.Y, Y: g.U.X}
	alongU, alongV := u.Dot(g.U), v.Dot(g.V) // not 0, because neither is upright
	halfU, halfV := float32(c.Half.At((k+1)%3)*alongU), float32(c.Half.At((k+2)%3)*geom.Abs(alongV))
	s.Reach = geom.Clamp(float32(0.8*min(halfU, halfV)), 0.04, maxContactReach)
	g.HalfU, g.HalfV = halfU+s.Reach, halfV+s.Reach
	s.Height, s.RiseU, s.RiseV = under.Z, float32(g.HalfU*(u.Z/alongU)), float32(g.HalfV*(v.Z/alongV))
	return s, s.Height-geom.Abs(s.RiseU)-geom.Abs(s.RiseV) < ContactHeight
}
