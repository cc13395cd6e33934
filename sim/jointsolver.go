package sim

import (
	"slices"

	"ghostcube/sim/geom"
)

// A joint is solved like a contact: as a soft constraint before the bodies move, and without
// softness afterwards (relax). With arms r from the centres to the anchor, the velocity
//
//	v = vB + wB x rB - vA - wA x rA
//
// must be 0 in all three directions, which are solved as one block. Unlike the arms of contacts,
// those of joints rotate with their bodies in every substep, because a fast rotation would
// otherwise separate the anchors by an amount quadratic in its angle. Before the bodies move, the
// velocity is taken along the chord of the substep,
//
//	v + h/2 (wB x (wB x rB) - wA x (wA x rA))
//
// so that a swinging body stays on its circle: without this term to second order, with it to
// fourth, and its energy likewise. Beyond half a radian a substep the angular velocities in this term
// are limited: there the chord says nothing, and the square would feed a faster rotation with the
// impulses of the last iteration, without bound.

// maxChordAngle is the largest rotation in a substep for which the velocity is taken along the chord, in
// rad.
const maxChordAngle = 0.5

// jointConstraint is a joint prepared for the solver. Vectors are in the world frame.
type jointConstraint struct {
	joint                            int32
	a, b                             int32 // indices of solver bodies; a may be the static one
	sqrtInvInertiaA, sqrtInvInertiaB geom.SymMat3

	// At the beginning of the tick.
	deltaCentre      geom.Vec3 // from a's centre to b's
	anchorA, anchorB geom.Vec3
	axisA, axisB     geom.Vec3
	perpA, perpB     geom.Vec3

	// At the beginning of the substep, and again after the bodies have moved.
	ra, rb                   geom.Vec3    // arms from the centres to the anchors
	sa, sb                   [3]geom.Vec3 // scaled Jacobians of the arms, for each world axis
	separation               geom.Vec3    // from a's anchor to b's, metres
	linearMass               geom.SymMat3
	t1, t2                   geom.Vec3 // perpendicular to the axis
	hingeError1, hingeError2 float32   // rad, of b's axis about t1 and t2
	a1, a2                   geom.Vec3 // scaled Jacobians of rotation about t1 and t2
	b1, b2                   geom.Vec3
	perpMass                 [3]float32 // inverse of a symmetric 2 x 2 matrix
	na, nb                   geom.Vec3  // scaled Jacobians of rotation about the axis
	axialMass                float32
	angle                    float32   // rad
	swingA, swingB           geom.Vec3 // scaled Jacobians of rotation about the cone's error
	swingMass                float32
	swingAngle               float32 // rad

	jointImpulse
}

// prepareJoints prepares the joints of awake bodies, in the order of the scene.
func (w *World) prepareJoints() {
	w.solver.joints = w.solver.joints[:0]
	for i := range w.joints {
		j := &w.joints[i]
		if !w.steps(int32(j.B)) || w.state.Bodies[j.B].Asleep && (j.A == WorldBody || w.state.Bodies[j.A].Asleep) || w.JointOpen(i) {
			continue
		}
		w.solver.joints = append(w.solver.joints, jointConstraint{joint: int32(i), a: int32(len(w.state.Bodies)), b: int32(j.B)})
		t := &w.solver.joints[len(w.solver.joints)-1]
		if j.A == WorldBody {
			t.prepareToWorld(j, &w.shapes[j.B])
		} else {
			t.a = int32(j.A)
			t.prepare(j, &w.shapes[j.A], &w.shapes[j.B])
		}
		if !w.Settings.ColdStart {
			t.jointImpulse = w.state.jointImpulses[i]
		}
	}
	if x := w.Settings.SolveOrderSeed; x != 0 && len(w.solver.joints) > 1 { // another order, as for contacts
		slices.Reverse(w.solver.joints)
	}
	w.updateJoints()
}

// prepare sets the anchors and axes of a joint between two bodies.
func (c *jointConstraint) prepare(j *joint, a, b *shape) {
	c.anchorA, c.axisA, c.perpA = a.axes.Mul(j.localAnchorA), a.axes.Mul(j.localAxisA), a.axes.Mul(j.localPerpA)
	c.anchorB, c.axisB, c.perpB = b.axes.Mul(j.localAnchorB), b.axes.Mul(j.localAxisB), b.axes.Mul(j.localPerpB)
	c.sqrtInvInertiaA, c.sqrtInvInertiaB = a.sqrtInvInertiaWorld, b.sqrtInvInertiaWorld
	c.deltaCentre = b.pose.Pos.Sub(a.pose.Pos)
}

// prepareToWorld sets the anchors and axes of a joint between the world and a body.
func (c *jointConstraint) prepareToWorld(j *joint, b *shape) {
	c.axisA, c.perpA = j.localAxisA, j.localPerpA
	c.anchorB, c.axisB, c.perpB = b.axes.Mul(j.localAnchorB), b.axes.Mul(j.localAxisB), b.axes.Mul(j.localPerpB)
	c.sqrtInvInertiaB = b.sqrtInvInertiaWorld
	c.deltaCentre = b.pose.Pos.Sub(j.localAnchorA)
}

// updateJoints updates Jacobians, errors and effective masses for the bodies' current positions.
func (w *World) updateJoints() {
	for i := range w.solver.joints {
		t := &w.solver.joints[i]
		t.update(&w.joints[t.joint], &w.solver.bodies[t.a], &w.solver.bodies[t.b])
	}
}

func (c *jointConstraint) update(j *joint, a, b *solverBody) {
	c.updatePoint(a, b)
	axis := a.dq.Rotate(c.axisA)
	if j.Hinge || j.hasAxialConstraint {
		c.na, c.nb = c.sqrtInvInertiaA.Mul(axis), c.sqrtInvInertiaB.Mul(axis)
		c.axialMass = 1 / (c.na.LenSq() + c.nb.LenSq())
	}
	if j.Hinge {
		c.updateHinge(j, a, b, axis)
	} else if j.ConeAngle > 0 {
		c.updateCone(b, axis)
	}
}

// updatePoint updates the arms, the separation of the anchors and the effective mass at the anchor.
func (c *jointConstraint) updatePoint(a, b *solverBody) {
	c.ra, c.rb = a.dq.Rotate(c.anchorA), b.dq.Rotate(c.anchorB)
	c.separation = c.deltaCentre.Add(b.dp.Sub(a.dp)).Add(c.rb.Sub(c.ra))
	c.sa, c.sb = scaledJacobian(&c.sqrtInvInertiaA, c.ra), scaledJacobian(&c.sqrtInvInertiaB, c.rb)
	sa, sb, invMass := &c.sa, &c.sb, a.invMass+b.invMass
	k := geom.SymMat3{
		XX: invMass + sa[0].LenSq() + sb[0].LenSq(), XY: sa[0].Dot(sa[1]) + sb[0].Dot(sb[1]), XZ: sa[0].Dot(sa[2]) + sb[0].Dot(sb[2]),
		YY: invMass + sa[1].LenSq() + sb[1].LenSq(), YZ: sa[1].Dot(sa[2]) + sb[1].Dot(sb[2]),
		ZZ: invMass + sa[2].LenSq() + sb[2].LenSq(),
	}
	c.linearMass = k.Inverse()
}

// updateHinge updates the misalignment of a hinge's axes, the effective masses of its correction,
// and the angle if the hinge has limits.
func (c *jointConstraint) updateHinge(j *joint, a, b *solverBody, axis geom.Vec3) {
	c.t1 = a.dq.Rotate(c.perpA)
	c.t2 = axis.Cross(c.t1)
	misalignment := axis.Cross(b.dq.Rotate(c.axisB))
	c.hingeError1, c.hingeError2 = misalignment.Dot(c.t1), misalignment.Dot(c.t2)
	c.a1, c.a2, c.b1, c.b2 = c.sqrtInvInertiaA.Mul(c.t1), c.sqrtInvInertiaA.Mul(c.t2), c.sqrtInvInertiaB.Mul(c.t1), c.sqrtInvInertiaB.Mul(c.t2)
	k11, k22 := c.a1.LenSq()+c.b1.LenSq(), c.a2.LenSq()+c.b2.LenSq()
	k12 := c.a1.Dot(c.a2) + c.b1.Dot(c.b2)
	invDet := 1 / (float32(k11*k22) - float32(k12*k12))
	c.perpMass = [3]float32{float32(k22 * invDet), -float32(k12 * invDet), float32(k11 * invDet)}
	if j.hasLimits {
		perpB := b.dq.Rotate(c.perpB)
		c.angle = geom.Atan2(perpB.Dot(c.t2), perpB.Dot(c.t1))
	}
}

// updateCone updates the angle between the two axes and its effective mass.
func (c *jointConstraint) updateCone(b *solverBody, axis geom.Vec3) {
	axisB := b.dq.Rotate(c.axisB)
	swingAxis := axis.Cross(axisB)
	sin := swingAxis.Len()
	c.swingAngle = geom.Atan2(sin, axis.Dot(axisB))
	if sin < 1e-6 {
		swingAxis, sin = axis.Perpendicular(), 1 // (anti)parallel axes: any perpendicular will do
	}
	swingAxis = swingAxis.Scale(1 / sin)
	c.swingA, c.swingB = c.sqrtInvInertiaA.Mul(swingAxis), c.sqrtInvInertiaB.Mul(swingAxis)
	c.swingMass = 1 / (c.swingA.LenSq() + c.swingB.LenSq())
}

// scaledJacobian returns the change of angular velocity, in solver units, by a unit impulse at the
// end of an arm along each world axis.
func scaledJacobian(root *geom.SymMat3, r geom.Vec3) [3]geom.Vec3 {
	return [3]geom.Vec3{
		root.Mul(geom.Vec3{Y: r.Z, Z: -r.Y}),
		root.Mul(geom.Vec3{X: -r.Z, Z: r.X}),
		root.Mul(geom.Vec3{X: r.Y, Y: -r.X}),
	}
}

// applyLinearImpulse applies an impulse at the anchor: p to b and -p to a.
func (c *jointConstraint) applyLinearImpulse(a, b *solverBody, p geom.Vec3) {
	a.v, b.v = a.v.SubScaled(a.invMass, p), b.v.AddScaled(b.invMass, p)
	a.u = a.u.SubScaled(p.X, c.sa[0]).SubScaled(p.Y, c.sa[1]).SubScaled(p.Z, c.sa[2])
	b.u = b.u.AddScaled(p.X, c.sb[0]).AddScaled(p.Y, c.sb[1]).AddScaled(p.Z, c.sb[2])
}

// applyAxialImpulse applies an angular impulse about the axis: d to b and -d to a.
func (c *jointConstraint) applyAxialImpulse(a, b *solverBody, d float32) {
	a.u, b.u = a.u.SubScaled(d, c.na), b.u.AddScaled(d, c.nb)
}

// warmStartJoints applies the impulses of the last tick or substep.
func (w *World) warmStartJoints() {
	for i := range w.solver.joints {
		t := &w.solver.joints[i]
		a, b := &w.solver.bodies[t.a], &w.solver.bodies[t.b]
		j := &w.joints[t.joint]
		if j.Hinge {
			a.u = a.u.SubScaled(t.perpImpulse[0], t.a1).SubScaled(t.perpImpulse[1], t.a2)
			b.u = b.u.AddScaled(t.perpImpulse[0], t.b1).AddScaled(t.perpImpulse[1], t.b2)
		}
		if j.hasAxialConstraint {
			t.applyAxialImpulse(a, b, t.motorImpulse+t.lowerImpulse-t.upperImpulse)
		} else if j.ConeAngle > 0 {
			a.u, b.u = a.u.AddScaled(t.upperImpulse, t.swingA), b.u.SubScaled(t.upperImpulse, t.swingB)
		}
		t.applyLinearImpulse(a, b, t.linearImpulse)
	}
}

// rigid is the softness of a rigid constraint, as relaxing needs it.
var rigid = softness{massScale: 1}

// solveJoints solves the joints several times, because impulses travel far along chains. beforeMove
// is set if the bodies have yet to move in this substep of h seconds.
func (w *World) solveJoints(s *softness, h, invH float32, beforeMove bool) {
	if len(w.solver.joints) == 0 {
		return
	}
	for range w.Settings.JointIterations {
		w.iterateJoints(s, h, invH, beforeMove)
	}
}

func (w *World) iterateJoints(s *softness, h, invH float32, beforeMove bool) {
	maxPushSpeed := w.Settings.MaxPushSpeed
	for i := range w.solver.joints {
		t := &w.solver.joints[i]
		a, b := &w.solver.bodies[t.a], &w.solver.bodies[t.b]
		j := &w.joints[t.joint]
		if j.hasAxialConstraint {
			t.solveAxial(j, a, b, s, h, invH, maxPushSpeed)
		}
		if j.Hinge {
			t.solvePerp(a, b, s, maxPushSpeed)
		} else if j.ConeAngle > 0 {
			t.solveCone(j, a, b, s, invH, maxPushSpeed)
		}
		v := b.v.Sub(a.v)
		v.X += t.sb[0].Dot(b.u) - t.sa[0].Dot(a.u)
		v.Y += t.sb[1].Dot(b.u) - t.sa[1].Dot(a.u)
		v.Z += t.sb[2].Dot(b.u) - t.sa[2].Dot(a.u)
		if beforeMove {
			wa, wb := clampLen(t.sqrtInvInertiaA.Mul(a.u), float32(maxChordAngle*invH)), clampLen(t.sqrtInvInertiaB.Mul(b.u), float32(maxChordAngle*invH))
			v = v.AddScaled(float32(0.5*h), wb.Cross(wb.Cross(t.rb)).Sub(wa.Cross(wa.Cross(t.ra))))
		}
		v = v.Add(clampLen(t.separation.Scale(s.biasRate), maxPushSpeed))
		d := t.linearMass.Mul(v.Scale(-s.massScale)).SubScaled(s.impulseScale, t.linearImpulse)
		t.linearImpulse = t.linearImpulse.Add(d)
		t.applyLinearImpulse(a, b, d)
	}
}

// solveCone solves the cone limit of a ball joint.
func (c *jointConstraint) solveCone(j *joint, a, b *solverBody, s *softness, invH, maxPushSpeed float32) {
	v := c.swingA.Dot(a.u) - c.swingB.Dot(b.u)
	upper := s.limitImpulse(j.ConeAngle-c.swingAngle, v, c.swingMass, c.upperImpulse, invH, maxPushSpeed)
	d := upper - c.upperImpulse
	c.upperImpulse = upper
	a.u, b.u = a.u.AddScaled(d, c.swingA), b.u.SubScaled(d, c.swingB)
}

// solveAxial solves the constraints about the axis: motor and limits.
func (c *jointConstraint) solveAxial(j *joint, a, b *solverBody, s *softness, h, invH, maxPushSpeed float32) {
	if j.MaxMotorTorque > 0 {
		maxImpulse := float32(j.MaxMotorTorque * h)
		v := c.nb.Dot(b.u) - c.na.Dot(a.u) - j.MotorSpeed
		motor := geom.Clamp(c.motorImpulse-float32(c.axialMass*v), -maxImpulse, maxImpulse)
		d := motor - c.motorImpulse
		c.motorImpulse = motor
		c.applyAxialImpulse(a, b, d)
	}
	if j.hasLimits {
		v := c.nb.Dot(b.u) - c.na.Dot(a.u)
		lower := s.limitImpulse(c.angle-j.LowerAngle, v, c.axialMass, c.lowerImpulse, invH, maxPushSpeed)
		d := lower - c.lowerImpulse
		c.lowerImpulse = lower
		c.applyAxialImpulse(a, b, d)
		v = c.na.Dot(a.u) - c.nb.Dot(b.u)
		upper := s.limitImpulse(j.UpperAngle-c.angle, v, c.axialMass, c.upperImpulse, invH, maxPushSpeed)
		d = upper - c.upperImpulse
		c.upperImpulse = upper
		c.applyAxialImpulse(a, b, -d)
	}
}

// limitImpulse returns the accumulated impulse, at least 0, of a one-sided constraint. slack is the
// distance to the limit in metres or rad, v its rate of change.
func (s *softness) limitImpulse(slack, v, mass, impulse, invH, maxPushSpeed float32) float32 {
	var d float32
	if slack > 0 {
		d = -float32(mass * (v + float32(slack*invH)))
	} else {
		bias := max(float32(float32(s.massScale*s.biasRate)*slack), -maxPushSpeed)
		d = -float32(mass*(float32(s.massScale*v)+bias)) - float32(s.impulseScale*impulse)
	}
	return max(impulse+d, 0)
}

// solvePerp solves the two rotations that a hinge prevents, as one block.
func (c *jointConstraint) solvePerp(a, b *solverBody, s *softness, maxPushSpeed float32) {
	v1 := c.b1.Dot(b.u) - c.a1.Dot(a.u) + geom.Clamp(float32(s.biasRate*c.hingeError1), -maxPushSpeed, maxPushSpeed)
	v2 := c.b2.Dot(b.u) - c.a2.Dot(a.u) + geom.Clamp(float32(s.biasRate*c.hingeError2), -maxPushSpeed, maxPushSpeed)
	m := &c.perpMass
	d1 := -float32(s.massScale*(float32(m[0]*v1)+float32(m[1]*v2))) - float32(s.impulseScale*c.perpImpulse[0])
	d2 := -float32(s.massScale*(float32(m[1]*v1)+float32(m[2]*v2))) - float32(s.impulseScale*c.perpImpulse[1])
	c.perpImpulse[0] += d1
	c.perpImpulse[1] += d2
	a.u = a.u.SubScaled(d1, c.a1).SubScaled(d2, c.a2)
	b.u = b.u.AddScaled(d1, c.b1).AddScaled(d2, c.b2)
}

// storeJointImpulses stores the impulses in the state.
func (w *World) storeJointImpulses() {
	for i := range w.solver.joints {
		w.state.jointImpulses[w.solver.joints[i].joint] = w.solver.joints[i].jointImpulse
	}
}
