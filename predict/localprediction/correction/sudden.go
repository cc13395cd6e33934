package correction

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// suddenSettings are the conditions under which a sudden change of the server's velocity resets the
// player's body, as in the published source of Space Engineers, for ships. It is off by default,
// because every edge on which a tumbling cube lands causes such a change.
type suddenSettings struct {
	enabled   bool
	speed     float64 // m/s
	tolerance float64 // m/s
	states    int
}

func (s *suddenSettings) declare(k *predict.Knobs) {
	group := k.In(predict.CorrectionKnobs)
	group.Bool(&s.enabled, "sudden-reset", false, "offset: adopt the server's state after a sudden change that gradual correction did not follow")
	group.Float(&s.speed, "sudden-speed", 10, 0.1, 1000, "sudden-reset: change of the server's velocity between snapshots, m/s")
	group.Float(&s.tolerance, "sudden-tolerance", 5, 0, 1000, "sudden-reset: difference of velocities after sudden-states, m/s")
	group.Int(&s.states, "sudden-states", 10, 1, 240, "sudden-reset: snapshots from the change to the decision")
	for _, name := range []string{"sudden-speed", "sudden-tolerance", "sudden-states"} {
		k.Needs(name, "sudden-reset", "on")
	}
}

// velocityWatch follows the server's velocity of one body. The zero value is ready for use.
type velocityWatch struct {
	velocity    geom.Vec3 // m/s, of the last state
	hasVelocity bool
	countdown   int // states until the comparison; 0: the velocity has not jumped
}

// jumped is called with each compared state of the server. It reports that the velocity jumped some
// states ago and the body's velocity still differs too much. The remembered state includes the
// pending correction, which is subtracted first.
func (v *velocityWatch) jumped(s *suddenSettings, server, remembered *sim.Body, pending *smoothing.Shift) bool {
	jump := s.enabled && v.hasVelocity && server.Linear.Sub(v.velocity).Len() > float32(s.speed)
	v.velocity, v.hasVelocity = server.Linear, true
	switch {
	case v.countdown > 0:
		v.countdown--
		return v.countdown == 0 && server.Linear.Sub(remembered.Linear).Add(pending.Linear).Len() > float32(s.tolerance)
	case jump:
		v.countdown = s.states
	}
	return false
}
