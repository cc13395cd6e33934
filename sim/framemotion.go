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

// framedBody is the one body that drifts in the next step.
type framedBody struct {
	active bool
	body   int32
	motion FrameMotion
}

// SetFrameMotion has the next step see body i as one that drifts: what its player's keys do, the
// world's highest speeds and the air know it with the world's velocities, contacts with
// its own. One body at most drifts; it is no part of a State, and over after the step.
func (w *World) SetFrameMotion(i int, motion FrameMotion) {
	w.frame = framedBody{true, int32(i), motion}
}

// addFrameVelocity gives the body that drifts the world's velocities, by share 1, or takes them
// away again, by -1.
func (f *framedBody) addFrameVelocity(w *World, sign float32) {
	if !f.active || w.state.Bodies[f.body].Asleep {
		return
	}
	b := &w.state.Bodies[f.body]
	b.Linear, b.Angular = b.Linear.AddScaled(sign, f.motion.Linear), b.Angular.AddScaled(sign, f.motion.Angular)
}

// applyFrameMotion is what accelerate does to the body that drifts, in a substep of h seconds: the
// air stands still in the world, and the frame pushes.
func (w *World) applyFrameMotion(h, damping float32) {
	d := &w.frame
	if !d.active || w.state.Bodies[d.body].Asleep {
		return
	}
	m, s := &w.solver.bodies[d.body], &w.shapes[d.body]
	m.v = m.v.SubScaled(1-damping, d.motion.Linear).AddScaled(h, d.motion.Acceleration)
	m.u = m.u.SubScaled(1-damping, s.toSolverUnits(d.motion.Angular)).AddScaled(h, s.toSolverUnits(d.motion.AngularAcceleration))
}
