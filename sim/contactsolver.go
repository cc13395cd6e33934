package sim

import "ghostcube/sim/geom"

// contactConstraint is a manifold prepared for the solver. Vectors are in the world frame.
type contactConstraint struct {
	contact int32 // index of the manifold
	// Indices of solver bodies. a may be the static one, or the reference motion of a carrier.
	a, b       int32
	pointCount int32
	// a does not react, because it is static or a carrier. Such contacts are twice as stiff.
	static    bool
	onCarrier bool // a is the reference motion of a carrier
	friction  float32
	normal    geom.Vec3
	t1, t2    geom.Vec3
	points    [4]constraintPoint

	// Friction impulses along t1 and t2, and about the normal.
	friction1, friction2, twistImpulse float32
	// Inverse of the 2 x 2 matrix K of the tangents.
	tangentMass11, tangentMass12, tangentMass22 float32
	twistMass                                   float32
	a1, a2                                      geom.Vec3 // scaled Jacobians of the tangents
	b1, b2                                      geom.Vec3
	na, nb                                      geom.Vec3 // and of the twist about the normal
}

// constraintPoint is a contact point of a constraint.
type constraintPoint struct {
	sa, sb        geom.Vec3 // scaled Jacobians of the normal
	separation    float32   // at the beginning of the tick, metres
	now           float32   // at the end of the last substep, metres, as relaxContacts found it
	normalMass    float32
	normalImpulse float32
	leverArm      float32 // distance from the centroid of the points, metres
	index         int32   // index in the manifold
}

// shuffleContacts permutes the contacts by the seed in the settings (Fisher and Yates). Every order
// is equally valid and gives different bits. A single box on the ground has only one contact, so
// the points within a manifold are solved in a different order, too.
func (w *World) shuffleContacts() {
	x := w.Settings.SolveOrderSeed
	for i := len(w.solver.contactOrder) - 1; i > 0; i-- {
		x += 0x9E3779B97F4A7C15
		z := (x ^ x>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		j := int((z ^ z>>31) % uint64(i+1))
		w.solver.contactOrder[i], w.solver.contactOrder[j] = w.solver.contactOrder[j], w.solver.contactOrder[i]
	}
}

// contactBodies are the properties of a contact's two bodies that preparation needs. Those of a are
// zero if it does not react.
type contactBodies struct {
	sqrtInvInertiaA, sqrtInvInertiaB *geom.SymMat3 // root of the inverse inertia, world frame
	invMass                          float32       // 1/kg, sum of both
	offsetA, offsetB                 geom.Vec3     // from the body's centre to the shape's, metres
}

// zeroInertia is the square root of the inverse inertia of a static body.
var zeroInertia geom.SymMat3

// prepareContact prepares the constraint of manifold k between shapes a and b.
func (w *World) prepareContact(c *contactConstraint, k, a, b int32) {
	m := &w.state.manifolds[k]
	c.contact, c.pointCount, c.normal = k, m.pointCount, m.normal
	c.friction = w.contactFriction(a, b)
	c.t1 = c.normal.Perpendicular()
	c.t2 = c.t1.Cross(c.normal)
	bodies := w.prepareBodies(c, a, b)
	c.na, c.nb = bodies.sqrtInvInertiaA.Mul(c.normal), bodies.sqrtInvInertiaB.Mul(c.normal)
	centroidA, centroidB := c.preparePoints(m, &w.separations[k], &bodies, w.Settings.SolveOrderSeed != 0)
	c.a1, c.a2 = bodies.sqrtInvInertiaA.Mul(centroidA.Cross(c.t1)), bodies.sqrtInvInertiaA.Mul(centroidA.Cross(c.t2))
	c.b1, c.b2 = bodies.sqrtInvInertiaB.Mul(centroidB.Cross(c.t1)), bodies.sqrtInvInertiaB.Mul(centroidB.Cross(c.t2))
	c.prepareFriction(m, bodies.invMass)
}

// contactFriction returns the coefficient of friction between two shapes: the geometric mean of
// their coefficients, where the ground has 1.
func (w *World) contactFriction(a, b int32) float32 {
	frictionA := float32(1)
	if int(a) < len(w.shapes) {
		frictionA = w.shapes[a].friction
	}
	return geom.Sqrt(float32(frictionA * w.shapes[b].friction))
}

// prepareBodies sets the bodies of a constraint between shapes a and b. a may be static or a
// carrier box.
func (w *World) prepareBodies(c *contactConstraint, a, b int32) (bodies contactBodies) {
	if len(w.subShapes) > 0 {
		a, bodies.offsetA = w.bodyAndOffset(a)
		b, bodies.offsetB = w.bodyAndOffset(b)
	}
	sb := &w.shapes[b]
	bodies.sqrtInvInertiaB, bodies.invMass = &sb.sqrtInvInertiaWorld, sb.invMass
	c.a, c.b, c.onCarrier = a, b, false
	if c.static = int(a) >= len(w.state.Bodies); !c.static {
		sa := &w.shapes[a]
		bodies.sqrtInvInertiaA, bodies.invMass = &sa.sqrtInvInertiaWorld, sa.invMass+sb.invMass
		return bodies
	}
	bodies.sqrtInvInertiaA = &zeroInertia
	c.a = int32(len(w.state.Bodies))
	if box := w.carrierBoxOf(a); box != nil && w.carrierMotions[box.carrier].moving && !w.pin.active {
		c.a, c.onCarrier = w.addCarrierContact(b, box.carrier), true
	}
	return bodies
}

// preparePoints prepares the points and returns the arms from both bodies' centres to the weighted
// centroid of the points. The weight of a point falls with its separation. reversed solves the
// points in reverse order.
func (c *contactConstraint) preparePoints(m *manifold, separations *[4]float32, bodies *contactBodies, reversed bool) (centroidA, centroidB geom.Vec3) {
	n := c.normal
	var sum float32
	for i := range c.pointCount {
		r := &c.points[i]
		r.index = i
		if reversed {
			r.index = c.pointCount - 1 - i
		}
		p := &m.points[r.index]
		r.separation, r.normalImpulse = separations[r.index], p.normalImpulse
		armA, armB := p.anchorA.Add(bodies.offsetA), p.anchorB.Add(bodies.offsetB)
		r.sa, r.sb = bodies.sqrtInvInertiaA.Mul(armA.Cross(n)), bodies.sqrtInvInertiaB.Mul(armB.Cross(n))
		r.normalMass = 1 / (bodies.invMass + r.sa.LenSq() + r.sb.LenSq())
		weight := geom.Clamp(2-float32(r.separation*(1/contactMargin)), 1e-10, 1)
		centroidA, centroidB = centroidA.AddScaled(weight, armA), centroidB.AddScaled(weight, armB)
		sum += weight
	}
	if c.pointCount > 0 {
		centroidA, centroidB = centroidA.Scale(1/sum), centroidB.Scale(1/sum)
	}
	for i := range c.pointCount {
		r := &c.points[i]
		r.leverArm = m.points[r.index].anchorA.Add(bodies.offsetA).Sub(centroidA).Len()
	}
	return centroidA, centroidB
}

// prepareFriction prepares the effective masses of tangents and twist, and the last tick's
// impulses.
func (c *contactConstraint) prepareFriction(m *manifold, invMass float32) {
	k11 := invMass + c.a1.LenSq() + c.b1.LenSq()
	k22 := invMass + c.a2.LenSq() + c.b2.LenSq()
	k12 := c.a1.Dot(c.a2) + c.b1.Dot(c.b2)
	invDet := 1 / (float32(k11*k22) - float32(k12*k12))
	c.tangentMass11, c.tangentMass22, c.tangentMass12 = float32(k22*invDet), float32(k11*invDet), -float32(k12*invDet)
	c.twistMass = 0 // two upright bodies, or one and a wall, do not twist about a horizontal normal
	if k := c.na.LenSq() + c.nb.LenSq(); k > 0 {
		c.twistMass = 1 / k
	}
	c.friction1, c.friction2, c.twistImpulse = m.frictionImpulse.Dot(c.t1), m.frictionImpulse.Dot(c.t2), m.twistImpulse
}

// warmStartContacts applies the impulses of the last tick or substep.
func (w *World) warmStartContacts() {
	if w.solver.blocks.inUse() {
		warmStartBlocks(w.solver.blocks.blocks, w.solver.bodies)
		return
	}
	for k := range w.solver.contacts {
		c := &w.solver.contacts[k]
		a, b := &w.solver.bodies[c.a], &w.solver.bodies[c.b]
		ua, ub := a.u, b.u
		var sum float32
		for i := range c.points[:c.pointCount&7] {
			r := &c.points[i]
			sum += r.normalImpulse
			ua, ub = ua.SubScaled(r.normalImpulse, r.sa), ub.AddScaled(r.normalImpulse, r.sb)
		}
		p := c.normal.Scale(sum).AddScaled(c.friction1, c.t1).AddScaled(c.friction2, c.t2)
		b.v = b.v.AddScaled(b.invMass, p)
		b.u = ub.AddScaled(c.friction1, c.b1).AddScaled(c.friction2, c.b2).AddScaled(c.twistImpulse, c.nb)
		if !c.static {
			a.v = a.v.SubScaled(a.invMass, p)
			a.u = ua.SubScaled(c.friction1, c.a1).SubScaled(c.friction2, c.a2).SubScaled(c.twistImpulse, c.na)
		}
	}
}

// solveContacts solves the normal constraints with soft bias. invH is 1 / the substep's duration. Bodies do not move
// between two substeps, so after the first one the separations are known, unless there are carriers: their contacts
// take the rotation of a body apart and put it together again, which rounds.
func (w *World) solveContacts(contactSoft, staticSoft *softness, invH float32, first bool) {
	moved := first || len(w.solver.carrierContacts) > 0
	minBias := -w.Settings.MaxPushSpeed
	if w.solver.blocks.inUse() {
		solveBlocks(w.solver.blocks.blocks, w.solver.bodies, invH, minBias, first)
		return
	}
	for k := range w.solver.contacts {
		c := &w.solver.contacts[k]
		a, b := &w.solver.bodies[c.a], &w.solver.bodies[c.b]
		s := contactSoft
		if c.static {
			s = staticSoft
		}
		n := c.normal
		if c.onCarrier {
			b.u, b.dtheta = b.u.Sub(a.u), b.dtheta.Sub(a.dtheta)
		}
		ua, ub := a.u, b.u
		if moved {
			deltaSeparation := n.Dot(b.dp.Sub(a.dp))
			for i := range c.points[:c.pointCount&7] {
				r := &c.points[i]
				r.now = r.separation + deltaSeparation + r.sb.Dot(b.dtheta) - r.sa.Dot(a.dtheta)
			}
		}
		vn := n.Dot(b.v.Sub(a.v))
		invMass := a.invMass + b.invMass
		rate := float32(s.massScale * s.biasRate)
		var sum float32
		for i := range c.points[:c.pointCount&7] {
			r := &c.points[i]
			separation := r.now
			v := vn + r.sb.Dot(ub) - r.sa.Dot(ua)
			var d float32
			if separation > 0 { // it may close the gap within this substep
				d = -float32(r.normalMass * (v + float32(separation*invH)))
			} else {
				bias := float32(rate * separation)
				if bias < minBias {
					bias = minBias
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
			vn += float32(invMass * d)
			ua, ub = ua.SubScaled(d, r.sa), ub.AddScaled(d, r.sb)
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

// relaxContacts solves the normal constraints without bias, and friction.
func (w *World) relaxContacts(invH float32) {
	if w.solver.blocks.inUse() {
		relaxBlocks(w.solver.blocks.blocks, w.solver.bodies, invH)
		return
	}
	for k := range w.solver.contacts {
		c := &w.solver.contacts[k]
		a, b := &w.solver.bodies[c.a], &w.solver.bodies[c.b]
		n := c.normal
		if c.onCarrier {
			b.u, b.dtheta = b.u.Sub(a.u), b.dtheta.Sub(a.dtheta)
		}
		ua, ub := a.u, b.u
		ma, mb := a.invMass, b.invMass
		deltaSeparation := n.Dot(b.dp.Sub(a.dp))
		vn := n.Dot(b.v.Sub(a.v))
		invMass := ma + mb
		var sum, normalImpulse, leveredImpulse float32
		for i := range c.points[:c.pointCount&7] {
			r := &c.points[i]
			separation := r.separation + deltaSeparation + r.sb.Dot(b.dtheta) - r.sa.Dot(a.dtheta)
			r.now = separation
			v := vn + r.sb.Dot(ub) - r.sa.Dot(ua)
			if separation > 0 {
				v += float32(separation * invH)
			}
			impulse := r.normalImpulse - float32(r.normalMass*v)
			if impulse < 0 {
				impulse = 0
			}
			d := impulse - r.normalImpulse
			r.normalImpulse = impulse
			normalImpulse += impulse
			leveredImpulse += float32(r.leverArm * impulse)
			sum += d
			vn += float32(invMass * d)
			ua, ub = ua.SubScaled(d, r.sa), ub.AddScaled(d, r.sb)
		}
		va, vb := a.v.SubScaled(float32(ma*sum), n), b.v.AddScaled(float32(mb*sum), n)

		maxImpulse := float32(c.friction * leveredImpulse)
		twist := geom.Clamp(c.twistImpulse-float32(c.twistMass*(c.nb.Dot(ub)-c.na.Dot(ua))), -maxImpulse, maxImpulse)
		d := twist - c.twistImpulse
		c.twistImpulse = twist
		ua, ub = ua.SubScaled(d, c.na), ub.AddScaled(d, c.nb)

		slip := vb.Sub(va)
		s1 := c.t1.Dot(slip) + c.b1.Dot(ub) - c.a1.Dot(ua)
		s2 := c.t2.Dot(slip) + c.b2.Dot(ub) - c.a2.Dot(ua)
		f1 := c.friction1 - (float32(c.tangentMass11*s1) + float32(c.tangentMass12*s2))
		f2 := c.friction2 - (float32(c.tangentMass12*s1) + float32(c.tangentMass22*s2))
		maxImpulse = float32(c.friction * normalImpulse)
		if l2 := float32(f1*f1) + float32(f2*f2); l2 > float32(maxImpulse*maxImpulse) {
			scale := maxImpulse / geom.Sqrt(l2)
			f1, f2 = float32(f1*scale), float32(f2*scale)
		}
		d1, d2 := f1-c.friction1, f2-c.friction2
		c.friction1, c.friction2 = f1, f2
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
