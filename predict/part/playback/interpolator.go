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
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Interpolator is the positions of one body. The zero value has none.
type Interpolator struct {
	pending    []sample // those still to be reached, oldest first
	reached    sample   // the newest that has been reached
	hasReached bool     // one has been

	pose    geom.Pose
	moment  sim.Moment // the moment that is drawn
	stopped bool       // it went on by itself as far as it may

	useCurve bool // it goes to the next position by a curve, and not straight
	curve    curve
}

type sample struct {
	tick sim.Tick
	body sim.Body
}

// Outcome is what became of a position that came.
type Outcome uint8

// The fates.
const (
	Stored    Outcome = iota
	Duplicate         // one of its tick is there
	Late              // a later one has been reached, or is on the way to being: it is dropped
	Expired           // its validity is over, but no later one is there
)

// Add takes in the position of a tick. One that has expired is dropped, unless
// keep says otherwise.
func (h *Interpolator) Add(t sim.Tick, b *sim.Body, keep bool) Outcome {
	n := len(h.pending)
	switch {
	case n > 0 && h.pending[n-1].tick < t:
	case h.hasReached && t.Moment() <= h.moment && (n > 0 || t <= h.reached.tick):
		return Late
	case h.hasReached && t.Moment() <= h.moment && !keep:
		return Expired
	}
	i := n
	for i > 0 && h.pending[i-1].tick >= t {
		i--
	}
	if i < n && h.pending[i].tick == t {
		return Duplicate
	}
	if i == n && h.isRedundant(b) {
		h.pending[n-1].tick = t // still the same: two of them say so
		return Stored
	}
	h.pending = append(h.pending, sample{})
	copy(h.pending[i+1:], h.pending[i:])
	h.pending[i] = sample{t, *b}
	return Stored
}

// isRedundant reports whether the last two positions are the same as b.
func (h *Interpolator) isRedundant(b *sim.Body) bool {
	switch n := len(h.pending); {
	case n == 0 || h.pending[n-1].body != *b:
		return false
	case n == 1:
		return h.hasReached && h.reached.body == *b
	default:
		return h.pending[n-2].body == *b
	}
}

// AddSame takes in that the body was at tick t as in the newest position at or
// before it, if there is one.
func (h *Interpolator) AddSame(t sim.Tick, keep bool) Outcome {
	for i := len(h.pending) - 1; i >= 0; i-- {
		if h.pending[i].tick <= t {
			b := h.pending[i].body
			return h.Add(t, &b, keep)
		}
	}
	if h.hasReached && h.reached.tick <= t {
		b := h.reached.body
		return h.Add(t, &b, keep)
	}
	return Duplicate
}

// SetPose has the body drawn at a pose until the first position comes.
func (h *Interpolator) SetPose(p geom.Pose) { h.pose = p }

// Advance moves what is drawn to a moment, which is never before the last one. Where
// no later position is there it goes on by its velocities, at most reach
// beyond the last, and then stands until another comes; rate is in ticks per
// second.
func (h *Interpolator) Advance(moment, reach sim.Moment, rate int) {
	from, begin := h.pose, h.moment
	reached := 0
	for reached < len(h.pending) && h.pending[reached].tick.Moment() <= moment {
		reached++
	}
	if reached > 0 {
		h.curve.startAt(&h.pending[reached-1])
		h.reached, h.hasReached, h.stopped = h.pending[reached-1], true, false
		h.pending = h.pending[:copy(h.pending, h.pending[reached:])]
		from, begin = h.reached.body.Pose, h.reached.tick.Moment()
	}
	h.moment = moment
	switch {
	case len(h.pending) > 0:
		h.stopped = false
		next := &h.pending[0]
		if !h.hasReached { // nothing to come from
			return
		}
		if h.useCurve {
			h.curve.setEnd(h.pose, begin, next)
			h.pose = h.curve.poseAt(moment, next, rate)
			return
		}
		h.pose = interpolate(from, next.body.Pose, moment-begin, next.tick.Moment()-begin)
	case h.hasReached && !h.stopped:
		beyond := moment - h.reached.tick.Moment()
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
	waits = h.hasReached && len(h.pending) == 0 && !h.reached.body.Asleep && h.moment > h.reached.tick.Moment()
	return waits, waits && h.stopped
}

// NewestTick returns the tick of the newest position.
func (h *Interpolator) NewestTick() (t sim.Tick, ok bool) {
	if n := len(h.pending); n > 0 {
		return h.pending[n-1].tick, true
	}
	return h.reached.tick, h.hasReached
}

// CopyFrom makes h an equal of o that shares no memory with it.
func (h *Interpolator) CopyFrom(o *Interpolator) {
	list := append(h.pending[:0], o.pending...)
	*h = *o
	h.pending = list
}
