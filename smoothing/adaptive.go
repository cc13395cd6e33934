package smoothing

import (
	"math"

	"ghostcube/sim/geom"
)

// Mode says how offsets fade.
type Mode int

// The modes.
const (
	None      Mode = iota // not at all: corrections are seen as they come
	Single                // one share for every offset
	TwoFactor             // small offsets fade slowly, large ones fast
)

// Modes are the names of the modes.
var Modes = []string{"none", "single", "two-factor"}

// Settings say how offsets fade. All shares are what is left after 1/60 s,
// whatever the tick rate of the session.
type Settings struct {
	Mode Mode

	Keep  float64 // Single: share of the way kept
	Slerp float64 // Single: share of the angle taken away

	Near   float64 // TwoFactor: share kept of offsets up to NearAt
	Far    float64 // TwoFactor: share kept of offsets from FarAt
	NearAt float64 // metres
	FarAt  float64 // metres

	// For the angle the two distances are 1 - |dot| of the offset's quaternion
	// with the identity: 0.1 is an angle of 52 degrees, 0.5 one of 120.
	TurnNearAt, TurnFarAt float64

	Snap float64 // metres: a correction of this much or more is not smoothed
}

// Defaults are Fiedler's two factors and the prediction demo's single one.
var Defaults = Settings{
	Mode: TwoFactor,
	Keep: 0.9, Slerp: 0.1,
	Near: 0.95, Far: 0.85, NearAt: 0.25, FarAt: 1,
	TurnNearAt: 0.1, TurnFarAt: 0.5,
	Snap: 2,
}

// Factors returns the shares of the way and of the angle that an offset keeps
// over 1/60 s.
func (s *Settings) Factors(o *Offset) (pos, rot float32) {
	switch s.Mode {
	case Single:
		return float32(s.Keep), float32(1 - s.Slerp)
	case TwoFactor:
		pos = s.between(o.Pos.Len(), s.NearAt, s.FarAt)
		rot = float32(s.Near)
		if o.Rot != (geom.Quat{}) {
			rot = s.between(1-geom.Abs(o.Rot.W), s.TurnNearAt, s.TurnFarAt)
		}
		return pos, rot
	}
	return 0, 0
}

// between blends from Near to Far as an error goes from near to far. Ends that
// are the wrong way round act as a step at far.
func (s *Settings) between(err float32, near, far float64) float32 {
	n, f := float32(near), float32(far)
	if err >= f {
		return float32(s.Far)
	}
	if err <= n {
		return float32(s.Near)
	}
	return float32(s.Near) + float32(float32(s.Far-s.Near)*((err-n)/(f-n)))
}

// Correct lets an offset take up a correction: a body that would have been
// drawn at drawn is now simulated at after.
func (s *Settings) Correct(o *Offset, drawn, after geom.Pose) {
	if s.Mode == None || drawn.Pos.Sub(after.Pos).Len() >= float32(s.Snap) {
		*o = Offset{}
		return
	}
	o.Absorb(drawn, after)
}

// Fade lets an offset fade for one tick of a session with that many ticks a
// second.
func (s *Settings) Fade(o *Offset, rate int) {
	if o.None() {
		return
	}
	pos, rot := s.Factors(o)
	o.Decay(Share(pos, rate), Share(rot, rate))
}

// Share converts a share kept over 1/60 s to one kept over a tick of 1/rate s:
// its power 60/rate. Package math's Pow differs between machines, so the power
// is taken by its binary digits, with products and square roots only.
func Share(keep float32, rate int) float32 {
	if rate == 60 || keep <= 0 || keep >= 1 {
		return keep
	}
	x := float64(keep)
	whole, part := 60/rate, 60%rate
	y := 1.0
	for range whole {
		y = float64(y * x)
	}
	// part/rate in binary: each digit is worth another square root.
	for range 40 {
		x = math.Sqrt(x)
		if part *= 2; part >= rate {
			part -= rate
			y = float64(y * x)
		}
	}
	return float32(y)
}
