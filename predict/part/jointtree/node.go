package jointtree

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// A body as its parent sees it is written as a sim.Body whose frame is the parent's:
//
//	Pos      how far the body has its joint from where the parent has it, metres
//	Rot      from the body's frame to the parent's
//	Linear   how fast that Pos changes, m/s
//	Angular  how fast it turns against the parent, rad/s
//
// So Pos is next to nothing, and what lies between two such states holds the joint:
// the body turns about it, and not about its middle.
//
// In a tree that is hung, Rot and Angular are those in the world. Then where a parent is
// turned wrong by a little, what hangs on it far away is not swung about by it.

// ToLocal returns a body as its parent sees it. What sleeps stands.
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

// ToWorld returns the body that its parent sees so.
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

// WorldPose returns where a body is that its parent sees so.
func (n *Node) WorldPose(parent, local geom.Pose) geom.Pose {
	rot := local.Rot
	if !n.worldRotation {
		rot = parent.Rot.Mul(local.Rot).Unit()
	}
	anchor := parent.Pos.Add(parent.Rot.Rotate(n.parentAnchor.Add(local.Pos)))
	return geom.Pose{Pos: anchor.Sub(rot.Rotate(n.anchor)), Rot: rot}
}

// LocalPose returns the pose that a parent sees of a body.
func (n *Node) LocalPose(parent, body geom.Pose) geom.Pose {
	p, b := sim.Body{Pose: parent, Asleep: true}, sim.Body{Pose: body, Asleep: true}
	return n.ToLocal(&p, &b).Pose
}

// ToCenter returns the same with the body's middle in the place of the joint: Pos is where
// the parent sees it. It is for trees that are not hung.
func (n *Node) ToCenter(local sim.Body) sim.Body {
	arm := local.Pose.Rot.Rotate(n.anchor)
	local.Pose.Pos = local.Pose.Pos.Add(n.parentAnchor).Sub(arm)
	if !local.Asleep {
		local.Linear = local.Linear.Sub(local.Angular.Cross(arm))
	}
	return local
}

// WorldPoseOfCenter returns where a body is whose middle its parent sees so.
func (n *Node) WorldPoseOfCenter(parent, local geom.Pose) geom.Pose {
	return geom.Pose{Pos: parent.Pos.Add(parent.Rot.Rotate(local.Pos)), Rot: parent.Rot.Mul(local.Rot).Unit()}
}
