package score

import (
	"math"

	"ghostcube/predict"
	"ghostcube/sim/geom"
)

var lagErrorDefinition = Definition{
	Group: "Error", Title: "Lag error",
	Measures: []Entry{
		{
			Measure{Name: "lag_error_rms_m", Title: "lag error RMS, m", Digits: 3, Better: Lower,
				Help: "distance from the drawn cube to the server's cube at this moment, root mean square; it includes delay"},
			func(c *Score, _ Counts) (float64, bool) { return c.LagErrorRMS(), c.scoredSecond() },
		},
		{
			Measure{Name: "lag_error_rms_all_m", Title: "lag error RMS, all bodies, m", Digits: 3, Better: Lower,
				Help: "lag error over all bodies that have moved, root mean square"},
			func(c *Score, _ Counts) (float64, bool) { return c.bodies.lagError.rms(), c.scoredSecond() },
		},
	},
	Text: `
The distance from the drawn cube to the server's cube at this moment. To be ahead of the server, as a prediction should be,
counts as error, and so does the delay of an interpolation: at 10 m/s, 183 ms ahead is 1.8 m. The second measure is the
same over all bodies, each from its first movement on.`,
	Formula: "sqrt(mean of |r(t) - s(t)|^2)",
	Blind:   "the difference between a delay and a fault",
}

var jerkDefinition = Definition{
	Group: "Motion", Title: "Jerk",
	Measures: []Entry{
		{
			Measure{Name: "jerk_ratio", Title: "jerk, drawn / server", Digits: 2, Better: NearOne,
				Help: "RMS jerk of the drawn cube divided by the server cube's: 1 is as smooth, more is rougher"},
			func(c *Score, _ Counts) (float64, bool) { return c.JerkRatio() },
		},
		{
			Measure{Name: "jerk_ratio_all", Title: "jerk, all bodies, drawn / server", Digits: 2, Better: NearOne,
				Help: "RMS jerk of all drawn bodies divided by the server's: 1 is as smooth, more is rougher"},
			func(c *Score, _ Counts) (float64, bool) { return c.JerkRatioAll() },
		},
	},
	Text: `
The root mean square jerk of the drawn motion divided by that of the server's, for the player's cube, and summed over
all bodies. 1 is as smooth as the server's motion, more is rougher, less is smoother. Bodies at rest on both sides add
nothing. Delay does not matter, and a collision on both sides is in both sums.`,
	Formula:   "sqrt(sum |j_drawn|^2 / sum |j_server|^2), j = (p(t) - 3 p(t-1) + 3 p(t-2) - p(t-3)) / dt^3",
	Undefined: "while the server's jerk is below 10 m/s3, a cube at rest",
	Blind: `
its time, and rotation. A cube that tumbles over its edges has a large jerk itself, which hides a slight tremor. One
large jump outweighs many small ones, and a forced fault is a jump on the server`,
}

// jerkMin is the server's root mean square jerk in m/s3 below which no ratio to it is formed.
const jerkMin = 10

// bodies measures all bodies, as the server has them and as they are drawn.
type bodies struct {
	tracks      []motionTrack
	playerJerk  jerkSums // of the player's cube
	allJerk     jerkSums
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
	count  int
	square float64 // m2, sum
}

func (d *distanceSums) add(distance float64) {
	d.count++
	d.square += float64(distance * distance)
}

// rms returns the root mean square distance, metres.
func (d *distanceSums) rms() float64 { return math.Sqrt(d.square / float64(max(d.count, 1))) }

// bodyMotion is a body's last pose and the motion that led to it.
type bodyMotion struct {
	pose      geom.Pose
	step      geom.Vec3 // metres in the last tick
	stepDelta geom.Vec3 // metres, this step minus the one before
	resting   bool      // at rest long enough that another tick at rest changes nothing
	popped    bool      // the last tick was a change of step by more than popDistance, and not the return from one
}

// changedStep reports whether the last tick changed the step by so much that a pop may be explained by it.
func (b *bodyMotion) changedStep() bool {
	return b.stepDelta.LenSq() > stepChangeMin*stepChangeMin
}

// jerkSums are sums of squared third differences of positions, in m2.
type jerkSums struct {
	server, drawn float64
}

// add adds a tick. player is the index of the player's cube. Before scored ticks it only tracks
// motion.
func (b *bodies) add(server *predict.World, v *predict.View, player int, scored bool) {
	now, drawn := server.Bodies(), v.Bodies
	n := min(len(now), len(drawn))
	b.tracks = b.tracks[:min(len(b.tracks), n)]
	if b.tracks == nil {
		b.tracks = make([]motionTrack, 0, n)
	}
	for i := len(b.tracks); i < n; i++ {
		var t motionTrack
		t.server.pose, t.drawn.pose = now[i].Pose, drawn[i]
		b.tracks = append(b.tracks, t)
	}
	positions := b.history.start(server.Tick(), n, server.Rate())
	for i := range b.tracks {
		t := &b.tracks[i]
		positions[i] = now[i].Pose.Pos
		resting := t.server.resting && t.drawn.resting
		a, s := t.server.advance(&now[i].Pose), t.drawn.advance(&drawn[i])
		if !resting || !t.server.resting || !t.drawn.resting {
			t.distance = t.drawn.pose.Pos.Sub(t.server.pose.Pos).Len()
			t.moved = t.moved || t.server.step != geom.Vec3{} || t.drawn.step != geom.Vec3{}
		}
		if t.server.changedStep() && len(b.serverSteps) == 0 {
			b.stepChanges.addServer(i, server.Tick(), t.server.stepDelta)
		}
		if !scored {
			continue
		}
		if t.drawn.popped {
			b.stepChanges.addDrawn(i, v.TickOf(i), t.drawn.stepDelta)
		}
		if t.moved {
			b.lagError.add(float64(t.distance))
		}
		b.allJerk.add(a, s)
		if i == player {
			b.playerJerk.add(a, s)
		}
	}
	b.pathErrors.add(server, v, &b.history, b.tracks, scored)
	b.stepChanges.resolveDue(server.Tick())
}

// addServerStep adds a step of a server that does not step once in each tick of the session.
func (b *bodies) addServerStep(server *predict.World) {
	if len(b.serverSteps) == 0 {
		for i := range b.tracks {
			b.serverSteps = append(b.serverSteps, b.tracks[i].server)
		}
	}
	positions := b.history.start(server.Tick(), len(b.tracks), server.Rate())
	for i := range b.serverSteps {
		m, pose := &b.serverSteps[i], &server.Bodies()[i].Pose
		positions[i] = pose.Pos
		if m.advance(pose); m.changedStep() {
			b.stepChanges.addServer(i, server.Tick(), m.stepDelta)
		}
	}
}

// advance moves on to the next pose and returns the squared third difference of the last four
// positions.
func (b *bodyMotion) advance(to *geom.Pose) float32 {
	unmoved := *to == b.pose
	if unmoved && b.resting {
		return 0
	}
	step := to.Pos.Sub(b.pose.Pos)
	stepDelta := step.Sub(b.step)
	jerk := stepDelta.Sub(b.stepDelta)
	b.resting = unmoved && stepDelta == geom.Vec3{}
	b.popped = stepDelta.LenSq() > popDistance*popDistance && !(b.popped && stepDelta.Add(b.stepDelta).LenSq() <= popDistance*popDistance)
	b.pose, b.step, b.stepDelta = *to, step, stepDelta
	return jerk.LenSq()
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

func (b *bodies) copyFrom(o *bodies) {
	tracks, changes, history, paths := append(b.tracks[:0], o.tracks...), b.stepChanges, b.history, b.pathErrors
	steps := append(b.serverSteps[:0], o.serverSteps...)
	changes.copyFrom(&o.stepChanges)
	history.copyFrom(&o.history)
	paths.copyFrom(&o.pathErrors)
	*b = *o
	b.tracks, b.stepChanges, b.history, b.pathErrors, b.serverSteps = tracks, changes, history, paths, steps
}
