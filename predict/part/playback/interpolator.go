// Package playback shows bodies as the server had them a little while ago, as
// Space Engineers does in what it calls Animated mode (a talk at GDC): every
// position carries the server's timestamp and enters the body's position history;
// it is valid until the timestamp + ping/2 + T; what is drawn moves towards the next
// position that is; and when there is none it goes on by itself for ping/2 at most,
// and then stands.
//
// The client's clock knows the server's timestamp from what arrives, which takes
// ping/2: so the half ping is on both sides of the rule, and what remains of it is
// that a position is valid until T after the moment at which it should arrive. That
// is the moment at which it is reached.
package playback

import (
	"ghostcube/predict/part/playout"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Interpolator draws one body between its received positions. The zero value has none.
type Interpolator struct {
	pending    playout.Buffer[sim.Body] // positions still to be reached
	reached    playout.Item[sim.Body]   // the newest one that has been reached
	hasReached bool

	pose    geom.Pose
	moment  sim.Moment // that is drawn
	stopped bool       // extrapolated as far as allowed

	useCurve bool // interpolate by a curve, not linearly
	curve    curve
}

// Outcome is what became of a received position.
type Outcome uint8

// The outcomes.
const (
	Stored    Outcome = iota
	Duplicate         // the position of this tick is in the buffer already
	Late              // dropped: the body has reached a later position, or moves from beyond this one to the next
	Expired           // dropped: its validity is over, although no later position has arrived
)

// Add inserts the position of a tick. It drops one that has expired, unless keepExpired
// is set.
func (h *Interpolator) Add(t sim.Tick, b *sim.Body, keepExpired bool) Outcome {
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

// AddSame inserts for tick t the newest position at or before it, if there is one.
func (h *Interpolator) AddSame(t sim.Tick, keepExpired bool) Outcome {
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

// SetPose has the body drawn at a pose until the first position comes.
func (h *Interpolator) SetPose(p geom.Pose) { h.pose = p }

// Advance moves what is drawn to a moment, which is never before the last one. Where
// no later position is there it goes on by its velocities, at most reach
// beyond the last, and then stands until another comes; rate is in ticks per
// second.
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
		if !h.hasReached { // nothing to come from
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

// interpolate returns the pose that lies way of whole from a to b.
func interpolate(a, b geom.Pose, way, whole sim.Moment) geom.Pose {
	if a == b {
		return b
	}
	share := float32(float64(way) / float64(whole))
	if a.Rot == b.Rot {
		return geom.Pose{Pos: a.Pos.AddScaled(share, b.Pos.Sub(a.Pos)), Rot: b.Rot}
	}
	return geom.LerpPose(a, b, share)
}

// Pose returns where the body is drawn.
func (h *Interpolator) Pose() geom.Pose { return h.pose }

// Starved reports whether no later position than what is drawn is there, although
// the body moved when it was last heard of: it goes on by itself, or has stopped.
func (h *Interpolator) Starved() (waits, stopped bool) {
	waits = h.hasReached && h.pending.Len() == 0 && !h.reached.Value.Asleep && h.moment > h.reached.Tick.Moment()
	return waits, waits && h.stopped
}

// NewestTick returns the tick of the newest position.
func (h *Interpolator) NewestTick() (t sim.Tick, ok bool) {
	if newest := h.pending.Newest(); newest != nil {
		return newest.Tick, true
	}
	return h.reached.Tick, h.hasReached
}

// CopyFrom makes h an equal of o that shares no memory with it.
func (h *Interpolator) CopyFrom(o *Interpolator) {
	pending := h.pending
	pending.CopyFrom(&o.pending, nil)
	*h = *o
	h.pending = pending
}
