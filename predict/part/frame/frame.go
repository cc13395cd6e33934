// Package frame knows what a body is carried by, and how the world looks from there:
// the frame of a parent, and the rule by which a parent is chosen. It is what Space
// Engineers' Relative Prediction stands on (a talk at GDC). It knows a world, and
// nothing of packets.
package frame

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Frame is where a vessel is at a moment, and how it moves. The zero value is the
// world's own frame, in which nothing changes.
type Frame struct {
	IsParent bool // it is a vessel's, and not the world's
	Pose     geom.Pose

	origin  geom.Vec3 // metres
	linear  geom.Vec3 // m/s; of that place
	angular geom.Vec3 // rad/s
	radial  float32   // 1/s, see predict.World.PathVelocity
}

// OfCarrier returns the frame of a carrier at a moment.
func OfCarrier(w *predict.World, carrier int, m sim.Moment) Frame {
	f := Frame{IsParent: true, Pose: w.Scene().Carriers[carrier].Path.PoseAt(geom.Pose{Rot: geom.Identity}, m, w.Rate())}
	f.linear, f.angular.Z, f.radial = w.CarrierVelocity(carrier, m)
	return f
}

// OfBody returns the frame of a body.
func OfBody(b *sim.Body) Frame {
	return Frame{IsParent: true, Pose: b.Pose, origin: b.Pose.Pos, linear: b.Linear, angular: b.Angular}
}

// PointVelocity returns how fast a place of the world moves that is fixed to the vessel.
func (f *Frame) PointVelocity(at geom.Vec3) geom.Vec3 {
	arm := at.Sub(f.origin)
	v := f.linear.Add(f.angular.Cross(arm))
	arm.Z = 0
	return v.AddScaled(f.radial, arm)
}

// AngularVelocity returns how fast it turns, rad/s.
func (f *Frame) AngularVelocity() geom.Vec3 { return f.angular }

// LocalPoint returns a place of the world in the vessel's own frame.
func (f *Frame) LocalPoint(at geom.Vec3) geom.Vec3 {
	if !f.IsParent {
		return at
	}
	return f.Pose.Rot.Inverse().Rotate(at.Sub(f.Pose.Pos))
}

// LocalVector returns a vector of the world along the vessel's own axes.
func (f *Frame) LocalVector(v geom.Vec3) geom.Vec3 {
	if !f.IsParent {
		return v
	}
	return f.Pose.Rot.Inverse().Rotate(v)
}

// WorldVector returns a vector of the vessel's own along the world's axes.
func (f *Frame) WorldVector(v geom.Vec3) geom.Vec3 {
	if !f.IsParent {
		return v
	}
	return f.Pose.Rot.Rotate(v)
}

// ToLocal returns a body in the vessel's own frame, whose velocities are relative to the
// vessel already, along the world's axes.
func (f *Frame) ToLocal(b *sim.Body) sim.Body {
	if !f.IsParent {
		return *b
	}
	o := *b
	o.Pose.Pos, o.Pose.Rot = f.LocalPoint(b.Pose.Pos), f.Pose.Rot.Inverse().Mul(b.Pose.Rot).Unit()
	o.Linear, o.Angular = f.LocalVector(b.Linear), f.LocalVector(b.Angular)
	return o
}

// ToWorld undoes Own.
func (f *Frame) ToWorld(o *sim.Body) sim.Body {
	if !f.IsParent {
		return *o
	}
	b := *o
	b.Pose.Pos, b.Pose.Rot = f.Pose.Pos.Add(f.WorldVector(o.Pose.Pos)), f.Pose.Rot.Mul(o.Pose.Rot).Unit()
	b.Linear, b.Angular = f.WorldVector(o.Linear), f.WorldVector(o.Angular)
	return b
}

// Relative returns a body of the world as the vessel sees it: Own, with velocities that
// become relative.
func (f *Frame) Relative(b *sim.Body) sim.Body {
	s := *b
	f.AddVelocity(&s, -1)
	return f.ToLocal(&s)
}

// AddVelocity gives a body that goes along with the vessel the vessel's velocities, those of
// where it is: its own are the world's then. share 1 is that, -1 makes the world's
// relative.
func (f *Frame) AddVelocity(b *sim.Body, share float32) {
	if !f.IsParent {
		return
	}
	b.Linear = b.Linear.AddScaled(share, f.PointVelocity(b.Pose.Pos))
	b.Angular = b.Angular.AddScaled(share, f.angular)
}

// MoveAlong returns where a body is that was at p and has been moved along with the vessel
// since it was at f, and the turn that this was.
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

// Extrapolate returns the frame as it would be so many seconds later if the vessel went on as
// it does.
func (f *Frame) Extrapolate(seconds float32) Frame {
	l := *f
	if !f.IsParent {
		return l
	}
	l.Pose.Pos = f.Pose.Pos.AddScaled(seconds, f.PointVelocity(f.Pose.Pos))
	spin := f.angular.Len()
	if spin == 0 {
		return l
	}
	turn := geom.AxisAngle(f.angular.Scale(1/spin), float32(spin*seconds))
	l.Pose.Rot = turn.Mul(f.Pose.Rot).Unit()
	// The place that stands still in the ground plane, as far as there is one, stays: its
	// way is an arc.
	still := f.Pose.Pos.AddScaled(1/float32(spin*spin), f.angular.Cross(f.PointVelocity(f.Pose.Pos)))
	along := f.angular.Scale(f.angular.Dot(f.PointVelocity(f.Pose.Pos)) / float32(spin*spin))
	l.Pose.Pos = still.Add(turn.Rotate(f.Pose.Pos.Sub(still))).AddScaled(seconds, along)
	return l
}
