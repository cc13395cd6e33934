package playback

import (
	"time"

	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// The ways to say how far a body goes on by itself.
const (
	none = iota
	halfPing
	fixed
)

var ways = []string{"none", "half-ping", "fixed"}

// Animated is the bodies of a world as their positions show them.
type Animated struct {
	validity float64 // ms
	way      int
	fixed    float64 // ms
	keep     bool

	in      codec.Receiver
	clock   Clock
	bodies  []History
	linked  linked
	left    []bool // by body: it is not shown, and not counted; what comes of it is kept
	noted   int    // ticks for which it is said that one was dropped
	waits   int    // bodies that go on by themselves or have stopped
	stopped int
	rate    int
	meter   *predict.Counters
	ticks   ticks
}

// noteTicks is how long it is said that a position was dropped.
const noteTicks = 30

// Declare tells env what may be tuned and what is counted, and begins with the
// bodies as they are. The body called without is shown so as well, but not counted and
// not waited for: it need not be looked at. -1 for none.
func (a *Animated) Declare(env *predict.Env, without int) {
	k, m := env.Knobs, env.Counters
	k.Millis(&a.validity, "validity", 60, 0, 1000, "a position is valid until its timestamp + ping/2 + this (T): it is reached then, so the picture is this much later than what arrives on time")
	k.Choice(&a.way, "extrapolation", halfPing, ways, "how far a body goes on by its velocities when no later position is there, before it stands: not, half the round trip, or as extrapolate says")
	k.Millis(&a.fixed, "extrapolate", 100, 0, 1000, "fixed: how far a body goes on by itself")
	a.linked.declare(k)
	k.Bool(&a.keep, "keep-expired", false, "a position that comes when its validity is over is used if no later one is there, instead of dropped")
	m.Declare("positions", "positions of bodies that came")
	m.Declare("positions_late", "of those, the ones that came when a later one had been reached, dropped")
	m.Declare("positions_expired", "of those, the ones that came when their validity was over and no later one was there")
	m.Declare("extrapolated_ticks", "ticks in which any body went on by itself, because no later position was there")
	m.Declare("stopped_ticks", "ticks in which any body that had moved stood, because none had come for too long")
	m.Declare("stopped_bodies", "bodies that stand so, now")
	m.Declare("refused", "payloads that were no message")
	m.Declare("old_states", "states no newer than the last")
	a.meter, a.rate = m, env.World.Rate()
	a.linked.scene, a.linked.player = env.World.Scene(), env.Player
	a.clock.shown = int64(env.World.Tick().Moment())
	for _, b := range env.World.Bodies() {
		a.bodies = append(a.bodies, History{drawn: b.Pose})
		a.left = append(a.left, false)
	}
	if without >= 0 {
		a.left[without] = true
	}
}

// Tick begins one of the client's ticks.
func (a *Animated) Tick() {
	a.clock.Tick()
	a.relink()
}

// Receiver reads the server's payloads. What it has read is taken in by Take.
func (a *Animated) Receiver() *codec.Receiver { return &a.in }

// Guess returns a tick near that of the next snapshot.
func (a *Animated) Guess() sim.Tick { return a.clock.Guess() }

// Take takes in what the receiver has read without an error.
func (a *Animated) Take(fresh bool) {
	t, bodies, came := a.in.Tick, a.in.Bodies, []bool(nil)
	if !fresh {
		t, bodies, came = a.in.Old()
		a.meter.Add("old_states", 1)
	}
	if a.linked.tree != nil {
		bodies = a.seen(a.in.Locals(fresh))
	}
	a.clock.Came(t, a.rate)
	var fates [4]int
	for i := range bodies {
		fate := Repeated
		if fresh || came[i] {
			fate = a.bodies[i].Add(t, &bodies[i], a.keep)
		} else {
			fate = a.bodies[i].AddSame(t, a.keep)
		}
		if !a.left[i] {
			fates[fate]++
		}
	}
	if fates[Stored] > 0 {
		a.ticks.add(t)
	}
	a.meter.Add("positions", float64(fates[Stored]+fates[Late]+fates[Expired]))
	a.meter.Add("positions_late", float64(fates[Late]))
	a.meter.Add("positions_expired", float64(fates[Expired]))
	if fates[Late] > 0 {
		a.noted = noteTicks
	}
}

// Play moves all bodies to the moment that is to be shown now. ping is the round
// trip.
func (a *Animated) Play(ping time.Duration) {
	wait := parts(a.validity, a.rate)
	moment := a.clock.Moment(wait)
	reach := int64(0)
	switch a.way {
	case halfPing:
		reach = int64(ping/2) * int64(a.rate) / 1000 * Part / 1e6
	case fixed:
		reach = parts(a.fixed, a.rate)
	}
	a.waits, a.stopped = 0, 0
	for i := range a.bodies {
		h := &a.bodies[i]
		h.curved = a.linked.curves(i)
		h.Play(moment, reach, a.rate)
		if waits, stopped := h.Waits(); waits && !a.left[i] {
			a.waits++
			if stopped {
				a.stopped++
			}
		}
	}
	a.compose()
	m := a.meter
	if a.waits > a.stopped {
		m.Add("extrapolated_ticks", 1)
	}
	if a.stopped > 0 {
		m.Add("stopped_ticks", 1)
	}
	m.Set("stopped_bodies", float64(a.stopped))
	if a.noted > 0 {
		a.noted--
	}
}

// parts is a time in milliseconds as parts of ticks.
func parts(millis float64, rate int) int64 {
	return int64(float64(millis*1e6)) * int64(rate) / 1000 * Part / 1e6
}

// Pose returns where body i is drawn.
func (a *Animated) Pose(i int) geom.Pose {
	if a.linked.tree != nil {
		return a.linked.poses[i]
	}
	return a.bodies[i].drawn
}

// Shows returns the server's tick that is shown, to the nearest.
func (a *Animated) Shows() sim.Tick { return sim.Tick(max(a.clock.shown+Part/2, 0) / Part) }

// Moment returns the moment that is shown.
func (a *Animated) Moment() sim.Moment { return sim.Moment(a.clock.shown) }

// ShowsPart returns by how many 1/sim.SeenParts ticks what is shown is later than
// Shows.
func (a *Animated) ShowsPart() int {
	const each = Part / sim.SeenParts
	off := max(a.clock.shown, 0) - int64(a.Shows())*Part // within half a tick
	return int((off+Part+each/2)/each) - sim.SeenParts
}

// Age returns by how many ticks what is shown of body i is beyond the newest
// position that has come, and 0 if it is not.
func (a *Animated) Age(i int) int32 {
	t, ok := a.bodies[i].Newest()
	if !ok {
		return 0
	}
	return int32(max((a.clock.shown-int64(t)*Part)/Part, 0))
}

// Moves reports whether body i moved when it was last heard of.
func (a *Animated) Moves(i int) bool {
	h := &a.bodies[i]
	return h.any && !h.last.body.Asleep && !h.stopped
}

// Note says in a few words what is waited for, or that a position was dropped.
func (a *Animated) Note() string {
	switch {
	case a.stopped > 0:
		return "no positions: stopped"
	case a.waits > 0:
		return "no positions: extrapolating"
	case a.noted > 0:
		return "a late position was dropped"
	}
	return ""
}

// CopyFrom makes a an equal of o, all but its meter.
func (a *Animated) CopyFrom(o *Animated) {
	a.validity, a.way, a.fixed, a.keep = o.validity, o.way, o.fixed, o.keep
	a.in.CopyFrom(&o.in)
	a.clock, a.noted, a.waits, a.stopped = o.clock, o.noted, o.waits, o.stopped
	a.rate, a.left, a.ticks = o.rate, append(a.left[:0], o.left...), o.ticks
	a.linked.copyFrom(&o.linked)
	for i := range a.bodies {
		a.bodies[i].CopyFrom(&o.bodies[i])
	}
}
