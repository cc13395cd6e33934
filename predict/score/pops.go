package score

import (
	"math"
	"slices"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

var popDefinition = Definition{
	Group: "Jumps", Title: "Pops",
	Measures: []Entry{
		{
			Measure{Name: "pops_per_minute", Title: "pops per minute", Digits: 1, Better: Lower,
				Help: "jumps of the drawn cube that the server's cube did not make"},
			func(c *Score, _ Counts) (float64, bool) { return c.PopsPerMinute(), c.lasting() },
		},
		{
			Measure{Name: "largest_pop_m", Title: "largest pop, m", Digits: 3, Better: Lower,
				Help: "length of the largest pop"},
			func(c *Score, _ Counts) (float64, bool) { return float64(c.pops.largest), c.scoredSecond() },
		},
	},
	Text: `
Ticks in which the drawn cube moves unlike its motion so far, although the server's cube does not. The expected step
is the median of the last five. A deviation is a pop if it exceeds 5 cm and four times the usual deviation (the median
of the last 61), or if the rotation differs from the expected one by more than 3 degrees; and if the server's cube
shows nothing similar, nor a part of it, within two ticks of the moment drawn. So a collision on the server is no pop.`,
	Formula:   "|step(t) - median of 5 steps| > max(5 cm, 4 * median of 61 deviations)",
	Undefined: "in the first 5 s: one pop in a second is 60 a minute",
	Blind: `
constant stutter, such as that of a client without prediction under jitter: its freezes and its jerk show it. Other
bodies than the player's cube`,
}

// A pop is a tick in which the drawn cube moves unlike its motion so far, although the server's
// cube does not: |step - expected step| exceeds 5 cm and four times the usual deviation, or the
// rotation differs from the expected one by more than 3 degrees, and the server's cube shows
// nothing similar within two ticks of the moment drawn. A collision that the server sees too is no
// pop, however hard, and also if it is drawn in parts, in several frames.
const (
	popDistance      = 0.05                    // metres
	popDeviations    = 4                       // times the median deviation
	popAngle         = 3.0 / 180 * 3.141592653 // radians
	popTickTolerance = 2                       // ticks by which the server's deviation may be earlier or later
)

// The number of past ticks that an expectation is based on.
const (
	stepWindow      = 5  // steps whose median is the expected one
	deviationWindow = 61 // deviations whose median is the usual one
)

// deviation is the difference between one tick of a motion and the expected motion.
type deviation struct {
	offset   geom.Vec3 // metres
	rotation geom.Quat // actual rotation relative to the expected one
}

// motionTracker predicts one body's motion from its last ticks and measures the deviation.
type motionTracker struct {
	started        bool
	pose           geom.Pose
	steps          [stepWindow]geom.Vec3
	rotation       geom.Quat // rotation expected in a tick
	stepCount      int       // steps added
	rotationJumps  int       // ticks in a row with an unexpected rotation
	deviations     [deviationWindow]float32
	sorted         [deviationWindow]float32 // the deviations, smallest first
	deviationCount int                      // deviations added
}

// advance adds the pose of the next tick and returns its deviation. ok is false while there are too
// few ticks to expect anything.
func (m *motionTracker) advance(p geom.Pose) (s deviation, ok bool) {
	if !m.started {
		m.started, m.pose, m.rotation = true, p, geom.Identity
		return deviation{rotation: geom.Identity}, false
	}
	step := p.Pos.Sub(m.pose.Pos)
	rotation := p.Rot.Mul(m.pose.Rot.Inverse())
	m.pose = p
	s = deviation{step.Sub(m.expectedStep()), rotation.Mul(m.rotation.Inverse())}
	ok = m.stepCount >= stepWindow
	m.steps[m.stepCount%stepWindow] = step
	m.stepCount++
	// A jump in orientation is not expected to repeat in the next tick. A lasting change of spin is
	// expected from its second tick on.
	if m.rotationJumps++; !ok || m.rotationJumps > 1 || s.rotation.Angle() <= popAngle {
		m.rotation, m.rotationJumps = rotation, 0
	}
	return s, ok
}

// expectedStep returns the median of the last steps by coordinate, which a single jump does not
// move.
func (m *motionTracker) expectedStep() geom.Vec3 {
	n := min(m.stepCount, stepWindow)
	if n == 0 {
		return geom.Vec3{}
	}
	var x, y, z [stepWindow]float32
	for i := range n {
		x[i], y[i], z[i] = m.steps[i].X, m.steps[i].Y, m.steps[i].Z
	}
	return geom.Vec3{X: median(x[:n]), Y: median(y[:n]), Z: median(z[:n])}
}

// medianDeviation returns the median deviation so far, and takes in another.
func (m *motionTracker) medianDeviation(deviation float32) (usual float32) {
	n, at := min(m.deviationCount, deviationWindow), m.deviationCount%deviationWindow
	if n > 0 {
		usual = m.sorted[(n-1)/2]
	}
	if deviation != deviation { // NaN has no place in an order
		deviation = math.MaxFloat32
	}
	i := n // the place that becomes free in the sorted deviations
	if n == deviationWindow {
		i = slices.Index(m.sorted[:], m.deviations[at])
	}
	for ; i > 0 && deviation < m.sorted[i-1]; i-- {
		m.sorted[i] = m.sorted[i-1]
	}
	for ; i < n-1 && deviation > m.sorted[i+1]; i++ {
		m.sorted[i] = m.sorted[i+1]
	}
	m.sorted[i], m.deviations[at] = deviation, deviation
	m.deviationCount++
	return usual
}

// median sorts v and returns its middle element, the lower of two.
func median(v []float32) float32 {
	for i := 1; i < len(v); i++ {
		for j := i; j > 0 && v[j] < v[j-1]; j-- {
			v[j], v[j-1] = v[j-1], v[j]
		}
	}
	return v[(len(v)-1)/2]
}

// popHistoryTicks is how many ticks of the server's deviations are remembered. A candidate waits at
// most half as long for the server to reach its tick.
const popHistoryTicks = 512

// pops finds the pops of one drawn body. The zero value is ready.
type pops struct {
	drawn, server motionTracker
	history       [popHistoryTicks]struct {
		tick      sim.Tick
		used      bool
		deviation deviation
	}
	newest  sim.Tick
	pending []candidate

	count   int
	largest float32 // metres
}

// candidate is a deviation of the drawn body that waits for the server to reach its tick.
type candidate struct {
	tick      sim.Tick
	deviation deviation
	tolerance float32 // metres; largest difference from the server's deviation that is no pop
	waited    int     // ticks waited
}

// addServer adds the server's pose at a tick.
func (p *pops) addServer(at geom.Pose, t sim.Tick) {
	if s, ok := p.server.advance(at); ok {
		r := &p.history[t%popHistoryTicks]
		r.tick, r.used, r.deviation = t, true, s
	}
	p.newest = t
}

// add adds the pose drawn in a tick, which claims to show moment at. An unscored tick cannot become a
// pop, but it counts towards the expected deviation.
func (p *pops) add(drawn geom.Pose, at sim.Moment, scored bool) {
	if s, ok := p.drawn.advance(drawn); ok {
		length := s.offset.Len()
		tolerance := max(popDistance, float32(popDeviations*p.drawn.medianDeviation(length)))
		if scored && (length > tolerance || s.rotation.Angle() > popAngle) {
			p.pending = append(p.pending, candidate{tick: at.Tick(), deviation: s, tolerance: tolerance})
		}
	}
	waiting := p.pending[:0]
	for _, c := range p.pending {
		c.waited++
		if c.tick+popTickTolerance > p.newest && c.waited < popHistoryTicks/2 {
			waiting = append(waiting, c)
			continue
		}
		p.resolve(&c)
	}
	p.pending = waiting
}

// resolve counts a candidate unless the server's body deviated alike within popTickTolerance ticks.
func (p *pops) resolve(c *candidate) {
	length, angle := c.deviation.offset.Len(), c.deviation.rotation.Angle()
	for shift := int64(-popTickTolerance); shift <= popTickTolerance; shift++ {
		server, ok := p.serverDeviation(int64(c.tick) + shift)
		if !ok {
			continue
		}
		next, parts := server, 1
		if n, ok := p.serverDeviation(int64(c.tick) + shift + 1); ok {
			next, parts = n, popParts
		}
		for part := range parts {
			w, a := c.deviation.distance(server.towards(&next, float32(part)/popParts))
			if w <= c.tolerance && a <= popAngle {
				return
			}
			length = min(length, w)
			angle = min(angle, a)
		}
	}
	p.count++
	p.largest = max(p.largest, length)
}

// popParts is the number of parts of a deviation of the server that the view is compared with: what happens in
// one tick of the server, a view between two ticks or two snapshots shows in several frames.
const popParts = 8

// serverDeviation returns the deviation of the server's body in a tick, if it is known.
func (p *pops) serverDeviation(t int64) (d deviation, ok bool) {
	if t < 0 {
		return d, false
	}
	r := &p.history[sim.Tick(t)%popHistoryTicks]
	return r.deviation, r.used && r.tick == sim.Tick(t)
}

// towards returns a share, in [0, 1], of the way from d to o.
func (d deviation) towards(o *deviation, share float32) deviation {
	if share == 0 {
		return d
	}
	return deviation{d.offset.AddScaled(share, o.offset.Sub(d.offset)), geom.Slerp(d.rotation, o.rotation, share)}
}

// distance returns how different two deviations are, in metres and radians.
func (d deviation) distance(o deviation) (metres, angle float32) {
	return d.offset.Sub(o.offset).Len(), d.rotation.Mul(o.rotation.Inverse()).Angle()
}

func (p *pops) copyFrom(o *pops) {
	pending := append(p.pending[:0], o.pending...)
	*p = *o
	p.pending = pending
}
