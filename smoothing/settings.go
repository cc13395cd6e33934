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

// ModeNames are the names of the modes.
var ModeNames = []string{"none", "single", "two-factor"}

// Settings say how offsets fade. All shares are what is left after 1/60 s,
// whatever the tick rate of the session.
type Settings struct {
	Mode Mode

	PositionFactor float64 // Single: share of the way kept
	Slerp          float64 // Single: share of the angle taken away

	SmallFactor float64 // TwoFactor: share kept of offsets up to NearAt
	LargeFactor float64 // TwoFactor: share kept of offsets from FarAt
	SmallError  float64 // metres
	LargeError  float64 // metres

	// For the angle the two distances are 1 - |dot| of the offset's quaternion
	// with the identity: 0.1 is an angle of 52 degrees, 0.5 one of 120.
	SmallTurn, LargeTurn float64

	SnapDistance float64 // metres: a correction of this much or more is not smoothed
}

// DefaultSettings are Fiedler's two factors and the prediction demo's single one.
var DefaultSettings = Settings{
	Mode:           TwoFactor,
	PositionFactor: 0.9, Slerp: 0.1,
	SmallFactor: 0.95, LargeFactor: 0.85, SmallError: 0.25, LargeError: 1,
	SmallTurn: 0.1, LargeTurn: 0.5,
	SnapDistance: 2,
}

// Factors returns the shares of the way and of the angle that an offset keeps
// over 1/60 s.
func (s *Settings) Factors(o *ErrorOffset) (pos, rot float32) {
	switch s.Mode {
	case Single:
		return float32(s.PositionFactor), float32(1 - s.Slerp)
	case TwoFactor:
		pos = s.blendFactor(o.Pos.Len(), s.SmallError, s.LargeError)
		rot = float32(s.SmallFactor)
		if o.Rot != (geom.Quat{}) {
			rot = s.blendFactor(1-geom.Abs(o.Rot.W), s.SmallTurn, s.LargeTurn)
		}
		return pos, rot
	}
	return 0, 0
}

// blendFactor blends from Near to Far as an error goes from near to far. Ends that
// are the wrong way round act as a step at far.
func (s *Settings) blendFactor(err float32, near, far float64) float32 {
	n, f := float32(near), float32(far)
	if err >= f {
		return float32(s.LargeFactor)
	}
	if err <= n {
		return float32(s.SmallFactor)
	}
	return float32(s.SmallFactor) + float32(float32(s.LargeFactor-s.SmallFactor)*((err-n)/(f-n)))
}

// Absorb lets an offset take up a correction: a body that would have been
// drawn at drawn is now simulated at after.
func (s *Settings) Absorb(o *ErrorOffset, drawn, after geom.Pose) {
	if s.Mode == None || drawn.Pos.Sub(after.Pos).Len() >= float32(s.SnapDistance) {
		*o = ErrorOffset{}
		return
	}
	o.Absorb(drawn, after)
}

// Decay lets an offset fade for one tick of a session with that many ticks a
// second.
func (s *Settings) Decay(o *ErrorOffset, rate int) {
	if o.IsZero() {
		return
	}
	pos, rot := s.Factors(o)
	o.Decay(FactorPerTick(pos, rate), FactorPerTick(rot, rate))
}

// FactorPerTick converts a share kept over 1/60 s to one kept over a tick of 1/rate s:
// its power 60/rate. Package math's Pow differs between machines, so the power
// is taken by its binary digits, with products and square roots only.
func FactorPerTick(keep float32, rate int) float32 {
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
