package sim

import "ghostcube/sim/geom"

// meetFields marks the groups of players whose field reaches a body that is stepped, and of bodies that are reached by
// the field of a player who is.
func (w *World) meetFields(before *State, groups []int32, in []Input) {
	r := &w.replay
	at := func(i int) geom.Vec3 {
		if r.active[i] {
			return w.state.Bodies[i].Pose.Pos
		}
		return before.Bodies[i].Pose.Pos
	}
	for p := range min(len(in), w.scene.Players) {
		if in[p].Buttons&(Lift|Pull) == 0 || w.scene.Boxes[p].Avatar {
			continue
		}
		centre := at(p)
		for i := w.scene.Players; i < len(r.active); i++ {
			if r.active[i] == r.active[p] {
				continue
			}
			if d := at(i).Sub(centre); geom.Abs(d.X) <= fieldRadius && geom.Abs(d.Y) <= fieldRadius {
				w.mark(groups[p])
				w.mark(groups[i])
			}
		}
	}
}

// meetBodies marks the groups of bodies that come near one that is stepped.
func (w *World) meetBodies(before *State, groups []int32) {
	r := &w.replay
	if len(r.bodies) == 0 {
		return
	}
	all := w.updateBounds()
	for i := range r.active {
		if r.active[i] || r.marked[groups[i]] {
			continue
		}
		b := &before.Bodies[i]
		reach := r.radius[i] + w.ownMargin(i)
		travel := b.Linear.Scale(w.dt)
		box := aabb{b.Pose.Pos, b.Pose.Pos}.sweep(travel)
		if !box.within(&all, reach) {
			continue
		}
		placed := false
		for j := r.bounds.firstReaching(0, box.lower.X-reach); j < len(r.bounds.proxies) && r.bounds.proxies[j].lower.X <= box.upper.X+reach; j++ {
			p := &r.bounds.proxies[j]
			if !box.within(&p.aabb, reach) {
				continue
			}
			if !placed {
				r.passer.place(w, int32(i), b)
				placed = true
			}
			if w.meets(&r.passer, p) {
				w.mark(groups[i])
				break
			}
		}
	}
}

// joinTouching makes the bodies join that had a contact with those that have joined from index first on, also where
// the contact ended in the remembered step: that woke one of the two, say, and this step may not.
func (w *World) joinTouching(before *State, groups []int32, first int) {
	r := &w.replay
	for joined := first; joined < len(r.bodies); {
		joined = len(r.bodies)
		for _, list := range [...][]manifold{before.manifolds, before.resting} {
			for k := range list {
				a, b := list[k].shapes()
				a, b = w.bodyOf(a), w.bodyOf(b)
				if int(a) < len(r.active) && r.active[a] != r.active[b] {
					w.mark(groups[a])
					w.mark(groups[b])
				}
			}
		}
		w.joinMarked(before, groups)
	}
}

// passer is a body that has not joined, in its remembered state, beside one that has.
type passer struct {
	body   int32
	linear geom.Vec3
	shape  *shape
	moved  shape // memory of shape, of a body that is elsewhere in the present
	bounds aabb  // over the next step
}

func (p *passer) place(w *World, i int32, b *Body) {
	p.body, p.linear, p.shape = i, b.Linear, &w.shapes[i]
	if b.Pose != w.state.Bodies[i].Pose {
		p.moved = w.shapes[i]
		p.moved.setPose(b.Pose)
		p.shape = &p.moved
	}
	p.bounds = p.shape.aabb.sweep(b.Linear.Scale(w.dt))
}

// meets reports whether a passer may get a contact, in the next step, with a body that is stepped. If both are slow, this
// step finds the points that it will find. It keeps none of the step before: of two bodies with a contact there, both
// have joined, or neither had changed.
func (w *World) meets(x *passer, stepped *proxy) bool {
	i, j := x.body, stepped.shape
	if w.firstSubShape[i] != w.firstSubShape[i+1] {
		return true
	}
	margin := w.ownMargin(int(i))
	if !x.bounds.within(&stepped.aabb, margin) {
		return false
	}
	a, b := x.shape, &w.shapes[j]
	if w.firstSubShape[j] != w.firstSubShape[j+1] || margin > 0 || w.ownMargin(int(j)) > 0 ||
		w.isFast(a, x.linear) || w.isFast(b, w.state.Bodies[j].Linear) {
		return true
	}
	if i > j {
		a, b = b, a
	}
	var points [4]contactPoint
	n, _ := collideBoxes(a, b, contactMargin, &points)
	return n > 0
}

// isFast reports whether a step sweeps the bounds of a shape with a velocity.
func (w *World) isFast(s *shape, velocity geom.Vec3) bool {
	return velocity.Scale(w.dt).LenSq() >= fastTravelSq(s.half)
}

// ownMargin returns how much farther body i may reach in a step than its speed before it says, in metres: an avatar
// changes its own speed, and takes over that of what it stands on.
func (w *World) ownMargin(i int) float32 {
	if i < w.avatarCount && w.scene.Boxes[i].Avatar {
		return float32((2*w.scene.MaxLinearSpeed + jumpSpeed) * w.dt)
	}
	return 0
}
