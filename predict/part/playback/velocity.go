package playback

import (
	"ghostcube/predict/part/jointtree"
	"ghostcube/sim"
)

// Body returns body i as it is drawn, with the velocities that its positions tell of
// there. Where it stands because none have come, they are the last ones.
func (a *Animated) Body(i int) sim.Body {
	h := &a.bodies[i]
	b := h.last.body
	if h.any && len(h.list) > 0 && h.list[0].tick > h.last.tick {
		next := &h.list[0]
		share := float32(float64(h.at-int64(h.last.tick)*Part) / float64(int64(next.tick-h.last.tick)*Part))
		b.Linear = b.Linear.Plus(share, next.body.Linear.Sub(b.Linear))
		b.Angular = b.Angular.Plus(share, next.body.Angular.Sub(b.Angular))
	}
	b.Pose = h.drawn
	if l := &a.linked; l.tree != nil && l.tree.Nodes[i].Parent != jointtree.None {
		a.inWorld(i, &b)
	}
	return b
}

// inWorld gives what the parent of body i sees of it the velocities of the world, and
// the place where it is drawn.
func (a *Animated) inWorld(i int, b *sim.Body) {
	l := &a.linked
	n := &l.tree.Nodes[i]
	parent := a.Body(n.Parent)
	local := *b
	if !l.middles() {
		*b = n.World(&parent, &local)
	} else if !local.Asleep {
		turn := parent.Pose.Rot
		arm := turn.Rotate(local.Pose.Pos)
		b.Angular = parent.Angular.Add(turn.Rotate(local.Angular))
		b.Linear = parent.Linear.Add(parent.Angular.Cross(arm)).Add(turn.Rotate(local.Linear))
	}
	b.Pose = l.poses[i]
}
