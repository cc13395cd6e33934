package sim

import (
	"slices"

	"ghostcube/sim/geom"
)

// The solver is the "soft step" of Box3D. A tick is divided into substeps of length h. Each of them
//
//	applies damping, forces and gravity to the velocities,
//	warm starts: applies the last impulses again,
//	solves every contact once with a soft bias, which turns penetration into
//	    separating velocity,
//	moves the bodies,
//	relaxes: solves every contact once without bias, which removes that velocity,
//	    and applies friction.
//
// A contact point with normal n and arms rA and rB has the relative normal velocity
//
//	v = n.(vB - vA) + (rB x n).wB - (rA x n).wA
//
// and an impulse d along n changes v by d / mass, where the effective mass is
//
//	1 / mass = 1/mA + 1/mB + (rA x n).IA(rA x n) + (rB x n).IB(rB x n)
//
// with inverse inertias I. The solver stores angular velocities as u = w / sqrt(I). With the scaled
// Jacobian s = sqrt(I)(r x n) the velocity has the term s.u, the impulse changes u by d s, and the
// mass has the term s.s: one vector per arm takes the place of two. The scaled Jacobians are
// computed once per tick. Within the tick the separation is extrapolated to first order,
//
//	separation = separation0 + n.(dpB - dpA) + sB.thB - sA.thA
//
// with the displacement dp and the rotation th of a body since the beginning of the tick, th in
// units of u. At 16 rad/s, the limit of the scenes, the neglected second order is at most 1.2 cm at
// the far corner of the player's cube in the last substep.
//
// A soft contact with frequency w and damping ratio z has, over a time h,
//
//	a velocity bias of     w / (2z + hw) times the separation,
//	a mass scale of        hw(2z + hw) / (1 + hw(2z + hw)),
//	an impulse scale of    1 / (1 + hw(2z + hw))
//
// (Catto, "Soft Constraints", GDC 2011).
//
// Friction acts once per manifold: along two tangents at the weighted centroid of its points, as
// one 2 x 2 block, limited to the circle of mu times the sum of normal impulses, and as a torque
// about the normal, limited by the arms of the points.

// solverBody is the part of a body that the inner loops use, in the world frame. Blocks of contacts read its vectors
// as pairs of numbers, so these follow each other.
type solverBody struct {
	v, u       geom.Vec3 // linear and angular velocity, the latter in solver units
	dp, dtheta geom.Vec3 // displacement and rotation in this tick, in the same units
	dq         geom.Quat // rotation in this tick, exact
	invMass    float32
}

// solverScratch is the working memory of the solver.
type solverScratch struct {
	// All bodies, then the static body, then the reference motions of carrier contacts.
	bodies       []solverBody
	awake        []int32 // indices of awake bodies, ascending
	contacts     []contactConstraint
	contactOrder []int32           // indices of manifolds with an awake body, in solving order
	blocks       contactBlocks     // or they are in contacts
	joints       []jointConstraint // joints with an awake body

	carrierContacts []carrierContact
	carrierSubsteps []carrierSubstep
}

// softness are the coefficients of a soft constraint for one substep.
type softness struct{ biasRate, massScale, impulseScale float32 }

// makeSoft returns the coefficients of a frequency in Hz, a damping ratio and a substep of h seconds.
func makeSoft(hertz, ratio, h float32) softness {
	omega := float32(geom.TwoPi * hertz)
	a := float32(2*ratio) + float32(h*omega)
	b := float32(float32(h*omega) * a)
	c := 1 / (1 + b)
	return softness{omega / a, float32(b * c), c}
}

// solve computes the new velocities and poses.
func (w *World) solve() {
	settings := &w.Settings
	h := w.dt / float32(settings.Substeps)
	invH := 1 / h
	hertz := min(settings.ContactHertz, float32(0.125*invH))
	contactSoft := makeSoft(hertz, settings.ContactDampingRatio, h)
	staticSoft := makeSoft(float32(2*hertz), float32(0.5*settings.ContactDampingRatio), h)
	damping := 1 / (1 + float32(h*w.scene.Damping))

	jointSoft := makeSoft(min(settings.JointHertz, float32(0.5*invH)), settings.JointDampingRatio, h)

	w.prepare(&contactSoft, &staticSoft)
	w.prepareJoints()
	for substep := range settings.Substeps {
		w.integrateVelocities(h, damping)
		w.applyFrameMotion(h, damping)
		w.warmStartJoints()
		w.warmStartContacts()
		w.setReferenceVelocities(substep, h)
		w.solveContacts(&contactSoft, &staticSoft, invH, substep == 0)
		w.solveJoints(&jointSoft, h, invH, true)
		w.integratePositions(h)
		w.advanceReferenceMotions(substep, h)
		w.updateJoints()
		w.relaxContacts(invH)
		w.solveJoints(&rigid, h, invH, false)
	}
	w.storeJointImpulses()
	w.finalize()
}

// prepare loads the awake bodies and prepares their contacts, in solving order.
func (w *World) prepare(contactSoft, staticSoft *softness) {
	w.solver.awake, w.solver.carrierContacts, w.solver.bodies = w.solver.awake[:0], w.solver.carrierContacts[:0], w.solver.bodies[:len(w.state.Bodies)+1]
	for _, i := range w.activeBodies() {
		b := &w.state.Bodies[i]
		if w.drives(i) {
			w.solver.bodies[i] = solverBody{dq: geom.Identity} // placeDriver moves it
		} else if !b.Asleep {
			w.solver.awake = append(w.solver.awake, i)
			s := &w.shapes[i]
			w.solver.bodies[i] = solverBody{v: b.Linear, u: s.toSolverUnits(b.Angular), dq: geom.Identity, invMass: s.invMass}
		} else if w.kinematic(i) {
			w.solver.bodies[i] = solverBody{dq: geom.Identity} // no velocity
		}
	}
	w.solver.contacts = w.solver.contacts[:0]
	w.solver.contactOrder = w.solver.contactOrder[:0]
	for k := range w.state.manifolds {
		if a, b := w.state.manifolds[k].shapes(); !w.asleep(b) || !w.asleep(a) {
			w.solver.contactOrder = append(w.solver.contactOrder, int32(k))
		}
	}
	if w.Settings.SolveOrderSeed != 0 {
		w.shuffleContacts()
	}
	if w.solver.blocks.used = w.useBlocks(); w.solver.blocks.inUse() {
		w.prepareBlocks(contactSoft, staticSoft)
		return
	}
	w.solver.contacts = slices.Grow(w.solver.contacts, len(w.solver.contactOrder))[:len(w.solver.contactOrder)]
	for i, k := range w.solver.contactOrder {
		a, b := w.state.manifolds[k].shapes()
		w.prepareContact(&w.solver.contacts[i], k, a, b)
	}
}

// finalize stores impulses, velocities and poses in the state.
func (w *World) finalize() {
	if w.solver.blocks.inUse() {
		w.storeBlocks()
	}
	for k := range w.solver.contacts {
		c := &w.solver.contacts[k]
		m := &w.state.manifolds[c.contact]
		for i := range c.pointCount {
			m.points[c.points[i].index].normalImpulse = c.points[i].normalImpulse
		}
		m.frictionImpulse = c.t1.Scale(c.friction1).AddScaled(c.friction2, c.t2)
		m.twistImpulse = c.twistImpulse
	}
	// Of sleeping bodies too: one may have fallen asleep under a force, and a copy of the world has none.
	w.applied.clear()
	for _, i := range w.solver.awake {
		b, m := &w.state.Bodies[i], &w.solver.bodies[i]
		b.Linear, b.Angular = m.v, w.shapes[i].sqrtInvInertiaWorld.Mul(m.u)
		b.Pose.Pos = w.clampToBounds(b.Pose.Pos.Add(m.dp))
		b.Pose.Rot = m.dq.Mul(b.Pose.Rot).Unit()
		w.straighten(int(i))
		w.updateShapes(int(i))
	}
}
