package score

import (
	"math"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// penetrationTolerance is the depth in metres from which a body counts as being in the ground.
const penetrationTolerance = 0.02

// jerkMin is the least root mean square jerk of the truth, in m/s3, that
// another motion is compared with.
const jerkMin = 10

// bodies follows every body, the true one and the drawn one.
type bodies struct {
	tracks      []track
	playerJerk  jerkSums // of the player's cube
	allJerk     jerkSums
	serverFloor floorDepths
	drawnFloor  floorDepths
	lagError    distanceSums // of all that have moved
	pathError   pathErrors
	history     positionHistory
	stepChanges stepChanges
}

// track is one body's two motions.
type track struct {
	server, drawn bodyMotion
	distance      float32 // metres between them
	moved         bool    // since the start, the true one or the drawn one
}

// distanceSums is how far the drawn is from the true, summed over ticks or bodies.
type distanceSums struct {
	count         int
	square        float64 // m2
	inconsistency float64 // metres beyond apartLeast
}

// inconsistencyTolerance is the distance in metres from which on being elsewhere counts as
// an inconsistency.
const inconsistencyTolerance = 0.05

func (a *distanceSums) add(away float64) {
	a.count++
	a.square += float64(away * away)
	a.inconsistency += max(0, away-inconsistencyTolerance)
}

// rms returns the root mean square distance, metres.
func (a *distanceSums) rms() float64 { return math.Sqrt(a.square / float64(max(a.count, 1))) }

// perMinute returns the distance beyond apartLeast times how long it lasts, in
// metre seconds per minute.
func (a *distanceSums) perMinute() float64 { return 60 * a.inconsistency / float64(max(a.count, 1)) }

// bodyMotion is one body's last place and how it came there.
type bodyMotion struct {
	pose      geom.Pose
	step      geom.Vec3 // metres in the last tick
	stepDelta geom.Vec3 // by how much that step differs from the one before
	depth     float32   // metres below the ground
	resting   bool      // and has for so long that another tick of it changes nothing
	changed   bool      // the last tick was one
}

// jerkSums are sums of squared third differences of places, in m2.
type jerkSums struct {
	server, drawn float64
}

// floorDepths is how deep bodies reach below the ground.
type floorDepths struct {
	deepest float32 // metres
	count   int     // bodies in the ground, summed over ticks
}

// add adds a tick. watched is the player's cube.
func (s *bodies) add(truth *sim.World, v *predict.View, watched int, scored bool) {
	boxes, now, drawn := truth.Scene().Boxes, truth.Bodies(), v.Bodies
	n := min(len(now), len(drawn))
	s.tracks = s.tracks[:min(len(s.tracks), n)]
	if s.tracks == nil {
		s.tracks = make([]track, 0, n)
	}
	for i := len(s.tracks); i < n; i++ {
		var t track
		t.server.start(&now[i].Pose, &boxes[i])
		t.drawn.start(&drawn[i], &boxes[i])
		s.tracks = append(s.tracks, t)
	}
	places := s.history.start(truth.Tick(), n)
	then := s.history.at(v.Tick, n)
	for i := range s.tracks {
		t, box := &s.tracks[i], &boxes[i]
		places[i] = now[i].Pose.Pos
		resting := t.server.resting && t.drawn.resting
		a, b := t.server.advance(&now[i].Pose, box, stepChangeMin), t.drawn.advance(&drawn[i], box, popDistance)
		if !resting || !t.server.resting || !t.drawn.resting {
			t.distance = t.drawn.pose.Pos.Sub(t.server.pose.Pos).Len()
			t.moved = t.moved || t.server.step != geom.Vec3{} || t.drawn.step != geom.Vec3{}
		}
		if t.server.changed {
			s.stepChanges.addServer(i, truth.Tick(), t.server.stepDelta)
		}
		if !scored {
			continue
		}
		if t.drawn.changed {
			s.stepChanges.addDrawn(i, v.TickOf(i), t.drawn.stepDelta)
		}
		if t.moved {
			s.lagError.add(float64(t.distance))
			if then != nil && v.TickOf(i) == v.Tick {
				s.pathError.add(drawn[i].Pos, then[i])
			}
		}
		s.allJerk.add(a, b)
		if i == watched {
			s.playerJerk.add(a, b)
		}
		s.serverFloor.add(t.server.depth)
		s.drawnFloor.add(t.drawn.depth)
	}
	s.stepChanges.resolveDue(truth.Tick())
}

// start starts a path at rest.
func (p *bodyMotion) start(at *geom.Pose, box *sim.Box) {
	*p = bodyMotion{pose: *at, depth: bodyFloorDepth(at, box)}
}

// advance goes on to another pose, and returns the square of the third difference
// of the last four places. A change of step by more than least metres is a jolt,
// unless it takes the last one back.
func (p *bodyMotion) advance(to *geom.Pose, box *sim.Box, least float32) float32 {
	same := *to == p.pose
	if same && p.resting {
		return 0
	}
	step := to.Pos.Sub(p.pose.Pos)
	bend := step.Sub(p.step)
	jerk := bend.Sub(p.stepDelta)
	p.resting = same && bend == geom.Vec3{}
	p.changed = bend.LenSq() > float32(least*least) && !(p.changed && bend.Add(p.stepDelta).LenSq() <= popDistance*popDistance)
	if !same {
		p.pose, p.depth = *to, bodyFloorDepth(to, box)
	}
	p.step, p.stepDelta = step, bend
	return jerk.LenSq()
}

// bodyFloorDepth returns how far the lowest corner of a body is below the ground, and 0 if it
// is not.
func bodyFloorDepth(at *geom.Pose, box *sim.Box) float32 {
	most := boxFloorDepth(at, &box.Half)
	for i := range box.Parts {
		p, half := partAt(at, box, i+1)
		most = max(most, boxFloorDepth(&p, half))
	}
	return most
}

// boxFloorDepth returns how far the lowest corner of a box is below the ground, and 0
// if it is not.
func boxFloorDepth(at *geom.Pose, half *geom.Vec3) float32 {
	if at.Pos.Z >= half.X+half.Y+half.Z {
		return 0
	}
	// What of each of the box's axes points up: the last row of its matrix.
	q := &at.Rot
	x := float32(q.X*q.Z) - float32(q.W*q.Y)
	y := float32(q.Y*q.Z) + float32(q.W*q.X)
	z := float32(q.X*q.X) + float32(q.Y*q.Y)
	down := float32(geom.Abs(x+x)*half.X) + float32(geom.Abs(y+y)*half.Y) + float32(geom.Abs(1-(z+z))*half.Z)
	return max(0, down-at.Pos.Z)
}

func (j *jerkSums) add(truth, drawn float32) {
	j.server += float64(truth)
	j.drawn += float64(drawn)
}

// ratio returns the root mean square jerk of the drawn by that of the truth,
// over so many ticks. Their number and length are the same for both and cancel
// out.
func (j *jerkSums) ratio(ticks, rate int) (r float64, ok bool) {
	cube := float64(rate) * float64(rate) * float64(rate)
	if ticks == 0 || float64(math.Sqrt(j.server/float64(ticks))*cube) < jerkMin {
		return 0, false
	}
	return math.Sqrt(j.drawn / j.server), true
}

func (f *floorDepths) add(depth float32) {
	f.deepest = max(f.deepest, depth)
	if depth > penetrationTolerance {
		f.count++
	}
}

func (s *bodies) copyFrom(o *bodies) {
	tracks, jolts, past := append(s.tracks[:0], o.tracks...), s.stepChanges, s.history
	jolts.copyFrom(&o.stepChanges)
	past.copyFrom(&o.history)
	*s = *o
	s.tracks, s.stepChanges, s.history = tracks, jolts, past
}
