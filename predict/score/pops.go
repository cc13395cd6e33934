package score

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// A pop is a tick in which the drawn cube moves otherwise than its motion so
// far lets expect, although the true cube did not. The definition is that of
// the score card's sixth chapter: |step - expected step| above 5 cm and above
// four times the usual deviation, or a turn of more than 3 degrees beside the
// expected one, and nothing like it in the truth within two ticks of the same
// label. So a collision that the server sees too is no pop, however hard.
const (
	popDistance      = 0.05                    // metres
	popDeviations    = 4                       // times the median deviation
	popAngle         = 3.0 / 180 * 3.141592653 // radians
	popTickTolerance = 2                       // ticks
)

// How far back a motion is looked at.
const (
	stepWindow      = 5  // steps whose median is the expected one
	deviationWindow = 61 // deviations whose median is the usual one
)

// deviation is what one tick of a motion has that the ticks before did not let
// expect.
type deviation struct {
	offset   geom.Vec3 // metres
	rotation geom.Quat // rotation beside the expected one
}

// motionTracker follows one body from tick to tick.
type motionTracker struct {
	started        bool
	pose           geom.Pose
	steps          [stepWindow]geom.Vec3
	rotation       geom.Quat // the last step's turn that was no surprise
	stepCount      int       // steps taken in
	rotationJumps  int       // ticks in a row that turned unexpectedly
	deviations     [deviationWindow]float32
	deviationCount int // deviations taken in
}

// advance takes in the pose of another tick and returns how it surprises. ok is
// false while there is no motion to expect anything from.
func (m *motionTracker) advance(p geom.Pose) (s deviation, ok bool) {
	if !m.started {
		m.started, m.pose, m.rotation = true, p, geom.Identity
		return deviation{rotation: geom.Identity}, false
	}
	step := p.Pos.Sub(m.pose.Pos)
	turn := p.Rot.Mul(m.pose.Rot.Inverse())
	m.pose = p
	s = deviation{step.Sub(m.expectedStep()), turn.Mul(m.rotation.Inverse())}
	ok = m.stepCount >= stepWindow
	m.steps[m.stepCount%stepWindow] = step
	m.stepCount++
	// A jump in orientation is not what the next tick is expected to repeat; a
	// lasting change of spin is, from the second tick on.
	if m.rotationJumps++; !ok || m.rotationJumps > 1 || s.rotation.Angle() <= popAngle {
		m.rotation, m.rotationJumps = turn, 0
	}
	return s, ok
}

// expectedStep is the median of the last steps, each coordinate for itself. One
// jump among them does not move it.
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
func (m *motionTracker) medianDeviation(deviation float32) float32 {
	var v [deviationWindow]float32
	n := min(m.deviationCount, deviationWindow)
	copy(v[:n], m.deviations[:n])
	m.deviations[m.deviationCount%deviationWindow] = deviation
	m.deviationCount++
	if n == 0 {
		return 0
	}
	return median(v[:n])
}

// median sorts v and returns its middle, the lower of two.
func median(v []float32) float32 {
	for i := 1; i < len(v); i++ {
		for j := i; j > 0 && v[j] < v[j-1]; j-- {
			v[j], v[j-1] = v[j-1], v[j]
		}
	}
	return v[(len(v)-1)/2]
}

// popHistoryTicks is how many ticks of the truth's surprises are kept, and how many
// candidates may wait for the truth to come to their tick.
const popHistoryTicks = 512

// pops finds the pops of one drawn body.
type pops struct {
	drawn, server motionTracker
	history       [popHistoryTicks]struct {
		tick      sim.Tick
		used      bool
		deviation deviation
	}
	newest  sim.Tick
	pending []candidate

	count         int
	largest       float32
	largestPixels float32 // of the one that is largest to the scoring camera
	energy        float64
}

// The scoring camera is the window's first one, after Fiedler's demonstrations:
// the cube is 12 m away, the camera looks along +y and down by 24 degrees, its
// picture is 40 degrees and 720 pixels high. A metre across its line of sight is
// that many pixels: 360/tan(20 degrees) for each metre at one metre's distance.
const pixelsPerMetre = 360 / 0.36397023426620236 / 12

var viewDirection = geom.Vec3{Y: 0.9135454576426009, Z: -0.40673664307580015}

// screenPixels returns how far a way goes across that camera's line of sight.
func screenPixels(way geom.Vec3) float32 {
	return float32(pixelsPerMetre * way.SubScaled(way.Dot(viewDirection), viewDirection).Len())
}

// candidate is a surprise of the drawn body that waits for the truth's.
type candidate struct {
	tick      sim.Tick
	deviation deviation
	tolerance float32 // deviation that is let pass
	waited    int     // ticks it has waited
}

// add takes in a tick: the true pose and its label, and the drawn pose and
// the label of what it shows. Only what is scored can become a pop; the rest
// teaches what to expect.
func (p *pops) add(truth geom.Pose, at sim.Tick, drawn geom.Pose, shows sim.Tick, scored bool) {
	if s, ok := p.server.advance(truth); ok {
		r := &p.history[at%popHistoryTicks]
		r.tick, r.used, r.deviation = at, true, s
	}
	p.newest = at
	if s, ok := p.drawn.advance(drawn); ok {
		way := s.offset.Len()
		most := max(popDistance, float32(popDeviations*p.drawn.medianDeviation(way)))
		if scored && (way > most || s.rotation.Angle() > popAngle) {
			p.pending = append(p.pending, candidate{tick: shows, deviation: s, tolerance: most})
		}
	}
	kept := p.pending[:0]
	for _, c := range p.pending {
		c.waited++
		if c.tick+popTickTolerance > p.newest && c.waited < popHistoryTicks/2 {
			kept = append(kept, c)
			continue
		}
		p.resolve(&c)
	}
	p.pending = kept
}

// resolve counts a candidate unless the truth had the like.
func (p *pops) resolve(c *candidate) {
	way, turn := c.deviation.offset.Len(), c.deviation.rotation.Angle()
	across := screenPixels(c.deviation.offset)
	for near := int64(-popTickTolerance); near <= popTickTolerance; near++ {
		t := int64(c.tick) + near
		if t < 0 {
			continue
		}
		r := &p.history[sim.Tick(t)%popHistoryTicks]
		if !r.used || r.tick != sim.Tick(t) {
			continue
		}
		w, a := c.deviation.offset.Sub(r.deviation.offset).Len(), c.deviation.rotation.Mul(r.deviation.rotation.Inverse()).Angle()
		if w <= c.tolerance && a <= popAngle {
			return
		}
		way = min(way, w)
		turn = min(turn, a)
		across = min(across, screenPixels(c.deviation.offset.Sub(r.deviation.offset)))
	}
	p.count++
	p.largest = max(p.largest, way)
	p.largestPixels = max(p.largestPixels, across)
	p.energy += float64(float64(way) * float64(way))
}

func (p *pops) copyFrom(o *pops) {
	waiting := append(p.pending[:0], o.pending...)
	*p = *o
	p.pending = waiting
}
