package smoothing

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Shift is a difference between two states of a body. The zero value is no difference.
type Shift struct {
	Pos     geom.Vec3 // metres
	Rot     geom.Quat // after = Rot * before; the zero quaternion means the identity
	Linear  geom.Vec3 // m/s
	Angular geom.Vec3 // rad/s
}

// A remainder up to these sizes is applied at once, and a difference up to them is ignored.
const (
	minRemainder         = 1e-4 // metres, radians
	minVelocityRemainder = 1e-3 // m/s, rad/s
)

// IsZero reports whether the shift changes nothing.
func (s *Shift) IsZero() bool {
	return s.Pos == geom.Vec3{} && s.Linear == geom.Vec3{} && s.Angular == geom.Vec3{} && !s.turns()
}

// Moves reports whether the shift changes the pose.
func (s *Shift) Moves() bool { return s.Pos != geom.Vec3{} || s.turns() }

// turns reports whether the shift changes the rotation.
func (s *Shift) turns() bool { return s.Rot != geom.Identity && s.Rot != geom.Quat{} }

// ApplyTo shifts a body.
func (s *Shift) ApplyTo(b *sim.Body) {
	b.Pose.Pos = b.Pose.Pos.Add(s.Pos)
	if s.turns() {
		b.Pose.Rot = s.Rot.Mul(b.Pose.Rot).Unit()
	}
	b.Linear, b.Angular = b.Linear.Add(s.Linear), b.Angular.Add(s.Angular)
}

// RemoveFrom is the inverse of ApplyTo.
func (s *Shift) RemoveFrom(b *sim.Body) {
	b.Pose.Pos = b.Pose.Pos.Sub(s.Pos)
	if s.turns() {
		b.Pose.Rot = s.Rot.Inverse().Mul(b.Pose.Rot).Unit()
	}
	b.Linear, b.Angular = b.Linear.Sub(s.Linear), b.Angular.Sub(s.Angular)
}

// Add makes s the shift that applies first s, then more.
func (s *Shift) Add(more *Shift) {
	s.Pos, s.Linear, s.Angular = s.Pos.Add(more.Pos), s.Linear.Add(more.Linear), s.Angular.Add(more.Angular)
	switch {
	case !more.turns():
	case s.turns():
		s.Rot = more.Rot.Mul(s.Rot).Unit()
	default:
		s.Rot = more.Rot.Mul(geom.Identity).Unit()
	}
}

// Rotated returns the shift turned by a rotation.
func (s *Shift) Rotated(by geom.Quat) Shift {
	r := Shift{Pos: by.Rotate(s.Pos), Linear: by.Rotate(s.Linear), Angular: by.Rotate(s.Angular), Rot: s.Rot}
	if s.turns() {
		r.Rot = by.Mul(s.Rot).Mul(by.Inverse()).Unit()
	}
	return r
}

// Take removes a share of the shift and returns it. A small shift is removed entirely.
func (s *Shift) Take(share float32) (part Shift) {
	part = Shift{
		Pos:     takeShare(&s.Pos, share, minRemainder),
		Linear:  takeShare(&s.Linear, share, minVelocityRemainder),
		Angular: takeShare(&s.Angular, share, minVelocityRemainder),
		Rot:     s.Rot,
	}
	if !s.turns() {
		return part
	}
	if s.Rot.Angle() > minRemainder {
		part.Rot = s.Rot.ScaleAngle(share)
		s.Rot = s.Rot.Mul(part.Rot.Inverse()).Unit()
	} else {
		s.Rot = geom.Identity
	}
	return part
}

// takeShare removes a share of v and returns it, or all of v if its length is at most small.
func takeShare(v *geom.Vec3, share, small float32) geom.Vec3 {
	part := v.Scale(share)
	if v.LenSq() <= float32(small*small) {
		part = *v
	}
	*v = v.Sub(part)
	return part
}
