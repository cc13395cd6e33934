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
	popWay    = 0.05                    // metres
	popSpread = 4                       // times the median deviation
	popTurn   = 3.0 / 180 * 3.141592653 // radians
	popNear   = 2                       // ticks
)

// How far back a motion is looked at.
const (
	stepsBack  = 5  // steps whose median is the expected one
	spreadBack = 61 // deviations whose median is the usual one
)

// surprise is what one tick of a motion has that the ticks before did not let
// expect.
type surprise struct {
	way  geom.Vec3 // metres
	turn geom.Quat // rotation beside the expected one
}

// motion follows one body from tick to tick.
type motion struct {
	any    bool
	pose   geom.Pose
	steps  [stepsBack]geom.Vec3
	turn   geom.Quat // the last step's turn that was no surprise
	count  int       // steps taken in
	spun   int       // ticks in a row that turned unexpectedly
	spread [spreadBack]float32
	spans  int // deviations taken in
}

// next takes in the pose of another tick and returns how it surprises. ok is
// false while there is no motion to expect anything from.
func (m *motion) next(p geom.Pose) (s surprise, ok bool) {
	if !m.any {
		m.any, m.pose, m.turn = true, p, geom.Identity
		return surprise{turn: geom.Identity}, false
	}
	step := p.Pos.Sub(m.pose.Pos)
	turn := p.Rot.Mul(m.pose.Rot.Inverse())
	m.pose = p
	s = surprise{step.Sub(m.expected()), turn.Mul(m.turn.Inverse())}
	ok = m.count >= stepsBack
	m.steps[m.count%stepsBack] = step
	m.count++
	// A jump in orientation is not what the next tick is expected to repeat; a
	// lasting change of spin is, from the second tick on.
	if m.spun++; !ok || m.spun > 1 || s.turn.Angle() <= popTurn {
		m.turn, m.spun = turn, 0
	}
	return s, ok
}

// expected is the median of the last steps, each coordinate for itself. One
// jump among them does not move it.
func (m *motion) expected() geom.Vec3 {
	n := min(m.count, stepsBack)
	if n == 0 {
		return geom.Vec3{}
	}
	var x, y, z [stepsBack]float32
	for i := range n {
		x[i], y[i], z[i] = m.steps[i].X, m.steps[i].Y, m.steps[i].Z
	}
	return geom.Vec3{X: median(x[:n]), Y: median(y[:n]), Z: median(z[:n])}
}

// usual returns the median deviation so far, and takes in another.
func (m *motion) usual(deviation float32) float32 {
	var v [spreadBack]float32
	n := min(m.spans, spreadBack)
	copy(v[:n], m.spread[:n])
	m.spread[m.spans%spreadBack] = deviation
	m.spans++
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

// remembered is how many ticks of the truth's surprises are kept, and how many
// candidates may wait for the truth to come to their tick.
const remembered = 512

// pops finds the pops of one drawn body.
type pops struct {
	drawn, truth motion
	past         [remembered]struct {
		tick sim.Tick
		used bool
		s    surprise
	}
	newest  sim.Tick
	waiting []candidate

	count   int
	largest float32
	pixels  float32 // of the one that is largest to the scoring camera
	energy  float64
}

// The scoring camera is the window's first one, after Fiedler's demonstrations:
// the cube is 12 m away, the camera looks along +y and down by 24 degrees, its
// picture is 40 degrees and 720 pixels high. A metre across its line of sight is
// that many pixels: 360/tan(20 degrees) for each metre at one metre's distance.
const pixelsPerMetre = 360 / 0.36397023426620236 / 12

var sight = geom.Vec3{Y: 0.9135454576426009, Z: -0.40673664307580015}

// pixels returns how far a way goes across that camera's line of sight.
func pixels(way geom.Vec3) float32 {
	return float32(pixelsPerMetre * way.Minus(way.Dot(sight), sight).Len())
}

// candidate is a surprise of the drawn body that waits for the truth's.
type candidate struct {
	tick  sim.Tick
	s     surprise
	most  float32 // deviation that is let pass
	since int     // ticks it has waited
}

// take takes in a tick: the true pose and its label, and the drawn pose and
// the label of what it shows. Only what is scored can become a pop; the rest
// teaches what to expect.
func (p *pops) take(truth geom.Pose, at sim.Tick, drawn geom.Pose, shows sim.Tick, scored bool) {
	if s, ok := p.truth.next(truth); ok {
		r := &p.past[at%remembered]
		r.tick, r.used, r.s = at, true, s
	}
	p.newest = at
	if s, ok := p.drawn.next(drawn); ok {
		way := s.way.Len()
		most := max(popWay, float32(popSpread*p.drawn.usual(way)))
		if scored && (way > most || s.turn.Angle() > popTurn) {
			p.waiting = append(p.waiting, candidate{tick: shows, s: s, most: most})
		}
	}
	kept := p.waiting[:0]
	for _, c := range p.waiting {
		c.since++
		if c.tick+popNear > p.newest && c.since < remembered/2 {
			kept = append(kept, c)
			continue
		}
		p.judge(&c)
	}
	p.waiting = kept
}

// judge counts a candidate unless the truth had the like.
func (p *pops) judge(c *candidate) {
	way, turn := c.s.way.Len(), c.s.turn.Angle()
	across := pixels(c.s.way)
	for near := int64(-popNear); near <= popNear; near++ {
		t := int64(c.tick) + near
		if t < 0 {
			continue
		}
		r := &p.past[sim.Tick(t)%remembered]
		if !r.used || r.tick != sim.Tick(t) {
			continue
		}
		w, a := c.s.way.Sub(r.s.way).Len(), c.s.turn.Mul(r.s.turn.Inverse()).Angle()
		if w <= c.most && a <= popTurn {
			return
		}
		way = min(way, w)
		turn = min(turn, a)
		across = min(across, pixels(c.s.way.Sub(r.s.way)))
	}
	p.count++
	p.largest = max(p.largest, way)
	p.pixels = max(p.pixels, across)
	p.energy += float64(float64(way) * float64(way))
}

func (p *pops) copyFrom(o *pops) {
	waiting := append(p.waiting[:0], o.waiting...)
	*p = *o
	p.waiting = waiting
}
