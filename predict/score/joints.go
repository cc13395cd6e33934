package score

import (
	"math"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

var jointSeparationDefinition = Definition{
	Group: "Joints and parents", Title: "Joint separation",
	Measures: []Entry{
		{
			Measure{Name: "joint_separation_rms_m", Title: "joint separation, RMS, m", Digits: 5, Better: Lower,
				Help: "distance between the two anchors of a drawn joint, root mean square over joints and ticks"},
			func(c *Score, _ Counts) (float64, bool) {
				rms, _, _, ok := c.JointSeparation()
				return rms, ok
			},
		},
		{
			Measure{Name: "joint_separation_max_m", Title: "joint separation, max, m", Digits: 4, Better: Lower,
				Help: "largest distance between the two anchors of a drawn joint"},
			func(c *Score, _ Counts) (float64, bool) {
				_, largest, _, ok := c.JointSeparation()
				return largest, ok
			},
		},
		{
			Measure{Name: "joint_separation_server_max_m", Title: "joint separation, max, server, m", Digits: 4, Better: Neither,
				Help: "largest distance between the two anchors of a joint on the server"},
			func(c *Score, _ Counts) (float64, bool) {
				_, _, server, ok := c.JointSeparation()
				return server, ok
			},
		},
	},
	Text: `
The distance between the two anchors of a joint, each at its drawn body: root mean square over all joints and ticks,
the maximum, and the maximum on the server, whose joints are soft and open when the player jerks a chain.`,
	Formula:   "|anchor of body A - anchor of body B|",
	Undefined: "in scenes without joints",
	Blind:     "a hinge that is bent",
}

// joints measures the distance between the two anchors of each joint in the scene.
type joints struct {
	anchors []anchorPair // by joint; immutable once set
	since   []sim.Tick   // by joint: the server's tick in which it was last connected; not its start
	count   int
	drawn   separations
	server  separations
	now     float32 // m2, largest drawn separation of the last tick
}

// connectTicks is the number of ticks after which the ends of a coupling that has been connected meet.
const connectTicks = 60

// anchorPair is where a joint is fixed to its two bodies.
type anchorPair struct {
	a, b           int       // bodies; a may be sim.WorldBody
	localA, localB geom.Vec3 // metres, in the body's frame; in the world's frame for sim.WorldBody
}

// separations accumulates the distances of one motion.
type separations struct {
	square float64 // m2, sum
	max    float32 // m2
}

func (s *separations) add(d float32) {
	s.square += float64(d)
	s.max = max(s.max, d)
}

// add adds a tick.
func (j *joints) add(server *predict.World, v *predict.View) {
	scene := server.Scene()
	for i := len(j.anchors); i < len(scene.Joints); i++ {
		s := &scene.Joints[i]
		anchors := anchorPair{a: s.A, b: s.B, localA: s.Anchor, localB: toLocal(&scene.Boxes[s.B].Start.Pose, s.Anchor)}
		if s.A != sim.WorldBody {
			anchors.localA = toLocal(&scene.Boxes[s.A].Start.Pose, s.Anchor)
		}
		j.anchors, j.since = append(j.anchors, anchors), append(j.since, 0)
	}
	bodies := server.Bodies()
	j.now = 0
	for i := range j.anchors {
		s := &j.anchors[i]
		if s.b >= len(v.Bodies) || s.a >= len(v.Bodies) {
			continue
		}
		if server.JointOpen(i) {
			j.since[i] = server.Tick() + 1
			continue
		}
		if since := j.since[i]; since > 0 && v.TickOf(s.b) < since+connectTicks {
			continue // it is drawn before it was connected, or its ends still move together
		}
		a, d := s.localA, s.localA
		if s.a != sim.WorldBody {
			a, d = toWorld(&bodies[s.a].Pose, s.localA), toWorld(&v.Bodies[s.a], s.localA)
		}
		j.server.add(a.Sub(toWorld(&bodies[s.b].Pose, s.localB)).LenSq())
		gap := d.Sub(toWorld(&v.Bodies[s.b], s.localB)).LenSq()
		j.drawn.add(gap)
		j.now = max(j.now, gap)
		j.count++
	}
}

// toLocal converts a position to the frame of a body at p.
func toLocal(p *geom.Pose, at geom.Vec3) geom.Vec3 {
	return p.Rot.Unit().Inverse().Rotate(at.Sub(p.Pos))
}

// toWorld converts a position in the frame of a body at p to the world's.
func toWorld(p *geom.Pose, local geom.Vec3) geom.Vec3 { return p.Pos.Add(p.Rot.Rotate(local)) }

// JointSeparation returns the distance in metres between the two anchors of a drawn joint, root
// mean square and maximum, and the maximum on the server. ok is false if the scene has no joints.
func (s *Score) JointSeparation() (rms, largest, server float64, ok bool) {
	j := &s.joints
	if j.count == 0 {
		return 0, 0, 0, false
	}
	return math.Sqrt(j.drawn.square / float64(j.count)), math.Sqrt(float64(j.drawn.max)), math.Sqrt(float64(j.server.max)), true
}

// JointSeparationNow returns the largest distance in metres between the two anchors of a drawn joint
// in the last tick, or 0 if the scene has no joints.
func (s *Score) JointSeparationNow() float64 { return math.Sqrt(float64(s.joints.now)) }
