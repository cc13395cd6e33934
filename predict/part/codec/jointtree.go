package codec

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/jointtree"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Where linked bodies travel relative to each other, a body that has a parent is, in the
// place of the body,
//
//	one bit, set if it is as its parent sees it at the same tick, and then
//	asleep, 1 bit
//	how far it has its joint from where the parent has it, and its rotation
//	unless it sleeps, the velocities of both
//
// and else the body as it is in the world. The first of these are next to nothing as
// long as the joint holds. Whether it has changed is judged of the same numbers: what
// stands on its parent need not be sent, however fast that moves.

// The grid of what a parent sees. Small numbers take fewer bits than large ones.
const (
	anchorSteps   = 1 << 15 // per metre, of how far a joint is apart
	velocitySteps = 1 << 10 // per m/s and rad/s
)

var (
	anchorLadder   = quant.DeltaBits{Small: 8, Large: 14} // to 3.9 mm, to 25 cm
	velocityLadder = quant.DeltaBits{Small: 8, Large: 15} // to 0.12 m/s or rad/s, to 16
)

// rotationGrid is the grid of rotations.
const rotationGrid = quant.SyncRotation

// What a body may change by, as its parent sees it, and still count as unchanged: of a
// joint that is pulled a tenth of a millimetre is noise.
const (
	positionTolerance = 1. / 8192 // metres, each way
	rotationTolerance = 1. / 8192 // of a component of the rotation
	velocityTolerance = 1. / 64   // m/s, rad/s, each way
)

// TreeEncoding is how linked bodies are told of.
type TreeEncoding struct {
	mode int
	root int
}

// The ways.
const (
	treeOff = iota
	treeRelative
	treeRelativePosition
)

var treeEncodingNames = []string{"off", "relative", "relative-position"}

// Declare tells what may be tuned. Both halves declare it.
func (l *TreeEncoding) Declare(k *predict.Knobs) {
	k.Choice(&l.mode, "joint-tree", 0, treeEncodingNames, "bodies that joints tie together: each by itself, or as its neighbour nearer the root of its tree sees it, on the way and in the picture; hung: so with where it is, but it turns by itself; the root is by itself")
	k.Choice(&l.root, "joint-root", int(jointtree.HeaviestRoot), jointtree.RootNames, "links: the root of a tree is its heaviest body, or the player's own cube where that is in it")
}

// WorldRotation reports whether bodies turn by themselves.
func (l *TreeEncoding) WorldRotation() bool { return l.mode == treeRelativePosition }

// Tree returns the tree by which a player's client is told of a scene, or nil if each
// body is told of by itself. player is -1 for one that only watches.
func (l *TreeEncoding) Tree(scene *sim.Scene, player int) *jointtree.Tree {
	if l.mode == treeOff {
		return nil
	}
	t := jointtree.New(scene, jointtree.RootChoice(l.root), player)
	if l.mode == treeRelativePosition {
		t.UseWorldRotation()
	}
	return t
}

// toSteps is a number in whole steps.
func toSteps(x float32, per int) int {
	n := float64(float64(x) * float64(per))
	if !(n > -1<<20 && n < 1<<20) {
		return 1 << 20 // farther than any ladder reaches
	}
	if n < 0 {
		return -int(0.5 - n)
	}
	return int(n + 0.5)
}

// inRange reports whether a ladder reaches all of a vector.
func inRange(v geom.Vec3, per int, l quant.DeltaBits) bool {
	return l.Fits(toSteps(v.X, per)) && l.Fits(toSteps(v.Y, per)) && l.Fits(toSteps(v.Z, per))
}

// roundToSteps returns the vector on a grid that is nearest.
func roundToSteps(v geom.Vec3, per int) geom.Vec3 {
	of := func(x float32) float32 { return float32(toSteps(x, per)) / float32(per) }
	return geom.Vec3{X: of(v.X), Y: of(v.Y), Z: of(v.Z)}
}

// fitsLocal reports whether what a parent sees can travel so.
func fitsLocal(b *sim.Body) bool {
	return inRange(b.Pose.Pos, anchorSteps, anchorLadder) && (b.Asleep || inRange(b.Linear, velocitySteps, velocityLadder) && inRange(b.Angular, velocitySteps, velocityLadder))
}

// snapLocal returns what arrives of it.
func snapLocal(b *sim.Body) sim.Body {
	q := b.Pose.Rot
	r := rotationGrid.Quantise([4]float32{q.X, q.Y, q.Z, q.W})
	return sim.Body{
		Pose:   geom.Pose{Pos: roundToSteps(b.Pose.Pos, anchorSteps), Rot: geom.Quat{X: r[0], Y: r[1], Z: r[2], W: r[3]}},
		Linear: roundToSteps(b.Linear, velocitySteps), Angular: roundToSteps(b.Angular, velocitySteps), Asleep: b.Asleep,
	}
}

// unchanged reports whether a body has not changed, as its parent sees it.
func unchanged(a, b *sim.Body) bool {
	within := func(a, b geom.Vec3, by float32) bool {
		d := a.Sub(b)
		return geom.Abs(d.X) <= by && geom.Abs(d.Y) <= by && geom.Abs(d.Z) <= by
	}
	turned := a.Pose.Rot.Mul(b.Pose.Rot.Inverse())
	return a.Asleep == b.Asleep && within(a.Pose.Pos, b.Pose.Pos, positionTolerance) &&
		within(geom.Vec3{X: turned.X, Y: turned.Y, Z: turned.Z}, geom.Vec3{}, rotationTolerance) &&
		within(a.Linear, b.Linear, velocityTolerance) && within(a.Angular, b.Angular, velocityTolerance)
}

// CodeLocalBody reads, writes or measures what a parent sees of a body. What is written is
// near.
func CodeLocalBody(c *quant.Coder, b *sim.Body) {
	c.Label("asleep")
	b.Asleep = c.Bool(b.Asleep)
	c.Label("apart")
	codeLadder(c, &b.Pose.Pos, anchorSteps, anchorLadder)
	c.Label("rotation")
	q := &b.Pose.Rot
	r := c.Rotation([4]float32{q.X, q.Y, q.Z, q.W}, rotationGrid)
	*q = geom.Quat{X: r[0], Y: r[1], Z: r[2], W: r[3]}
	if b.Asleep {
		b.Linear, b.Angular = geom.Vec3{}, geom.Vec3{}
		return
	}
	c.Label("linear")
	codeLadder(c, &b.Linear, velocitySteps, velocityLadder)
	c.Label("angular")
	codeLadder(c, &b.Angular, velocitySteps, velocityLadder)
}

func codeLadder(c *quant.Coder, v *geom.Vec3, per int, l quant.DeltaBits) {
	for _, x := range [...]*float32{&v.X, &v.Y, &v.Z} {
		*x = float32(c.Delta(toSteps(*x, per), l)) / float32(per)
	}
}

// updateTree is Note for a tree.
func (c *ChangeTracker) updateTree(w *sim.World) {
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

// codeChild writes body i of a world that has a parent.
func (c *ChangeTracker) codeChild(to *quant.Coder, w *sim.World, i int) {
	local := c.bodies[i]
	to.Label("relative")
	if to.Bool(fitsLocal(&local)) {
		CodeLocalBody(to, &local)
		return
	}
	b := w.Bodies()[i]
	CodeBody(to, &b, w.Scene())
}

// SetTree has the receiver read snapshots in which the bodies of a tree travel relative to
// each other, or with nil each by itself.
func (r *Receiver) SetTree(t *jointtree.Tree) {
	r.tree, r.locals = t, r.locals[:0]
	if t == nil || !r.HasSnapshot {
		return
	}
	for i := range r.Bodies {
		r.locals = append(r.locals, r.Bodies[i])
		if n := &t.Nodes[i]; n.Parent != jointtree.None {
			r.locals[i] = n.ToLocal(&r.Bodies[n.Parent], &r.Bodies[i])
		}
	}
}

// LocalBodies returns the bodies as their parents see them, where they have one, and else as
// they are: of the newest snapshot, or of an older one that Old has told of.
func (r *Receiver) LocalBodies(fresh bool) []sim.Body {
	if fresh {
		return r.locals
	}
	return r.nextLocals
}

// decodeChild reads body i, which has a parent, and reports whether what it has read is what
// that sees.
func (r *Receiver) decodeChild(c *quant.Coder, b *sim.Body, scene *sim.Scene) (relative bool) {
	c.Label("relative")
	if relative = c.Bool(false); relative {
		CodeLocalBody(c, b)
	} else {
		CodeBody(c, b, scene)
	}
	return relative
}

// boundsTolerance is how far in metres a body may be beyond the bounds of its scene because its
// parent and it have been rounded.
const boundsTolerance = 0.05

// resolveTree finds for all bodies of a tree where they are and what their parents see of
// them. old says that it is of an older snapshot than the newest: then what did not come
// is not known, and neither is where the bodies are that hang on it.
func (r *Receiver) resolveTree(scene *sim.Scene, old bool) error {
	r.nextLocals, r.poseKnown = append(r.nextLocals[:0], r.nextBodies...), append(r.poseKnown[:0], r.included...)
	for _, i := range r.tree.Order {
		n := &r.tree.Nodes[i]
		parent, b := &r.nextBodies[n.Parent], &r.nextBodies[i]
		known := !old || r.poseKnown[n.Parent]
		switch {
		case !r.included[i]:
			r.nextLocals[i] = r.locals[i]
			*b = n.ToWorld(parent, &r.locals[i])
		case r.isRelative[i]:
			*b = n.ToWorld(parent, &r.nextLocals[i])
			r.poseKnown[i] = known
		case known:
			r.nextLocals[i] = n.ToLocal(parent, b)
		default: // what its parent saw is not known
			r.included[i], r.poseKnown[i] = false, false
		}
		if old && !r.poseKnown[i] {
			continue
		}
		p := &b.Pose.Pos
		inside := geom.Vec3{X: geom.Clamp(p.X, -scene.HalfWidth, scene.HalfWidth), Y: geom.Clamp(p.Y, -scene.HalfWidth, scene.HalfWidth), Z: geom.Clamp(p.Z, 0, scene.Height)}
		if inside != *p && inside.Sub(*p).LenSq() <= boundsTolerance*boundsTolerance {
			*p = inside
		}
		if !ValidBody(b, scene) {
			return errInvalidBody
		}
	}
	return nil
}
