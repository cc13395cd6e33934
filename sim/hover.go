package sim

import "ghostcube/sim/geom"

// A hovering body has no weight. A spring without overshoot holds it at the height of its start, whoever lands on
// it, and its rotation about the vertical decays.
const (
	hoverStiffness = 36  // 1/s2
	hoverDamping   = 12  // 1/s
	yawDamping     = 3   // 1/s
	courseGain     = 1.5 // 1/s; rate of turn per angle from the course
)

// holdHovering applies the forces that hold the hovering bodies, a sleeping one too: a contact may wake it in this step.
func (w *World) holdHovering() {
	for i := range w.scene.Boxes {
		box, b := &w.scene.Boxes[i], &w.state.Bodies[i]
		if !box.Hover || w.kinematic(int32(i)) {
			continue
		}
		mass, inertia := 1/w.shapes[i].invMass, 1/w.shapes[i].invInertiaLocal.Z
		up := float32(hoverStiffness*(box.Start.Pose.Pos.Z-b.Pose.Pos.Z)) - float32(hoverDamping*b.Linear.Z)
		on := w.applied.on(i)
		on.force.Z += float32(mass * (w.scene.Gravity + up))
		on.torque.Z -= float32(float32(inertia*yawDamping) * b.Angular.Z)
	}
}

// turnTo turns the vehicle of a player into the course of a force.
func (w *World) turnTo(v *Vehicle, force geom.Vec3) {
	axis := w.shapes[v.Body].axes.X
	off := geom.Atan2(float32(axis.X*force.Y)-float32(axis.Y*force.X), float32(axis.X*force.X)+float32(axis.Y*force.Y))
	rate := geom.Clamp(float32(courseGain*off), -v.Turn, v.Turn)
	w.applied.on(v.Body).torque.Z += float32(rate*yawDamping) / w.shapes[v.Body].invInertiaLocal.Z
}
