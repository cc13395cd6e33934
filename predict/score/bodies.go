package score

import (
	"math"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// penetrationTolerance is the depth in metres above which a body counts as in the ground or in
// another body. Contacts are soft, so smaller depths are normal.
const penetrationTolerance = 0.02

// jerkMin is the server's root mean square jerk in m/s3 below which no ratio to it is formed.
const jerkMin = 10

// bodies measures all bodies, as the server has them and as they are drawn.
type bodies struct {
	tracks      []motionTrack
	playerJerk  jerkSums // of the player's cube
	allJerk     jerkSums
	serverFloor floorDepths
	drawnFloor  floorDepths
	lagError    distanceSums // of all bodies that have moved
	pathErrors  pathErrors
	history     positionHistory
	stepChanges stepChanges
	serverSteps []bodyMotion // by body, over the server's steps: empty unless addServerStep adds them
}

// motionTrack is one body's two motions.
type motionTrack struct {
	server, drawn bodyMotion
	distance      float32 // metres, drawn to server
	moved         bool    // either of them since the start
}

// distanceSums accumulates distances between drawn and server poses, over ticks or bodies.
type distanceSums struct {
	count         int
	square        float64 // m2, sum
	inconsistency float64 // sum of the metres above inconsistencyTolerance
}

// inconsistencyTolerance is the lag error in metres up to which there is no inconsistency.
const inconsistencyTolerance = 0.05

func (a *distanceSums) add(distance float64) {
	a.count++
	a.square += float64(distance * distance)
	a.inconsistency += max(0, distance-inconsistencyTolerance)
}

// rms returns the root mean square distance, metres.
func (a *distanceSums) rms() float64 { return math.Sqrt(a.square / float64(max(a.count, 1))) }

// perMinute returns the distance above inconsistencyTolerance integrated over time, in metre
// seconds per minute.
func (a *distanceSums) perMinute() float64 { return 60 * a.inconsistency / float64(max(a.count, 1)) }

// bodyMotion is a body's last pose and the motion that led to it.
type bodyMotion struct {
	pose      geom.Pose
	step      geom.Vec3 // metres in the last tick
	stepDelta geom.Vec3 // metres, this step minus the one before
	depth     float32   // metres below the ground, lowest corner
	resting   bool      // at rest long enough that another tick at rest changes nothing
	popped    bool      // the last tick was a change of step by more than popDistance, and not the return from one
}

// changedStep reports whether the last tick changed the step by so much that a pop may be explained by it.
func (p *bodyMotion) changedStep() bool {
	return p.stepDelta.LenSq() > stepChangeMin*stepChangeMin
}

// jerkSums are sums of squared third differences of positions, in m2.
type jerkSums struct {
	server, drawn float64
}

// floorDepths accumulates depths below the ground.
type floorDepths struct {
	deepest float32 // metres
	count   int     // bodies deeper than penetrationTolerance, summed over ticks
}

// add adds a tick. player is the index of the player's cube. Before scored ticks it only tracks
// motion.
func (s *bodies) add(server *predict.World, v *predict.View, player int, scored bool) {
	boxes, now, drawn := server.Scene().Boxes, server.Bodies(), v.Bodies
	n := min(len(now), len(drawn))
	s.tracks = s.tracks[:min(len(s.tracks), n)]
	if s.tracks == nil {
		s.tracks = make([]motionTrack, 0, n)
	}
	for i := len(s.tracks); i < n; i++ {
		var t motionTrack
		t.server.start(&now[i].Pose, &boxes[i])
		t.drawn.start(&drawn[i], &boxes[i])
		s.tracks = append(s.tracks, t)
	}
	positions := s.history.start(server.Tick(), n, server.Rate())
	for i := range s.tracks {
		t, box := &s.tracks[i], &boxes[i]
		positions[i] = now[i].Pose.Pos
		resting := t.server.resting && t.drawn.resting
		a, b := t.server.advance(&now[i].Pose, box), t.drawn.advance(&drawn[i], box)
		if !resting || !t.server.resting || !t.drawn.resting {
			t.distance = t.drawn.pose.Pos.Sub(t.server.pose.Pos).Len()
			t.moved = t.moved || t.server.step != geom.Vec3{} || t.drawn.step != geom.Vec3{}
		}
		if t.server.changedStep() && len(s.serverSteps) == 0 {
			s.stepChanges.addServer(i, server.Tick(), t.server.stepDelta)
		}
		if !scored {
			continue
		}
		if t.drawn.popped {
			s.stepChanges.addDrawn(i, v.TickOf(i), t.drawn.stepDelta)
		}
		if t.moved {
			s.lagError.add(float64(t.distance))
		}
		s.allJerk.add(a, b)
		if i == player {
			s.playerJerk.add(a, b)
		}
		s.serverFloor.add(t.server.depth)
		s.drawnFloor.add(t.drawn.depth)
	}
	s.pathErrors.add(server, v, &s.history, s.tracks, scored)
	s.stepChanges.resolveDue(server.Tick())
}

// addServerStep adds a step of a server that does not step once in each tick of the session.
func (s *bodies) addServerStep(server *predict.World) {
	if len(s.serverSteps) == 0 {
		for i := range s.tracks {
			s.serverSteps = append(s.serverSteps, s.tracks[i].server)
		}
	}
	positions := s.history.start(server.Tick(), len(s.tracks), server.Rate())
	for i := range s.serverSteps {
		m, pose := &s.serverSteps[i], &server.Bodies()[i].Pose
		positions[i] = pose.Pos
		if m.advance(pose, &server.Scene().Boxes[i]); m.changedStep() {
			s.stepChanges.addServer(i, server.Tick(), m.stepDelta)
		}
	}
}

// start starts a motion at rest.
func (p *bodyMotion) start(at *geom.Pose, box *sim.Box) {
	*p = bodyMotion{pose: *at, depth: bodyFloorDepth(at, box)}
}

// advance moves on to the next pose and returns the squared third difference of the last four
// positions.
func (p *bodyMotion) advance(to *geom.Pose, box *sim.Box) float32 {
	unmoved := *to == p.pose
	if unmoved && p.resting {
		return 0
	}
	step := to.Pos.Sub(p.pose.Pos)
	stepDelta := step.Sub(p.step)
	jerk := stepDelta.Sub(p.stepDelta)
	p.resting = unmoved && stepDelta == geom.Vec3{}
	p.popped = stepDelta.LenSq() > popDistance*popDistance && !(p.popped && stepDelta.Add(p.stepDelta).LenSq() <= popDistance*popDistance)
	if !unmoved {
		p.pose, p.depth = *to, bodyFloorDepth(to, box)
	}
	p.step, p.stepDelta = step, stepDelta
	return jerk.LenSq()
}

// bodyFloorDepth returns the depth of a body's lowest corner below the ground in metres, at least
// 0.
func bodyFloorDepth(at *geom.Pose, box *sim.Box) float32 {
	deepest := boxFloorDepth(at, &box.Half)
	for i := range box.Parts {
		p, half := partAt(at, box, i+1)
		deepest = max(deepest, boxFloorDepth(&p, half))
	}
	return deepest
}

// boxFloorDepth returns the depth of a box's lowest corner below the ground in metres, at least 0.
func boxFloorDepth(at *geom.Pose, half *geom.Vec3) float32 {
	if at.Pos.Z >= half.X+half.Y+half.Z {
		return 0
	}
	// The z components of the box's axes: the last row of its rotation matrix.
	q := &at.Rot
	x := float32(q.X*q.Z) - float32(q.W*q.Y)
	y := float32(q.Y*q.Z) + float32(q.W*q.X)
	z := float32(q.X*q.X) + float32(q.Y*q.Y)
	down := float32(geom.Abs(x+x)*half.X) + float32(geom.Abs(y+y)*half.Y) + float32(geom.Abs(1-(z+z))*half.Z)
	return max(0, down-at.Pos.Z)
}

func (j *jerkSums) add(server, drawn float32) {
	j.server += float64(server)
	j.drawn += float64(drawn)
}

// ratio returns the drawn root mean square jerk divided by the server's, over a number of ticks.
// The number and duration of ticks cancel out of the ratio; they only decide whether there is
// enough jerk.
func (j *jerkSums) ratio(ticks, rate int) (r float64, ok bool) {
	rateCubed := float64(rate) * float64(rate) * float64(rate)
	if ticks == 0 || float64(math.Sqrt(j.server/float64(ticks))*rateCubed) < jerkMin {
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
	tracks, changes, history, paths := append(s.tracks[:0], o.tracks...), s.stepChanges, s.history, s.pathErrors
	steps := append(s.serverSteps[:0], o.serverSteps...)
	changes.copyFrom(&o.stepChanges)
	history.copyFrom(&o.history)
	paths.copyFrom(&o.pathErrors)
	*s = *o
	s.tracks, s.stepChanges, s.history, s.pathErrors, s.serverSteps = tracks, changes, history, paths, steps
}
