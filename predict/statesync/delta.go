package statesync

import (
	"ghostcube/net/quant"
	"ghostcube/predict/wire"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// The reaches of differences. They are in steps of the grid: a position's of
// 1/4096 m, a rotation's of about 0.005 degrees, a velocity's of 1/4096 m/s or
// rad/s. Of several that were tried these carry the most updates of a katamari
// ball; those of half as far carry 3 % fewer.
var (
	anchorLadder   = quant.Ladder{Small: 12, Large: 14} // half a metre from the player, 2.5 m
	positionLadder = quant.Ladder{Small: 9, Large: 12}  // 6 cm from where it was to be, 56 cm
	rotationLadder = quant.Ladder{Small: 9, Large: 12}  // 1.3 degrees, 11
	velocityLadder = quant.Ladder{Small: 11, Large: 15} // 0.25 m/s, 4 m/s
)

// What a state may be relative to.
const (
	offsetMost = 31 // ticks from the newest packet that the client is known to have back to the base
	backBits   = 8  // of the distance from the tick to that packet
	baseMost   = 96 // ticks back to a base: the client keeps more
	keptTicks  = 128
	freshEvery = 127 // after so many states of a body one is sent whole, whatever is known
)

// bases is where the state of a body in the packet of a tick is found, or nil if
// it is not known.
type bases interface {
	base(body int, t sim.Tick) *sim.Body
}

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

// based reads, writes or measures an update by its difference from a base. If a
// reader does not know the base the update is lost, and the others are read all
// the same.
func (m *message) based(c *quant.Coder, u *update, scene *sim.Scene) {
	f, g := &m.form, m.form.grid()
	c.Name("offset")
	u.offset = c.Int(u.offset, 0, offsetMost)
	at := int64(m.tick) - int64(m.back) - int64(u.offset)
	var base *sim.Body
	if at >= 0 && m.bases != nil {
		base = m.bases.base(u.body, sim.Tick(at))
	}
	known := base != nil
	var from, n numbers
	if known {
		a := ahead(base, float32(int64(m.tick)-at)/float32(m.rate))
		from = f.numbers(&a)
	}
	if !c.Reading() {
		n = f.numbers(&u.state)
	}
	c.Name("as_expected")
	if c.Bool(n == from) {
		n = from
	} else {
		m.differ(c, &n, &from, g, known)
	}
	if !c.Reading() || c.Err() != nil {
		return
	}
	if u.lost = !known; u.lost {
		return
	}
	u.state = f.bodyOf(&n)
	if !wire.Plausible(&u.state, scene) {
		c.Fail(errMessage)
	}
}

// differ reads, writes or measures numbers by their differences.
func (m *message) differ(c *quant.Coder, n, from *numbers, g *wire.Grid, known bool) {
	c.Name("asleep")
	n.asleep = c.Bool(n.asleep)
	c.Name("position")
	n.pos = near(c, n.pos, from.pos, &g.Position, positionLadder, known)
	c.Name("rotation")
	n.rot = turned(c, n.rot, from.rot, g.Rotation, known)
	if m.form.velocities && !n.asleep {
		c.Name("linear")
		n.lin = near(c, n.lin, from.lin, &g.Linear, velocityLadder, known)
		c.Name("angular")
		n.ang = near(c, n.ang, from.ang, &g.Angular, velocityLadder, known)
	}
	if c.Reading() && known && c.Err() == nil && *n == *from {
		c.Fail(errMessage) // a bit would have said so
	}
}

// near is three integers of a grid by their differences, behind a bit that says
// that the ladder reaches all of them, or whole. It is quant's NearPoint for a
// reader that may not know from what they differ: that one then has the right
// bits, and numbers of no meaning.
func near(c *quant.Coder, v, from [3]int, g *quant.Grid, l quant.Ladder, known bool) [3]int {
	reached := func() bool {
		return l.Reaches(v[0]-from[0]) && l.Reaches(v[1]-from[1]) && l.Reaches(v[2]-from[2])
	}
	if c.Bool(!c.Reading() && reached()) {
		for i := range v {
			v[i] = from[i] + difference(c, v[i]-from[i], l)
			if known && (v[i] < 0 || v[i] > g[i].Steps()) {
				c.Fail(errMessage)
			}
		}
		return v
	}
	for i := range v {
		v[i] = c.Int(v[i], 0, g[i].Steps())
	}
	if c.Reading() && known && reached() {
		c.Fail(errMessage)
	}
	return v
}

// turned is the same for a rotation, whose differences mean something only where
// the same component is not sent.
func turned(c *quant.Coder, p, from quant.Smallest, s quant.SmallestThree, known bool) quant.Smallest {
	l := rotationLadder
	reached := func() bool {
		return p.Largest == from.Largest && l.Reaches(int(p.Rest[0])-int(from.Rest[0])) &&
			l.Reaches(int(p.Rest[1])-int(from.Rest[1])) && l.Reaches(int(p.Rest[2])-int(from.Rest[2]))
	}
	if !c.Bool(!c.Reading() && reached()) {
		p = c.Smallest(p, s)
		if c.Reading() && known && reached() {
			c.Fail(errMessage)
		}
		return p
	}
	p.Largest = from.Largest
	for i := range p.Rest {
		p.Rest[i] = from.Rest[i] + int16(difference(c, int(p.Rest[i])-int(from.Rest[i]), l))
	}
	if c.Reading() && known && !s.Canonical(p) {
		c.Fail(errMessage)
	}
	return p
}

// difference is a number that a ladder reaches: a bit that says whether it is a
// small one, and it. Large ones begin where small ones end.
func difference(c *quant.Coder, d int, l quant.Ladder) int {
	half, far := 1<<(l.Small-1), 1<<(l.Large-1)
	if c.Bool(d >= -half && d < half) {
		return c.Int(d, -half, half-1)
	}
	if d < 0 {
		d += half
	} else {
		d -= half
	}
	if d = c.Int(d, -far, far-1); d < 0 {
		return d - half
	}
	return d + half
}
