package sim

import "ghostcube/sim/geom"

// What a key does to a cube, after Fiedler's demo of 2015 (its forces, radii
// and limits; its per-tick factors are turned into rates, so that another tick
// rate means the same world).
const (
	strafeForce  = 120 // N for each key, along the ground
	brakingBoost = 2   // times that when it works against the speed

	fieldRadius          = 2    // metres; how far Lift blows
	fieldDepth           = 0.1  // metres below the ground: where it blows from
	fieldScale           = 200  // m3/s2; the acceleration is this over the squared distance
	maxFieldAcceleration = 500  // m/s2
	hoverHeightOffset    = 0.7  // metres; the player's own height counts as so much less
	hoverPullGain        = 20   // times the player's own lift if Pull is held too
	bobForce             = 2    // N
	bobTorque            = 1.5  // N m
	maxLean              = 0.25 // rad; how far a hovering player leans into the push
	leanPerNewton        = 0.1  // rad per N
	maxUprightAngle      = 0.5  // rad; the righting torque grows no further
	uprightStiffness     = 100  // N m per rad

	pullRadius          = 1.8  // metres; how far Pull reaches
	minPullDistance     = 0.2  // metres; nothing nearer is pulled
	maxPullAcceleration = 2000 // m/s2
)

// Rates of damping while hovering, per second, from his factors per tick at 60
// Hz: a factor f is the rate 60 (1/f - 1).
const (
	hoverAngularDamping  = 60 * (1/0.95 - 1)
	hoverLateralDamping  = 60 * (1/0.96 - 1)
	hoverVerticalDamping = 60 * (1/0.999 - 1)
)

// appliedForces are what pushes each body in a tick. A step ends with all of them at 0.
type appliedForces struct {
	force  []geom.Vec3 // N
	torque []geom.Vec3 // N m
}

// applyInputs applies what the players hold to the forces of this tick.
func (w *World) applyInputs(inputs []Input) {
	for p := range min(len(inputs), w.scene.Players) {
		in := inputs[p]
		if in.Buttons == 0 || w.kinematic(int32(p)) {
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

// addForce adds a force in newtons to body i, which wakes.
func (w *World) addForce(i int, f geom.Vec3) {
	w.wakeBody(int32(i))
	w.state.slowTicks[i] = 0
	w.applied.force[i] = w.applied.force[i].Add(f)
}

// strafe pushes player p along the ground and returns the push.
func (w *World) strafe(p int, in Input) geom.Vec3 {
	turn := float32(float32(in.Heading) * (geom.TwoPi / HeadingSteps))
	sin, cos := geom.Sin(turn), geom.Cos(turn)
	forward, right := geom.Vec3{X: -sin, Y: cos}, geom.Vec3{X: cos, Y: sin}
	var f geom.Vec3
	for _, key := range [4]struct {
		button Buttons
		way    geom.Vec3
	}{{Left, right.Neg()}, {Right, right}, {Forward, forward}, {Back, forward.Neg()}} {
		if in.Buttons&key.button != 0 {
			f = f.AddScaled(strafeForce, key.way)
		}
	}
	if f == (geom.Vec3{}) {
		return f
	}
	if in.Buttons&Lift == 0 && f.Dot(w.state.Bodies[p].Linear) < 0 {
		f = f.Scale(brakingBoost)
	}
	w.addForce(p, f)
	return f
}

// hover lifts player p on the field that it blows, upright, leaning into its
// push and bobbing a little.
func (w *World) hover(p int, in Input, force geom.Vec3) {
	w.applyLift(p, in.Buttons&Pull != 0)
	w.applyBobbing(p)
	w.applyUprightTorque(p, leaningUp(force))
	b := &w.state.Bodies[p]
	lateral, vertical := 1/(1+float32(hoverLateralDamping*w.dt)), 1/(1+float32(hoverVerticalDamping*w.dt))
	b.Linear = geom.Vec3{X: float32(b.Linear.X * lateral), Y: float32(b.Linear.Y * lateral), Z: float32(b.Linear.Z * vertical)}
	b.Angular = b.Angular.Scale(1 / (1 + float32(hoverAngularDamping*w.dt)))
}

// applyLift pushes player p up, the more the nearer it is to the ground.
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

// applyBobbing moves player p by sums of three waves on the tick, in radians per tick at 60 Hz.
func (w *World) applyBobbing(p int) {
	t := float32(float32(w.state.Tick%bobTickWrap) * float32(60*w.dt))
	w.addForce(p, geom.Vec3{X: sineSum(t, 0.1, 0.05, 1, 1), Y: sineSum(t, 0.1, 0.05, 1, 2), Z: sineSum(t, 0.1, 0.05, 1, 3)}.Scale(bobForce))
	w.applied.torque[p] = w.applied.torque[p].Add(geom.Vec3{
		X: sineSum(t, 0.05, 0.05, 1.1, 10), Y: sineSum(t, 0.09, 0.045, 1.11, 10), Z: sineSum(t, 0.05, 0.055, 1.12, 10),
	}.Scale(bobTorque))
}

// leaningUp returns where up is for a player who leans into a push.
func leaningUp(force geom.Vec3) geom.Vec3 {
	up := geom.Vec3{Z: 1}
	strength := force.Len()
	if strength == 0 {
		return up
	}
	axis := up.Cross(force).Scale(1 / strength)
	return geom.AxisAngle(axis, min(float32(leanPerNewton*strength), maxLean)).Rotate(up)
}

// applyUprightTorque turns player p so that the nearest of its cube's axes comes to point to want.
func (w *World) applyUprightTorque(p int, target geom.Vec3) {
	nearest := w.nearestAxis(p, target)
	axis := nearest.Cross(target)
	if sin := axis.Len(); sin > 1e-6 {
		angle := geom.Atan2(sin, nearest.Dot(target))
		w.applied.torque[p] = w.applied.torque[p].AddScaled(float32(uprightStiffness*min(angle, maxUprightAngle))/sin, axis)
	}
}

// bobTickWrap keeps the bob's argument small enough to be exact: 18 hours.
const bobTickWrap = 1 << 22

// sineSum is the sum of three sines of t at three rates, shifted by phase.
func sineSum(t, r1, r2, r3, phase float32) float32 {
	return geom.Sin(float32(t*r1)+phase) + geom.Sin(float32(t*r2)+float32(3*phase)) + geom.Sin(float32(t*r3)+float32(10*phase))
}

// nearestAxis returns the axis of player p's cube, of its six, that points most
// nearly to want.
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

// fieldAcceleration is the acceleration of a field at a distance, at most most.
func fieldAcceleration(distance, maxAcceleration float32) float32 {
	d := max(distance, 0.01)
	return min(float32(fieldScale/float32(d*d)), maxAcceleration)
}

// applyPushField pushes the loose cubes near player p away from the ground below it. What
// is under another player's authority it leaves alone, and so does pull.
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
		w.addForce(i, d.Scale(float32(fieldAcceleration(l, maxFieldAcceleration)/w.shapes[i].invMass)/l))
	}
}

// NoPlayer stands for no player where a player's number is expected.
const NoPlayer = -1

// LimitFields limits the push and pull fields of players in the next step: they act on body i
// only if owners[i] is that player or NoPlayer. The world reads owners until that step ends.
// The limit is not part of a State; a step without a limit moves all bodies near the player.
func (w *World) LimitFields(owners []int8) { w.fieldOwners = owners }

// fieldActsOn reports whether the fields of player p act on body i.
func (w *World) fieldActsOn(p, i int) bool {
	if w.kinematic(int32(i)) {
		return false
	}
	return w.fieldOwners == nil || w.fieldOwners[i] == NoPlayer || w.fieldOwners[i] == int8(p)
}

// applyPullField draws the loose cubes near player p to its centre.
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
		w.addForce(i, d.Scale(float32(fieldAcceleration(l, maxPullAcceleration)/w.shapes[i].invMass)/l))
	}
}
