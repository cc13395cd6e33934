package playback

import (
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/jointtree"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// The kinds of interpolation of a jointed body relative to its parent.
const (
	betweenLinear = iota
	betweenHermite
)

// The points of a jointed body that are interpolated.
const (
	pivotAnchor = iota
	pivotCenter
)

// jointPoses interpolates jointed bodies relative to their parents, as Animated does with Relative
// Position Updates. The history of a body with a parent holds its poses in the parent's frame, and
// its world pose follows from the parent's. So the pose of a whole joint tree may be wrong, but its
// joints hold.
type jointPoses struct {
	encoding       codec.TreeEncoding
	between        int
	pivot          int
	loopIterations int

	scene         *sim.Scene
	player        int
	builtFor      treeSettings    // settings that the following fields were built for
	tree          *jointtree.Tree // nil: every body is interpolated in the world
	loops         jointtree.Loops
	poses         []geom.Pose // by body, world frame
	excludedPoses []geom.Pose // by body: world poses of the excluded ones
	locals        []sim.Body  // newest positions, as the histories hold them
}

// treeSettings are the settings that decide what the histories hold.
type treeSettings struct {
	encoding codec.TreeEncoding
	pivot    int
}

func (l *jointPoses) declare(k *predict.Knobs) {
	l.encoding.Declare(k)
	group := k.In(predict.InterpolationKnobs)
	group.Choice(&l.between, "joint-interpolation", betweenHermite, []string{"linear", "hermite"}, "motion of jointed bodies between positions, relative to their parents: linear, or Hermite by velocities")
	group.Choice(&l.pivot, "joint-pivot", pivotAnchor, []string{"anchor", "center"}, "joint-tree=relative: the point of a body that is interpolated: its joint's anchor or its centre")
	group.Int(&l.loopIterations, "loop-iterations", 32, 0, 64, "loops of joints: iterations that close the gaps left by interpolation, down to 0.5 mm")
	k.Needs("joint-interpolation", "joint-tree", "relative", "relative-position")
	k.Needs("joint-pivot", "joint-tree", "relative")
	k.Needs("loop-iterations", "joint-tree", "relative", "relative-position")
}

// rebuildTree rebuilds the tree if its settings have changed. The histories restart from the drawn
// poses.
func (a *InterpolatedWorld) rebuildTree() {
	l := &a.joints
	next := treeSettings{l.encoding, l.pivot}
	if next == l.builtFor {
		return
	}
	drawn := a.drawnPoses()
	l.builtFor, l.poses = next, drawn
	a.receiver.SetEncoding(l.scene, l.encoding, l.player)
	a.useTree(drawn)
}

// drawnPoses returns the drawn poses of all bodies, in the memory of the world poses.
func (a *InterpolatedWorld) drawnPoses() []geom.Pose {
	l := &a.joints
	drawn := l.poses[:0]
	for i := range a.bodies {
		p := a.Pose(i)
		if a.excluded[i] && i < len(l.excludedPoses) {
			p = l.excludedPoses[i]
		}
		drawn = append(drawn, p)
	}
	return drawn
}

// followTree adopts the tree of the newest snapshot, which has changed with its attachments. The
// histories restart from the drawn poses.
func (a *InterpolatedWorld) followTree() {
	if a.joints.tree != a.receiver.Tree() {
		a.joints.poses = a.drawnPoses()
		a.useTree(a.joints.poses)
	}
}

// useTree makes the histories hold poses relative to the parents in the receiver's tree, starting from
// drawn poses.
func (a *InterpolatedWorld) useTree(drawn []geom.Pose) {
	l := &a.joints
	if l.tree = a.receiver.Tree(); l.tree != nil {
		l.loops = jointtree.NewLoops(l.scene, &a.receiver.Attachments, l.tree)
	}
	for i := range a.bodies {
		a.bodies[i].restart(a.toSample(i, drawn[i]))
	}
}

// toSample converts a world pose of body i to what its history holds.
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

// toSamples converts received positions to what the histories hold.
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

// usesCenters reports whether the centers of bodies are interpolated, not the anchors of their joints.
func (l *jointPoses) usesCenters() bool { return l.pivot == pivotCenter && !l.encoding.WorldRotation() }

// usesCurve reports whether body i is interpolated on a curve.
func (l *jointPoses) usesCurve(i int) bool {
	return l.tree != nil && l.between == betweenHermite && l.tree.Nodes[i].Parent != jointtree.None
}

// poseTree computes the world poses of all bodies, parents first.
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

// poseOpenTree computes the world poses of the bodies with a parent, without closing loops.
func (a *InterpolatedWorld) poseOpenTree() {
	l := &a.joints
	for _, i := range l.tree.Order {
		if !a.excluded[i] {
			l.poses[i] = a.childPose(l.poses[l.tree.Nodes[i].Parent], int(i))
		}
	}
}

// childPose returns the world pose of body i from its parent's.
func (a *InterpolatedWorld) childPose(parent geom.Pose, i int) geom.Pose {
	l := &a.joints
	n := &l.tree.Nodes[i]
	if l.usesCenters() {
		return n.WorldPoseOfCenter(parent, a.bodies[i].pose)
	}
	return n.WorldPose(parent, a.bodies[i].pose)
}

// IsExcluded reports whether body i is excluded: the caller draws it in another way.
func (a *InterpolatedWorld) IsExcluded(i int) bool { return a.excluded[i] }

// SetExcluded excludes body i or includes it again. An included body starts at a pose.
func (a *InterpolatedWorld) SetExcluded(i int, excluded bool, from geom.Pose) {
	a.excluded[i] = excluded
	if !excluded {
		a.bodies[i].restart(a.toSample(i, from))
	}
}

// InterpolatedPose returns the interpolated pose of body i, even if it is excluded.
func (a *InterpolatedWorld) InterpolatedPose(i int) geom.Pose {
	l := &a.joints
	if l.tree == nil || l.tree.Nodes[i].Parent == jointtree.None {
		return a.bodies[i].pose
	}
	return a.childPose(a.InterpolatedPose(l.tree.Nodes[i].Parent), i)
}

// SetExcludedPose sets the world pose of an excluded body, which its children follow.
func (a *InterpolatedWorld) SetExcludedPose(i int, p geom.Pose) {
	l := &a.joints
	for len(l.excludedPoses) < len(a.bodies) {
		l.excludedPoses = append(l.excludedPoses, a.bodies[len(l.excludedPoses)].pose)
	}
	if l.excludedPoses[i] = p; l.tree != nil {
		l.poses[i] = p
	}
}

// PoseChildren computes the world poses of the bodies with a parent, after poses of excluded bodies have
// changed.
func (a *InterpolatedWorld) PoseChildren() {
	if a.joints.tree == nil {
		return
	}
	a.poseOpenTree()
	a.joints.loops.Solve(a.joints.poses, a.excluded, a.joints.loopIterations)
}

// Inspect reports the number of joints between each body and its root, if there is a tree.
func (a *InterpolatedWorld) Inspect(l *predict.Inspection) {
	first, end := a.displayMoment.NearestTick()+1, sim.Tick(0)
	if newest := a.undisplayed.Newest(); newest != nil {
		end = newest.Tick + 1
	}
	l.AddBuffer(predict.JitterBuffer, first, max(first, end), 0, a.undisplayed.Has)
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

// Tree returns the joint tree by which bodies are interpolated, or nil if there is none.
func (a *InterpolatedWorld) Tree() *jointtree.Tree { return a.joints.tree }

// copyFrom copies everything but the scene and the player.
func (l *jointPoses) copyFrom(o *jointPoses) {
	l.encoding, l.between, l.pivot, l.loopIterations, l.builtFor, l.tree, l.loops = o.encoding, o.between, o.pivot, o.loopIterations, o.builtFor, o.tree, o.loops
	l.poses, l.locals = append(l.poses[:0], o.poses...), append(l.locals[:0], o.locals...)
	l.excludedPoses = append(l.excludedPoses[:0], o.excludedPoses...)
}
