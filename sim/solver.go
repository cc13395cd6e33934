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
