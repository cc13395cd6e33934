package score

import (
	"math"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// joints is how far the two ends of each of the scene's joints are apart.
type joints struct {
	anchors []jointAnchors // of all joints; never written again
	count   int
	drawn   separations
	server  separations
}

// jointAnchors are where a joint holds its two bodies.
type jointAnchors struct {
	a, b           int // bodies; a may be sim.Fixed
	localA, localB geom.Vec3
}

// separations is that of one motion.
type separations struct {
	square float64 // m2, sum
	max    float32 // m2
}

func (g *separations) add(d float32) {
	g.square += float64(d)
	g.max = max(g.max, d)
}

// add looks at a tick.
func (s *joints) add(truth *sim.World, v *predict.View) {
	scene := truth.Scene()
	for i := len(s.anchors); i < len(scene.Joints); i++ {
		j := &scene.Joints[i]
		hold := jointAnchors{a: j.A, b: j.B, localA: j.Anchor, localB: toLocal(&scene.Boxes[j.B].Start.Pose, j.Anchor)}
		if j.A != sim.WorldBody {
			hold.localA = toLocal(&scene.Boxes[j.A].Start.Pose, j.Anchor)
		}
		s.anchors = append(s.anchors, hold)
	}
	bodies := truth.Bodies()
	for i := range s.anchors {
		j := &s.anchors[i]
		if j.b >= len(v.Bodies) || j.a >= len(v.Bodies) {
			continue
		}
		a, d := j.localA, j.localA
		if j.a != sim.WorldBody {
			a, d = toWorld(&bodies[j.a].Pose, j.localA), toWorld(&v.Bodies[j.a], j.localA)
		}
		s.server.add(a.Sub(toWorld(&bodies[j.b].Pose, j.localB)).LenSq())
		s.drawn.add(d.Sub(toWorld(&v.Bodies[j.b], j.localB)).LenSq())
		s.count++
	}
}

// toLocal is a place of the world as a body at p has it.
func toLocal(p *geom.Pose, at geom.Vec3) geom.Vec3 {
	return p.Rot.Unit().Inverse().Rotate(at.Sub(p.Pos))
}

// toWorld is a place of a body's own in the world.
func toWorld(p *geom.Pose, arm geom.Vec3) geom.Vec3 { return p.Pos.Add(p.Rot.Rotate(arm)) }

// JointSeparation returns how far in metres the two ends of a joint are drawn apart, root
// mean square and most, and the most of the true ones. ok is false where the scene has
// no joints.
func (c *Score) JointSeparation() (rms, most, truth float64, ok bool) {
	j := &c.joints
	if j.count == 0 {
		return 0, 0, 0, false
	}
	return math.Sqrt(j.drawn.square / float64(j.count)), math.Sqrt(float64(j.drawn.max)), math.Sqrt(float64(j.server.max)), true
}
