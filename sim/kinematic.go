package sim

import "ghostcube/sim/geom"

// SetKinematic holds body i in its place, or lets it go. What is held is not stepped: it
// is where SetBody has put it, it counts as asleep, nothing wakes or moves it, and
// what runs into it runs into something of infinite mass that stands still. Two
// that are held do not meet. A world begins with none held; Load and SetBody
// change nothing of it.
func (w *World) SetKinematic(i int, kinematic bool) {
	if w.IsKinematic(i) == kinematic {
		return
	}
	s := &w.shapes[i]
	b := &w.scene.Boxes[i]
	if kinematic {
		w.kinematicCount++
		s.invMass, s.sqrtInvInertiaWorld = 0, geom.SymMat3{}
		w.applied.force[i], w.applied.torque[i] = geom.Vec3{}, geom.Vec3{}
		w.SetBody(i, w.state.Bodies[i])
		return
	}
	w.kinematicCount--
	s.invMass = newShape(b, b.Density).invMass
	w.updateShapes(i)
}

// IsKinematic reports whether body i is held.
func (w *World) IsKinematic(i int) bool { return w.shapes[i].invMass == 0 }

// kinematic is Held for the inner loops, where i is a body: it costs nothing in a
// world where none is.
func (w *World) kinematic(i int32) bool { return w.kinematicCount > 0 && w.shapes[i].invMass == 0 }

// KinematicPenetration returns how deep body i was in bodies that are held when the last step began:
// of their points of contact the deepest, in metres, and 0 if there is none.
func (w *World) KinematicPenetration(i int) (deepest float32) {
	if w.kinematicCount == 0 {
		return 0
	}
	for k := range min(len(w.state.manifolds), len(w.separations)) {
		a, b := w.state.manifolds[k].shapes()
		a, b = w.bodyOf(a), w.bodyOf(b)
		if b == int32(i) {
			a, b = b, a
		}
		if a != int32(i) || int(b) >= len(w.state.Bodies) || !w.kinematic(b) {
			continue
		}
		for _, separation := range w.separations[k][:w.state.manifolds[k].pointCount] {
			deepest = max(deepest, -separation)
		}
	}
	return deepest
}
