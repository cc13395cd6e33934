package smoothing

import (
	"math"

	"ghostcube/sim/geom"
)

// Mode is the way in which error offsets decay.
type Mode int

// The modes.
const (
	None      Mode = iota // no offsets: a correction is drawn at once
	Single                // the same factor for every offset
	TwoFactor             // small offsets decay slowly, large ones fast
)

// ModeNames are the names of the modes.
var ModeNames = []string{"none", "single", "two-factor"}

// Settings are the settings of error offsets. Factors are the shares kept over 1/60 s, at any tick
// rate.
type Settings struct {
	Mode Mode

	PositionFactor float64 // Single: share of the position offset kept
	Slerp          float64 // Single: share of the angle removed

	SmallFactor float64 // TwoFactor: share kept of offsets up to SmallError
	LargeFactor float64 // TwoFactor: share kept of offsets from LargeError
	SmallError  float64 // metres
	LargeError  float64 // metres

	// SmallTurn and LargeTurn are the same limits for the rotation, as 1 - |dot| of the offset's
	// quaternion with the identity: 0.1 is 52 degrees, 0.5 is 120 degrees.
	SmallTurn, LargeTurn float64

	SnapDistance float64 // metres from which a correction is not smoothed
	MaxSpeed     float64 // m/s at which a position offset decays at most, and half a turn a second; 0: no limit
}

// DefaultSettings are Fiedler's two factors and the single factor of codersblock's prediction demo.
var DefaultSettings = Settings{
	Mode:           TwoFactor,
	PositionFactor: 0.9, Slerp: 0.1,
	SmallFactor: 0.95, LargeFactor: 0.85, SmallError: 0.25, LargeError: 1,
	SmallTurn: 0.1, LargeTurn: 0.5,
	SnapDistance: 50,
	MaxSpeed:     6,
}

// Factors returns the shares of its position and of its angle that an offset keeps over 1/60 s. With
// TwoFactor they are adaptive: the large offsets after a burst of losses decay faster.
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

// blendFactor blends from SmallFactor to LargeFactor as the error goes from near to far. If near is
// not below far, it steps at far.
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

// Absorb makes an offset absorb a correction: a body that was drawn at drawn is now simulated at
// after. From SnapDistance on, and without smoothing, the offset becomes zero.
func (s *Settings) Absorb(o *ErrorOffset, drawn, after geom.Pose) {
	if drawn == after && o.IsZero() {
		return
	}
	if s.Mode == None || drawn.Pos.Sub(after.Pos).Len() >= float32(s.SnapDistance) {
		*o = ErrorOffset{}
		return
	}
	o.Absorb(drawn, after)
}

// maxTurn is the fastest decay of a rotation offset with a MaxSpeed, in radians per second.
const maxTurn = geom.TwoPi / 2

// Decay decays an offset by one tick, at rate ticks per second. A share of a large offset is itself a jump, so the body
// is moved no faster than MaxSpeed. An offset that would take more than a second shrinks by its length in a second: at a
// constant speed it would grow for ever where corrections, each in the same direction, add more than that.
func (s *Settings) Decay(o *ErrorOffset, rate int) {
	if o.IsZero() {
		return
	}
	pos, rot := s.Factors(o)
	pos, rot = FactorPerTick(pos, rate), FactorPerTick(rot, rate)
	if s.MaxSpeed > 0 && s.Mode == TwoFactor {
		pos = max(pos, keepAtSpeed(o.Pos.Len(), max(float32(s.MaxSpeed), o.Pos.Len()), rate))
		if o.Rot != (geom.Quat{}) {
			rot = max(rot, keepAtSpeed(o.Rot.Angle(), maxTurn, rate))
		}
	}
	o.Decay(pos, rot)
}

// keepAtSpeed returns the share of an offset that is left if it shrinks by speed for a tick.
func keepAtSpeed(offset, speed float32, rate int) float32 {
	if step := speed / float32(rate); step < offset {
		return 1 - step/offset
	}
	return 0
}

// FactorPerTick converts a share kept over 1/60 s to the share kept over a tick of 1/rate s, which is
// its power 60/rate. math.Pow differs between machines, so the power is computed from its binary
// digits, with products and square roots only.
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
	// part/rate in binary: each digit stands for another square root.
	for range 40 {
		x = math.Sqrt(x)
		if part *= 2; part >= rate {
			part -= rate
			y = float64(y * x)
		}
	}
	return float32(y)
}
