package jointtree

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// A local state is the state of a body relative to its parent, as a sim.Body in the parent's frame:
//
//	Pos      from the parent's anchor of their joint to the body's, metres
//	Rot      from the body's frame to the parent's
//	Linear   rate of change of Pos, m/s
//	Angular  angular velocity relative to the parent's, rad/s
//
// Pos is nearly zero, because the joint keeps the two anchors together. A state interpolated
// between two local states keeps them together too: the body turns about the joint and not about
// its centre.
//
// After UseWorldRotation, Rot and Angular are in the world's frame instead. A small error of a
// parent's rotation then does not swing the distant bodies of its subtree.

// ToLocal returns the local state of a body. A sleeping body has no local velocities.
func (n *Node) ToLocal(parent, body *sim.Body) sim.Body {
	toParent := parent.Pose.Rot.Inverse()
	arm := body.Pose.Rot.Rotate(n.anchor)
	offset := body.Pose.Pos.Add(arm).Sub(parent.Pose.Pos)
	l := sim.Body{Asleep: body.Asleep}
	l.Pose.Pos = toParent.Rotate(offset).Sub(n.parentAnchor)
	if l.Pose.Rot = body.Pose.Rot; !n.worldRotation {
		l.Pose.Rot = toParent.Mul(body.Pose.Rot).Unit()
	}
	if !body.Asleep {
		if l.Angular = body.Angular; !n.worldRotation {
			l.Angular = toParent.Rotate(body.Angular.Sub(parent.Angular))
		}
		anchorVelocity := body.Linear.Add(body.Angular.Cross(arm))
		l.Linear = toParent.Rotate(anchorVelocity.Sub(parent.Linear).Sub(parent.Angular.Cross(offset)))
	}
	return l
}

// ToWorld is the inverse of ToLocal.
func (n *Node) ToWorld(parent, local *sim.Body) sim.Body {
	b := sim.Body{Pose: n.WorldPose(parent.Pose, local.Pose), Asleep: local.Asleep}
	if !local.Asleep {
		rot := parent.Pose.Rot
		if b.Angular = local.Angular; !n.worldRotation {
			b.Angular = parent.Angular.Add(rot.Rotate(local.Angular))
		}
		offset := rot.Rotate(n.parentAnchor.Add(local.Pose.Pos))
		anchorVelocity := parent.Linear.Add(parent.Angular.Cross(offset)).Add(rot.Rotate(local.Linear))
		b.Linear = anchorVelocity.Sub(b.Angular.Cross(b.Pose.Rot.Rotate(n.anchor)))
	}
	return b
}

// WorldPose returns the world pose of a body with a local pose.
func (n *Node) WorldPose(parent, local geom.Pose) geom.Pose {
	rot := local.Rot
	if !n.worldRotation {
		rot = parent.Rot.Mul(local.Rot).Unit()
	}
	anchor := parent.Pos.Add(parent.Rot.Rotate(n.parentAnchor.Add(local.Pos)))
	return geom.Pose{Pos: anchor.Sub(rot.Rotate(n.anchor)), Rot: rot}
}

// LocalPose returns the local pose of a body; it is the inverse of WorldPose.
func (n *Node) LocalPose(parent, body geom.Pose) geom.Pose {
	p, b := sim.Body{Pose: parent, Asleep: true}, sim.Body{Pose: body, Asleep: true}
	return n.ToLocal(&p, &b).Pose
}

// ToCenter converts a local state to one of the body's centre: Pos is the centre in the parent's
// frame, and Linear its velocity. It does not support trees that use world rotation.
func (n *Node) ToCenter(local sim.Body) sim.Body {
	arm := local.Pose.Rot.Rotate(n.anchor)
	local.Pose.Pos = local.Pose.Pos.Add(n.parentAnchor).Sub(arm)
	if !local.Asleep {
		local.Linear = local.Linear.Sub(local.Angular.Cross(arm))
	}
	return local
}

// WorldPoseOfCenter returns the world pose of a body from a local pose of its centre.
func (n *Node) WorldPoseOfCenter(parent, local geom.Pose) geom.Pose {
	return geom.Pose{Pos: parent.Pos.Add(parent.Rot.Rotate(local.Pos)), Rot: parent.Rot.Mul(local.Rot).Unit()}
}
