package sim

import "ghostcube/sim/geom"

// The spring by which a viewer drags a body. It is the soft constraint of a mouse joint in Box2D, solved once a
// tick, with a limit of its own.
const (
	dragHertz           = 5   // of the spring
	dragDampingRatio    = 1   // critical
	maxDragDistance     = 2   // metres; the spring does not pull harder beyond
	maxDragAcceleration = 250 // m/s2; of the body's centre
	dragAngularDamping  = 3   // per second, of the rotation about the point, so that a body that hangs at a corner comes to rest
)

// DragBody pulls a point of body i, in the frame of the body, towards a target in the world frame by the impulse of
// a damped spring in one tick, and wakes the body. Both are in metres. It changes the velocity alone, so a body
// that is dragged no longer flies on. A kinematic body, and a player who drives a vehicle, stay as they are.
func (w *World) DragBody(i int, point, target geom.Vec3) {
	s, b := &w.shapes[i], w.state.Bodies[i]
	if w.IsKinematic(i) || w.drives(int32(i)) {
		return
	}
	soft := makeSoft(dragHertz, dragDampingRatio, 1/float32(w.rate))
	arm := b.Pose.Rot.Rotate(point)
	apart := clampLen(b.Pose.Pos.Add(arm).Sub(target), maxDragDistance)
	velocity := b.Linear.Add(b.Angular.Cross(arm))
	velocity.Z -= w.scene.Gravity / float32(w.rate) // of the step that follows: it holds the body, and does not let it sag
	mass := s.massAt(arm)
	impulse := mass.Mul(velocity.AddScaled(soft.biasRate, apart)).Scale(-soft.massScale)
	impulse = clampLen(impulse, maxDragAcceleration/float32(float32(w.rate)*s.invMass))
	b.Linear = b.Linear.AddScaled(s.invMass, impulse)
	b.Angular = b.Angular.Add(s.turn(arm.Cross(impulse)))
	velocity = b.Linear.Add(b.Angular.Cross(arm)) // of the point, which the damping leaves alone
	b.Angular = b.Angular.Scale(1 / (1 + dragAngularDamping/float32(w.rate)))
	b.Linear = velocity.Sub(b.Angular.Cross(arm))
	b.Linear, b.Angular = clampLen(b.Linear, w.scene.MaxLinearSpeed), clampLen(b.Angular, w.scene.MaxAngularSpeed)
	b.Asleep = false
	w.SetBody(i, b)
}

// turn returns the change of the angular velocity by an angular impulse.
func (s *shape) turn(by geom.Vec3) geom.Vec3 {
	return s.sqrtInvInertiaWorld.Mul(s.sqrtInvInertiaWorld.Mul(by))
}

// massAt returns the effective mass of the body at an arm from its centre: the impulse there that changes the velocity
// of that point by one metre per second.
func (s *shape) massAt(arm geom.Vec3) geom.SymMat3 {
	change := func(impulse geom.Vec3) geom.Vec3 {
		return s.turn(arm.Cross(impulse)).Cross(arm).AddScaled(s.invMass, impulse)
	}
	x, y, z := change(geom.Vec3{X: 1}), change(geom.Vec3{Y: 1}), change(geom.Vec3{Z: 1})
	inverse := geom.SymMat3{XX: x.X, XY: y.X, XZ: z.X, YY: y.Y, YZ: z.Y, ZZ: z.Z}
	return inverse.Inverse()
}
