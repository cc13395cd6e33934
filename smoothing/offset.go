// Package smoothing hides corrections from the eye. It changes what is drawn,
// never what is simulated.
//
// A correction moves the simulated body at once. The drawn body is the
// simulated one plus an offset, which takes up the jump in full, so that the
// drawn body does not move at all, and then fades (Fiedler, State
// Synchronization, 2015; codersblock, Client-Side Prediction, 2018). It fades
// per tick of the session and not per rendered frame, so a faster display shows
// the same motion.
package smoothing

import "ghostcube/sim/geom"

// Offset is the visual error of one body: drawn = simulated + Offset. The zero
// value is none.
type Offset struct {
	Pos geom.Vec3 // metres, world frame
	Rot geom.Quat // drawn = Rot * simulated; the zero quaternion means none
}

// Below these an offset has faded and becomes exactly nothing. A tenth of a
// millimetre at the usual camera is a fiftieth of a pixel.
const (
	fadedPos = 1e-4 // metres
	fadedRot = 1e-4 // radians
)

// None reports whether there is no offset.
func (o *Offset) None() bool { return *o == Offset{} }

// Absorb makes the offset such that a body simulated at after is drawn at
// drawn.
func (o *Offset) Absorb(drawn, after geom.Pose) {
	o.Pos = drawn.Pos.Sub(after.Pos)
	o.Rot = drawn.Rot.Mul(after.Rot.Inverse()).Unit()
	o.forget()
}

// forget turns what has faded into nothing.
func (o *Offset) forget() {
	if o.Pos.Len2() < fadedPos*fadedPos {
		o.Pos = geom.Vec3{}
	}
	if o.Rot != (geom.Quat{}) && o.Rot.Angle() < fadedRot {
		o.Rot = geom.Quat{}
	}
}

// Decay keeps a share of the offset: pos of its way and rot of its angle, each
// in [0,1].
func (o *Offset) Decay(pos, rot float32) {
	if o.None() {
		return
	}
	o.Pos = o.Pos.Scale(pos)
	if o.Rot != (geom.Quat{}) {
		o.Rot = o.Rot.Share(rot)
	}
	o.forget()
}

// Apply returns the pose at which a body simulated at p is drawn.
func (o *Offset) Apply(p geom.Pose) geom.Pose {
	p.Pos = p.Pos.Add(o.Pos)
	if o.Rot != (geom.Quat{}) {
		p.Rot = o.Rot.Mul(p.Rot).Unit()
	}
	return p
}
