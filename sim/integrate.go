package sim

import "ghostcube/sim/geom"

// integrateVelocities applies damping, forces and gravity for a substep of h seconds.
func (w *World) integrateVelocities(h, damping float32) {
	gravityStep := float32(h * w.scene.Gravity)
	for _, i := range w.solver.awake {
		m := &w.solver.bodies[i]
		m.v = m.v.Scale(damping)
		m.u = m.u.Scale(damping)
		if on := &w.applied.forces[i]; int(i) < w.scene.Players || on.force != (geom.Vec3{}) {
			m.v = m.v.AddScaled(float32(h*m.invMass), on.force)
			m.u = m.u.AddScaled(h, w.shapes[i].sqrtInvInertiaWorld.Mul(on.torque))
		}
		m.v.Z -= gravityStep
	}
}

// maxSubstepAngle is the largest rotation in a substep, in rad. The impulses of joints and contacts are those of a
// small rotation. A body that turns farther in one substep is pushed on by them, until its speed is no number: at
// 10 Hz the player on a walker of rods did that within a second. With four substeps at 60 Hz the limit is 188 rad/s,
// which no player reaches.
const maxSubstepAngle = geom.TwoPi / 8

// integratePositions moves the bodies by a substep of h seconds.
func (w *World) integratePositions(h float32) {
	half := float32(0.5 * h)
	maxLinear, _ := w.scene.SpeedLimits()
	maxAngular := maxSubstepAngle / h
	for _, i := range w.solver.awake {
		m := &w.solver.bodies[i]
		m.v = clampLen(m.v, maxLinear)
		w.shapes[i].limitAngular(m, maxAngular)
		m.dp = m.dp.AddScaled(h, m.v)
		if w.shapes[i].anisotropic {
			w.shapes[i].integrateGyroscopic(m, h)
			continue
		}
		m.dtheta = m.dtheta.AddScaled(h, m.u)
		m.dq = integrateRotation(m.dq, m.u.Scale(w.shapes[i].sqrtInvInertiaLocal.X), half)
	}
}

// limitAngular limits the angular velocity of a body to a maximum in rad/s.
func (s *shape) limitAngular(m *solverBody, most float32) {
	if !s.anisotropic {
		m.u = clampLen(m.u, most/s.sqrtInvInertiaLocal.X)
	} else if angular := s.sqrtInvInertiaWorld.Mul(m.u); angular.LenSq() > float32(most*most) {
		m.u = m.u.Scale(most / angular.Len())
	}
}

// integrateGyroscopic rotates a box with anisotropic inertia by a substep of h seconds. Angular
// momentum is constant, and the angular velocity follows from it and the orientation: that at the
// middle of the substep rotates the box, that at the end becomes its velocity. So momentum is
// conserved exactly and energy to second order.
func (s *shape) integrateGyroscopic(m *solverBody, h float32) {
	axes := m.dq.Mul(s.pose.Rot).Mat()
	angular := s.sqrtInvInertiaWorld.Mul(m.u)
	local := axes.MulT(angular)
	momentum := axes.Mul(geom.Vec3{X: local.X / s.invInertiaLocal.X, Y: local.Y / s.invInertiaLocal.Y, Z: local.Z / s.invInertiaLocal.Z})
	midpoint := s.angularVelocity(integrateRotation(m.dq, angular, float32(0.25*h)), momentum)
	m.dtheta = m.dtheta.AddScaled(h, s.toSolverUnits(midpoint))
	m.dq = integrateRotation(m.dq, midpoint, float32(0.5*h))
	m.u = s.toSolverUnits(s.angularVelocity(m.dq, momentum))
}

// integrateRotation returns q rotated with angular velocity w, rad/s, for twice half seconds.
func integrateRotation(q geom.Quat, w geom.Vec3, half float32) geom.Quat {
	s := w.Scale(half)
	d := geom.Quat{X: s.X, Y: s.Y, Z: s.Z}.Mul(q)
	return geom.Quat{X: q.X + d.X, Y: q.Y + d.Y, Z: q.Z + d.Z, W: q.W + d.W}.Unit()
}

// angularVelocity returns the angular velocity of a shape with an angular momentum, after it has
// rotated by q since the beginning of the tick.
func (s *shape) angularVelocity(q geom.Quat, momentum geom.Vec3) geom.Vec3 {
	axes := q.Mul(s.pose.Rot).Mat()
	l := axes.MulT(momentum)
	return axes.Mul(geom.Vec3{X: float32(l.X * s.invInertiaLocal.X), Y: float32(l.Y * s.invInertiaLocal.Y), Z: float32(l.Z * s.invInertiaLocal.Z)})
}

// toSolverUnits returns an angular velocity in solver units: divided by the square root of the
// inverse inertia.
func (s *shape) toSolverUnits(w geom.Vec3) geom.Vec3 {
	if !s.anisotropic {
		return w.Scale(1 / s.sqrtInvInertiaLocal.X)
	}
	l := s.axes.MulT(w)
	return s.axes.Mul(geom.Vec3{X: l.X / s.sqrtInvInertiaLocal.X, Y: l.Y / s.sqrtInvInertiaLocal.Y, Z: l.Z / s.sqrtInvInertiaLocal.Z})
}
