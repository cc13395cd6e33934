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

// Part is a tick's share in which moments of the server are counted: whole numbers
// are the same on every machine.
const Part = sim.MomentsPerTick

// History is the positions of one body. The zero value has none.
type History struct {
	list []sample // those still to be reached, oldest first
	last sample   // the newest that has been reached
	any  bool     // one has been

	drawn   geom.Pose
	at      int64 // the moment that is drawn
	stopped bool  // it went on by itself as far as it may

	curved bool // it goes to the next position by a curve, and not straight
	bend   bend
}

type sample struct {
	tick sim.Tick
	body sim.Body
}

// Fate is what became of a position that came.
type Fate uint8

// The fates.
const (
	Stored   Fate = iota
	Repeated      // one of its tick is there
	Late          // a later one has been reached, or is on the way to being: it is dropped
	Expired       // its validity is over, but no later one is there
)

// Add takes in the position of a tick. One that has expired is dropped, unless
// keep says otherwise.
func (h *History) Add(t sim.Tick, b *sim.Body, keep bool) Fate {
	n := len(h.list)
	switch {
	case n > 0 && h.list[n-1].tick < t:
	case h.any && int64(t)*Part <= h.at && (n > 0 || t <= h.last.tick):
		return Late
	case h.any && int64(t)*Part <= h.at && !keep:
		return Expired
	}
	i := n
	for i > 0 && h.list[i-1].tick >= t {
		i--
	}
	if i < n && h.list[i].tick == t {
		return Repeated
	}
	if i == n && h.rests(b) {
		h.list[n-1].tick = t // still the same: two of them say so
		return Stored
	}
	h.list = append(h.list, sample{})
	copy(h.list[i+1:], h.list[i:])
	h.list[i] = sample{t, *b}
	return Stored
}

// rests reports whether the last two positions are the same as b.
func (h *History) rests(b *sim.Body) bool {
	switch n := len(h.list); {
	case n == 0 || h.list[n-1].body != *b:
		return false
	case n == 1:
		return h.any && h.last.body == *b
	default:
		return h.list[n-2].body == *b
	}
}

// AddSame takes in that the body was at tick t as in the newest position at or
// before it, if there is one.
func (h *History) AddSame(t sim.Tick, keep bool) Fate {
	for i := len(h.list) - 1; i >= 0; i-- {
		if h.list[i].tick <= t {
			b := h.list[i].body
			return h.Add(t, &b, keep)
		}
	}
	if h.any && h.last.tick <= t {
		b := h.last.body
		return h.Add(t, &b, keep)
	}
	return Repeated
}

// Begin has the body drawn at a pose until the first position comes.
func (h *History) Begin(p geom.Pose) { h.drawn = p }

// Play moves what is drawn to a moment, which is never before the last one. Where
// no later position is there it goes on by its velocities, at most reach parts of a
// tick beyond the last, and then stands until another comes; rate is in ticks per
// second.
func (h *History) Play(moment, reach int64, rate int) {
	from, begin := h.drawn, h.at
	reached := 0
	for reached < len(h.list) && int64(h.list[reached].tick)*Part <= moment {
		reached++
	}
	if reached > 0 {
		h.bend.leave(&h.list[reached-1])
		h.last, h.any, h.stopped = h.list[reached-1], true, false
		h.list = h.list[:copy(h.list, h.list[reached:])]
		from, begin = h.last.body.Pose, int64(h.last.tick)*Part
	}
	h.at = moment
	switch {
	case len(h.list) > 0:
		h.stopped = false
		next := &h.list[0]
		if !h.any { // nothing to come from
			return
		}
		if h.curved {
			h.bend.aim(h.drawn, begin, next)
			h.drawn = h.bend.pose(moment, next, rate)
			return
		}
		h.drawn = towards(from, next.body.Pose, moment-begin, int64(next.tick)*Part-begin)
	case h.any && !h.stopped:
		beyond := moment - int64(h.last.tick)*Part
		h.stopped = beyond >= reach
		h.drawn = h.bend.ahead(&h.last, min(beyond, reach), rate)
	}
}

// towards returns the pose that lies way of whole from a to b.
func towards(a, b geom.Pose, way, whole int64) geom.Pose {
	if a == b {
		return b
	}
	share := float32(float64(way) / float64(whole))
	if a.Rot == b.Rot {
		return geom.Pose{Pos: a.Pos.Plus(share, b.Pos.Sub(a.Pos)), Rot: b.Rot}
	}
	return geom.Blend(a, b, share)
}

// Drawn returns where the body is drawn.
func (h *History) Drawn() geom.Pose { return h.drawn }

// Waits reports whether no later position than what is drawn is there, although
// the body moved when it was last heard of: it goes on by itself, or has stopped.
func (h *History) Waits() (waits, stopped bool) {
	waits = h.any && len(h.list) == 0 && !h.last.body.Asleep && h.at > int64(h.last.tick)*Part
	return waits, waits && h.stopped
}

// Newest returns the tick of the newest position.
func (h *History) Newest() (t sim.Tick, ok bool) {
	if n := len(h.list); n > 0 {
		return h.list[n-1].tick, true
	}
	return h.last.tick, h.any
}

// CopyFrom makes h an equal of o that shares no memory with it.
func (h *History) CopyFrom(o *History) {
	list := append(h.list[:0], o.list...)
	*h = *o
	h.list = list
}
