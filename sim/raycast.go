package sim

import "ghostcube/sim/geom"

// NoBody is the number of the body that a ray meets if it meets none.
const NoBody = -1

// Hit is where a ray ends.
type Hit struct {
	Body     int     // that it meets first, or Missed: it meets what stands still or is carried, or nothing
	Distance float32 // metres from the ray's origin to where it ends
}

// CastRay returns what a ray meets first of a scene whose bodies are at poses, by body:
// a box of a body, what stands still, what is carried where it is at a moment, or
// the ground. along is a unit vector; the ray ends after reach metres. The body called
// without lets it through.
func (s *Scene) CastRay(from, along geom.Vec3, reach float32, poses []geom.Pose, without int, at Moment, rate int) Hit {
	hit := Hit{NoBody, reach}
	meet := func(body int, box geom.Pose, half geom.Vec3) {
		if n, ok := geom.RayCastBox(from, along, box, half); ok && n < hit.Distance {
			hit = Hit{body, n}
		}
	}
	for i := range poses {
		b := &s.Boxes[i]
		if i == without || !passesNear(from, along, poses[i].Pos, b.boundingRadius()) {
			continue
		}
		meet(i, poses[i], b.Half)
		for k := range b.Parts {
			meet(i, b.Parts[k].WorldPose(poses[i]), b.Parts[k].Half)
		}
	}
	for i := range s.Static {
		meet(NoBody, s.Static[i].Start.Pose, s.Static[i].Half)
	}
	for i := range s.Carriers {
		c := &s.Carriers[i]
		for k := range c.Boxes {
			meet(NoBody, c.Path.PoseAt(c.Boxes[k].Start.Pose, at, rate), c.Boxes[k].Half)
		}
	}
	if along.Z < 0 && from.Z >= 0 {
		if n := -from.Z / along.Z; n < hit.Distance {
			hit = Hit{NoBody, n}
		}
	}
	return hit
}

// WorldPose returns where the part is of a body at a pose.
func (p *Part) WorldPose(body geom.Pose) geom.Pose {
	return geom.Pose{Pos: body.Pos.Add(body.Rot.Rotate(p.Pose.Pos)), Rot: body.Rot.Mul(p.Pose.Rot).Unit()}
}

// boundingRadius is how far a body's boxes are from its middle at most.
func (b *Box) boundingRadius() float32 {
	r := b.Half.Len()
	for i := range b.Parts {
		r = max(r, b.Parts[i].Pose.Pos.Len()+b.Parts[i].Half.Len())
	}
	return r
}

// passesNear reports whether a ray comes as near to a point as r metres, or a hair more.
func passesNear(from, along, point geom.Vec3, r float32) bool {
	d := point.Sub(from)
	n := d.Dot(along)
	if n < 0 {
		n = 0
	}
	r += 0.01
	return d.SubScaled(n, along).LenSq() <= float32(r*r)
}
