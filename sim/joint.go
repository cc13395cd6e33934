package sim

import (
	"slices"

	"ghostcube/sim/geom"
)

// Fixed stands for the world where a joint takes the number of a body.
const Fixed = -1

// Joint ties two bodies together at a point. They may turn about it in any way,
// like an arm in its shoulder, or with Hinge about one axis only, like a door.
// Bodies that a joint ties touch each other as all do; see Box.Group.
type Joint struct {
	A, B  int       // bodies, in any order; A may be Fixed
	Hinge bool      // they turn against each other about Axis alone
	At    geom.Vec3 // the point, metres, in the world, where the bodies start
	Axis  geom.Vec3 // of unit length, in the world, where the bodies start; fixed to both

	// The turn of a hinge, as that of B about Axis seen from A, is 0 at the
	// start and stays in [Low, High], within (-pi, pi) rad. Without limits both
	// are 0.
	Low, High float32
	Swing     float32 // how far B's Axis leans from A's at most, in (0, pi) rad; for what is no hinge; 0 is any way

	// The motor drives B's turn about Axis seen from A towards a speed, with no
	// more than so much torque. At speed 0 it is a brake.
	Speed  float32 // rad/s
	Torque float32 // N m; 0 is no motor
}

// A joint is solved as contacts are: as a stiff damped spring before the bodies
// move, and once more without its spring after it. For its point P, with arms r from
// the centres,
//
//	v = vB + wB x rB - vA - wA x rA
//
// is to be 0 in all three directions, which are solved as one block. Unlike the
// arms of contacts those of a joint turn with their bodies in every substep:
// what turns fast about a point would leave it by the square of its turn. Before
// the bodies move, the velocity that counts is that along the chord of the
// substep,
//
//	v + h/2 (wB x (wB x rB) - wA x (wA x rA))
//
// so that what swings stays on its circle: to second order without this term, to
// fourth with it, and so does its energy.

// joint is what is constant of a Joint, in the bodies' own frames.
type joint struct {
	Joint
	armA, armB   geom.Vec3
	axisA, axisB geom.Vec3
	sideA, sideB geom.Vec3 // across the axis, and the same at turn 0
	limited      bool
	turns        bool // something acts about the axis
}

// link is the state of a joint: what it pushed at last, for the warm start.
type link struct {
	pull      geom.Vec3 // at the point, world frame
	bend      [2]float32
	low, high float32 // of the limits; that of Swing is in high
	motor     float32
}

// tie is a joint made ready for one tick's solving.
type tie struct {
	joint        int32
	a, b         int32 // motions; a may be the one that never moves
	rootA, rootB geom.Sym3

	// As the tick begins, world frame.
	apart        geom.Vec3 // from a's centre to b's
	armA, armB   geom.Vec3
	axisA, axisB geom.Vec3
	sideA, sideB geom.Vec3

	// As the substep begins, or as the bodies have moved.
	ra, rb   geom.Vec3    // the arms
	sa, sb   [3]geom.Vec3 // root of the inverse inertia times arm x each of the world's axes
	off      geom.Vec3    // metres; how far b has the point from where a has it
	mass     geom.Sym3
	t1, t2   geom.Vec3 // across the axis
	e1, e2   float32   // rad; how far b's axis is off, about t1 and t2
	a1, a2   geom.Vec3 // root of the inverse inertia times t1 and t2
	b1, b2   geom.Vec3
	bendMass [3]float32 // the inverse of a symmetric 2 x 2 matrix
	na, nb   geom.Vec3  // and times the axis
	turnMass float32
	turn     float32   // rad
	la, lb   geom.Vec3 // and times the axis about which b leans
	leanMass float32
	lean     float32 // rad

	link
}

// newJoints makes the joints of a scene.
func (w *World) newJoints() {
	for _, j := range w.scene.Joints {
		if j.A == j.B || j.A < Fixed || j.B < 0 || j.A >= len(w.bodies) || j.B >= len(w.bodies) {
			panic("sim: a joint between bodies that there are not")
		}
		x := joint{Joint: j, armA: j.At, axisA: j.Axis, sideA: j.Axis.Perpendicular()}
		x.limited = j.Hinge && j.Low < j.High
		x.turns = x.limited || j.Torque > 0
		own := w.bodies[j.B].Pose
		back := own.Rot.Inverse()
		x.armB, x.axisB, x.sideB = back.Rotate(j.At.Sub(own.Pos)), back.Rotate(x.axisA), back.Rotate(x.sideA)
		if j.A != Fixed {
			own = w.bodies[j.A].Pose
			back = own.Rot.Inverse()
			x.armA, x.axisA, x.sideA = back.Rotate(j.At.Sub(own.Pos)), back.Rotate(x.axisA), back.Rotate(x.sideA)
		}
		w.joints = append(w.joints, x)
	}
	w.links = make([]link, len(w.joints))
}

// Anchors returns where the two bodies of joint i of the scene have its point,
// in the world. They are a distance apart that should be none.
func (w *World) Anchors(i int) (a, b geom.Vec3) {
	j := &w.joints[i]
	a, b = j.armA, w.solids[j.B].at(j.armB)
	if j.A != Fixed {
		a = w.solids[j.A].at(j.armA)
	}
	return a, b
}

// at returns where a point of the solid's own frame is in the world.
func (s *solid) at(p geom.Vec3) geom.Vec3 { return s.pose.Pos.Add(s.axes.Mul(p)) }

// joinJointed puts what joints tie into one island. What a motor drives is not
// calm.
func (w *World) joinJointed() {
	for i := range w.joints {
		j := &w.joints[i]
		if j.A != Fixed {
			w.tieUp(int32(j.A), int32(j.B))
		}
		if j.Torque > 0 && j.Speed != 0 && !w.bodies[j.B].Asleep {
			w.rest[j.B] = 0
		}
	}
}

// readyJoints makes the joints of bodies awake ready, in their order.
func (w *World) readyJoints() {
	w.ties = w.ties[:0]
	for i := range w.joints {
		j := &w.joints[i]
		if w.bodies[j.B].Asleep && (j.A == Fixed || w.bodies[j.A].Asleep) {
			continue
		}
		w.ties = append(w.ties, tie{joint: int32(i), a: int32(len(w.bodies)), b: int32(j.B)})
		t, b := &w.ties[len(w.ties)-1], &w.solids[j.B]
		t.armB, t.axisB, t.sideB = b.axes.Mul(j.armB), b.axes.Mul(j.axisB), b.axes.Mul(j.sideB)
		t.rootB = b.root
		if j.A == Fixed {
			t.apart = b.pose.Pos.Sub(j.armA)
			t.axisA, t.sideA = j.axisA, j.sideA
		} else {
			a := &w.solids[j.A]
			t.a = int32(j.A)
			t.apart = b.pose.Pos.Sub(a.pose.Pos)
			t.armA, t.axisA, t.sideA = a.axes.Mul(j.armA), a.axes.Mul(j.axisA), a.axes.Mul(j.sideA)
			t.rootA = a.root
		}
		if !w.Settings.ColdStart {
			t.link = w.links[i]
		}
	}
	if x := w.Settings.SolveOrderSeed; x != 0 && len(w.ties) > 1 { // another order, as contacts have
		slices.Reverse(w.ties)
	}
	w.aimJoints()
}

// aimJoints brings what depends on where the bodies are up to date.
func (w *World) aimJoints() {
	for i := range w.ties {
		t := &w.ties[i]
		t.aim(&w.joints[t.joint], &w.moving[t.a], &w.moving[t.b])
	}
}

func (t *tie) aim(j *joint, a, b *motion) {
	t.ra, t.rb = a.turn.Rotate(t.armA), b.turn.Rotate(t.armB)
	t.off = t.apart.Add(b.dp.Sub(a.dp)).Add(t.rb.Sub(t.ra))
	t.sa, t.sb = levers(&t.rootA, t.ra), levers(&t.rootB, t.rb)
	sa, sb, both := &t.sa, &t.sb, a.invMass+b.invMass
	k := geom.Sym3{
		XX: both + sa[0].Len2() + sb[0].Len2(), XY: sa[0].Dot(sa[1]) + sb[0].Dot(sb[1]), XZ: sa[0].Dot(sa[2]) + sb[0].Dot(sb[2]),
		YY: both + sa[1].Len2() + sb[1].Len2(), YZ: sa[1].Dot(sa[2]) + sb[1].Dot(sb[2]),
		ZZ: both + sa[2].Len2() + sb[2].Len2(),
	}
	t.mass = k.Inverse()

	axis := a.turn.Rotate(t.axisA)
	if j.Hinge || j.turns {
		t.na, t.nb = t.rootA.Mul(axis), t.rootB.Mul(axis)
		t.turnMass = 1 / (t.na.Len2() + t.nb.Len2())
	}
	if j.Hinge {
		t.t1 = a.turn.Rotate(t.sideA)
		t.t2 = axis.Cross(t.t1)
		e := axis.Cross(b.turn.Rotate(t.axisB))
		t.e1, t.e2 = e.Dot(t.t1), e.Dot(t.t2)
		t.a1, t.a2, t.b1, t.b2 = t.rootA.Mul(t.t1), t.rootA.Mul(t.t2), t.rootB.Mul(t.t1), t.rootB.Mul(t.t2)
		k11, k22 := t.a1.Len2()+t.b1.Len2(), t.a2.Len2()+t.b2.Len2()
		k12 := t.a1.Dot(t.a2) + t.b1.Dot(t.b2)
		det := 1 / (float32(k11*k22) - float32(k12*k12))
		t.bendMass = [3]float32{float32(k22 * det), -float32(k12 * det), float32(k11 * det)}
		if j.limited {
			side := b.turn.Rotate(t.sideB)
			t.turn = geom.Atan2(side.Dot(t.t2), side.Dot(t.t1))
		}
	} else if j.Swing > 0 {
		other := b.turn.Rotate(t.axisB)
		about := axis.Cross(other)
		sin := about.Len()
		t.lean = geom.Atan2(sin, axis.Dot(other))
		if sin < 1e-6 {
			about, sin = axis.Perpendicular(), 1 // straight on or straight back: any direction is away
		}
		about = about.Scale(1 / sin)
		t.la, t.lb = t.rootA.Mul(about), t.rootB.Mul(about)
		t.leanMass = 1 / (t.la.Len2() + t.lb.Len2())
	}
}

// levers returns what an impulse at the end of an arm along each of the world's
// axes does to the turning.
func levers(root *geom.Sym3, r geom.Vec3) [3]geom.Vec3 {
	return [3]geom.Vec3{
		root.Mul(geom.Vec3{Y: r.Z, Z: -r.Y}),
		root.Mul(geom.Vec3{X: -r.Z, Z: r.X}),
		root.Mul(geom.Vec3{X: r.Y, Y: -r.X}),
	}
}

// pulled adds an impulse p at the point to b, and takes it from a.
func (t *tie) pulled(a, b *motion, p geom.Vec3) {
	a.v, b.v = a.v.Minus(a.invMass, p), b.v.Plus(b.invMass, p)
	a.u = a.u.Minus(p.X, t.sa[0]).Minus(p.Y, t.sa[1]).Minus(p.Z, t.sa[2])
	b.u = b.u.Plus(p.X, t.sb[0]).Plus(p.Y, t.sb[1]).Plus(p.Z, t.sb[2])
}

// turned adds an angular impulse d about the axis to b, and takes it from a.
func (t *tie) turned(a, b *motion, d float32) {
	a.u, b.u = a.u.Minus(d, t.na), b.u.Plus(d, t.nb)
}

// warmJoints applies the impulses that each joint ended with.
func (w *World) warmJoints() {
	for i := range w.ties {
		t := &w.ties[i]
		a, b := &w.moving[t.a], &w.moving[t.b]
		j := &w.joints[t.joint]
		if j.Hinge {
			a.u = a.u.Minus(t.bend[0], t.a1).Minus(t.bend[1], t.a2)
			b.u = b.u.Plus(t.bend[0], t.b1).Plus(t.bend[1], t.b2)
		}
		if j.turns {
			t.turned(a, b, t.motor+t.low-t.high)
		} else if j.Swing > 0 {
			a.u, b.u = a.u.Plus(t.high, t.la), b.u.Minus(t.high, t.lb)
		}
		t.pulled(a, b, t.pull)
	}
}

// rigid is a row without its spring.
var rigid = softness{mass: 1}

// solveJoints solves the joints, several times in turn: impulses have a long way
// along chains. ahead says that the bodies are yet to move by h seconds.
func (w *World) solveJoints(s *softness, h, inv float32, ahead bool) {
	if len(w.ties) == 0 {
		return
	}
	for range w.Settings.JointIterations {
		w.solveRound(s, h, inv, ahead)
	}
}

func (w *World) solveRound(s *softness, h, inv float32, ahead bool) {
	push := w.Settings.MaxPushSpeed
	for i := range w.ties {
		t := &w.ties[i]
		a, b := &w.moving[t.a], &w.moving[t.b]
		j := &w.joints[t.joint]
		if j.turns {
			t.solveTurn(j, a, b, s, h, inv, push)
		}
		if j.Hinge {
			t.solveBend(a, b, s, push)
		} else if j.Swing > 0 {
			v := t.la.Dot(a.u) - t.lb.Dot(b.u)
			high := s.stop(j.Swing-t.lean, v, t.leanMass, t.high, inv, push)
			d := high - t.high
			t.high = high
			a.u, b.u = a.u.Plus(d, t.la), b.u.Minus(d, t.lb)
		}
		v := b.v.Sub(a.v)
		v.X += t.sb[0].Dot(b.u) - t.sa[0].Dot(a.u)
		v.Y += t.sb[1].Dot(b.u) - t.sa[1].Dot(a.u)
		v.Z += t.sb[2].Dot(b.u) - t.sa[2].Dot(a.u)
		if ahead {
			wa, wb := t.rootA.Mul(a.u), t.rootB.Mul(b.u)
			v = v.Plus(float32(0.5*h), wb.Cross(wb.Cross(t.rb)).Sub(wa.Cross(wa.Cross(t.ra))))
		}
		v = v.Add(limited(t.off.Scale(s.bias), push))
		d := t.mass.Mul(v.Scale(-s.mass)).Minus(s.impulse, t.pull)
		t.pull = t.pull.Add(d)
		t.pulled(a, b, d)
	}
}

// solveTurn solves what acts about the axis: the motor, and the limits.
func (t *tie) solveTurn(j *joint, a, b *motion, s *softness, h, inv, push float32) {
	if j.Torque > 0 {
		most := float32(j.Torque * h)
		v := t.nb.Dot(b.u) - t.na.Dot(a.u) - j.Speed
		motor := geom.Clamp(t.motor-float32(t.turnMass*v), -most, most)
		d := motor - t.motor
		t.motor = motor
		t.turned(a, b, d)
	}
	if j.limited {
		v := t.nb.Dot(b.u) - t.na.Dot(a.u)
		low := s.stop(t.turn-j.Low, v, t.turnMass, t.low, inv, push)
		d := low - t.low
		t.low = low
		t.turned(a, b, d)
		v = t.na.Dot(a.u) - t.nb.Dot(b.u)
		high := s.stop(j.High-t.turn, v, t.turnMass, t.high, inv, push)
		d = high - t.high
		t.high = high
		t.turned(a, b, -d)
	}
}

// stop returns the impulse of a row that may push and not pull: one with so
// much room left, in metres or rad, that closes at -v. inv is 1 by the time in
// which it may close.
func (s *softness) stop(room, v, mass, impulse, inv, push float32) float32 {
	var d float32
	if room > 0 {
		d = -float32(mass * (v + float32(room*inv)))
	} else {
		bias := max(float32(float32(s.mass*s.bias)*room), -push)
		d = -float32(mass*(float32(s.mass*v)+bias)) - float32(s.impulse*impulse)
	}
	return max(impulse+d, 0)
}

// solveBend solves the two turns that a hinge does not allow, as one block.
func (t *tie) solveBend(a, b *motion, s *softness, push float32) {
	v1 := t.b1.Dot(b.u) - t.a1.Dot(a.u) + geom.Clamp(float32(s.bias*t.e1), -push, push)
	v2 := t.b2.Dot(b.u) - t.a2.Dot(a.u) + geom.Clamp(float32(s.bias*t.e2), -push, push)
	m := &t.bendMass
	d1 := -float32(s.mass*(float32(m[0]*v1)+float32(m[1]*v2))) - float32(s.impulse*t.bend[0])
	d2 := -float32(s.mass*(float32(m[1]*v1)+float32(m[2]*v2))) - float32(s.impulse*t.bend[1])
	t.bend[0] += d1
	t.bend[1] += d2
	a.u = a.u.Minus(d1, t.a1).Minus(d2, t.a2)
	b.u = b.u.Plus(d1, t.b1).Plus(d2, t.b2)
}

// storeJoints puts the impulses into the state.
func (w *World) storeJoints() {
	for i := range w.ties {
		w.links[w.ties[i].joint] = w.ties[i].link
	}
}

// digestJoints takes in the impulses of all joints.
func (w *World) digestJoints(d *digest) {
	for i := range w.links {
		l := &w.links[i]
		d.vec(l.pull)
		for _, f := range [...]float32{l.bend[0], l.bend[1], l.low, l.high, l.motor} {
			d.float(f)
		}
	}
}
