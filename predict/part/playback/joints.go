package playback

import (
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/jointtree"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// The ways from one position to the next.
const (
	betweenLinear = iota
	betweenHermite
)

// What of a linked body goes from one position to the next.
const (
	pivotAnchor = iota
	pivotCenter
)

// jointPoses is what Animated knows of bodies that hang together: the history of one that has
// a parent is what that sees of it, and it is put into the world when the parent has been
// (Relative Position Updates). So where all of them are may be wrong, and how they hang
// together is not.
type jointPoses struct {
	encoding       codec.TreeEncoding
	between        int
	pivot          int
	loopIterations int

	scene         *sim.Scene
	player        int
	builtFor      treeSettings    // what the following was made for
	tree          *jointtree.Tree // nil: each body by itself
	loops         jointtree.Loops
	poses         []geom.Pose // by body, in the world
	excludedPoses []geom.Pose // by body, of those that are not shown so: where they are
	locals        []sim.Body  // of the newest positions, as histories have them
}

// treeSettings is what decides of what the histories are.
type treeSettings struct {
	encoding codec.TreeEncoding
	pivot    int
}

func (l *jointPoses) declare(k *predict.Knobs) {
	l.encoding.Declare(k)
	k.Choice(&l.between, "joint-interpolation", betweenHermite, []string{"linear", "hermite"}, "links: against its parent a body goes from one position to the next straight and turns evenly, or on a curve that leaves and arrives with its velocities")
	k.Choice(&l.pivot, "joint-pivot", pivotAnchor, []string{"anchor", "center"}, "links=relative: what of a body goes so, against its parent: the end that its joint holds, which stays at the joint, or its middle, which does not")
	k.Int(&l.loopIterations, "loop-iterations", 32, 0, 64, "links: times that all joints of a tree are drawn together, until none is more than half a millimetre apart: what goes from one position to the next by itself on two ways need not meet there")
}

// rebuildTree lets the histories begin anew, from what is drawn, if they are to be of
// something else.
func (a *InterpolatedWorld) rebuildTree() {
	l := &a.joints
	next := treeSettings{l.encoding, l.pivot}
	if next == l.builtFor {
		return
	}
	was := l.poses[:0]
	for i := range a.bodies {
		p := a.Pose(i)
		if a.excluded[i] && i < len(l.excludedPoses) {
			p = l.excludedPoses[i]
		}
		was = append(was, p)
	}
	l.builtFor, l.poses = next, was
	l.tree = l.encoding.Tree(l.scene, l.player)
	if a.receiver.SetTree(l.tree); l.tree != nil {
		l.loops = jointtree.NewLoops(l.scene, l.tree)
	}
	for i := range a.bodies {
		a.bodies[i].restart(a.toSample(i, was[i]))
	}
}

// toSample is what the history of body i has of a pose in the world.
func (a *InterpolatedWorld) toSample(i int, p geom.Pose) geom.Pose {
	l := &a.joints
	if l.tree == nil || l.tree.Nodes[i].Parent == jointtree.None {
		return p
	}
	n := &l.tree.Nodes[i]
	b := sim.Body{Pose: n.LocalPose(l.poses[n.Parent], p), Asleep: true}
	if l.usesCenters() {
		b = n.ToCenter(b)
	}
	return b.Pose
}

// toSamples is what the histories have of positions that have come.
func (a *InterpolatedWorld) toSamples(locals []sim.Body) []sim.Body {
	l := &a.joints
	if !l.usesCenters() {
		return locals
	}
	l.locals = append(l.locals[:0], locals...)
	for _, i := range l.tree.Order {
		l.locals[i] = l.tree.Nodes[i].ToCenter(l.locals[i])
	}
	return l.locals
}

// usesCenters reports whether middles go from one position to the next, and not joints.
func (l *jointPoses) usesCenters() bool { return l.pivot == pivotCenter && !l.encoding.WorldRotation() }

// usesCurve reports whether body i goes on curves.
func (l *jointPoses) usesCurve(i int) bool {
	return l.tree != nil && l.between == betweenHermite && l.tree.Nodes[i].Parent != jointtree.None
}

// poseTree puts all bodies into the world, each after its parent.
func (a *InterpolatedWorld) poseTree() {
	l := &a.joints
	if l.tree == nil {
		return
	}
	for i := range a.bodies {
		if l.tree.Nodes[i].Parent == jointtree.None && !a.excluded[i] {
			l.poses[i] = a.bodies[i].pose
		}
	}
	a.PoseChildren()
}

// poseOpenTree puts those into the world that have a parent there.
func (a *InterpolatedWorld) poseOpenTree() {
	l := &a.joints
	for _, i := range l.tree.Order {
		if !a.excluded[i] {
			l.poses[i] = a.childPose(l.poses[l.tree.Nodes[i].Parent], int(i))
		}
	}
}

// childPose returns where body i is whose parent is at a pose.
func (a *InterpolatedWorld) childPose(parent geom.Pose, i int) geom.Pose {
	l := &a.joints
	n := &l.tree.Nodes[i]
	if l.usesCenters() {
		return n.WorldPoseOfCenter(parent, a.bodies[i].pose)
	}
	return n.WorldPose(parent, a.bodies[i].pose)
}

// IsExcluded reports whether body i is left out of the picture: who shows it does so otherwise.
func (a *InterpolatedWorld) IsExcluded(i int) bool { return a.excluded[i] }

// SetExcluded says whether body i is not shown so any more. One that is shown again begins
// at a pose.
func (a *InterpolatedWorld) SetExcluded(i int, left bool, from geom.Pose) {
	a.excluded[i] = left
	if !left {
		a.bodies[i].restart(a.toSample(i, from))
	}
}

// InterpolatedPose returns where body i would be drawn if it were shown so, which it need not be.
func (a *InterpolatedWorld) InterpolatedPose(i int) geom.Pose {
	l := &a.joints
	if l.tree == nil || l.tree.Nodes[i].Parent == jointtree.None {
		return a.bodies[i].pose
	}
	return a.childPose(a.InterpolatedPose(l.tree.Nodes[i].Parent), i)
}

// SetExcludedPose says where body i is, which is not shown so, for those that hang on it.
func (a *InterpolatedWorld) SetExcludedPose(i int, p geom.Pose) {
	l := &a.joints
	for len(l.excludedPoses) < len(a.bodies) {
		l.excludedPoses = append(l.excludedPoses, a.bodies[len(l.excludedPoses)].pose)
	}
	if l.excludedPoses[i] = p; l.tree != nil {
		l.poses[i] = p
	}
}

// PoseChildren puts into the world again what hangs on others.
func (a *InterpolatedWorld) PoseChildren() {
	if a.joints.tree == nil {
		return
	}
	a.poseOpenTree()
	a.joints.loops.Solve(a.joints.poses, a.excluded, a.joints.loopIterations)
}

// Inspect tells how many joints are between each body and its root, if they are shown so.
func (a *InterpolatedWorld) Inspect(l *predict.Inspection) {
	if a.joints.tree == nil {
		return
	}
	for i := range a.joints.tree.Nodes {
		n := &a.joints.tree.Nodes[i]
		if n.Root == jointtree.None {
			l.JointDepth = append(l.JointDepth, -1)
		} else {
			l.JointDepth = append(l.JointDepth, int16(n.Depth))
		}
	}
}

// Tree returns the tree by which bodies are shown, or nil if each is by itself.
func (a *InterpolatedWorld) Tree() *jointtree.Tree { return a.joints.tree }

// copyFrom copies all but the scene and the player.
func (l *jointPoses) copyFrom(o *jointPoses) {
	l.encoding, l.between, l.pivot, l.loopIterations, l.builtFor, l.tree, l.loops = o.encoding, o.between, o.pivot, o.loopIterations, o.builtFor, o.tree, o.loops
	l.poses, l.locals = append(l.poses[:0], o.poses...), append(l.locals[:0], o.locals...)
	l.excludedPoses = append(l.excludedPoses[:0], o.excludedPoses...)
}
