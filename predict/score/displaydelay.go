package score

import "math"

var displayDelayDefinition = Definition{
	Group: "Delay", Title: "Display delay",
	Measures: []Entry{
		{
			Measure{Name: "display_delay_ms", Title: "display delay, ms", Digits: 1, Better: NearZero,
				Help: "time by which the drawn cube moves later than the server's; negative: ahead of the server"},
			func(c *Score, _ Counts) (float64, bool) {
				ticks, ok := c.DisplayDelay()
				return c.millis(float64(ticks)), ok
			},
		},
	},
	Text: `
How much later the drawn cube moves than the server's; negative if it is ahead. Among all lags d from -1.5 s to 3 s,
in whole ticks, it is the one with the largest (Pearson) correlation of the two speeds, over the same ticks. A speed is a
mean over a quarter of a second, so motion drawn in steps has the delay of its poses plus half the time for which each is
shown. Steps longer than the scene's largest speed allows, which are faults and corrections, are left out, and so are
the first 3.25 s, in which buffers fill.`,
	Formula: "d* = arg max over d of corr(v_drawn(t), v_server(t - d))",
	Undefined: `
in the first 6.8 s after a start; where either speed has a standard deviation below 0.1 m/s; where no lag has a
correlation of 0.5; and where a lag more than 0.1 s from the best one is in its 95 % confidence interval,
n ln((1 - r^2) / (1 - r*^2)) <= 3.84, with the correlations r and r* of the two lags, and n quarters of a second in
which the drawn cube moves`,
	Blind: `
a delay that varies: it is one figure for the session. Of equally good lags of periodic motion the one closest to 0 is
taken. A delay outside of the range gives the best lag inside it. Rotation without travel is not motion`,
}

// The display delay is the lag at which the drawn cube's speed correlates best (Pearson) with the
// server cube's speed, among all lags from leadSecondsMax ahead to delaySecondsMax behind. Speeds
// are compared instead of positions, so that neither a constant offset nor smoothing can hide the
// delay. They are means over a quarter of a second, so that motion drawn in steps has a delay too.
const (
	leadSecondsMax     = 1.5  // seconds by which a client may draw ahead: 1 s of latency and an input lead
	delaySecondsMax    = 3    // seconds by which it may draw behind: 1 s of latency and a playout delay
	speedWindow        = 0.25 // seconds over which a speed is averaged
	pairSecondsMin     = 2    // seconds of paired speeds of a drawn cube in motion before there is a result
	speedDeviationMin  = 0.1  // m/s; a speed with a smaller standard deviation cannot be correlated
	correlationMin     = 0.5  // a lag with a smaller correlation is no result
	correlationEpsilon = 1e-6 // correlations closer than this are equal
	delayUncertainty   = 0.1  // seconds; a result whose error may be larger is none
	equalPeaks         = 1e-3 // tops of the correlation closer than this are equal: lags of periodic motion are no whole ticks
	likelihoodRatioMax = 3.84 // chi-squared with one degree of freedom, 95 %
)

// meanSpeed averages the speed of one motion, jumps left out.
type meanSpeed struct {
	lastStep  float64   // metres; the last step that was not a jump
	distance  float64   // metres travelled
	distances []float64 // distance after each of the last ticks, a ring
	seen      int       // ticks added
	idleTicks int       // ticks in a row without motion
}

// add adds a step in metres and returns the mean speed in m/s. ok is false while there are too few
// steps. A step counts as a jump if nothing in the scene can travel that far in the given number of
// ticks: it is a forced fault or its correction. The step before it is used in its place; otherwise
// a few jumps would outweigh all motion.
func (m *meanSpeed) add(step float64, ticks int, maxSpeed float32, rate int) (speed float64, ok bool) {
	if m.distances == nil {
		m.distances = make([]float64, max(1, int(speedWindow*float64(rate))))
	}
	if step <= float64(float64(maxSpeed)*float64(ticks))/float64(rate) {
		m.lastStep = step
	}
	m.distance += m.lastStep
	m.idleTicks++
	if step*float64(rate) >= standSpeedMax {
		m.idleTicks = 0
	}
	old := &m.distances[m.seen%len(m.distances)]
	speed = (m.distance - *old) * float64(rate) / float64(len(m.distances))
	*old = m.distance
	m.seen++
	return speed, m.seen > len(m.distances)
}

func (m *meanSpeed) copyFrom(o *meanSpeed) {
	distances := append(m.distances[:0], o.distances...)
	*m = *o
	m.distances = distances
}

// delayEstimator correlates speeds at many lags at once. Each tick pairs the drawn speed of
// leadSecondsMax ago with all server speeds around it, so every lag is judged by the same drawn
// speeds. The first pair is formed when the server speed for the largest lag exists; its drawn
// speed is then older than the first second, which is not scored.
type delayEstimator struct {
	speeds [2]meanSpeed // of the server's cube, of the drawn one

	leadTicks int               // number of negative lags
	server    []float64         // m/s; the last speeds, stored twice in a row so that any window is contiguous
	drawn     []float64         // m/s; the last speeds, a ring
	seen      int               // speeds added
	sums      []correlationSums // by lag, the largest first

	pairs  int
	moving int     // pairs in which the drawn cube moves
	x, xx  float64 // sums over the drawn speeds
}

// correlationSums are the sums for one lag; x is the drawn speed, y the server's.
type correlationSums struct {
	y, yy, xy float64
}

// add adds the steps of a tick in metres; nothing in the scene is faster than maxSpeed, in m/s. A
// drawn step may make up for preceding ticks without motion.
func (d *delayEstimator) add(server, drawn float64, maxSpeed float32, rate int) {
	server, _ = d.speeds[0].add(server, 1, maxSpeed, rate)
	drawn, ok := d.speeds[1].add(drawn, 1+d.speeds[1].idleTicks, maxSpeed, rate)
	if !ok {
		return
	}
	if d.sums == nil {
		d.leadTicks = int(leadSecondsMax * float64(rate))
		n := d.leadTicks + 1 + delaySecondsMax*rate
		d.server, d.drawn, d.sums = make([]float64, 2*n), make([]float64, d.leadTicks+1), make([]correlationSums, n)
	}
	n := len(d.sums)
	at := d.seen % n
	d.server[at], d.server[at+n] = server, server
	d.drawn[d.seen%len(d.drawn)] = drawn
	d.seen++
	if d.seen < n {
		return
	}
	x := d.drawn[d.seen%len(d.drawn)] // the oldest
	d.pairs++
	if x >= speedDeviationMin {
		d.moving++
	}
	d.x += x
	d.xx += float64(x * x)
	recent := d.server[at+1 : at+1+n] // oldest first
	for i := range d.sums {
		y, sums := recent[i], &d.sums[i]
		sums.y += y
		sums.yy += float64(y * y)
		sums.xy += float64(x * y)
	}
}

// delay returns by how many ticks the drawn motion is behind, negative if it is ahead. ok is false
// if the speeds give no result, or if a lag more than delayUncertainty away from it explains them
// nearly as well. Of equally good lags it returns the one closest to 0.
func (d *delayEstimator) delay(rate int) (ticks int, ok bool) {
	if d.moving < pairSecondsMin*rate {
		return 0, false
	}
	best := 0.0
	try := func(t int) {
		i := len(d.sums) - 1 - (d.leadTicks + t)
		if i < 0 || i >= len(d.sums) {
			return
		}
		if r := d.correlation(&d.sums[i]); r >= correlationMin && r > best+correlationEpsilon {
			best, ticks, ok = r, t, true
		}
	}
	try(0)
	for t := 1; t < len(d.sums); t++ {
		try(t)
		try(-t)
	}
	if ok = ok && d.unique(ticks, best, rate); ok {
		ticks = d.closest(ticks, rate)
	}
	return ticks, ok
}

// closest returns the lag closest to 0 whose correlation has a top as high as that of the best lag: periodic motion has one in
// each period, and which of them is the highest depends on how its period divides into ticks.
func (d *delayEstimator) closest(best, rate int) int {
	_, most := d.top(best)
	away := max(1, int(delayUncertainty*float64(rate)))
	for t := range max(best, -best) {
		for _, lag := range [...]int{t, -t} {
			if lag >= best-away && lag <= best+away || d.at(lag) < max(d.at(lag-1), d.at(lag+1), correlationMin) {
				continue
			}
			if _, r := d.top(lag); r >= most-equalPeaks {
				return lag
			}
		}
	}
	return best
}

// at returns the correlation at a lag, and -1 at one that is not compared.
func (d *delayEstimator) at(lag int) float64 {
	i := len(d.sums) - 1 - (d.leadTicks + lag)
	if i < 0 || i >= len(d.sums) {
		return -1
	}
	return d.correlation(&d.sums[i])
}

// top returns the top of the parabola through the correlations of a lag, which is the best one near it, and of its neighbours:
// how far behind the lag it is, in ticks, and how high.
func (d *delayEstimator) top(lag int) (behind, height float64) {
	before, height, after := d.at(lag-1), d.at(lag), d.at(lag+1)
	bend := before - float64(2*height) + after
	if before < 0 || after < 0 || bend >= 0 {
		return 0, height
	}
	behind = max(-0.5, min(0.5, (before-after)/float64(2*bend)))
	return behind, height - float64(float64((before-after)*behind)/4)
}

// unique reports whether no lag more than delayUncertainty away from the best one is in its 95 %
// confidence interval, by the ratio of their likelihoods. Speeds are averaged over speedWindow, so
// each window is one independent sample, if the drawn cube moves in it.
func (d *delayEstimator) unique(bestLag int, best float64, rate int) bool {
	samples := float64(d.moving) / max(1, float64(speedWindow*float64(rate)))
	// A lag is in the interval if samples * ln((1-r^2) / (1-best^2)) is at most likelihoodRatioMax.
	limit := 1 - float64((1-min(float64(best*best), 1-correlationEpsilon))*expUp(likelihoodRatioMax/samples))
	away := max(1, int(delayUncertainty*float64(rate)))
	for i := range d.sums {
		lag := len(d.sums) - 1 - d.leadTicks - i
		if lag >= bestLag-away && lag <= bestLag+away {
			continue
		}
		if r := d.correlation(&d.sums[i]); r > 0 && r < best-correlationEpsilon && float64(r*r) >= limit {
			return false
		}
	}
	return true
}

// expUp returns e to the power of a small positive number, by its series: math.Exp differs between
// machines.
func expUp(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; k <= 20; k++ {
		term = float64(term*x) / k
		sum += term
	}
	return sum
}

// correlation returns the correlation at one lag, in [-1, 1], and 0 if one of the two speeds hardly
// changes.
func (d *delayEstimator) correlation(sums *correlationSums) float64 {
	n := float64(d.pairs)
	x := d.xx/n - float64((d.x/n)*(d.x/n))
	y := sums.yy/n - float64((sums.y/n)*(sums.y/n))
	if x < speedDeviationMin*speedDeviationMin || y < speedDeviationMin*speedDeviationMin {
		return 0
	}
	return (sums.xy/n - float64((d.x/n)*(sums.y/n))) / math.Sqrt(float64(x*y))
}

func (d *delayEstimator) copyFrom(o *delayEstimator) {
	server, drawn, sums := append(d.server[:0], o.server...), append(d.drawn[:0], o.drawn...), append(d.sums[:0], o.sums...)
	speeds := d.speeds
	for i := range speeds {
		speeds[i].copyFrom(&o.speeds[i])
	}
	*d = *o
	d.server, d.drawn, d.sums, d.speeds = server, drawn, sums, speeds
}
