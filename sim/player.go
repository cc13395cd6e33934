package sim

import "ghostcube/sim/geom"

// The forces of a player, after Fiedler's demo of 2015: its forces, radii and limits. Its factors
// per tick are converted to rates, so that the world does not depend on the tick rate.
const (
	strafeForce  = 120 // N per direction, along the ground
	brakingBoost = 2   // factor of a force against the velocity

	fieldRadius          = 2    // metres; radius of the push field
	fieldDepth           = 0.1  // metres; depth of the push field's centre below the ground
	fieldScale           = 200  // m3/s2; the acceleration is this divided by the squared distance
	maxFieldAcceleration = 500  // m/s2
	hoverHeightOffset    = 0.7  // metres; subtracted from the player's height
	hoverPullGain        = 20   // factor of the player's lift while Pull is pressed, too
	bobForce             = 2    // N
	bobTorque            = 1.5  // N m
	maxLean              = 0.25 // rad; largest lean of a hovering player into its movement
	leanPerNewton        = 0.1  // rad per N
	maxUprightAngle      = 0.5  // rad; the uprighting torque does not grow beyond
	uprightStiffness     = 100  // N m per rad

	pullRadius          = 1.8  // metres; radius of the pull field
	minPullDistance     = 0.2  // metres; bodies nearer than this are not pulled
	maxPullAcceleration = 2000 // m/s2
)

// Damping rates while hovering, per second, from the demo's factors per tick at 60 Hz: a factor f
// is the rate 60 (1/f - 1).
const (
	hoverAngularDamping  = 60 * (1/0.95 - 1)
	hoverLateralDamping  = 60 * (1/0.96 - 1)
	hoverVerticalDamping = 60 * (1/0.999 - 1)
)

// appliedForces are the external forces on bodies in a tick, world frame. They are 0 between steps.
type appliedForces struct {
	forces []externalForce // by body
	noted  []int32         // the bodies of which on was called, some of them twice
}

// externalForce is the force and the torque on a body, in N and N m.
type externalForce struct{ force, torque geom.Vec3 }

func newAppliedForces(bodies int) appliedForces {
	return appliedForces{forces: make([]externalForce, bodies), noted: make([]int32, 0, bodies)}
}

// on returns the force on body i, to be added to.
func (a *appliedForces) on(i int) *externalForce {
	f := &a.forces[i]
	if *f == (externalForce{}) {
		a.noted = append(a.noted, int32(i))
	}
	return f
}

// clear removes all forces.
func (a *appliedForces) clear() {
	for _, i := range a.noted {
		a.forces[i] = externalForce{}
	}
	a.noted = a.noted[:0]
}

// applyInputs adds the forces of the players' inputs.
func (w *World) applyInputs(inputs []Input) {
	for p := range min(len(inputs), w.scene.Players) {
		in := inputs[p]
		if !w.steps(int32(p)) {
			continue
		}
		if w.drives(int32(p)) {
			w.drive(p, in)
			continue
		}
		if in.Buttons&MoveButtons == 0 || w.kinematic(int32(p)) || w.scene.Boxes[p].Avatar {
			continue
		}
		force := w.strafe(p, in)
		if in.Buttons&Lift != 0 {
			w.hover(p, in, force)
			w.applyPushField(p)
		} else if in.Buttons&Pull != 0 {
			w.applyPullField(p)
		}
	}
}

// addForce adds a force in newtons to body i and wakes it.
func (w *World) addForce(i int, f geom.Vec3) {
	w.wakeBody(int32(i))
	w.state.slowTicks[i] = 0
	on := w.applied.on(i)
	on.force = on.force.Add(f)
}

// push returns the sum of the directions of the buttons that move body i along the ground, times a strength.
func (w *World) push(i int, in Input, strength float32) geom.Vec3 {
	turn := float32(float32(in.Heading) * (geom.TwoPi / HeadingSteps))
	if w.frame.active && int(w.frame.body) == i {
		turn += w.frame.motion.Heading
	}
	sin, cos := geom.Sin(turn), geom.Cos(turn)
	forward, right := geom.Vec3{X: -sin, Y: cos}, geom.Vec3{X: cos, Y: sin}
	var f geom.Vec3
	for _, key := range [4]struct {
		button Buttons
		way    geom.Vec3
	}{{Left, right.Neg()}, {Right, right}, {Forward, forward}, {Back, forward.Neg()}} {
		if in.Buttons&key.button != 0 {
			f = f.AddScaled(strength, key.way)
		}
	}
	return f
}

// strafe pushes player p along the ground and returns the force in newtons.
func (w *World) strafe(p int, in Input) geom.Vec3 {
	f := w.push(p, in, strafeForce)
	if f == (geom.Vec3{}) {
		return f
	}
	if in.Buttons&Lift == 0 && f.Dot(w.state.Bodies[p].Linear) < 0 {
		f = f.Scale(brakingBoost)
	}
	w.addForce(p, f)
	return f
}

// hover makes player p hover above the ground: it lifts it, bobs it, turns it upright, leaning into
// force, and damps it.
func (w *World) hover(p int, in Input, force geom.Vec3) {
	w.applyLift(p, in.Buttons&Pull != 0)
	w.applyBobbing(p)
	w.applyUprightTorque(p, leaningUp(force))
	b := &w.state.Bodies[p]
	lateral, vertical := 1/(1+float32(hoverLateralDamping*w.dt)), 1/(1+float32(hoverVerticalDamping*w.dt))
	b.Linear = geom.Vec3{X: float32(b.Linear.X * lateral), Y: float32(b.Linear.Y * lateral), Z: float32(b.Linear.Z * vertical)}
	b.Angular = b.Angular.Scale(1 / (1 + float32(hoverAngularDamping*w.dt)))
}

// applyLift pushes player p up, more strongly near the ground.
func (w *World) applyLift(p int, pulling bool) {
	height := w.state.Bodies[p].Pose.Pos.Z + fieldDepth - hoverHeightOffset
	if height >= fieldRadius {
		return
	}
	force := fieldAcceleration(height, maxFieldAcceleration)
	if pulling {
		force = float32(force * hoverPullGain)
	}
	w.addForce(p, geom.Vec3{Z: force})
}

// applyBobbing adds forces and torques that vary with the tick, as sums of three sines with rates
// in radians per 1/60 s.
func (w *World) applyBobbing(p int) {
	t := float32(float32(w.state.Tick%bobTickWrap) * float32(60*w.dt))
	w.addForce(p, geom.Vec3{X: sineSum(t, 0.1, 0.05, 1, 1), Y: sineSum(t, 0.1, 0.05, 1, 2), Z: sineSum(t, 0.1, 0.05, 1, 3)}.Scale(bobForce))
	on := w.applied.on(p)
	on.torque = on.torque.Add(geom.Vec3{
		X: sineSum(t, 0.05, 0.05, 1.1, 10), Y: sineSum(t, 0.09, 0.045, 1.11, 10), Z: sineSum(t, 0.05, 0.055, 1.12, 10),
	}.Scale(bobTorque))
}

// leaningUp returns the up direction of a player that leans into a force in newtons.
func leaningUp(force geom.Vec3) geom.Vec3 {
	up := geom.Vec3{Z: 1}
	strength := force.Len()
	if strength == 0 {
		return up
	}
	axis := up.Cross(force).Scale(1 / strength)
	return geom.AxisAngle(axis, min(float32(leanPerNewton*strength), maxLean)).Rotate(up)
}

// applyUprightTorque turns player p so that the nearest axis of its cube points to target.
func (w *World) applyUprightTorque(p int, target geom.Vec3) {
	nearest := w.nearestAxis(p, target)
	axis := nearest.Cross(target)
	if sin := axis.Len(); sin > 1e-6 {
		angle := geom.Atan2(sin, nearest.Dot(target))
		on := w.applied.on(p)
		on.torque = on.torque.AddScaled(float32(uprightStiffness*min(angle, maxUprightAngle))/sin, axis)
	}
}

// bobTickWrap limits the argument of the bobbing, so that it stays exact: 19 hours at 60 ticks per
// second.
const bobTickWrap = 1 << 22

// sineSum returns the sum of three sines of t with three rates, shifted by phase.
func sineSum(t, r1, r2, r3, phase float32) float32 {
	return geom.Sin(float32(t*r1)+phase) + geom.Sin(float32(t*r2)+float32(3*phase)) + geom.Sin(float32(t*r3)+float32(10*phase))
}

// nearestAxis returns the direction of player p's cube, of the six along its axes, that is nearest
// to target.
func (w *World) nearestAxis(p int, target geom.Vec3) geom.Vec3 {
	axes := &w.shapes[p].axes
	best, maxDot := axes.Z, float32(-2)
	for i := range 3 {
		a := axes.Col(i)
		if d := a.Dot(target); d > maxDot {
			best, maxDot = a, d
		}
		if d := -a.Dot(target); d > maxDot {
			best, maxDot = a.Neg(), d
		}
	}
	return best
}

// fieldAcceleration returns the acceleration by a field at a distance in metres, in m/s2.
func fieldAcceleration(distance, maxAcceleration float32) float32 {
	d := max(distance, 0.01)
	return min(float32(fieldScale/float32(d*d)), maxAcceleration)
}

// applyPushField pushes bodies near player p away from a point in the ground below it. Like
// applyPullField it ignores bodies that another player owns.
func (w *World) applyPushField(p int) {
	at := w.state.Bodies[p].Pose.Pos
	at.Z = -fieldDepth
	for i := w.scene.Players; i < len(w.state.Bodies); i++ {
		if !w.fieldActsOn(p, i) {
			continue
		}
		d := w.state.Bodies[i].Pose.Pos.Sub(at)
		l2 := d.LenSq()
		if l2 >= fieldRadius*fieldRadius || l2 == 0 {
			continue
		}
		l := geom.Sqrt(l2)
		w.fieldPairs = append(w.fieldPairs, BodyPair{int32(p), int32(i)})
		w.addForce(i, d.Scale(float32(fieldAcceleration(l, maxFieldAcceleration)/w.shapes[i].invMass)/l))
	}
}

// NoPlayer takes the place of a player's index where there is no player.
const NoPlayer = -1

// LimitFields limits the push and pull fields of players in the next step: they act on body i only
// if owners[i] is that player or NoPlayer. The world reads owners until that step ends. The limit
// is not part of a State; in a step without a limit fields act on all bodies.
func (w *World) LimitFields(owners []int8) { w.fieldOwners = owners }

// fieldActsOn reports whether the fields of player p act on body i.
func (w *World) fieldActsOn(p, i int) bool {
	if w.kinematic(int32(i)) || !w.steps(int32(i)) {
		return false
	}
	return w.fieldOwners == nil || w.fieldOwners[i] == NoPlayer || w.fieldOwners[i] == int8(p)
}

// applyPullField pulls bodies near player p to its centre.
func (w *World) applyPullField(p int) {
	at := w.state.Bodies[p].Pose.Pos
	for i := w.scene.Players; i < len(w.state.Bodies); i++ {
		if !w.fieldActsOn(p, i) {
			continue
		}
		d := at.Sub(w.state.Bodies[i].Pose.Pos)
		l2 := d.LenSq()
		if l2 >= pullRadius*pullRadius || l2 <= minPullDistance*minPullDistance {
			continue
		}
		l := geom.Sqrt(l2)
		w.fieldPairs = append(w.fieldPairs, BodyPair{int32(p), int32(i)})
		w.addForce(i, d.Scale(float32(fieldAcceleration(l, maxPullAcceleration)/w.shapes[i].invMass)/l))
	}
}
