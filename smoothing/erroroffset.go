// Package smoothing hides corrections from the player.
//
// An ErrorOffset changes only the drawn pose. A correction moves the simulated body at once. The
// drawn pose is the simulated pose plus an offset, which absorbs the jump, so that the drawn body
// does not move, and then decays (Fiedler, State Synchronization, 2015; codersblock, Client-Side
// Prediction, 2018). It decays per tick and not per frame, so a faster display shows the same motion.
//
// Gradual instead applies a correction to the simulated body over many ticks (Space Engineers, a
// talk at GDC). The package also has the interpolation and extrapolation of poses.
package smoothing

import "ghostcube/sim/geom"

// ErrorOffset is the drawn pose of a body minus its simulated pose. The zero value is no offset.
type ErrorOffset struct {
	Pos geom.Vec3 // metres, world frame
	Rot geom.Quat // drawn = Rot * simulated; the zero quaternion means none
}

// An offset below these becomes exactly zero. At the usual camera distance, 0.1 mm is 1/50 of a
// pixel.
const (
	minPos = 1e-4 // metres
	minRot = 1e-4 // radians
)

// IsZero reports whether there is no offset.
func (o *ErrorOffset) IsZero() bool { return *o == ErrorOffset{} }

// Absorb sets the offset so that a body simulated at after is drawn at drawn.
func (o *ErrorOffset) Absorb(drawn, after geom.Pose) {
	o.Pos = drawn.Pos.Sub(after.Pos)
	o.Rot = drawn.Rot.Mul(after.Rot.Inverse()).Unit()
	o.zeroIfSmall()
}

// zeroIfSmall sets small parts of the offset to zero.
func (o *ErrorOffset) zeroIfSmall() {
	if o.Pos.LenSq() < minPos*minPos {
		o.Pos = geom.Vec3{}
	}
	if o.Rot != (geom.Quat{}) && o.Rot.Angle() < minRot {
		o.Rot = geom.Quat{}
	}
}

// Decay keeps a share pos of the position and rot of the angle, each in [0,1].
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
