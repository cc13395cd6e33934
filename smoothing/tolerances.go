package smoothing

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Tolerances are the differences between a predicted and an authoritative state that cause no
// correction. A slow body has smaller ones, and the pose of a sleeping body has none.
type Tolerances struct {
	Position float64 // metres, at fullToleranceSpeed and above
	Rotation float64 // degrees, at fullToleranceSpin and above
	Linear   float64 // m/s
	Angular  float64 // rad/s
}

// The speeds from which the tolerances of the pose have their full size, and their scale at rest, as
// in the published source of Space Engineers.
const (
	fullToleranceSpeed = 10.0 // m/s
	fullToleranceSpin  = 0.5  // rad/s
	minToleranceScale  = 0.01 // least squared share of those speeds
)

// Correction returns a share of the difference between the server's state and the remembered one.
// It contains position, rotation and the two velocities, each only if it exceeds its tolerance. ok
// reports whether any does.
func (t *Tolerances) Correction(server, remembered *sim.Body, share float32) (s Shift, ok bool) {
	position, rotation := float32(0), float32(0)
	if !server.Asleep {
		position = float32(float32(t.Position) * geom.Sqrt(toleranceScale(server.Linear.Len()/fullToleranceSpeed)))
		rotation = float32(float32(float32(t.Rotation)*(geom.TwoPi/360)) * toleranceScale(server.Angular.Len()/fullToleranceSpin))
	}
	if d := server.Pose.Pos.Sub(remembered.Pose.Pos); d.Len() > max(position, minRemainder) {
		s.Pos, ok = d.Scale(share), true
	}
	if d := server.Pose.Rot.Mul(remembered.Pose.Rot.Inverse()); d.Angle() > max(rotation, minRemainder) {
		s.Rot, ok = d.ScaleAngle(share), true
	}
	if d := server.Linear.Sub(remembered.Linear); d.Len() > max(float32(t.Linear), minVelocityRemainder) {
		s.Linear, ok = d.Scale(share), true
	}
	if d := server.Angular.Sub(remembered.Angular); d.Len() > max(float32(t.Angular), minVelocityRemainder) {
		s.Angular, ok = d.Scale(share), true
	}
	return s, ok
}

// toleranceScale returns the square of a share of the full speed, in [minToleranceScale, 1].
func toleranceScale(share float32) float32 {
	return geom.Clamp(float32(share*share), minToleranceScale, 1)
}
