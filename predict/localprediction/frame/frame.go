// Package frame provides the reference frames in which a player's body is predicted. The body of a
// player in a ship is predicted in the frame of the ship, its parent, and not in the world's (Space
// Engineers, a talk at GDC: Relative Prediction).
//
// The package chooses the parent, moves the body along with it, converts the body from one frame to
// another, and encodes a body's state relative to its parent. It does not know histories or
// corrections.
package frame

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// Frame is the pose and the motion of a parent at a moment. The zero value is the world's frame.
type Frame struct {
	IsParent bool // false for the world's frame
	Pose     geom.Pose

	fixed   bool      // the origin stays where it is
	origin  geom.Vec3 // metres; the point that moves at linear
	linear  geom.Vec3 // m/s
	angular geom.Vec3 // rad/s
	radial  float32   // 1/s, see sim.World.CarrierVelocity
}

// OfCarrier returns the frame of a carrier at a moment.
func OfCarrier(w *predict.World, carrier int, m sim.Moment) Frame {
	f := Frame{IsParent: true, fixed: true, Pose: w.Scene().Carriers[carrier].Path.PoseAt(geom.Pose{Rot: geom.Identity}, m, w.Rate())}
	f.linear, f.angular.Z, f.radial = w.CarrierVelocity(carrier, m)
	return f
}

// OfBody returns the frame of a body.
func OfBody(b *sim.Body) Frame {
	return Frame{IsParent: true, Pose: b.Pose, origin: b.Pose.Pos, linear: b.Linear, angular: b.Angular}
}

// PointVelocity returns the velocity, in m/s, of the point of the parent that is at a point of the
// world.
func (f *Frame) PointVelocity(at geom.Vec3) geom.Vec3 {
	arm := at.Sub(f.origin)
	v := f.linear.Add(f.angular.Cross(arm))
	arm.Z = 0
	return v.AddScaled(f.radial, arm)
}

// LocalPoint converts a point from the world's frame.
func (f *Frame) LocalPoint(at geom.Vec3) geom.Vec3 {
	if !f.IsParent {
		return at
	}
	return f.Pose.Rot.Inverse().Rotate(at.Sub(f.Pose.Pos))
}

// LocalVector converts a vector from the world's axes.
func (f *Frame) LocalVector(v geom.Vec3) geom.Vec3 {
	if !f.IsParent {
		return v
	}
	return f.Pose.Rot.Inverse().Rotate(v)
}

// WorldVector converts a vector to the world's axes.
func (f *Frame) WorldVector(v geom.Vec3) geom.Vec3 {
	if !f.IsParent {
		return v
	}
	return f.Pose.Rot.Rotate(v)
}

// ToLocal converts a body from the world's axes. Its velocities are relative to the parent already.
func (f *Frame) ToLocal(b *sim.Body) sim.Body {
	if !f.IsParent {
		return *b
	}
	o := *b
	o.Pose.Pos, o.Pose.Rot = f.LocalPoint(b.Pose.Pos), f.Pose.Rot.Inverse().Mul(b.Pose.Rot).Unit()
	o.Linear, o.Angular = f.LocalVector(b.Linear), f.LocalVector(b.Angular)
	return o
}

// ToWorld is the inverse of ToLocal.
func (f *Frame) ToWorld(o *sim.Body) sim.Body {
	if !f.IsParent {
		return *o
	}
	b := *o
	b.Pose.Pos, b.Pose.Rot = f.Pose.Pos.Add(f.WorldVector(o.Pose.Pos)), f.Pose.Rot.Mul(o.Pose.Rot).Unit()
	b.Linear, b.Angular = f.WorldVector(o.Linear), f.WorldVector(o.Angular)
	return b
}

// Relative converts a body from the world's frame, velocities included.
func (f *Frame) Relative(b *sim.Body) sim.Body {
	s := *b
	f.AddVelocity(&s, -1)
	return f.ToLocal(&s)
}

// AddVelocity adds a share of the parent's velocities at the body's position to those of the body.
// A share of 1 converts relative velocities to the world's, and -1 converts them back.
func (f *Frame) AddVelocity(b *sim.Body, share float32) {
	if !f.IsParent {
		return
	}
	b.Linear = b.Linear.AddScaled(share, f.PointVelocity(b.Pose.Pos))
	b.Angular = b.Angular.AddScaled(share, f.angular)
}

// ShiftToLocal converts a shift from the world's axes.
func (f *Frame) ShiftToLocal(s *smoothing.Shift) smoothing.Shift {
	if !f.IsParent {
		return *s
	}
	return s.Rotated(f.Pose.Rot.Inverse())
}

// ShiftToWorld converts a shift to the world's axes.
func (f *Frame) ShiftToWorld(s *smoothing.Shift) smoothing.Shift {
	if !f.IsParent {
		return *s
	}
	return s.Rotated(f.Pose.Rot)
}

// MoveAlong moves a pose along with the parent, from f to another frame of that parent, and returns
// the rotation of that motion.
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

// Extrapolate returns the frame after some seconds at a constant acceleration in m/s2 and a constant angular velocity.
func (f *Frame) Extrapolate(seconds float32, acceleration geom.Vec3) Frame {
	next := *f
	if !f.IsParent {
		return next
	}
	next.linear = f.linear.AddScaled(seconds, acceleration)
	if f.fixed {
		next.Pose = smoothing.ExtrapolateArc(f.Pose, f.PointVelocity(f.Pose.Pos), f.angular, seconds)
	} else {
		next.Pose = smoothing.Extrapolate(f.Pose, f.linear, f.angular, seconds)
	}
	next.Pose.Pos = next.Pose.Pos.AddScaled(float32(0.5*float32(seconds*seconds)), acceleration)
	if !f.fixed {
		next.origin = next.Pose.Pos
	}
	return next
}

// setFrameMotion makes the next step of a world simulate body i in a moving frame, unless that is at rest.
func setFrameMotion(w *sim.World, i int, motion *sim.FrameMotion) {
	if *motion != (sim.FrameMotion{}) {
		w.SetFrameMotion(i, *motion)
	}
}

// substepShare returns the share of an acceleration by which it moves a body in its first tick: it acts in each substep.
// In the world a body in a turning frame goes straight on. The turn of its velocity alone bends its path in the frame as
// much as that looks, so the second half of the Coriolis acceleration must change the velocity, but not the place.
func substepShare(w *sim.World) float32 {
	n := float32(w.Settings.Substeps)
	return (n + 1) / float32(2*n)
}

// turnTo returns the rotation from a frame to another.
func (f *Frame) turnTo(to *Frame) geom.Quat {
	if !f.IsParent {
		return geom.Identity
	}
	return to.Pose.Rot.Mul(f.Pose.Rot.Inverse())
}

// isStillAt reports whether the parent is at rest at a point of the world.
func (f *Frame) isStillAt(at geom.Vec3) bool {
	return f.PointVelocity(at) == geom.Vec3{} && f.angular == geom.Vec3{}
}
