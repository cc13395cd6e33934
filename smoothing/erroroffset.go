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

// ErrorOffset is the visual error of one body: drawn = simulated + Offset. The zero
// value is none.
type ErrorOffset struct {
	Pos geom.Vec3 // metres, world frame
	Rot geom.Quat // drawn = Rot * simulated; the zero quaternion means none
}

// Below these an offset has faded and becomes exactly nothing. A tenth of a
// millimetre at the usual camera is a fiftieth of a pixel.
const (
	minPos = 1e-4 // metres
	minRot = 1e-4 // radians
)

// IsZero reports whether there is no offset.
func (o *ErrorOffset) IsZero() bool { return *o == ErrorOffset{} }

// Absorb makes the offset such that a body simulated at after is drawn at
// drawn.
func (o *ErrorOffset) Absorb(drawn, after geom.Pose) {
	o.Pos = drawn.Pos.Sub(after.Pos)
	o.Rot = drawn.Rot.Mul(after.Rot.Inverse()).Unit()
	o.zeroIfSmall()
}

// zeroIfSmall turns what has faded into nothing.
func (o *ErrorOffset) zeroIfSmall() {
	if o.Pos.LenSq() < minPos*minPos {
		o.Pos = geom.Vec3{}
	}
	if o.Rot != (geom.Quat{}) && o.Rot.Angle() < minRot {
		o.Rot = geom.Quat{}
	}
}

// Decay keeps a share of the offset: pos of its way and rot of its angle, each
// in [0,1].
func (o *ErrorOffset) Decay(pos, rot float32) {
	if o.IsZero() {
		return
	}
	o.Pos = o.Pos.Scale(pos)
	if o.Rot != (geom.Quat{}) {
		o.Rot = o.Rot.ScaleAngle(rot)
	}
	o.zeroIfSmall()
}

// Apply returns the pose at which a body simulated at p is drawn.
func (o *ErrorOffset) Apply(p geom.Pose) geom.Pose {
	p.Pos = p.Pos.Add(o.Pos)
	if o.Rot != (geom.Quat{}) {
		p.Rot = o.Rot.Mul(p.Rot).Unit()
	}
	return p
}
