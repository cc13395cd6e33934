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
func (s *Scene) CastRay(origin, direction geom.Vec3, maxDistance float32, poses []geom.Pose, skip int, at Moment, rate int) Hit {
	hit := Hit{NoBody, maxDistance}
	test := func(body int, box geom.Pose, half geom.Vec3) {
		if distance, ok := geom.RayCastBox(origin, direction, box, half); ok && distance < hit.Distance {
			hit = Hit{body, distance}
		}
	}
	for i := range poses {
		b := &s.Boxes[i]
		if i == skip || !passesNear(origin, direction, poses[i].Pos, b.boundingRadius()) {
			continue
		}
		test(i, poses[i], b.Half)
		for k := range b.Parts {
			test(i, b.Parts[k].WorldPose(poses[i]), b.Parts[k].Half)
		}
	}
	for i := range s.Static {
		test(NoBody, s.Static[i].Start.Pose, s.Static[i].Half)
	}
	for i := range s.Carriers {
		c := &s.Carriers[i]
		for k := range c.Boxes {
			test(NoBody, c.Path.PoseAt(c.Boxes[k].Start.Pose, at, rate), c.Boxes[k].Half)
		}
	}
	if direction.Z < 0 && origin.Z >= 0 {
		if distance := -origin.Z / direction.Z; distance < hit.Distance {
			hit = Hit{NoBody, distance}
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
func passesNear(origin, direction, point geom.Vec3, r float32) bool {
	d := point.Sub(origin)
	distance := d.Dot(direction)
	if distance < 0 {
		distance = 0
	}
	r += 0.01
	return d.SubScaled(distance, direction).LenSq() <= float32(r*r)
}
