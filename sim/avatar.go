package sim

import (
	"slices"

	"ghostcube/sim/geom"
)

// An avatar is a player's body that walks, as those of the articles' players do: an upright box that
// cannot tumble. On the ground, a carrier or another body the buttons walk it, at a speed relative
// to its support, and Lift jumps. Without buttons friction holds it, also on a floor that moves. With
// a jetpack it has no weight in the air; the buttons, Lift and Pull accelerate it in six directions.
const (
	walkSpeed        = 5  // m/s, relative to the support
	walkAcceleration = 40 // m/s2
	airAcceleration  = 6  // m/s2, without a jetpack
	jumpSpeed        = 7  // m/s, upwards: 1.2 m high
	minSupportNormal = 0.7
	maxRestSpeed     = 0.1 // m/s, away from a support
)

// support is what an avatar stands on.
type support struct {
	found    bool
	velocity geom.Vec3 // m/s, of the point below the avatar
}

// avatarScratch is the working memory of moveAvatars.
type avatarScratch struct {
	supports []support // by body: of the players and the walkers
}

// moveAvatars applies the players' inputs to their avatars, and those of scripts to theirs. Velocities are
// those in which contacts are solved, relative to the frame of a body in a moving frame.
func (w *World) moveAvatars(inputs []Input) {
	w.findSupports()
	for i := range w.avatars.supports {
		box := &w.scene.Boxes[i]
		if !box.Avatar || w.kinematic(int32(i)) || w.drives(int32(i)) || !w.steps(int32(i)) {
			continue
		}
		var in Input
		switch {
		case i >= w.scene.Players:
			in = w.walkerInput(i)
		case i < len(inputs):
			in = inputs[i]
		}
		w.shapes[i].friction = box.Friction
		if w.state.Bodies[i].Asleep {
			if in.Buttons&MoveButtons == 0 {
				continue
			}
			w.wakeBody(int32(i))
		}
		if on := &w.avatars.supports[i]; on.found {
			w.walk(i, in, on.velocity)
		} else {
			w.float(i, in)
		}
	}
}

// walk accelerates avatar p, which stands on something that moves with a velocity, towards its
// walking speed, or makes it jump.
func (w *World) walk(p int, in Input, ground geom.Vec3) {
	b := &w.state.Bodies[p]
	if in.Buttons&Lift != 0 {
		b.Linear.Z = ground.Z + jumpSpeed
		w.state.slowTicks[p] = 0
	}
	way := w.push(p, in, 1)
	if way == (geom.Vec3{}) {
		return
	}
	w.shapes[p].friction = 0 // the legs push, the soles do not slide
	w.state.slowTicks[p] = 0
	change := way.Unit().Scale(walkSpeed).Sub(b.Linear.Sub(ground))
	change.Z = 0
	b.Linear = b.Linear.Add(clampLen(change, float32(walkAcceleration*w.dt)))
}

// float accelerates avatar p in the air.
func (w *World) float(p int, in Input) {
	b := &w.state.Bodies[p]
	way := w.push(p, in, 1)
	if way != (geom.Vec3{}) {
		w.shapes[p].friction = 0 // it lands running
	}
	acceleration := float32(airAcceleration)
	if thrust := w.scene.Boxes[p].Thrust; thrust > 0 {
		acceleration = thrust
		w.applied.on(p).force.Z += w.scene.Gravity / w.shapes[p].invMass
		if in.Buttons&Lift != 0 {
			way.Z++
		}
		if in.Buttons&Pull != 0 {
			way.Z--
		}
	}
	if way != (geom.Vec3{}) {
		b.Linear = b.Linear.AddScaled(float32(acceleration*w.dt), way.Unit())
		w.state.slowTicks[p] = 0
	}
}

// findSupports finds what each avatar stands on, by the contacts of the last step: what carries its weight, or
// what it does not move away from, because a body with a jetpack may touch the ground without weight. Of
// several supports it is the first one in the order of the contacts.
func (w *World) findSupports() {
	w.avatars.supports = slices.Grow(w.avatars.supports[:0], w.avatarCount)[:w.avatarCount]
	clear(w.avatars.supports)
	for m := range w.state.allManifolds() {
		a, b := m.shapes()
		switch { // the normal points from the first shape to the second
		case m.normal.Z >= minSupportNormal:
			w.addSupport(b, a, m)
		case m.normal.Z <= -minSupportNormal:
			w.addSupport(a, b, m)
		}
	}
}

// addSupport adds the shape on to what body i stands on, if that is an avatar and stands on nothing yet.
func (w *World) addSupport(i, on int32, m *manifold) {
	if int(i) >= len(w.avatars.supports) || w.avatars.supports[i].found {
		return
	}
	b := &w.state.Bodies[i]
	velocity := w.pointVelocity(on, b.Pose.Pos)
	if m.hasImpulse() || b.Linear.Z-velocity.Z < maxRestSpeed {
		w.avatars.supports[i] = support{true, velocity}
	}
}

// pointVelocity returns the velocity of a point that is fixed to a shape, in m/s.
func (w *World) pointVelocity(shape int32, at geom.Vec3) geom.Vec3 {
	if c := w.carrierBoxOf(shape); c != nil {
		m := &w.carrierMotions[c.carrier]
		arm := at.Sub(m.centre)
		return m.linear.Add(geom.Vec3{X: -float32(m.angular * arm.Y), Y: float32(m.angular * arm.X)})
	}
	if i := w.bodyOf(shape); int(i) < len(w.state.Bodies) && !w.kinematic(i) {
		b := &w.state.Bodies[i]
		return b.Linear.Add(b.Angular.Cross(at.Sub(b.Pose.Pos)))
	}
	return geom.Vec3{}
}

// straighten makes the body of an avatar upright. Of its rotation only the part about the vertical
// remains.
func (w *World) straighten(i int) {
	if !w.shapes[i].upright {
		return
	}
	b := &w.state.Bodies[i]
	b.Pose.Rot = geom.Quat{Z: b.Pose.Rot.Z, W: b.Pose.Rot.W}.Unit()
	b.Angular.X, b.Angular.Y = 0, 0
}
