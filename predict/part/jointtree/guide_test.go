package jointtree

import (
	"slices"
	"testing"

	"ghostcube/internal/golden"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/sim/scene"
	"ghostcube/smoothing"
)

// guideTree is a joint tree of the guide to joints. Its methods with comments behind their lines are the guide's
// pseudo-code; the others are what one of its words stands for.
type guideTree struct {
	scene  *sim.Scene
	order  []int
	parent map[int]int
	joint  map[int]int
}

// guideState is what is sent: a root's pose, and for each other body its rotation, and the way between the two anchors.
type guideState map[int]geom.Pose

func (g *guideTree) build(root int) { // build(root):  # both sides, from the same scene
	queue := []int{root} // queue = [root]
	for len(queue) > 0 { // while queue is not empty:
		p := take(&queue)               // p = take its first
		for j, c := range g.joints(p) { // for each joint j of p, to a body c:
			if g.seen(c, root) { // if c has a parent, or is root:
				continue // continue  # j closes a loop
			}
			g.parent[c], g.joint[c] = p, j // parent[c] = p; joint[c] = j
			g.order = append(g.order, c)   // append c to order
			queue = append(queue, c)       // append c to queue
		}
	}
}

func (g *guideTree) send(poses []geom.Pose, root int) guideState { // send(pose):
	s := guideState{root: poses[root]} // state[root] = pose[root]
	for _, c := range g.order {        // for each c in order:
		gap := g.anchor(c, poses[c]).Sub(g.anchorAt(g.parent[c], c, poses))       // gap = anchor of joint[c] on c - the same on parent[c]
		s[c] = geom.Pose{Pos: unturn(poses[g.parent[c]], gap), Rot: poses[c].Rot} // state[c] = gap in the parent's frame, and rotation of c
	}
	return s // return state  # gaps are nearly zero
}

func (g *guideTree) draw(a, b guideState, root int, share float32, pose []geom.Pose) { // draw(a, b, share):
	pose[root] = smoothing.LerpPose(a[root], b[root], share) // pose[root] = between a[root] and b[root]
	for _, c := range g.order {                              // for each c in order:  # a parent comes first
		between := smoothing.LerpPose(a[c], b[c], share)                                 // between = gap and rotation between a[c] and b[c]
		at := g.anchorAt(g.parent[c], c, pose).Add(turn(pose[g.parent[c]], between.Pos)) // at = anchor on pose[parent[c]] + gap turned by that pose
		pose[c] = geom.Pose{Pos: at.Sub(turn(between, g.arm(c, c))), Rot: between.Rot}   // pose[c] = rotation, and the position that puts its anchor at it
	}
}

func take(queue *[]int) int {
	first := (*queue)[0]
	*queue = (*queue)[1:]
	return first
}

// joints yields the joints of a body, and the bodies at their other ends.
func (g *guideTree) joints(p int) func(yield func(j, c int) bool) {
	return func(yield func(j, c int) bool) {
		for j := range g.scene.Joints {
			switch k := &g.scene.Joints[j]; {
			case k.A == sim.WorldBody:
			case k.A == p && !yield(j, k.B), k.B == p && !yield(j, k.A):
				return
			}
		}
	}
}

func (g *guideTree) seen(c, root int) bool {
	_, ok := g.parent[c]
	return ok || c == root
}

// arm returns the place of the anchor of the joint between body c and its parent in the frame of a body.
func (g *guideTree) arm(c, body int) geom.Vec3 {
	start := g.scene.Boxes[body].Start.Pose
	return unturn(start, g.scene.Joints[g.joint[c]].Anchor.Sub(start.Pos))
}

func (g *guideTree) anchor(c int, p geom.Pose) geom.Vec3 { return p.Pos.Add(turn(p, g.arm(c, c))) }

func (g *guideTree) anchorAt(parent, c int, poses []geom.Pose) geom.Vec3 {
	return poses[parent].Pos.Add(turn(poses[parent], g.arm(c, parent)))
}

func turn(p geom.Pose, v geom.Vec3) geom.Vec3 { return p.Rot.Rotate(v) }

func unturn(p geom.Pose, v geom.Vec3) geom.Vec3 { return p.Rot.Inverse().Rotate(v) }

// TestGuide runs the guide's pseudo-code beside a Tree with rotations in the world's frame, on a walker, which has loops, and on a
// chain that is torn about. Both have to have the same bodies in the same order, the same states to send, and the same poses
// half-way between two of them, to a hundredth of a millimetre; and all joints of the tree have to be closed.
func TestGuide(t *testing.T) {
	golden.PseudoCode(t, "joints", "guide_test.go")
	for _, spec := range []string{"walker", "train:rods=12"} {
		sc, err := scene.Named(spec)
		if err != nil {
			t.Fatal(err)
		}
		tree := New(&sc, &sim.Attachments{}, HeaviestRoot, None)
		tree.UseWorldRotation()
		root := tree.Nodes[tree.Order[0]].Root
		g := &guideTree{scene: &sc, parent: map[int]int{}, joint: map[int]int{}}
		g.build(root)
		var order []int
		for _, c := range tree.Order {
			if tree.Nodes[c].Root == root {
				order = append(order, int(c))
			}
		}
		if !slices.Equal(g.order, order) || len(order) < 10 {
			t.Fatalf("%s: the guide's order is %v, the tree's %v", spec, g.order, order)
		}
		w := sim.New(sc, 60)
		var before []geom.Pose
		for i := range 100 {
			w.Step(sim.Input{Buttons: []sim.Buttons{sim.Forward, sim.Left | sim.Lift, sim.Back, sim.Right}[i/25%4]})
			if i%25 != 24 {
				continue
			}
			var poses []geom.Pose
			for _, b := range w.Bodies() {
				poses = append(poses, b.Pose)
			}
			if before != nil {
				compareGuide(t, g, tree, root, before, poses)
			}
			before = poses
		}
	}
}

// compareGuide compares the states that guide and tree send, and what they draw half-way between two of them.
func compareGuide(t *testing.T, g *guideTree, tree *Tree, root int, before, poses []geom.Pose) {
	t.Helper()
	a, b := g.send(before, root), g.send(poses, root)
	pose, want := slices.Clone(poses), slices.Clone(poses)
	g.draw(a, b, root, 0.5, pose)
	want[root] = smoothing.LerpPose(before[root], poses[root], 0.5)
	for _, c := range g.order {
		n := &tree.Nodes[c]
		from, to := n.LocalPose(before[n.Parent], before[c]), n.LocalPose(poses[n.Parent], poses[c])
		if d := from.Pos.Sub(a[c].Pos).Len() + to.Pos.Sub(b[c].Pos).Len(); d > 1e-5 || from.Rot != a[c].Rot {
			t.Fatalf("body %d: the guide sends %v, the tree %v", c, a[c], from)
		}
		want[c] = n.WorldPose(want[n.Parent], smoothing.LerpPose(from, to, 0.5))
		if d := want[c].Pos.Sub(pose[c].Pos).Len(); d > 1e-5 {
			t.Fatalf("body %d: the guide draws it at %v, the tree at %v", c, pose[c], want[c])
		}
		sent := (a[c].Pos.Len() + b[c].Pos.Len()) / 2
		if gap := g.anchor(c, pose[c]).Sub(g.anchorAt(n.Parent, c, pose)).Len(); gap > sent+1e-4 {
			t.Fatalf("body %d: its joint is open by %v m, as sent by %v", c, gap, sent)
		}
	}
}
