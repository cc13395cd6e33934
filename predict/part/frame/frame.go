// Package frame holds the reference frames in which a player's body is predicted. A player in a
// ship is predicted in the ship's frame, its parent's, and not in the world's (Space Engineers, a
// talk at GDC: Relative Prediction).
//
// It chooses the parent, moves the body along with it, hands the body over from one frame to
// another, and has the wire form of a body's state relative to its parent. It knows nothing of
// histories and corrections.
package frame

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// Frame is the pose and the motion of a parent at a moment. The zero value is the world's own
// frame, in which nothing moves.
type Frame struct {
	IsParent bool // it is a parent's, and not the world's
	Pose     geom.Pose

	origin  geom.Vec3 // metres; the point that linear is the velocity of
	linear  geom.Vec3 // m/s
	angular geom.Vec3 // rad/s
	radial  float32   // 1/s, see sim.World.CarrierVelocity
}

// OfCarrier returns the frame of a carrier at a moment.
func OfCarrier(w *sim.World, carrier int, m sim.Moment) Frame {
	f := Frame{IsParent: true, Pose: w.Scene().Carriers[carrier].Path.PoseAt(geom.Pose{Rot: geom.Identity}, m, w.Rate())}
	f.linear, f.angular.Z, f.radial = w.CarrierVelocity(carrier, m)
	return f
}

// OfBody returns the frame of a body.
func OfBody(b *sim.Body) Frame {
	return Frame{IsParent: true, Pose: b.Pose, origin: b.Pose.Pos, linear: b.Linear, angular: b.Angular}
}

// PointVelocity returns the velocity, in m/s, of a point of the world that is fixed to the parent.
func (f *Frame) PointVelocity(at geom.Vec3) geom.Vec3 {
	arm := at.Sub(f.origin)
	v := f.linear.Add(f.angular.Cross(arm))
	arm.Z = 0
	return v.AddScaled(f.radial, arm)
}

// AngularVelocity returns the parent's angular velocity, rad/s.
func (f *Frame) AngularVelocity() geom.Vec3 { return f.angular }

// LocalPoint converts a point of the world.
func (f *Frame) LocalPoint(at geom.Vec3) geom.Vec3 {
	if !f.IsParent {
		return at
	}
	return f.Pose.Rot.Inverse().Rotate(at.Sub(f.Pose.Pos))
}

// LocalVector converts a vector along the world's axes.
func (f *Frame) LocalVector(v geom.Vec3) geom.Vec3 {
	if !f.IsParent {
		return v
	}
	return f.Pose.Rot.Inverse().Rotate(v)
}

// WorldVector converts a vector back to the world's axes.
func (f *Frame) WorldVector(v geom.Vec3) geom.Vec3 {
	if !f.IsParent {
		return v
	}
	return f.Pose.Rot.Rotate(v)
}

// ToLocal converts a body whose velocities are relative to the parent already, but along the
// world's axes.
func (f *Frame) ToLocal(b *sim.Body) sim.Body {
	if !f.IsParent {
		return *b
	}
	o := *b
	o.Pose.Pos, o.Pose.Rot = f.LocalPoint(b.Pose.Pos), f.Pose.Rot.Inverse().Mul(b.Pose.Rot).Unit()
	o.Linear, o.Angular = f.LocalVector(b.Linear), f.LocalVector(b.Angular)
	return o
}

// ToWorld converts what ToLocal returned back.
func (f *Frame) ToWorld(o *sim.Body) sim.Body {
	if !f.IsParent {
		return *o
	}
	b := *o
	b.Pose.Pos, b.Pose.Rot = f.Pose.Pos.Add(f.WorldVector(o.Pose.Pos)), f.Pose.Rot.Mul(o.Pose.Rot).Unit()
	b.Linear, b.Angular = f.WorldVector(o.Linear), f.WorldVector(o.Angular)
	return b
}

// Relative converts a body of the world, velocities included.
func (f *Frame) Relative(b *sim.Body) sim.Body {
	s := *b
	f.AddVelocity(&s, -1)
	return f.ToLocal(&s)
}

// AddVelocity adds a share of the parent's velocities, those of the body's place, to a body: 1
// makes relative velocities the world's, -1 the world's relative.
func (f *Frame) AddVelocity(b *sim.Body, share float32) {
	if !f.IsParent {
		return
	}
	b.Linear = b.Linear.AddScaled(share, f.PointVelocity(b.Pose.Pos))
	b.Angular = b.Angular.AddScaled(share, f.angular)
}

// ShiftToLocal converts a shift along the world's axes.
func (f *Frame) ShiftToLocal(s *smoothing.Shift) smoothing.Shift {
	if !f.IsParent {
		return *s
	}
	return s.Rotated(f.Pose.Rot.Inverse())
}

// ShiftToWorld converts a shift along the parent's axes.
func (f *Frame) ShiftToWorld(s *smoothing.Shift) smoothing.Shift {
	if !f.IsParent {
		return *s
	}
	return s.Rotated(f.Pose.Rot)
}

// MoveAlong returns the pose of a body that was at p and has moved along with the parent from f to
// another place, and by what rotation that turned it.
func (f *Frame) MoveAlong(to *Frame, p geom.Pose) (geom.Pose, geom.Quat) {
	if f.Pose.Rot == to.Pose.Rot {
		p.Pos = p.Pos.Add(to.Pose.Pos.Sub(f.Pose.Pos))
		return p, geom.Identity
	}
	turn := to.Pose.Rot.Mul(f.Pose.Rot.Inverse()).Unit()
	p.Pos = to.Pose.Pos.Add(turn.Rotate(p.Pos.Sub(f.Pose.Pos)))
	p.Rot = turn.Mul(p.Rot).Unit()
	return p, turn
}

// Extrapolate returns the frame after a time if the parent keeps its velocities.
func (f *Frame) Extrapolate(seconds float32) Frame {
	l := *f
	if f.IsParent {
		l.Pose = smoothing.ExtrapolateArc(f.Pose, f.PointVelocity(f.Pose.Pos), f.angular, seconds)
	}
	return l
}
