package score

import "math"

// Staleness is the lag at which the drawn cube's speed is most like the true
// one's: the argument of the largest correlation (Pearson's) among all lags
// from aheadMost to behindMost. Speeds are compared and not places, so that
// neither an error that stays nor a way to draw it can hide the delay; and means
// of them over a quarter of a second, so that a picture that goes in steps has
// one too.
const (
	leadSecondsMax     = 1.5  // seconds that the picture may be ahead: 1 s of latency and a lead
	delaySecondsMax    = 3    // seconds that it may be behind: 1 s of latency and a buffer
	speedWindow        = 0.25 // seconds
	pairSecondsMin     = 2    // seconds of pairs before there is an answer
	speedDeviationMin  = 0.1  // m/s; standard deviation below which a speed says nothing
	correlationMin     = 0.5  // correlation below which no lag is an answer
	correlationEpsilon = 1e-6 // difference of correlations that is none
)

// meanSpeed is the mean speed of one motion, without its jumps.
type meanSpeed struct {
	lastStep  float64   // metres of the last step that was no jump
	distance  float64   // metres gone
	distances []float64 // the ways after the last ticks
	seen      int       // ticks
	idleTicks int       // ticks in a row without a step
}

// add takes in a step in metres, and returns the mean speed in m/s. ok is
// false while there have been too few. A step is a jump, and no motion, if
// nothing in the scene can go as far in the ticks that it may be made of: a
// fault or its correction. The step before it stands for it, or a few jumps
// would outweigh all motion.
func (p *meanSpeed) add(step float64, ticks int, most float32, rate int) (speed float64, ok bool) {
	if p.distances == nil {
		p.distances = make([]float64, max(1, int(speedWindow*float64(rate))))
	}
	if step <= float64(float64(most)*float64(ticks))/float64(rate) {
		p.lastStep = step
	}
	p.distance += p.lastStep
	p.idleTicks++
	if step*float64(rate) >= standSpeedMax {
		p.idleTicks = 0
	}
	old := &p.distances[p.seen%len(p.distances)]
	speed = (p.distance - *old) * float64(rate) / float64(len(p.distances))
	*old = p.distance
	p.seen++
	return speed, p.seen > len(p.distances)
}

func (p *meanSpeed) copyFrom(o *meanSpeed) {
	past := append(p.distances[:0], o.distances...)
	*p = *o
	p.distances = past
}

// delayEstimator correlates speeds at many lags at once. Each tick pairs one drawn
// speed, aheadMost old, with all the true ones around it, so every lag has seen
// the same drawn speeds. The first pair is made when there is a true speed for
// the largest lag, and its drawn one is then older than the first second, which
// is not scored.
type delayEstimator struct {
	speeds [2]meanSpeed // of the true cube and the drawn one

	leadTicks int               // how many lags are below 0
	server    []float64         // the last speeds, m/s, twice behind each other, so that they can be read in one go
	drawn     []float64         // the last speeds, m/s
	seen      int               // speeds taken in
	sums      []correlationSums // for each lag, the largest first

	pairs int
	x, xx float64 // of the drawn speeds
}

// correlationSums are those of one lag.
type correlationSums struct {
	y, yy, xy float64
}

// add adds the steps of a tick, metres; nothing in the scene is faster than
// most, m/s. A drawn step may make good for ticks without any.
func (s *delayEstimator) add(truth, drawn float64, most float32, rate int) {
	truth, _ = s.speeds[0].add(truth, 1, most, rate)
	drawn, ok := s.speeds[1].add(drawn, 1+s.speeds[1].idleTicks, most, rate)
	if !ok {
		return
	}
	if s.sums == nil {
		s.leadTicks = int(leadSecondsMax * float64(rate))
		n := s.leadTicks + 1 + delaySecondsMax*rate
		s.server, s.drawn, s.sums = make([]float64, 2*n), make([]float64, s.leadTicks+1), make([]correlationSums, n)
	}
	n := len(s.sums)
	at := s.seen % n
	s.server[at], s.server[at+n] = truth, truth
	s.drawn[s.seen%len(s.drawn)] = drawn
	s.seen++
	if s.seen < n {
		return
	}
	x := s.drawn[s.seen%len(s.drawn)] // the oldest
	s.pairs++
	s.x += x
	s.xx += float64(x * x)
	past := s.server[at+1 : at+1+n] // oldest first
	for i := range s.sums {
		y, of := past[i], &s.sums[i]
		of.y += y
		of.yy += float64(y * y)
		of.xy += float64(x * y)
	}
}

// delay returns how many ticks the picture is behind, fewer than 0 if it is
// ahead. ok is false where the speeds do not tell. Of lags that are equally
// good the one nearest to 0 is meant.
func (s *delayEstimator) delay(rate int) (ticks int, ok bool) {
	if s.pairs < pairSecondsMin*rate {
		return 0, false
	}
	best := 0.0
	try := func(t int) {
		i := len(s.sums) - 1 - (s.leadTicks + t)
		if i < 0 || i >= len(s.sums) {
			return
		}
		if r := s.correlation(&s.sums[i]); r >= correlationMin && r > best+correlationEpsilon {
			best, ticks, ok = r, t, true
		}
	}
	try(0)
	for t := 1; t < len(s.sums); t++ {
		try(t)
		try(-t)
	}
	return ticks, ok
}

// correlation returns the correlation of a lag, in [-1, 1], and 0 where one of the
// two speeds hardly changes.
func (s *delayEstimator) correlation(of *correlationSums) float64 {
	n := float64(s.pairs)
	x := s.xx/n - float64((s.x/n)*(s.x/n))
	y := of.yy/n - float64((of.y/n)*(of.y/n))
	if x < speedDeviationMin*speedDeviationMin || y < speedDeviationMin*speedDeviationMin {
		return 0
	}
	return (of.xy/n - float64((s.x/n)*(of.y/n))) / math.Sqrt(float64(x*y))
}

func (s *delayEstimator) copyFrom(o *delayEstimator) {
	truth, drawn, of := append(s.server[:0], o.server...), append(s.drawn[:0], o.drawn...), append(s.sums[:0], o.sums...)
	paces := s.speeds
	for i := range paces {
		paces[i].copyFrom(&o.speeds[i])
	}
	*s = *o
	s.server, s.drawn, s.sums, s.speeds = truth, drawn, of, paces
}
