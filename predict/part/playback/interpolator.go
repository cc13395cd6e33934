// Package playback interpolates bodies between received positions, some time behind the
// server, as Space Engineers does in its Animated mode (a talk at GDC). Every position
// carries the server's timestamp and enters the body's position history. It is valid until
// timestamp + ping/2 + T. A body moves towards its next valid position. Without one it is
// extrapolated for at most ping/2, and then stops.
//
// The client's clock takes the server's time from the arriving positions, which are ping/2
// old. So ping/2 is on both sides of the rule and cancels out: a position is valid until T
// after the moment at which it should arrive, and that is when the body reaches it. T is a
// fixed playout delay.
package playback

import (
	"ghostcube/predict/part/playout"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// Interpolator draws one body between its received positions. The zero value has none.
type Interpolator struct {
	pending    playout.Buffer[sim.Body] // positions that the body has not reached
	reached    playout.Item[sim.Body]   // the newest position that it has reached
	hasReached bool

	pose    geom.Pose
	moment  sim.Moment // of the server, at which the body is drawn
	stopped bool       // extrapolated as far as allowed

	useCurve    bool // interpolate on a curve, not linearly
	curvedAfter bool // do so if the body was extrapolated
	curve       curve
}

// NewInterpolator returns an Interpolator that draws its body at a pose until it reaches a position.
func NewInterpolator(p geom.Pose) Interpolator { return Interpolator{pose: p} }

// AddResult is the result of adding a received position.
type AddResult uint8

// The results of Add and AddSame.
const (
	Stored    AddResult = iota
	Duplicate           // dropped: the buffer has a position of this tick
	Late                // dropped: the body has passed this tick on its way to a later position
	Expired             // dropped: the validity is over, although no later position has arrived
)

// Add inserts the position of a tick. It drops an expired one unless keepExpired is set.
func (i *Interpolator) Add(t sim.Tick, b *sim.Body, keepExpired bool) AddResult {
	newest := i.pending.Newest()
	past := i.hasReached && t.Moment() <= i.moment
	switch {
	case newest != nil && newest.Tick < t:
		if i.isRedundant(b) {
			newest.Tick = t // two positions are enough for a body that stays the same
			return Stored
		}
	case past && (newest != nil || t <= i.reached.Tick):
		return Late
	case past && !keepExpired:
		return Expired
	}
	body := i.pending.Insert(t)
	if body == nil {
		return Duplicate
	}
	*body = *b
	return Stored
}

// isRedundant reports whether the newest two positions are the same as b.
func (i *Interpolator) isRedundant(b *sim.Body) bool {
	switch n := i.pending.Len(); {
	case n == 0 || i.pending.At(n-1).Value != *b:
		return false
	case n == 1:
		return i.hasReached && i.reached.Value == *b
	default:
		return i.pending.At(n-2).Value == *b
	}
}

// AddSame inserts the newest position at or before tick t for tick t, if there is one.
func (i *Interpolator) AddSame(t sim.Tick, keepExpired bool) AddResult {
	from := &i.reached
	if n := i.pending.CountUntil(t.Moment()); n > 0 {
		from = i.pending.At(n - 1)
	} else if !i.hasReached || i.reached.Tick > t {
		return Duplicate
	}
	b := from.Value
	return i.Add(t, &b, keepExpired)
}

// restart forgets all positions and draws the body at a pose until one arrives.
func (i *Interpolator) restart(p geom.Pose) {
	i.pending.Drop(i.pending.Len())
	*i = Interpolator{pending: i.pending, pose: p, moment: i.moment}
}

// Advance draws the body at a moment, which is never before the last one. Without a later
// position it extrapolates by the velocities of the last one, for at most reach; then the
// body stands until another position arrives. rate is in ticks per second.
func (i *Interpolator) Advance(moment, reach sim.Moment, rate int) {
	from, begin := i.pose, i.moment
	if n := i.pending.CountUntil(moment); n > 0 {
		i.reached, i.hasReached, i.stopped = *i.pending.At(n - 1), true, false
		i.pending.Drop(n)
		i.curve.startAt(&i.reached)
		from, begin = i.reached.Value.Pose, i.reached.Tick.Moment()
	}
	i.moment = moment
	switch {
	case i.pending.Len() > 0:
		i.stopped = false
		next := i.pending.At(0)
		if !i.hasReached { // no position to start from
			return
		}
		if i.useCurve || i.curvedAfter && (i.curve.extrapolated || i.curve.hasEnd) {
			i.curve.setEnd(i.pose, begin, next)
			i.pose = i.curve.poseAt(moment, next, rate)
			return
		}
		i.pose = interpolate(from, next.Value.Pose, moment-begin, next.Tick.Moment()-begin)
	case i.hasReached && !i.stopped:
		beyond := moment - i.reached.Tick.Moment()
		i.stopped = beyond >= reach
		i.pose = i.curve.extrapolate(&i.reached, min(beyond, reach), rate)
	}
}

// interpolate returns the pose between a and b after some time of the whole time from a to b.
func interpolate(a, b geom.Pose, passed, whole sim.Moment) geom.Pose {
	if a == b {
		return b
	}
	share := float32(float64(passed) / float64(whole))
	if a.Rot == b.Rot {
		return geom.Pose{Pos: smoothing.Lerp(a.Pos, b.Pos, share), Rot: b.Rot}
	}
	return smoothing.LerpPose(a, b, share)
}

// Pose returns where the body is drawn.
func (i *Interpolator) Pose() geom.Pose { return i.pose }

// Starved reports whether the body moves and no later position has arrived: it is
// extrapolated, or has stopped.
func (i *Interpolator) Starved() (starved, stopped bool) {
	starved = i.hasReached && i.pending.Len() == 0 && !i.reached.Value.Asleep && i.moment > i.reached.Tick.Moment()
	return starved, starved && i.stopped
}

// NewestTick returns the tick of the newest position. It reports false without any.
func (i *Interpolator) NewestTick() (t sim.Tick, ok bool) {
	if newest := i.pending.Newest(); newest != nil {
		return newest.Tick, true
	}
	return i.reached.Tick, i.hasReached
}

// CopyFrom makes i a copy of o that shares no memory.
func (i *Interpolator) CopyFrom(o *Interpolator) {
	pending := i.pending
	pending.CopyFrom(&o.pending, nil)
	*i = *o
	i.pending = pending
}
