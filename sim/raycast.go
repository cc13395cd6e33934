package sim

import "ghostcube/sim/geom"

// NoBody takes the place of a body's index if a ray hits no body.
const NoBody = -1

// Hit is the result of a ray cast.
type Hit struct {
	// The first body hit, or NoBody: the ray hits the ground, a static or carrier box, or nothing.
	Body     int
	Distance float32 // metres from the origin to the hit, or to the end of the ray
}

// CastRay returns the first hit of a ray in a scene whose bodies are at poses, indexed by body, and
// whose carriers are at the poses of a moment. direction is a unit vector, maxDistance is in
// metres. The ray ignores body skip. rate is in ticks per second.
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
		for k := range b.SubShapes {
			test(i, b.SubShapes[k].WorldPose(poses[i]), b.SubShapes[k].Half)
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

// WorldPose returns the pose of the sub-shape in the world frame, for a pose of its body.
func (s *SubShape) WorldPose(body geom.Pose) geom.Pose {
	return geom.Pose{Pos: body.Pos.Add(body.Rot.Rotate(s.Pose.Pos)), Rot: body.Rot.Mul(s.Pose.Rot).Unit()}
}

// boundingRadius returns the radius of a sphere about the body's centre that contains its boxes, in
// metres.
func (b *Box) boundingRadius() float32 {
	r := b.Half.Len()
	for i := range b.SubShapes {
		r = max(r, b.SubShapes[i].Pose.Pos.Len()+b.SubShapes[i].Half.Len())
	}
	return r
}

// passesNear reports whether a ray passes within r metres of a point, with a tolerance of 1 cm.
func passesNear(origin, direction, point geom.Vec3, r float32) bool {
	d := point.Sub(origin)
	distance := d.Dot(direction)
	if distance < 0 {
		distance = 0
	}
	r += 0.01
	return d.SubScaled(distance, direction).LenSq() <= float32(r*r)
}
