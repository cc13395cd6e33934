package playback

import (
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/interest"
	"ghostcube/sim"
)

// areaOfInterest is what a client knows of the area in which the server sends bodies. With an area,
// snapshots are partial: a distant body arrives less often and is extrapolated in between. A body
// outside the area stays where it was last received.
type areaOfInterest struct {
	area     interest.Area
	interval sim.Tick // ticks from one snapshot to the next, as received
	outside  int      // bodies outside
	motion   int
}

// The motion of bodies whose states are not in every snapshot.
const (
	delayed = iota
	extrapolated
)

var motionNames = []string{"delayed", "extrapolated"}

func (a *areaOfInterest) declare(k *predict.Knobs) {
	a.area.Declare(k)
	k.In(predict.PriorityKnobs).Choice(&a.motion, "interest-motion", delayed, motionNames,
		"bodies with a lower update rate: drawn later, or extrapolated")
}

const (
	// lateTicks is the age, in ticks beyond its interval, at which the state of a moving body is stale:
	// the body has left the area.
	lateTicks = 30

	// maxWait is the longest time for which a body is drawn later, or extrapolated, because its next
	// state is not due, in ticks.
	maxWait = 300

	// maxSendInterval is the longest time from one snapshot to the next, in ticks.
	maxSendInterval = 64
)

// updateArea applies the knobs of the area.
func (w *InterpolatedWorld) updateArea() {
	w.receiver.SetPartial(codec.IsPartial(&w.interest.area, w.joints.scene))
}

// recordInterval records the time from the last snapshot to the one of tick t.
func (w *InterpolatedWorld) recordInterval(t sim.Tick) {
	if w.newestTick > 0 && t > w.newestTick {
		w.interest.interval = min(t-w.newestTick, maxSendInterval)
	}
}

// distanceSq returns the squared distance in m2 from the player's body to body i, as last received.
func (w *InterpolatedWorld) distanceSq(i int) float32 {
	b := w.receiver.Bodies
	return b[i].Pose.Pos.Sub(b[max(w.joints.player, 0)].Pose.Pos).LenSq()
}

// UpdateInterval returns the number of ticks from one state of body i to the next, as far as the client
// knows, or 0 if the body is outside the area of interest: beyond the cutoff when it was last received,
// or moving then and overdue.
func (w *InterpolatedWorld) UpdateInterval(i int) sim.Tick {
	r, each := &w.receiver, max(w.interest.interval, 1)
	if !r.Partial() || !r.HasSnapshot {
		return each
	}
	distanceSq := w.distanceSq(i)
	interval := w.interest.area.Interval(distanceSq) * each
	if w.interest.area.Excludes(distanceSq) || !r.IsCurrent(i) && r.Tick > r.ReceivedAt(i)+interval+lateTicks {
		return 0
	}
	return interval
}

// Outside reports whether body i is outside the area of interest, and stands where it was last
// received.
func (w *InterpolatedWorld) Outside(i int) bool { return !w.excluded[i] && w.UpdateInterval(i) == 0 }

// AppendOutside appends for each body whether it is outside the area of interest, if there is one.
func (w *InterpolatedWorld) AppendOutside(v *predict.View) {
	if !w.receiver.Partial() {
		return
	}
	for i := range w.bodies {
		v.Outside = append(v.Outside, w.Outside(i))
	}
}

// waitOf returns the time in ticks by which the states of body i are rarer than snapshots.
func (w *InterpolatedWorld) waitOf(i int) sim.Tick {
	interval := w.UpdateInterval(i)
	return min(interval-min(w.interest.interval, interval), maxWait)
}

// AppendIntervals appends the interval of each body's updates.
func (w *InterpolatedWorld) AppendIntervals(l *predict.Inspection) {
	for i := range w.bodies {
		l.Interval = append(l.Interval, int32(w.UpdateInterval(i)))
	}
}

// addPartial adds body i of a partial snapshot of tick t. A body that comes back from outside the area
// appears where it is. A sleeping body that is not included has not changed until it was last due.
func (w *InterpolatedWorld) addPartial(i int, t sim.Tick, b *sim.Body, included bool) AddResult {
	h := &w.bodies[i]
	newest, ok := h.NewestTick()
	if !included {
		if t -= min(w.waitOf(i), t); ok && t <= newest {
			return Duplicate
		}
	} else if ok && t > newest+2*w.waitOf(i)+lateTicks {
		h.restart(b.Pose)
	}
	return h.Add(t, b, w.keepExpired)
}

// momentOf returns the server's moment at which body i is drawn, and how far it may be extrapolated. A
// body whose states are not in every snapshot is drawn later by its interval, or extrapolated until its
// next state arrives.
func (w *InterpolatedWorld) momentOf(i int, reach sim.Moment) (moment, limit sim.Moment) {
	if !w.receiver.Partial() || !w.receiver.HasSnapshot {
		return w.displayMoment, reach
	}
	wait := w.waitOf(i).Moment()
	if w.interest.motion == extrapolated {
		return w.displayMoment, reach + wait
	}
	return max(w.displayMoment-wait, w.bodies[i].moment), reach
}
