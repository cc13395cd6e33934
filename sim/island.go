package sim

// A body that is slower than these for half a second may sleep, if everything
// that it touches may (Fiedler's thresholds; his own rule, per body and after
// 0.1 s, lets single cubes of a heap flicker).
const (
	calmSpeed = 0.25 // m/s
	calmSpin  = 0.25 // rad/s
)

// groupIslands decides who sleeps. Bodies that touch or that a joint ties, directly or through
// others, form an island; an island sleeps when all of it has been calm long
// enough, and wakes as a whole. What touches a carrier that moves is not calm. The speeds judged are those before this tick's
// solving, so on a world that is quantised between ticks both sides judge the
// same numbers.
func (w *World) groupIslands() {
	for i := range w.bodies {
		w.group[i] = int32(i)
		w.groupCalm[i], w.groupAwake[i] = true, false
		b := &w.bodies[i]
		if b.Asleep {
			continue
		}
		if b.Slow() {
			w.rest[i] = min(w.rest[i]+1, w.sleepTicks)
		} else {
			w.rest[i] = 0
		}
	}
	n := int32(len(w.bodies))
	for k := range w.contacts {
		a, b := w.contacts[k].solids()
		if w.body(a) < n {
			w.tieUp(w.body(a), w.body(b))
		} else if w.driven(a) {
			w.rest[w.body(b)] = 0
		}
	}
	w.joinJointed()
	for i := range w.bodies {
		if w.bodies[i].Asleep {
			continue
		}
		root := w.root(int32(i))
		w.groupAwake[root] = true
		if w.scene.Sleepless || w.rest[i] < w.sleepTicks {
			w.groupCalm[root] = false
		}
	}
	for i := range w.bodies {
		root := w.root(int32(i))
		if !w.groupAwake[root] {
			continue
		}
		b := &w.bodies[i]
		switch {
		case w.groupCalm[root]:
			b.Asleep = true
			b.Linear.X, b.Linear.Y, b.Linear.Z = 0, 0, 0
			b.Angular.X, b.Angular.Y, b.Angular.Z = 0, 0, 0
		case b.Asleep:
			b.Asleep = false
			w.rest[i] = 0
		}
	}
	w.renewKept()
}

// renewKept gives the contacts of sleepers that have just woken their
// present separations, which nobody needed while they slept.
func (w *World) renewKept() {
	for _, k := range w.kept {
		m := &w.contacts[k]
		a, b := m.solids()
		if w.asleep(a) && w.asleep(b) {
			continue
		}
		s, t := w.solid(a), w.solid(b)
		if !w.fits(m, s, t) {
			m.n = 0 // moved in its sleep, by a correction; the next tick finds it anew
			continue
		}
		w.gaps[k] = m.separations(s, t)
	}
}

// join puts the islands of a and b together; the lower number leads.
func (w *World) join(a, b int32) {
	a, b = w.root(a), w.root(b)
	if a < b {
		w.group[b] = a
	} else {
		w.group[a] = b
	}
}

// tieUp puts two bodies into one island, unless one of them is held.
func (w *World) tieUp(a, b int32) {
	if !w.held(a) && !w.held(b) {
		w.join(a, b)
	}
}

func (w *World) root(i int32) int32 {
	for w.group[i] != i {
		w.group[i] = w.group[w.group[i]]
		i = w.group[i]
	}
	return i
}

// Slow reports whether the body is slow enough to fall asleep in the end.
func (b *Body) Slow() bool {
	return b.Linear.Len2() < calmSpeed*calmSpeed && b.Angular.Len2() < calmSpin*calmSpin
}

// Island names the island that body i was of in the last step: bodies that touched,
// directly or through others, have the same number, in [0, bodies).
func (w *World) Island(i int) int { return int(w.root(int32(i))) }
