// Package correction corrects a predicted body without resimulation, as Space Engineers does (a
// talk at GDC): the difference between the server's state and the remembered state of the same tick
// is added to all states remembered since, and applied to the body gradually.
//
// It knows one body and one difference at a time. It does not know the reference frame in which the
// caller compares, or how the caller remembers states.
package correction

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/smoothing"
)

// Settings are the settings of corrections, shared by all predicted bodies of a client.
type Settings struct {
	Enabled    bool
	factor     float64 // share of a difference that a correction adds, in (0,1]
	tolerances smoothing.Tolerances
	gradual    smoothing.Gradual
	sudden     suddenSettings
}

// Declare declares the settings as knobs.
func (s *Settings) Declare(k *predict.Knobs) {
	t, g := &s.tolerances, &s.gradual
	group := k.In(predict.CorrectionKnobs)
	group.Bool(&s.Enabled, "corrections", true, "correct the player's cube if the server's state differs")
	k.NotSearched("off only to show what it is for", "corrections")
	group.Float(&s.factor, "correction-factor", 0.7, 0.01, 1, "offset: share of a difference that one correction applies")
	group.Int(&g.Steps, "correction-steps", 30, 1, 240, "offset: each 1/60 s applies 1/correction-steps of the pending correction")
	group.Float(&t.Position, "position-tolerance", 0.05, 0, 5, "position tolerance from 10 m/s on, m; below, proportional to speed, down to a tenth")
	group.Float(&t.Rotation, "rotation-tolerance", 2, 0, 90,
		"rotation tolerance from 0.5 rad/s on, degrees; below, by the spin squared, down to 1/100")
	group.Float(&t.Linear, "linear-tolerance", 0.01, 0, 10, "tolerance of the linear velocity, m/s")
	group.Float(&t.Angular, "angular-tolerance", 0.01, 0, 10, "tolerance of the angular velocity, rad/s")
	group.Float(&g.MaxPosition, "gradual-position-max", 50, 0.01, 512,
		"offset: longest gradual correction, m; a longer one applies at once, but for gradual-remainder")
	group.Float(&g.Remainder, "gradual-remainder", 0.15, 0, 5, "offset: gradual rest of a correction longer than gradual-position-max, m")
	group.Float(&g.MaxRotation, "gradual-rotation-max", 180, 1, 180, "offset: largest gradual rotation, degrees; a larger one applies at once")
	s.sudden.declare(k)
}

// Compare returns the correction of a remembered state, and reports whether a difference exceeds its
// tolerance.
func (s *Settings) Compare(server, remembered *sim.Body) (shift smoothing.Shift, exceeds bool) {
	return s.tolerances.Correction(server, remembered, float32(s.factor))
}

// Share returns the share of a pending correction that one tick applies, at rate ticks per second.
func (s *Settings) Share(rate int) float32 { return s.gradual.Share(rate) }
