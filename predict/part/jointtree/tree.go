// Package jointtree knows what joints tie together. Bodies that are tied form trees, and a
// body of a tree may be told of as its neighbour nearer the root sees it (Space Engineers,
// a talk at GDC: Relative Position Updates). What is told so stays at its joint however
// late the picture is.
//
// A tree follows from the scene alone, so both sides have the same without a word. It
// knows no world, no packet and no moment.
package jointtree

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// None stands for the body or joint that there is not.
const None = -1

// RootChoice is how the root of a tree is chosen.
type RootChoice int

// The choices.
const (
	HeaviestRoot RootChoice = iota // the heaviest body; of several the first
	PlayerRoot                     // the player's own cube if it is in the tree, else the heaviest
)

// RootNames are their names.
var RootNames = []string{"heaviest", "player"}

// Tree says for every body of a scene what it hangs on. Joints that close a loop are
// nobody's, and so are those that tie to the world.
type Tree struct {
	Nodes []Node  // by body
	Order []int32 // the bodies that have a parent, each after its own
}

// Node is the place of one body in its tree.
type Node struct {
	Parent int // the neighbour nearer the root; None at the root
	Root   int // of the tree; None where no joint ties the body to another
	Joint  int // that ties it to its parent, or None
	Depth  int // joints between it and the root

	// Where the parent and the body have the joint, metres, each in its own frame.
	parentAnchor, anchor geom.Vec3

	worldRotation bool // it turns by itself: see Hang
}

// New returns the trees of a scene. operated is the player's own cube, or None; only the
// choice Operated asks for it.
func New(scene *sim.Scene, root RootChoice, player int) *Tree {
	t := &Tree{Nodes: make([]Node, len(scene.Boxes))}
	edges := adjacency(scene)
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
		t.build(scene, edges, chooseRoot(scene, bodies, root, player))
	}
	return t
}

// UseWorldRotation has all bodies of the tree turn by themselves: of its parent each has only where its
// joint is.
func (t *Tree) UseWorldRotation() {
	for i := range t.Nodes {
		t.Nodes[i].worldRotation = true
	}
}

// edge is a joint as one of its bodies sees it.
type edge struct{ joint, body int }

// adjacency returns for each body the joints that tie it to others, in their order.
func adjacency(scene *sim.Scene) [][]edge {
	edges := make([][]edge, len(scene.Boxes))
	for k := range scene.Joints {
		if j := &scene.Joints[k]; j.A != sim.WorldBody {
			edges[j.A] = append(edges[j.A], edge{k, j.B})
			edges[j.B] = append(edges[j.B], edge{k, j.A})
		}
	}
	return edges
}

// chooseRoot returns the root of a tree of some bodies.
func chooseRoot(scene *sim.Scene, bodies []int, root RootChoice, player int) int {
	heaviest, maxMass := None, float32(-1)
	for _, i := range bodies {
		if root == PlayerRoot && i == player {
			return i
		}
		if m := mass(&scene.Boxes[i]); m > maxMass || m == maxMass && i < heaviest {
			heaviest, maxMass = i, m
		}
	}
	return heaviest
}

// mass returns what a body weighs, in kg.
func mass(b *sim.Box) float32 {
	boxMass := func(half geom.Vec3, density float32) float32 {
		return float32(float32(8*float32(half.X*half.Y)) * float32(half.Z*density))
	}
	m := boxMass(b.Half, b.Density)
	for i := range b.Parts {
		m += boxMass(b.Parts[i].Half, b.Parts[i].Density)
	}
	return m
}

// build makes the tree of a root, in the order of the joints, breadth first.
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

// localPoint is a place of the world as a body at p has it.
func localPoint(p *geom.Pose, at geom.Vec3) geom.Vec3 {
	return p.Rot.Unit().Inverse().Rotate(at.Sub(p.Pos))
}

// NewRootedAt returns the tree that a body is the root of, alone.
func NewRootedAt(scene *sim.Scene, body int) *Tree {
	t := &Tree{Nodes: make([]Node, len(scene.Boxes))}
	for i := range t.Nodes {
		t.Nodes[i] = Node{Parent: None, Root: None, Joint: None}
	}
	t.build(scene, adjacency(scene), body)
	return t
}

// JointCount returns how many joints the tree of a body has, those that close loops
// included.
func JointCount(scene *sim.Scene, body int) (n int) {
	t := New(scene, HeaviestRoot, None)
	for k := range scene.Joints {
		if j := &scene.Joints[k]; j.A != sim.WorldBody && t.Nodes[body].Root != None && t.Nodes[j.A].Root == t.Nodes[body].Root {
			n++
		}
	}
	return n
}
