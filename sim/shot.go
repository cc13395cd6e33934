package sim

import "ghostcube/sim/geom"

// Shot is a ray that a player fires in a tick, from the centre of its cube. It is part of the
// input, so that it is sent, replayed and recorded with it.
type Shot struct {
	Fired bool
	Yaw   uint16 // 1/4096 turn, counter-clockwise from +y, in [0, AimSteps)
	Pitch int16  // 1/4096 turn, upwards, in [-MaxPitch, MaxPitch]

	// The server time of the picture that the player saw. The client that drew it fills it in.
	HasViewTime bool   // ViewTime and Ahead are set
	ViewTime    uint16 // low bits of the server time of the bodies in the picture
	Ahead       uint16 // by how much later the player's own cube was drawn, same unit
}

// Units and limits of a Shot.
const (
	AimSteps = 4096 // per turn
	MaxPitch = AimSteps/4 - 1
)

const aimStep = geom.TwoPi / AimSteps

// Direction returns the unit vector of the ray.
func (s *Shot) Direction() geom.Vec3 {
	yaw, pitch := float32(aimStep*float32(s.Yaw)), float32(aimStep*float32(s.Pitch))
	flat := geom.Cos(pitch)
	return geom.Vec3{X: -float32(flat * geom.Sin(yaw)), Y: float32(flat * geom.Cos(yaw)), Z: geom.Sin(pitch)}
}

// Aim returns the shot in the direction of d, rounded to steps: the error is at most 0.04 degrees,
// 1.5 cm at 20 m. d may have any length above 0.
func Aim(d geom.Vec3) Shot {
	flat := geom.Sqrt(float32(d.X*d.X) + float32(d.Y*d.Y))
	yaw := toAimSteps(geom.Atan2(-d.X, d.Y))
	pitch := toAimSteps(geom.Atan2(d.Z, flat))
	return Shot{Fired: true, Yaw: uint16(yaw & (AimSteps - 1)), Pitch: int16(min(max(pitch, -MaxPitch), MaxPitch))}
}

// toAimSteps returns an angle in radians as a whole number of steps.
func toAimSteps(angle float32) int { return int(float32(angle/aimStep)+AimSteps+0.5) - AimSteps }
