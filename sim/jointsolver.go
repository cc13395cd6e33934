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
		if w.state.Bodies[j.B].Asleep && (j.A == WorldBody || w.state.Bodies[j.A].Asleep) || w.JointOpen(i) {
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
func (t *jointConstraint) prepare(j *joint, a, b *shape) {
	t.anchorA, t.axisA, t.perpA = a.axes.Mul(j.localAnchorA), a.axes.Mul(j.localAxisA), a.axes.Mul(j.localPerpA)
	t.anchorB, t.axisB, t.perpB = b.axes.Mul(j.localAnchorB), b.axes.Mul(j.localAxisB), b.axes.Mul(j.localPerpB)
	t.sqrtInvInertiaA, t.sqrtInvInertiaB = a.sqrtInvInertiaWorld, b.sqrtInvInertiaWorld
	t.deltaCentre = b.pose.Pos.Sub(a.pose.Pos)
}

// prepareToWorld sets the anchors and axes of a joint between the world and a body.
func (t *jointConstraint) prepareToWorld(j *joint, b *shape) {
	t.axisA, t.perpA = j.localAxisA, j.localPerpA
	t.anchorB, t.axisB, t.perpB = b.axes.Mul(j.localAnchorB), b.axes.Mul(j.localAxisB), b.axes.Mul(j.localPerpB)
	t.sqrtInvInertiaB = b.sqrtInvInertiaWorld
	t.deltaCentre = b.pose.Pos.Sub(j.localAnchorA)
}

// updateJoints updates Jacobians, errors and effective masses for the bodies' current positions.
func (w *World) updateJoints() {
	for i := range w.solver.joints {
		t := &w.solver.joints[i]
		t.update(&w.joints[t.joint], &w.solver.bodies[t.a], &w.solver.bodies[t.b])
	}
}

func (t *jointConstraint) update(j *joint, a, b *solverBody) {
	t.updatePoint(a, b)
	axis := a.dq.Rotate(t.axisA)
	if j.Hinge || j.hasAxialConstraint {
		t.na, t.nb = t.sqrtInvInertiaA.Mul(axis), t.sqrtInvInertiaB.Mul(axis)
		t.axialMass = 1 / (t.na.LenSq() + t.nb.LenSq())
	}
	if j.Hinge {
		t.updateHinge(j, a, b, axis)
	} else if j.ConeAngle > 0 {
		t.updateCone(b, axis)
	}
}

// updatePoint updates the arms, the separation of the anchors and the effective mass at the anchor.
func (t *jointConstraint) updatePoint(a, b *solverBody) {
	t.ra, t.rb = a.dq.Rotate(t.anchorA), b.dq.Rotate(t.anchorB)
	t.separation = t.deltaCentre.Add(b.dp.Sub(a.dp)).Add(t.rb.Sub(t.ra))
	t.sa, t.sb = scaledJacobian(&t.sqrtInvInertiaA, t.ra), scaledJacobian(&t.sqrtInvInertiaB, t.rb)
	sa, sb, invMass := &t.sa, &t.sb, a.invMass+b.invMass
	k := geom.SymMat3{
		XX: invMass + sa[0].LenSq() + sb[0].LenSq(), XY: sa[0].Dot(sa[1]) + sb[0].Dot(sb[1]), XZ: sa[0].Dot(sa[2]) + sb[0].Dot(sb[2]),
		YY: invMass + sa[1].LenSq() + sb[1].LenSq(), YZ: sa[1].Dot(sa[2]) + sb[1].Dot(sb[2]),
		ZZ: invMass + sa[2].LenSq() + sb[2].LenSq(),
	}
	t.linearMass = k.Inverse()
}

// updateHinge updates the misalignment of a hinge's axes, the effective masses of its correction,
// and the angle if the hinge has limits.
func (t *jointConstraint) updateHinge(j *joint, a, b *solverBody, axis geom.Vec3) {
	t.t1 = a.dq.Rotate(t.perpA)
	t.t2 = axis.Cross(t.t1)
	misalignment := axis.Cross(b.dq.Rotate(t.axisB))
	t.hingeError1, t.hingeError2 = misalignment.Dot(t.t1), misalignment.Dot(t.t2)
	t.a1, t.a2, t.b1, t.b2 = t.sqrtInvInertiaA.Mul(t.t1), t.sqrtInvInertiaA.Mul(t.t2), t.sqrtInvInertiaB.Mul(t.t1), t.sqrtInvInertiaB.Mul(t.t2)
	k11, k22 := t.a1.LenSq()+t.b1.LenSq(), t.a2.LenSq()+t.b2.LenSq()
	k12 := t.a1.Dot(t.a2) + t.b1.Dot(t.b2)
	invDet := 1 / (float32(k11*k22) - float32(k12*k12))
	t.perpMass = [3]float32{float32(k22 * invDet), -float32(k12 * invDet), float32(k11 * invDet)}
	if j.hasLimits {
		perpB := b.dq.Rotate(t.perpB)
		t.angle = geom.Atan2(perpB.Dot(t.t2), perpB.Dot(t.t1))
	}
}

// updateCone updates the angle between the two axes and its effective mass.
func (t *jointConstraint) updateCone(b *solverBody, axis geom.Vec3) {
	axisB := b.dq.Rotate(t.axisB)
	swingAxis := axis.Cross(axisB)
	sin := swingAxis.Len()
	t.swingAngle = geom.Atan2(sin, axis.Dot(axisB))
	if sin < 1e-6 {
		swingAxis, sin = axis.Perpendicular(), 1 // (anti)parallel axes: any perpendicular will do
	}
	swingAxis = swingAxis.Scale(1 / sin)
	t.swingA, t.swingB = t.sqrtInvInertiaA.Mul(swingAxis), t.sqrtInvInertiaB.Mul(swingAxis)
	t.swingMass = 1 / (t.swingA.LenSq() + t.swingB.LenSq())
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
func (t *jointConstraint) applyLinearImpulse(a, b *solverBody, p geom.Vec3) {
	a.v, b.v = a.v.SubScaled(a.invMass, p), b.v.AddScaled(b.invMass, p)
	a.u = a.u.SubScaled(p.X, t.sa[0]).SubScaled(p.Y, t.sa[1]).SubScaled(p.Z, t.sa[2])
	b.u = b.u.AddScaled(p.X, t.sb[0]).AddScaled(p.Y, t.sb[1]).AddScaled(p.Z, t.sb[2])
}

// applyAxialImpulse applies an angular impulse about the axis: d to b and -d to a.
func (t *jointConstraint) applyAxialImpulse(a, b *solverBody, d float32) {
	a.u, b.u = a.u.SubScaled(d, t.na), b.u.AddScaled(d, t.nb)
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
func (t *jointConstraint) solveCone(j *joint, a, b *solverBody, s *softness, invH, maxPushSpeed float32) {
	v := t.swingA.Dot(a.u) - t.swingB.Dot(b.u)
	upper := s.limitImpulse(j.ConeAngle-t.swingAngle, v, t.swingMass, t.upperImpulse, invH, maxPushSpeed)
	d := upper - t.upperImpulse
	t.upperImpulse = upper
	a.u, b.u = a.u.AddScaled(d, t.swingA), b.u.SubScaled(d, t.swingB)
}

// solveAxial solves the constraints about the axis: motor and limits.
func (t *jointConstraint) solveAxial(j *joint, a, b *solverBody, s *softness, h, invH, maxPushSpeed float32) {
	if j.MaxMotorTorque > 0 {
		maxImpulse := float32(j.MaxMotorTorque * h)
		v := t.nb.Dot(b.u) - t.na.Dot(a.u) - j.MotorSpeed
		motor := geom.Clamp(t.motorImpulse-float32(t.axialMass*v), -maxImpulse, maxImpulse)
		d := motor - t.motorImpulse
		t.motorImpulse = motor
		t.applyAxialImpulse(a, b, d)
	}
	if j.hasLimits {
		v := t.nb.Dot(b.u) - t.na.Dot(a.u)
		lower := s.limitImpulse(t.angle-j.LowerAngle, v, t.axialMass, t.lowerImpulse, invH, maxPushSpeed)
		d := lower - t.lowerImpulse
		t.lowerImpulse = lower
		t.applyAxialImpulse(a, b, d)
		v = t.na.Dot(a.u) - t.nb.Dot(b.u)
		upper := s.limitImpulse(j.UpperAngle-t.angle, v, t.axialMass, t.upperImpulse, invH, maxPushSpeed)
		d = upper - t.upperImpulse
		t.upperImpulse = upper
		t.applyAxialImpulse(a, b, -d)
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
func (t *jointConstraint) solvePerp(a, b *solverBody, s *softness, maxPushSpeed float32) {
	v1 := t.b1.Dot(b.u) - t.a1.Dot(a.u) + geom.Clamp(float32(s.biasRate*t.hingeError1), -maxPushSpeed, maxPushSpeed)
	v2 := t.b2.Dot(b.u) - t.a2.Dot(a.u) + geom.Clamp(float32(s.biasRate*t.hingeError2), -maxPushSpeed, maxPushSpeed)
	m := &t.perpMass
	d1 := -float32(s.massScale*(float32(m[0]*v1)+float32(m[1]*v2))) - float32(s.impulseScale*t.perpImpulse[0])
	d2 := -float32(s.massScale*(float32(m[1]*v1)+float32(m[2]*v2))) - float32(s.impulseScale*t.perpImpulse[1])
	t.perpImpulse[0] += d1
	t.perpImpulse[1] += d2
	a.u = a.u.SubScaled(d1, t.a1).SubScaled(d2, t.a2)
	b.u = b.u.AddScaled(d1, t.b1).AddScaled(d2, t.b2)
}

// storeJointImpulses stores the impulses in the state.
func (w *World) storeJointImpulses() {
	for i := range w.solver.joints {
		w.state.jointImpulses[w.solver.joints[i].joint] = w.solver.joints[i].jointImpulse
	}
}
