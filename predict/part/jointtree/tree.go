// Package jointtree arranges jointed bodies in trees, and converts a body's state between the
// world's frame and that of its parent in the tree. States that are sent and interpolated relative
// to the parent keep the joint closed, however late they are (Space Engineers, a talk at GDC:
// Relative Position Updates).
//
// A tree follows from the scene and its attachments, which couplings are open and who drives what, so
// both sides build the same one and never send it. The package knows no world, no packet and no time.
package jointtree

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// None is the index of no body and of no joint.
const None = -1

// RootChoice selects the root of a tree.
type RootChoice int

// The choices.
const (
	HeaviestRoot RootChoice = iota // the heaviest body; the first of several
	OperatedRoot                   // the body that the player drives if it is in the tree, otherwise the heaviest body
)

// RootNames are the names of the choices.
var RootNames = []string{"heaviest", "operated"}

// Tree holds the joint trees of a scene, one for each group of jointed bodies. Joints to the world
// are in no tree, and neither are the joints that close a loop.
type Tree struct {
	Nodes []Node  // by body
	Order []int32 // the bodies with a parent; a parent comes before its children
}

// Node is the position of one body in its tree.
type Node struct {
	Parent int // None at the root
	Root   int // root of the tree; None for a body without joints to others
	Joint  int // joint between the body and its parent, or None
	Depth  int // joints between the body and the root

	// The joint's anchors on the parent and on the body, metres, each in its body's frame.
	parentAnchor, anchor geom.Vec3

	worldRotation bool // rotations of local states are in the world's frame
}

// New returns the trees of a scene with some attachments: open couplings do not connect their bodies.
// operated is the body that the player drives, or None; only OperatedRoot uses it.
func New(scene *sim.Scene, a *sim.Attachments, root RootChoice, operated int) *Tree {
	t := &Tree{Nodes: make([]Node, len(scene.Boxes))}
	edges := adjacency(scene, a)
	for i := range t.Nodes {
		t.Nodes[i] = Node{Parent: None, Root: None, Joint: None}
	}
	seen := make([]bool, len(t.Nodes))
	for i := range t.Nodes {
		if seen[i] || len(edges[i]) == 0 {
			continue
		}
		bodies := []int{i}
		seen[i] = true
		for k := 0; k < len(bodies); k++ {
			for _, e := range edges[bodies[k]] {
				if !seen[e.body] {
					seen[e.body] = true
					bodies = append(bodies, e.body)
				}
			}
		}
		t.build(scene, edges, chooseRoot(scene, bodies, root, operated))
	}
	return t
}

// UseWorldRotation makes the rotations of all local states world rotations: only positions stay
// relative to the parent.
func (t *Tree) UseWorldRotation() {
	for i := range t.Nodes {
		t.Nodes[i].worldRotation = true
	}
}

// edge is a joint of one body, and the body at its other end.
type edge struct{ joint, body int }

// adjacency returns the edges of each body, in scene order.
func adjacency(scene *sim.Scene, a *sim.Attachments) [][]edge {
	edges := make([][]edge, len(scene.Boxes))
	for k := range scene.Joints {
		if j := &scene.Joints[k]; j.A != sim.WorldBody && !scene.JointOpen(a, k) {
			edges[j.A] = append(edges[j.A], edge{k, j.B})
			edges[j.B] = append(edges[j.B], edge{k, j.A})
		}
	}
	return edges
}

// chooseRoot returns the root of the tree of bodies.
func chooseRoot(scene *sim.Scene, bodies []int, root RootChoice, operated int) int {
	heaviest, maxMass := None, float32(-1)
	for _, i := range bodies {
		if root == OperatedRoot && i == operated {
			return i
		}
		if m := mass(&scene.Boxes[i]); m > maxMass || m == maxMass && i < heaviest {
			heaviest, maxMass = i, m
		}
	}
	return heaviest
}

// mass returns the mass of a body, in kg.
func mass(b *sim.Box) float32 {
	boxMass := func(half geom.Vec3, density float32) float32 {
		return float32(float32(8*float32(half.X*half.Y)) * float32(half.Z*density))
	}
	m := boxMass(b.Half, b.Density)
	for i := range b.SubShapes {
		m += boxMass(b.SubShapes[i].Half, b.SubShapes[i].Density)
	}
	return m
}

// build adds the tree of a root, breadth first, in scene order of the joints.
func (t *Tree) build(scene *sim.Scene, edges [][]edge, root int) {
	t.Nodes[root].Root = root
	queue := []int{root}
	for k := 0; k < len(queue); k++ {
		p := queue[k]
		for _, e := range edges[p] {
			if t.Nodes[e.body].Root != None {
				continue
			}
			anchor := scene.Joints[e.joint].Anchor
			t.Nodes[e.body] = Node{
				Parent: p, Root: root, Joint: e.joint, Depth: t.Nodes[p].Depth + 1,
				parentAnchor: localPoint(&scene.Boxes[p].Start.Pose, anchor), anchor: localPoint(&scene.Boxes[e.body].Start.Pose, anchor),
			}
			t.Order = append(t.Order, int32(e.body))
			queue = append(queue, e.body)
		}
	}
}

// localPoint converts a point of the world to the frame of a body with pose p.
func localPoint(p *geom.Pose, at geom.Vec3) geom.Vec3 {
	return p.Rot.Unit().Inverse().Rotate(at.Sub(p.Pos))
}

// NewRootedAt returns only the tree of one body, with that body as its root.
func NewRootedAt(scene *sim.Scene, a *sim.Attachments, body int) *Tree {
	t := &Tree{Nodes: make([]Node, len(scene.Boxes))}
	for i := range t.Nodes {
		t.Nodes[i] = Node{Parent: None, Root: None, Joint: None}
	}
	t.build(scene, adjacency(scene, a), body)
	return t
}

// JointCount returns the number of joints in the tree of a body, including those that close loops.
func JointCount(scene *sim.Scene, a *sim.Attachments, body int) (n int) {
	t := New(scene, a, HeaviestRoot, None)
	for k := range scene.Joints {
		if j := &scene.Joints[k]; j.A != sim.WorldBody && !scene.JointOpen(a, k) && t.Nodes[body].Root != None && t.Nodes[j.A].Root == t.Nodes[body].Root {
			n++
		}
	}
	return n
}
