package render

import "ghostcube/sim/geom"

// Face is a side of a cube at its place in the world.
type Face struct {
	Normal       geom.Vec3 // outward unit normal
	Center       geom.Vec3 // metres
	U, V         geom.Vec3 // unit vectors along the sides
	HalfU, HalfV float32   // half of the sides, metres
}

// FaceCorner is a corner of a face, or of its part in front of the camera.
type FaceCorner struct {
	Pos  geom.Vec3 // metres, world frame
	U, V float32   // position on the face, whose borders are at -1 and 1
}

// face returns the side of the cube at the positive or the negative end of axis k.
func (c *Cube) face(axes *geom.Mat3, k int, negative bool) Face {
	u, v := (k+1)%3, (k+2)%3
	f := Face{Normal: axes.Col(k), U: axes.Col(u), V: axes.Col(v), HalfU: c.Half.At(u), HalfV: c.Half.At(v)}
	if negative {
		f.Normal = f.Normal.Neg()
	}
	f.Center = c.Pose.Pos.AddScaled(c.Half.At(k), f.Normal)
	return f
}

// FacesTowardsPoint returns the faces, at most three, whose outer side is visible from a point.
func (c *Cube) FacesTowardsPoint(point geom.Vec3) (faces [3]Face, n int) {
	axes := c.Pose.Rot.Mat()
	offset := point.Sub(c.Pose.Pos)
	for k := range 3 {
		if height := axes.Col(k).Dot(offset); geom.Abs(height) > c.Half.At(k) {
			faces[n] = c.face(&axes, k, height < 0)
			n++
		}
	}
	return faces, n
}

// FacesTowards returns the three faces whose outer side is visible from far away in a direction.
func (c *Cube) FacesTowards(direction geom.Vec3) (faces [3]Face) {
	axes := c.Pose.Rot.Mat()
	for k := range 3 {
		faces[k] = c.face(&axes, k, axes.Col(k).Dot(direction) < 0)
	}
	return faces
}

// Corners returns the corners of the face in their order along its border.
func (f *Face) Corners() [4]FaceCorner {
	u, v := f.U.Scale(f.HalfU), f.V.Scale(f.HalfV)
	return [4]FaceCorner{
		{f.Center.Sub(u).Sub(v), -1, -1}, {f.Center.Add(u).Sub(v), 1, -1},
		{f.Center.Add(u).Add(v), 1, 1}, {f.Center.Sub(u).Add(v), -1, 1},
	}
}

// ClipFace returns the corners of the part of a face beyond the near plane, in their order along its border:
// three to six, or none. Six need a face in the near plane, whose corners round to either side of it.
func (p *Projection) ClipFace(f *Face) (corners [6]FaceCorner, n int) {
	all := f.Corners()
	previous := all[3]
	before := p.Depth(previous.Pos) - NearPlane
	for _, c := range all {
		after := p.Depth(c.Pos) - NearPlane
		if (before < 0) != (after < 0) {
			share := before / (before - after)
			corners[n] = FaceCorner{
				previous.Pos.AddScaled(share, c.Pos.Sub(previous.Pos)),
				previous.U + float32(share*(c.U-previous.U)), previous.V + float32(share*(c.V-previous.V)),
			}
			n++
		}
		if after >= 0 {
			corners[n] = c
			n++
		}
		previous, before = c, after
	}
	return corners, n
}
