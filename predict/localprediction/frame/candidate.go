package frame

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Candidate is a possible parent of a player's cube: a carrier, or a body whose bounding box is
// larger than that cube.
type Candidate struct {
	Carrier int // index of the carrier, or -1
	Body    int // index of the body, or -1

	// Lower and Upper are the corners of the bounding box of all its boxes, in metres, in its own
	// frame. That of a carrier is the world's frame at the beginning of its path.
	Lower, Upper geom.Vec3
}

// Candidates returns the candidates of a scene, carriers first, without the players' cubes.
func Candidates(s *sim.Scene) (list []Candidate) {
	for i := range s.Carriers {
		v := Candidate{Carrier: i, Body: -1}
		v.fitBoxes(s.Carriers[i].Boxes)
		list = append(list, v)
	}
	minVolume := float32(0)
	if s.Players > 0 {
		h := s.Boxes[0].Half
		minVolume = float32(float32(8*h.X) * float32(h.Y*h.Z))
	}
	for i := s.Players; i < len(s.Boxes); i++ {
		b := &s.Boxes[i]
		v := Candidate{Carrier: -1, Body: i, Lower: b.Half.Neg(), Upper: b.Half}
		for _, p := range b.SubShapes {
			v.addBox(p.Pose, p.Half)
		}
		if v.Volume() > minVolume {
			list = append(list, v)
		}
	}
	return list
}

// fitBoxes sets the bounding box to that of some boxes at their starting poses.
func (c *Candidate) fitBoxes(boxes []sim.Box) {
	for i := range boxes {
		p, h := boxes[i].Start.Pose, boxes[i].Half
		if i == 0 {
			c.Lower, c.Upper = p.Pos, p.Pos
		}
		c.addBox(p, h)
	}
}

// addBox extends the bounding box by a box.
func (c *Candidate) addBox(p geom.Pose, half geom.Vec3) {
	m := p.Rot.Mat()
	e := geom.Vec3{
		X: float32(geom.Abs(m.X.X)*half.X) + float32(geom.Abs(m.Y.X)*half.Y) + float32(geom.Abs(m.Z.X)*half.Z),
		Y: float32(geom.Abs(m.X.Y)*half.X) + float32(geom.Abs(m.Y.Y)*half.Y) + float32(geom.Abs(m.Z.Y)*half.Z),
		Z: float32(geom.Abs(m.X.Z)*half.X) + float32(geom.Abs(m.Y.Z)*half.Y) + float32(geom.Abs(m.Z.Z)*half.Z),
	}
	lo, hi := p.Pos.Sub(e), p.Pos.Add(e)
	c.Lower = geom.Vec3{X: min(c.Lower.X, lo.X), Y: min(c.Lower.Y, lo.Y), Z: min(c.Lower.Z, lo.Z)}
	c.Upper = geom.Vec3{X: max(c.Upper.X, hi.X), Y: max(c.Upper.Y, hi.Y), Z: max(c.Upper.Z, hi.Z)}
}

// Volume returns the volume of the bounding box, in m3.
func (c *Candidate) Volume() float32 {
	d := c.Upper.Sub(c.Lower)
	return float32(float32(d.X*d.Y) * d.Z)
}

// Contains reports whether a point in the candidate's frame is in its bounding box, widened by a
// margin in metres on all sides.
func (c *Candidate) Contains(at geom.Vec3, margin float32) bool {
	return at.X >= c.Lower.X-margin && at.X <= c.Upper.X+margin &&
		at.Y >= c.Lower.Y-margin && at.Y <= c.Upper.Y+margin &&
		at.Z >= c.Lower.Z-margin && at.Z <= c.Upper.Z+margin
}
