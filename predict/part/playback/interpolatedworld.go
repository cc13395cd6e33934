package playback

import (
	"time"

	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/playout"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// The ways to say how far a body goes on by itself.
const (
	extrapolateNone = iota
	extrapolateHalfRTT
	extrapolateFixed
)

var extrapolationNames = []string{"none", "half-rtt", "fixed"}

// InterpolatedWorld is the bodies of a world as their positions show them.
type InterpolatedWorld struct {
	validity         float64 // ms
	extrapolation    int
	maxExtrapolation float64 // ms
	keepExpired      bool

	receiver      codec.Receiver
	now           sim.Moment // on the client's own clock
	clock         playout.Clock
	displayMoment sim.Moment               // of the server, that is shown
	newestTick    sim.Tick                 // of the positions that have arrived
	undisplayed   playout.Buffer[struct{}] // ticks of the positions that bodies have not reached
	bodies        []Interpolator
	joints        jointPoses
	excluded      []bool // by body: it is not shown, and not counted; what comes of it is kept
	lateNote      int    // ticks for which it is said that one was dropped
	starvedCount  int    // bodies that go on by themselves or have stopped
	stoppedCount  int
	rate          int
	counters      *predict.Counters
}

// lateNoteTicks is how long it is said that a position was dropped.
const lateNoteTicks = 30

// Declare tells env what may be tuned and what is counted, and begins with the
// bodies as they are. The body called without is shown so as well, but not counted and
// not waited for: it need not be looked at. -1 for none.
func (a *InterpolatedWorld) Declare(env *predict.Env, without int) {
	k, m := env.Knobs, env.Counters
	k.Millis(&a.validity, "validity", 60, 0, 1000, "a position is valid until its timestamp + ping/2 + this (T): it is reached then, so the picture is this much later than what arrives on time")
	k.Choice(&a.extrapolation, "extrapolation", extrapolateHalfRTT, extrapolationNames, "how far a body goes on by its velocities when no later position is there, before it stands: not, half the round trip, or as extrapolate says")
	k.Millis(&a.maxExtrapolation, "extrapolate", 100, 0, 1000, "fixed: how far a body goes on by itself")
	a.joints.declare(k)
	k.Bool(&a.keepExpired, "keep-expired", false, "a position that comes when its validity is over is used if no later one is there, instead of dropped")
	m.Declare("positions", "positions of bodies that came")
	m.Declare("positions_late", "of those, the ones that came when a later one had been reached, dropped")
	m.Declare("positions_expired", "of those, the ones that came when their validity was over and no later one was there")
	m.Declare("extrapolated_ticks", "ticks in which any body went on by itself, because no later position was there")
	m.Declare("stopped_ticks", "ticks in which any body that had moved stood, because none had come for too long")
	m.Declare("stopped_bodies", "bodies that stand so, now")
	m.Declare("rejected_payloads", "payloads that were no message")
	m.Declare("old_states", "states no newer than the last")
	a.counters, a.rate = m, env.World.Rate()
	a.joints.scene, a.joints.player = env.World.Scene(), env.Player
	a.displayMoment = env.World.Tick().Moment()
	for _, b := range env.World.Bodies() {
		a.bodies = append(a.bodies, Interpolator{pose: b.Pose})
		a.excluded = append(a.excluded, false)
	}
	if without >= 0 {
		a.excluded[without] = true
	}
}

// BeginTick begins one of the client's ticks.
func (a *InterpolatedWorld) BeginTick() {
	a.now += sim.MomentsPerTick
	a.rebuildTree()
}

// Receiver reads the server's payloads. What it has read is taken in by Take.
func (a *InterpolatedWorld) Receiver() *codec.Receiver { return &a.receiver }

// ExpectedTick returns a tick near that of the next snapshot.
func (a *InterpolatedWorld) ExpectedTick() sim.Tick { return a.clock.Expected(a.now).Tick() }

// AddSnapshot takes in what the receiver has read without an error.
func (a *InterpolatedWorld) AddSnapshot(fresh bool) {
	t, bodies, came := a.receiver.Tick, a.receiver.Bodies, []bool(nil)
	if !fresh {
		t, bodies, came = a.receiver.OldSnapshot()
		a.counters.Add("old_states", 1)
	}
	if a.joints.tree != nil {
		bodies = a.toSamples(a.receiver.LocalBodies(fresh))
	}
	a.clock.FollowMean(t, a.now, sim.Tick(a.rate).Moment())
	var fates [4]int
	for i := range bodies {
		fate := Duplicate
		if fresh || came[i] {
			fate = a.bodies[i].Add(t, &bodies[i], a.keepExpired)
		} else {
			fate = a.bodies[i].AddSame(t, a.keepExpired)
		}
		if !a.excluded[i] {
			fates[fate]++
		}
	}
	if fates[Stored] > 0 {
		a.newestTick = max(a.newestTick, t)
		a.undisplayed.Insert(t)
	}
	a.counters.Add("positions", float64(fates[Stored]+fates[Late]+fates[Expired]))
	a.counters.Add("positions_late", float64(fates[Late]))
	a.counters.Add("positions_expired", float64(fates[Expired]))
	if fates[Late] > 0 {
		a.lateNote = lateNoteTicks
	}
}

// Advance moves all bodies to the moment that is to be shown now. ping is the round
// trip.
func (a *InterpolatedWorld) Advance(ping time.Duration) {
	a.advanceDisplay(sim.MomentOfMillis(a.validity, a.rate))
	reach := sim.Moment(0)
	switch a.extrapolation {
	case extrapolateHalfRTT:
		reach = sim.MomentOf(ping/2, a.rate)
	case extrapolateFixed:
		reach = sim.MomentOfMillis(a.maxExtrapolation, a.rate)
	}
	a.starvedCount, a.stoppedCount = 0, 0
	for i := range a.bodies {
		h := &a.bodies[i]
		h.useCurve = a.joints.usesCurve(i)
		h.Advance(a.displayMoment, reach, a.rate)
		if waits, stopped := h.Starved(); waits && !a.excluded[i] {
			a.starvedCount++
			if stopped {
				a.stoppedCount++
			}
		}
	}
	a.poseTree()
	m := a.counters
	if a.starvedCount > a.stoppedCount {
		m.Add("extrapolated_ticks", 1)
	}
	if a.stoppedCount > 0 {
		m.Add("stopped_ticks", 1)
	}
	m.Set("stopped_bodies", float64(a.stoppedCount))
	if a.lateNote > 0 {
		a.lateNote--
	}
}

// advanceDisplay moves the displayed moment to a delay behind what is expected to arrive
// now. It never goes back.
func (a *InterpolatedWorld) advanceDisplay(delay sim.Moment) {
	if a.clock.Running() {
		a.displayMoment = max(a.displayMoment, a.clock.Expected(a.now)-delay)
	}
	a.undisplayed.Drop(a.undisplayed.CountUntil(a.displayMoment - 1))
}

// NewestTick returns the tick of the newest positions that have arrived, and 0 before any
// have.
func (a *InterpolatedWorld) NewestTick() sim.Tick { return a.newestTick }

// NewestDisplayedTick returns the tick of the newest positions that show in what is drawn:
// those towards which bodies move, or else the last ones.
func (a *InterpolatedWorld) NewestDisplayedTick() sim.Tick {
	if a.undisplayed.Len() > 0 {
		return a.undisplayed.At(0).Tick
	}
	return a.newestTick
}

// Pose returns where body i is drawn.
func (a *InterpolatedWorld) Pose(i int) geom.Pose {
	if a.joints.tree != nil {
		return a.joints.poses[i]
	}
	return a.bodies[i].pose
}

// DisplayTick returns the server's tick that is shown, to the nearest.
func (a *InterpolatedWorld) DisplayTick() sim.Tick {
	return a.displayMoment.NearestTick()
}

// DisplayMoment returns the moment that is shown.
func (a *InterpolatedWorld) DisplayMoment() sim.Moment { return a.displayMoment }

// DisplayTickFraction returns by how many 1/sim.SeenParts ticks what is shown is later than
// Shows.
func (a *InterpolatedWorld) DisplayTickFraction() int {
	_, later := a.displayMoment.NearestSubtick()
	return later
}

// Age returns by how many ticks what is shown of body i is beyond the newest
// position that has come, and 0 if it is not.
func (a *InterpolatedWorld) Age(i int) int32 {
	t, ok := a.bodies[i].NewestTick()
	if !ok {
		return 0
	}
	return int32((a.displayMoment - t.Moment()).Tick())
}

// IsMoving reports whether body i moved when it was last heard of.
func (a *InterpolatedWorld) IsMoving(i int) bool {
	h := &a.bodies[i]
	return h.hasReached && !h.reached.Value.Asleep && !h.stopped
}

// Note says in a few words what is waited for, or that a position was dropped.
func (a *InterpolatedWorld) Note() string {
	switch {
	case a.stoppedCount > 0:
		return "no positions: stopped"
	case a.starvedCount > 0:
		return "no positions: extrapolating"
	case a.lateNote > 0:
		return "a late position was dropped"
	}
	return ""
}

// CopyFrom makes a an equal of o, all but its meter.
func (a *InterpolatedWorld) CopyFrom(o *InterpolatedWorld) {
	a.validity, a.extrapolation, a.maxExtrapolation, a.keepExpired = o.validity, o.extrapolation, o.maxExtrapolation, o.keepExpired
	a.receiver.CopyFrom(&o.receiver)
	a.now, a.clock, a.displayMoment = o.now, o.clock, o.displayMoment
	a.lateNote, a.starvedCount, a.stoppedCount = o.lateNote, o.starvedCount, o.stoppedCount
	a.rate, a.excluded, a.newestTick = o.rate, append(a.excluded[:0], o.excluded...), o.newestTick
	a.undisplayed.CopyFrom(&o.undisplayed, nil)
	a.joints.copyFrom(&o.joints)
	for i := range a.bodies {
		a.bodies[i].CopyFrom(&o.bodies[i])
	}
}
