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

func (j *jointPoses) declare(k *predict.Knobs) {
	j.encoding.Declare(k)
	group := k.In(predict.InterpolationKnobs)
	group.Choice(&j.between, "joint-interpolation", betweenHermite, []string{"linear", "hermite"},
		"jointed bodies between positions, relative to their parents: linear, or Hermite by velocities")
	group.Choice(&j.pivot, "joint-pivot", pivotAnchor, []string{"anchor", "center"},
		"joint-tree=relative: point of a body that is interpolated")
	group.Int(&j.loopIterations, "loop-iterations", 32, 0, 64, "loops of joints: iterations that close gaps, down to 0.5 mm")
	k.Needs("joint-interpolation", "joint-tree", "relative", "relative-position")
	k.Needs("joint-pivot", "joint-tree", "relative")
	k.Needs("loop-iterations", "joint-tree", "relative", "relative-position")
}

// rebuildTree rebuilds the tree if its settings have changed. The histories restart from the drawn
// poses.
func (w *InterpolatedWorld) rebuildTree() {
	l := &w.joints
	next := treeSettings{l.encoding, l.pivot}
	if next == l.builtFor {
		return
	}
	drawn, sameFormat := w.drawnPoses(), next.encoding == l.builtFor.encoding
	l.builtFor, l.poses = next, drawn
	if !sameFormat { // SetEncoding recomputes the relative states, and the digest of bodies left out of a snapshot would not match
		w.receiver.SetEncoding(l.scene, l.encoding, l.player)
	}
	w.useTree(drawn)
}

// drawnPoses returns the drawn poses of all bodies, in the memory of the world poses.
func (w *InterpolatedWorld) drawnPoses() []geom.Pose {
	l := &w.joints
	drawn := l.poses[:0]
	for i := range w.bodies {
		p := w.Pose(i)
		if w.excluded[i] && i < len(l.excludedPoses) {
			p = l.excludedPoses[i]
		}
		drawn = append(drawn, p)
	}
	return drawn
}

// followTree adopts the tree of the newest snapshot, which has changed with its attachments. The
// histories restart from the drawn poses.
func (w *InterpolatedWorld) followTree() {
	if w.joints.tree != w.receiver.Tree() {
		w.joints.poses = w.drawnPoses()
		w.useTree(w.joints.poses)
	}
}

// useTree makes the histories hold poses relative to the parents in the receiver's tree, starting from
// drawn poses.
func (w *InterpolatedWorld) useTree(drawn []geom.Pose) {
	l := &w.joints
	if l.tree = w.receiver.Tree(); l.tree != nil {
		l.loops = jointtree.NewLoops(l.scene, &w.receiver.Attachments, l.tree)
	}
	for i := range w.bodies {
		w.bodies[i].restart(w.toSample(i, drawn[i]))
	}
}

// toSample converts a world pose of body i to what its history holds.
func (w *InterpolatedWorld) toSample(i int, p geom.Pose) geom.Pose {
	l := &w.joints
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
func (w *InterpolatedWorld) toSamples(locals []sim.Body) []sim.Body {
	l := &w.joints
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
func (j *jointPoses) usesCenters() bool { return j.pivot == pivotCenter && !j.encoding.WorldRotation() }

// usesCurve reports whether body i is interpolated on a curve.
func (j *jointPoses) usesCurve(i int) bool {
	return j.tree != nil && j.between == betweenHermite && j.tree.Nodes[i].Parent != jointtree.None
}

// poseTree computes the world poses of all bodies, parents first.
func (w *InterpolatedWorld) poseTree() {
	l := &w.joints
	if l.tree == nil {
		return
	}
	for i := range w.bodies {
		if l.tree.Nodes[i].Parent == jointtree.None && !w.excluded[i] {
			l.poses[i] = w.bodies[i].pose
		}
	}
	w.PoseChildren()
}

// poseOpenTree computes the world poses of the bodies with a parent, without closing loops.
func (w *InterpolatedWorld) poseOpenTree() {
	l := &w.joints
	for _, i := range l.tree.Order {
		if !w.excluded[i] {
			l.poses[i] = w.childPose(l.poses[l.tree.Nodes[i].Parent], int(i))
		}
	}
}

// childPose returns the world pose of body i from its parent's.
func (w *InterpolatedWorld) childPose(parent geom.Pose, i int) geom.Pose {
	l := &w.joints
	n := &l.tree.Nodes[i]
	if l.usesCenters() {
		return n.WorldPoseOfCenter(parent, w.bodies[i].pose)
	}
	return n.WorldPose(parent, w.bodies[i].pose)
}

// IsExcluded reports whether body i is excluded: the caller draws it in another way.
func (w *InterpolatedWorld) IsExcluded(i int) bool { return w.excluded[i] }

// SetExcluded excludes body i or includes it again.
func (w *InterpolatedWorld) SetExcluded(i int, excluded bool) { w.excluded[i] = excluded }

// InterpolatedPose returns the interpolated pose of body i, even if it is excluded.
func (w *InterpolatedWorld) InterpolatedPose(i int) geom.Pose {
	l := &w.joints
	if l.tree == nil || l.tree.Nodes[i].Parent == jointtree.None {
		return w.bodies[i].pose
	}
	return w.childPose(w.InterpolatedPose(l.tree.Nodes[i].Parent), i)
}

// SetExcludedPose sets the world pose of an excluded body, which its children follow.
func (w *InterpolatedWorld) SetExcludedPose(i int, p geom.Pose) {
	l := &w.joints
	for len(l.excludedPoses) < len(w.bodies) {
		l.excludedPoses = append(l.excludedPoses, w.bodies[len(l.excludedPoses)].pose)
	}
	if l.excludedPoses[i] = p; l.tree != nil {
		l.poses[i] = p
	}
}

// PoseChildren computes the world poses of the bodies with a parent, after poses of excluded bodies have
// changed.
func (w *InterpolatedWorld) PoseChildren() {
	if w.joints.tree == nil {
		return
	}
	w.poseOpenTree()
	w.joints.loops.Solve(w.joints.poses, w.excluded, w.joints.loopIterations)
}

// Inspect reports the number of joints between each body and its root, if there is a tree.
func (w *InterpolatedWorld) Inspect(l *predict.Inspection) {
	first, end := w.displayMoment.NearestTick()+1, sim.Tick(0)
	if newest := w.undisplayed.Newest(); newest != nil {
		end = newest.Tick + 1
	}
	l.AddBuffer(predict.JitterBuffer, first, max(first, end), 0, w.undisplayed.Has)
	if w.joints.tree == nil {
		return
	}
	for i := range w.joints.tree.Nodes {
		n := &w.joints.tree.Nodes[i]
		if n.Root == jointtree.None {
			l.JointDepth = append(l.JointDepth, -1)
		} else {
			l.JointDepth = append(l.JointDepth, int16(n.Depth))
		}
	}
}

// Tree returns the joint tree by which bodies are interpolated, or nil if there is none.
func (w *InterpolatedWorld) Tree() *jointtree.Tree { return w.joints.tree }

// copyFrom copies everything but the scene and the player.
func (j *jointPoses) copyFrom(o *jointPoses) {
	j.encoding, j.between, j.pivot, j.loopIterations, j.builtFor, j.tree, j.loops = o.encoding, o.between, o.pivot, o.loopIterations, o.builtFor, o.tree, o.loops
	j.poses, j.locals = append(j.poses[:0], o.poses...), append(j.locals[:0], o.locals...)
	j.excludedPoses = append(j.excludedPoses[:0], o.excludedPoses...)
}
