package sim

import "ghostcube/sim/geom"

// A selective replay steps ticks again of which a client remembers all states, and steps only the bodies that can
// differ from the remembered ones. Those are the bodies whose player has another input, the bodies that they come near or
// reach with a field, and all that these had contact with in the remembered step. A body joins with its
// remembered state and contacts of that tick, and stays. All others would only repeat their remembered states: nothing couples
// islands but what the groups of a State contain. The result equals that of stepping everything, bit for bit.
//
//	if w.BeginReplay(states[t]) {
//		for ; t < now; t++ {
//			w.JoinReplay(states[t], states[t+1], oldInputs[t], inputs[t]) // nil instead of the state of the present
//			w.Step(inputs[t]...)
//			w.SaveReplayed(states[t+1])
//		}
//		w.EndReplay()
//	}
//
// Bodies that have not joined stay in the present, so the world is not to be read before the end.

// replay is the working memory of a selective replay.
type replay struct {
	on           bool
	active       []bool  // by body: it is stepped
	bodies       []int32 // those, in the order in which they joined
	marked       []bool  // by body: its group of the remembered step joins
	anyMarked    bool    // since the last joinMarked
	markedBefore []bool  // by body: scratch of markBefore
	radius       []float32
	bounds       restingProxies // of the bodies that are stepped; shape is the body
	passer       passer

	// The present, in which the replay ends.
	tick        Tick
	groups      []int32
	manifolds   []manifold
	resting     []manifold
	separations [][4]float32
	fieldPairs  []BodyPair
	activity    activity     // of the bodies that are stepped, or between replays scratch
	broadPhase  broadPhase   // likewise
	merged      [][4]float32 // separations, for EndReplay
}

// appendGroups appends, by body, which bodies can have influenced each other in the last step: those with the same
// number. They are the islands, joined where the field of a player acted.
func (w *World) appendGroups(groups []int32) []int32 {
	for i := range w.islandParent {
		groups = append(groups, w.islandRoot(int32(i)))
	}
	if w.joinFields(groups) {
		for i := range groups {
			groups[i] = groupRoot(groups, int32(i))
		}
	}
	return groups
}

// joinFields joins the groups of players and of the bodies that their fields have reached. It reports whether it did.
func (w *World) joinFields(groups []int32) (joined bool) {
	for _, p := range w.fieldPairs {
		if a, b := groupRoot(groups, p.A), groupRoot(groups, p.B); a != b {
			groups[max(a, b)], joined = min(a, b), true
		}
	}
	return joined
}

func groupRoot(groups []int32, i int32) int32 {
	for groups[i] != i {
		i = groups[i]
	}
	return i
}

// NoteChange notes a change other than by a step, also of what callers keep beside the world: remembered steps from
// before it cannot be part of a selective replay.
func (w *World) NoteChange() { w.state.lineage++ }

// steps reports whether this step steps body i: all bodies are, except in a selective replay.
func (w *World) steps(i int32) bool { return !w.replay.on || w.replay.active[i] }

// Replays reports whether the present step changes body i: in a selective replay, whether it has joined; otherwise always.
func (w *World) Replays(i int) bool { return w.steps(int32(i)) }

// BeginReplay begins a selective replay from a state that Save or SaveReplayed remembered of this world. It reports
// false, and does nothing, if there were other changes since than by steps with the present settings, or if
// the scene or the settings couple bodies in ways that groups do not contain.
func (w *World) BeginReplay(first *State) bool {
	if first.lineage != w.state.lineage || w.Settings != w.steppedWith || w.Settings.SolveOrderSeed != 0 || len(first.groups) != len(w.state.Bodies) ||
		w.hasActions || w.kinematicCount > 0 || w.pin.active || w.frame.active || first.Tick > w.state.Tick {
		return false
	}
	r, s := &w.replay, &w.state
	if len(r.radius) == 0 {
		n := len(s.Bodies)
		r.active, r.marked, r.markedBefore = make([]bool, n), make([]bool, n), make([]bool, n)
		r.radius, r.activity = make([]float32, n), newActivity(n)
		for i := range r.radius {
			r.radius[i] = w.bodyRadius(i)
		}
	}
	r.on, r.tick, r.groups = true, s.Tick, w.appendGroups(r.groups[:0])
	r.manifolds, s.manifolds = s.manifolds, r.manifolds[:0]
	r.resting, s.resting = s.resting, r.resting[:0]
	r.separations, w.separations = w.separations, r.separations[:0]
	r.fieldPairs, w.fieldPairs = w.fieldPairs, r.fieldPairs[:0]
	w.activity, r.activity = r.activity, w.activity
	w.broadPhase, r.broadPhase = r.broadPhase, w.broadPhase
	clear(r.active)
	clear(w.activity.inList)
	r.bodies, r.bounds.proxies, r.bounds.reach = r.bodies[:0], r.bounds.proxies[:0], r.bounds.reach[:0]
	w.activity.list, w.activity.listed, w.activity.unsorted = w.activity.list[:0], true, false
	w.clearProxies()
	s.Tick = first.Tick
	w.placeCarriers()
	return true
}

// clearProxies makes the broad phase contain static and carrier boxes alone, at rest.
func (w *World) clearProxies() {
	p := &w.broadPhase
	if len(p.atRest) != len(w.shapes) {
		p.atRest = make([]bool, len(w.shapes))
	}
	clear(p.atRest)
	p.near.valid = false
	p.moving, p.resting.proxies, p.fixed.proxies = p.moving[:0], p.resting.proxies[:0], p.fixed.proxies[:0]
	p.resting.reach, p.resting.added, p.resting.changed = p.resting.reach[:0], 0, false
	p.fixed.reach, p.fixed.added, p.fixed.changed = p.fixed.reach[:0], 0, false
	for i := w.bodyShapeCount(); i < len(w.shapes); i++ {
		w.updateRest(&p.fixed, int32(i), false)
	}
}

// bodyRadius returns the radius of the bounding sphere of body i about its centre, in metres, with half of the contact
// margin.
func (w *World) bodyRadius(i int) float32 {
	radius := w.shapes[i].half.Len()
	for k := w.firstSubShape[i]; k < w.firstSubShape[i+1]; k++ {
		radius = max(radius, w.shapes[len(w.state.Bodies)+int(k)].half.Len()+w.subShapes[k].pose.Pos.Len())
	}
	return float32(radius*(1+1e-4)) + contactMargin
}

// JoinReplay makes those bodies join a selective replay that can differ in the next step from the remembered one, and
// returns them. before is the remembered state of this tick, after that of the next, or nil if the replay began
// there. was are the inputs of the remembered step, in those of the next. The result is valid until the next
// call.
func (w *World) JoinReplay(before, after *State, was, in []Input) []int32 {
	r := &w.replay
	first, groups := len(r.bodies), w.groupsOf(after)
	clear(r.marked)
	for p := range min(len(in), w.scene.Players) {
		if p >= len(was) || was[p] != in[p] {
			w.mark(groups[p])
		}
	}
	for _, i := range r.bodies {
		w.mark(groups[i])
	}
	w.joinMarked(before, groups)
	w.meetFields(before, groups, in)
	w.joinMarked(before, groups)
	w.meetBodies(before, groups)
	w.joinMarked(before, groups)
	w.joinTouching(before, groups, first)
	w.joinContacts(before, r.bodies[first:])
	return r.bodies[first:]
}

// mark makes a group of the remembered step join at the next joinMarked.
func (w *World) mark(group int32) {
	w.replay.marked[group], w.replay.anyMarked = true, true
}

// joinMarked makes the bodies of the marked groups join. An avatar depends on what it stood on in the step before, too.
func (w *World) joinMarked(before *State, groups []int32) {
	r := &w.replay
	for r.anyMarked {
		r.anyMarked = false
		first := len(r.bodies)
		for i := range r.active {
			if !r.active[i] && r.marked[groups[i]] {
				w.join(int32(i), before)
			}
		}
		if w.avatarCount > 0 {
			w.markBefore(before, groups, r.bodies[first:])
		}
	}
}

// markBefore marks the groups of bodies that were in a group with those of a list in the step before.
func (w *World) markBefore(before *State, groups, bodies []int32) {
	r := &w.replay
	if len(bodies) == 0 {
		return
	}
	clear(r.markedBefore)
	for _, i := range bodies {
		r.markedBefore[before.groups[i]] = true
	}
	for i := range r.active {
		if !r.active[i] && r.markedBefore[before.groups[i]] {
			w.mark(groups[i])
		}
	}
}

// JoinBodies makes bodies join at the beginning of a selective replay that SetBody is going to change. before and after
// are as in JoinReplay, and so is the result.
func (w *World) JoinBodies(before, after *State, bodies []int32) []int32 {
	r := &w.replay
	groups := w.groupsOf(after)
	clear(r.marked)
	for _, i := range bodies {
		w.mark(groups[i])
	}
	for joined := -1; joined < len(r.bodies); {
		joined = len(r.bodies)
		w.joinMarked(before, groups)
		w.markBefore(before, groups, r.bodies[joined:])
	}
	w.joinMarked(before, groups)
	w.joinContacts(before, r.bodies)
	return r.bodies
}

// groupsOf returns the groups of the remembered step to a state, or to the present for nil.
func (w *World) groupsOf(after *State) []int32 {
	if after == nil {
		return w.replay.groups
	}
	return after.groups
}

// updateBounds updates the bounds, over the next step, of the bodies that are stepped, and returns those of all.
func (w *World) updateBounds() (all aabb) {
	r := &w.replay
	p := r.bounds.proxies
	for _, i := range r.bodies[len(p):] {
		p = append(p, proxy{shape: i})
	}
	for k := range p {
		i := int(p[k].shape)
		bounds := w.bodyBounds(i).sweep(w.state.Bodies[i].Linear.Scale(w.dt))
		margin := w.ownMargin(i)
		bounds.lower, bounds.upper = bounds.lower.Sub(geom.Vec3{X: margin, Y: margin, Z: margin}), bounds.upper.Add(geom.Vec3{X: margin, Y: margin, Z: margin})
		p[k].aabb = bounds
		if k == 0 {
			all = bounds
		}
		all = all.union(bounds)
	}
	sortProxies(p, len(p)-len(r.bounds.reach))
	r.bounds.proxies = p
	r.bounds.setReach()
	return all
}

// join makes a body join, in its remembered state.
func (w *World) join(i int32, before *State) {
	r := &w.replay
	r.active[i], r.bodies = true, append(r.bodies, i)
	w.state.Bodies[i], w.state.slowTicks[i] = before.Bodies[i], before.slowTicks[i]
	w.islandParent[i] = before.groups[i]
	w.updateShapes(int(i))
	a, p := &w.activity, &w.broadPhase
	a.list, a.inList[i], a.unsorted, a.disturbed, a.dozed = append(a.list, i), true, true, true, true
	w.updateRest(&p.resting, i, false)
	for k := w.firstSubShape[i]; k < w.firstSubShape[i+1]; k++ {
		w.updateRest(&p.resting, int32(len(w.state.Bodies))+k, false)
	}
}

// joinContacts makes the contacts and joint impulses of bodies join that have just joined.
func (w *World) joinContacts(before *State, bodies []int32) {
	if len(bodies) == 0 {
		return
	}
	r, s := &w.replay, &w.state
	clear(r.marked)
	for _, i := range bodies {
		r.marked[i] = true
	}
	pick := func(from []manifold) []manifold {
		moved := w.contacts.moved[:0]
		for k := range from {
			a, b := from[k].shapes()
			if a = w.bodyOf(a); r.marked[w.bodyOf(b)] && (int(a) >= len(r.active) || r.active[a]) { // or it ended in this step
				moved = append(moved, from[k])
			}
		}
		w.contacts.moved = moved
		return moved
	}
	s.manifolds = mergeManifolds(s.manifolds, pick(before.manifolds))
	s.resting = mergeManifolds(s.resting, pick(before.resting))
	for k := range w.joints {
		if r.marked[w.joints[k].B] {
			s.jointImpulses[k] = before.jointImpulses[k]
		}
	}
}

// SaveReplayed makes the remembered state of this tick that of the world, in a selective replay. It does nothing for nil.
func (w *World) SaveReplayed(to *State) {
	if to == nil {
		return
	}
	r := &w.replay
	asleep := false
	for _, i := range r.bodies {
		asleep = asleep || to.Bodies[i].Asleep || w.state.Bodies[i].Asleep
		to.Bodies[i], to.slowTicks[i], to.groups[i] = w.state.Bodies[i], w.state.slowTicks[i], w.islandRoot(i)
	}
	if w.joinFields(to.groups) {
		for _, i := range r.bodies {
			to.groups[i] = groupRoot(to.groups, i)
		}
	}
	to.lineage = w.state.lineage
	to.manifolds = w.replaceManifolds(to.manifolds, w.state.manifolds)
	if asleep {
		to.resting = w.replaceManifolds(to.resting, w.state.resting)
	}
	for k := range w.joints {
		if r.active[w.joints[k].B] {
			to.jointImpulses[k] = w.state.jointImpulses[k]
		}
	}
}

// replaceManifolds returns the manifolds with those of the bodies that are stepped replaced by others.
func (w *World) replaceManifolds(all, stepped []manifold) []manifold {
	next := 0
	for k := range all {
		m := &all[k]
		if _, b := m.shapes(); !w.replay.active[w.bodyOf(b)] {
			continue
		}
		if next == len(stepped) || stepped[next].key != m.key {
			next = -1
			break
		}
		*m = stepped[next]
		next++
	}
	if next == len(stepped) {
		return all
	}
	kept := all[:0]
	for k := range all {
		if _, b := all[k].shapes(); w.replay.active[w.bodyOf(b)] {
			continue
		}
		if len(kept) < k {
			kept = append(kept, all[k])
		} else {
			kept = all[:k+1]
		}
	}
	return mergeManifolds(kept, stepped)
}

// EndReplay ends a selective replay in the present: the bodies that have not joined are there already.
func (w *World) EndReplay() {
	r, s := &w.replay, &w.state
	if s.Tick != r.tick {
		panic("sim: EndReplay: the replay has not reached the tick in which it began")
	}
	stepped, rested := s.manifolds, s.resting
	passive := r.merged[:0]
	if len(r.separations) == len(r.manifolds) {
		for k := range r.manifolds {
			if _, b := r.manifolds[k].shapes(); !r.active[w.bodyOf(b)] {
				passive = append(passive, r.separations[k])
			}
		}
	}
	kept := len(passive)
	s.manifolds, s.resting = w.replaceManifolds(r.manifolds, stepped), w.replaceManifolds(r.resting, rested)
	if kept+len(w.separations) == len(s.manifolds) {
		i, j := 0, 0
		for k := range s.manifolds {
			if _, b := s.manifolds[k].shapes(); r.active[w.bodyOf(b)] {
				passive = append(passive, w.separations[i])
				i++
			} else {
				passive = append(passive, passive[j])
				j++
			}
		}
	}
	r.merged = passive
	r.separations = append(r.separations[:0], passive[kept:]...)
	w.separations, r.separations = r.separations, w.separations
	r.manifolds, r.resting = stepped, rested
	w.activity, r.activity = r.activity, w.activity
	w.broadPhase, r.broadPhase = r.broadPhase, w.broadPhase
	r.on = false
	for _, p := range r.fieldPairs {
		if !r.active[p.A] {
			w.fieldPairs = append(w.fieldPairs, p)
		}
	}
	a := &w.activity
	for _, i := range r.bodies {
		if a.listed && !a.inList[i] {
			a.inList[i], a.unsorted = true, true
			a.list = append(a.list, i)
		}
	}
	a.disturbed, a.dozed = a.disturbed || r.activity.disturbed, a.dozed || r.activity.dozed
	w.changes++
}
