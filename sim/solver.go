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

// solverBody is what the inner loops touch of a body.
type solverBody struct {
	v, u       geom.Vec3 // velocities, the angular one in the solver's units
	dp, dtheta geom.Vec3 // way and turn since the tick began, likewise
	dq         geom.Quat // the turn, exactly
	invMass    float32
}

// contactConstraint is a manifold made ready for one tick's solving.
type contactConstraint struct {
	contact    int32 // its manifold
	a, b       int32 // motions; a may be the one that never moves, or one that b is seen from
	pointCount int32
	static     bool // a stands still, as seen from b at least: such contacts are twice as stiff
	onCarrier  bool // a is of a carrier, and its motion what b is seen from
	friction   float32
	normal     geom.Vec3
	t1, t2     geom.Vec3
	points     [4]constraintPoint

	f1, f2, twistImpulse float32 // friction impulses
	k11, k12, k22        float32 // inverse of the tangents' mass matrix
	twistMass            float32
	a1, a2               geom.Vec3 // root of the inverse inertia times arm x tangent
	b1, b2               geom.Vec3
	na, nb               geom.Vec3 // and times the normal
}

// constraintPoint is one point of a constraint.
type constraintPoint struct {
	ra, rb        geom.Vec3 // root of the inverse inertia times arm x normal
	separation    float32
	normalMass    float32
	normalImpulse float32
	leverArm      float32 // distance from the middle of the points
	index         int32   // its place in the manifold
}

// softness is a soft contact's three numbers for one substep.
type softness struct{ biasRate, massScale, impulseScale float32 }

func makeSoft(hertz, ratio, h float32) softness {
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
	loose := makeSoft(hertz, set.ContactDampingRatio, h)
	firm := makeSoft(float32(2*hertz), float32(0.5*set.ContactDampingRatio), h)
	damp := 1 / (1 + float32(h*w.scene.Damping))

	tight := makeSoft(min(set.JointHertz, float32(0.5*inv)), set.JointDampingRatio, h)

	w.prepare()
	w.prepareJoints()
	for part := range set.Substeps {
		w.integrateVelocities(h, damp)
		w.applyFrameMotion(h, damp)
		w.warmStartJoints()
		w.warmStartContacts()
		w.updateCarriersBeforeMove(part, h)
		w.solveContacts(&loose, &firm, inv)
		w.solveJoints(&tight, h, inv, true)
		w.integratePositions(h)
		w.updateCarriersAfterMove(part, h)
		w.updateJoints()
		w.relaxContacts(inv)
		w.solveJoints(&rigid, h, inv, false)
	}
	w.storeJointImpulses()
	w.finalize()
}

// prepare loads the motions of the bodies awake and makes their contacts
// ready, in the order in which they will be solved.
func (w *World) prepare() {
	w.awakeBodies, w.carrierContacts, w.solverBodies = w.awakeBodies[:0], w.carrierContacts[:0], w.solverBodies[:len(w.bodies)+1]
	for i := range w.bodies {
		b := &w.bodies[i]
		if !b.Asleep {
			w.awakeBodies = append(w.awakeBodies, int32(i))
			s := &w.shapes[i]
			w.solverBodies[i] = solverBody{v: b.Linear, u: s.toSolverUnits(b.Angular), dq: geom.Identity, invMass: s.invMass}
		} else if w.kinematic(int32(i)) {
			w.solverBodies[i] = solverBody{dq: geom.Identity} // it stands still
		}
	}
	w.contactConstraints = w.contactConstraints[:0]
	w.contactOrder = w.contactOrder[:0]
	for k := range w.contacts {
		if a, b := w.contacts[k].shapes(); !w.asleep(b) || !w.asleep(a) {
			w.contactOrder = append(w.contactOrder, int32(k))
		}
	}
	if w.Settings.SolveOrderSeed != 0 {
		w.shuffleContacts()
	}
	w.contactConstraints = slices.Grow(w.contactConstraints, len(w.contactOrder))[:len(w.contactOrder)]
	for i, k := range w.contactOrder {
		a, b := w.contacts[k].shapes()
		w.prepareContact(&w.contactConstraints[i], k, a, b)
	}
}

// shuffleContacts draws an order of the contacts from the seed in the settings
// (Fisher and Yates). Another order is as right as any, and gives other bits.
// Where one box stands alone on the ground there is one contact only, so the
// points within it are taken in another order as well.
func (w *World) shuffleContacts() {
	x := w.Settings.SolveOrderSeed
	for i := len(w.contactOrder) - 1; i > 0; i-- {
		x += 0x9E3779B97F4A7C15
		z := (x ^ x>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		j := int((z ^ z>>31) % uint64(i+1))
		w.contactOrder[i], w.contactOrder[j] = w.contactOrder[j], w.contactOrder[i]
	}
}

// prepareContact fills in a constraint from contact k between solids a and b.
func (w *World) prepareContact(c *contactConstraint, k, a, b int32) {
	m := &w.contacts[k]
	gaps := &w.separations[k]
	c.contact, c.pointCount, c.normal = k, m.pointCount, m.normal
	var offA, offB geom.Vec3 // from the bodies' middles to those of the boxes
	rub := float32(1)        // the ground's
	if int(a) < len(w.shapes) {
		rub = w.shapes[a].friction
	}
	c.friction = geom.Sqrt(float32(rub * w.shapes[b].friction))
	if len(w.parts) > 0 {
		if body := w.bodyOf(b); body != b {
			b, offB = body, w.shapeOffset(b, body)
		}
		if body := w.bodyOf(a); body != a {
			a, offA = body, w.shapeOffset(a, body)
		}
	}
	c.a, c.b = a, b
	sb := &w.shapes[b]
	var rootA geom.SymMat3
	rootB := &sb.sqrtInvInertiaWorld
	var massA float32
	c.onCarrier = false
	if c.static = int(a) >= len(w.bodies); c.static {
		c.a = int32(len(w.bodies))
		if box := w.carrierBoxOf(a); box != nil && w.carrierMotions[box.carrier].moving && !w.pin.active {
			c.a, c.onCarrier = w.addCarrierContact(b, box.carrier), true
		}
	} else {
		rootA, massA = w.shapes[a].sqrtInvInertiaWorld, w.shapes[a].invMass
	}
	n := c.normal
	c.t1 = n.Perpendicular()
	c.t2 = c.t1.Cross(n)
	c.na, c.nb = rootA.Mul(n), rootB.Mul(n)

	// A point weighs less in the middle the further apart its surfaces are.
	both := massA + sb.invMass
	var midA, midB geom.Vec3
	var sum float32
	for i := range c.pointCount {
		r := &c.points[i]
		r.index = i
		if w.Settings.SolveOrderSeed != 0 {
			r.index = c.pointCount - 1 - i // the points of a manifold have an order too
		}
		p := &m.points[r.index]
		r.separation, r.normalImpulse = gaps[r.index], p.normalImpulse
		armA, armB := p.anchorA.Add(offA), p.anchorB.Add(offB)
		r.ra, r.rb = rootA.Mul(armA.Cross(n)), rootB.Mul(armB.Cross(n))
		r.normalMass = 1 / (both + r.ra.LenSq() + r.rb.LenSq())
		weight := geom.Clamp(2-float32(r.separation*(1/contactMargin)), 1e-10, 1)
		midA, midB = midA.AddScaled(weight, armA), midB.AddScaled(weight, armB)
		sum += weight
	}
	if c.pointCount > 0 {
		midA, midB = midA.Scale(1/sum), midB.Scale(1/sum)
	}
	for i := range c.pointCount {
		r := &c.points[i]
		r.leverArm = m.points[r.index].anchorA.Add(offA).Sub(midA).Len()
	}
	c.a1, c.a2 = rootA.Mul(midA.Cross(c.t1)), rootA.Mul(midA.Cross(c.t2))
	c.b1, c.b2 = rootB.Mul(midB.Cross(c.t1)), rootB.Mul(midB.Cross(c.t2))
	k11 := both + c.a1.LenSq() + c.b1.LenSq()
	k22 := both + c.a2.LenSq() + c.b2.LenSq()
	k12 := c.a1.Dot(c.a2) + c.b1.Dot(c.b2)
	det := 1 / (float32(k11*k22) - float32(k12*k12))
	c.k11, c.k22, c.k12 = float32(k22*det), float32(k11*det), -float32(k12*det)
	c.twistMass = 1 / (c.na.LenSq() + c.nb.LenSq())
	c.f1, c.f2, c.twistImpulse = m.frictionImpulse.Dot(c.t1), m.frictionImpulse.Dot(c.t2), m.twistImpulse
}

// integrateVelocities adds damping, forces and gravity for a substep.
func (w *World) integrateVelocities(h, damp float32) {
	fall := float32(h * w.scene.Gravity)
	for _, i := range w.awakeBodies {
		m := &w.solverBodies[i]
		m.v = m.v.Scale(damp)
		m.u = m.u.Scale(damp)
		if int(i) < w.scene.Players || w.force[i] != (geom.Vec3{}) {
			m.v = m.v.AddScaled(float32(h*m.invMass), w.force[i])
			m.u = m.u.AddScaled(h, w.shapes[i].sqrtInvInertiaWorld.Mul(w.torque[i]))
		}
		m.v.Z -= fall
	}
}

// warmStartContacts applies the impulses that each contact ended with.
func (w *World) warmStartContacts() {
	for k := range w.contactConstraints {
		c := &w.contactConstraints[k]
		a, b := &w.solverBodies[c.a], &w.solverBodies[c.b]
		ua, ub := a.u, b.u
		var sum float32
		for i := range c.points[:c.pointCount&7] {
			r := &c.points[i]
			sum += r.normalImpulse
			ua, ub = ua.SubScaled(r.normalImpulse, r.ra), ub.AddScaled(r.normalImpulse, r.rb)
		}
		p := c.normal.Scale(sum).AddScaled(c.f1, c.t1).AddScaled(c.f2, c.t2)
		b.v = b.v.AddScaled(b.invMass, p)
		b.u = ub.AddScaled(c.f1, c.b1).AddScaled(c.f2, c.b2).AddScaled(c.twistImpulse, c.nb)
		if !c.static {
			a.v = a.v.SubScaled(a.invMass, p)
			a.u = ua.SubScaled(c.f1, c.a1).SubScaled(c.f2, c.a2).SubScaled(c.twistImpulse, c.na)
		}
	}
}

// solveContacts solves each contact once as a spring.
func (w *World) solveContacts(loose, firm *softness, inv float32) {
	push := -w.Settings.MaxPushSpeed
	for k := range w.contactConstraints {
		c := &w.contactConstraints[k]
		a, b := &w.solverBodies[c.a], &w.solverBodies[c.b]
		s := loose
		if c.static {
			s = firm
		}
		n := c.normal
		if c.onCarrier {
			b.u, b.dtheta = b.u.Sub(a.u), b.dtheta.Sub(a.dtheta)
		}
		ua, ub := a.u, b.u
		apart := n.Dot(b.dp.Sub(a.dp))
		vn := n.Dot(b.v.Sub(a.v))
		both := a.invMass + b.invMass
		rate := float32(s.massScale * s.biasRate)
		var sum float32
		for i := range c.points[:c.pointCount&7] {
			r := &c.points[i]
			gap := r.separation + apart + r.rb.Dot(b.dtheta) - r.ra.Dot(a.dtheta)
			v := vn + r.rb.Dot(ub) - r.ra.Dot(ua)
			var d float32
			if gap > 0 { // may close the gap in this substep, and no more
				d = -float32(r.normalMass * (v + float32(gap*inv)))
			} else {
				bias := float32(rate * gap)
				if bias < push {
					bias = push
				}
				d = -float32(r.normalMass*(float32(s.massScale*v)+bias)) - float32(s.impulseScale*r.normalImpulse)
			}
			impulse := r.normalImpulse + d
			if impulse < 0 {
				impulse = 0
			}
			d = impulse - r.normalImpulse
			r.normalImpulse = impulse
			sum += d
			vn += float32(both * d)
			ua, ub = ua.SubScaled(d, r.ra), ub.AddScaled(d, r.rb)
		}
		b.v, b.u = b.v.AddScaled(float32(b.invMass*sum), n), ub
		if !c.static {
			a.v, a.u = a.v.SubScaled(float32(a.invMass*sum), n), ua
		}
		if c.onCarrier {
			b.u, b.dtheta = b.u.Add(a.u), b.dtheta.Add(a.dtheta)
		}
	}
}

// integratePositions advances the bodies by a substep.
func (w *World) integratePositions(h float32) {
	half := float32(0.5 * h)
	for _, i := range w.awakeBodies {
		m := &w.solverBodies[i]
		m.dp = m.dp.AddScaled(h, m.v)
		if w.shapes[i].anisotropic {
			w.shapes[i].integrateGyroscopic(m, h)
			continue
		}
		m.dtheta = m.dtheta.AddScaled(h, m.u)
		m.dq = integrateRotation(m.dq, m.u.Scale(w.shapes[i].sqrtInvInertiaLocal.X), half)
	}
}

// integrateGyroscopic turns a box whose inertia is not the same about all axes. What stays
// is its angular momentum, and its velocity of turning follows from where it
// points: here at the middle of the substep for the way, and at its end for the
// velocity, so momentum is kept exactly and energy to second order.
func (s *shape) integrateGyroscopic(m *solverBody, h float32) {
	axes := m.dq.Mul(s.pose.Rot).Mat()
	spin := s.sqrtInvInertiaWorld.Mul(m.u)
	own := axes.MulT(spin)
	momentum := axes.Mul(geom.Vec3{X: own.X / s.invInertiaLocal.X, Y: own.Y / s.invInertiaLocal.Y, Z: own.Z / s.invInertiaLocal.Z})
	middle := s.angularVelocity(integrateRotation(m.dq, spin, float32(0.25*h)), momentum)
	m.dtheta = m.dtheta.AddScaled(h, s.toSolverUnits(middle))
	m.dq = integrateRotation(m.dq, middle, float32(0.5*h))
	m.u = s.toSolverUnits(s.angularVelocity(m.dq, momentum))
}

// toSolverUnits returns an angular velocity in the solver's units.
func (s *shape) toSolverUnits(w geom.Vec3) geom.Vec3 {
	if !s.anisotropic {
		return w.Scale(1 / s.sqrtInvInertiaLocal.X)
	}
	l := s.axes.MulT(w)
	return s.axes.Mul(geom.Vec3{X: l.X / s.sqrtInvInertiaLocal.X, Y: l.Y / s.sqrtInvInertiaLocal.Y, Z: l.Z / s.sqrtInvInertiaLocal.Z})
}

// integrateRotation returns q turned at w rad/s for twice the time half.
func integrateRotation(q geom.Quat, w geom.Vec3, half float32) geom.Quat {
	s := w.Scale(half)
	d := geom.Quat{X: s.X, Y: s.Y, Z: s.Z}.Mul(q)
	return geom.Quat{X: q.X + d.X, Y: q.Y + d.Y, Z: q.Z + d.Z, W: q.W + d.W}.Unit()
}

// angularVelocity returns the angular velocity that a momentum means where the solid
// has turned by q since the tick began.
func (s *shape) angularVelocity(q geom.Quat, momentum geom.Vec3) geom.Vec3 {
	axes := q.Mul(s.pose.Rot).Mat()
	l := axes.MulT(momentum)
	return axes.Mul(geom.Vec3{X: float32(l.X * s.invInertiaLocal.X), Y: float32(l.Y * s.invInertiaLocal.Y), Z: float32(l.Z * s.invInertiaLocal.Z)})
}

// relaxContacts solves each contact once without its spring, and its friction.
func (w *World) relaxContacts(inv float32) {
	for k := range w.contactConstraints {
		c := &w.contactConstraints[k]
		a, b := &w.solverBodies[c.a], &w.solverBodies[c.b]
		n := c.normal
		if c.onCarrier {
			b.u, b.dtheta = b.u.Sub(a.u), b.dtheta.Sub(a.dtheta)
		}
		ua, ub := a.u, b.u
		ma, mb := a.invMass, b.invMass
		apart := n.Dot(b.dp.Sub(a.dp))
		vn := n.Dot(b.v.Sub(a.v))
		both := ma + mb
		var sum, total, hold float32
		for i := range c.points[:c.pointCount&7] {
			r := &c.points[i]
			gap := r.separation + apart + r.rb.Dot(b.dtheta) - r.ra.Dot(a.dtheta)
			v := vn + r.rb.Dot(ub) - r.ra.Dot(ua)
			if gap > 0 {
				v += float32(gap * inv)
			}
			impulse := r.normalImpulse - float32(r.normalMass*v)
			if impulse < 0 {
				impulse = 0
			}
			d := impulse - r.normalImpulse
			r.normalImpulse = impulse
			total += impulse
			hold += float32(r.leverArm * impulse)
			sum += d
			vn += float32(both * d)
			ua, ub = ua.SubScaled(d, r.ra), ub.AddScaled(d, r.rb)
		}
		va, vb := a.v.SubScaled(float32(ma*sum), n), b.v.AddScaled(float32(mb*sum), n)

		most := float32(c.friction * hold)
		twist := geom.Clamp(c.twistImpulse-float32(c.twistMass*(c.nb.Dot(ub)-c.na.Dot(ua))), -most, most)
		d := twist - c.twistImpulse
		c.twistImpulse = twist
		ua, ub = ua.SubScaled(d, c.na), ub.AddScaled(d, c.nb)

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
		p := c.t1.Scale(d1).AddScaled(d2, c.t2)
		b.v, b.u = vb.AddScaled(mb, p), ub.AddScaled(d1, c.b1).AddScaled(d2, c.b2)
		if !c.static {
			a.v, a.u = va.SubScaled(ma, p), ua.SubScaled(d1, c.a1).SubScaled(d2, c.a2)
		}
		if c.onCarrier {
			b.u, b.dtheta = b.u.Add(a.u), b.dtheta.Add(a.dtheta)
		}
	}
}

// finalize stores impulses, velocities and poses.
func (w *World) finalize() {
	for k := range w.contactConstraints {
		c := &w.contactConstraints[k]
		m := &w.contacts[c.contact]
		for i := range c.pointCount {
			m.points[c.points[i].index].normalImpulse = c.points[i].normalImpulse
		}
		m.frictionImpulse = c.t1.Scale(c.f1).AddScaled(c.f2, c.t2)
		m.twistImpulse = c.twistImpulse
	}
	for _, i := range w.awakeBodies {
		w.force[i], w.torque[i] = geom.Vec3{}, geom.Vec3{} // what is pushed is awake
		b, m := &w.bodies[i], &w.solverBodies[i]
		b.Linear, b.Angular = m.v, w.shapes[i].sqrtInvInertiaWorld.Mul(m.u)
		b.Pose.Pos = w.clampToBounds(b.Pose.Pos.Add(m.dp))
		b.Pose.Rot = m.dq.Mul(b.Pose.Rot).Unit()
		w.updateShapes(int(i))
	}
}
