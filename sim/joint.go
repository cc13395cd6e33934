package sim

import (
	"ghostcube/sim/geom"
)

// WorldBody stands for the world where a joint takes the number of a body.
const WorldBody = -1

// Joint ties two bodies together at a point. They may turn about it in any way,
// like an arm in its shoulder, or with Hinge about one axis only, like a door.
// Bodies that a joint ties touch each other as all do; see Box.Group.
type Joint struct {
	A, B   int       // bodies, in any order; A may be Fixed
	Hinge  bool      // they turn against each other about Axis alone
	Anchor geom.Vec3 // the point, metres, in the world, where the bodies start
	Axis   geom.Vec3 // of unit length, in the world, where the bodies start; fixed to both

	// The turn of a hinge, as that of B about Axis seen from A, is 0 at the
	// start and stays in [Low, High], within (-pi, pi) rad. Without limits both
	// are 0.
	LowerAngle, UpperAngle float32
	ConeAngle              float32 // how far B's Axis leans from A's at most, in (0, pi) rad; for what is no hinge; 0 is any way

	// The motor drives B's turn about Axis seen from A towards a speed, with no
	// more than so much torque. At speed 0 it is a brake.
	MotorSpeed     float32 // rad/s
	MaxMotorTorque float32 // N m; 0 is no motor
}

// joint is what is constant of a Joint, in the bodies' own frames.
type joint struct {
	Joint
	localAnchorA, localAnchorB geom.Vec3
	localAxisA, localAxisB     geom.Vec3
	localPerpA, localPerpB     geom.Vec3 // across the axis, and the same at turn 0
	hasLimits                  bool
	hasAxialConstraint         bool // something acts about the axis
}

// jointImpulse is the state of a joint: what it pushed at last, for the warm start.
type jointImpulse struct {
	linearImpulse              geom.Vec3 // at the point, world frame
	perpImpulse                [2]float32
	lowerImpulse, upperImpulse float32 // of the limits; that of Swing is in high
	motorImpulse               float32
}

// newJoints makes the joints of a scene.
func (w *World) newJoints() {
	for _, j := range w.scene.Joints {
		if j.A == j.B || j.A < WorldBody || j.B < 0 || j.A >= len(w.state.Bodies) || j.B >= len(w.state.Bodies) {
			panic("sim: a joint between bodies that there are not")
		}
		x := joint{Joint: j, localAnchorA: j.Anchor, localAxisA: j.Axis, localPerpA: j.Axis.Perpendicular()}
		x.hasLimits = j.Hinge && j.LowerAngle < j.UpperAngle
		x.hasAxialConstraint = x.hasLimits || j.MaxMotorTorque > 0
		pose := w.state.Bodies[j.B].Pose
		inverse := pose.Rot.Inverse()
		x.localAnchorB, x.localAxisB, x.localPerpB = inverse.Rotate(j.Anchor.Sub(pose.Pos)), inverse.Rotate(x.localAxisA), inverse.Rotate(x.localPerpA)
		if j.A != WorldBody {
			pose = w.state.Bodies[j.A].Pose
			inverse = pose.Rot.Inverse()
			x.localAnchorA, x.localAxisA, x.localPerpA = inverse.Rotate(j.Anchor.Sub(pose.Pos)), inverse.Rotate(x.localAxisA), inverse.Rotate(x.localPerpA)
		}
		w.joints = append(w.joints, x)
	}
}

// JointAnchors returns where the two bodies of joint i of the scene have its point,
// in the world. They are a distance apart that should be none.
func (w *World) JointAnchors(i int) (a, b geom.Vec3) {
	j := &w.joints[i]
	a, b = j.localAnchorA, w.shapes[j.B].worldPoint(j.localAnchorB)
	if j.A != WorldBody {
		a = w.shapes[j.A].worldPoint(j.localAnchorA)
	}
	return a, b
}

// linkJoints puts what joints tie into one island. What a motor drives is not
// calm.
func (w *World) linkJoints() {
	for i := range w.joints {
		j := &w.joints[i]
		if j.A != WorldBody {
			w.linkBodies(int32(j.A), int32(j.B))
		}
		if j.MaxMotorTorque > 0 && j.MotorSpeed != 0 && !w.state.Bodies[j.B].Asleep {
			w.state.slowTicks[j.B] = 0
		}
	}
}
