package score

import (
	"math"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

var pathErrorDefinition = Definition{
	Group: "Error", Title: "Path error",
	Measures: []Entry{
		{
			Measure{Name: "path_error_rms_m", Title: "path error RMS, m", Digits: 3, Better: Lower,
				Help: "distance from the drawn cube to the server's cube at the moment that the view claims to show, RMS"},
			func(c *Score, _ Counts) (float64, bool) {
				e, ok := c.PathError()
				return e.RMS, ok
			},
		},
		{
			Measure{Name: "path_error_max_m", Title: "path error max, m", Digits: 3, Better: Lower,
				Help: "largest path error of the player's cube"},
			func(c *Score, _ Counts) (float64, bool) {
				e, ok := c.PathError()
				return e.Max, ok
			},
		},
		{
			Measure{Name: "path_error_rms_degrees", Title: "path error RMS, degrees", Digits: 2, Better: Lower,
				Help: "angle between the drawn cube and the server's cube at the moment that the view claims to show, RMS"},
			func(c *Score, _ Counts) (float64, bool) {
				e, ok := c.PathError()
				return e.Angle, ok
			},
		},
	},
	Text: `
The distance from the drawn cube to the server's cube at the moment m that the drawn pose claims to show, and the
angle between the two orientations, over all scored ticks. A pose that is drawn ahead of the server waits until the
server reaches its moment, at most 3 s. Between two ticks the server's pose is interpolated. So neither a delay nor a
lead is path error. It is zero for a correct prediction, and also for a client that draws each state on arrival.
Smoothing and forced faults count. A server that steps on input is compared step by step.`,
	Formula:   "sqrt(mean of |r(t) - s(m)|^2)",
	Undefined: "until the poses of one second have been compared",
	Blind: `
the claim: a late moment that is drawn exactly has no path error; the display delay measures that`,
}

var pathErrorAllDefinition = Definition{
	Group: "Error", Title: "Path error of all bodies",
	Measures: []Entry{
		{
			Measure{Name: "path_error_rms_all_m", Title: "path error RMS, all bodies, m", Digits: 4, Better: Lower,
				Help: "distance from drawn bodies to the server's at the moment that the view claims to show, root mean square"},
			func(c *Score, _ Counts) (float64, bool) {
				rms, _, ok := c.PathErrorAll()
				return rms, ok
			},
		},
		{
			Measure{Name: "path_error_max_all_m", Title: "path error max, all bodies, m", Digits: 3, Better: Lower,
				Help: "largest distance from a drawn body to the server's at the moment that the view claims to show"},
			func(c *Score, _ Counts) (float64, bool) {
				_, largest, ok := c.PathErrorAll()
				return largest, ok
			},
		},
	},
	Text: `
The path error over all bodies that have moved since the start, each from its first movement on. The server's
positions are remembered for two seconds, at least 128 ticks; older moments do not count.`,
	Formula:   "sqrt(mean over bodies and ticks of |r(t) - s(m)|^2)",
	Undefined: "until a body has moved",
	Blind:     "bodies that have not moved, rotations, and the claim, as above",
}

// The path error is the distance from a drawn pose to the server's pose at the moment that the view
// claims to show. A pose that is drawn ahead of the server is compared when the server has reached
// its moment. Between two ticks the server's pose is interpolated.
const (
	pathWaitSeconds     = 3 // seconds that a drawn pose waits for the server to reach its moment
	pathHistorySeconds  = 4 // seconds of poses of the server's player that are remembered
	pathEvidenceSeconds = 1 // seconds of compared ticks before there is a result
)

// pathErrors measures the path error of all bodies that have moved.
type pathErrors struct {
	sums    distanceSums // over bodies and ticks
	max     float32      // m2, of one body
	ticks   int          // ticks in which bodies were compared
	pending []drawnRow   // drawn ahead of the server, oldest first
}

// drawnRow contains the bodies that a view draws at one moment ahead of the server.
type drawnRow struct {
	moment sim.Moment
	waited int // ticks
	bodies []drawnBody
}

type drawnBody struct {
	body int32
	pos  geom.Vec3 // metres
}

// add adds a tick, to the sums if it is scored. history contains the server's positions up to this
// tick.
func (e *pathErrors) add(server *predict.World, v *predict.View, history *positionHistory, tracks []motionTrack, scored bool) {
	n, before := len(tracks), e.sums.count
	e.resolveDue(history, server, n)
	if scored {
		var past [2]positionsAt // at v.Others and at v.Own
		ahead := [2]int{-1, -1} // indices of their rows in pending
		for group, moment := range [2]sim.Moment{v.Others, v.Own} {
			if group == 1 && len(v.Predicted) == 0 {
				break
			}
			if moment > server.Tick().Moment() {
				ahead[group] = e.addRow(moment)
			} else {
				past[group] = history.moment(moment, n)
			}
		}
		for i := range tracks {
			if !tracks[i].moved {
				continue
			}
			group := 0
			if i < len(v.Predicted) && v.Predicted[i] {
				group = 1
			}
			if k := ahead[group]; k >= 0 {
				row := &e.pending[k]
				row.bodies = append(row.bodies, drawnBody{int32(i), v.Bodies[i].Pos})
			} else if past[group].known {
				e.compare(v.Bodies[i].Pos, past[group].position(i))
			}
		}
	}
	if e.sums.count > before {
		e.ticks++
	}
}

// addRow adds an empty row, with the memory of one that is over, and returns its index.
func (e *pathErrors) addRow(moment sim.Moment) int {
	n := len(e.pending)
	if n == cap(e.pending) {
		e.pending = append(e.pending, drawnRow{})
	}
	e.pending = e.pending[:n+1]
	row := &e.pending[n]
	row.moment, row.waited, row.bodies = moment, 0, row.bodies[:0]
	return n
}

// resolveDue compares the bodies whose moments the server has reached, and drops those that have
// waited too long.
func (e *pathErrors) resolveDue(history *positionHistory, server *predict.World, n int) {
	kept := 0
	for i := range e.pending {
		row := &e.pending[i]
		row.waited++
		switch {
		case row.moment <= server.Tick().Moment():
			if past := history.moment(row.moment, n); past.known {
				for _, b := range row.bodies {
					if int(b.body) < n {
						e.compare(b.pos, past.position(int(b.body)))
					}
				}
			}
		case row.waited < pathWaitSeconds*server.Rate():
			e.pending[kept], e.pending[i] = e.pending[i], e.pending[kept] // both keep their memory
			kept++
		}
	}
	e.pending = e.pending[:kept]
}

func (e *pathErrors) compare(drawn, server geom.Vec3) {
	d := drawn.Sub(server).LenSq()
	e.sums.count++
	e.sums.square += float64(d)
	e.max = max(e.max, d)
}

func (e *pathErrors) copyFrom(o *pathErrors) {
	rows := e.pending
	for len(rows) < len(o.pending) {
		rows = append(rows, drawnRow{})
	}
	rows = rows[:len(o.pending)]
	for i := range rows {
		bodies := append(rows[i].bodies[:0], o.pending[i].bodies...)
		rows[i] = o.pending[i]
		rows[i].bodies = bodies
	}
	*e = *o
	e.pending = rows
}

// playerPathError measures the path error of the player's cube, its orientation too, and also
// before it has moved.
type playerPathError struct {
	history []serverPose // the last ticks, at tick modulo the length
	pending []drawnPose  // drawn ahead of the server, oldest first

	compared []TickPathError // by the last add

	count  int     // poses compared
	square float64 // m2, sum
	chord  float64 // sum of squared chords between the quaternions; a chord is 2 sin(angle/4)
	max    float32 // m2
}

type serverPose struct {
	tick sim.Tick // plus one; 0 if there is none
	pose geom.Pose
}

// drawnPose is a pose that was drawn ahead of the server.
type drawnPose struct {
	moment sim.Moment
	waited int // ticks
	tick   int // of TickPathError
	pose   geom.Pose
}

// TickPathError is the path error of the player's cube in one tick.
type TickPathError struct {
	Tick   int     // in which the pose was drawn: 1 is the first that was added to the score
	Metres float64 // from the drawn cube to the server's at the moment that the view claimed to show
}

// addServer remembers the server's pose at a tick.
func (e *playerPathError) addServer(pose geom.Pose, t sim.Tick, rate int) {
	if n := pathHistorySeconds * rate; len(e.history) != n {
		e.history = make([]serverPose, n)
	}
	e.history[t%sim.Tick(len(e.history))] = serverPose{t + 1, pose}
}

// add adds the pose that is drawn in a tick of the score, and compares those whose moments the server has reached.
func (e *playerPathError) add(pose geom.Pose, moment sim.Moment, tick int, now sim.Tick, rate int, scored bool) {
	e.compared = e.compared[:0]
	if scored {
		e.pending = append(e.pending, drawnPose{moment: moment, tick: tick, pose: pose})
	}
	kept := 0
	for i := range e.pending {
		p := &e.pending[i]
		p.waited++
		switch {
		case p.moment <= now.Moment():
			if server, ok := e.at(p.moment); ok {
				e.compare(p, &server)
			}
		case p.waited < pathWaitSeconds*rate:
			e.pending[kept] = *p
			kept++
		}
	}
	e.pending = e.pending[:kept]
}

// at returns the server's pose at a moment. ok is false if it is forgotten or still to come.
func (e *playerPathError) at(moment sim.Moment) (pose geom.Pose, ok bool) {
	if moment < 0 {
		return pose, false
	}
	tick := moment.Tick()
	a := &e.history[tick%sim.Tick(len(e.history))]
	share := shareOfTick(moment)
	if a.tick != tick+1 || share == 0 {
		return a.pose, a.tick == tick+1
	}
	b := &e.history[(tick+1)%sim.Tick(len(e.history))]
	return geom.Pose{
		Pos: a.pose.Pos.AddScaled(share, b.pose.Pos.Sub(a.pose.Pos)), Rot: geom.Slerp(a.pose.Rot, b.pose.Rot, share),
	}, b.tick == tick+2
}

func (e *playerPathError) compare(p *drawnPose, server *geom.Pose) {
	d := p.pose.Pos.Sub(server.Pos).LenSq()
	e.count++
	e.square += float64(d)
	e.chord += float64(chordSquared(&p.pose.Rot, &server.Rot))
	e.max = max(e.max, d)
	e.compared = append(e.compared, TickPathError{p.tick, math.Sqrt(float64(d))})
}

func (e *playerPathError) copyFrom(o *playerPathError) {
	history, pending := append(e.history[:0], o.history...), append(e.pending[:0], o.pending...)
	compared := append(e.compared[:0], o.compared...)
	*e = *o
	e.history, e.pending, e.compared = history, pending, compared
}

// PathError is the path error of the player's cube.
type PathError struct {
	RMS, Max float64 // metres
	Angle    float64 // degrees, root mean square
}

// PathError returns the path error of the player's cube. ok is false until poses of a second have
// been compared. Poses that were drawn for moments that the server has not reached, or that it
// reached 4 s ago or more, are not.
func (s *Score) PathError() (none PathError, ok bool) {
	p := &s.pathError
	if p.count < pathEvidenceSeconds*max(s.rate, 1) {
		return none, false
	}
	n := float64(p.count)
	return PathError{RMS: math.Sqrt(p.square / n), Max: math.Sqrt(float64(p.max)), Angle: rmsAngle(p.chord, p.count)}, true
}

// NewPathErrors returns the path errors that the last Add has computed: in which tick the cube was drawn there, and how far
// off. PathError is of all of them. The slice is valid until the next Add.
func (s *Score) NewPathErrors() []TickPathError { return s.pathError.compared }

// PathErrorAll returns the path error of all bodies that have moved, each from its first movement
// on: root mean square and maximum, in metres. ok is false until the poses of a second have been
// compared. Positions are remembered for two seconds, at least 128 ticks.
func (s *Score) PathErrorAll() (rms, largest float64, ok bool) {
	all := &s.bodies.pathErrors
	return all.sums.rms(), math.Sqrt(float64(all.max)), all.ticks >= pathEvidenceSeconds*max(s.rate, 1)
}

// chordSquared returns the squared distance of two rotations as unit quaternions, in [0, 2]. A
// quaternion and its negative are the same rotation. The result is 0 for equal quaternions whatever
// the rounding, and small for two that differ in length alone, as quantised ones do.
func chordSquared(p, q *geom.Quat) float32 {
	x, y, z, w := p.X-q.X, p.Y-q.Y, p.Z-q.Z, p.W-q.W
	if d := float32(x*x) + float32(y*y) + float32(z*z) + float32(w*w); d <= 2 {
		return d
	}
	x, y, z, w = p.X+q.X, p.Y+q.Y, p.Z+q.Z, p.W+q.W
	return float32(x*x) + float32(y*y) + float32(z*z) + float32(w*w)
}

const pi = 3.141592653589793

// rmsAngle returns the angle in degrees whose chord is the root mean square of count chords, of which
// square is the sum of squares.
func rmsAngle(square float64, count int) float64 {
	sine2 := min(1, square/float64(4*count))
	return 4 * float64(geom.Atan2(float32(math.Sqrt(sine2)), float32(math.Sqrt(1-sine2)))) * 180 / pi
}
