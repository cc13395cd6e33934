package sim

import (
	"slices"

	"ghostcube/sim/geom"
)

// The solver is the "soft step" of Box3D. A tick is cut into substeps of
// length h. Each of them
//
//	adds gravity and forces to the velocities,
//	applies last time's impulses again (the warm start),
//	solves every contact once as a stiff damped spring, which turns penetration into separating speed,
//	moves the bodies,
//	solves every contact once more without the spring (relaxing), which takes that speed out again, and there adds friction.
//
// A contact point along normal n with arms rA and rB has the velocity
//
//	v = n.(vB - vA) + (rB x n).wB - (rA x n).wA
//
// and an impulse d along n changes v by d / mass, with
//
//	1 / mass = 1/mA + 1/mB + (rA x n).IA(rA x n) + (rB x n).IB(rB x n)
//
// where I are inverse inertias. Angular velocities are held as u = w / sqrt(I):
// then, with s = sqrt(I)(r x n), the velocity has the term s.u, the impulse
// changes u by d s, and the mass has s.s, so one vector does for each arm what
// else takes two. The s are taken once a tick, and within the tick the
// separation is followed to first order,
//
//	gap = gap0 + n.(dpB - dpA) + sB.thB - sA.thA
//
// with dp and th the way and the turn of a body so far, the turn in units of u. At the 16 rad/s that a
// scene allows, the neglected second order is at most 1.2 cm at the far corner
// of the player's cube in the last substep.
//
// A soft contact of frequency w and damping ratio z gives, over a time h, the
// velocity bias w/(2z + hw) times the gap, and scales mass and impulse by
// hw(2z + hw) / (1 + hw(2z + hw)) and 1 / (1 + hw(2z + hw)) (Catto, "Soft
// Constraints", GDC 2011).
//
// Friction acts once for each manifold: two tangents at the weighted middle of
// its points as one 2 x 2 block, limited to the circle of mu times all normal
// impulses, and one torque about the normal, limited by the arms of the points.

// motion is what the inner loops touch of a body.
type motion struct {
	v, u    geom.Vec3 // velocities, the angular one in the solver's units
	dp, th  geom.Vec3 // way and turn since the tick began, likewise
	turn    geom.Quat // the turn, exactly
	invMass float32
}

// constraint is a manifold made ready for one tick's solving.
type constraint struct {
	contact  int32 // its manifold
	a, b     int32 // motions; a may be the one that never moves, or one that b is seen from
	n        int32
	still    bool // a stands still, as seen from b at least: such contacts are twice as stiff
	rides    bool // a is of a carrier, and its motion what b is seen from
	friction float32
	normal   geom.Vec3
	t1, t2   geom.Vec3
	points   [4]row

	f1, f2, twist float32 // friction impulses
	k11, k12, k22 float32 // inverse of the tangents' mass matrix
	twistMass     float32
	a1, a2        geom.Vec3 // root of the inverse inertia times arm x tangent
	b1, b2        geom.Vec3
	na, nb        geom.Vec3 // and times the normal
}

// row is one point of a constraint.
type row struct {
	ra, rb  geom.Vec3 // root of the inverse inertia times arm x normal
	gap     float32
	mass    float32
	impulse float32
	lever   float32 // distance from the middle of the points
	point   int32   // its place in the manifold
}

// softness is a soft contact's three numbers for one substep.
type softness struct{ bias, mass, impulse float32 }

func soften(hertz, ratio, h float32) softness {
	omega := float32(geom.TwoPi * hertz)
	a := float32(2*ratio) + float32(h*omega)
	b := float32(float32(h*omega) * a)
	c := 1 / (1 + b)
	return softness{omega / a, float32(b * c), c}
}

// solve turns forces and contacts into the new velocities and poses.
func (w *World) solve() {
	set := &w.Settings
	h := w.dt / float32(set.Substeps)
	inv := 1 / h
	hertz := min(set.ContactHertz, float32(0.125*inv))
	loose := soften(hertz, set.ContactDampingRatio, h)
	firm := soften(float32(2*hertz), float32(0.5*set.ContactDampingRatio), h)
	damp := 1 / (1 + float32(h*w.scene.Damping))

	tight := soften(min(set.JointHertz, float32(0.5*inv)), set.JointDampingRatio, h)

	w.prepare()
	w.readyJoints()
	for part := range set.Substeps {
		w.accelerate(h, damp)
		w.drag(h, damp)
		w.warmJoints()
		w.warmStart()
		w.approach(part, h)
		w.solveSoft(&loose, &firm, inv)
		w.solveJoints(&tight, h, inv, true)
		w.move(h)
		w.follow(part, h)
		w.aimJoints()
		w.relax(inv)
		w.solveJoints(&rigid, h, inv, false)
	}
	w.storeJoints()
	w.finish()
}

// prepare loads the motions of the bodies awake and makes their contacts
// ready, in the order in which they will be solved.
func (w *World) prepare() {
	w.active, w.riders, w.moving = w.active[:0], w.riders[:0], w.moving[:len(w.bodies)+1]
	for i := range w.bodies {
		b := &w.bodies[i]
		if !b.Asleep {
			w.active = append(w.active, int32(i))
			s := &w.solids[i]
			w.moving[i] = motion{v: b.Linear, u: s.scaled(b.Angular), turn: geom.Identity, invMass: s.invMass}
		} else if w.held(int32(i)) {
			w.moving[i] = motion{turn: geom.Identity} // it stands still
		}
	}
	w.touching = w.touching[:0]
	w.order = w.order[:0]
	for k := range w.contacts {
		if a, b := w.contacts[k].solids(); !w.asleep(b) || !w.asleep(a) {
			w.order = append(w.order, int32(k))
		}
	}
	if w.Settings.SolveOrderSeed != 0 {
		w.shuffle()
	}
	w.touching = slices.Grow(w.touching, len(w.order))[:len(w.order)]
	for i, k := range w.order {
		a, b := w.contacts[k].solids()
		w.ready(&w.touching[i], k, a, b)
	}
}

// shuffle draws an order of the contacts from the seed in the settings
// (Fisher and Yates). Another order is as right as any, and gives other bits.
// Where one box stands alone on the ground there is one contact only, so the
// points within it are taken in another order as well.
func (w *World) shuffle() {
	x := w.Settings.SolveOrderSeed
	for i := len(w.order) - 1; i > 0; i-- {
		x += 0x9E3779B97F4A7C15
		z := (x ^ x>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		j := int((z ^ z>>31) % uint64(i+1))
		w.order[i], w.order[j] = w.order[j], w.order[i]
	}
}

// ready fills in a constraint from contact k between solids a and b.
func (w *World) ready(c *constraint, k, a, b int32) {
	m := &w.contacts[k]
	gaps := &w.gaps[k]
	c.contact, c.n, c.normal = k, m.n, m.normal
	var offA, offB geom.Vec3 // from the bodies' middles to those of the boxes
	rub := float32(1)        // the ground's
	if int(a) < len(w.solids) {
		rub = w.solids[a].friction
	}
	c.friction = geom.Sqrt(float32(rub * w.solids[b].friction))
	if len(w.parts) > 0 {
		if body := w.body(b); body != b {
			b, offB = body, w.beside(b, body)
		}
		if body := w.body(a); body != a {
			a, offA = body, w.beside(a, body)
		}
	}
	c.a, c.b = a, b
	sb := &w.solids[b]
	var rootA geom.Sym3
	rootB := &sb.root
	var massA float32
	c.rides = false
	if c.still = int(a) >= len(w.bodies); c.still {
		c.a = int32(len(w.bodies))
		if box := w.carrier(a); box != nil && w.courses[box.path].moves && !w.still.on {
			c.a, c.rides = w.ride(b, box.path), true
		}
	} else {
		rootA, massA = w.solids[a].root, w.solids[a].invMass
	}
	n := c.normal
	c.t1 = n.Perpendicular()
	c.t2 = c.t1.Cross(n)
	c.na, c.nb = rootA.Mul(n), rootB.Mul(n)

	// A point weighs less in the middle the further apart its surfaces are.
	both := massA + sb.invMass
	var midA, midB geom.Vec3
	var sum float32
	for i := range c.n {
		r := &c.points[i]
		r.point = i
		if w.Settings.SolveOrderSeed != 0 {
			r.point = c.n - 1 - i // the points of a manifold have an order too
		}
		p := &m.points[r.point]
		r.gap, r.impulse = gaps[r.point], p.impulse
		armA, armB := p.armA.Add(offA), p.armB.Add(offB)
		r.ra, r.rb = rootA.Mul(armA.Cross(n)), rootB.Mul(armB.Cross(n))
		r.mass = 1 / (both + r.ra.Len2() + r.rb.Len2())
		weight := geom.Clamp(2-float32(r.gap*(1/contactMargin)), 1e-10, 1)
		midA, midB = midA.Plus(weight, armA), midB.Plus(weight, armB)
		sum += weight
	}
	if c.n > 0 {
		midA, midB = midA.Scale(1/sum), midB.Scale(1/sum)
	}
	for i := range c.n {
		r := &c.points[i]
		r.lever = m.points[r.point].armA.Add(offA).Sub(midA).Len()
	}
	c.a1, c.a2 = rootA.Mul(midA.Cross(c.t1)), rootA.Mul(midA.Cross(c.t2))
	c.b1, c.b2 = rootB.Mul(midB.Cross(c.t1)), rootB.Mul(midB.Cross(c.t2))
	k11 := both + c.a1.Len2() + c.b1.Len2()
	k22 := both + c.a2.Len2() + c.b2.Len2()
	k12 := c.a1.Dot(c.a2) + c.b1.Dot(c.b2)
	det := 1 / (float32(k11*k22) - float32(k12*k12))
	c.k11, c.k22, c.k12 = float32(k22*det), float32(k11*det), -float32(k12*det)
	c.twistMass = 1 / (c.na.Len2() + c.nb.Len2())
	c.f1, c.f2, c.twist = m.rub.Dot(c.t1), m.rub.Dot(c.t2), m.twist
}

// accelerate adds damping, forces and gravity for a substep.
func (w *World) accelerate(h, damp float32) {
	fall := float32(h * w.scene.Gravity)
	for _, i := range w.active {
		m := &w.moving[i]
		m.v = m.v.Scale(damp)
		m.u = m.u.Scale(damp)
		if int(i) < w.scene.Players || w.force[i] != (geom.Vec3{}) {
			m.v = m.v.Plus(float32(h*m.invMass), w.force[i])
			m.u = m.u.Plus(h, w.solids[i].root.Mul(w.torque[i]))
		}
		m.v.Z -= fall
	}
}

// warmStart applies the impulses that each contact ended with.
func (w *World) warmStart() {
	for k := range w.touching {
		c := &w.touching[k]
		a, b := &w.moving[c.a], &w.moving[c.b]
		ua, ub := a.u, b.u
		var sum float32
		for i := range c.points[:c.n&7] {
			r := &c.points[i]
			sum += r.impulse
			ua, ub = ua.Minus(r.impulse, r.ra), ub.Plus(r.impulse, r.rb)
		}
		p := c.normal.Scale(sum).Plus(c.f1, c.t1).Plus(c.f2, c.t2)
		b.v = b.v.Plus(b.invMass, p)
		b.u = ub.Plus(c.f1, c.b1).Plus(c.f2, c.b2).Plus(c.twist, c.nb)
		if !c.still {
			a.v = a.v.Minus(a.invMass, p)
			a.u = ua.Minus(c.f1, c.a1).Minus(c.f2, c.a2).Minus(c.twist, c.na)
		}
	}
}

// solveSoft solves each contact once as a spring.
func (w *World) solveSoft(loose, firm *softness, inv float32) {
	push := -w.Settings.MaxPushSpeed
	for k := range w.touching {
		c := &w.touching[k]
		a, b := &w.moving[c.a], &w.moving[c.b]
		s := loose
		if c.still {
			s = firm
		}
		n := c.normal
		if c.rides {
			b.u, b.th = b.u.Sub(a.u), b.th.Sub(a.th)
		}
		ua, ub := a.u, b.u
		apart := n.Dot(b.dp.Sub(a.dp))
		vn := n.Dot(b.v.Sub(a.v))
		both := a.invMass + b.invMass
		rate := float32(s.mass * s.bias)
		var sum float32
		for i := range c.points[:c.n&7] {
			r := &c.points[i]
			gap := r.gap + apart + r.rb.Dot(b.th) - r.ra.Dot(a.th)
			v := vn + r.rb.Dot(ub) - r.ra.Dot(ua)
			var d float32
			if gap > 0 { // may close the gap in this substep, and no more
				d = -float32(r.mass * (v + float32(gap*inv)))
			} else {
				bias := float32(rate * gap)
				if bias < push {
					bias = push
				}
				d = -float32(r.mass*(float32(s.mass*v)+bias)) - float32(s.impulse*r.impulse)
			}
			impulse := r.impulse + d
			if impulse < 0 {
				impulse = 0
			}
			d = impulse - r.impulse
			r.impulse = impulse
			sum += d
			vn += float32(both * d)
			ua, ub = ua.Minus(d, r.ra), ub.Plus(d, r.rb)
		}
		b.v, b.u = b.v.Plus(float32(b.invMass*sum), n), ub
		if !c.still {
			a.v, a.u = a.v.Minus(float32(a.invMass*sum), n), ua
		}
		if c.rides {
			b.u, b.th = b.u.Add(a.u), b.th.Add(a.th)
		}
	}
}

// move advances the bodies by a substep.
func (w *World) move(h float32) {
	half := float32(0.5 * h)
	for _, i := range w.active {
		m := &w.moving[i]
		m.dp = m.dp.Plus(h, m.v)
		if w.solids[i].lopsided {
			w.solids[i].tumble(m, h)
			continue
		}
		m.th = m.th.Plus(h, m.u)
		m.turn = turned(m.turn, m.u.Scale(w.solids[i].roots.X), half)
	}
}

// tumble turns a box whose inertia is not the same about all axes. What stays
// is its angular momentum, and its velocity of turning follows from where it
// points: here at the middle of the substep for the way, and at its end for the
// velocity, so momentum is kept exactly and energy to second order.
func (s *solid) tumble(m *motion, h float32) {
	axes := m.turn.Mul(s.pose.Rot).Mat()
	spin := s.root.Mul(m.u)
	own := axes.TMul(spin)
	momentum := axes.Mul(geom.Vec3{X: own.X / s.inertia.X, Y: own.Y / s.inertia.Y, Z: own.Z / s.inertia.Z})
	middle := s.turnRate(turned(m.turn, spin, float32(0.25*h)), momentum)
	m.th = m.th.Plus(h, s.scaled(middle))
	m.turn = turned(m.turn, middle, float32(0.5*h))
	m.u = s.scaled(s.turnRate(m.turn, momentum))
}

// scaled returns an angular velocity in the solver's units.
func (s *solid) scaled(w geom.Vec3) geom.Vec3 {
	if !s.lopsided {
		return w.Scale(1 / s.roots.X)
	}
	l := s.axes.TMul(w)
	return s.axes.Mul(geom.Vec3{X: l.X / s.roots.X, Y: l.Y / s.roots.Y, Z: l.Z / s.roots.Z})
}

// turned returns q turned at w rad/s for twice the time half.
func turned(q geom.Quat, w geom.Vec3, half float32) geom.Quat {
	s := w.Scale(half)
	d := geom.Quat{X: s.X, Y: s.Y, Z: s.Z}.Mul(q)
	return geom.Quat{X: q.X + d.X, Y: q.Y + d.Y, Z: q.Z + d.Z, W: q.W + d.W}.Unit()
}

// turnRate returns the angular velocity that a momentum means where the solid
// has turned by q since the tick began.
func (s *solid) turnRate(q geom.Quat, momentum geom.Vec3) geom.Vec3 {
	axes := q.Mul(s.pose.Rot).Mat()
	l := axes.TMul(momentum)
	return axes.Mul(geom.Vec3{X: float32(l.X * s.inertia.X), Y: float32(l.Y * s.inertia.Y), Z: float32(l.Z * s.inertia.Z)})
}

// relax solves each contact once without its spring, and its friction.
func (w *World) relax(inv float32) {
	for k := range w.touching {
		c := &w.touching[k]
		a, b := &w.moving[c.a], &w.moving[c.b]
		n := c.normal
		if c.rides {
			b.u, b.th = b.u.Sub(a.u), b.th.Sub(a.th)
		}
		ua, ub := a.u, b.u
		ma, mb := a.invMass, b.invMass
		apart := n.Dot(b.dp.Sub(a.dp))
		vn := n.Dot(b.v.Sub(a.v))
		both := ma + mb
		var sum, total, hold float32
		for i := range c.points[:c.n&7] {
			r := &c.points[i]
			gap := r.gap + apart + r.rb.Dot(b.th) - r.ra.Dot(a.th)
			v := vn + r.rb.Dot(ub) - r.ra.Dot(ua)
			if gap > 0 {
				v += float32(gap * inv)
			}
			impulse := r.impulse - float32(r.mass*v)
			if impulse < 0 {
				impulse = 0
			}
			d := impulse - r.impulse
			r.impulse = impulse
			total += impulse
			hold += float32(r.lever * impulse)
			sum += d
			vn += float32(both * d)
			ua, ub = ua.Minus(d, r.ra), ub.Plus(d, r.rb)
		}
		va, vb := a.v.Minus(float32(ma*sum), n), b.v.Plus(float32(mb*sum), n)

		most := float32(c.friction * hold)
		twist := geom.Clamp(c.twist-float32(c.twistMass*(c.nb.Dot(ub)-c.na.Dot(ua))), -most, most)
		d := twist - c.twist
		c.twist = twist
		ua, ub = ua.Minus(d, c.na), ub.Plus(d, c.nb)

		slip := vb.Sub(va)
		s1 := c.t1.Dot(slip) + c.b1.Dot(ub) - c.a1.Dot(ua)
		s2 := c.t2.Dot(slip) + c.b2.Dot(ub) - c.a2.Dot(ua)
		f1 := c.f1 - (float32(c.k11*s1) + float32(c.k12*s2))
		f2 := c.f2 - (float32(c.k12*s1) + float32(c.k22*s2))
		most = float32(c.friction * total)
		if l2 := float32(f1*f1) + float32(f2*f2); l2 > float32(most*most) {
			scale := most / geom.Sqrt(l2)
			f1, f2 = float32(f1*scale), float32(f2*scale)
		}
		d1, d2 := f1-c.f1, f2-c.f2
		c.f1, c.f2 = f1, f2
		p := c.t1.Scale(d1).Plus(d2, c.t2)
		b.v, b.u = vb.Plus(mb, p), ub.Plus(d1, c.b1).Plus(d2, c.b2)
		if !c.still {
			a.v, a.u = va.Minus(ma, p), ua.Minus(d1, c.a1).Minus(d2, c.a2)
		}
		if c.rides {
			b.u, b.th = b.u.Add(a.u), b.th.Add(a.th)
		}
	}
}

// finish stores impulses, velocities and poses.
func (w *World) finish() {
	for k := range w.touching {
		c := &w.touching[k]
		m := &w.contacts[c.contact]
		for i := range c.n {
			m.points[c.points[i].point].impulse = c.points[i].impulse
		}
		m.rub = c.t1.Scale(c.f1).Plus(c.f2, c.t2)
		m.twist = c.twist
	}
	for _, i := range w.active {
		w.force[i], w.torque[i] = geom.Vec3{}, geom.Vec3{} // what is pushed is awake
		b, m := &w.bodies[i], &w.moving[i]
		b.Linear, b.Angular = m.v, w.solids[i].root.Mul(m.u)
		b.Pose.Pos = w.bounded(b.Pose.Pos.Add(m.dp))
		b.Pose.Rot = m.turn.Mul(b.Pose.Rot).Unit()
		w.refresh(int(i))
	}
}
