package sim

import "ghostcube/sim/geom"

// A contact with a carrier is solved in the carrier's frame, where it is a contact with a static
// box. For this the solver subtracts from the body's motion the motion of the carrier's point at
// the body's centre.
//
// Bodies move along straight lines within a substep, so the velocity of that point is taken along
// the chord of its arc: towards its next position before the bodies move, and from its last
// position afterwards. A body with this velocity stays on its circle. With the tangential velocity
// it would leave the circle by an amount quadratic in the rotation per substep: a centimetre in
// five seconds at 6 turns a minute and 3 m.

// carrierContact is a contact of a body with a moving carrier.
type carrierContact struct {
	body, carrier int32
	// From the rotation axis to the body at the beginning of the tick, metres.
	arm geom.Vec3
}

// carrierSubstep is the motion of a carrier in one substep of a tick.
type carrierSubstep struct {
	linear geom.Vec3 // m/s, of the rotation axis
	// Displacement of the rotation axis since the beginning of the tick, metres, at the two ends of
	// the substep.
	displacementBefore, displacementAfter geom.Vec3
	// Sine and 1 - cosine of the substep's rotation, divided by its duration, 1/s.
	sin, versine float32

	// Sine and 1 - cosine of the rotation since the beginning of the tick, at the end of the
	// substep.
	rotationSin, rotationVersine float32
}

// addCarrierContact adds a contact of a body with a carrier and returns the index of its reference
// motion among the solver bodies. The angular velocity of that motion is in the body's solver
// units.
func (w *World) addCarrierContact(body, carrier int32) int32 {
	c := &w.carrierMotions[carrier]
	w.solver.carrierContacts = append(w.solver.carrierContacts, carrierContact{body, carrier, w.state.Bodies[body].Pose.Pos.Sub(c.centre)})
	w.solver.bodies = append(w.solver.bodies, solverBody{u: w.shapes[body].toSolverUnits(geom.Vec3{Z: c.angular}), dq: geom.Identity})
	return int32(len(w.solver.bodies) - 1)
}

// carrierSubstepAt returns the motion of a carrier in a substep of h seconds of this tick.
func (w *World) carrierSubstepAt(carrier, substep int, h float32) carrierSubstep {
	p, substeps := &w.scene.Carriers[carrier].Path, w.Settings.Substeps
	begin, now, next := p.progress(pathTime{w.state.Tick, 0, substeps, w.rate}), p.progress(pathTime{w.state.Tick, substep, substeps, w.rate}),
		p.progress(pathTime{w.state.Tick, substep + 1, substeps, w.rate})
	spin := w.carrierMotions[carrier].angular
	sin, versine := sinVersine(float32(spin * h))
	c := carrierSubstep{
		linear:             p.Travel.Scale(float32((next - now) * float64(w.rate*substeps))),
		displacementBefore: p.Travel.Scale(float32(now - begin)), displacementAfter: p.Travel.Scale(float32(next - begin)),
		sin: sin / h, versine: versine / h,
	}
	c.rotationSin, c.rotationVersine = sinVersine(float32(float32(spin*h) * float32(substep+1)))
	return c
}

// sinVersine returns the sine and 1 - cosine of an angle in radians, exact for small angles, too.
func sinVersine(angle float32) (sin, versine float32) {
	half := geom.Sin(float32(angle * 0.5))
	return geom.Sin(angle), float32(2 * float32(half*half))
}

// setReferenceVelocities sets the velocities of the reference motions for solving a substep before
// the bodies move.
func (w *World) setReferenceVelocities(substep int, h float32) {
	if len(w.solver.carrierContacts) == 0 {
		return
	}
	w.solver.carrierSubsteps = w.solver.carrierSubsteps[:0]
	for i := range w.carrierMotions {
		w.solver.carrierSubsteps = append(w.solver.carrierSubsteps, w.carrierSubstepAt(i, substep, h))
	}
	for i := range w.solver.carrierContacts {
		r := &w.solver.carrierContacts[i]
		c := &w.solver.carrierSubsteps[r.carrier]
		arm := r.arm.Add(w.solver.bodies[r.body].dp).Sub(c.displacementBefore)
		w.referenceMotion(i).v = c.linear.Add(arcDisplacement(arm, c.sin, -c.versine))
	}
}

// advanceReferenceMotions sets the velocities of the reference motions for solving after the bodies
// have moved, and their displacements and rotations since the beginning of the tick.
func (w *World) advanceReferenceMotions(substep int, h float32) {
	for i := range w.solver.carrierContacts {
		r, m := &w.solver.carrierContacts[i], w.referenceMotion(i)
		c := &w.solver.carrierSubsteps[r.carrier]
		arm := r.arm.Add(w.solver.bodies[r.body].dp).Sub(c.displacementAfter)
		m.v = c.linear.Add(arcDisplacement(arm, c.sin, c.versine))
		m.dp = c.displacementAfter.Add(arcDisplacement(r.arm, c.rotationSin, -c.rotationVersine))
		m.dtheta = m.u.Scale(float32(h * float32(substep+1)))
	}
}

// referenceMotion returns the reference motion of carrier contact i.
func (w *World) referenceMotion(i int) *solverBody { return &w.solver.bodies[len(w.state.Bodies)+1+i] }

// arcDisplacement returns the displacement of the end of an arm that rotates about the vertical
// axis, from the sine and the cosine less 1 of the angle.
func arcDisplacement(arm geom.Vec3, sin, cosMinusOne float32) geom.Vec3 {
	return geom.Vec3{
		X: float32(cosMinusOne*arm.X) - float32(sin*arm.Y),
		Y: float32(sin*arm.X) + float32(cosMinusOne*arm.Y),
	}
}

// CarrierVelocity returns the velocity field of a carrier at a moment, as a body that rests on it
// has it at the end of a tick: v is the velocity at the world's origin in m/s, spin the angular
// velocity in rad/s. A point at p on the ground has the velocity v + spin*(-p.Y, p.X) + bend*(p.X,
// p.Y), with bend in 1/s, because velocities are taken along the chord of the tick's last substep.
func (w *World) CarrierVelocity(carrier int, m Moment) (v geom.Vec3, spin, bend float32) {
	p := &w.scene.Carriers[carrier].Path
	substeps := w.Settings.Substeps
	now, before := p.progress(m.pathTime(w.rate)), p.progress((m - Moment(MomentsPerTick/substeps)).pathTime(w.rate))
	h := w.dt / float32(substeps)
	sin, versine := sinVersine(float32(float32(geom.TwoPi/60*float32(p.RPM)) * h))
	sin, versine = sin/h, versine/h
	v = p.Travel.Scale(float32((now - before) * float64(w.rate*substeps)))
	centre := p.Centre.AddScaled(float32(now), p.Travel)
	return v.Sub(arcDisplacement(centre, sin, versine)), sin, versine
}
