package frame

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// None is no parent: the world.
const None = -1

// Rules are by what a parent is chosen.
type Rules struct {
	Contact bool    // what the body touches
	Box     bool    // what it is inside of, at a similar velocity
	Margin  float64 // metres by which boxes are widened
	Leave   float64 // metres more for the box of the parent
	Similar float64 // m/s
	Ticks   int     // for which another parent has to be wanted
}

// Declare makes the rules knobs.
func (r *Rules) Declare(k *predict.Knobs) {
	k.Bool(&r.Contact, "parent-contact", true, "what the own cube touches becomes its parent, the largest if several do; the ground has none")
	k.Bool(&r.Box, "parent-box", true, "what touches nothing has as its parent what it is inside of, if their velocities are similar, the largest if there are several")
	k.Float(&r.Margin, "parent-margin", 1, 0, 20, "metres by which the bounding box of a vessel is widened for that")
	k.Float(&r.Leave, "parent-leave", 3, 0, 20, "metres by which that of the parent is widened more, so that it is not left and entered by turns, nor left by who hops in it")
	k.Float(&r.Similar, "parent-similar", 5, 0, 100, "m/s up to which velocities are similar: what only passes by does not pull")
	k.Int(&r.Ticks, "parent-ticks", 6, 1, 240, "ticks for which another parent, or none, has to be wanted before it is changed; a first contact is taken at once")
}

// leaves is how many times as much the velocity to the parent may differ: who hops in it
// with 10 m/s stays.
const leaves = 2.5

// Choice is the parent of one body.
type Choice struct {
	Now  int // index of a vessel, or None
	next int // what is wanted
	past int // ticks in a row
}

// Start is the choice of nothing.
func Start() Choice { return Choice{Now: None, next: None} }

// Set makes a vessel the parent, whatever is wanted.
func (c *Choice) Set(id int) { *c = Choice{Now: id, next: id} }

// Sight is what a choice is made from: a body, what it touches, and where the vessels
// are. The body's velocities are the world's.
type Sight struct {
	Vessels []sim.ParentCandidate
	Frames  []Frame // of them
	Touches []sim.Touch
	Body    *sim.Body
}

// Step looks at a tick, and reports whether the parent is another one.
func (c *Choice) Step(r *Rules, s *Sight) bool {
	want, once := r.want(s, c.Now)
	if want == c.Now {
		c.next, c.past = want, 0
		return false
	}
	if want != c.next {
		c.next, c.past = want, 0
	}
	c.past++
	if !once && c.past < r.Ticks {
		return false
	}
	c.Set(want)
	return true
}

// want returns what the parent should be, and whether at once.
func (r *Rules) want(s *Sight, now int) (id int, once bool) {
	if r.Contact {
		id, held, any := s.touched(now)
		switch {
		case id != None:
			return id, !held
		case any:
			return None, false
		}
	}
	if r.Box {
		return s.inside(r, now), false
	}
	return None, false
}

// touched returns the largest vessel that is touched, whether the parent is touched, and
// whether anything is that is no other body.
func (s *Sight) touched(now int) (id int, held, any bool) {
	id = None
	for _, t := range s.Touches {
		any = any || t.Body < 0
		for i := range s.Vessels {
			if v := &s.Vessels[i]; v.Carrier >= 0 && v.Carrier == t.Carrier || v.Body >= 0 && v.Body == t.Body {
				held = held || i == now
				id = s.larger(id, i)
			}
		}
	}
	return id, held, any
}

// inside returns the largest vessel that the body is inside of at a similar velocity.
func (s *Sight) inside(r *Rules, now int) (id int) {
	id = None
	for i := range s.Vessels {
		if s.In(r, i, now) {
			id = s.larger(id, i)
		}
	}
	return id
}

// In reports whether the body is in the widened box of a vessel and moves as that does.
func (s *Sight) In(r *Rules, i, now int) bool {
	margin, similar := float32(r.Margin), float32(r.Similar)
	if i == now {
		margin, similar = margin+float32(r.Leave), float32(similar*leaves)
	}
	f, b := &s.Frames[i], s.Body
	if !s.Vessels[i].Inside(f.Place(b.Pose.Pos), margin) {
		return false
	}
	return b.Linear.Sub(f.Velocity(b.Pose.Pos)).Len2() <= float32(similar*similar)
}

// larger returns the larger one of two vessels, the first of two alike.
func (s *Sight) larger(a, b int) int {
	if a == None || s.Vessels[b].Size() > s.Vessels[a].Size() {
		return b
	}
	return a
}

// Widened returns the box of a vessel as the rules have it: its middle and half of its
// sides, in the vessel's own frame.
func (r *Rules) Widened(v *sim.ParentCandidate, parent bool) (middle, half geom.Vec3) {
	m := float32(r.Margin)
	if parent {
		m += float32(r.Leave)
	}
	half = v.High.Sub(v.Low).Scale(0.5).Add(geom.Vec3{X: m, Y: m, Z: m})
	return v.Low.Add(v.High).Scale(0.5), half
}
