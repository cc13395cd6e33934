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
	fullSpeed = 10.0 // m/s
	fullSpin  = 0.5  // rad/s
	leastOf   = 0.01 // of the squared share of those speeds
)

// What is left of a dose below these is given at once.
const (
	dust     = 1e-4 // metres, radians
	dustPace = 1e-3 // m/s, rad/s
)

// settings are how corrections are found and given.
type settings struct {
	corrections bool
	factor      float64
	steps       int
	position    float64 // metres
	rotation    float64 // degrees
	linear      float64 // m/s
	angular     float64 // rad/s
	most        float64 // metres
	leave       float64 // metres
	mostTurn    float64 // degrees
	hard        bool
	sudden      float64 // m/s
	apart       float64 // m/s
	patience    int     // states
}

// offsets is what is to be added to a body.
type offsets struct {
	settings
	pos, lin, ang geom.Vec3
	rot           geom.Quat
	velocity      geom.Vec3 // of the last state
	heard         bool      // there was one
	suspect       int       // states until it is looked at again

	meter *predict.Counters
	sum   float64 // metres, of all corrections
}

func (o *offsets) declare(env *predict.Env) {
	k, m := env.Knobs, env.Counters
	k.Bool(&o.corrections, "corrections", true, "add what the server says is off to the history and to the cube")
	k.Float(&o.factor, "delta-factor", 0.7, 0.01, 1, "share of a difference that a correction adds; what is left is found again in the next state")
	k.Int(&o.steps, "smooth-steps", 30, 1, 240, "a dose is one by this of what is left of the corrections, in each 1/60 s; 1 is all at once")
	k.Float(&o.position, "ignore-position", 0.05, 0, 5, "metres of disagreement that are let pass at 10 m/s and above; less below, a tenth of it at 1 m/s and at rest")
	k.Float(&o.rotation, "ignore-rotation", 2, 0, 90, "degrees that are let pass at 0.5 rad/s and above; less below, a hundredth of it at 0.05 rad/s and at rest")
	k.Float(&o.linear, "ignore-linear", 0.01, 0, 10, "m/s of disagreement that are let pass")
	k.Float(&o.angular, "ignore-angular", 0.01, 0, 10, "rad/s of disagreement that are let pass")
	k.Float(&o.most, "most-position", 50, 0.01, 512, "metres up to which a correction is given in doses; a larger one at once, but for leave-position")
	k.Float(&o.leave, "leave-position", 0.15, 0, 5, "metres of a larger correction that are given in doses")
	k.Float(&o.mostTurn, "most-rotation", 180, 1, 180, "degrees up to which a correction is given in doses; a larger one at once (the published 10, times a factor)")
	k.Bool(&o.hard, "sudden-reset", false, "take the server's state as it is where its velocity has changed all at once and doses have not helped; it was made for ships: a cube that tumbles changes its own so whenever an edge catches")
	k.Float(&o.sudden, "sudden", 10, 0.1, 1000, "sudden-reset: if the server's velocity changes by more than this, in m/s, from one state to the next, the client looks again after sudden-states")
	k.Float(&o.apart, "sudden-apart", 5, 0, 1000, "sudden-reset: if it is still off by more than this then, in m/s, it is set")
	k.Int(&o.patience, "sudden-states", 10, 1, 240, "sudden-reset: states that come in between")
	m.Declare("corrections", "states of which the own cube's past was off by too much")
	m.Declare("correction_mean_m", "metres that a correction added to the player's history, mean")
	m.Declare("correction_max_m", "the same, largest")
	m.Declare("offset_m", "metres that are still to be given in doses, now")
	o.meter, o.rot = m, geom.Identity
}

// whole returns the cube as it will be when all doses are given.
func (o *offsets) whole(b *sim.Body) sim.Body {
	w := *b
	w.Pose.Pos = w.Pose.Pos.Add(o.pos)
	if o.rot != geom.Identity {
		w.Pose.Rot = o.rot.Mul(w.Pose.Rot).Unit()
	}
	w.Linear, w.Angular = w.Linear.Add(o.lin), w.Angular.Add(o.ang)
	return w
}

// difference is what is to be added to a history.
type difference struct {
	pos, lin, ang geom.Vec3
	rot           geom.Quat
}

// add shifts an entry by a difference.
func (d *difference) add(b *sim.Body) {
	b.Pose.Pos = b.Pose.Pos.Add(d.pos)
	if d.rot != geom.Identity {
		b.Pose.Rot = d.rot.Mul(b.Pose.Rot).Unit()
	}
	b.Linear, b.Angular = b.Linear.Add(d.lin), b.Angular.Add(d.ang)
}

// find returns the share of how the server's word differs from what was remembered
// that is to be added, part by part: nothing of a part that is off by no more than
// its threshold. ok is false if that is so of all.
func (o *offsets) find(word, had *sim.Body) (d difference, ok bool) {
	d.rot = geom.Identity
	off := predict.Differ(word, had)
	position, rotation := float32(0), float32(0)
	if !word.Asleep {
		position = float32(float32(o.position) * geom.Sqrt(least(word.Linear.Len()/fullSpeed)))
		rotation = float32(float32(float32(o.rotation)*(geom.TwoPi/360)) * least(word.Angular.Len()/fullSpin))
	}
	share := float32(o.factor)
	if off.Position > max(position, dust) {
		d.pos, ok = word.Pose.Pos.Sub(had.Pose.Pos).Scale(share), true
	}
	if off.Rotation > max(rotation, dust) {
		d.rot, ok = word.Pose.Rot.Mul(had.Pose.Rot.Inverse()).Share(share), true
	}
	if off.Linear > max(float32(o.linear), dustPace) {
		d.lin, ok = word.Linear.Sub(had.Linear).Scale(share), true
	}
	if off.Angular > max(float32(o.angular), dustPace) {
		d.ang, ok = word.Angular.Sub(had.Angular).Scale(share), true
	}
	return d, ok
}

// least is the square of a share, in [leastOf, 1].
func least(share float32) float32 { return geom.Clamp(float32(share*share), leastOf, 1) }

// take takes a difference that is to be given in doses.
func (o *offsets) take(d *difference) {
	o.pos, o.lin, o.ang = o.pos.Add(d.pos), o.lin.Add(d.lin), o.ang.Add(d.ang)
	if d.rot != geom.Identity {
		o.rot = d.rot.Mul(o.rot).Unit()
	}
}

// clear forgets what is to be given.
func (o *offsets) clear() {
	o.pos, o.lin, o.ang, o.rot = geom.Vec3{}, geom.Vec3{}, geom.Vec3{}, geom.Identity
}

// done reports whether nothing is.
func (o *offsets) done() bool {
	return o.pos == geom.Vec3{} && o.lin == geom.Vec3{} && o.ang == geom.Vec3{} && o.rot == geom.Identity
}

// dose gives the cube a share of all that is left: most at first, and less and less.
// What is more than most metres is given at once, but for a little, and so is what is
// more than most degrees.
func (o *offsets) dose(b *sim.Body, set func(sim.Body), rate int) {
	if o.done() {
		o.meter.Set("offset_m", 0)
		return
	}
	set(o.give(b, rate))
	o.meter.Set("offset_m", float64(o.pos.Len()))
}

// give returns the cube with a dose.
func (o *offsets) give(b *sim.Body, rate int) sim.Body {
	share := o.share(rate)
	next := *b
	pos := part(&o.pos, share, dust)
	if left := o.pos.Len(); left > float32(o.most) {
		once := o.pos.Scale(max(left-float32(o.leave), 0) / left)
		o.pos, pos = o.pos.Sub(once), pos.Add(once)
	}
	next.Pose.Pos = next.Pose.Pos.Add(pos)
	next.Linear = next.Linear.Add(part(&o.lin, share, dustPace))
	next.Angular = next.Angular.Add(part(&o.ang, share, dustPace))
	if o.rot != geom.Identity {
		turn := o.rot
		if angle := turn.Angle(); angle > dust && angle <= float32(float32(o.mostTurn)*(geom.TwoPi/360)) {
			turn = turn.Share(share)
			o.rot = o.rot.Mul(turn.Inverse()).Unit()
		} else {
			o.rot = geom.Identity
		}
		next.Pose.Rot = turn.Mul(next.Pose.Rot).Unit()
	}
	next.Asleep = false
	return next
}

// share is that of what is left which a dose is.
func (o *offsets) share(rate int) float32 {
	return 1 - smoothing.Share(1-1/float32(o.steps), rate)
}

// part takes a share of what is left of v, or all of it if that is no more than
// little.
func part(v *geom.Vec3, share, little float32) geom.Vec3 {
	d := v.Scale(share)
	if v.Len2() <= float32(little*little) {
		d = *v
	}
	*v = v.Sub(d)
	return d
}

// startled reports whether the server's velocity is known to have changed all at once
// some states ago, and the client's cube, with the doses that it has been given, is
// still off by too much.
func (o *offsets) startled(word, had *sim.Body) bool {
	changed := o.hard && o.heard && word.Linear.Sub(o.velocity).Len() > float32(o.sudden)
	o.velocity, o.heard = word.Linear, true
	if changed && o.suspect == 0 {
		o.suspect = o.patience
		return false
	}
	if o.suspect == 0 {
		return false
	}
	o.suspect--
	return o.suspect == 0 && word.Linear.Sub(had.Linear).Add(o.lin).Len() > float32(o.apart)
}

// count notes a correction of so many metres.
func (o *offsets) count(metres float32) {
	m := o.meter
	m.Add("corrections", 1)
	o.sum += float64(metres)
	m.Set("correction_mean_m", o.sum/m.Value("corrections"))
	m.Set("correction_max_m", max(m.Value("correction_max_m"), float64(metres)))
}

func (o *offsets) copyFrom(from *offsets) {
	meter := o.meter
	*o = *from
	o.meter = meter
}
