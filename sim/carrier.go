package sim

import "ghostcube/sim/geom"

// Carrier is a group of boxes that move as one along a path, whatever is in
// their way, and carry along what stands on them.
type Carrier struct {
	Path  Path
	Boxes []Box // where they start is where they are at the path's beginning
}

// Path is how a carrier moves. Where it is follows from the tick alone, so no
// State holds it, and a world that goes back in time has it back where it was.
// Both motions can be had at once: then the centre is what goes to and fro.
type Path struct {
	RPM           int       // a minute, counter-clockwise seen from above
	Centre        geom.Vec3 // metres; where the vertical is that it turns about
	Travel        geom.Vec3 // metres; from one end to the other, and back
	TravelSeconds int       // seconds from end to end; with 0 it stays at the first
	WaitSeconds   int       // seconds at each end, the first one first
}

// Pose returns where a box of the carrier is that starts at b, at a tick of so
// many a second.
func (p *Path) Pose(b geom.Pose, tick Tick, rate int) geom.Pose {
	return p.pose(b, pathTime{tick, 0, 1, rate})
}

// PoseAt is Pose at a moment.
func (p *Path) PoseAt(b geom.Pose, m Moment, rate int) geom.Pose { return p.pose(b, m.pathTime(rate)) }

func (p *Path) pose(b geom.Pose, t pathTime) geom.Pose {
	if p.RPM != 0 {
		turn := geom.AxisAngle(geom.Vec3{Z: 1}, p.angle(t))
		b.Pos = p.Centre.Add(turn.Rotate(b.Pos.Sub(p.Centre)))
		b.Rot = turn.Mul(b.Rot).Unit()
	}
	b.Pos = b.Pos.AddScaled(float32(p.progress(t)), p.Travel)
	return b
}

// pathTime is a time in whole numbers: a tick and so many parts of it, at so many
// ticks a second.
type pathTime struct {
	tick                   Tick
	numerator, denominator int
	rate                   int
}

// phase returns how many parts of a tick have passed since the last of the
// times that come every so many seconds, and how many there are between two.
func (t pathTime) phase(seconds int) (at, whole int64) {
	whole = int64(seconds) * int64(t.rate) * int64(t.denominator)
	return (int64(t.tick)*int64(t.denominator) + int64(t.numerator)) % whole, whole
}

// angle returns the turn in radians, in [-pi, pi].
func (p *Path) angle(t pathTime) float32 {
	at, whole := t.phase(60)
	turned := float64(at*int64(p.RPM)%whole) / float64(whole)
	if turned > 0.5 {
		turned--
	} else if turned < -0.5 {
		turned++
	}
	return float32(turned * 6.28318530717958647692)
}

// progress returns the share of the way that has been made, in [0, 1]: a
// polynomial of the time whose speed and acceleration are 0 at both ends. The
// highest speed is 1.875 times the mean, the highest acceleration 5.77 times
// the way by the square of the ride.
func (p *Path) progress(t pathTime) float64 {
	if p.TravelSeconds == 0 {
		return 0
	}
	at, whole := t.phase(2 * (p.WaitSeconds + p.TravelSeconds))
	back := at >= whole/2
	if back {
		at -= whole / 2
	}
	wait, ride := t.duration(p.WaitSeconds), t.duration(p.TravelSeconds)
	if at < wait {
		at = wait
	}
	u := float64(at-wait) / float64(ride)
	if back {
		u = 1 - u
	}
	bend := 10 - float64(u*(15-float64(6*u)))
	return float64(float64(float64(u*u)*u) * bend)
}

// duration returns seconds in parts of a tick.
func (t pathTime) duration(seconds int) int64 {
	return int64(seconds) * int64(t.rate) * int64(t.denominator)
}

// carrierMotion is what a path does in one tick.
type carrierMotion struct {
	moving  bool
	centre  geom.Vec3 // what it turns about, when the tick begins
	linear  geom.Vec3 // m/s; of the centre
	angular float32   // rad/s, about the vertical
}

// carrierBox is a box of a carrier.
type carrierBox struct {
	carrier      int32
	start        geom.Pose
	lower, upper geom.Vec3 // bounds of where it is during the tick
}

// placeCarriers puts the boxes of the carriers where the tick has them, unless they are held.
func (w *World) placeCarriers() {
	if w.pin.active {
		return
	}
	for i := range w.carrierMotions {
		p, c := &w.scene.Carriers[i].Path, &w.carrierMotions[i]
		now, next := p.progress(pathTime{w.tick, 0, 1, w.rate}), p.progress(pathTime{w.tick, 1, 1, w.rate})
		c.moving = now != next || p.RPM != 0
		c.centre = p.Centre.AddScaled(float32(now), p.Travel)
		c.linear = p.Travel.Scale(float32((next - now) * float64(w.rate)))
		c.angular = float32(geom.TwoPi / 60 * float32(p.RPM))
	}
	for i := range w.carrierBoxes {
		b := &w.carrierBoxes[i]
		p, s := &w.scene.Carriers[b.carrier].Path, &w.shapes[w.firstCarrierShape+i]
		s.setPose(p.Pose(b.start, w.tick, w.rate))
		b.lower, b.upper = s.lower, s.upper
		if w.carrierMotions[b.carrier].moving {
			then := *s
			then.setPose(p.Pose(b.start, w.tick+1, w.rate))
			b.sweepTo(&then)
		}
	}
}

// sweepTo widens the bounds of a box by where else it is during the tick.
func (b *carrierBox) sweepTo(s *shape) {
	b.lower = geom.Vec3{X: min(b.lower.X, s.lower.X), Y: min(b.lower.Y, s.lower.Y), Z: min(b.lower.Z, s.lower.Z)}
	b.upper = geom.Vec3{X: max(b.upper.X, s.upper.X), Y: max(b.upper.Y, s.upper.Y), Z: max(b.upper.Z, s.upper.Z)}
}

// carrierBoxOf returns the box of a carrier that a solid is, or nil.
func (w *World) carrierBoxOf(solid int32) *carrierBox {
	if i := int(solid) - w.firstCarrierShape; i >= 0 && i < len(w.carrierBoxes) {
		return &w.carrierBoxes[i]
	}
	return nil
}

// isMovingCarrier reports whether a solid is a box of a carrier that moves in this tick.
func (w *World) isMovingCarrier(solid int32) bool {
	c := w.carrierBoxOf(solid)
	return c != nil && w.carrierMotions[c.carrier].moving
}

// carrierSpeculativeMargin is reach against a carrier: what counts is how fast solid i is as seen
// from there. A sleeper stands still where all may pass it.
func (w *World) carrierSpeculativeMargin(i int32, path int32) float32 {
	c, b := &w.carrierMotions[path], &w.bodies[w.bodyOf(i)]
	r := b.Pose.Pos.Sub(c.centre)
	v := c.linear.Add(geom.Vec3{X: -float32(c.angular * r.Y), Y: float32(c.angular * r.X)})
	way2 := b.Linear.Sub(v).Scale(w.dt).LenSq()
	if way2 < fastTravelSq(w.shapes[i].half) {
		return 0
	}
	return geom.Sqrt(way2)
}

// carrierHasLeft reports whether a sleeper's manifold with what carries it no longer
// holds, because the state has been given a tick in which the carrier is
// elsewhere.
func (w *World) carrierHasLeft(m *manifold) bool {
	a, b := m.shapes()
	if w.carrierBoxOf(a) == nil || m.pointCount == 0 {
		return false
	}
	s := &w.shapes[a]
	return s.axes.MulT(w.shapes[b].pose.Pos.Sub(s.pose.Pos)).Sub(m.offset).LenSq() > contactMargin*contactMargin
}

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
	linear       geom.Vec3 // m/s; of the centre
	from, to     geom.Vec3 // metres; the way of the centre since the tick began
	sin, versine float32   // 1/s; the sine and 1 less the cosine of the part's turn, by its length

	// The turn since the tick began, at the part's end.
	turnSin, turnVersine float32
}

// addCarrierContact adds a rider and returns the motion that the body's is seen from. Its
// turn is in the body's units.
func (w *World) addCarrierContact(body, path int32) int32 {
	c := &w.carrierMotions[path]
	w.carrierContacts = append(w.carrierContacts, carrierContact{body, path, w.bodies[body].Pose.Pos.Sub(c.centre)})
	w.solverBodies = append(w.solverBodies, solverBody{u: w.shapes[body].toSolverUnits(geom.Vec3{Z: c.angular}), dq: geom.Identity})
	return int32(len(w.solverBodies) - 1)
}

// carrierSubstepAt returns what a path does in a part of this tick that takes h seconds.
func (w *World) carrierSubstepAt(path, part int, h float32) carrierSubstep {
	p, parts := &w.scene.Carriers[path].Path, w.Settings.Substeps
	begin, now, next := p.progress(pathTime{w.tick, 0, parts, w.rate}), p.progress(pathTime{w.tick, part, parts, w.rate}), p.progress(pathTime{w.tick, part + 1, parts, w.rate})
	spin := w.carrierMotions[path].angular
	sin, versed := sinVersine(float32(spin * h))
	c := carrierSubstep{
		linear: p.Travel.Scale(float32((next - now) * float64(w.rate*parts))),
		from:   p.Travel.Scale(float32(now - begin)), to: p.Travel.Scale(float32(next - begin)),
		sin: sin / h, versine: versed / h,
	}
	c.turnSin, c.turnVersine = sinVersine(float32(float32(spin*h) * float32(part+1)))
	return c
}

// sinVersine returns the sine of an angle and 1 less its cosine, which is exact
// for the smallest angles too.
func sinVersine(angle float32) (sin, versed float32) {
	half := geom.Sin(float32(angle * 0.5))
	return geom.Sin(angle), float32(2 * float32(half*half))
}

// updateCarriersBeforeMove gives the motions that riders are seen from the velocity of a part
// of the tick, as it is before the bodies move.
func (w *World) updateCarriersBeforeMove(part int, h float32) {
	if len(w.carrierContacts) == 0 {
		return
	}
	w.carrierSubsteps = w.carrierSubsteps[:0]
	for i := range w.carrierMotions {
		w.carrierSubsteps = append(w.carrierSubsteps, w.carrierSubstepAt(i, part, h))
	}
	for i := range w.carrierContacts {
		r := &w.carrierContacts[i]
		c := &w.carrierSubsteps[r.carrier]
		arm := r.arm.Add(w.solverBodies[r.body].dp).Sub(c.from)
		w.referenceMotion(i).v = c.linear.Add(arcDisplacement(arm, c.sin, -c.versine))
	}
}

// updateCarriersAfterMove does the same for after the bodies have moved, with the way and the
// turn that have been made.
func (w *World) updateCarriersAfterMove(part int, h float32) {
	for i := range w.carrierContacts {
		r, m := &w.carrierContacts[i], w.referenceMotion(i)
		c := &w.carrierSubsteps[r.carrier]
		arm := r.arm.Add(w.solverBodies[r.body].dp).Sub(c.to)
		m.v = c.linear.Add(arcDisplacement(arm, c.sin, c.versine))
		m.dp = c.to.Add(arcDisplacement(r.arm, c.turnSin, -c.turnVersine))
		m.dtheta = m.u.Scale(float32(h * float32(part+1)))
	}
}

// referenceMotion returns the motion that rider i is seen from.
func (w *World) referenceMotion(i int) *solverBody { return &w.solverBodies[len(w.bodies)+1+i] }

// arcDisplacement returns the way of an arm's end that turns about the vertical, by
// the sine of the turn and the cosine less 1.
func arcDisplacement(arm geom.Vec3, sin, less float32) geom.Vec3 {
	return geom.Vec3{
		X: float32(less*arm.X) - float32(sin*arm.Y),
		Y: float32(sin*arm.X) + float32(less*arm.Y),
	}
}
