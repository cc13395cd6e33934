package sim

import "ghostcube/sim/geom"

// FrameMotion is how a frame moves in which a body is simulated: one in which a ship stands
// still that goes 50 m/s in the world. The body's velocities are relative to it.
type FrameMotion struct {
	Linear              geom.Vec3 // m/s; of the frame where the body is
	Angular             geom.Vec3 // rad/s
	Acceleration        geom.Vec3 // m/s2; what the frame's acceleration does to the body
	AngularAcceleration geom.Vec3 // rad/s2
}

// drifting is the one body that drifts in the next step.
type drifting struct {
	on   bool
	body int32
	by   FrameMotion
}

// SetFrameMotion has the next step see body i as one that drifts: what its player's keys do, the
// world's highest speeds and the air know it with the world's velocities, contacts with
// its own. One body at most drifts; it is no part of a State, and over after the step.
func (w *World) SetFrameMotion(i int, d FrameMotion) { w.drift = drifting{true, int32(i), d} }

// board gives the body that drifts the world's velocities, by share 1, or takes them
// away again, by -1.
func (d *drifting) board(w *World, share float32) {
	if !d.on || w.bodies[d.body].Asleep {
		return
	}
	b := &w.bodies[d.body]
	b.Linear, b.Angular = b.Linear.Plus(share, d.by.Linear), b.Angular.Plus(share, d.by.Angular)
}

// drag is what accelerate does to the body that drifts, in a substep of h seconds: the
// air stands still in the world, and the frame pushes.
func (w *World) drag(h, damp float32) {
	d := &w.drift
	if !d.on || w.bodies[d.body].Asleep {
		return
	}
	m, s := &w.moving[d.body], &w.solids[d.body]
	m.v = m.v.Minus(1-damp, d.by.Linear).Plus(h, d.by.Acceleration)
	m.u = m.u.Minus(1-damp, s.scaled(d.by.Angular)).Plus(h, s.scaled(d.by.AngularAcceleration))
}
