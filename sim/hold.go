package sim

import "ghostcube/sim/geom"

// SetKinematic holds body i in its place, or lets it go. What is held is not stepped: it
// is where SetBody has put it, it counts as asleep, nothing wakes or moves it, and
// what runs into it runs into something of infinite mass that stands still. Two
// that are held do not meet. A world begins with none held; Load and SetBody
// change nothing of it.
func (w *World) SetKinematic(i int, on bool) {
	if w.IsKinematic(i) == on {
		return
	}
	s := &w.solids[i]
	b := &w.scene.Boxes[i]
	if on {
		w.holds++
		s.invMass, s.root = 0, geom.Sym3{}
		w.force[i], w.torque[i] = geom.Vec3{}, geom.Vec3{}
		w.SetBody(i, w.bodies[i])
		return
	}
	w.holds--
	s.invMass = newSolid(b, b.Density).invMass
	w.refresh(i)
}

// IsKinematic reports whether body i is held.
func (w *World) IsKinematic(i int) bool { return w.solids[i].invMass == 0 }

// held is Held for the inner loops, where i is a body: it costs nothing in a
// world where none is.
func (w *World) held(i int32) bool { return w.holds > 0 && w.solids[i].invMass == 0 }

// KinematicPenetration returns how deep body i was in bodies that are held when the last step began:
// of their points of contact the deepest, in metres, and 0 if there is none.
func (w *World) KinematicPenetration(i int) (deepest float32) {
	if w.holds == 0 {
		return 0
	}
	for k := range min(len(w.contacts), len(w.gaps)) {
		a, b := w.contacts[k].solids()
		a, b = w.body(a), w.body(b)
		if b == int32(i) {
			a, b = b, a
		}
		if a != int32(i) || int(b) >= len(w.bodies) || !w.held(b) {
			continue
		}
		for _, gap := range w.gaps[k][:w.contacts[k].n] {
			deepest = max(deepest, -gap)
		}
	}
	return deepest
}
