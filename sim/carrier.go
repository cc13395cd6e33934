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
	return p.pose(b, moment{tick, 0, 1, rate})
}

// PoseAt is Pose at a moment.
func (p *Path) PoseAt(b geom.Pose, m Moment, rate int) geom.Pose { return p.pose(b, m.at(rate)) }

func (p *Path) pose(b geom.Pose, t moment) geom.Pose {
	if p.RPM != 0 {
		turn := geom.Turn(geom.Vec3{Z: 1}, p.angle(t))
		b.Pos = p.Centre.Add(turn.Rotate(b.Pos.Sub(p.Centre)))
		b.Rot = turn.Mul(b.Rot).Unit()
	}
	b.Pos = b.Pos.Plus(float32(p.along(t)), p.Travel)
	return b
}

// moment is a time in whole numbers: a tick and so many parts of it, at so many
// ticks a second.
type moment struct {
	tick        Tick
	part, parts int
	rate        int
}

// within returns how many parts of a tick have passed since the last of the
// times that come every so many seconds, and how many there are between two.
func (t moment) within(seconds int) (at, whole int64) {
	whole = int64(seconds) * int64(t.rate) * int64(t.parts)
	return (int64(t.tick)*int64(t.parts) + int64(t.part)) % whole, whole
}

// angle returns the turn in radians, in [-pi, pi].
func (p *Path) angle(t moment) float32 {
	at, whole := t.within(60)
	turned := float64(at*int64(p.RPM)%whole) / float64(whole)
	if turned > 0.5 {
		turned--
	} else if turned < -0.5 {
		turned++
	}
	return float32(turned * 6.28318530717958647692)
}

// along returns the share of the way that has been made, in [0, 1]: a
// polynomial of the time whose speed and acceleration are 0 at both ends. The
// highest speed is 1.875 times the mean, the highest acceleration 5.77 times
// the way by the square of the ride.
func (p *Path) along(t moment) float64 {
	if p.TravelSeconds == 0 {
		return 0
	}
	at, whole := t.within(2 * (p.WaitSeconds + p.TravelSeconds))
	back := at >= whole/2
	if back {
		at -= whole / 2
	}
	wait, ride := t.of(p.WaitSeconds), t.of(p.TravelSeconds)
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

// of returns seconds in parts of a tick.
func (t moment) of(seconds int) int64 { return int64(seconds) * int64(t.rate) * int64(t.parts) }

// course is what a path does in one tick.
type course struct {
	moves  bool
	centre geom.Vec3 // what it turns about, when the tick begins
	v      geom.Vec3 // m/s; of the centre
	spin   float32   // rad/s, about the vertical
}

// carried is a box of a carrier.
type carried struct {
	path   int32
	start  geom.Pose
	lo, hi geom.Vec3 // bounds of where it is during the tick
}

// carry puts the boxes of the carriers where the tick has them, unless they are held.
func (w *World) carry() {
	if w.still.on {
		return
	}
	for i := range w.courses {
		p, c := &w.scene.Carriers[i].Path, &w.courses[i]
		now, next := p.along(moment{w.tick, 0, 1, w.rate}), p.along(moment{w.tick, 1, 1, w.rate})
		c.moves = now != next || p.RPM != 0
		c.centre = p.Centre.Plus(float32(now), p.Travel)
		c.v = p.Travel.Scale(float32((next - now) * float64(w.rate)))
		c.spin = float32(geom.TwoPi / 60 * float32(p.RPM))
	}
	for i := range w.carried {
		b := &w.carried[i]
		p, s := &w.scene.Carriers[b.path].Path, &w.solids[w.firstCarried+i]
		s.place(p.Pose(b.start, w.tick, w.rate))
		b.lo, b.hi = s.lo, s.hi
		if w.courses[b.path].moves {
			then := *s
			then.place(p.Pose(b.start, w.tick+1, w.rate))
			b.stretch(&then)
		}
	}
}

// stretch widens the bounds of a box by where else it is during the tick.
func (b *carried) stretch(s *solid) {
	b.lo = geom.Vec3{X: min(b.lo.X, s.lo.X), Y: min(b.lo.Y, s.lo.Y), Z: min(b.lo.Z, s.lo.Z)}
	b.hi = geom.Vec3{X: max(b.hi.X, s.hi.X), Y: max(b.hi.Y, s.hi.Y), Z: max(b.hi.Z, s.hi.Z)}
}

// carrier returns the box of a carrier that a solid is, or nil.
func (w *World) carrier(solid int32) *carried {
	if i := int(solid) - w.firstCarried; i >= 0 && i < len(w.carried) {
		return &w.carried[i]
	}
	return nil
}

// driven reports whether a solid is a box of a carrier that moves in this tick.
func (w *World) driven(solid int32) bool {
	c := w.carrier(solid)
	return c != nil && w.courses[c.path].moves
}

// passing is reach against a carrier: what counts is how fast solid i is as seen
// from there. A sleeper stands still where all may pass it.
func (w *World) passing(i int32, path int32) float32 {
	c, b := &w.courses[path], &w.bodies[w.body(i)]
	r := b.Pose.Pos.Sub(c.centre)
	v := c.v.Add(geom.Vec3{X: -float32(c.spin * r.Y), Y: float32(c.spin * r.X)})
	way2 := b.Linear.Sub(v).Scale(w.dt).Len2()
	if way2 < fastWay2(w.solids[i].half) {
		return 0
	}
	return geom.Sqrt(way2)
}

// left reports whether a sleeper's manifold with what carries it no longer
// holds, because the state has been given a tick in which the carrier is
// elsewhere.
func (w *World) left(m *manifold) bool {
	a, b := m.solids()
	if w.carrier(a) == nil || m.n == 0 {
		return false
	}
	s := &w.solids[a]
	return s.axes.TMul(w.solids[b].pose.Pos.Sub(s.pose.Pos)).Sub(m.offset).Len2() > contactMargin*contactMargin
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

// rider is a contact of a body with a carrier.
type rider struct {
	body, path int32
	arm        geom.Vec3 // from the centre of turning to the body, when the tick begins
}

// chord is what a path does in one part of a tick, and has done in it so far.
type chord struct {
	v           geom.Vec3 // m/s; of the centre
	from, to    geom.Vec3 // metres; the way of the centre since the tick began
	sin, versed float32   // 1/s; the sine and 1 less the cosine of the part's turn, by its length

	// The turn since the tick began, at the part's end.
	turnSin, turnVersed float32
}

// ride adds a rider and returns the motion that the body's is seen from. Its
// turn is in the body's units.
func (w *World) ride(body, path int32) int32 {
	c := &w.courses[path]
	w.riders = append(w.riders, rider{body, path, w.bodies[body].Pose.Pos.Sub(c.centre)})
	w.moving = append(w.moving, motion{u: w.solids[body].scaled(geom.Vec3{Z: c.spin}), turn: geom.Identity})
	return int32(len(w.moving) - 1)
}

// chordOf returns what a path does in a part of this tick that takes h seconds.
func (w *World) chordOf(path, part int, h float32) chord {
	p, parts := &w.scene.Carriers[path].Path, w.Settings.Substeps
	begin, now, next := p.along(moment{w.tick, 0, parts, w.rate}), p.along(moment{w.tick, part, parts, w.rate}), p.along(moment{w.tick, part + 1, parts, w.rate})
	spin := w.courses[path].spin
	sin, versed := turnBy(float32(spin * h))
	c := chord{
		v:    p.Travel.Scale(float32((next - now) * float64(w.rate*parts))),
		from: p.Travel.Scale(float32(now - begin)), to: p.Travel.Scale(float32(next - begin)),
		sin: sin / h, versed: versed / h,
	}
	c.turnSin, c.turnVersed = turnBy(float32(float32(spin*h) * float32(part+1)))
	return c
}

// turnBy returns the sine of an angle and 1 less its cosine, which is exact
// for the smallest angles too.
func turnBy(angle float32) (sin, versed float32) {
	half := geom.Sin(float32(angle * 0.5))
	return geom.Sin(angle), float32(2 * float32(half*half))
}

// approach gives the motions that riders are seen from the velocity of a part
// of the tick, as it is before the bodies move.
func (w *World) approach(part int, h float32) {
	if len(w.riders) == 0 {
		return
	}
	w.chords = w.chords[:0]
	for i := range w.courses {
		w.chords = append(w.chords, w.chordOf(i, part, h))
	}
	for i := range w.riders {
		r := &w.riders[i]
		c := &w.chords[r.path]
		arm := r.arm.Add(w.moving[r.body].dp).Sub(c.from)
		w.seenFrom(i).v = c.v.Add(turning(arm, c.sin, -c.versed))
	}
}

// follow does the same for after the bodies have moved, with the way and the
// turn that have been made.
func (w *World) follow(part int, h float32) {
	for i := range w.riders {
		r, m := &w.riders[i], w.seenFrom(i)
		c := &w.chords[r.path]
		arm := r.arm.Add(w.moving[r.body].dp).Sub(c.to)
		m.v = c.v.Add(turning(arm, c.sin, c.versed))
		m.dp = c.to.Add(turning(r.arm, c.turnSin, -c.turnVersed))
		m.th = m.u.Scale(float32(h * float32(part+1)))
	}
}

// seenFrom returns the motion that rider i is seen from.
func (w *World) seenFrom(i int) *motion { return &w.moving[len(w.bodies)+1+i] }

// turning returns the way of an arm's end that turns about the vertical, by
// the sine of the turn and the cosine less 1.
func turning(arm geom.Vec3, sin, less float32) geom.Vec3 {
	return geom.Vec3{
		X: float32(less*arm.X) - float32(sin*arm.Y),
		Y: float32(sin*arm.X) + float32(less*arm.Y),
	}
}
