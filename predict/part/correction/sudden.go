package correction

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// suddenSettings are when a sudden change of the server's velocity resets a body, as the published
// source of Space Engineers does for ships. A cube that tumbles changes its velocity so whenever an
// edge catches, so it is off at first.
type suddenSettings struct {
	enabled   bool
	speed     float64 // m/s
	tolerance float64 // m/s
	states    int
}

func (s *suddenSettings) declare(k *predict.Knobs) {
	k.Bool(&s.enabled, "sudden-reset", false, "take the server's state when its velocity has jumped and gradual correction has not helped")
	k.Float(&s.speed, "sudden-speed", 10, 0.1, 1000, "sudden-reset: m/s by which the server's velocity jumps from one state to the next")
	k.Float(&s.tolerance, "sudden-tolerance", 5, 0, 1000, "sudden-reset: m/s of difference, sudden-states later, above which the server's state is taken")
	k.Int(&s.states, "sudden-states", 10, 1, 240, "sudden-reset: states between the jump and that comparison")
}

// velocityWatch follows the server's velocity of one body. The zero value has seen none.
type velocityWatch struct {
	velocity    geom.Vec3 // m/s, of the last state
	hasVelocity bool
	countdown   int // states until the comparison; 0: there was no jump
}

// jumped takes in a state of the server, and reports whether its velocity has jumped some states
// ago and the body is too far off still. The remembered body has the pending correction in it, the
// body itself has not.
func (d *velocityWatch) jumped(s *suddenSettings, server, remembered *sim.Body, pending *smoothing.Shift) bool {
	jump := s.enabled && d.hasVelocity && server.Linear.Sub(d.velocity).Len() > float32(s.speed)
	d.velocity, d.hasVelocity = server.Linear, true
	switch {
	case d.countdown > 0:
		d.countdown--
		return d.countdown == 0 && server.Linear.Sub(remembered.Linear).Add(pending.Linear).Len() > float32(s.tolerance)
	case jump:
		d.countdown = s.states
	}
	return false
}
