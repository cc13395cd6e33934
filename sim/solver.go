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
// where I are inverse inertias. The products r x n and I(r x n) are taken once
// a tick, and within the tick the separation is followed to first order,
//
//	gap = gap0 + n.(dpB - dpA) + (rB x n).thB - (rA x n).thA
//
// with dp and th the way and the turn of a body so far. At the 16 rad/s that a
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

// motion is what the inner loops touch of a body.
type motion struct {
	v, w    geom.Vec3 // velocities
	dp, th  geom.Vec3 // way and turn since the tick began
	turn    geom.Quat // the turn, exactly
	invMass float32
}

// constraint is a manifold made ready for one tick's solving.
type constraint struct {
	contact  int32 // its manifold
	a, b     int32 // motions; a may be the one that never moves
	n        int32
	still    bool // a stands still: such contacts are twice as stiff
	friction float32
	normal   geom.Vec3
	t1, t2   geom.Vec3
	points   [4]row

	f1, f2, twist float32 // friction impulses
	k11, k12, k22 float32 // inverse of the tangents' mass matrix
	twistMass     float32
	a1, a2        geom.Vec3 // arm x tangent
	b1, b2        geom.Vec3
	ia1, ia2      geom.Vec3 // inverse inertia times those
	ib1, ib2      geom.Vec3
	ina, inb      geom.Vec3 // inverse inertia times the normal
}

// row is one point of a constraint.
type row struct {
	ra, rb   geom.Vec3 // arm x normal
	ira, irb geom.Vec3 // inverse inertia times those
	gap      float32
	mass     float32
	impulse  float32
	lever    float32 // distance from the middle of the points
	point    int32   // its place in the manifold
}

// softness is a soft contact's three numbers for one substep.
type softness struct{ bias, mass, impulse float32 }

func soften(hertz, ratio, h float32) softness {
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
	hertz := min(set.Hertz, float32(0.125*inv))
	loose := soften(hertz, set.Ratio, h)
	firm := soften(float32(2*hertz), float32(0.5*set.Ratio), h)
	damp := 1 / (1 + float32(h*w.scene.Damping))

	w.prepare()
	for range set.Substeps {
		w.accelerate(h, damp)
		w.warmStart()
		w.solveSoft(&loose, &firm, inv)
		w.move(h)
		w.relax(inv)
	}
	w.finish()
}

// prepare loads the motions of the bodies awake and makes their contacts
// ready, in the order in which they will be solved.
func (w *World) prepare() {
	for i := range w.bodies {
		b := &w.bodies[i]
		if !b.Asleep {
			w.moving[i] = motion{v: b.Linear, w: b.Angular, turn: geom.Identity, invMass: w.solids[i].invMass}
		}
	}
	w.joints = w.joints[:0]
	if w.Settings.Order != 0 {
		w.shuffle()
	}
	for k := range w.contacts {
		if w.Settings.Order != 0 {
			k = int(w.order[k])
		}
		a, b := w.contacts[k].bodies()
		if w.asleep(b) && w.asleep(a) {
			continue
		}
		w.joints = slices.Grow(w.joints, 1)[:len(w.joints)+1]
		w.ready(&w.joints[len(w.joints)-1], int32(k), a, b)
	}
}

// shuffle draws an order of the contacts from the seed in the settings
// (Fisher and Yates). Another order is as right as any, and gives other bits.
// Where one box stands alone on the ground there is one contact only, so the
// points within it are taken in another order as well.
func (w *World) shuffle() {
	w.order = w.order[:0]
	x := w.Settings.Order
	for k := range w.contacts {
		w.order = append(w.order, int32(k))
	}
	for i := len(w.order) - 1; i > 0; i-- {
		x += 0x9E3779B97F4A7C15
		z := (x ^ x>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		j := int((z ^ z>>31) % uint64(i+1))
		w.order[i], w.order[j] = w.order[j], w.order[i]
	}
}

// ready fills in a constraint from contact k between solids a and b.
func (w *World) ready(c *constraint, k, a, b int32) {
	m := &w.contacts[k]
	gaps := &w.gaps[k]
	c.contact, c.a, c.b, c.n, c.normal = k, a, b, m.n, m.normal
	sb := &w.solids[b]
	var ia geom.Sym3
	var massA float32
	rub := float32(1) // the ground's
	if int(a) < len(w.solids) {
		rub = w.solids[a].friction
	}
	c.friction = geom.Sqrt(float32(rub * sb.friction))
	if c.still = int(a) >= len(w.bodies); c.still {
		c.a = int32(len(w.bodies))
	} else {
		ia, massA = w.solids[a].inv, w.solids[a].invMass
	}
	n := c.normal
	c.t1 = n.Perpendicular()
	c.t2 = c.t1.Cross(n)
	c.ina, c.inb = ia.Mul(n), sb.inv.Mul(n)

	// A point weighs less in the middle the further apart its surfaces are.
	both := massA + sb.invMass
	var midA, midB geom.Vec3
	var sum float32
	for i := range c.n {
		r := &c.points[i]
		r.point = i
		if w.Settings.Order != 0 {
			r.point = c.n - 1 - i // the points of a manifold have an order too
		}
		p := &m.points[r.point]
		r.gap, r.impulse = gaps[r.point], p.impulse
		r.ra, r.rb = p.armA.Cross(n), p.armB.Cross(n)
		r.ira, r.irb = ia.Mul(r.ra), sb.inv.Mul(r.rb)
		r.mass = 1 / (both + r.ra.Dot(r.ira) + r.rb.Dot(r.irb))
		weight := geom.Clamp(2-float32(r.gap*(1/contactMargin)), 1e-10, 1)
		midA, midB = midA.Plus(weight, p.armA), midB.Plus(weight, p.armB)
		sum += weight
	}
	if c.n > 0 {
		midA, midB = midA.Scale(1/sum), midB.Scale(1/sum)
	}
	for i := range c.n {
		r := &c.points[i]
		r.lever = m.points[r.point].armA.Sub(midA).Len()
	}
	c.a1, c.a2, c.b1, c.b2 = midA.Cross(c.t1), midA.Cross(c.t2), midB.Cross(c.t1), midB.Cross(c.t2)
	c.ia1, c.ia2, c.ib1, c.ib2 = ia.Mul(c.a1), ia.Mul(c.a2), sb.inv.Mul(c.b1), sb.inv.Mul(c.b2)
	k11 := both + c.a1.Dot(c.ia1) + c.b1.Dot(c.ib1)
	k22 := both + c.a2.Dot(c.ia2) + c.b2.Dot(c.ib2)
	k12 := c.a1.Dot(c.ia2) + c.b1.Dot(c.ib2)
	det := 1 / (float32(k11*k22) - float32(k12*k12))
	c.k11, c.k22, c.k12 = float32(k22*det), float32(k11*det), -float32(k12*det)
	c.twistMass = 1 / (n.Dot(c.ina) + n.Dot(c.inb))
	c.f1, c.f2, c.twist = m.rub.Dot(c.t1), m.rub.Dot(c.t2), m.twist
}

// accelerate adds damping, forces and gravity for a substep.
func (w *World) accelerate(h, damp float32) {
	fall := float32(h * w.scene.Gravity)
	for i := range w.bodies {
		if w.bodies[i].Asleep {
			continue
		}
		m := &w.moving[i]
		m.v = m.v.Scale(damp)
		m.w = m.w.Scale(damp)
		if i < w.scene.Players || w.force[i] != (geom.Vec3{}) {
			m.v = m.v.Plus(float32(h*m.invMass), w.force[i])
			m.w = m.w.Plus(h, w.solids[i].inv.Mul(w.torque[i]))
		}
		m.v.Z -= fall
	}
}

// warmStart applies the impulses that each contact ended with.
func (w *World) warmStart() {
	for k := range w.joints {
		c := &w.joints[k]
		a, b := &w.moving[c.a], &w.moving[c.b]
		wa, wb := a.w, b.w
		var sum float32
		for i := range c.points[:c.n&7] {
			r := &c.points[i]
			sum += r.impulse
			wa, wb = wa.Minus(r.impulse, r.ira), wb.Plus(r.impulse, r.irb)
		}
		p := c.normal.Scale(sum).Plus(c.f1, c.t1).Plus(c.f2, c.t2)
		b.v = b.v.Plus(b.invMass, p)
		b.w = wb.Plus(c.f1, c.ib1).Plus(c.f2, c.ib2).Plus(c.twist, c.inb)
		if !c.still {
			a.v = a.v.Minus(a.invMass, p)
			a.w = wa.Minus(c.f1, c.ia1).Minus(c.f2, c.ia2).Minus(c.twist, c.ina)
		}
	}
}

// solveSoft solves each contact once as a spring.
func (w *World) solveSoft(loose, firm *softness, inv float32) {
	push := -w.Settings.Push
	for k := range w.joints {
		c := &w.joints[k]
		a, b := &w.moving[c.a], &w.moving[c.b]
		s := loose
		if c.still {
			s = firm
		}
		n := c.normal
		wa, wb := a.w, b.w
		apart := n.Dot(b.dp.Sub(a.dp))
		vn := n.Dot(b.v.Sub(a.v))
		both := a.invMass + b.invMass
		rate := float32(s.mass * s.bias)
		var sum float32
		for i := range c.points[:c.n&7] {
			r := &c.points[i]
			gap := r.gap + apart + r.rb.Dot(b.th) - r.ra.Dot(a.th)
			v := vn + r.rb.Dot(wb) - r.ra.Dot(wa)
			var d float32
			if gap > 0 { // may close the gap in this substep, and no more
				d = -float32(r.mass * (v + float32(gap*inv)))
			} else {
				bias := max(float32(rate*gap), push)
				d = -float32(r.mass*(float32(s.mass*v)+bias)) - float32(s.impulse*r.impulse)
			}
			impulse := max(r.impulse+d, 0)
			d = impulse - r.impulse
			r.impulse = impulse
			sum += d
			vn += float32(both * d)
			wa, wb = wa.Minus(d, r.ira), wb.Plus(d, r.irb)
		}
		b.v, b.w = b.v.Plus(float32(b.invMass*sum), n), wb
		if !c.still {
			a.v, a.w = a.v.Minus(float32(a.invMass*sum), n), wa
		}
	}
}

// move advances the bodies by a substep.
func (w *World) move(h float32) {
	half := float32(0.5 * h)
	for i := range w.bodies {
		if w.bodies[i].Asleep {
			continue
		}
		m := &w.moving[i]
		m.dp = m.dp.Plus(h, m.v)
		m.th = m.th.Plus(h, m.w)
		s := m.w.Scale(half)
		q := geom.Quat{X: s.X, Y: s.Y, Z: s.Z}.Mul(m.turn)
		m.turn = geom.Quat{X: m.turn.X + q.X, Y: m.turn.Y + q.Y, Z: m.turn.Z + q.Z, W: m.turn.W + q.W}.Unit()
	}
}

// relax solves each contact once without its spring, and its friction.
func (w *World) relax(inv float32) {
	for k := range w.joints {
		c := &w.joints[k]
		a, b := &w.moving[c.a], &w.moving[c.b]
		n := c.normal
		wa, wb := a.w, b.w
		ma, mb := a.invMass, b.invMass
		apart := n.Dot(b.dp.Sub(a.dp))
		vn := n.Dot(b.v.Sub(a.v))
		both := ma + mb
		var sum, total, hold float32
		for i := range c.points[:c.n&7] {
			r := &c.points[i]
			gap := r.gap + apart + r.rb.Dot(b.th) - r.ra.Dot(a.th)
			v := vn + r.rb.Dot(wb) - r.ra.Dot(wa)
			if gap > 0 {
				v += float32(gap * inv)
			}
			impulse := max(r.impulse-float32(r.mass*v), 0)
			d := impulse - r.impulse
			r.impulse = impulse
			total += impulse
			hold += float32(r.lever * impulse)
			sum += d
			vn += float32(both * d)
			wa, wb = wa.Minus(d, r.ira), wb.Plus(d, r.irb)
		}
		va, vb := a.v.Minus(float32(ma*sum), n), b.v.Plus(float32(mb*sum), n)

		most := float32(c.friction * hold)
		twist := geom.Clamp(c.twist-float32(c.twistMass*n.Dot(wb.Sub(wa))), -most, most)
		d := twist - c.twist
		c.twist = twist
		wa, wb = wa.Minus(d, c.ina), wb.Plus(d, c.inb)

		slip := vb.Sub(va)
		s1 := c.t1.Dot(slip) + c.b1.Dot(wb) - c.a1.Dot(wa)
		s2 := c.t2.Dot(slip) + c.b2.Dot(wb) - c.a2.Dot(wa)
		f1 := c.f1 - (float32(c.k11*s1) + float32(c.k12*s2))
		f2 := c.f2 - (float32(c.k12*s1) + float32(c.k22*s2))
		most = float32(c.friction * total)
		if l2 := float32(f1*f1) + float32(f2*f2); l2 > float32(most*most) {
			scale := most / geom.Sqrt(l2)
			f1, f2 = float32(f1*scale), float32(f2*scale)
		}
		d1, d2 := f1-c.f1, f2-c.f2
		c.f1, c.f2 = f1, f2
		p := c.t1.Scale(d1).Plus(d2, c.t2)
		b.v, b.w = vb.Plus(mb, p), wb.Plus(d1, c.ib1).Plus(d2, c.ib2)
		if !c.still {
			a.v, a.w = va.Minus(ma, p), wa.Minus(d1, c.ia1).Minus(d2, c.ia2)
		}
	}
}

// finish stores impulses, velocities and poses.
func (w *World) finish() {
	for k := range w.joints {
		c := &w.joints[k]
		m := &w.contacts[c.contact]
		for i := range c.n {
			m.points[c.points[i].point].impulse = c.points[i].impulse
		}
		m.rub = c.t1.Scale(c.f1).Plus(c.f2, c.t2)
		m.twist = c.twist
	}
	for i := range w.bodies {
		w.force[i], w.torque[i] = geom.Vec3{}, geom.Vec3{}
		b := &w.bodies[i]
		if b.Asleep {
			continue
		}
		m := &w.moving[i]
		b.Linear, b.Angular = m.v, m.w
		b.Pose.Pos = w.bounded(b.Pose.Pos.Add(m.dp))
		b.Pose.Rot = m.turn.Mul(b.Pose.Rot).Unit()
		w.refresh(i)
	}
}
