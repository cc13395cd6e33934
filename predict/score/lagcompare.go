package score

import (
	"math"

	"ghostcube/sim/geom"
)

// backwardSpeedMin is the true speed in m/s from which on a drawn motion against
// it is one backward.
const backwardSpeedMin = 0.2

// lagComparison compares the drawn motion with the true one at each lag at once, so that
// when the staleness is known what remains apart from it is known too. It pairs
// ticks as staleness does, and keeps poses for as long as that takes and no
// longer.
type lagComparison struct {
	bands [2]bandPass // of the true cube's speed and the drawn one's

	leadTicks int              // how many lags are below 0
	server    []motionSample   // the last ones
	drawn     []motionSample   // the last ones
	seen      int              // ticks
	sums      []lagDifferences // for each lag, the largest first
	pairs     int
}

// motionSample is one tick of a motion.
type motionSample struct {
	pose      geom.Pose
	step      geom.Vec3 // metres since the tick before
	moving    bool      // faster than backwardLeast, and no jump
	bandSpeed float32   // m/s of the speed in the band
}

// lagDifferences is what differs at one lag.
type lagDifferences struct {
	distance  float64 // sum of squared distances, m2
	chord     float64 // sum of squared chords between the quaternions: 2 sin of a quarter of the angle
	bandSpeed float64 // sum of squared differences, (m/s)2
	moving    int32   // pairs whose true cube is under way
	backward  int32   // of those, whose drawn cube goes against it
}

// add adds a tick: where the cubes are, their steps, and those that are no
// jumps in metres.
func (s *lagComparison) add(truth, drawn *bodyMotion, trueStep, drawnStep float64, rate int) {
	if s.sums == nil {
		s.leadTicks = int(leadSecondsMax * float64(rate))
		n := s.leadTicks + 1 + delaySecondsMax*rate
		s.server, s.drawn, s.sums = make([]motionSample, n), make([]motionSample, s.leadTicks+1), make([]lagDifferences, n)
	}
	a, b := motionSample{pose: truth.pose, step: truth.step}, motionSample{pose: drawn.pose, step: drawn.step}
	a.bandSpeed = float32(s.bands[0].filter(trueStep*float64(rate), rate))
	b.bandSpeed = float32(s.bands[1].filter(drawnStep*float64(rate), rate))
	// A jump is a step longer than the last one that was none.
	own := float64(a.step.Len())
	a.moving = own == trueStep && own*float64(rate) > backwardSpeedMin
	n := len(s.server)
	s.server[s.seen%n] = a
	s.drawn[s.seen%len(s.drawn)] = b
	s.seen++
	if s.seen < n {
		return
	}
	s.pairs++
	oldest, x := s.seen%n, &s.drawn[s.seen%len(s.drawn)]
	addDifferences(s.sums[:n-oldest], s.server[oldest:], x)
	addDifferences(s.sums[n-oldest:], s.server[:oldest], x)
}

// addDifferences adds to the sums of some lags what x differs from each truth by.
func addDifferences(sums []lagDifferences, truth []motionSample, x *motionSample) {
	for i := range sums {
		y, of := &truth[i], &sums[i]
		of.distance += float64(x.pose.Pos.Sub(y.pose.Pos).LenSq())
		of.chord += float64(chordSquared(&x.pose.Rot, &y.pose.Rot))
		wave := float64(x.bandSpeed - y.bandSpeed)
		of.bandSpeed += float64(wave * wave)
		if y.moving {
			of.moving++
			if x.step.Dot(y.step) < 0 {
				of.backward++
			}
		}
	}
}

// at returns what differs at a lag in ticks.
func (s *lagComparison) at(lag int) *lagDifferences { return &s.sums[len(s.sums)-1-(s.leadTicks+lag)] }

// chordSquared returns the square of the distance of two rotations as points of a
// sphere, in [0, 2]; a quaternion and its negative are the same rotation. It is
// 0 for equal ones whatever the rounding, and small for two that differ in
// length alone, as those from a grid do.
func chordSquared(p, q *geom.Quat) float32 {
	x, y, z, w := p.X-q.X, p.Y-q.Y, p.Z-q.Z, p.W-q.W
	if d := float32(x*x) + float32(y*y) + float32(z*z) + float32(w*w); d <= 2 {
		return d
	}
	x, y, z, w = p.X+q.X, p.Y+q.Y, p.Z+q.Z, p.W+q.W
	return float32(x*x) + float32(y*y) + float32(z*z) + float32(w*w)
}

// angle returns the angle in radians that has the root mean square chord.
func (u *lagDifferences) angle(pairs int) float64 {
	sine2 := min(1, u.chord/float64(4*pairs))
	return 4 * float64(geom.Atan2(float32(math.Sqrt(sine2)), float32(math.Sqrt(1-sine2))))
}

func (s *lagComparison) copyFrom(o *lagComparison) {
	truth, drawn, sums := append(s.server[:0], o.server...), append(s.drawn[:0], o.drawn...), append(s.sums[:0], o.sums...)
	*s = *o
	s.server, s.drawn, s.sums = truth, drawn, sums
}
