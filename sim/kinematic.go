package sim

import "ghostcube/sim/geom"

// SetKinematic makes body i kinematic, or dynamic again. A kinematic body stays where SetBody puts
// it and counts as asleep. Nothing wakes or moves it, and it acts on other bodies like a static
// box. Two kinematic bodies do not collide. All bodies of a new world are dynamic; Load and SetBody
// do not change the setting.
func (w *World) SetKinematic(i int, kinematic bool) {
	if w.IsKinematic(i) == kinematic {
		return
	}
	s := &w.shapes[i]
	b := &w.scene.Boxes[i]
	w.activity.disturbed = true
	w.NoteChange()
	if kinematic {
		w.kinematicCount++
		s.invMass, s.sqrtInvInertiaWorld = 0, geom.SymMat3{}
		w.applied.forces[i] = externalForce{}
		w.SetBody(i, w.state.Bodies[i])
		return
	}
	w.kinematicCount--
	s.invMass = newShape(b, b.Density).invMass
	w.updateShapes(i)
}

// IsKinematic reports whether body i is kinematic.
func (w *World) IsKinematic(i int) bool { return w.shapes[i].invMass == 0 }

// kinematic is IsKinematic for inner loops. It is free of cost in a world without kinematic bodies.
func (w *World) kinematic(i int32) bool { return w.kinematicCount > 0 && w.shapes[i].invMass == 0 }

// KinematicPenetration returns the depth of body i's deepest contact point with a kinematic body at
// the beginning of the last step, in metres; 0 if there is none.
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
