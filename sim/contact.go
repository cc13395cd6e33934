package sim

import "ghostcube/sim/geom"

// contactScratch is the working memory of updateContacts.
type contactScratch struct {
	previous []manifold // of the last tick, of contacts that are not at rest
	sleeping []int32    // indices of manifolds between sleeping bodies, copied unchanged
	moved    []manifold // scratch of the functions that move manifolds to those at rest, or back
	woken    []int32    // bodies that contacts have woken in this tick
	wakeKeys []uint32   // by body: key of the contact that has woken it
}

// updateContacts computes this tick's manifolds from the pairs. Pairs and manifolds are sorted by
// key, so one pass finds each pair's last manifold. Contact with an awake body wakes a sleeping
// one.
//
// Most manifolds between sleepers are at rest: the pass leaves them out. A manifold of a body that the pass wakes is
// kept if it comes before the contact that wakes it, and dropped if it comes later, because its pair was not looked for.
func (w *World) updateContacts() {
	if w.activity.disturbed || w.activity.dozed {
		w.sortResting()
	}
	w.contacts.previous, w.state.manifolds = w.state.manifolds, w.contacts.previous[:0]
	w.separations, w.contacts.sleeping, w.contacts.woken = w.separations[:0], w.contacts.sleeping[:0], w.contacts.woken[:0]
	next := 0
	for _, key := range w.broadPhase.pairs {
		next = w.keepSleepingContacts(next, key)
		a, b := int32(key>>16), int32(key&0xffff)
		if w.updateContact(next, key, w.shapeAt(a), b, a) {
			w.wakeByContact(a, key)
			w.wakeByContact(b, key)
		}
	}
	ground := int32(len(w.shapes))
	next = w.keepSleepingContacts(next, pairKey(ground, 0))
	if len(w.contacts.woken) > 0 {
		w.dropWokenContacts(next)
	}
	active := w.activeBodies()
	for _, i := range active {
		next = w.updateGroundContact(next, i, ground)
	}
	for _, i := range active {
		if len(w.subShapes) == 0 {
			break
		}
		for k := w.firstSubShape[i]; k < w.firstSubShape[i+1]; k++ {
			next = w.updateGroundContact(next, int32(len(w.state.Bodies))+k, ground)
		}
	}
	w.keepSleepingContacts(next, ^uint32(0))
}

// updateGroundContact adds the manifold of shape i and the ground, if they touch and the shape's body is awake.
func (w *World) updateGroundContact(next int, i, ground int32) int {
	key := pairKey(ground, i)
	next = w.keepSleepingContacts(next, key)
	if !w.asleep(i) && !w.drives(w.bodyOf(i)) {
		w.updateContact(next, key, nil, i, ground)
	}
	return next
}

// takeWoken removes the manifolds that can no longer rest from those at rest, and returns them in scratch memory.
func (w *World) takeWoken() []manifold {
	s, moved := &w.state, w.contacts.moved[:0]
	kept := s.resting[:0]
	for k := range s.resting {
		if m := &s.resting[k]; w.canRest(m) {
			kept = append(kept, *m)
		} else {
			moved = append(moved, *m)
		}
	}
	s.resting = kept
	return moved
}

// sortResting puts the manifolds between sleepers, and only those, to the ones at rest. Manifolds with carriers are
// never at rest, because carriers may leave.
func (w *World) sortResting() {
	s, moved := &w.state, w.takeWoken()
	woken := len(moved)
	remaining := s.manifolds[:0]
	for k := range s.manifolds {
		if m := &s.manifolds[k]; w.canRest(m) {
			moved = append(moved, *m)
		} else {
			remaining = append(remaining, *m)
		}
	}
	s.manifolds, s.resting = mergeManifolds(remaining, moved[:woken]), mergeManifolds(s.resting, moved[woken:])
	w.contacts.moved, w.activity.dozed = moved[:0], false
}

// canRest reports whether nothing but a change from outside can affect a manifold: both sides sleep.
func (w *World) canRest(m *manifold) bool {
	a, b := m.shapes()
	return w.asleep(a) && w.asleep(b) && w.carrierBoxOf(a) == nil
}

// wakeByContact wakes the body of a shape because of the contact with a key.
func (w *World) wakeByContact(shape int32, key uint32) {
	if i := w.bodyOf(shape); w.wakeBody(i) {
		w.contacts.woken = append(w.contacts.woken, i)
		w.contacts.wakeKeys[i] = key
	}
}

// dropWokenContacts drops the manifolds at rest that lie behind the contact that has woken one of their bodies. Those
// with the ground join the previous ones from next on, where their bodies' contacts with the ground are looked for.
func (w *World) dropWokenContacts(next int) {
	s, moved := &w.state, w.contacts.moved[:0]
	kept := s.resting[:0]
	for k := range s.resting {
		m := &s.resting[k]
		a, b := m.shapes()
		switch {
		case w.asleep(a) && w.asleep(b):
			kept = append(kept, *m)
		case int(a) == len(w.shapes):
			moved = append(moved, *m)
		case !w.wokenBefore(a, m.key) && !w.wokenBefore(b, m.key):
			kept = append(kept, *m)
		}
	}
	s.resting = kept
	tail := mergeManifolds(w.contacts.previous[next:], moved)
	w.contacts.previous = append(w.contacts.previous[:next], tail...)
	w.contacts.moved = moved[:0]
}

// wokenBefore reports whether a contact with a lower key has woken the body of a shape in this tick.
func (w *World) wokenBefore(shape int32, key uint32) bool {
	return !w.asleep(shape) && w.contacts.wakeKeys[w.bodyOf(shape)] < key
}

// wakeRestingContacts adds the manifolds of bodies that have woken to those of this tick.
func (w *World) wakeRestingContacts() {
	s, moved := &w.state, w.takeWoken()
	i, j := len(s.manifolds)-1, len(moved)-1
	w.separations = append(w.separations, make([][4]float32, len(moved))...)
	for k := len(w.separations) - 1; j >= 0; k-- {
		if i >= 0 && s.manifolds[i].key > moved[j].key {
			w.separations[k] = w.separations[i]
			i--
		} else {
			w.separations[k] = w.refreshWoken(&moved[j])
			j--
		}
	}
	s.manifolds, w.contacts.moved = mergeManifolds(s.manifolds, moved), moved[:0]
}

// wakeBody wakes the body of shape i, and reports whether it slept. Static boxes, carriers and kinematic bodies do not
// wake.
func (w *World) wakeBody(i int32) bool {
	i = w.bodyOf(i)
	if int(i) < len(w.state.Bodies) && w.state.Bodies[i].Asleep && !w.kinematic(i) {
		w.touch(i)
		w.state.Bodies[i].Asleep = false
		w.state.slowTicks[i] = 0
		return true
	}
	return false
}

// shapeAt returns shape i, or nil for the ground.
func (w *World) shapeAt(i int32) *shape {
	if int(i) == len(w.shapes) {
		return nil
	}
	return &w.shapes[i]
}

// asleep reports whether the body of shape i sleeps. Static and carrier boxes count as asleep.
func (w *World) asleep(i int32) bool {
	i = w.bodyOf(i)
	return int(i) >= len(w.state.Bodies) || w.state.Bodies[i].Asleep
}

// keepSleepingContacts copies the old manifolds with keys below key whose bodies both sleep.
// Nothing has moved, so they remain valid, and their impulses warm-start the solver when the bodies
// wake. It returns the index of the first old manifold that is not below key.
func (w *World) keepSleepingContacts(next int, key uint32) int {
	for next < len(w.contacts.previous) && w.contacts.previous[next].key < key {
		m := &w.contacts.previous[next]
		if a, b := m.shapes(); len(w.carrierBoxes) > 0 && w.carrierMovedAway(m) {
			w.wakeByContact(b, m.key)
		} else if w.asleep(a) && w.asleep(b) {
			w.contacts.sleeping = append(w.contacts.sleeping, int32(len(w.state.manifolds)))
			w.state.manifolds = append(w.state.manifolds, *m)
			w.separations = append(w.separations, [4]float32{})
		}
		next++
	}
	return next
}

// updateContact adds the manifold of a pair and reports whether the shapes touch. s is the first
// shape, or nil for the ground; next is the index at which the pair's last manifold would be.
func (w *World) updateContact(next int, key uint32, s *shape, b, a int32) bool {
	var previous *manifold
	if next < len(w.contacts.previous) && w.contacts.previous[next].key == key {
		previous = &w.contacts.previous[next]
		if w.recycle(previous, s, &w.shapes[b]) {
			return true
		}
	}
	return w.collide(previous, key, s, b, a)
}

// recycle copies a manifold with updated separations if it is still valid, and reports whether it
// is.
func (w *World) recycle(m *manifold, s, t *shape) bool {
	if !w.canRecycle(m, s, t) {
		return false
	}
	w.state.manifolds = append(w.state.manifolds, *m)
	w.separations = append(w.separations, m.separations(s, t))
	return true
}

// collide runs the narrow phase on a pair, adds its manifold if the shapes touch, and reports
// whether they do. Points whose features touched in the last tick keep their impulses.
func (w *World) collide(previous *manifold, key uint32, s *shape, b, a int32) bool {
	t := &w.shapes[b]
	var out [4]contactPoint
	var n int
	normal := geom.Vec3{Z: 1}
	if s == nil {
		n = collideBoxGround(t, contactMargin+w.speculativeMargin(b, false), &out)
	} else {
		n, normal = collideBoxes(s, t, w.contactMarginOf(a, b), &out)
	}
	if n == 0 {
		return false
	}
	m := w.addManifold(key, s, t, normal, out[:n])
	if previous != nil && !w.Settings.ColdStart {
		m.matchImpulses(previous)
	}
	return true
}

// contactMarginOf returns the separation up to which shapes a and b have contact points in this
// tick, in metres. Against a carrier the relative velocity counts.
func (w *World) contactMarginOf(a, b int32) float32 {
	if c := w.carrierBoxOf(a); c != nil {
		return contactMargin + w.carrierSpeculativeMargin(b, c.carrier)
	}
	return contactMargin + w.speculativeMargin(b, true) + w.speculativeMargin(a, true)
}

// addManifold adds the manifold of shapes s and t, and its separations. s is nil for the ground.
func (w *World) addManifold(key uint32, s, t *shape, normal geom.Vec3, points []contactPoint) *manifold {
	rotA, posA, offset := geom.Identity, geom.Vec3{}, t.pose.Pos
	if s != nil {
		rotA, posA = s.pose.Rot, s.pose.Pos
		offset = s.axes.MulT(t.pose.Pos.Sub(posA))
	}
	w.state.manifolds = append(w.state.manifolds, manifold{
		key: key, pointCount: int32(len(points)), normal: normal, rotA: rotA, rotB: t.pose.Rot, offset: offset,
	})
	m := &w.state.manifolds[len(w.state.manifolds)-1]
	var separations [4]float32
	for i := range points {
		p := &points[i]
		m.points[i] = manifoldPoint{anchorA: p.point.Sub(posA), anchorB: p.point.Sub(t.pose.Pos), separation: p.separation, featureID: p.featureID}
		separations[i] = p.separation
	}
	w.separations = append(w.separations, separations)
	return m
}

// speculativeMargin returns how much further shape i may approach in this tick than contactMargin
// covers, in metres: 0 unless its body is fast for its size. inWorld says that the speed in the world decides, although
// the body is simulated in a moving frame, as at the server.
func (w *World) speculativeMargin(i int32, inWorld bool) float32 {
	body := w.bodyOf(i)
	if int(body) >= len(w.state.Bodies) || w.state.Bodies[body].Asleep {
		return 0
	}
	velocity := w.state.Bodies[body].Linear
	if inWorld {
		velocity = w.frame.worldVelocity(body, &w.state.Bodies[body])
	}
	travelSq := velocity.Scale(w.dt).LenSq()
	if travelSq < fastTravelSq(w.shapes[i].half) {
		return 0
	}
	return geom.Sqrt(travelSq)
}

// ContactPointCount returns the number of contact points of all manifolds.
func (w *World) ContactPointCount() (n int) {
	for m := range w.state.allManifolds() {
		n += int(m.pointCount)
	}
	return n
}

// Contact is one side of a contact: a body or a carrier. Both are -1 for static boxes and the
// ground.
type Contact struct {
	Body, Carrier int
	IsBelow       bool // the normal is within 45 degrees of upright: it supports the other side
}

// BodyPair is a pair of bodies in contact.
type BodyPair struct{ A, B int32 }

// AppendContactPairs appends to dst the pairs of awake bodies in contact in the last step, sorted.
// Compound bodies appear once for each pair of boxes in contact.
func (w *World) AppendContactPairs(dst []BodyPair) []BodyPair {
	n := int32(len(w.state.Bodies))
	add := func(m *manifold) {
		a, b := m.shapes()
		a, b = w.bodyOf(a), w.bodyOf(b)
		if a < n && !w.state.Bodies[a].Asleep && !w.state.Bodies[b].Asleep {
			dst = append(dst, BodyPair{a, b})
		}
	}
	if w.activity.listed && !w.activity.disturbed { // no body has woken that has manifolds at rest
		for k := range w.state.manifolds {
			add(&w.state.manifolds[k])
		}
		return dst
	}
	for m := range w.state.allManifolds() {
		add(m)
	}
	return dst
}

// AppendContacts appends to dst what body i was in contact with in the last step, with a normal
// impulse above 0. Compound bodies appear once for each pair of boxes in contact.
func (w *World) AppendContacts(dst []Contact, i int) []Contact {
	for m := range w.state.allManifolds() {
		a, b := m.shapes()
		p, q := int(w.bodyOf(a)), int(w.bodyOf(b))
		if p != i && q != i || !m.hasImpulse() {
			continue
		}
		up := m.normal.Z
		if p == i {
			a, p, up = b, q, -up
		}
		t := Contact{-1, -1, up >= minSupportNormal}
		if c := w.carrierBoxOf(a); c != nil {
			t.Carrier = int(c.carrier)
		} else if p < len(w.state.Bodies) {
			t.Body = p
		}
		dst = append(dst, t)
	}
	return dst
}
