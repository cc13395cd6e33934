package frame

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// NoParent is the index of no candidate: the body is in the world's frame.
const NoParent = -1

// Rules are the rules by which a parent is chosen.
type Rules struct {
	Contact          bool    // choose a candidate that the body stands on
	Box              bool    // choose a candidate that contains the body and has a similar velocity
	Margin           float64 // metres by which the boxes are widened
	ExitMargin       float64 // metres by which the box of the present parent is widened further
	MaxRelativeSpeed float64 // m/s up to which two velocities are similar
	SwitchTicks      int     // ticks in a row in which the rules choose another parent before it changes
}

// Declare declares the rules as knobs.
func (r *Rules) Declare(k *predict.Knobs) {
	group := k.In(predict.FrameKnobs)
	group.Bool(&r.Contact, "parent-contact", true, "the largest candidate that the cube stands on is its parent; standing on the ground removes it")
	group.Bool(&r.Box, "parent-box", true, "without contact, the parent is the largest candidate whose box has the cube at a similar velocity")
	group.Float(&r.Margin, "parent-margin", 8, 0, 20, "parent-box: margin around bounding boxes, m")
	group.Float(&r.ExitMargin, "parent-exit-margin", 3, 0, 20, "additional margin of the present parent's box, m")
	group.Float(&r.MaxRelativeSpeed, "parent-speed-max", 10, 0, 100,
		"parent-box: largest relative speed of a new parent, m/s")
	group.Int(&r.SwitchTicks, "parent-switch-ticks", 6, 1, 240, "ticks before a change of parent without contact takes effect")
	for _, name := range []string{"parent-margin", "parent-exit-margin", "parent-speed-max"} {
		k.Needs(name, "parent-box", "on")
	}
}

// exitSpeedFactor is the factor on MaxRelativeSpeed for the present parent: a body that hops in it at
// 10 m/s stays.
const exitSpeedFactor = 2.5

// insideMargin is how far from the box of a candidate a body is still inside, in metres.
const insideMargin = 1

// Selector chooses the parent of one body.
type Selector struct {
	Current        int // index of the parent among the candidates, or NoParent
	candidate      int // choice of the rules in the last tick
	candidateTicks int // ticks in a row with that choice
}

// NewSelector returns a selector whose body has no parent.
func NewSelector() Selector { return Selector{Current: NoParent, candidate: NoParent} }

// Set makes a candidate, or NoParent, the parent, regardless of the rules.
func (s *Selector) Set(id int) { *s = Selector{Current: id, candidate: id} }

// Surroundings is the input of a choice: a body with its velocities in the world's frame, its
// contacts, and the candidates.
type Surroundings struct {
	Candidates []Candidate
	Frames     []Frame // of the candidates
	Touches    []sim.Contact
	Body       *sim.Body
	BodyIndex  int // of Body, which cannot be its own parent
}

// Update applies the rules to one tick, and reports whether the parent changes.
func (s *Selector) Update(r *Rules, around *Surroundings) bool {
	want, once := r.choose(around, s.Current)
	if want == s.Current {
		s.candidate, s.candidateTicks = want, 0
		return false
	}
	if want != s.candidate {
		s.candidate, s.candidateTicks = want, 0
	}
	s.candidateTicks++
	if !once && s.candidateTicks < r.SwitchTicks {
		return false
	}
	s.Set(want)
	return true
}

// choose returns the parent by the rules. once reports that it is adopted without waiting.
func (r *Rules) choose(s *Surroundings, now int) (id int, once bool) {
	if r.Contact {
		id, parent, fixed := s.touchedCandidate(now)
		switch {
		case id != NoParent:
			return id, !parent
		case fixed:
			return NoParent, false
		}
	}
	if r.Box {
		return s.enclosingCandidate(r, now), false
	}
	return NoParent, false
}

// touchedCandidate returns the largest candidate that the body stands on. parent reports whether it
// stands on the present one, and fixed whether it does on a carrier or the ground. What it pushes or leans on
// does not carry it.
func (s *Surroundings) touchedCandidate(now int) (id int, parent, fixed bool) {
	id = NoParent
	for _, t := range s.Touches {
		if !t.IsBelow {
			continue
		}
		fixed = fixed || t.Body < 0
		for i := range s.Candidates {
			if v := &s.Candidates[i]; v.Carrier >= 0 && v.Carrier == t.Carrier || v.Body >= 0 && v.Body == t.Body && v.Body != s.BodyIndex {
				parent = parent || i == now
				id = s.larger(id, i)
			}
		}
	}
	return id, parent, fixed
}

// enclosingCandidate returns the largest candidate that contains the body at a similar velocity, or, if it is only in the
// margins of some, the present parent or the largest of them.
func (s *Surroundings) enclosingCandidate(r *Rules, now int) (id int) {
	id = NoParent
	inMargin, present := NoParent, false
	for i := range s.Candidates {
		v := &s.Candidates[i]
		if v.Carrier < 0 && v.Body == s.BodyIndex || !s.MovesInside(r, i, now) {
			continue
		}
		if v.Contains(s.Frames[i].LocalPoint(s.Body.Pose.Pos), insideMargin) {
			id = s.larger(id, i)
		}
		inMargin, present = s.larger(inMargin, i), present || i == now
	}
	switch {
	case id != NoParent:
		return id
	case present:
		return now
	}
	return inMargin
}

// MovesInside reports whether the widened box of candidate i contains the body and their velocities
// are similar.
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

// larger returns the larger of two candidates, or a if they are equally large.
func (s *Surroundings) larger(a, b int) int {
	if a == NoParent || s.Candidates[b].Volume() > s.Candidates[a].Volume() {
		return b
	}
	return a
}

// WidenedBox returns the centre and the half extents of a candidate's widened box, in its own frame.
func (r *Rules) WidenedBox(v *Candidate, parent bool) (middle, half geom.Vec3) {
	m := float32(r.Margin)
	if parent {
		m += float32(r.ExitMargin)
	}
	half = v.Upper.Sub(v.Lower).Scale(0.5).Add(geom.Vec3{X: m, Y: m, Z: m})
	return v.Lower.Add(v.Upper).Scale(0.5), half
}
