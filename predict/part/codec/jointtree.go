package codec

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/jointtree"
	"ghostcube/predict/part/validation"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// With a joint tree, a body that has a parent is encoded, in place of the body, as
//
//	one bit, set if the body is relative to its parent at the same tick, and then
//	asleep, 1 bit
//	the offset of its joint anchor from the parent's, and its rotation
//	unless it sleeps, both velocities
//
// and otherwise as the body in the world. Relative values are small as long as the joint holds.
// Changes are judged by the same values: a body that rests on its parent need not be sent, however
// fast the parent moves.

// The grid of relative values, whose small numbers take fewer bits than large ones.
const (
	anchorSteps   = 1 << 15 // per metre of anchor offset
	velocitySteps = 1 << 10 // per m/s and rad/s
)

var (
	anchorLadder   = quant.DeltaBits{Small: 8, Large: 14} // up to 3.9 mm, up to 25 cm
	velocityLadder = quant.DeltaBits{Small: 8, Large: 15} // up to 0.12 m/s or rad/s, up to 16
)

// rotationGrid is the grid of relative rotations.
const rotationGrid = quant.SyncRotation

// Changes of relative values that count as none: a joint under load vibrates by a tenth of a
// millimetre.
const (
	positionTolerance = 1. / 8192 // metres, by coordinate
	rotationTolerance = 1. / 8192 // by component of the quaternion
	velocityTolerance = 1. / 64   // m/s and rad/s, by coordinate
)

// TreeEncoding is how jointed bodies are encoded.
type TreeEncoding struct {
	mode int
	root int
}

// The encodings of jointed bodies.
const (
	treeOff = iota
	treeRelative
	treeRelativePosition
)

var treeEncodingNames = []string{"off", "relative", "relative-position"}

// Declare declares the knobs. Both sides call it.
func (e *TreeEncoding) Declare(k *predict.Knobs) {
	group := k.In(predict.InterpolationKnobs)
	group.Choice(&e.mode, "joint-tree", 0, treeEncodingNames,
		"jointed bodies: absolute, relative to their parent in the joint tree, or only in position")
	group.Choice(&e.root, "joint-root", int(jointtree.HeaviestRoot), jointtree.RootNames,
		"joint-tree: the root is the heaviest body, or the one that the player drives")
	k.Needs("joint-root", "joint-tree", "relative", "relative-position")
	k.ChangesFormat("joint-tree", "joint-root")
}

// WorldRotation reports whether rotations are absolute.
func (e *TreeEncoding) WorldRotation() bool { return e.mode == treeRelativePosition }

// Tree returns the joint tree for the client of a player and some attachments, or nil if bodies are
// absolute. player is -1 for a spectator.
func (e *TreeEncoding) Tree(scene *sim.Scene, a *sim.Attachments, player int) *jointtree.Tree {
	if e.mode == treeOff {
		return nil
	}
	operated := jointtree.None
	if player >= 0 {
		operated = scene.Operated(a, player)
	}
	t := jointtree.New(scene, a, jointtree.RootChoice(e.root), operated)
	if e.mode == treeRelativePosition {
		t.UseWorldRotation()
	}
	return t
}

// toSteps rounds x to steps of 1/per.
func toSteps(x float32, per int) int {
	n := float64(float64(x) * float64(per))
	if !(n > -1<<20 && n < 1<<20) {
		return 1 << 20 // out of range of every encoding
	}
	if n < 0 {
		return -int(0.5 - n)
	}
	return int(n + 0.5)
}

// inRange reports whether an encoding reaches all coordinates of a vector.
func inRange(v geom.Vec3, per int, l quant.DeltaBits) bool {
	return l.Fits(toSteps(v.X, per)) && l.Fits(toSteps(v.Y, per)) && l.Fits(toSteps(v.Z, per))
}

// roundToSteps rounds a vector to steps of 1/per.
func roundToSteps(v geom.Vec3, per int) geom.Vec3 {
	round := func(x float32) float32 { return float32(toSteps(x, per)) / float32(per) }
	return geom.Vec3{X: round(v.X), Y: round(v.Y), Z: round(v.Z)}
}

// fitsLocal reports whether a relative body can be encoded as such.
func fitsLocal(b *sim.Body) bool {
	return inRange(b.Pose.Pos, anchorSteps, anchorLadder) &&
		(b.Asleep || inRange(b.Linear, velocitySteps, velocityLadder) && inRange(b.Angular, velocitySteps, velocityLadder))
}

// snapLocal returns a relative body as it will arrive.
func snapLocal(b *sim.Body) sim.Body {
	q := b.Pose.Rot
	r := rotationGrid.Quantise([4]float32{q.X, q.Y, q.Z, q.W})
	return sim.Body{
		Pose:   geom.Pose{Pos: roundToSteps(b.Pose.Pos, anchorSteps), Rot: geom.Quat{X: r[0], Y: r[1], Z: r[2], W: r[3]}},
		Linear: roundToSteps(b.Linear, velocitySteps), Angular: roundToSteps(b.Angular, velocitySteps), Asleep: b.Asleep,
	}
}

// unchanged reports whether two relative bodies count as equal.
func unchanged(a, b *sim.Body) bool {
	within := func(a, b geom.Vec3, tolerance float32) bool {
		d := a.Sub(b)
		return geom.Abs(d.X) <= tolerance && geom.Abs(d.Y) <= tolerance && geom.Abs(d.Z) <= tolerance
	}
	rotation := a.Pose.Rot.Mul(b.Pose.Rot.Inverse())
	return a.Asleep == b.Asleep && within(a.Pose.Pos, b.Pose.Pos, positionTolerance) &&
		within(geom.Vec3{X: rotation.X, Y: rotation.Y, Z: rotation.Z}, geom.Vec3{}, rotationTolerance) &&
		within(a.Linear, b.Linear, velocityTolerance) && within(a.Angular, b.Angular, velocityTolerance)
}

// CodeLocalBody reads, writes or measures a relative body. A body to be written must satisfy
// fitsLocal.
func CodeLocalBody(c *quant.Coder, b *sim.Body) {
	c.Label("asleep")
	b.Asleep = c.Bool(b.Asleep)
	c.Check("asleep")
	c.Label("anchor_offset")
	codeLadder(c, &b.Pose.Pos, anchorSteps, anchorLadder)
	c.Check("anchor_offset")
	c.Label("rotation")
	q := &b.Pose.Rot
	r := c.Rotation([4]float32{q.X, q.Y, q.Z, q.W}, rotationGrid)
	*q = geom.Quat{X: r[0], Y: r[1], Z: r[2], W: r[3]}
	c.Check("rotation")
	if b.Asleep {
		b.Linear, b.Angular = geom.Vec3{}, geom.Vec3{}
		return
	}
	c.Label("linear")
	codeLadder(c, &b.Linear, velocitySteps, velocityLadder)
	c.Check("linear")
	c.Label("angular")
	codeLadder(c, &b.Angular, velocitySteps, velocityLadder)
	c.Check("angular")
}

func codeLadder(c *quant.Coder, v *geom.Vec3, per int, l quant.DeltaBits) {
	for _, x := range [...]*float32{&v.X, &v.Y, &v.Z} {
		*x = float32(c.Delta(toSteps(*x, per), l)) / float32(per)
	}
}

// updateTree is Update with a joint tree.
func (c *ChangeTracker) updateTree(w *predict.World) {
	now := w.Bodies()
	first := len(c.bodies) != len(now)
	if first {
		c.bodies, c.changedAt = append(c.bodies[:0], now...), make([]sim.Tick, len(now))
	}
	for i := range now {
		n, b := &c.tree.Nodes[i], now[i]
		if n.Parent == jointtree.None {
			if first || b != c.bodies[i] {
				c.bodies[i], c.changedAt[i] = b, w.Tick()
			}
			continue
		}
		b = n.ToLocal(&now[n.Parent], &b)
		if fitsLocal(&b) {
			b = snapLocal(&b)
		}
		if first || !unchanged(&b, &c.bodies[i]) {
			c.bodies[i], c.changedAt[i] = b, w.Tick()
		}
	}
}

// codeChild writes body i, which has a parent.
func (c *ChangeTracker) codeChild(to *quant.Coder, w *predict.World, i int) {
	local := c.bodies[i]
	to.Label("relative")
	if to.Bool(fitsLocal(&local)) {
		CodeLocalBody(to, &local)
		return
	}
	b := w.Bodies()[i]
	CodeBody(to, &b, w.Scene())
}

// SetEncoding makes the receiver decode snapshots with the joint trees of an encoding for the client of a
// player. The tree changes with the attachments, which each snapshot contains.
func (r *Receiver) SetEncoding(scene *sim.Scene, e TreeEncoding, player int) {
	r.encoding, r.player = e, player
	r.SetTree(e.Tree(scene, &r.Attachments, player))
}

// Tree returns the tree of the newest snapshot, or nil without one.
func (r *Receiver) Tree() *jointtree.Tree { return r.tree }

// HasCurrentTree reports whether the payload that was read last has the tree of the newest snapshot.
func (r *Receiver) HasCurrentTree() bool { return r.readTree == r.tree }

// SetTree makes the receiver decode snapshots with a joint tree, or without one if t is nil.
func (r *Receiver) SetTree(t *jointtree.Tree) {
	if r.tree, r.locals = t, r.locals[:0]; r.HasSnapshot {
		r.computeLocals()
	}
}

// computeLocals sets the relative states of all bodies, with a joint tree.
func (r *Receiver) computeLocals() {
	if r.tree == nil {
		return
	}
	r.locals = r.locals[:0]
	for i := range r.Bodies {
		r.locals = append(r.locals, r.Bodies[i])
		if n := &r.tree.Nodes[i]; n.Parent != jointtree.None {
			r.locals[i] = n.ToLocal(&r.Bodies[n.Parent], &r.Bodies[i])
		}
	}
}

// LocalBodies returns the bodies relative to their parents, roots in the world: those of the newest
// snapshot if fresh, otherwise those of the older snapshot that OldSnapshot describes. The slice is
// read-only and valid until the next Read.
func (r *Receiver) LocalBodies(fresh bool) []sim.Body {
	if fresh {
		return r.locals
	}
	return r.nextLocals
}

// decodeChild reads body i, which has a parent, and reports whether it is relative.
func (r *Receiver) decodeChild(c *quant.Coder, b *sim.Body, scene *sim.Scene) (relative bool) {
	c.Label("relative")
	if relative = c.Bool(false); relative {
		CodeLocalBody(c, b)
	} else {
		CodeBody(c, b, scene)
	}
	return relative
}

// boundsTolerance is how far in metres rounding may move a relative body out of its scene.
const boundsTolerance = 0.05

// resolveTree computes the poses of all bodies in the world and relative to their parents. old says
// that the snapshot is older than the newest: then the bodies that it does not include are unknown,
// and so are the world poses of their children.
func (r *Receiver) resolveTree(scene *sim.Scene, old bool) error {
	r.nextLocals, r.poseKnown = append(r.nextLocals[:0], r.nextBodies...), append(r.poseKnown[:0], r.included...)
	for _, i := range r.readTree.Order {
		n := &r.readTree.Nodes[i]
		parent, b := &r.nextBodies[n.Parent], &r.nextBodies[i]
		known := !old || r.poseKnown[n.Parent]
		switch {
		case !r.included[i]:
			local := r.knownLocal(n, int(i))
			r.nextLocals[i] = local
			*b = n.ToWorld(parent, &local)
		case r.isRelative[i]:
			*b = n.ToWorld(parent, &r.nextLocals[i])
			r.poseKnown[i] = known
		case known:
			r.nextLocals[i] = n.ToLocal(parent, b)
		default: // its relative pose is unknown
			r.included[i], r.poseKnown[i] = false, false
		}
		if old && !r.poseKnown[i] {
			continue
		}
		p := &b.Pose.Pos
		inside := geom.Vec3{
			X: geom.Clamp(p.X, -scene.HalfWidth, scene.HalfWidth),
			Y: geom.Clamp(p.Y, -scene.HalfWidth, scene.HalfWidth),
			Z: geom.Clamp(p.Z, 0, scene.Height),
		}
		if inside != *p && inside.Sub(*p).LenSq() <= boundsTolerance*boundsTolerance {
			*p = inside
		}
		if !validation.Body(b, scene) {
			return predict.ErrMalformed
		}
	}
	return nil
}

// knownLocal returns the newest known state of body i relative to its parent, by its node in the tree of
// the payload.
func (r *Receiver) knownLocal(n *jointtree.Node, i int) sim.Body {
	if r.readTree == r.tree && i < len(r.locals) {
		return r.locals[i]
	}
	return n.ToLocal(&r.Bodies[n.Parent], &r.Bodies[i])
}
