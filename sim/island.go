package sim

import "ghostcube/sim/geom"

// A body below both thresholds for half a second may sleep if its whole island may. The thresholds
// are Fiedler's. His own rule, per body and after 0.1 s, lets single cubes of a heap fall asleep
// and wake again and again.
const (
	sleepLinearSpeed  = 0.25 // m/s
	sleepAngularSpeed = 0.25 // rad/s
)

// islandScratch is the state of each island, indexed by its root body.
type islandScratch struct {
	canSleep []bool // all its bodies have been slow long enough
	awake    []bool // at least one of its bodies is awake
}

// updateIslands puts islands to sleep and wakes them. Bodies connected by contacts or joints,
// directly or through others, form an island. An island sleeps when all its bodies have been slow
// long enough, and wakes as a whole. Contact with a moving carrier keeps a body awake.
//
// The speeds compared are those before this tick's solve. If both sides of a session quantise
// between ticks, both compare the same numbers.
//
// Islands of sleeping bodies stay as they are, until something disturbs the sleepers.
func (w *World) updateIslands() {
	if w.activity.disturbed {
		w.listAll()
	}
	w.countSlowTicks()
	w.linkContacts()
	w.linkJoints()
	w.markIslands()
	w.applySleep()
	w.refreshWokenContacts()
	if w.activity.disturbed {
		w.wakeRestingContacts()
	}
}

// countSlowTicks counts for how many ticks each awake body has been slow, and makes each body an
// island of its own, unless it sleeps undisturbed.
func (w *World) countSlowTicks() {
	for _, i := range w.activeBodies() {
		b := &w.state.Bodies[i]
		if b.Asleep && !w.activity.disturbed {
			continue
		}
		w.islandParent[i] = i
		w.islands.canSleep[i], w.islands.awake[i] = true, false
		if b.Asleep {
			continue
		}
		if b.Slow() {
			w.state.slowTicks[i] = min(w.state.slowTicks[i]+1, w.ticksToSleep)
		} else {
			w.state.slowTicks[i] = 0
		}
	}
}

// linkContacts merges the islands of bodies in contact. Contact with a moving carrier resets the
// count of slow ticks.
func (w *World) linkContacts() {
	n := int32(len(w.state.Bodies))
	for k := range w.state.manifolds {
		a, b := w.state.manifolds[k].shapes()
		if w.bodyOf(a) < n {
			w.linkBodies(w.bodyOf(a), w.bodyOf(b))
		} else if w.isMovingCarrier(a) {
			w.state.slowTicks[w.bodyOf(b)] = 0
		}
	}
	if !w.activity.disturbed {
		return
	}
	for k := range w.state.resting {
		if a, b := w.state.resting[k].shapes(); w.bodyOf(a) < n {
			w.linkBodies(w.bodyOf(a), w.bodyOf(b))
		}
	}
}

// markIslands finds out which islands are awake, and which may sleep.
func (w *World) markIslands() {
	for _, i := range w.activeBodies() {
		if w.state.Bodies[i].Asleep {
			continue
		}
		root := w.islandRoot(i)
		w.islands.awake[root] = true
		if w.scene.NoSleep || w.state.slowTicks[i] < w.ticksToSleep {
			w.islands.canSleep[root] = false
		}
	}
}

// applySleep puts whole islands to sleep, or wakes them.
func (w *World) applySleep() {
	for _, i := range w.activeBodies() {
		b := &w.state.Bodies[i]
		if b.Asleep && !w.activity.disturbed {
			continue
		}
		root := w.islandRoot(i)
		if !w.islands.awake[root] {
			continue
		}
		switch {
		case w.islands.canSleep[root]:
			w.activity.dozed = true
			b.Asleep, b.Linear, b.Angular = true, geom.Vec3{}, geom.Vec3{}
		case b.Asleep:
			b.Asleep = false
			w.state.slowTicks[i] = 0
		}
	}
}

// refreshWokenContacts computes the separations of contacts between bodies that have just woken.
// They are not computed during sleep.
func (w *World) refreshWokenContacts() {
	for _, k := range w.contacts.sleeping {
		m := &w.state.manifolds[k]
		a, b := m.shapes()
		if w.asleep(a) && w.asleep(b) {
			continue
		}
		w.separations[k] = w.refreshWoken(m)
	}
}

// refreshWoken returns the separations of a contact that has been at rest.
func (w *World) refreshWoken(m *manifold) (separations [4]float32) {
	a, b := m.shapes()
	s, t := w.shapeAt(a), w.shapeAt(b)
	if !w.canRecycle(m, s, t) {
		m.pointCount = 0 // moved by a correction; the next tick collides the pair
		return separations
	}
	return m.separations(s, t)
}

// mergeIslands merges the islands of bodies a and b. The lower index becomes the root.
func (w *World) mergeIslands(a, b int32) {
	a, b = w.islandRoot(a), w.islandRoot(b)
	if a < b {
		w.islandParent[b] = a
	} else {
		w.islandParent[a] = b
	}
}

// linkBodies merges the islands of two bodies, unless one is kinematic.
func (w *World) linkBodies(a, b int32) {
	if !w.kinematic(a) && !w.kinematic(b) {
		w.mergeIslands(a, b)
	}
}

// islandRoot returns the root of the island of body i, and halves the path to it.
func (w *World) islandRoot(i int32) int32 {
	for w.islandParent[i] != i {
		w.islandParent[i] = w.islandParent[w.islandParent[i]]
		i = w.islandParent[i]
	}
	return i
}

// Slow reports whether the body is below the sleep thresholds.
func (b *Body) Slow() bool {
	return b.Linear.LenSq() < sleepLinearSpeed*sleepLinearSpeed && b.Angular.LenSq() < sleepAngularSpeed*sleepAngularSpeed
}

// Island returns the root of body i's island in the last step, in [0, bodies). Bodies connected by
// contacts or joints have the same root.
func (w *World) Island(i int) int { return int(w.islandRoot(int32(i))) }
