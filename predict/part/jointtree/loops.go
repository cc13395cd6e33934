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
	closesLoop := func(k int, j *sim.Joint) bool {
		return j.A != sim.WorldBody && t.Nodes[j.A].Joint != k && t.Nodes[j.B].Joint != k
	}
	for k := range scene.Joints {
		if j := &scene.Joints[k]; closesLoop(k, j) {
			looped[t.Nodes[j.A].Root] = true
		}
	}
	for k := range scene.Joints {
		j := &scene.Joints[k]
		if j.A == sim.WorldBody || !looped[t.Nodes[j.A].Root] {
			continue
		}
		lj := loopJoint{a: j.A, b: j.B, anchorA: localPoint(&scene.Boxes[j.A].Start.Pose, j.Anchor), anchorB: localPoint(&scene.Boxes[j.B].Start.Pose, j.Anchor)}
		lj.invMassA, lj.invInertiaA = t.inverseMass(scene, j.A)
		lj.invMassB, lj.invInertiaB = t.inverseMass(scene, j.B)
		l.joints = append(l.joints, lj)
	}
	return l
}

// inverseMass returns how easily a body is moved and turned. A rod of some length turns as if
// its mass were a little more than a quarter of it away from its middle.
func (t *Tree) inverseMass(scene *sim.Scene, i int) (invMass, invInertia float32) {
	if t.Nodes[i].Parent == None {
		return 0, 0
	}
	b := &scene.Boxes[i]
	radiusSq := b.Half.LenSq()
	for k := range b.Parts {
		p := &b.Parts[k]
		radius := p.Pose.Pos.Len() + p.Half.Len()
		radiusSq = max(radiusSq, float32(radius*radius))
	}
	return 1, 3 / radiusSq
}

// Solve draws all joints of looped trees together, up to so many times in turn, until
// none is apart. Roots, and bodies that stand, stay where they are.
func (l *Loops) Solve(poses []geom.Pose, fixed []bool, iterations int) {
	for range iterations {
		largest := float32(0)
		for k := range l.joints {
			largest = max(largest, l.joints[k].separation(poses).LenSq())
		}
		if largest <= loopTolerance*loopTolerance {
			return
		}
		for k := range l.joints {
			l.joints[k].solve(poses, fixed)
		}
	}
}

// separation is how far b has the joint from where a has it.
func (j *loopJoint) separation(poses []geom.Pose) geom.Vec3 {
	a, b := &poses[j.a], &poses[j.b]
	return b.Pos.Add(b.Rot.Rotate(j.anchorB)).Sub(a.Pos.Add(a.Rot.Rotate(j.anchorA)))
}

// solve moves and turns both bodies so that they meet, as a push at the joint would
// (Müller et al., Position Based Dynamics, 2007).
func (j *loopJoint) solve(poses []geom.Pose, fixed []bool) {
	gap := j.separation(poses)
	distance := gap.Len()
	if distance < 1e-6 {
		return
	}
	n := gap.Scale(1 / distance)
	a, b := &poses[j.a], &poses[j.b]
	ra, rb := a.Rot.Rotate(j.anchorA), b.Rot.Rotate(j.anchorB)
	invMassA, invInertiaA, invMassB, invInertiaB := j.invMassA, j.invInertiaA, j.invMassB, j.invInertiaB
	if fixed[j.a] {
		invMassA, invInertiaA = 0, 0
	}
	if fixed[j.b] {
		invMassB, invInertiaB = 0, 0
	}
	ca, cb := ra.Cross(n), rb.Cross(n)
	weight := invMassA + invMassB + float32(invInertiaA*ca.LenSq()) + float32(invInertiaB*cb.LenSq())
	if weight <= 0 {
		return
	}
	lambda := distance / weight
	a.Pos, b.Pos = a.Pos.AddScaled(float32(lambda*invMassA), n), b.Pos.SubScaled(float32(lambda*invMassB), n)
	a.Rot, b.Rot = integrateRotation(a.Rot, ca.Scale(float32(lambda*invInertiaA))), integrateRotation(b.Rot, cb.Scale(-float32(lambda*invInertiaB)))
}

// integrateRotation returns a rotation turned on by a small one, as its axis times its angle.
func integrateRotation(q geom.Quat, turn geom.Vec3) geom.Quat {
	if turn == (geom.Vec3{}) {
		return q
	}
	return geom.Quat{X: float32(turn.X * 0.5), Y: float32(turn.Y * 0.5), Z: float32(turn.Z * 0.5), W: 1}.Unit().Mul(q).Unit()
}
