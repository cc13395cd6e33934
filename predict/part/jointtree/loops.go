package jointtree

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Loops are the joints of trees that are in no tree, because they close loops, and what
// is needed to draw them together. In a tree each body is where its parent has it, so the
// joints of the tree hold; those that close loops hold if the bodies on both ways are as
// they were together. Between two moments, or beyond the last, they need not be.
type Loops struct {
	joints []loopJoint // of the trees that have loops, in the order of the joints
}

// loopJoint is a joint and where its two bodies have it.
type loopJoint struct {
	a, b             int
	anchorA, anchorB geom.Vec3
	invInertiaA      float32 // how easily a turns against being moved: 1/m2; 0 for a root
	invInertiaB      float32
	invMassA         float32 // 1, or 0 for a root
	invMassB         float32
}

// loopTolerance is how far in metres a joint may be apart and count as closed.
const loopTolerance = 0.0005

// NewLoops returns the loops of a scene's trees.
func NewLoops(scene *sim.Scene, t *Tree) (l Loops) {
	looped := make([]bool, len(t.Nodes)) // by root
	loop := func(k int, j *sim.Joint) bool {
		return j.A != sim.WorldBody && t.Nodes[j.A].Joint != k && t.Nodes[j.B].Joint != k
	}
	for k := range scene.Joints {
		if j := &scene.Joints[k]; loop(k, j) {
			looped[t.Nodes[j.A].Root] = true
		}
	}
	for k := range scene.Joints {
		j := &scene.Joints[k]
		if j.A == sim.WorldBody || !looped[t.Nodes[j.A].Root] {
			continue
		}
		h := loopJoint{a: j.A, b: j.B, anchorA: localPoint(&scene.Boxes[j.A].Start.Pose, j.Anchor), anchorB: localPoint(&scene.Boxes[j.B].Start.Pose, j.Anchor)}
		h.invMassA, h.invInertiaA = t.inverseMass(scene, j.A)
		h.invMassB, h.invInertiaB = t.inverseMass(scene, j.B)
		l.joints = append(l.joints, h)
	}
	return l
}

// inverseMass returns how easily a body is moved and turned. A rod of some length turns as if
// its mass were a little more than a quarter of it away from its middle.
func (t *Tree) inverseMass(scene *sim.Scene, i int) (move, turn float32) {
	if t.Nodes[i].Parent == None {
		return 0, 0
	}
	b := &scene.Boxes[i]
	far := b.Half.LenSq()
	for k := range b.Parts {
		p := &b.Parts[k]
		reach := p.Pose.Pos.Len() + p.Half.Len()
		far = max(far, float32(reach*reach))
	}
	return 1, 3 / far
}

// Solve draws all joints of looped trees together, up to so many times in turn, until
// none is apart. Roots, and bodies that stand, stay where they are.
func (l *Loops) Solve(poses []geom.Pose, stand []bool, rounds int) {
	for range rounds {
		most := float32(0)
		for k := range l.joints {
			most = max(most, l.joints[k].separation(poses).LenSq())
		}
		if most <= loopTolerance*loopTolerance {
			return
		}
		for k := range l.joints {
			l.joints[k].solve(poses, stand)
		}
	}
}

// separation is how far b has the joint from where a has it.
func (h *loopJoint) separation(poses []geom.Pose) geom.Vec3 {
	a, b := &poses[h.a], &poses[h.b]
	return b.Pos.Add(b.Rot.Rotate(h.anchorB)).Sub(a.Pos.Add(a.Rot.Rotate(h.anchorA)))
}

// solve moves and turns both bodies so that they meet, as a push at the joint would
// (Müller et al., Position Based Dynamics, 2007).
func (h *loopJoint) solve(poses []geom.Pose, stand []bool) {
	off := h.separation(poses)
	way := off.Len()
	if way < 1e-6 {
		return
	}
	n := off.Scale(1 / way)
	a, b := &poses[h.a], &poses[h.b]
	ra, rb := a.Rot.Rotate(h.anchorA), b.Rot.Rotate(h.anchorB)
	moveA, turnA, moveB, turnB := h.invMassA, h.invInertiaA, h.invMassB, h.invInertiaB
	if stand[h.a] {
		moveA, turnA = 0, 0
	}
	if stand[h.b] {
		moveB, turnB = 0, 0
	}
	ca, cb := ra.Cross(n), rb.Cross(n)
	give := moveA + moveB + float32(turnA*ca.LenSq()) + float32(turnB*cb.LenSq())
	if give <= 0 {
		return
	}
	push := way / give
	a.Pos, b.Pos = a.Pos.AddScaled(float32(push*moveA), n), b.Pos.SubScaled(float32(push*moveB), n)
	a.Rot, b.Rot = integrateRotation(a.Rot, ca.Scale(float32(push*turnA))), integrateRotation(b.Rot, cb.Scale(-float32(push*turnB)))
}

// integrateRotation returns a rotation turned on by a small one, as its axis times its angle.
func integrateRotation(q geom.Quat, by geom.Vec3) geom.Quat {
	if by == (geom.Vec3{}) {
		return q
	}
	return geom.Quat{X: float32(by.X * 0.5), Y: float32(by.Y * 0.5), Z: float32(by.Z * 0.5), W: 1}.Unit().Mul(q).Unit()
}
