package predicted

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// correctionSettings are how corrections are found and given.
type correctionSettings struct {
	enabled         bool
	factor          float64
	tolerances      smoothing.Tolerances
	gradual         smoothing.Gradual
	resetOnSudden   bool
	suddenSpeed     float64 // m/s
	suddenTolerance float64 // m/s
	suddenStates    int     // states
}

// gradualCorrection is what is to be added to a body.
type gradualCorrection struct {
	correctionSettings
	pending           smoothing.Shift
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
	k.Int(&o.gradual.Steps, "correction-steps", 30, 1, 240, "a dose is one by this of what is left of the corrections, in each 1/60 s; 1 is all at once")
	k.Float(&o.tolerances.Position, "position-tolerance", 0.05, 0, 5, "metres of disagreement that are let pass at 10 m/s and above; less below, a tenth of it at 1 m/s and at rest")
	k.Float(&o.tolerances.Rotation, "rotation-tolerance", 2, 0, 90, "degrees that are let pass at 0.5 rad/s and above; less below, a hundredth of it at 0.05 rad/s and at rest")
	k.Float(&o.tolerances.Linear, "linear-tolerance", 0.01, 0, 10, "m/s of disagreement that are let pass")
	k.Float(&o.tolerances.Angular, "angular-tolerance", 0.01, 0, 10, "rad/s of disagreement that are let pass")
	k.Float(&o.gradual.MaxPosition, "gradual-position-max", 50, 0.01, 512, "metres up to which a correction is given in doses; a larger one at once, but for gradual-remainder")
	k.Float(&o.gradual.Remainder, "gradual-remainder", 0.15, 0, 5, "metres of a larger correction that are given in doses")
	k.Float(&o.gradual.MaxRotation, "gradual-rotation-max", 180, 1, 180, "degrees up to which a correction is given in doses; a larger one at once (the published 10, times a factor)")
	k.Bool(&o.resetOnSudden, "sudden-reset", false, "take the server's state as it is where its velocity has changed all at once and doses have not helped; it was made for ships: a cube that tumbles changes its own so whenever an edge catches")
	k.Float(&o.suddenSpeed, "sudden-speed", 10, 0.1, 1000, "sudden-reset: if the server's velocity changes by more than this, in m/s, from one state to the next, the client looks again after sudden-states")
	k.Float(&o.suddenTolerance, "sudden-tolerance", 5, 0, 1000, "sudden-reset: if it is still off by more than this then, in m/s, it is set")
	k.Int(&o.suddenStates, "sudden-states", 10, 1, 240, "sudden-reset: states that come in between")
	m.Declare("corrections", "states of which the own cube's past was off by too much")
	m.Declare("correction_mean_m", "metres that a correction added to the player's history, mean")
	m.Declare("correction_max_m", "the same, largest")
	m.Declare("pending_correction_m", "metres that are still to be given in doses, now")
	o.counters = m
}

// fullyCorrected returns the cube as it will be when all doses are given.
func (o *gradualCorrection) fullyCorrected(b *sim.Body) sim.Body {
	w := *b
	o.pending.ApplyTo(&w)
	return w
}

// measure returns the share of how the server's word differs from what was remembered
// that is to be added, part by part: nothing of a part that is off by no more than
// its threshold. ok is false if that is so of all.
func (o *gradualCorrection) measure(word, had *sim.Body) (d smoothing.Shift, ok bool) {
	return o.tolerances.Correction(word, had, float32(o.factor))
}

// add takes a difference that is to be given in doses.
func (o *gradualCorrection) add(d *smoothing.Shift) { o.pending.Add(d) }

// reset forgets what is to be given.
func (o *gradualCorrection) reset() { o.pending = smoothing.Shift{} }

// isZero reports whether nothing is.
func (o *gradualCorrection) isZero() bool { return o.pending.IsZero() }

// step gives the cube a share of all that is left: most at first, and less and less.
// What is more than most metres is given at once, but for a little, and so is what is
// more than most degrees.
func (o *gradualCorrection) step(b *sim.Body, set func(sim.Body), rate int) {
	if o.isZero() {
		o.counters.Set("pending_correction_m", 0)
		return
	}
	set(o.stepBody(b, rate))
	o.counters.Set("pending_correction_m", float64(o.pending.Pos.Len()))
}

// stepBody returns the cube with a dose.
func (o *gradualCorrection) stepBody(b *sim.Body, rate int) sim.Body {
	next := *b
	d := o.gradual.Step(&o.pending, rate)
	d.ApplyTo(&next)
	next.Asleep = false
	return next
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
	return o.suddenCountdown == 0 && word.Linear.Sub(had.Linear).Add(o.pending.Linear).Len() > float32(o.suddenTolerance)
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
