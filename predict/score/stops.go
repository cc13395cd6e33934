package score

import "ghostcube/sim/geom"

// A true cube stops in the tick in which it comes below stopMost after it was at
// stopFrom or faster half a second ago or less, if it then rests for restLeast: a
// turning point is no stop. The stop is looked at for stopOver, or until either
// cube goes on: the true one, or the drawn one after it stood beside the true
// one, as a picture does that is ahead.
const (
	stopFromSpeed    = 1    // m/s
	restSpeedMax     = 0.1  // m/s
	resumeSpeed      = 0.5  // m/s: it goes on
	restSecondsMin   = 0.25 // seconds
	stopWindow       = 2    // seconds
	settledTolerance = 0.02 // metres from the true cube
)

// stops looks at what the picture does when the true cube stops.
type stops struct {
	count          int     // stops looked at to their end
	settleTicks    int     // ticks from each to the picture's being there for good, summed
	settleTicksMax int     // of those
	overshootMax   float64 // metres beyond the true cube, along the way it came; 0 if never

	lastStep  geom.Vec3 // of the last tick at stopFrom or more
	slowTicks int       // ticks since then
	current   stop
}

// stop is the one that is looked at.
type stop struct {
	ticks          int     // ticks since it; 0: there is none
	unsettledTicks int     // of those, up to the last one with the picture elsewhere
	overshoot      float64 // metres beyond
	settled        bool    // the drawn cube has stood beside the true one
	resumed        bool    // and then went on
}

// add adds a tick: where the cubes are, the true one's step, and the length of
// it or of the last one that was no jump, and that of the drawn one's, metres.
func (s *stops) add(truth, drawn *geom.Vec3, way geom.Vec3, step, drawnStep float64, rate int) {
	speed, drawnSpeed := step*float64(rate), drawnStep*float64(rate)
	s.slowTicks++
	n := &s.current
	switch {
	case speed >= stopFromSpeed:
		s.finish(rate)
		if float64(way.Len()) == step {
			s.lastStep, s.slowTicks = way, 0
		}
		return
	case n.ticks == 0 && speed < restSpeedMax && s.slowTicks <= rate/2 && s.lastStep != (geom.Vec3{}):
		n.ticks = 1
	case n.ticks > 0 && speed < resumeSpeed:
		n.ticks++
	default:
		s.finish(rate)
		return
	}
	if n.resumed = n.resumed || n.settled && drawnSpeed >= resumeSpeed; !n.resumed {
		off := drawn.Sub(*truth)
		n.overshoot = max(n.overshoot, float64(off.Dot(s.lastStep.Unit())))
		if off.Len() > settledTolerance {
			n.unsettledTicks = n.ticks
		} else if drawnSpeed < restSpeedMax {
			n.settled = true
		}
	}
	if n.ticks >= stopWindow*rate {
		s.finish(rate)
		s.lastStep = geom.Vec3{}
	}
}

// discard gives up the stop that is looked at: the truth stands still because its
// server waits.
func (s *stops) discard() { s.current, s.lastStep = stop{}, geom.Vec3{} }

// finish counts the stop that is looked at.
func (s *stops) finish(rate int) {
	if float64(s.current.ticks) >= restSecondsMin*float64(rate) {
		s.count++
		s.settleTicks += s.current.unsettledTicks
		s.settleTicksMax = max(s.settleTicksMax, s.current.unsettledTicks)
		s.overshootMax = max(s.overshootMax, s.current.overshoot)
	}
	s.current = stop{}
}
