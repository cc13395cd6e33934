package score

import "ghostcube/sim/geom"

var overshootDefinition = Definition{
	Group: "Motion", Title: "Overshoot",
	Measures: []Entry{
		{
			Measure{Name: "overshoot_m", Title: "overshoot, m", Digits: 3, Better: Lower,
				Help: "largest distance by which the drawn cube passed the server's cube after a stop"},
			func(c *Score, _ Counts) (float64, bool) { return c.Overshoot() },
		},
	},
	Text: `
The server's cube stops in the tick in which it falls below 0.1 m/s, if it moved at 1 m/s or more in the half second
before and then stays below 0.5 m/s for a quarter of a second. From then on, for 2 s or until the cube moves on at the
server, or at a view that is ahead, the overshoot is the largest distance by which the drawn cube is beyond the server's,
along the direction u of its last step at 1 m/s or more. A cube whose server waits for inputs has not stopped.`,
	Formula:   "max(0, (r - s) . u)",
	Undefined: "without a stop",
	Source:    "the sign along the motion: deviation-overshoot-undershoot, a browser's measure of input prediction",
	Blind:     "overshoot to the sides, or of a view that is ahead and back before the server's cube stands",
}

// The server's cube stops in the tick in which it falls below restSpeedMax, if it moved at
// stopFromSpeed or faster in the half second before and then rests for restSecondsMin: a turning
// point is no stop. A stop is observed for stopWindow, or until one of the cubes moves on: the
// server's, or the drawn one after it has stood at the server's cube, as a view ahead of the server
// does.
const (
	stopFromSpeed    = 1    // m/s; a cube this fast can stop
	restSpeedMax     = 0.1  // m/s; below it a cube rests
	resumeSpeed      = 0.5  // m/s; from here on the cube moves again
	restSecondsMin   = 0.25 // seconds at rest that make a stop
	stopWindow       = 2    // seconds of observation
	settledTolerance = 0.02 // metres from the server's cube within which the drawn one has settled
)

// stops measures how far the drawn cube goes on when the server's cube stops.
type stops struct {
	count        int     // stops observed to their end
	overshootMax float64 // metres past the server's cube in its direction of motion; 0 if never

	lastStep  geom.Vec3 // metres; the server's last step at stopFromSpeed or more
	slowTicks int       // ticks since then
	current   stop      // the stop under observation
}

// stop is a stop under observation.
type stop struct {
	ticks     int     // ticks since the stop; 0 if there is none
	overshoot float64 // metres past the server's cube
	settled   bool    // the drawn cube has stood at the server's cube
	resumed   bool    // and then moved on
}

// add adds a tick: the positions of the cubes, the server's step, the length of its last step that
// was no jump, and the length of the drawn step, all in metres.
func (s *stops) add(server, drawn *geom.Vec3, serverStep geom.Vec3, steadyStep, drawnStep float64, rate int) {
	speed, drawnSpeed := steadyStep*float64(rate), drawnStep*float64(rate)
	s.slowTicks++
	n := &s.current
	switch {
	case speed >= stopFromSpeed:
		s.finish(rate)
		if float64(serverStep.Len()) == steadyStep {
			s.lastStep, s.slowTicks = serverStep, 0
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
		offset := drawn.Sub(*server)
		n.overshoot = max(n.overshoot, float64(offset.Dot(s.lastStep.Unit())))
		n.settled = n.settled || offset.Len() <= settledTolerance && drawnSpeed < restSpeedMax
	}
	if n.ticks >= stopWindow*rate {
		s.finish(rate)
		s.lastStep = geom.Vec3{}
	}
}

// discard drops the stop under observation: the server's cube stands still because its server
// stalls.
func (s *stops) discard() { s.current, s.lastStep = stop{}, geom.Vec3{} }

// finish ends the observation and counts the stop if it was long enough.
func (s *stops) finish(rate int) {
	if float64(s.current.ticks) >= restSecondsMin*float64(rate) {
		s.count++
		s.overshootMax = max(s.overshootMax, s.current.overshoot)
	}
	s.current = stop{}
}
