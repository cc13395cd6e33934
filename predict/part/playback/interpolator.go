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

	useCurve bool // interpolate on a curve, not linearly
	curve    curve
}

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
func (h *Interpolator) Add(t sim.Tick, b *sim.Body, keepExpired bool) AddResult {
	newest := h.pending.Newest()
	past := h.hasReached && t.Moment() <= h.moment
	switch {
	case newest != nil && newest.Tick < t:
		if h.isRedundant(b) {
			newest.Tick = t // two positions are enough for a body that stays the same
			return Stored
		}
	case past && (newest != nil || t <= h.reached.Tick):
		return Late
	case past && !keepExpired:
		return Expired
	}
	body := h.pending.Insert(t)
	if body == nil {
		return Duplicate
	}
	*body = *b
	return Stored
}

// isRedundant reports whether the newest two positions are the same as b.
func (h *Interpolator) isRedundant(b *sim.Body) bool {
	switch n := h.pending.Len(); {
	case n == 0 || h.pending.At(n-1).Value != *b:
		return false
	case n == 1:
		return h.hasReached && h.reached.Value == *b
	default:
		return h.pending.At(n-2).Value == *b
	}
}

// AddSame inserts the newest position at or before tick t for tick t, if there is one.
func (h *Interpolator) AddSame(t sim.Tick, keepExpired bool) AddResult {
	from := &h.reached
	if n := h.pending.CountUntil(t.Moment()); n > 0 {
		from = h.pending.At(n - 1)
	} else if !h.hasReached || h.reached.Tick > t {
		return Duplicate
	}
	b := from.Value
	return h.Add(t, &b, keepExpired)
}

// restart forgets all positions and draws the body at a pose until one arrives.
func (h *Interpolator) restart(p geom.Pose) {
	h.pending.Drop(h.pending.Len())
	*h = Interpolator{pending: h.pending, pose: p, moment: h.moment}
}

// Advance draws the body at a moment, which is never before the last one. Without a later
// position it extrapolates by the velocities of the last one, for at most reach; then the
// body stands until another position arrives. rate is in ticks per second.
func (h *Interpolator) Advance(moment, reach sim.Moment, rate int) {
	from, begin := h.pose, h.moment
	if n := h.pending.CountUntil(moment); n > 0 {
		h.reached, h.hasReached, h.stopped = *h.pending.At(n - 1), true, false
		h.pending.Drop(n)
		h.curve.startAt(&h.reached)
		from, begin = h.reached.Value.Pose, h.reached.Tick.Moment()
	}
	h.moment = moment
	switch {
	case h.pending.Len() > 0:
		h.stopped = false
		next := h.pending.At(0)
		if !h.hasReached { // no position to start from
			return
		}
		if h.useCurve {
			h.curve.setEnd(h.pose, begin, next)
			h.pose = h.curve.poseAt(moment, next, rate)
			return
		}
		h.pose = interpolate(from, next.Value.Pose, moment-begin, next.Tick.Moment()-begin)
	case h.hasReached && !h.stopped:
		beyond := moment - h.reached.Tick.Moment()
		h.stopped = beyond >= reach
		h.pose = h.curve.extrapolate(&h.reached, min(beyond, reach), rate)
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
func (h *Interpolator) Pose() geom.Pose { return h.pose }

// Starved reports whether the body moves and no later position has arrived: it is
// extrapolated, or has stopped.
func (h *Interpolator) Starved() (starved, stopped bool) {
	starved = h.hasReached && h.pending.Len() == 0 && !h.reached.Value.Asleep && h.moment > h.reached.Tick.Moment()
	return starved, starved && h.stopped
}

// NewestTick returns the tick of the newest position. It reports false without any.
func (h *Interpolator) NewestTick() (t sim.Tick, ok bool) {
	if newest := h.pending.Newest(); newest != nil {
		return newest.Tick, true
	}
	return h.reached.Tick, h.hasReached
}

// CopyFrom makes h a copy of o that shares no memory.
func (h *Interpolator) CopyFrom(o *Interpolator) {
	pending := h.pending
	pending.CopyFrom(&o.pending, nil)
	*h = *o
	h.pending = pending
}
