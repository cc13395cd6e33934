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
	awaySteps = 1 << 15 // per metre, of how far a joint is apart
	paceSteps = 1 << 10 // per m/s and rad/s
)

var (
	away = quant.Ladder{Small: 8, Large: 14} // to 3.9 mm, to 25 cm
	pace = quant.Ladder{Small: 8, Large: 15} // to 0.12 m/s or rad/s, to 16
)

// turns is the grid of rotations.
const turns = quant.SyncRotation

// What a body may change by, as its parent sees it, and still count as unchanged: of a
// joint that is pulled a tenth of a millimetre is noise.
const (
	stillWay  = 1. / 8192 // metres, each way
	stillTurn = 1. / 8192 // of a component of the rotation
	stillPace = 1. / 64   // m/s, rad/s, each way
)

// Linking is how linked bodies are told of.
type Linking struct {
	mode int
	root int
}

// The ways.
const (
	off = iota
	relative
	hung
)

var linkings = []string{"off", "relative", "hung"}

// Declare tells what may be tuned. Both halves declare it.
func (l *Linking) Declare(k *predict.Knobs) {
	k.Choice(&l.mode, "links", 0, linkings, "bodies that joints tie together: each by itself, or as its neighbour nearer the root of its tree sees it, on the way and in the picture; hung: so with where it is, but it turns by itself; the root is by itself")
	k.Choice(&l.root, "root", int(jointtree.Largest), jointtree.Roots, "links: the root of a tree is its heaviest body, or the player's own cube where that is in it")
}

// Hung reports whether bodies turn by themselves.
func (l *Linking) Hung() bool { return l.mode == hung }

// Tree returns the tree by which a player's client is told of a scene, or nil if each
// body is told of by itself. player is -1 for one that only watches.
func (l *Linking) Tree(scene *sim.Scene, player int) *jointtree.Tree {
	if l.mode == off {
		return nil
	}
	t := jointtree.New(scene, jointtree.Root(l.root), player)
	if l.mode == hung {
		t.Hang()
	}
	return t
}

// steps is a number in whole steps.
func steps(x float32, per int) int {
	n := float64(float64(x) * float64(per))
	if !(n > -1<<20 && n < 1<<20) {
		return 1 << 20 // farther than any ladder reaches
	}
	if n < 0 {
		return -int(0.5 - n)
	}
	return int(n + 0.5)
}

// reached reports whether a ladder reaches all of a vector.
func reached(v geom.Vec3, per int, l quant.Ladder) bool {
	return l.Reaches(steps(v.X, per)) && l.Reaches(steps(v.Y, per)) && l.Reaches(steps(v.Z, per))
}

// onGrid returns the vector on a grid that is nearest.
func onGrid(v geom.Vec3, per int) geom.Vec3 {
	of := func(x float32) float32 { return float32(steps(x, per)) / float32(per) }
	return geom.Vec3{X: of(v.X), Y: of(v.Y), Z: of(v.Z)}
}

// near reports whether what a parent sees can travel so.
func near(b *sim.Body) bool {
	return reached(b.Pose.Pos, awaySteps, away) && (b.Asleep || reached(b.Linear, paceSteps, pace) && reached(b.Angular, paceSteps, pace))
}

// snapLocal returns what arrives of it.
func snapLocal(b *sim.Body) sim.Body {
	q := b.Pose.Rot
	r := turns.Quantise([4]float32{q.X, q.Y, q.Z, q.W})
	return sim.Body{
		Pose:   geom.Pose{Pos: onGrid(b.Pose.Pos, awaySteps), Rot: geom.Quat{X: r[0], Y: r[1], Z: r[2], W: r[3]}},
		Linear: onGrid(b.Linear, paceSteps), Angular: onGrid(b.Angular, paceSteps), Asleep: b.Asleep,
	}
}

// still reports whether a body has not changed, as its parent sees it.
func still(a, b *sim.Body) bool {
	within := func(a, b geom.Vec3, by float32) bool {
		d := a.Sub(b)
		return geom.Abs(d.X) <= by && geom.Abs(d.Y) <= by && geom.Abs(d.Z) <= by
	}
	turned := a.Pose.Rot.Mul(b.Pose.Rot.Inverse())
	return a.Asleep == b.Asleep && within(a.Pose.Pos, b.Pose.Pos, stillWay) &&
		within(geom.Vec3{X: turned.X, Y: turned.Y, Z: turned.Z}, geom.Vec3{}, stillTurn) &&
		within(a.Linear, b.Linear, stillPace) && within(a.Angular, b.Angular, stillPace)
}

// Local reads, writes or measures what a parent sees of a body. What is written is
// near.
func Local(c *quant.Coder, b *sim.Body) {
	c.Name("asleep")
	b.Asleep = c.Bool(b.Asleep)
	c.Name("apart")
	ladder(c, &b.Pose.Pos, awaySteps, away)
	c.Name("rotation")
	q := &b.Pose.Rot
	r := c.Rotation([4]float32{q.X, q.Y, q.Z, q.W}, turns)
	*q = geom.Quat{X: r[0], Y: r[1], Z: r[2], W: r[3]}
	if b.Asleep {
		b.Linear, b.Angular = geom.Vec3{}, geom.Vec3{}
		return
	}
	c.Name("linear")
	ladder(c, &b.Linear, paceSteps, pace)
	c.Name("angular")
	ladder(c, &b.Angular, paceSteps, pace)
}

func ladder(c *quant.Coder, v *geom.Vec3, per int, l quant.Ladder) {
	for _, x := range [...]*float32{&v.X, &v.Y, &v.Z} {
		*x = float32(c.Step(steps(*x, per), l)) / float32(per)
	}
}

// noteLocal is Note for a tree.
func (c *Changes) noteLocal(w *sim.World) {
	now := w.Bodies()
	first := len(c.bodies) != len(now)
	if first {
		c.bodies, c.ticks = append(c.bodies[:0], now...), make([]sim.Tick, len(now))
	}
	for i := range now {
		n, b := &c.tree.Nodes[i], now[i]
		if n.Parent == jointtree.None {
			if first || b != c.bodies[i] {
				c.bodies[i], c.ticks[i] = b, w.Tick()
			}
			continue
		}
		b = n.Local(&now[n.Parent], &b)
		if near(&b) {
			b = snapLocal(&b)
		}
		if first || !still(&b, &c.bodies[i]) {
			c.bodies[i], c.ticks[i] = b, w.Tick()
		}
	}
}

// write writes body i of a world that has a parent.
func (c *Changes) write(to *quant.Coder, w *sim.World, i int) {
	local := c.bodies[i]
	to.Name("relative")
	if to.Bool(near(&local)) {
		Local(to, &local)
		return
	}
	b := w.Bodies()[i]
	Body(to, &b, w.Scene())
}

// Over has the receiver read snapshots in which the bodies of a tree travel relative to
// each other, or with nil each by itself.
func (r *Receiver) Over(t *jointtree.Tree) {
	r.tree, r.locals = t, r.locals[:0]
	if t == nil || !r.Any {
		return
	}
	for i := range r.Bodies {
		r.locals = append(r.locals, r.Bodies[i])
		if n := &t.Nodes[i]; n.Parent != jointtree.None {
			r.locals[i] = n.Local(&r.Bodies[n.Parent], &r.Bodies[i])
		}
	}
}

// Locals returns the bodies as their parents see them, where they have one, and else as
// they are: of the newest snapshot, or of an older one that Old has told of.
func (r *Receiver) Locals(fresh bool) []sim.Body {
	if fresh {
		return r.locals
	}
	return r.spareLocals
}

// local reads body i, which has a parent, and reports whether what it has read is what
// that sees.
func (r *Receiver) local(c *quant.Coder, b *sim.Body, scene *sim.Scene) (relative bool) {
	c.Name("relative")
	if relative = c.Bool(false); relative {
		Local(c, b)
	} else {
		Body(c, b, scene)
	}
	return relative
}

// edge is how far in metres a body may be beyond the bounds of its scene because its
// parent and it have been rounded.
const edge = 0.05

// place finds for all bodies of a tree where they are and what their parents see of
// them. old says that it is of an older snapshot than the newest: then what did not come
// is not known, and neither is where the bodies are that hang on it.
func (r *Receiver) place(scene *sim.Scene, old bool) error {
	r.spareLocals, r.known = append(r.spareLocals[:0], r.spare...), append(r.known[:0], r.came...)
	for _, i := range r.tree.Order {
		n := &r.tree.Nodes[i]
		parent, b := &r.spare[n.Parent], &r.spare[i]
		known := !old || r.known[n.Parent]
		switch {
		case !r.came[i]:
			r.spareLocals[i] = r.locals[i]
			*b = n.World(parent, &r.locals[i])
		case r.relative[i]:
			*b = n.World(parent, &r.spareLocals[i])
			r.known[i] = known
		case known:
			r.spareLocals[i] = n.Local(parent, b)
		default: // what its parent saw is not known
			r.came[i], r.known[i] = false, false
		}
		if old && !r.known[i] {
			continue
		}
		p := &b.Pose.Pos
		inside := geom.Vec3{X: geom.Clamp(p.X, -scene.HalfWidth, scene.HalfWidth), Y: geom.Clamp(p.Y, -scene.HalfWidth, scene.HalfWidth), Z: geom.Clamp(p.Z, 0, scene.Height)}
		if inside != *p && inside.Sub(*p).Len2() <= edge*edge {
			*p = inside
		}
		if !Plausible(b, scene) {
			return errBody
		}
	}
	return nil
}
