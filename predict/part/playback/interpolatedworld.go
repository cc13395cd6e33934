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

	env         *predict.Env
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
	catchUp          float64 // ms; 0: playback skips outages
	keepExpired      bool
	onlyOutages      bool // not a knob: the display moment does not wait for a shorter silence
}

// state is plain: it is copied by assignment.
type state struct {
	DisplayClock
	newestTick   sim.Tick // of the received positions
	lateNote     int      // ticks for which the note on a late position will be shown
	starvedCount int      // bodies without a later position: extrapolated or stopped
	stoppedCount int      // stopped bodies
	rate         int      // ticks per second
}

// counters are what an InterpolatedWorld counts.
type counters struct {
	positions, positionsLate, positionsExpired, extrapolatedTicks, stoppedTicks, stoppedBodies, rejectedPayloads, oldStates, outsideBodies predict.Counter

	clockJumps predict.Counter // not declared where a client has another clock that counts them
}

// shortSilence is the time beyond the next state's turn for which bodies beside a predicted one stop while their moment
// goes on: they are at the next state when that is due, and not later for good.
const shortSilence = 100 * time.Millisecond

// lateNoteTicks is the time for which the note on a late position is shown.
const lateNoteTicks = 30

// Declare declares the knobs and counters, and starts with the poses in env's world. excluded is a
// body that the caller draws in another way, or -1.
func (w *InterpolatedWorld) Declare(env *predict.Env, excluded int) {
	w.env = env
	k, m := env.Knobs, env.Counters
	k.In(predict.PlayoutKnobs).Millis(&w.validity, "validity", 60, 0, 1000,
		"playout delay: a position is reached this long after it should arrive, ms (T)")
	group := k.In(predict.InterpolationKnobs)
	group.Choice(&w.extrapolation, "extrapolation", extrapolateHalfRTT, extrapolationNames,
		"longest extrapolation: none, half the round trip, or the knob extrapolate")
	group.Millis(&w.maxExtrapolation, "extrapolate", 100, 0, 1000, "extrapolation=fixed: longest extrapolation, ms")
	k.Needs("extrapolate", "extrapolation", "fixed")
	w.joints.declare(k)
	w.receiver.Declare(env)
	k.In(predict.PlayoutKnobs).Bool(&w.keepExpired, "keep-expired", false,
		"use a position that arrives after its validity if no later one is there")
	w.counters.positions = m.New("positions", "positions received")
	w.counters.positionsLate = m.New("positions_late", "positions that the body had passed")
	w.counters.positionsExpired = m.New("positions_expired", "positions that arrived after their validity")
	w.counters.extrapolatedTicks = m.New("extrapolated_ticks", "ticks in which a body was extrapolated")
	w.counters.stoppedTicks = m.New("stopped_ticks", "ticks with a body stopped by a missing position")
	w.counters.stoppedBodies = m.New("stopped_bodies", "bodies stopped by a missing position, now")
	w.interest.declare(k)
	w.counters.outsideBodies = m.New("outside_bodies", "bodies outside the area of interest, now")
	w.counters.rejectedPayloads = m.Rejected()
	w.counters.oldStates = m.New("old_states", "states no newer than the last")
	w.rate = env.World.Rate()
	w.joints.scene, w.joints.player = env.World.Scene(), env.Player
	w.DisplayClock.Start(env)
	for _, b := range env.World.Bodies() {
		w.bodies = append(w.bodies, Interpolator{pose: b.Pose})
		w.excluded = append(w.excluded, false)
	}
	if excluded >= 0 {
		w.excluded[excluded], w.onlyOutages = true, true
	} else {
		w.counters.clockJumps = m.ClockJumps()
	}
	k.In(predict.PlayoutKnobs).Millis(&w.catchUp, "catch-up", 2000, 0, 10000,
		"after an outage playback is faster by what it is behind divided by this, ms; 0: it skips")
}

// BeginTick begins a tick of the client.
func (w *InterpolatedWorld) BeginTick() {
	w.DisplayClock.BeginTick()
	w.rebuildTree()
	w.updateArea()
}

// Receiver returns the reader of the server's payloads. AddSnapshot adds what it has read.
func (w *InterpolatedWorld) Receiver() *codec.Receiver { return &w.receiver }

// AddSnapshot adds the positions of the snapshot that the receiver has just read: its newest one if
// fresh, otherwise an older one.
func (w *InterpolatedWorld) AddSnapshot(fresh bool) {
	if fresh {
		w.followTree()
	} else if !w.receiver.HasCurrentTree() {
		return // relative to other parents than the histories
	}
	t, bodies, received := w.receiver.Tick, w.receiver.Bodies, []bool(nil)
	if !fresh {
		t, bodies, received = w.receiver.OldSnapshot()
		w.counters.oldStates.Inc()
	}
	if w.joints.tree != nil {
		bodies = w.toSamples(w.receiver.LocalBodies(fresh))
	}
	w.DisplayClock.Receive(t, w.env.TickEarly, w.rate)
	w.recordInterval(t)
	partial := w.receiver.Partial()
	var results [4]int
	for i := range bodies {
		result := Duplicate
		switch {
		case partial && (fresh && w.receiver.IsCurrent(i) && !w.Outside(i) || !fresh && received[i]):
			result = w.addPartial(i, t, &bodies[i], !fresh || w.receiver.ReceivedAt(i) == t)
		case partial: // not due
		case fresh || received[i]:
			result = w.bodies[i].Add(t, &bodies[i], w.keepExpired)
		default:
			result = w.bodies[i].AddSame(t, w.keepExpired)
		}
		if !w.excluded[i] {
			results[result]++
		}
	}
	if results[Stored] > 0 {
		w.newestTick = max(w.newestTick, t)
		w.undisplayed.Insert(t)
	}
	w.counters.positions.Add(float64(results[Stored] + results[Late] + results[Expired]))
	w.counters.positionsLate.Add(float64(results[Late]))
	w.counters.positionsExpired.Add(float64(results[Expired]))
	if results[Late] > 0 {
		w.lateNote = lateNoteTicks
	}
}

// Advance interpolates all bodies to the present display moment. ping is the round trip.
func (w *InterpolatedWorld) Advance(ping time.Duration) {
	reach := sim.Moment(0)
	switch w.extrapolation {
	case extrapolateHalfRTT:
		reach = sim.MomentOf(ping/2, w.rate)
	case extrapolateFixed:
		reach = sim.MomentOfMillis(w.maxExtrapolation, w.rate)
	}
	w.advanceDisplay(reach)
	w.starvedCount, w.stoppedCount, w.interest.outside = 0, 0, 0
	for i := range w.bodies {
		h := &w.bodies[i]
		h.useCurve, h.curvedAfter = w.joints.usesCurve(i), w.Waited()
		moment, limit := w.momentOf(i, reach)
		h.Advance(moment, limit, w.rate)
		if w.receiver.Partial() && w.Outside(i) {
			w.interest.outside++
			continue
		}
		if starved, stopped := h.Starved(); starved && !w.excluded[i] && (stopped || !w.receiver.Partial()) {
			w.starvedCount++
			if stopped {
				w.stoppedCount++
			}
		}
	}
	w.poseTree()
	if w.starvedCount > w.stoppedCount {
		w.counters.extrapolatedTicks.Inc()
	}
	if w.stoppedCount > 0 {
		w.counters.stoppedTicks.Inc()
	}
	w.counters.stoppedBodies.Set(float64(w.stoppedCount))
	w.counters.outsideBodies.Set(float64(w.interest.outside))
	if w.lateNote > 0 {
		w.lateNote--
	}
}

// advanceDisplay moves the display moment to a delay behind the moment that is expected to arrive now, or as far as
// bodies can be drawn that reach beyond their positions.
func (w *InterpolatedWorld) advanceDisplay(reach sim.Moment) {
	catchUp := int(sim.MomentOfMillis(w.catchUp, w.rate).Tick())
	delay := sim.MomentOfMillis(w.validity, w.rate)
	end := w.newestTick.Moment() + reach + 1 // a moment later than that bodies have stopped
	if w.onlyOutages {
		newest := max(w.newestTick, w.receiver.Tick) // there may be no bodies beside the predicted ones
		end += (newest - w.newestTick + w.interest.interval).Moment() + sim.MomentOf(shortSilence, w.rate)
	}
	if w.DisplayClock.AdvanceUntil(end, delay, catchUp, w.rate) && w.counters.clockJumps != (predict.Counter{}) {
		w.counters.clockJumps.Inc()
	}
	w.undisplayed.Drop(w.undisplayed.CountUntil(w.displayMoment - 1))
}

// Started reports whether each body has reached a received position, or is outside the area of interest. A
// client that has joined has no older ones.
func (w *InterpolatedWorld) Started() bool {
	for i := range w.bodies {
		if !w.bodies[i].hasReached && !w.Outside(i) {
			return false
		}
	}
	return w.clock.Running()
}

// NewestTick returns the tick of the newest received positions, or 0 if there are none.
func (w *InterpolatedWorld) NewestTick() sim.Tick { return w.newestTick }

// NewestDisplayedTick returns the tick of the newest positions that affect the drawn poses: the ones
// that bodies move towards, or the last ones.
func (w *InterpolatedWorld) NewestDisplayedTick() sim.Tick {
	if w.undisplayed.Len() > 0 {
		return w.undisplayed.At(0).Tick
	}
	return w.newestTick
}

// Pose returns the drawn pose of body i.
func (w *InterpolatedWorld) Pose(i int) geom.Pose {
	if w.joints.tree != nil {
		return w.joints.poses[i]
	}
	return w.bodies[i].pose
}

// Age returns the number of whole ticks by which body i is drawn beyond its newest position, or 0 if
// it is not.
func (w *InterpolatedWorld) Age(i int) int32 {
	t, ok := w.bodies[i].NewestTick()
	if !ok {
		return 0
	}
	return int32((max(w.displayMoment, w.due) - t.Moment()).Tick())
}

// IsMoving reports whether body i is awake in its last reached position and has not stopped.
func (w *InterpolatedWorld) IsMoving(i int) bool {
	h := &w.bodies[i]
	return h.hasReached && !h.reached.Value.Asleep && !h.stopped
}

// Note returns a short status about missing or late positions, or an empty string.
func (w *InterpolatedWorld) Note() string {
	switch {
	case w.stoppedCount > 0:
		return "no positions: stopped"
	case w.starvedCount > 0:
		return "no positions: extrapolating"
	case w.lateNote > 0:
		return "a late position was dropped"
	}
	return ""
}

// Refuse counts a payload that is malformed or not believed, and tells the server that it is of no use.
func (w *InterpolatedWorld) Refuse(p *packet.Packet, server *packet.Endpoint) {
	w.counters.rejectedPayloads.Inc()
	server.Refuse(p.Sequence)
}

// CopyFrom makes w a copy of o that shares no memory. The counters stay its own.
func (w *InterpolatedWorld) CopyFrom(o *InterpolatedWorld) {
	w.settings, w.state, w.interest = o.settings, o.state, o.interest
	w.receiver.CopyFrom(&o.receiver)
	w.excluded = append(w.excluded[:0], o.excluded...)
	w.undisplayed.CopyFrom(&o.undisplayed, nil)
	w.joints.copyFrom(&o.joints)
	for i := range w.bodies {
		w.bodies[i].CopyFrom(&o.bodies[i])
	}
}
