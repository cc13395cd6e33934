package sim

import "ghostcube/sim/geom"

// The solver sees a contact with a carrier from the carrier: there it is one
// with what stands still. What is taken from the body's motion for that is
// where a point would go that is fixed to the carrier and is now at the body's
// centre.
//
// Bodies move in straight lines within a substep, so the velocity that counts
// is the chord's: before they move, that to where the point will be, and after
// it, that from where it was. A body that takes this velocity on stays on its
// circle; with the tangent's it would leave it by the square of the turn in
// each substep, a centimetre in five seconds at 6 turns a minute and 3 m.

// carrierContact is a contact of a body with a carrier.
type carrierContact struct {
	body, carrier int32
	arm           geom.Vec3 // from the centre of turning to the body, when the tick begins
}

// carrierSubstep is what a path does in one part of a tick, and has done in it so far.
type carrierSubstep struct {
	linear                                geom.Vec3 // m/s; of the centre
	displacementBefore, displacementAfter geom.Vec3 // metres; the way of the centre since the tick began
	sin, versine                          float32   // 1/s; the sine and 1 less the cosine of the part's turn, by its length

	// The turn since the tick began, at the part's end.
	rotationSin, rotationVersine float32
}

// addCarrierContact adds a rider and returns the motion that the body's is seen from. Its
// turn is in the body's units.
func (w *World) addCarrierContact(body, carrier int32) int32 {
	c := &w.carrierMotions[carrier]
	w.solver.carrierContacts = append(w.solver.carrierContacts, carrierContact{body, carrier, w.state.Bodies[body].Pose.Pos.Sub(c.centre)})
	w.solver.bodies = append(w.solver.bodies, solverBody{u: w.shapes[body].toSolverUnits(geom.Vec3{Z: c.angular}), dq: geom.Identity})
	return int32(len(w.solver.bodies) - 1)
}

// carrierSubstepAt returns what a path does in a part of this tick that takes h seconds.
func (w *World) carrierSubstepAt(carrier, substep int, h float32) carrierSubstep {
	p, substeps := &w.scene.Carriers[carrier].Path, w.Settings.Substeps
	begin, now, next := p.progress(pathTime{w.state.Tick, 0, substeps, w.rate}), p.progress(pathTime{w.state.Tick, substep, substeps, w.rate}), p.progress(pathTime{w.state.Tick, substep + 1, substeps, w.rate})
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

// sinVersine returns the sine of an angle and 1 less its cosine, which is exact
// for the smallest angles too.
func sinVersine(angle float32) (sin, versine float32) {
	half := geom.Sin(float32(angle * 0.5))
	return geom.Sin(angle), float32(2 * float32(half*half))
}

// setReferenceVelocities gives the motions that riders are seen from the velocity of a part
// of the tick, as it is before the bodies move.
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

// advanceReferenceMotions does the same for after the bodies have moved, with the way and the
// turn that have been made.
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

// referenceMotion returns the motion that rider i is seen from.
func (w *World) referenceMotion(i int) *solverBody { return &w.solver.bodies[len(w.state.Bodies)+1+i] }

// arcDisplacement returns the way of an arm's end that turns about the vertical, by
// the sine of the turn and the cosine less 1.
func arcDisplacement(arm geom.Vec3, sin, cosMinusOne float32) geom.Vec3 {
	return geom.Vec3{
		X: float32(cosMinusOne*arm.X) - float32(sin*arm.Y),
		Y: float32(sin*arm.X) + float32(cosMinusOne*arm.Y),
	}
}

// CarrierVelocity returns how a carrier moves that goes along a path, at a moment, as what
// stands on it has it at the end of a tick of a world: v is the velocity in m/s of the
// place of it that is at the world's origin, spin its turning in rad/s, and bend, in 1/s,
// what a place has besides of its way from the origin along the ground. They are those of
// the chord of the tick's last part.
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
