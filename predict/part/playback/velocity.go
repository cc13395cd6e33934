package playback

import (
	"ghostcube/predict/part/jointtree"
	"ghostcube/sim"
	"ghostcube/smoothing"
)

// Body returns body i as it is drawn, with velocities interpolated between its positions. A
// body that has stopped because no positions arrive keeps its last velocities.
func (w *InterpolatedWorld) Body(i int) sim.Body {
	h := &w.bodies[i]
	b := h.reached.Value
	if h.hasReached && h.pending.Len() > 0 && h.pending.At(0).Tick > h.reached.Tick {
		next := h.pending.At(0)
		share := float32(float64(h.moment-h.reached.Tick.Moment()) / float64((next.Tick - h.reached.Tick).Moment()))
		b.Linear = smoothing.Lerp(b.Linear, next.Value.Linear, share)
		b.Angular = smoothing.Lerp(b.Angular, next.Value.Angular, share)
	}
	b.Pose = h.pose
	if l := &w.joints; l.tree != nil && l.tree.Nodes[i].Parent != jointtree.None {
		w.toWorld(i, &b)
	}
	return b
}

// toWorld converts the velocities of body i from its parent's frame to the world's, and sets
// its pose to the drawn one.
func (w *InterpolatedWorld) toWorld(i int, b *sim.Body) {
	l := &w.joints
	n := &l.tree.Nodes[i]
	parent := w.Body(n.Parent)
	local := *b
	if !l.usesCenters() {
		*b = n.ToWorld(&parent, &local)
	} else if !local.Asleep {
		turn := parent.Pose.Rot
		arm := turn.Rotate(local.Pose.Pos)
		b.Angular = parent.Angular.Add(turn.Rotate(local.Angular))
		b.Linear = parent.Linear.Add(parent.Angular.Cross(arm)).Add(turn.Rotate(local.Linear))
	}
	b.Pose = l.poses[i]
}
