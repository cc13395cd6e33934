package sim

import "ghostcube/sim/geom"

// manifold is how two boxes touch: up to four points with one normal. It is
// part of the state, because it outlives the tick: its impulses start the next
// solve, and while its boxes hardly move against each other its points are
// kept and only their separations are renewed. That is what lets a pile of 900
// cubes stand: points that are found anew each tick wander, and the pile with
// them.
type manifold struct {
	key    uint32 // pairKey of the two solids
	n      int32  // points in use
	normal geom.Vec3
	points [4]point
	rub    geom.Vec3 // friction impulse of the whole manifold, world frame
	twist  float32   // friction impulse about the normal

	// The poses at which the points were found.
	rotA, rotB geom.Quat
	offset     geom.Vec3 // from a's centre to b's, in a's frame
}

// point is one point of a manifold.
type point struct {
	armA, armB geom.Vec3 // from the centres to the point, world frame, when it was found
	gap        float32   // separation when it was found, metres
	impulse    float32   // along the normal, at the end of the last tick
	id         uint32
}

// solids returns the numbers of the two solids. The first may be what stands
// still; the second is of a body.
func (m *manifold) solids() (a, b int32) { return int32(m.key >> 16), int32(m.key & 0xffff) }

// keepCos2 limits how far either box may turn before its points are found
// anew: ten degrees, as the squared cosine of half the angle.
const keepCos2 = 0.99240388

// findContacts renews the list of manifolds from the pairs. Both lists are
// sorted by key, so one pass over each finds what a pair had last tick. A body
// that something awake touches wakes.
func (w *World) findContacts() {
	w.old, w.contacts = w.contacts, w.old[:0]
	w.gaps, w.kept = w.gaps[:0], w.kept[:0]
	next := 0
	for _, key := range w.pairs {
		next = w.carrySleepers(next, key)
		a, b := int32(key>>16), int32(key&0xffff)
		if w.meet(next, key, w.solid(a), b, a) {
			w.wake(a)
			w.wake(b)
		}
	}
	ground := int32(len(w.solids))
	for i := range w.movable() {
		key := pairKey(ground, int32(i))
		next = w.carrySleepers(next, key)
		if !w.asleep(int32(i)) {
			w.meet(next, key, nil, int32(i), ground)
		}
	}
	w.carrySleepers(next, ^uint32(0))
}

// wake wakes the body of solid i; what stands still has no sleep, and what is held
// does not wake.
func (w *World) wake(i int32) {
	i = w.body(i)
	if int(i) < len(w.bodies) && w.bodies[i].Asleep && !w.held(i) {
		w.bodies[i].Asleep = false
		w.rest[i] = 0
	}
}

// solid returns the solid of a number, nil for the ground.
func (w *World) solid(i int32) *solid {
	if int(i) == len(w.solids) {
		return nil
	}
	return &w.solids[i]
}

// asleep reports whether the body of solid i sleeps, or stands still.
func (w *World) asleep(i int32) bool {
	i = w.body(i)
	return int(i) >= len(w.bodies) || w.bodies[i].Asleep
}

// carrySleepers takes over the old manifolds with keys below key of which both
// bodies sleep: nothing has moved, so they hold, and the impulses are there
// when the bodies wake. It returns the place of the first old manifold that is
// not below key.
func (w *World) carrySleepers(next int, key uint32) int {
	for next < len(w.old) && w.old[next].key < key {
		m := &w.old[next]
		if a, b := m.solids(); len(w.carried) > 0 && w.left(m) {
			w.wake(b)
		} else if w.asleep(a) && w.asleep(b) {
			w.kept = append(w.kept, int32(len(w.contacts)))
			w.contacts = append(w.contacts, *m)
			w.gaps = append(w.gaps, [4]float32{})
		}
		next++
	}
	return next
}

// meet adds the manifold of a pair, if it touches. s is the first solid, or
// nil for the ground; next is where in the old list its last manifold would be.
func (w *World) meet(next int, key uint32, s *solid, b, a int32) bool {
	var last *manifold
	if next < len(w.old) && w.old[next].key == key {
		last = &w.old[next]
		if w.keep(last, s, &w.solids[b]) {
			return true
		}
	}
	return w.find(last, key, s, b, a)
}

// keep takes over an old manifold, with the present separations, if it still
// fits.
func (w *World) keep(m *manifold, s, t *solid) bool {
	if !w.fits(m, s, t) {
		return false
	}
	w.contacts = append(w.contacts, *m)
	w.gaps = append(w.gaps, m.separations(s, t))
	return true
}

// fits reports whether the boxes of a manifold have moved so little against
// each other since its points were found that the points may stay.
func (w *World) fits(m *manifold, s, t *solid) bool {
	limit := w.Settings.Recycle
	if limit <= 0 || w.Settings.ColdStart || m.n == 0 {
		return false
	}
	rotA, offset := geom.Identity, t.pose.Pos
	if s != nil {
		rotA = s.pose.Rot
		offset = s.axes.TMul(t.pose.Pos.Sub(s.pose.Pos))
	}
	cosA, cosB := rotA.Dot(m.rotA), t.pose.Rot.Dot(m.rotB)
	if float32(cosA*cosA) < keepCos2 || float32(cosB*cosB) < keepCos2 {
		return false
	}
	moved2 := offset.Sub(m.offset).Len2()
	if moved2 >= float32(limit*limit) {
		return false
	}
	// What is left of the limit must cover the way of the farthest corner as
	// b turns in a's frame: for small angles twice the quaternion's vector
	// times the corner.
	slack := limit - geom.Sqrt(moved2)
	before := m.rotA.Inverse().Mul(m.rotB)
	turned := before.Inverse().Mul(rotA.Inverse().Mul(t.pose.Rot))
	x, y, z := geom.Abs(turned.X), geom.Abs(turned.Y), geom.Abs(turned.Z)
	arc := geom.Vec3{
		X: float32(y*t.half.Z) + float32(z*t.half.Y),
		Y: float32(z*t.half.X) + float32(x*t.half.Z),
		Z: float32(x*t.half.Y) + float32(y*t.half.X),
	}
	return float32(4*arc.Len2()) < float32(slack*slack)
}

// separations returns how far apart the surfaces are now at each point: as far
// as when the points were found, and by as much as the two arms have moved
// apart along the normal since.
func (m *manifold) separations(s, t *solid) (gaps [4]float32) {
	rotA, way := geom.Identity, t.pose.Pos
	if s != nil {
		rotA, way = s.pose.Rot, t.pose.Pos.Sub(s.pose.Pos)
	}
	turnA, turnB := rotA.Mul(m.rotA.Inverse()), t.pose.Rot.Mul(m.rotB.Inverse())
	for i := range m.points[:m.n] {
		p := &m.points[i]
		gaps[i] = p.gap + way.Add(turnB.Rotate(p.armB).Sub(turnA.Rotate(p.armA))).Dot(m.normal)
	}
	return gaps
}

// find finds the points of a pair from scratch, and the impulses of those that
// the pair had before.
func (w *World) find(last *manifold, key uint32, s *solid, b, a int32) bool {
	t := &w.solids[b]
	var out [4]touch
	var n int
	normal := geom.Vec3{Z: 1}
	rotA, posA := geom.Identity, geom.Vec3{}
	margin := contactMargin + w.reach(b)
	if s == nil {
		n = boxGround(t, margin, &out)
	} else {
		rotA, posA = s.pose.Rot, s.pose.Pos
		if c := w.carrier(a); c != nil {
			margin = contactMargin + w.passing(b, c.path)
		} else {
			margin += w.reach(a)
		}
		n, normal = boxBox(s, t, margin, &out)
	}
	if n == 0 {
		return false
	}
	w.contacts = append(w.contacts, manifold{
		key: key, n: int32(n), normal: normal, rotA: rotA, rotB: t.pose.Rot, offset: t.pose.Pos,
	})
	m := &w.contacts[len(w.contacts)-1]
	if s != nil {
		m.offset = s.axes.TMul(t.pose.Pos.Sub(posA))
	}
	var gaps [4]float32
	for i := range n {
		m.points[i] = point{armA: out[i].at.Sub(posA), armB: out[i].at.Sub(t.pose.Pos), gap: out[i].gap, id: out[i].id}
		gaps[i] = out[i].gap
	}
	w.gaps = append(w.gaps, gaps)
	if last == nil || w.Settings.ColdStart {
		return true
	}
	m.rub, m.twist = last.rub, last.twist
	for i := range m.points[:n] {
		for j := range last.points[:last.n] {
			if last.points[j].id == m.points[i].id {
				m.points[i].impulse = last.points[j].impulse
				break
			}
		}
	}
	return true
}

// reach is how much further than the margin a solid may come in this tick:
// nothing, unless it is fast for its size.
func (w *World) reach(i int32) float32 {
	body := w.body(i)
	if int(body) >= len(w.bodies) || w.bodies[body].Asleep {
		return 0
	}
	way2 := w.bodies[body].Linear.Scale(w.dt).Len2()
	if way2 < fastWay2(w.solids[i].half) {
		return 0
	}
	return geom.Sqrt(way2)
}

// Points returns how many contact points there are.
func (w *World) Points() (n int) {
	for i := range w.contacts {
		n += int(w.contacts[i].n)
	}
	return n
}
