package score

import (
	"math"

	"ghostcube/sim/geom"
)

// backwardSpeedMin is the server cube's speed in m/s from which a drawn motion against it counts as
// backward.
const backwardSpeedMin = 0.2

// lagComparison compares the drawn motion with the server's at every lag at once. When the display
// delay is known, the difference at that lag is known too. It pairs ticks as delayEstimator does
// and keeps poses no longer than that requires.
type lagComparison struct {
	bands [2]bandPass // of the server cube's speed, of the drawn cube's

	leadTicks int              // number of negative lags
	server    []motionSample   // the last ones, a ring
	drawn     []motionSample   // the last ones, a ring
	seen      int              // ticks added
	sums      []lagDifferences // by lag, the largest first
	pairs     int              // ticks paired
}

// motionSample is one tick of a motion.
type motionSample struct {
	pose      geom.Pose
	step      geom.Vec3 // metres since the tick before
	moving    bool      // faster than backwardSpeedMin and not in a jump
	bandSpeed float32   // m/s; the part of the speed between bandLow and bandHigh
}

// lagDifferences accumulates the differences at one lag.
type lagDifferences struct {
	distance  float64 // sum of squared distances, m2
	chord     float64 // sum of squared chords between the quaternions; a chord is 2 sin(angle/4)
	bandSpeed float64 // sum of squared differences, (m/s)2
	moving    int32   // pairs in which the server's cube moves
	backward  int32   // of those, pairs in which the drawn cube moves against it
}

// add adds a tick: the two motions, and the lengths of their last steps that were no jumps, in
// metres.
func (s *lagComparison) add(server, drawn *bodyMotion, serverStep, drawnStep float64, rate int) {
	if s.sums == nil {
		s.leadTicks = int(leadSecondsMax * float64(rate))
		n := s.leadTicks + 1 + delaySecondsMax*rate
		s.server, s.drawn, s.sums = make([]motionSample, n), make([]motionSample, s.leadTicks+1), make([]lagDifferences, n)
	}
	a, b := motionSample{pose: server.pose, step: server.step}, motionSample{pose: drawn.pose, step: drawn.step}
	a.bandSpeed = float32(s.bands[0].filter(serverStep*float64(rate), rate))
	b.bandSpeed = float32(s.bands[1].filter(drawnStep*float64(rate), rate))
	// A step other than the last one without a jump is a jump.
	stepLength := float64(a.step.Len())
	a.moving = stepLength == serverStep && stepLength*float64(rate) > backwardSpeedMin
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

// addDifferences adds the differences between the drawn sample x and each server sample.
func addDifferences(sums []lagDifferences, server []motionSample, x *motionSample) {
	for i := range sums {
		y, sum := &server[i], &sums[i]
		sum.distance += float64(x.pose.Pos.Sub(y.pose.Pos).LenSq())
		sum.chord += float64(chordSquared(&x.pose.Rot, &y.pose.Rot))
		speedDifference := float64(x.bandSpeed - y.bandSpeed)
		sum.bandSpeed += float64(speedDifference * speedDifference)
		if y.moving {
			sum.moving++
			if x.step.Dot(y.step) < 0 {
				sum.backward++
			}
		}
	}
}

// at returns the differences at a lag in ticks.
func (s *lagComparison) at(lag int) *lagDifferences { return &s.sums[len(s.sums)-1-(s.leadTicks+lag)] }

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

// rmsAngle returns the angle in degrees whose chord is the root mean square of count chords, of which
// square is the sum of squares.
func rmsAngle(square float64, count int) float64 {
	sine2 := min(1, square/float64(4*count))
	return 4 * float64(geom.Atan2(float32(math.Sqrt(sine2)), float32(math.Sqrt(1-sine2)))) * 180 / pi
}

func (s *lagComparison) copyFrom(o *lagComparison) {
	server, drawn, sums := append(s.server[:0], o.server...), append(s.drawn[:0], o.drawn...), append(s.sums[:0], o.sums...)
	*s = *o
	s.server, s.drawn, s.sums = server, drawn, sums
}
