package sim

import (
	"slices"

	"ghostcube/sim/geom"
)

// ReplaceBody makes body i another body: of another box and state, without contacts. A world with
// few bodies can so represent changing parts of a world with many. The body stays kinematic or
// dynamic. It changes the boxes of the scene that New got, which no other world may use then.
// Bodies with sub-shapes or joints cannot be replaced.
func (w *World) ReplaceBody(i int, box *Box, b Body) {
	if len(box.SubShapes) > 0 || w.firstSubShape[i] != w.firstSubShape[i+1] {
		panic("sim: ReplaceBody: the body has sub-shapes")
	}
	kinematic := w.IsKinematic(i)
	w.scene.Boxes[i] = *box
	w.shapes[i] = newShape(box, box.Density)
	w.replay.radius = w.replay.radius[:0]
	if kinematic {
		w.shapes[i].invMass, w.shapes[i].sqrtInvInertiaWorld = 0, geom.SymMat3{}
	}
	w.hasFilterGroups = w.hasFilterGroups || box.FilterGroup != 0
	w.DropContacts(i)
	w.state.slowTicks[i] = 0
	w.SetBody(i, b)
}

// DropContacts drops the manifolds of body i.
func (w *World) DropContacts(i int) {
	involved := func(m manifold) bool {
		a, b := m.shapes()
		return w.bodyOf(a) == int32(i) || w.bodyOf(b) == int32(i)
	}
	w.state.manifolds = slices.DeleteFunc(w.state.manifolds, involved)
	w.state.resting = slices.DeleteFunc(w.state.resting, involved)
	w.activity.disturbed = true
	w.separations = w.separations[:0]
	w.NoteChange()
}
