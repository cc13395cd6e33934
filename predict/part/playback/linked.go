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
	line = iota
	curve
)

// What of a linked body goes from one position to the next.
const (
	joint = iota
	middle
)

// linked is what Animated knows of bodies that hang together: the history of one that has
// a parent is what that sees of it, and it is put into the world when the parent has been
// (Relative Position Updates). So where all of them are may be wrong, and how they hang
// together is not.
type linked struct {
	how     codec.Linking
	between int
	pivot   int
	rounds  int

	scene  *sim.Scene
	player int
	made   setting         // what the following was made for
	tree   *jointtree.Tree // nil: each body by itself
	loops  jointtree.Loops
	poses  []geom.Pose // by body, in the world
	placed []geom.Pose // by body, of those that are not shown so: where they are
	locals []sim.Body  // of the newest positions, as histories have them
}

// setting is what decides of what the histories are.
type setting struct {
	how   codec.Linking
	pivot int
}

func (l *linked) declare(k *predict.Knobs) {
	l.how.Declare(k)
	k.Choice(&l.between, "between", curve, []string{"line", "curve"}, "links: against its parent a body goes from one position to the next straight and turns evenly, or on a curve that leaves and arrives with its velocities")
	k.Choice(&l.pivot, "pivot", joint, []string{"joint", "middle"}, "links=relative: what of a body goes so, against its parent: the end that its joint holds, which stays at the joint, or its middle, which does not")
	k.Int(&l.rounds, "close-loops", 32, 0, 64, "links: times that all joints of a tree are drawn together, until none is more than half a millimetre apart: what goes from one position to the next by itself on two ways need not meet there")
}

// relink lets the histories begin anew, from what is drawn, if they are to be of
// something else.
func (a *Animated) relink() {
	l := &a.linked
	next := setting{l.how, l.pivot}
	if next == l.made {
		return
	}
	was := l.poses[:0]
	for i := range a.bodies {
		p := a.Pose(i)
		if a.left[i] && i < len(l.placed) {
			p = l.placed[i]
		}
		was = append(was, p)
	}
	l.made, l.poses = next, was
	l.tree = l.how.Tree(l.scene, l.player)
	if a.in.Over(l.tree); l.tree != nil {
		l.loops = jointtree.NewLoops(l.scene, l.tree)
	}
	for i := range a.bodies {
		a.bodies[i] = History{drawn: a.sees(i, was[i]), at: a.bodies[i].at}
	}
}

// sees is what the history of body i has of a pose in the world.
func (a *Animated) sees(i int, p geom.Pose) geom.Pose {
	l := &a.linked
	if l.tree == nil || l.tree.Nodes[i].Parent == jointtree.None {
		return p
	}
	n := &l.tree.Nodes[i]
	b := sim.Body{Pose: n.Seen(l.poses[n.Parent], p), Asleep: true}
	if l.middles() {
		b = n.Middle(b)
	}
	return b.Pose
}

// seen is what the histories have of positions that have come.
func (a *Animated) seen(locals []sim.Body) []sim.Body {
	l := &a.linked
	if !l.middles() {
		return locals
	}
	l.locals = append(l.locals[:0], locals...)
	for _, i := range l.tree.Order {
		l.locals[i] = l.tree.Nodes[i].Middle(l.locals[i])
	}
	return l.locals
}

// middles reports whether middles go from one position to the next, and not joints.
func (l *linked) middles() bool { return l.pivot == middle && !l.how.Hung() }

// curves reports whether body i goes on curves.
func (l *linked) curves(i int) bool {
	return l.tree != nil && l.between == curve && l.tree.Nodes[i].Parent != jointtree.None
}

// compose puts all bodies into the world, each after its parent.
func (a *Animated) compose() {
	l := &a.linked
	if l.tree == nil {
		return
	}
	for i := range a.bodies {
		if l.tree.Nodes[i].Parent == jointtree.None && !a.left[i] {
			l.poses[i] = a.bodies[i].drawn
		}
	}
	a.Hang()
}

// hang puts those into the world that have a parent there.
func (a *Animated) hang() {
	l := &a.linked
	for _, i := range l.tree.Order {
		if !a.left[i] {
			l.poses[i] = a.seenFrom(l.poses[l.tree.Nodes[i].Parent], int(i))
		}
	}
}

// seenFrom returns where body i is whose parent is at a pose.
func (a *Animated) seenFrom(parent geom.Pose, i int) geom.Pose {
	l := &a.linked
	n := &l.tree.Nodes[i]
	if l.middles() {
		return n.MiddlePose(parent, a.bodies[i].drawn)
	}
	return n.Pose(parent, a.bodies[i].drawn)
}

// Left reports whether body i is left out of the picture: who shows it does so otherwise.
func (a *Animated) Left(i int) bool { return a.left[i] }

// LeaveOut says whether body i is not shown so any more. One that is shown again begins
// at a pose.
func (a *Animated) LeaveOut(i int, left bool, from geom.Pose) {
	a.left[i] = left
	if h := &a.bodies[i]; !left {
		*h = History{list: h.list[:0], drawn: a.sees(i, from), at: h.at}
	}
}

// Late returns where body i would be drawn if it were shown so, which it need not be.
func (a *Animated) Late(i int) geom.Pose {
	l := &a.linked
	if l.tree == nil || l.tree.Nodes[i].Parent == jointtree.None {
		return a.bodies[i].drawn
	}
	return a.seenFrom(a.Late(l.tree.Nodes[i].Parent), i)
}

// Put says where body i is, which is not shown so, for those that hang on it.
func (a *Animated) Put(i int, p geom.Pose) {
	l := &a.linked
	for len(l.placed) < len(a.bodies) {
		l.placed = append(l.placed, a.bodies[len(l.placed)].drawn)
	}
	if l.placed[i] = p; l.tree != nil {
		l.poses[i] = p
	}
}

// Hang puts into the world again what hangs on others.
func (a *Animated) Hang() {
	if a.linked.tree == nil {
		return
	}
	a.hang()
	a.linked.loops.Close(a.linked.poses, a.left, a.linked.rounds)
}

// Inspect tells how many joints are between each body and its root, if they are shown so.
func (a *Animated) Inspect(l *predict.Inspection) {
	if a.linked.tree == nil {
		return
	}
	for i := range a.linked.tree.Nodes {
		n := &a.linked.tree.Nodes[i]
		if n.Root == jointtree.None {
			l.JointDepth = append(l.JointDepth, -1)
		} else {
			l.JointDepth = append(l.JointDepth, int16(n.Depth))
		}
	}
}

// Tree returns the tree by which bodies are shown, or nil if each is by itself.
func (a *Animated) Tree() *jointtree.Tree { return a.linked.tree }

// copyFrom copies all but the scene and the player.
func (l *linked) copyFrom(o *linked) {
	l.how, l.between, l.pivot, l.rounds, l.made, l.tree, l.loops = o.how, o.between, o.pivot, o.rounds, o.made, o.tree, o.loops
	l.poses, l.locals = append(l.poses[:0], o.poses...), append(l.locals[:0], o.locals...)
	l.placed = append(l.placed[:0], o.placed...)
}
