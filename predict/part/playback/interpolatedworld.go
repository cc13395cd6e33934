package playback

import (
	"time"

	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/playout"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// The limits of extrapolation.
const (
	extrapolateNone = iota
	extrapolateHalfRTT
	extrapolateFixed
)

var extrapolationNames = []string{"none", "half-rtt", "fixed"}

// InterpolatedWorld draws all bodies of a world between their received positions, behind a jitter buffer
// whose delay follows the send rate.
type InterpolatedWorld struct {
	settings
	state

	receiver    codec.Receiver
	undisplayed playout.Buffer[struct{}] // ticks of received positions that are not displayed yet
	bodies      []Interpolator
	joints      jointPoses
	interest    areaOfInterest
	excluded    []bool // by body: neither drawn nor counted, but its positions are stored
	counters    counters
}

// settings are the knobs.
type settings struct {
	validity         float64 // ms
	extrapolation    int
	maxExtrapolation float64 // ms
	keepExpired      bool
}

// state is plain: it is copied by assignment.
type state struct {
	now           sim.Moment // on the client's own clock
	clock         playout.Clock
	displayMoment sim.Moment // of the server, at which bodies are drawn
	newestTick    sim.Tick   // of the received positions
	lateNote      int        // ticks for which the note on a late position will be shown
	starvedCount  int        // bodies without a later position: extrapolated or stopped
	stoppedCount  int        // stopped bodies
	rate          int        // ticks per second
}

// counters are what an InterpolatedWorld counts.
type counters struct {
	positions, positionsLate, positionsExpired, extrapolatedTicks, stoppedTicks, stoppedBodies, rejectedPayloads, oldStates, outsideBodies predict.Counter
}

// lateNoteTicks is the time for which the note on a late position is shown.
const lateNoteTicks = 30

// Declare declares the knobs and counters, and starts with the poses in env's world. excluded is a
// body that the caller draws in another way, or -1.
func (a *InterpolatedWorld) Declare(env *predict.Env, excluded int) {
	k, m := env.Knobs, env.Counters
	k.In(predict.PlayoutKnobs).Millis(&a.validity, "validity", 60, 0, 1000, "playout delay: a position is valid, and reached, this long after it should arrive (T)")
	group := k.In(predict.InterpolationKnobs)
	group.Choice(&a.extrapolation, "extrapolation", extrapolateHalfRTT, extrapolationNames, "limit of extrapolation without a later position: none, half the round trip, or the knob extrapolate")
	group.Millis(&a.maxExtrapolation, "extrapolate", 100, 0, 1000, "extrapolation=fixed: longest time that a body is extrapolated, ms")
	k.Needs("extrapolate", "extrapolation", "fixed")
	a.joints.declare(k)
	codec.DeclareChecks(env, &a.receiver.Checks)
	k.In(predict.PlayoutKnobs).Bool(&a.keepExpired, "keep-expired", false, "use a position that arrives after its validity, instead of dropping it, if no later one is there")
	a.counters.positions = m.New("positions", "received positions of bodies")
	a.counters.positionsLate = m.New("positions_late", "positions dropped because the body had passed them")
	a.counters.positionsExpired = m.New("positions_expired", "positions that arrived after their validity, although no later one had arrived")
	a.counters.extrapolatedTicks = m.New("extrapolated_ticks", "ticks in which a body was extrapolated because no later position had arrived")
	a.counters.stoppedTicks = m.New("stopped_ticks", "ticks in which a moving body had stopped because no later position had arrived")
	a.counters.stoppedBodies = m.New("stopped_bodies", "bodies that have stopped because no later position has arrived, now")
	a.interest.declare(k)
	a.counters.outsideBodies = m.New("outside_bodies", "bodies outside the area of interest, now")
	a.counters.rejectedPayloads = m.Rejected()
	a.counters.oldStates = m.New("old_states", "states no newer than the last")
	a.rate = env.World.Rate()
	a.joints.scene, a.joints.player = env.World.Scene(), env.Player
	a.displayMoment = env.World.Tick().Moment()
	for _, b := range env.World.Bodies() {
		a.bodies = append(a.bodies, Interpolator{pose: b.Pose})
		a.excluded = append(a.excluded, false)
	}
	if excluded >= 0 {
		a.excluded[excluded] = true
	}
}

// BeginTick begins a tick of the client.
func (a *InterpolatedWorld) BeginTick() {
	a.now += sim.MomentsPerTick
	a.rebuildTree()
	a.updateArea()
}

// Receiver returns the reader of the server's payloads. AddSnapshot adds what it has read.
func (a *InterpolatedWorld) Receiver() *codec.Receiver { return &a.receiver }

// ExpectedTick returns a tick close to that of the next snapshot.
func (a *InterpolatedWorld) ExpectedTick() sim.Tick { return a.clock.Expected(a.now).Tick() }

// AddSnapshot adds the positions of the snapshot that the receiver has just read: its newest one if
// fresh, otherwise an older one.
func (a *InterpolatedWorld) AddSnapshot(fresh bool) {
	if fresh {
		a.followTree()
	} else if !a.receiver.HasCurrentTree() {
		return // relative to other parents than the histories
	}
	t, bodies, received := a.receiver.Tick, a.receiver.Bodies, []bool(nil)
	if !fresh {
		t, bodies, received = a.receiver.OldSnapshot()
		a.counters.oldStates.Inc()
	}
	if a.joints.tree != nil {
		bodies = a.toSamples(a.receiver.LocalBodies(fresh))
	}
	a.clock.FollowMean(t, a.now, sim.Tick(a.rate).Moment())
	a.recordInterval(t)
	partial := a.receiver.Partial()
	var results [4]int
	for i := range bodies {
		result := Duplicate
		switch {
		case partial && (fresh && a.receiver.IsCurrent(i) && !a.Outside(i) || !fresh && received[i]):
			result = a.addPartial(i, t, &bodies[i], !fresh || a.receiver.ReceivedAt(i) == t)
		case partial: // not due
		case fresh || received[i]:
			result = a.bodies[i].Add(t, &bodies[i], a.keepExpired)
		default:
			result = a.bodies[i].AddSame(t, a.keepExpired)
		}
		if !a.excluded[i] {
			results[result]++
		}
	}
	if results[Stored] > 0 {
		a.newestTick = max(a.newestTick, t)
		a.undisplayed.Insert(t)
	}
	a.counters.positions.Add(float64(results[Stored] + results[Late] + results[Expired]))
	a.counters.positionsLate.Add(float64(results[Late]))
	a.counters.positionsExpired.Add(float64(results[Expired]))
	if results[Late] > 0 {
		a.lateNote = lateNoteTicks
	}
}

// Advance interpolates all bodies to the present display moment. ping is the round trip.
func (a *InterpolatedWorld) Advance(ping time.Duration) {
	a.advanceDisplay(sim.MomentOfMillis(a.validity, a.rate))
	reach := sim.Moment(0)
	switch a.extrapolation {
	case extrapolateHalfRTT:
		reach = sim.MomentOf(ping/2, a.rate)
	case extrapolateFixed:
		reach = sim.MomentOfMillis(a.maxExtrapolation, a.rate)
	}
	a.starvedCount, a.stoppedCount, a.interest.outside = 0, 0, 0
	for i := range a.bodies {
		h := &a.bodies[i]
		h.useCurve = a.joints.usesCurve(i)
		moment, limit := a.momentOf(i, reach)
		h.Advance(moment, limit, a.rate)
		if a.receiver.Partial() && a.Outside(i) {
			a.interest.outside++
			continue
		}
		if starved, stopped := h.Starved(); starved && !a.excluded[i] && (stopped || !a.receiver.Partial()) {
			a.starvedCount++
			if stopped {
				a.stoppedCount++
			}
		}
	}
	a.poseTree()
	if a.starvedCount > a.stoppedCount {
		a.counters.extrapolatedTicks.Inc()
	}
	if a.stoppedCount > 0 {
		a.counters.stoppedTicks.Inc()
	}
	a.counters.stoppedBodies.Set(float64(a.stoppedCount))
	a.counters.outsideBodies.Set(float64(a.interest.outside))
	if a.lateNote > 0 {
		a.lateNote--
	}
}

// advanceDisplay moves the display moment to a delay behind the moment that is expected to arrive now.
// It never goes back.
func (a *InterpolatedWorld) advanceDisplay(delay sim.Moment) {
	if a.clock.Running() {
		a.displayMoment = max(a.displayMoment, a.clock.Expected(a.now)-delay)
	}
	a.undisplayed.Drop(a.undisplayed.CountUntil(a.displayMoment - 1))
}

// NewestTick returns the tick of the newest received positions, or 0 if there are none.
func (a *InterpolatedWorld) NewestTick() sim.Tick { return a.newestTick }

// NewestDisplayedTick returns the tick of the newest positions that affect the drawn poses: the ones
// that bodies move towards, or the last ones.
func (a *InterpolatedWorld) NewestDisplayedTick() sim.Tick {
	if a.undisplayed.Len() > 0 {
		return a.undisplayed.At(0).Tick
	}
	return a.newestTick
}

// Pose returns the drawn pose of body i.
func (a *InterpolatedWorld) Pose(i int) geom.Pose {
	if a.joints.tree != nil {
		return a.joints.poses[i]
	}
	return a.bodies[i].pose
}

// DisplayTick returns the server tick nearest to the display moment.
func (a *InterpolatedWorld) DisplayTick() sim.Tick { return a.displayMoment.NearestTick() }

// DisplayMoment returns the server's moment that is drawn.
func (a *InterpolatedWorld) DisplayMoment() sim.Moment { return a.displayMoment }

// Age returns the number of whole ticks by which body i is drawn beyond its newest position, or 0 if
// it is not.
func (a *InterpolatedWorld) Age(i int) int32 {
	t, ok := a.bodies[i].NewestTick()
	if !ok {
		return 0
	}
	return int32((a.displayMoment - t.Moment()).Tick())
}

// IsMoving reports whether body i is awake in its last reached position and has not stopped.
func (a *InterpolatedWorld) IsMoving(i int) bool {
	h := &a.bodies[i]
	return h.hasReached && !h.reached.Value.Asleep && !h.stopped
}

// Note returns a short status about missing or late positions, or an empty string.
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

// Refuse counts a payload that is malformed or not believed, and tells the server that it is of no use.
func (a *InterpolatedWorld) Refuse(p *packet.Packet, server *packet.Endpoint) {
	a.counters.rejectedPayloads.Inc()
	server.Refuse(p.Sequence)
}

// CopyFrom makes a a copy of o that shares no memory. The counters stay its own.
func (a *InterpolatedWorld) CopyFrom(o *InterpolatedWorld) {
	a.settings, a.state, a.interest = o.settings, o.state, o.interest
	a.receiver.CopyFrom(&o.receiver)
	a.excluded = append(a.excluded[:0], o.excluded...)
	a.undisplayed.CopyFrom(&o.undisplayed, nil)
	a.joints.copyFrom(&o.joints)
	for i := range a.bodies {
		a.bodies[i].CopyFrom(&o.bodies[i])
	}
}
