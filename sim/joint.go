package sim

import (
	"fmt"

	"ghostcube/sim/geom"
)

// WorldBody takes the place of Joint.A for a joint to the world.
const WorldBody = -1

// Joint connects two bodies at a point: as a ball joint, free to rotate in all directions, or as a
// hinge, free to rotate about one axis. Jointed bodies collide with each other unless they share a
// Box.FilterGroup.
type Joint struct {
	A, B   int       // indices of bodies; A may be WorldBody
	Hinge  bool      // a hinge about Axis, otherwise a ball joint
	Anchor geom.Vec3 // metres, world frame, at the start poses
	// Unit vector in the world frame, at the start poses, fixed to both bodies.
	Axis geom.Vec3

	// Limits of a hinge's angle in rad: the rotation of B relative to A about Axis, 0 at the start
	// poses. The angle stays in [LowerAngle, UpperAngle], within (-pi, pi). If both are 0, there is
	// no limit.
	LowerAngle, UpperAngle float32
	// Largest angle between the bodies' axes of a ball joint, in (0, pi) rad; 0: no limit.
	ConeAngle float32

	// The motor drives the rotation of B relative to A about Axis towards a speed, with a limited
	// torque. With speed 0 it is a brake.
	MotorSpeed     float32 // rad/s
	MaxMotorTorque float32 // N m; 0: no motor
}

// joint is a Joint with its constants in the frames of the two bodies.
type joint struct {
	Joint
	localAnchorA, localAnchorB geom.Vec3
	localAxisA, localAxisB     geom.Vec3
	// Unit vector perpendicular to the axis, equal in the world frame at angle 0.
	localPerpA, localPerpB geom.Vec3
	hasLimits              bool
	hasAxialConstraint     bool // it has limits or a motor
}

// jointImpulse is the state of a joint: its last impulses, for warm starting.
type jointImpulse struct {
	linearImpulse              geom.Vec3 // N s, at the anchor, world frame
	perpImpulse                [2]float32
	lowerImpulse, upperImpulse float32 // of the limits; upperImpulse is also that of a cone
	motorImpulse               float32
}

// newJoints creates the joints of the scene.
func (w *World) newJoints() {
	for _, j := range w.scene.Joints {
		if j.A == j.B || j.A < WorldBody || j.B < 0 || j.A >= len(w.state.Bodies) || j.B >= len(w.state.Bodies) {
			panic(fmt.Sprintf("sim: New: a joint connects bodies %d and %d; want two different ones of %d, or WorldBody as A", j.A, j.B, len(w.state.Bodies)))
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

// JointAnchors returns the anchor of joint i in the world frame, as given by each of its two
// bodies. Their distance is the error of the joint.
func (w *World) JointAnchors(i int) (a, b geom.Vec3) {
	j := &w.joints[i]
	a, b = j.localAnchorA, w.shapes[j.B].worldPoint(j.localAnchorB)
	if j.A != WorldBody {
		a = w.shapes[j.A].worldPoint(j.localAnchorA)
	}
	return a, b
}

// linkJoints merges the islands of jointed bodies. A running motor keeps its body awake.
func (w *World) linkJoints() {
	for i := range w.joints {
		j := &w.joints[i]
		if w.JointOpen(i) || !w.steps(int32(j.B)) {
			continue
		}
		if j.A != WorldBody {
			w.linkBodies(int32(j.A), int32(j.B))
		}
		if j.MaxMotorTorque > 0 && j.MotorSpeed != 0 && !w.state.Bodies[j.B].Asleep {
			w.state.slowTicks[j.B] = 0
		}
	}
}
