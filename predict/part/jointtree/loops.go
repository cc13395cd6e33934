package jointtree

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Loops closes the gaps of joints in closed loops. A body is posed relative to its parent, so the
// joints of the tree never separate. The joints that close a loop are not in the tree, and they
// separate when poses are interpolated or extrapolated. Loops moves and turns the bodies of such
// trees until all their joints meet again, as a position-based solver.
type Loops struct {
	joints []loopJoint // all joints of the trees with closed loops, in scene order
}

// loopJoint is one constraint of the solver: the anchors of two bodies have to coincide. The solver
// gives every body a mass of 1.
type loopJoint struct {
	a, b             int
	anchorA, anchorB geom.Vec3 // metres, each in its body's frame
	invInertiaA      float32   // 1/m2; 0 for a root
	invInertiaB      float32
	invMassA         float32 // 1, or 0 for a root
	invMassB         float32
}

// loopTolerance is the separation up to which a joint counts as closed, in metres.
const loopTolerance = 0.0005

// NewLoops returns the closed loops of a scene's trees, with the attachments that the trees were built for.
func NewLoops(scene *sim.Scene, a *sim.Attachments, t *Tree) (l Loops) {
	looped := make([]bool, len(t.Nodes)) // by root
	closesLoop := func(k int, j *sim.Joint) bool {
		return j.A != sim.WorldBody && t.Nodes[j.A].Joint != k && t.Nodes[j.B].Joint != k
	}
	for k := range scene.Joints {
		if j := &scene.Joints[k]; !scene.JointOpen(a, k) && closesLoop(k, j) {
			looped[t.Nodes[j.A].Root] = true
		}
	}
	for k := range scene.Joints {
		j := &scene.Joints[k]
		if j.A == sim.WorldBody || scene.JointOpen(a, k) || !looped[t.Nodes[j.A].Root] {
			continue
		}
		lj := loopJoint{a: j.A, b: j.B, anchorA: localPoint(&scene.Boxes[j.A].Start.Pose, j.Anchor), anchorB: localPoint(&scene.Boxes[j.B].Start.Pose, j.Anchor)}
		lj.invMassA, lj.invInertiaA = t.inverseMass(scene, j.A)
		lj.invMassB, lj.invInertiaB = t.inverseMass(scene, j.B)
		l.joints = append(l.joints, lj)
	}
	return l
}

// inverseMass returns the inverse mass and the inverse moment of inertia of a body of mass 1. The
// moment is that of a rod whose ends are as far from the centre as the body's farthest point:
// radius²/3. Both are 0 for a root.
func (t *Tree) inverseMass(scene *sim.Scene, i int) (invMass, invInertia float32) {
	if t.Nodes[i].Parent == None {
		return 0, 0
	}
	b := &scene.Boxes[i]
	radiusSq := b.Half.LenSq()
	for k := range b.SubShapes {
		p := &b.SubShapes[k]
		radius := p.Pose.Pos.Len() + p.Half.Len()
		radiusSq = max(radiusSq, float32(radius*radius))
	}
	return 1, 3 / radiusSq
}

// Solve corrects poses until no joint of a tree with closed loops is separated by more than half a
// millimetre, in at most iterations passes over the joints. Roots and the bodies marked in fixed,
// which is indexed by body, do not move. Poses without such gaps stay the same, bit for bit.
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

// separation returns the vector from a's anchor to b's, in the world's frame.
func (j *loopJoint) separation(poses []geom.Pose) geom.Vec3 {
	a, b := &poses[j.a], &poses[j.b]
	return b.Pos.Add(b.Rot.Rotate(j.anchorB)).Sub(a.Pos.Add(a.Rot.Rotate(j.anchorA)))
}

// solve moves and turns both bodies by the position correction that closes the gap to first order
// (Müller et al., Position Based Dynamics, 2007):
//
//	lambda = distance / (wA + wB),  w = invMass + invInertia (r x n)²
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

// integrateRotation applies a small rotation, given as axis times angle, to q.
func integrateRotation(q geom.Quat, turn geom.Vec3) geom.Quat {
	if turn == (geom.Vec3{}) {
		return q
	}
	return geom.Quat{X: float32(turn.X * 0.5), Y: float32(turn.Y * 0.5), Z: float32(turn.Z * 0.5), W: 1}.Unit().Mul(q).Unit()
}
