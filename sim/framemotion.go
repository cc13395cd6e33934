package sim

import "ghostcube/sim/geom"

// FrameMotion is the motion of a reference frame in which a body is simulated, such as that of a
// moving ship. The body's velocities are relative to the frame.
type FrameMotion struct {
	Linear              geom.Vec3 // m/s, at the body's position
	Angular             geom.Vec3 // rad/s
	Acceleration        geom.Vec3 // m/s2, of the body by the frame's acceleration
	AngularAcceleration geom.Vec3 // rad/s2
	Heading             float32   // rad, counter-clockwise, by which the input that moves the body turns
}

// framedBody is the body that the next step simulates in a moving frame.
type framedBody struct {
	active bool
	body   int32
	motion FrameMotion
}

// SetFrameMotion makes the next step simulate body i in a moving frame: player forces, speed limits
// and damping use its velocities in the world, contacts those in the frame. Only one body at a time
// can be in a moving frame. A body that is fast in the world meets other bodies as
// early as it does there. The setting is not part of a State and lasts for one step.
func (w *World) SetFrameMotion(i int, motion FrameMotion) {
	w.frame = framedBody{true, int32(i), motion}
	w.NoteChange()
}

// worldVelocity returns the velocity in the world of body i, in m/s.
func (f *framedBody) worldVelocity(i int32, b *Body) geom.Vec3 {
	if f.active && f.body == i {
		return b.Linear.Add(f.motion.Linear)
	}
	return b.Linear
}

// addFrameVelocity adds sign times the velocities of the frame to the body.
func (f *framedBody) addFrameVelocity(w *World, sign float32) {
	if !f.active || w.state.Bodies[f.body].Asleep {
		return
	}
	b := &w.state.Bodies[f.body]
	b.Linear, b.Angular = b.Linear.AddScaled(sign, f.motion.Linear), b.Angular.AddScaled(sign, f.motion.Angular)
}

// applyFrameMotion makes damping of a substep of h seconds act on the velocity in the world, and
// adds the acceleration by the frame.
func (w *World) applyFrameMotion(h, damping float32) {
	d := &w.frame
	if !d.active || w.state.Bodies[d.body].Asleep {
		return
	}
	m, s := &w.solver.bodies[d.body], &w.shapes[d.body]
	m.v = m.v.SubScaled(1-damping, d.motion.Linear).AddScaled(h, d.motion.Acceleration)
	m.u = m.u.SubScaled(1-damping, s.toSolverUnits(d.motion.Angular)).AddScaled(h, s.toSolverUnits(d.motion.AngularAcceleration))
}
