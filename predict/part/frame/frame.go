// Package frame knows what a body is carried by, and how the world looks from there:
// the frame of a parent, and the rule by which a parent is chosen. It is what Space
// Engineers' Relative Prediction stands on (a talk at GDC). It knows a world, and
// nothing of packets.
package frame

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Frame is where a vessel is at a moment, and how it moves. The zero value is the
// world's own frame, in which nothing changes.
type Frame struct {
	On   bool // it is a vessel's, and not the world's
	Pose geom.Pose

	about   geom.Vec3 // metres
	linear  geom.Vec3 // m/s; of that place
	angular geom.Vec3 // rad/s
	bend    float32   // 1/s, see sim.World.PathVelocity
}

// OfCarrier returns the frame of a carrier at a moment.
func OfCarrier(w *sim.World, carrier int, m sim.Moment) Frame {
	f := Frame{On: true, Pose: w.Scene().Carriers[carrier].Path.PoseAt(geom.Pose{Rot: geom.Identity}, m, w.Rate())}
	f.linear, f.angular.Z, f.bend = w.PathVelocity(carrier, m)
	return f
}

// OfBody returns the frame of a body.
func OfBody(b *sim.Body) Frame {
	return Frame{On: true, Pose: b.Pose, about: b.Pose.Pos, linear: b.Linear, angular: b.Angular}
}

// Velocity returns how fast a place of the world moves that is fixed to the vessel.
func (f *Frame) Velocity(at geom.Vec3) geom.Vec3 {
	arm := at.Sub(f.about)
	v := f.linear.Add(f.angular.Cross(arm))
	arm.Z = 0
	return v.Plus(f.bend, arm)
}

// Angular returns how fast it turns, rad/s.
func (f *Frame) Angular() geom.Vec3 { return f.angular }

// Place returns a place of the world in the vessel's own frame.
func (f *Frame) Place(at geom.Vec3) geom.Vec3 {
	if !f.On {
		return at
	}
	return f.Pose.Rot.Inverse().Rotate(at.Sub(f.Pose.Pos))
}

// Turned returns a vector of the world along the vessel's own axes.
func (f *Frame) Turned(v geom.Vec3) geom.Vec3 {
	if !f.On {
		return v
	}
	return f.Pose.Rot.Inverse().Rotate(v)
}

// Facing returns a vector of the vessel's own along the world's axes.
func (f *Frame) Facing(v geom.Vec3) geom.Vec3 {
	if !f.On {
		return v
	}
	return f.Pose.Rot.Rotate(v)
}

// Own returns a body in the vessel's own frame, whose velocities are relative to the
// vessel already, along the world's axes.
func (f *Frame) Own(b *sim.Body) sim.Body {
	if !f.On {
		return *b
	}
	o := *b
	o.Pose.Pos, o.Pose.Rot = f.Place(b.Pose.Pos), f.Pose.Rot.Inverse().Mul(b.Pose.Rot).Unit()
	o.Linear, o.Angular = f.Turned(b.Linear), f.Turned(b.Angular)
	return o
}

// World undoes Own.
func (f *Frame) World(o *sim.Body) sim.Body {
	if !f.On {
		return *o
	}
	b := *o
	b.Pose.Pos, b.Pose.Rot = f.Pose.Pos.Add(f.Facing(o.Pose.Pos)), f.Pose.Rot.Mul(o.Pose.Rot).Unit()
	b.Linear, b.Angular = f.Facing(o.Linear), f.Facing(o.Angular)
	return b
}

// Seen returns a body of the world as the vessel sees it: Own, with velocities that
// become relative.
func (f *Frame) Seen(b *sim.Body) sim.Body {
	s := *b
	f.Leave(&s, -1)
	return f.Own(&s)
}

// Leave gives a body that goes along with the vessel the vessel's velocities, those of
// where it is: its own are the world's then. share 1 is that, -1 makes the world's
// relative.
func (f *Frame) Leave(b *sim.Body, share float32) {
	if !f.On {
		return
	}
	b.Linear = b.Linear.Plus(share, f.Velocity(b.Pose.Pos))
	b.Angular = b.Angular.Plus(share, f.angular)
}

// Carry returns where a body is that was at p and has been moved along with the vessel
// since it was at f, and the turn that this was.
func (f *Frame) Carry(to *Frame, p geom.Pose) (geom.Pose, geom.Quat) {
	if f.Pose.Rot == to.Pose.Rot {
		p.Pos = p.Pos.Add(to.Pose.Pos.Sub(f.Pose.Pos))
		return p, geom.Identity
	}
	turn := to.Pose.Rot.Mul(f.Pose.Rot.Inverse()).Unit()
	p.Pos = to.Pose.Pos.Add(turn.Rotate(p.Pos.Sub(f.Pose.Pos)))
	p.Rot = turn.Mul(p.Rot).Unit()
	return p, turn
}

// Later returns the frame as it would be so many seconds later if the vessel went on as
// it does.
func (f *Frame) Later(seconds float32) Frame {
	l := *f
	if !f.On {
		return l
	}
	l.Pose.Pos = f.Pose.Pos.Plus(seconds, f.Velocity(f.Pose.Pos))
	spin := f.angular.Len()
	if spin == 0 {
		return l
	}
	turn := geom.Turn(f.angular.Scale(1/spin), float32(spin*seconds))
	l.Pose.Rot = turn.Mul(f.Pose.Rot).Unit()
	// The place that stands still in the ground plane, as far as there is one, stays: its
	// way is an arc.
	still := f.Pose.Pos.Plus(1/float32(spin*spin), f.angular.Cross(f.Velocity(f.Pose.Pos)))
	along := f.angular.Scale(f.angular.Dot(f.Velocity(f.Pose.Pos)) / float32(spin*spin))
	l.Pose.Pos = still.Add(turn.Rotate(f.Pose.Pos.Sub(still))).Plus(seconds, along)
	return l
}
