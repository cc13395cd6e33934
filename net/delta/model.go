package delta

import (
	"math/bits"
	"slices"

	"ghostcube/net/entropy"
	"ghostcube/sim/geom"
)

// Model is what a wire has taught both of its ends about how cubes move: how
// likely each answer is, for level Arithmetic. It belongs to a frame. A frame is
// coded with what was learned up to its base, and goes on learning from there
// (Giesen's entry to the challenge, 2015): so what is lost on the way teaches
// neither end anything. The zero value has learned nothing.
type Model struct {
	changed  [4][64]entropy.Bit
	touched  [3][32]entropy.Bit
	largest  [3][32]entropy.Bit
	another  [4][2]entropy.Bit
	at, turn axis

	changedMix, touchedMix [4]entropy.Mixer
	largestMix             entropy.Mixer

	kept   [terms]float64 // coefficients that the frame ended with
	missed []missed       // by cube
}

// axis is what has been learned of the numbers of a position or of a rotation,
// by what else is known.
type axis struct {
	stray  [64]entropy.Number // how far the forecast is from the ball's motion
	before [24]entropy.Number // which axis, and how far the axes before it were off
	near   [20]entropy.Number // how far the cubes before were off
	last   [20]entropy.Number // how far this cube was off at the base
	moved  [12]entropy.Number // of a rotation: how far its position was off
	mix    [2]entropy.NumberMixer
}

// missed is how far one cube was off in the frame that was coded last. It is
// zero for one that had not changed.
type missed struct {
	way, turn       geom.Vec3 // beyond its forecast, in m and rad
	wayOff, turnOff int32     // beyond what was expected in the end, in steps
}

// begin makes m what was learned up to the base.
func (m *Model) begin(p *Past, cubes int) {
	if p.Learned == nil {
		m.forget(cubes)
		return
	}
	m.CopyFrom(p.Learned)
}

// forget makes m what has learned nothing.
func (m *Model) forget(cubes int) {
	*m = Model{missed: slices.Grow(m.missed[:0], cubes)[:cubes]}
	clear(m.missed)
}

// CopyFrom makes m an equal of o that shares no memory with it.
func (m *Model) CopyFrom(o *Model) {
	missed := append(m.missed[:0], o.missed...)
	*m = *o
	m.missed = missed
}

// size is the number of bits of a magnitude, at most most.
func size(n, most int) int { return min(bits.Len(uint(max(n, -n))), most) }

// scaled is the size of a length in steps of 1/1024, at most most.
func scaled(x float32, most int) int {
	if !(x < 1<<12) {
		return most
	}
	return size(int(float32(x*1024)), most)
}

// one is 1 for yes.
func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// framing is a frame that is being coded.
type framing struct {
	*Model
	c     *entropy.Coder
	now   []Cube
	past  *Past
	swarm swarm

	history int // bits, the lowest of the cube before: it has changed
	nearAt  int // mean of how far the cubes before were off, in steps
	nearBy  int // the same of rotations
	ledger
}

// told puts the bits since the last time down to what they told.
func (f *framing) told(on *float64) { f.put(on, f.c.Spent()) }

// frame reads or writes a frame.
func (m *Model) frame(c *entropy.Coder, now []Cube, p *Past, spent *Spent) {
	f := framing{Model: m, c: c, now: now, past: p, ledger: ledger{Spent: spent}}
	f.swarm.begin(p, &m.kept)
	for i := range now {
		if c.Err() != nil {
			return
		}
		f.cube(i)
	}
	f.swarm.now.solve()
	m.kept = f.swarm.now.x
}

// cube reads or writes one cube.
func (f *framing) cube(i int) {
	k, b := &f.now[i], &f.past.Base[i]
	ahead := f.past.ahead(i)
	far := 0 // from the player's cube, whose frame is known by now
	if i > 0 {
		far = 1 + scaled(f.now[0].Position().Sub(ahead.from).Len()/64, 14)
	}
	changed := f.change(k, b, &ahead, far)
	f.told(&f.Index)
	if !changed {
		*k = *b
		f.missed[i] = missed{}
		return
	}
	f.touch(k, b, &ahead, far)
	f.told(&f.Touched)

	e := f.expect(i, k, &ahead)
	was := f.missed[i]
	var now missed
	now.wayOff = int32(f.position(k, &e, &was))
	f.told(&f.Position)
	now.way = k.Position().Sub(ahead.from).Sub(ahead.way)
	if k.Touched {
		f.swarm.now.add(e.place, now.way, 1)
		e.rot = rotationOf(ahead.turn.Add(f.swarm.now.of(e.turn))).Mul(ahead.rot).Unit()
	}
	now.turnOff = int32(f.rotation(k, &e, &was, int(now.wayOff)))
	f.told(&f.Rotation)
	now.turn = turnOf(k.Rotation().Mul(rotationOf(ahead.turn).Mul(ahead.rot).Inverse()))
	if k.Touched {
		f.swarm.now.add(e.turn, now.turn, turnWeight)
	}
	f.missed[i] = now
	if f.c.Reading() && *k == *b {
		f.c.Fail(entropy.ErrForm) // it has not changed
	}
}

// change reports whether a cube is other than in the base.
func (f *framing) change(k, b *Cube, ahead *forecast, far int) bool {
	moving, touched := one(ahead.moving), one(b.Touched)
	v := f.c.Mix(*k != *b, &f.changedMix[moving*2+touched], []*entropy.Bit{
		&f.changed[0][moving*4+touched*2+f.history&1],
		&f.changed[1][scaled(ahead.way.Len(), 14)*2+touched],
		&f.changed[2][moving*16+far],
		&f.changed[3][moving*8+f.history&7],
	})
	f.history = f.history<<1&7 | one(v)
	return v
}

// touch is whether a cube is touched.
func (f *framing) touch(k, b *Cube, ahead *forecast, far int) {
	t := one(b.Touched)
	k.Touched = f.c.Mix(k.Touched, &f.touchedMix[t], []*entropy.Bit{
		&f.touched[0][t*2+one(ahead.moving)],
		&f.touched[1][t*16+far],
		&f.touched[2][t*16+scaled(ahead.way.Len(), 14)],
	})
}

// expected is where a cube is expected, and how.
type expected struct {
	member
	at             [3]int32
	rot            geom.Quat
	wild, wildTurn int // how far the forecast is from the ball's motion: which models know
}

// expect returns what is expected of a cube. A cube that is not in the player's
// hands is expected to go on; of one that is, the swarm knows more.
func (f *framing) expect(i int, k *Cube, ahead *forecast) (e expected) {
	way := ahead.way
	if k.Touched {
		e.member = f.swarm.member(ahead, &f.missed[i])
		way = way.Add(f.swarm.now.of(e.place))
		e.wild, e.wildTurn = 32+scaled(e.stray, 20), 32+scaled(e.strayTurn, 20)
	} else {
		e.wild, e.wildTurn = scaled(way.Len(), 20), scaled(ahead.turn.Len(), 20)
		e.rot = rotationOf(ahead.turn).Mul(ahead.rot).Unit()
	}
	for a, x := range [3]float32{way.X, way.Y, way.Z} {
		e.at[a] = min(max(f.past.Base[i].At[a]+steps(x), Least[a]), Most[a])
	}
	return e
}

// position is a position by its difference from what is expected. It returns how
// far off that was, in steps.
func (f *framing) position(k *Cube, e *expected, was *missed) (off int) {
	x := &f.at
	for a := range k.At {
		want := int(e.at[a])
		d := f.c.Number(int(k.At[a])-want, int(Least[a])-want, int(Most[a])-want, &x.mix[one(k.Touched)],
			&x.stray[e.wild], &x.before[a*8+size(off, 7)], &x.near[size(f.nearAt, 19)], &x.last[size(int(was.wayOff), 19)])
		k.At[a] = int32(want + d)
		off += max(d, -d)
	}
	f.nearAt = (3*f.nearAt + 4*off) / 4
	return off
}

// rotation is a rotation in the same way: which component is the largest, and
// the others. How far the position was off says how wildly the cube moves.
func (f *framing) rotation(k *Cube, e *expected, was *missed, moved int) (off int) {
	f.lacking(k, e.rot, size(moved, 11))
	x := &f.turn
	want := rest(e.rot, k.Largest)
	for a := range k.Rest {
		w := int(want[a])
		d := f.c.Number(int(k.Rest[a])-w, -w, TurnMost-w, &x.mix[one(k.Touched)],
			&x.stray[e.wildTurn], &x.before[a*8+size(off, 7)], &x.near[size(f.nearBy, 19)], &x.last[size(int(was.turnOff), 19)], &x.moved[size(moved, 11)])
		k.Rest[a] = int16(w + d)
		off += max(d, -d)
	}
	f.nearBy = (3*f.nearBy + 4*off) / 4
	if f.c.Reading() && !k.Valid() {
		f.c.Fail(ErrTurn)
	}
	return off
}

// lacking is which component is the largest.
func (f *framing) lacking(k *Cube, rot geom.Quat, moved int) {
	l := largest(rot)
	if f.c.Mix(k.Largest == l, &f.largestMix, []*entropy.Bit{
		&f.largest[0][size(f.nearBy, 19)], &f.largest[1][margin(rot)], &f.largest[2][moved],
	}) {
		k.Largest = l
		return
	}
	k.Largest = other(f.c, k.Largest, l, &f.another[l])
}

// other is which component is the largest if it is not the expected one: one of
// three, by its distance from that.
func other(c *entropy.Coder, v, expected uint8, m *[2]entropy.Bit) uint8 {
	d := (v - expected) & 3
	switch {
	case c.Bit(d == 1, &m[0]):
		d = 1
	case c.Bit(d == 2, &m[1]):
		d = 2
	default:
		d = 3
	}
	return (expected + d) & 3
}

// margin is by how much the largest component of a rotation is larger than the
// next, in 128ths, at most 31.
func margin(q geom.Quat) int {
	var first, second float32
	for _, x := range [4]float32{q.X, q.Y, q.Z, q.W} {
		if x = geom.Abs(x); x > first {
			first, second = x, first
		} else if x > second {
			second = x
		}
	}
	return int(min(float32((first-second)*128), 31))
}
