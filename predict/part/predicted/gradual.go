package predicted

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// The speeds at which the thresholds have their full size, and the share that is left
// of them at rest: the published source's.
const (
	fullToleranceSpeed = 10.0 // m/s
	fullToleranceSpin  = 0.5  // rad/s
	minToleranceScale  = 0.01 // of the squared share of those speeds
)

// What is left of a dose below these is given at once.
const (
	minRemainder         = 1e-4 // metres, radians
	minVelocityRemainder = 1e-3 // m/s, rad/s
)

// correctionSettings are how corrections are found and given.
type correctionSettings struct {
	enabled            bool
	factor             float64
	steps              int
	positionTolerance  float64 // metres
	rotationTolerance  float64 // degrees
	linearTolerance    float64 // m/s
	angularTolerance   float64 // rad/s
	maxGradualPosition float64 // metres
	gradualRemainder   float64 // metres
	maxGradualRotation float64 // degrees
	resetOnSudden      bool
	suddenSpeed        float64 // m/s
	suddenTolerance    float64 // m/s
	suddenStates       int     // states
}

// gradualCorrection is what is to be added to a body.
type gradualCorrection struct {
	correctionSettings
	pos, lin, ang     geom.Vec3
	rot               geom.Quat
	serverVelocity    geom.Vec3 // of the last state
	hasServerVelocity bool      // there was one
	suddenCountdown   int       // states until it is looked at again

	counters    *predict.Counters
	totalMetres float64 // metres, of all corrections
}

func (o *gradualCorrection) declare(env *predict.Env) {
	k, m := env.Knobs, env.Counters
	k.Bool(&o.enabled, "corrections", true, "add what the server says is off to the history and to the cube")
	k.Float(&o.factor, "correction-factor", 0.7, 0.01, 1, "share of a difference that a correction adds; what is left is found again in the next state")
	k.Int(&o.steps, "correction-steps", 30, 1, 240, "a dose is one by this of what is left of the corrections, in each 1/60 s; 1 is all at once")
	k.Float(&o.positionTolerance, "position-tolerance", 0.05, 0, 5, "metres of disagreement that are let pass at 10 m/s and above; less below, a tenth of it at 1 m/s and at rest")
	k.Float(&o.rotationTolerance, "rotation-tolerance", 2, 0, 90, "degrees that are let pass at 0.5 rad/s and above; less below, a hundredth of it at 0.05 rad/s and at rest")
	k.Float(&o.linearTolerance, "linear-tolerance", 0.01, 0, 10, "m/s of disagreement that are let pass")
	k.Float(&o.angularTolerance, "angular-tolerance", 0.01, 0, 10, "rad/s of disagreement that are let pass")
	k.Float(&o.maxGradualPosition, "gradual-position-max", 50, 0.01, 512, "metres up to which a correction is given in doses; a larger one at once, but for gradual-remainder")
	k.Float(&o.gradualRemainder, "gradual-remainder", 0.15, 0, 5, "metres of a larger correction that are given in doses")
	k.Float(&o.maxGradualRotation, "gradual-rotation-max", 180, 1, 180, "degrees up to which a correction is given in doses; a larger one at once (the published 10, times a factor)")
	k.Bool(&o.resetOnSudden, "sudden-reset", false, "take the server's state as it is where its velocity has changed all at once and doses have not helped; it was made for ships: a cube that tumbles changes its own so whenever an edge catches")
	k.Float(&o.suddenSpeed, "sudden-speed", 10, 0.1, 1000, "sudden-reset: if the server's velocity changes by more than this, in m/s, from one state to the next, the client looks again after sudden-states")
	k.Float(&o.suddenTolerance, "sudden-tolerance", 5, 0, 1000, "sudden-reset: if it is still off by more than this then, in m/s, it is set")
	k.Int(&o.suddenStates, "sudden-states", 10, 1, 240, "sudden-reset: states that come in between")
	m.Declare("corrections", "states of which the own cube's past was off by too much")
	m.Declare("correction_mean_m", "metres that a correction added to the player's history, mean")
	m.Declare("correction_max_m", "the same, largest")
	m.Declare("pending_correction_m", "metres that are still to be given in doses, now")
	o.counters, o.rot = m, geom.Identity
}

// fullyCorrected returns the cube as it will be when all doses are given.
func (o *gradualCorrection) fullyCorrected(b *sim.Body) sim.Body {
	w := *b
	w.Pose.Pos = w.Pose.Pos.Add(o.pos)
	if o.rot != geom.Identity {
		w.Pose.Rot = o.rot.Mul(w.Pose.Rot).Unit()
	}
	w.Linear, w.Angular = w.Linear.Add(o.lin), w.Angular.Add(o.ang)
	return w
}

// bodyDelta is what is to be added to a history.
type bodyDelta struct {
	pos, lin, ang geom.Vec3
	rot           geom.Quat
}

// applyTo shifts an entry by a difference.
func (d *bodyDelta) applyTo(b *sim.Body) {
	b.Pose.Pos = b.Pose.Pos.Add(d.pos)
	if d.rot != geom.Identity {
		b.Pose.Rot = d.rot.Mul(b.Pose.Rot).Unit()
	}
	b.Linear, b.Angular = b.Linear.Add(d.lin), b.Angular.Add(d.ang)
}

// measure returns the share of how the server's word differs from what was remembered
// that is to be added, part by part: nothing of a part that is off by no more than
// its threshold. ok is false if that is so of all.
func (o *gradualCorrection) measure(word, had *sim.Body) (d bodyDelta, ok bool) {
	d.rot = geom.Identity
	off := predict.Diff(word, had)
	position, rotation := float32(0), float32(0)
	if !word.Asleep {
		position = float32(float32(o.positionTolerance) * geom.Sqrt(toleranceScale(word.Linear.Len()/fullToleranceSpeed)))
		rotation = float32(float32(float32(o.rotationTolerance)*(geom.TwoPi/360)) * toleranceScale(word.Angular.Len()/fullToleranceSpin))
	}
	share := float32(o.factor)
	if off.Position > max(position, minRemainder) {
		d.pos, ok = word.Pose.Pos.Sub(had.Pose.Pos).Scale(share), true
	}
	if off.Rotation > max(rotation, minRemainder) {
		d.rot, ok = word.Pose.Rot.Mul(had.Pose.Rot.Inverse()).ScaleAngle(share), true
	}
	if off.Linear > max(float32(o.linearTolerance), minVelocityRemainder) {
		d.lin, ok = word.Linear.Sub(had.Linear).Scale(share), true
	}
	if off.Angular > max(float32(o.angularTolerance), minVelocityRemainder) {
		d.ang, ok = word.Angular.Sub(had.Angular).Scale(share), true
	}
	return d, ok
}

// toleranceScale is the square of a share, in [leastOf, 1].
func toleranceScale(share float32) float32 {
	return geom.Clamp(float32(share*share), minToleranceScale, 1)
}

// add takes a difference that is to be given in doses.
func (o *gradualCorrection) add(d *bodyDelta) {
	o.pos, o.lin, o.ang = o.pos.Add(d.pos), o.lin.Add(d.lin), o.ang.Add(d.ang)
	if d.rot != geom.Identity {
		o.rot = d.rot.Mul(o.rot).Unit()
	}
}

// reset forgets what is to be given.
func (o *gradualCorrection) reset() {
	o.pos, o.lin, o.ang, o.rot = geom.Vec3{}, geom.Vec3{}, geom.Vec3{}, geom.Identity
}

// isZero reports whether nothing is.
func (o *gradualCorrection) isZero() bool {
	return o.pos == geom.Vec3{} && o.lin == geom.Vec3{} && o.ang == geom.Vec3{} && o.rot == geom.Identity
}

// step gives the cube a share of all that is left: most at first, and less and less.
// What is more than most metres is given at once, but for a little, and so is what is
// more than most degrees.
func (o *gradualCorrection) step(b *sim.Body, set func(sim.Body), rate int) {
	if o.isZero() {
		o.counters.Set("pending_correction_m", 0)
		return
	}
	set(o.stepBody(b, rate))
	o.counters.Set("pending_correction_m", float64(o.pos.Len()))
}

// stepBody returns the cube with a dose.
func (o *gradualCorrection) stepBody(b *sim.Body, rate int) sim.Body {
	share := o.stepShare(rate)
	next := *b
	pos := takeVecShare(&o.pos, share, minRemainder)
	if left := o.pos.Len(); left > float32(o.maxGradualPosition) {
		once := o.pos.Scale(max(left-float32(o.gradualRemainder), 0) / left)
		o.pos, pos = o.pos.Sub(once), pos.Add(once)
	}
	next.Pose.Pos = next.Pose.Pos.Add(pos)
	next.Linear = next.Linear.Add(takeVecShare(&o.lin, share, minVelocityRemainder))
	next.Angular = next.Angular.Add(takeVecShare(&o.ang, share, minVelocityRemainder))
	if o.rot != geom.Identity {
		turn := o.rot
		if angle := turn.Angle(); angle > minRemainder && angle <= float32(float32(o.maxGradualRotation)*(geom.TwoPi/360)) {
			turn = turn.ScaleAngle(share)
			o.rot = o.rot.Mul(turn.Inverse()).Unit()
		} else {
			o.rot = geom.Identity
		}
		next.Pose.Rot = turn.Mul(next.Pose.Rot).Unit()
	}
	next.Asleep = false
	return next
}

// stepShare is that of what is left which a dose is.
func (o *gradualCorrection) stepShare(rate int) float32 {
	return 1 - smoothing.FactorPerTick(1-1/float32(o.steps), rate)
}

// takeVecShare takes a share of what is left of v, or all of it if that is no more than
// little.
func takeVecShare(v *geom.Vec3, share, little float32) geom.Vec3 {
	d := v.Scale(share)
	if v.LenSq() <= float32(little*little) {
		d = *v
	}
	*v = v.Sub(d)
	return d
}

// suddenlyOff reports whether the server's velocity is known to have changed all at once
// some states ago, and the client's cube, with the doses that it has been given, is
// still off by too much.
func (o *gradualCorrection) suddenlyOff(word, had *sim.Body) bool {
	changed := o.resetOnSudden && o.hasServerVelocity && word.Linear.Sub(o.serverVelocity).Len() > float32(o.suddenSpeed)
	o.serverVelocity, o.hasServerVelocity = word.Linear, true
	if changed && o.suddenCountdown == 0 {
		o.suddenCountdown = o.suddenStates
		return false
	}
	if o.suddenCountdown == 0 {
		return false
	}
	o.suddenCountdown--
	return o.suddenCountdown == 0 && word.Linear.Sub(had.Linear).Add(o.lin).Len() > float32(o.suddenTolerance)
}

// countCorrection notes a correction of so many metres.
func (o *gradualCorrection) countCorrection(metres float32) {
	m := o.counters
	m.Add("corrections", 1)
	o.totalMetres += float64(metres)
	m.Set("correction_mean_m", o.totalMetres/m.Value("corrections"))
	m.Set("correction_max_m", max(m.Value("correction_max_m"), float64(metres)))
}

func (o *gradualCorrection) copyFrom(from *gradualCorrection) {
	meter := o.counters
	*o = *from
	o.counters = meter
}
