package score

import (
	"math"

	"ghostcube/sim/geom"
)

// backwardLeast is the true speed in m/s from which on a drawn motion against
// it is one backward.
const backwardLeast = 0.2

// shape compares the drawn motion with the true one at each lag at once, so that
// when the staleness is known what remains apart from it is known too. It pairs
// ticks as staleness does, and keeps poses for as long as that takes and no
// longer.
type shape struct {
	waves [2]band // of the true cube's speed and the drawn one's

	ahead int      // how many lags are below 0
	truth []moment // the last ones
	drawn []moment // the last ones
	seen  int      // ticks
	sums  []unlike // for each lag, the largest first
	pairs int
}

// moment is one tick of a motion.
type moment struct {
	pose geom.Pose
	way  geom.Vec3 // metres since the tick before
	fast bool      // faster than backwardLeast, and no jump
	wave float32   // m/s of the speed in the band
}

// unlike is what differs at one lag.
type unlike struct {
	way      float64 // sum of squared distances, m2
	turn     float64 // sum of squared chords between the quaternions: 2 sin of a quarter of the angle
	wave     float64 // sum of squared differences, (m/s)2
	fast     int32   // pairs whose true cube is under way
	backward int32   // of those, whose drawn cube goes against it
}

// take adds a tick: where the cubes are, their steps, and those that are no
// jumps in metres.
func (s *shape) take(truth, drawn *path, trueStep, drawnStep float64, rate int) {
	if s.sums == nil {
		s.ahead = int(aheadMost * float64(rate))
		n := s.ahead + 1 + behindMost*rate
		s.truth, s.drawn, s.sums = make([]moment, n), make([]moment, s.ahead+1), make([]unlike, n)
	}
	a, b := moment{pose: truth.pose, way: truth.step}, moment{pose: drawn.pose, way: drawn.step}
	a.wave = float32(s.waves[0].next(trueStep*float64(rate), rate))
	b.wave = float32(s.waves[1].next(drawnStep*float64(rate), rate))
	// A jump is a step longer than the last one that was none.
	own := float64(a.way.Len())
	a.fast = own == trueStep && own*float64(rate) > backwardLeast
	n := len(s.truth)
	s.truth[s.seen%n] = a
	s.drawn[s.seen%len(s.drawn)] = b
	s.seen++
	if s.seen < n {
		return
	}
	s.pairs++
	oldest, x := s.seen%n, &s.drawn[s.seen%len(s.drawn)]
	compare(s.sums[:n-oldest], s.truth[oldest:], x)
	compare(s.sums[n-oldest:], s.truth[:oldest], x)
}

// compare adds to the sums of some lags what x differs from each truth by.
func compare(sums []unlike, truth []moment, x *moment) {
	for i := range sums {
		y, of := &truth[i], &sums[i]
		of.way += float64(x.pose.Pos.Sub(y.pose.Pos).Len2())
		of.turn += float64(chord2(&x.pose.Rot, &y.pose.Rot))
		wave := float64(x.wave - y.wave)
		of.wave += float64(wave * wave)
		if y.fast {
			of.fast++
			if x.way.Dot(y.way) < 0 {
				of.backward++
			}
		}
	}
}

// at returns what differs at a lag in ticks.
func (s *shape) at(lag int) *unlike { return &s.sums[len(s.sums)-1-(s.ahead+lag)] }

// chord2 returns the square of the distance of two rotations as points of a
// sphere, in [0, 2]; a quaternion and its negative are the same rotation. It is
// 0 for equal ones whatever the rounding, and small for two that differ in
// length alone, as those from a grid do.
func chord2(p, q *geom.Quat) float32 {
	x, y, z, w := p.X-q.X, p.Y-q.Y, p.Z-q.Z, p.W-q.W
	if d := float32(x*x) + float32(y*y) + float32(z*z) + float32(w*w); d <= 2 {
		return d
	}
	x, y, z, w = p.X+q.X, p.Y+q.Y, p.Z+q.Z, p.W+q.W
	return float32(x*x) + float32(y*y) + float32(z*z) + float32(w*w)
}

// turned returns the angle in radians that has the root mean square chord.
func (u *unlike) turned(pairs int) float64 {
	sine2 := min(1, u.turn/float64(4*pairs))
	return 4 * float64(geom.Atan2(float32(math.Sqrt(sine2)), float32(math.Sqrt(1-sine2))))
}

func (s *shape) copyFrom(o *shape) {
	truth, drawn, sums := append(s.truth[:0], o.truth...), append(s.drawn[:0], o.drawn...), append(s.sums[:0], o.sums...)
	*s = *o
	s.truth, s.drawn, s.sums = truth, drawn, sums
}
