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

// solverScratch is what solving a tick needs.
type solverScratch struct {
	bodies       []solverBody // all bodies, then the world, which never moves, then carriers as riders see them
	awake        []int32      // the bodies awake, in order
	contacts     []contactConstraint
	contactOrder []int32           // contacts of bodies awake, as they are solved
	joints       []jointConstraint // the joints of bodies awake

	carrierContacts []carrierContact
	carrierSubsteps []carrierSubstep
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
	settings := &w.Settings
	h := w.dt / float32(settings.Substeps)
	invH := 1 / h
	hertz := min(settings.ContactHertz, float32(0.125*invH))
	contactSoft := makeSoft(hertz, settings.ContactDampingRatio, h)
	staticSoft := makeSoft(float32(2*hertz), float32(0.5*settings.ContactDampingRatio), h)
	damping := 1 / (1 + float32(h*w.scene.Damping))

	jointSoft := makeSoft(min(settings.JointHertz, float32(0.5*invH)), settings.JointDampingRatio, h)

	w.prepare()
	w.prepareJoints()
	for substep := range settings.Substeps {
		w.integrateVelocities(h, damping)
		w.applyFrameMotion(h, damping)
		w.warmStartJoints()
		w.warmStartContacts()
		w.setReferenceVelocities(substep, h)
		w.solveContacts(&contactSoft, &staticSoft, invH)
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

// prepare loads the motions of the bodies awake and makes their contacts
// ready, in the order in which they will be solved.
func (w *World) prepare() {
	w.solver.awake, w.solver.carrierContacts, w.solver.bodies = w.solver.awake[:0], w.solver.carrierContacts[:0], w.solver.bodies[:len(w.state.Bodies)+1]
	for i := range w.state.Bodies {
		b := &w.state.Bodies[i]
		if !b.Asleep {
			w.solver.awake = append(w.solver.awake, int32(i))
			s := &w.shapes[i]
			w.solver.bodies[i] = solverBody{v: b.Linear, u: s.toSolverUnits(b.Angular), dq: geom.Identity, invMass: s.invMass}
		} else if w.kinematic(int32(i)) {
			w.solver.bodies[i] = solverBody{dq: geom.Identity} // it stands still
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
	w.solver.contacts = slices.Grow(w.solver.contacts, len(w.solver.contactOrder))[:len(w.solver.contactOrder)]
	for i, k := range w.solver.contactOrder {
		a, b := w.state.manifolds[k].shapes()
		w.prepareContact(&w.solver.contacts[i], k, a, b)
	}
}

// finalize stores impulses, velocities and poses.
func (w *World) finalize() {
	for k := range w.solver.contacts {
		c := &w.solver.contacts[k]
		m := &w.state.manifolds[c.contact]
		for i := range c.pointCount {
			m.points[c.points[i].index].normalImpulse = c.points[i].normalImpulse
		}
		m.frictionImpulse = c.t1.Scale(c.friction1).AddScaled(c.friction2, c.t2)
		m.twistImpulse = c.twistImpulse
	}
	for _, i := range w.solver.awake {
		w.applied.force[i], w.applied.torque[i] = geom.Vec3{}, geom.Vec3{} // what is pushed is awake
		b, m := &w.state.Bodies[i], &w.solver.bodies[i]
		b.Linear, b.Angular = m.v, w.shapes[i].sqrtInvInertiaWorld.Mul(m.u)
		b.Pose.Pos = w.clampToBounds(b.Pose.Pos.Add(m.dp))
		b.Pose.Rot = m.dq.Mul(b.Pose.Rot).Unit()
		w.updateShapes(int(i))
	}
}
