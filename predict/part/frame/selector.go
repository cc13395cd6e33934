package frame

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// NoParent is no parent: the world.
const NoParent = -1

// Rules are by what a parent is chosen.
type Rules struct {
	Contact          bool    // what the body touches
	Box              bool    // what it is inside of, at a similar velocity
	Margin           float64 // metres by which boxes are widened
	ExitMargin       float64 // metres more for the box of the parent
	MaxRelativeSpeed float64 // m/s
	SwitchTicks      int     // for which another parent has to be wanted
}

// Declare makes the rules knobs.
func (r *Rules) Declare(k *predict.Knobs) {
	k.Bool(&r.Contact, "parent-contact", true, "what the own cube touches becomes its parent, the largest if several do; the ground has none")
	k.Bool(&r.Box, "parent-box", true, "what touches nothing has as its parent what it is inside of, if their velocities are similar, the largest if there are several")
	k.Float(&r.Margin, "parent-margin", 1, 0, 20, "metres by which the bounding box of a vessel is widened for that")
	k.Float(&r.ExitMargin, "parent-exit-margin", 3, 0, 20, "metres by which that of the parent is widened more, so that it is not left and entered by turns, nor left by who hops in it")
	k.Float(&r.MaxRelativeSpeed, "parent-speed-max", 5, 0, 100, "m/s up to which velocities are similar: what only passes by does not pull")
	k.Int(&r.SwitchTicks, "parent-switch-ticks", 6, 1, 240, "ticks for which another parent, or none, has to be wanted before it is changed; a first contact is taken at once")
}

// exitSpeedFactor is how many times as much the velocity to the parent may differ: who hops in it
// with 10 m/s stays.
const exitSpeedFactor = 2.5

// Selector is the parent of one body.
type Selector struct {
	Current        int // index of a vessel, or None
	candidate      int // what is wanted
	candidateTicks int // ticks in a row
}

// NewSelector is the choice of nothing.
func NewSelector() Selector { return Selector{Current: NoParent, candidate: NoParent} }

// Set makes a vessel the parent, whatever is wanted.
func (c *Selector) Set(id int) { *c = Selector{Current: id, candidate: id} }

// Surroundings is what a choice is made from: a body, what it touches, and where the vessels
// are. The body's velocities are the world's.
type Surroundings struct {
	Candidates []Candidate
	Frames     []Frame // of them
	Touches    []sim.Contact
	Body       *sim.Body
}

// Update looks at a tick, and reports whether the parent is another one.
func (c *Selector) Update(r *Rules, s *Surroundings) bool {
	want, once := r.choose(s, c.Current)
	if want == c.Current {
		c.candidate, c.candidateTicks = want, 0
		return false
	}
	if want != c.candidate {
		c.candidate, c.candidateTicks = want, 0
	}
	c.candidateTicks++
	if !once && c.candidateTicks < r.SwitchTicks {
		return false
	}
	c.Set(want)
	return true
}

// choose returns what the parent should be, and whether at once.
func (r *Rules) choose(s *Surroundings, now int) (id int, once bool) {
	if r.Contact {
		id, held, any := s.touchedCandidate(now)
		switch {
		case id != NoParent:
			return id, !held
		case any:
			return NoParent, false
		}
	}
	if r.Box {
		return s.enclosingCandidate(r, now), false
	}
	return NoParent, false
}

// touchedCandidate returns the largest vessel that is touched, whether the parent is touched, and
// whether anything is that is no other body.
func (s *Surroundings) touchedCandidate(now int) (id int, held, any bool) {
	id = NoParent
	for _, t := range s.Touches {
		any = any || t.Body < 0
		for i := range s.Candidates {
			if v := &s.Candidates[i]; v.Carrier >= 0 && v.Carrier == t.Carrier || v.Body >= 0 && v.Body == t.Body {
				held = held || i == now
				id = s.larger(id, i)
			}
		}
	}
	return id, held, any
}

// enclosingCandidate returns the largest vessel that the body is inside of at a similar velocity.
func (s *Surroundings) enclosingCandidate(r *Rules, now int) (id int) {
	id = NoParent
	for i := range s.Candidates {
		if s.MovesInside(r, i, now) {
			id = s.larger(id, i)
		}
	}
	return id
}

// MovesInside reports whether the body is in the widened box of a vessel and moves as that does.
func (s *Surroundings) MovesInside(r *Rules, i, now int) bool {
	margin, similar := float32(r.Margin), float32(r.MaxRelativeSpeed)
	if i == now {
		margin, similar = margin+float32(r.ExitMargin), float32(similar*exitSpeedFactor)
	}
	f, b := &s.Frames[i], s.Body
	if !s.Candidates[i].Contains(f.LocalPoint(b.Pose.Pos), margin) {
		return false
	}
	return b.Linear.Sub(f.PointVelocity(b.Pose.Pos)).LenSq() <= float32(similar*similar)
}

// larger returns the larger one of two vessels, the first of two alike.
func (s *Surroundings) larger(a, b int) int {
	if a == NoParent || s.Candidates[b].Volume() > s.Candidates[a].Volume() {
		return b
	}
	return a
}

// WidenedBox returns the box of a vessel as the rules have it: its middle and half of its
// sides, in the vessel's own frame.
func (r *Rules) WidenedBox(v *Candidate, parent bool) (middle, half geom.Vec3) {
	m := float32(r.Margin)
	if parent {
		m += float32(r.ExitMargin)
	}
	half = v.Upper.Sub(v.Lower).Scale(0.5).Add(geom.Vec3{X: m, Y: m, Z: m})
	return v.Lower.Add(v.Upper).Scale(0.5), half
}
