package sim

import "ghostcube/sim/geom"

// Shot is a ray that a player fires in a tick, from the middle of its cube. It is
// part of the input, so that it travels, comes again and is recorded with it.
type Shot struct {
	Fired bool
	Yaw   uint16 // 1/4096 turns counter-clockwise from +y, in [0, AimSteps)
	Pitch int16  // 1/4096 turns upwards, in [-SteepestAim, SteepestAim]

	// What the player saw then. Who makes the input does not know: the program says
	// it that has drawn the picture.
	HasViewTime bool   // the next two are said
	ViewTime    uint16 // the low bits of the server's time that the picture showed
	Ahead       uint16 // by how much later the player's own cube was drawn, in the same unit
}

// The units of a Shot.
const (
	AimSteps = 4096 // in a turn
	MaxPitch = AimSteps/4 - 1
)

const aimStep = geom.TwoPi / AimSteps

// Direction returns the direction of the ray, a unit vector.
func (s *Shot) Direction() geom.Vec3 {
	yaw, pitch := float32(aimStep*float32(s.Yaw)), float32(aimStep*float32(s.Pitch))
	flat := geom.Cos(pitch)
	return geom.Vec3{X: -float32(flat * geom.Sin(yaw)), Y: float32(flat * geom.Cos(yaw)), Z: geom.Sin(pitch)}
}

// Aim returns the shot that goes along d, as nearly as it can be told: 0.04 degrees
// off at most, 1.5 cm at 20 m. d may be of any length but none.
func Aim(d geom.Vec3) Shot {
	flat := geom.Sqrt(float32(d.X*d.X) + float32(d.Y*d.Y))
	yaw := toAimSteps(geom.Atan2(-d.X, d.Y))
	pitch := toAimSteps(geom.Atan2(d.Z, flat))
	return Shot{Fired: true, Yaw: uint16(yaw & (AimSteps - 1)), Pitch: int16(min(max(pitch, -MaxPitch), MaxPitch))}
}

// toAimSteps is an angle in whole steps.
func toAimSteps(angle float32) int { return int(float32(angle/aimStep)+AimSteps+0.5) - AimSteps }
