package sim

import "ghostcube/sim/geom"

// A body that is slower than these for half a second may sleep, if everything
// that it touches may (Fiedler's thresholds; his own rule, per body and after
// 0.1 s, lets single cubes of a heap flicker).
const (
	sleepLinearSpeed  = 0.25 // m/s
	sleepAngularSpeed = 0.25 // rad/s
)

// islandScratch is, by the body that leads an island, what the bodies of it agree on.
type islandScratch struct {
	canSleep []bool // all have been slow long enough
	awake    []bool // some body is
}

// updateIslands decides who sleeps. Bodies that touch or that a joint ties, directly or through
// others, form an island; an island sleeps when all of it has been calm long
// enough, and wakes as a whole. What touches a carrier that moves is not calm. The speeds judged are those before this tick's
// solving, so on a world that is quantised between ticks both sides judge the
// same numbers.
func (w *World) updateIslands() {
	w.countSlowTicks()
	w.linkContacts()
	w.linkJoints()
	w.markIslands()
	w.applySleep()
	w.refreshWokenContacts()
}

// countSlowTicks counts for how long each body awake has been slow, and makes each body an
// island of its own.
func (w *World) countSlowTicks() {
	for i := range w.state.Bodies {
		w.islandParent[i] = int32(i)
		w.islands.canSleep[i], w.islands.awake[i] = true, false
		b := &w.state.Bodies[i]
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

// linkContacts puts what touches into one island. What touches a carrier that moves is
// not slow.
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
}

// markIslands finds for each island whether some of it is awake, and whether all of that
// has been slow for long enough.
func (w *World) markIslands() {
	for i := range w.state.Bodies {
		if w.state.Bodies[i].Asleep {
			continue
		}
		root := w.islandRoot(int32(i))
		w.islands.awake[root] = true
		if w.scene.NoSleep || w.state.slowTicks[i] < w.ticksToSleep {
			w.islands.canSleep[root] = false
		}
	}
}

// applySleep puts islands to sleep and wakes others, as a whole.
func (w *World) applySleep() {
	for i := range w.state.Bodies {
		root := w.islandRoot(int32(i))
		if !w.islands.awake[root] {
			continue
		}
		b := &w.state.Bodies[i]
		switch {
		case w.islands.canSleep[root]:
			b.Asleep, b.Linear, b.Angular = true, geom.Vec3{}, geom.Vec3{}
		case b.Asleep:
			b.Asleep = false
			w.state.slowTicks[i] = 0
		}
	}
}

// refreshWokenContacts gives the contacts of sleepers that have just woken their
// present separations, which nobody needed while they slept.
func (w *World) refreshWokenContacts() {
	for _, k := range w.contacts.sleeping {
		m := &w.state.manifolds[k]
		a, b := m.shapes()
		if w.asleep(a) && w.asleep(b) {
			continue
		}
		s, t := w.shapeAt(a), w.shapeAt(b)
		if !w.canRecycle(m, s, t) {
			m.pointCount = 0 // moved in its sleep, by a correction; the next tick finds it anew
			continue
		}
		w.separations[k] = m.separations(s, t)
	}
}

// mergeIslands puts the islands of a and b together; the lower number leads.
func (w *World) mergeIslands(a, b int32) {
	a, b = w.islandRoot(a), w.islandRoot(b)
	if a < b {
		w.islandParent[b] = a
	} else {
		w.islandParent[a] = b
	}
}

// linkBodies puts two bodies into one island, unless one of them is held.
func (w *World) linkBodies(a, b int32) {
	if !w.kinematic(a) && !w.kinematic(b) {
		w.mergeIslands(a, b)
	}
}

func (w *World) islandRoot(i int32) int32 {
	for w.islandParent[i] != i {
		w.islandParent[i] = w.islandParent[w.islandParent[i]]
		i = w.islandParent[i]
	}
	return i
}

// Slow reports whether the body is slow enough to fall asleep in the end.
func (b *Body) Slow() bool {
	return b.Linear.LenSq() < sleepLinearSpeed*sleepLinearSpeed && b.Angular.LenSq() < sleepAngularSpeed*sleepAngularSpeed
}

// Island names the island that body i was of in the last step: bodies that touched,
// directly or through others, have the same number, in [0, bodies).
func (w *World) Island(i int) int { return int(w.islandRoot(int32(i))) }
