package score

import "ghostcube/sim/geom"

// A true cube stops in the tick in which it comes below stopMost after it was at
// stopFrom or faster half a second ago or less, if it then rests for restLeast: a
// turning point is no stop. The stop is looked at for stopOver, or until either
// cube goes on: the true one, or the drawn one after it stood beside the true
// one, as a picture does that is ahead.
const (
	stopFrom  = 1    // m/s
	stopMost  = 0.1  // m/s
	stopGoes  = 0.5  // m/s: it goes on
	restLeast = 0.25 // seconds
	stopOver  = 2    // seconds
	settledBy = 0.02 // metres from the true cube
)

// stops looks at what the picture does when the true cube stops.
type stops struct {
	count   int     // stops looked at to their end
	settle  int     // ticks from each to the picture's being there for good, summed
	longest int     // of those
	most    float64 // metres beyond the true cube, along the way it came; 0 if never

	way  geom.Vec3 // of the last tick at stopFrom or more
	fast int       // ticks since then
	now  stop
}

// stop is the one that is looked at.
type stop struct {
	on   int     // ticks since it; 0: there is none
	away int     // of those, up to the last one with the picture elsewhere
	most float64 // metres beyond
	home bool    // the drawn cube has stood beside the true one
	gone bool    // and then went on
}

// take adds a tick: where the cubes are, the true one's step, and the length of
// it or of the last one that was no jump, and that of the drawn one's, metres.
func (s *stops) take(truth, drawn *geom.Vec3, way geom.Vec3, step, drawnStep float64, rate int) {
	speed, drawnSpeed := step*float64(rate), drawnStep*float64(rate)
	s.fast++
	n := &s.now
	switch {
	case speed >= stopFrom:
		s.end(rate)
		if float64(way.Len()) == step {
			s.way, s.fast = way, 0
		}
		return
	case n.on == 0 && speed < stopMost && s.fast <= rate/2 && s.way != (geom.Vec3{}):
		n.on = 1
	case n.on > 0 && speed < stopGoes:
		n.on++
	default:
		s.end(rate)
		return
	}
	if n.gone = n.gone || n.home && drawnSpeed >= stopGoes; !n.gone {
		off := drawn.Sub(*truth)
		n.most = max(n.most, float64(off.Dot(s.way.Unit())))
		if off.Len() > settledBy {
			n.away = n.on
		} else if drawnSpeed < stopMost {
			n.home = true
		}
	}
	if n.on >= stopOver*rate {
		s.end(rate)
		s.way = geom.Vec3{}
	}
}

// forget gives up the stop that is looked at: the truth stands still because its
// server waits.
func (s *stops) forget() { s.now, s.way = stop{}, geom.Vec3{} }

// end counts the stop that is looked at.
func (s *stops) end(rate int) {
	if float64(s.now.on) >= restLeast*float64(rate) {
		s.count++
		s.settle += s.now.away
		s.longest = max(s.longest, s.now.away)
		s.most = max(s.most, s.now.most)
	}
	s.now = stop{}
}
