package statesync

import (
	"ghostcube/net/quant"
	"ghostcube/predict/part/codec"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// What a state may be relative to.
const (
	offsetMost = 31 // ticks from the newest packet that the client is known to have back to the oldest that is one
	backBits   = 8  // of the distance from the tick to that packet
	baseMost   = 96 // ticks back to a base: the client keeps more
	keptTicks  = 128
	freshEvery = 127 // after so many states of a body one is sent without a base, whatever is known
)

// bases is where the states are found that both sides know.
type bases interface {
	// base is the state of a body in the newest of the packets that are named by
	// arrived and heard, of those that have it, and that packet's tick. It is nil if
	// that is not known.
	base(body int, arrived sim.Tick, heard uint32) (*sim.Body, sim.Tick)
	// player is the state of a player's cube in such a packet, or nil.
	player(p int, t sim.Tick) *sim.Body
}

// How an update is written, from the most likely to the least.
const (
	carried  = iota // by its difference from a base that a player carries along
	initial         // as the scene begins
	expected        // as a base says that it moves on alone
	tumbled         // as carried, but another component of the rotation is the largest
	free            // by its difference from a base that moves on alone
	near            // relative to a player's cube
	whole
)

func (u *update) based() bool { return u.kind <= free && u.kind != initial }

// numbers are a body on a grid.
type numbers struct {
	asleep        bool
	pos, lin, ang [3]int
	rot           quant.Smallest
}

func encode(g *quant.Grid, v geom.Vec3) [3]int { return g.Encode([3]float32{v.X, v.Y, v.Z}) }

func decode(g *quant.Grid, n [3]int) geom.Vec3 {
	v := g.Decode(n)
	return geom.Vec3{X: v[0], Y: v[1], Z: v[2]}
}

// numbers puts a body onto the grid.
func (f *form) numbers(b *sim.Body) numbers {
	g, q := f.grid(), &b.Pose.Rot
	n := numbers{asleep: b.Asleep, pos: encode(&g.Position, b.Pose.Pos), rot: g.Rotation.Encode([4]float32{q.X, q.Y, q.Z, q.W})}
	if f.velocities && !b.Asleep {
		n.lin, n.ang = encode(&g.Linear, b.Linear), encode(&g.Angular, b.Angular)
	}
	return n
}

// bodyOf is the body of numbers.
func (f *form) bodyOf(n *numbers) sim.Body {
	g := f.grid()
	r := g.Rotation.Decode(n.rot)
	b := sim.Body{Pose: geom.Pose{Pos: decode(&g.Position, n.pos), Rot: geom.Quat{X: r[0], Y: r[1], Z: r[2], W: r[3]}}, Asleep: n.asleep}
	if f.velocities && !n.asleep {
		b.Linear, b.Angular = decode(&g.Linear, n.lin), decode(&g.Angular, n.ang)
	}
	return b
}

// arrives is what a reader has of a body that was sent in this form.
func (f *form) arrives(b sim.Body) sim.Body {
	if f.quantised {
		n := f.numbers(&b)
		return f.bodyOf(&n)
	}
	if !f.velocities || b.Asleep {
		b.Linear, b.Angular = geom.Vec3{}, geom.Vec3{}
	}
	return b
}

// ahead is where a body will be after so many seconds if nothing touches it and
// nothing pulls: the difference from that is smaller than from where it was.
func ahead(b *sim.Body, seconds float32) sim.Body {
	a := *b
	if b.Asleep {
		return a
	}
	a.Pose.Pos = b.Pose.Pos.Plus(seconds, b.Linear)
	if speed := b.Angular.Len(); speed > 0 {
		a.Pose.Rot = geom.Turn(b.Angular.Scale(1/speed), float32(speed*seconds)).Mul(b.Pose.Rot).Unit()
	}
	return a
}

// way reads, writes or measures how an update is written: clear bits for the ways
// that it is not, and a set one unless only the last is left. Some bodies could be
// written in several of them; which is the writer's choice.
func (m *message) way(c *quant.Coder, kind uint8) uint8 {
	ways := []uint8{carried, initial, expected, tumbled, free, near, whole}
	if !m.form.delta {
		ways = []uint8{near, initial, whole}
	}
	c.Name("way")
	last := len(ways) - 1
	for i, way := range ways[:last] {
		if c.Bool(kind == way && !c.Reading()) {
			return ways[i]
		}
	}
	return ways[last]
}

// vec reads, writes or measures three integers of a grid by their differences from
// others.
func (m *message) vec(c *quant.Coder, r *run, kind int, v, from [3]int) [3]int {
	k := int(m.lengths[kind])
	for i := range v {
		by := r.shift()
		d := count(c, folded(v[i]-from[i]), shifted(k, by))
		if m.tally != nil {
			m.tally.add(kind, d, k, by)
		}
		r.add(unfolded(d), k)
		v[i] = from[i] + unfolded(d)
	}
	return v
}

// in reports whether integers are on a grid.
func in(g *quant.Grid, n [3]int) bool {
	for i := range n {
		if n[i] < 0 || n[i] > g[i].Steps() {
			return false
		}
	}
	return true
}

// turned reads, writes or measures a rotation by its difference from one in the
// form that lacks the same component.
func (m *message) turned(c *quant.Coder, r *run, p quant.Smallest, from geom.Quat) quant.Smallest {
	s := m.form.grid().Rotation
	n := m.vec(c, r, basedRot, [3]int{int(p.Rest[0]), int(p.Rest[1]), int(p.Rest[2])}, rest(from, p.Largest, s))
	for i := range p.Rest {
		p.Rest[i] = int16(min(max(n[i], -1<<15), 1<<15-1))
	}
	return p
}

// based reads, writes or measures an update by its difference from a base. If a
// reader does not know the base, or the player's cube that carries it, the update
// is lost, and the others are read all the same: which bits are its does not
// depend on what is known.
func (m *message) based(c *quant.Coder, u *update, scene *sim.Scene) {
	f := &m.form
	g := f.grid()
	if u.kind == carried || u.kind == tumbled {
		m.carrier(c, u, scene)
	}
	guess, known := m.guess(u)
	n := numbers{}
	if !c.Reading() {
		n = f.numbers(&u.state)
	}
	if u.kind == expected {
		if known && c.Reading() {
			a := guess.base
			a.Pose = guess.pose
			n = f.numbers(&a)
		}
	} else {
		m.differ(c, u, &n, &guess, g)
	}
	u.lost = !known
	m.take(c, u, &n, scene)
}

// carrier reads, writes or measures which player's cube an update is relative to.
// The packet has to have it.
func (m *message) carrier(c *quant.Coder, u *update, scene *sim.Scene) {
	c.Name("player")
	u.player = uint8(c.Int(int(u.player), 0, scene.Players-1))
	if m.cube(u) == nil {
		c.Fail(errMessage)
	}
}

// cube is the update of the player's cube that another one is relative to, if the
// packet has it before that. Players are the first bodies of a scene.
func (m *message) cube(u *update) *update {
	for i := range min(m.n, mostPlayers) {
		p := &m.updates[i]
		if p == u {
			break
		}
		if p.body == int(u.player) {
			return p
		}
	}
	return nil
}

// guess is what is expected of an update, if what it is to be guessed from is
// known.
func (m *message) guess(u *update) (g guess, known bool) {
	g = guess{seconds: 1, pose: geom.Pose{Rot: geom.Identity}}
	if m.bases == nil {
		return g, false
	}
	base, t := m.bases.base(u.body, m.tick-sim.Tick(m.back), m.heard)
	if base == nil {
		return g, false
	}
	seconds := float32(int64(m.tick)-int64(t)) / float32(m.rate)
	if u.kind != carried && u.kind != tumbled {
		return alone(base, seconds), true
	}
	then, now := m.bases.player(int(u.player), t), m.cube(u)
	if then == nil || now == nil || now.lost {
		return g, false
	}
	return carriedBy(base, then, &now.state, seconds), true
}

// differ reads, writes or measures numbers by their differences from a guess.
func (m *message) differ(c *quant.Coder, u *update, n *numbers, guess *guess, g *codec.Grid) {
	var r run
	if u.kind == free {
		c.Name("asleep")
		n.asleep = c.Bool(n.asleep)
	}
	c.Name("position")
	n.pos = m.vec(c, &r, basedPos, n.pos, encode(&g.Position, guess.pos()))
	pos := decode(&g.Position, n.pos)
	c.Name("rotation")
	rot := guess.rot(pos)
	like := largest(rot)
	if u.kind == tumbled || u.kind == free && c.Bool(n.rot.Largest != like) {
		by := c.Int(int(n.rot.Largest^like), 0, 3)
		if n.rot.Largest = like ^ uint8(by); by == 0 {
			c.Fail(errMessage)
		}
	} else if c.Reading() {
		n.rot.Largest = like
	}
	n.rot = m.turned(c, &r, n.rot, rot)
	if n.asleep || !m.form.velocities {
		n.lin, n.ang = [3]int{}, [3]int{}
		return
	}
	now := m.form.bodyOf(n)
	c.Name("linear")
	n.lin = m.vec(c, &r, basedLin, n.lin, encode(&g.Linear, guess.linear(pos)))
	c.Name("angular")
	n.ang = m.vec(c, &r, basedAng, n.ang, encode(&g.Angular, guess.angular(now.Pose, decode(&g.Linear, n.lin))))
}

// near reads, writes or measures an update by its difference from a player's cube,
// its velocities by that from a place that is fixed to it.
func (m *message) near(c *quant.Coder, u *update, scene *sim.Scene) {
	f := &m.form
	g := f.grid()
	m.carrier(c, u, scene)
	by := sim.Body{Pose: geom.Pose{Rot: geom.Identity}}
	if p := m.cube(u); p == nil || p.lost {
		u.lost = true
	} else {
		by = p.state
	}
	var n numbers
	var r run
	if !c.Reading() {
		n = f.numbers(&u.state)
	}
	c.Name("asleep")
	n.asleep = c.Bool(n.asleep)
	c.Name("position")
	n.pos = m.vec(c, &r, nearPos, n.pos, encode(&g.Position, by.Pose.Pos))
	c.Name("rotation")
	n.rot = c.Smallest(n.rot, g.Rotation)
	if f.velocities && !n.asleep {
		r = run{}
		c.Name("linear")
		n.lin = m.vec(c, &r, nearLin, n.lin, encode(&g.Linear, fixed(&by, decode(&g.Position, n.pos))))
		c.Name("angular")
		n.ang = m.vec(c, &r, nearAng, n.ang, encode(&g.Angular, by.Angular))
	}
	m.take(c, u, &n, scene)
}

// take makes an update of the numbers that were read.
func (m *message) take(c *quant.Coder, u *update, n *numbers, scene *sim.Scene) {
	if !c.Reading() || u.lost || c.Err() != nil {
		return
	}
	g := m.form.grid()
	if !in(&g.Position, n.pos) || !in(&g.Linear, n.lin) || !in(&g.Angular, n.ang) || !g.Rotation.Canonical(n.rot) {
		c.Fail(errMessage)
		return
	}
	if u.state = m.form.bodyOf(n); !codec.Plausible(&u.state, scene) {
		c.Fail(errMessage)
	}
}
