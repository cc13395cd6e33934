// Package correction corrects a predicted body without stepping a tick again, as Space Engineers
// does (a talk at GDC): the difference between the server's body and the remembered one of the
// same tick is added to what is remembered since, and applied to the body gradually.
//
// It knows one body and one difference at a time. Which tick a state of the server describes, and
// in what reference frame the two are compared, is its caller's business.
package correction

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/smoothing"
)

// Settings are the knobs of corrections, the same for every body of a client.
type Settings struct {
	Enabled    bool
	factor     float64 // share of a difference that a correction adds
	tolerances smoothing.Tolerances
	gradual    smoothing.Gradual
	sudden     suddenSettings
}

// Declare makes the settings knobs.
func (s *Settings) Declare(k *predict.Knobs) {
	t, g := &s.tolerances, &s.gradual
	k.Bool(&s.Enabled, "corrections", true, "shift the history and the player's cube by their difference from the server's state")
	k.Float(&s.factor, "correction-factor", 0.7, 0.01, 1, "share of a difference that a correction adds; the next state finds the remainder")
	k.Int(&g.Steps, "correction-steps", 30, 1, 240, "1/60 s applies one part in this many of the pending correction; 1 applies it at once")
	k.Float(&t.Position, "position-tolerance", 0.05, 0, 5, "m of difference that cause no correction at 10 m/s and above; in proportion below, a tenth up to 1 m/s")
	k.Float(&t.Rotation, "rotation-tolerance", 2, 0, 90, "degrees that cause no correction at 0.5 rad/s and above; by the square below, 1/100 up to 0.05 rad/s")
	k.Float(&t.Linear, "linear-tolerance", 0.01, 0, 10, "m/s of difference that cause no correction")
	k.Float(&t.Angular, "angular-tolerance", 0.01, 0, 10, "rad/s of difference that cause no correction")
	k.Float(&g.MaxPosition, "gradual-position-max", 50, 0.01, 512, "m up to which a correction is gradual; of a larger one all but gradual-remainder is applied at once")
	k.Float(&g.Remainder, "gradual-remainder", 0.15, 0, 5, "m of a larger correction that stay gradual")
	k.Float(&g.MaxRotation, "gradual-rotation-max", 180, 1, 180, "degrees up to which a correction is gradual; a larger one is applied at once")
	s.sudden.declare(k)
}

// Compare returns the correction of a remembered body, and whether there is one.
func (s *Settings) Compare(server, remembered *sim.Body) (shift smoothing.Shift, exceeds bool) {
	return s.tolerances.Correction(server, remembered, float32(s.factor))
}

// Share returns the share of a pending correction that a tick applies; rate is in ticks per second.
func (s *Settings) Share(rate int) float32 { return s.gradual.Share(rate) }
