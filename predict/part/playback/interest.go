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
	k.In(predict.PriorityKnobs).Choice(&a.motion, "interest-motion", delayed, motionNames, "moving bodies with a lower update rate: drawn later by their update interval, or extrapolated over it")
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
func (a *InterpolatedWorld) updateArea() {
	a.receiver.SetPartial(codec.IsPartial(&a.interest.area, a.joints.scene))
}

// recordInterval records the time from the last snapshot to the one of tick t.
func (a *InterpolatedWorld) recordInterval(t sim.Tick) {
	if a.newestTick > 0 && t > a.newestTick {
		a.interest.interval = min(t-a.newestTick, maxSendInterval)
	}
}

// distanceSq returns the squared distance in m2 from the player's body to body i, as last received.
func (a *InterpolatedWorld) distanceSq(i int) float32 {
	b := a.receiver.Bodies
	return b[i].Pose.Pos.Sub(b[max(a.joints.player, 0)].Pose.Pos).LenSq()
}

// UpdateInterval returns the number of ticks from one state of body i to the next, as far as the client
// knows, or 0 if the body is outside the area of interest: beyond the cutoff when it was last received,
// or moving then and overdue.
func (a *InterpolatedWorld) UpdateInterval(i int) sim.Tick {
	r, each := &a.receiver, max(a.interest.interval, 1)
	if !r.Partial() || !r.HasSnapshot {
		return each
	}
	distanceSq := a.distanceSq(i)
	interval := a.interest.area.Interval(distanceSq) * each
	if a.interest.area.Excludes(distanceSq) || !r.IsCurrent(i) && r.Tick > r.ReceivedAt(i)+interval+lateTicks {
		return 0
	}
	return interval
}

// Outside reports whether body i is outside the area of interest, and stands where it was last
// received.
func (a *InterpolatedWorld) Outside(i int) bool { return !a.excluded[i] && a.UpdateInterval(i) == 0 }

// AppendOutside appends for each body whether it is outside the area of interest, if there is one.
func (a *InterpolatedWorld) AppendOutside(v *predict.View) {
	if !a.receiver.Partial() {
		return
	}
	for i := range a.bodies {
		v.Outside = append(v.Outside, a.Outside(i))
	}
}

// waitOf returns the time in ticks by which the states of body i are rarer than snapshots.
func (a *InterpolatedWorld) waitOf(i int) sim.Tick {
	interval := a.UpdateInterval(i)
	return min(interval-min(a.interest.interval, interval), maxWait)
}

// AppendIntervals appends the interval of each body's updates.
func (a *InterpolatedWorld) AppendIntervals(l *predict.Inspection) {
	for i := range a.bodies {
		l.Interval = append(l.Interval, int32(a.UpdateInterval(i)))
	}
}

// addPartial adds body i of a partial snapshot of tick t. A body that comes back from outside the area
// appears where it is. A sleeping body that is not included has not changed until it was last due.
func (a *InterpolatedWorld) addPartial(i int, t sim.Tick, b *sim.Body, included bool) AddResult {
	h := &a.bodies[i]
	newest, ok := h.NewestTick()
	if !included {
		if t -= min(a.waitOf(i), t); ok && t <= newest {
			return Duplicate
		}
	} else if ok && t > newest+2*a.waitOf(i)+lateTicks {
		h.restart(b.Pose)
	}
	return h.Add(t, b, a.keepExpired)
}

// momentOf returns the server's moment at which body i is drawn, and how far it may be extrapolated. A
// body whose states are not in every snapshot is drawn later by its interval, or extrapolated until its
// next state arrives.
func (a *InterpolatedWorld) momentOf(i int, reach sim.Moment) (moment, limit sim.Moment) {
	if !a.receiver.Partial() || !a.receiver.HasSnapshot {
		return a.displayMoment, reach
	}
	wait := a.waitOf(i).Moment()
	if a.interest.motion == extrapolated {
		return a.displayMoment, reach + wait
	}
	return max(a.displayMoment-wait, a.bodies[i].moment), reach
}
