package score

import (
	"math"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// joints is how far the two ends of each of the scene's joints are apart.
type joints struct {
	arms  []arms // of all joints; never written again
	count int
	drawn gap
	truth gap
}

// arms are where a joint holds its two bodies.
type arms struct {
	a, b       int // bodies; a may be sim.Fixed
	armA, armB geom.Vec3
}

// gap is that of one motion.
type gap struct {
	square float64 // m2, sum
	most   float32 // m2
}

func (g *gap) add(d float32) {
	g.square += float64(d)
	g.most = max(g.most, d)
}

// take looks at a tick.
func (s *joints) take(truth *sim.World, v *predict.View) {
	scene := truth.Scene()
	for i := len(s.arms); i < len(scene.Joints); i++ {
		j := &scene.Joints[i]
		hold := arms{a: j.A, b: j.B, armA: j.At, armB: own(&scene.Boxes[j.B].Start.Pose, j.At)}
		if j.A != sim.Fixed {
			hold.armA = own(&scene.Boxes[j.A].Start.Pose, j.At)
		}
		s.arms = append(s.arms, hold)
	}
	bodies := truth.Bodies()
	for i := range s.arms {
		j := &s.arms[i]
		if j.b >= len(v.Bodies) || j.a >= len(v.Bodies) {
			continue
		}
		a, d := j.armA, j.armA
		if j.a != sim.Fixed {
			a, d = end(&bodies[j.a].Pose, j.armA), end(&v.Bodies[j.a], j.armA)
		}
		s.truth.add(a.Sub(end(&bodies[j.b].Pose, j.armB)).Len2())
		s.drawn.add(d.Sub(end(&v.Bodies[j.b], j.armB)).Len2())
		s.count++
	}
}

// own is a place of the world as a body at p has it.
func own(p *geom.Pose, at geom.Vec3) geom.Vec3 {
	return p.Rot.Unit().Inverse().Rotate(at.Sub(p.Pos))
}

// end is a place of a body's own in the world.
func end(p *geom.Pose, arm geom.Vec3) geom.Vec3 { return p.Pos.Add(p.Rot.Rotate(arm)) }

// JointsApart returns how far in metres the two ends of a joint are drawn apart, root
// mean square and most, and the most of the true ones. ok is false where the scene has
// no joints.
func (c *Score) JointsApart() (rms, most, truth float64, ok bool) {
	j := &c.joints
	if j.count == 0 {
		return 0, 0, 0, false
	}
	return math.Sqrt(j.drawn.square / float64(j.count)), math.Sqrt(float64(j.drawn.most)), math.Sqrt(float64(j.truth.most)), true
}
