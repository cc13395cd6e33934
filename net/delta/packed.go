package delta

import (
	"ghostcube/net/quant"
	"ghostcube/sim/geom"
)

// packed is a frame in bits: one description for writing and reading.
type packed struct {
	c    *quant.Coder
	now  []Cube
	past *Past
	list []int // of cubes that have changed
	ledger
}

// told puts the bits since the last time down to what they told.
func (p *packed) told(on *float64) { p.put(on, float64(p.c.Processed())) }

// raw is all of every cube in numbers of 32 bits: 225 bits.
func (p *packed) raw() {
	c := p.c
	for i := range p.now {
		k := &p.now[i]
		k.Touched = c.Bool(k.Touched)
		p.told(&p.Touched)
		p.floats(k)
		p.told(&p.Position)
		q := k.Rotation()
		q = geom.Quat{X: c.Float(q.X), Y: c.Float(q.Y), Z: c.Float(q.Z), W: c.Float(q.W)}
		p.told(&p.Rotation)
		if c.Reading() && !p.rotated(k, q) {
			return
		}
	}
}

// floats is a position in three floats.
func (p *packed) floats(k *Cube) {
	c, v := p.c, k.Position()
	v = geom.Vec3{X: c.Float(v.X), Y: c.Float(v.Y), Z: c.Float(v.Z)}
	if c.Reading() {
		at := nearest(v)
		if k.At = at; k.Position() != v {
			c.Fail(quant.ErrForm)
		}
	}
}

// rotated gives k the whole numbers that q was made of. Where two components are
// alike, q does not say which was the one not sent: so all are tried.
func (p *packed) rotated(k *Cube, q geom.Quat) bool {
	for k.Largest = range uint8(4) {
		k.Rest = rest(q, k.Largest)
		if k.Valid() && k.Rotation() == q {
			return true
		}
	}
	k.Largest = 3
	p.c.Fail(quant.ErrForm)
	return false
}

func (p *packed) smallestThree() {
	for i := range p.now {
		k := &p.now[i]
		k.Touched = p.c.Bool(k.Touched)
		p.told(&p.Touched)
		p.floats(k)
		p.told(&p.Position)
		p.rotation(&k.Turn)
		p.told(&p.Rotation)
	}
}

func (p *packed) quantised() {
	for i := range p.now {
		k := &p.now[i]
		k.Touched = p.c.Bool(k.Touched)
		p.told(&p.Touched)
		p.position(k)
		p.told(&p.Position)
		p.rotation(&k.Turn)
		p.told(&p.Rotation)
	}
}

// position is a position in 50 bits.
func (p *packed) position(k *Cube) {
	for i := range k.At {
		k.At[i] = int32(p.c.Int(int(k.At[i]), int(Least[i]), int(Most[i])))
	}
}

// rotation is a rotation in 29 bits.
func (p *packed) rotation(k *Turn) {
	k.Largest = uint8(p.c.Bits(uint32(k.Largest), 2))
	for i := range k.Rest {
		k.Rest[i] = int16(p.c.Bits(uint32(k.Rest[i]), 9))
	}
	p.check(k)
}

// check refuses a rotation that is none.
func (p *packed) check(k *Turn) {
	if !k.Valid() {
		p.c.Fail(ErrTurn)
	}
}

// changed are the cubes that are other than in the base, from level ChangedBits
// on: which, and what they are now.
func (p *packed) changed(l Level) {
	p.list = p.list[:0]
	if !p.c.Reading() {
		for i := range p.now {
			if p.now[i] != p.past.Base[i] {
				p.list = append(p.list, i)
			}
		}
	}
	switch l {
	case ChangedBits:
		p.list = p.c.Flags(p.list, len(p.now))
	case Predicted:
		p.list = p.c.Subset(p.list, len(p.now), &quant.DenseSteps)
	default:
		p.list = p.c.Subset(p.list, len(p.now), &quant.SnapshotSteps)
	}
	p.told(&p.Index)
	if p.c.Reading() {
		copy(p.now, p.past.Base)
	}
	for _, i := range p.list {
		k, b := &p.now[i], &p.past.Base[i]
		p.cube(l, i, k, b)
		if p.c.Reading() && *k == *b {
			p.c.Fail(quant.ErrForm) // it has not changed
		}
		if p.c.Err() != nil {
			return
		}
	}
}

// cube is a cube that has changed.
func (p *packed) cube(l Level, i int, k, b *Cube) {
	c := p.c
	k.Touched = c.Bool(k.Touched)
	p.told(&p.Touched)
	switch l {
	case ChangedBits, Indices:
		p.position(k)
	case RelativePosition, RelativeRotation, FineRotation:
		p.near(k, b)
	case ChangedParts:
		if c.Bool(k.At != b.At) {
			p.near(k, b)
		}
	case Predicted:
		p.reference(i, k, b)
	}
	p.told(&p.Position)
	switch l {
	case ChangedBits, Indices, RelativePosition:
		p.rotation(&k.Turn)
	case RelativeRotation:
		p.turned(&k.Turn, &b.Turn, quant.RotationLadder)
	case ChangedParts:
		if c.Bool(k.Turn != b.Turn) {
			p.turned(&k.Turn, &b.Turn, quant.RotationLadder)
		}
	case FineRotation:
		p.turned(&k.Turn, &b.Turn, quant.FineRotationLadder)
	case Predicted:
		p.referenceTurn(k, b)
	}
	p.told(&p.Rotation)
}

// positions is the grid of a Cube's positions, counted from Least.
var positions = quant.Grid{
	quant.PerUnit(-256, 256, StepsPerMetre), quant.PerUnit(-256, 256, StepsPerMetre), quant.PerUnit(0, 32, StepsPerMetre),
}

// near is a position by its difference from the base.
func (p *packed) near(k, b *Cube) {
	var n, from [3]int
	for i := range n {
		n[i], from[i] = int(k.At[i]-Least[i]), int(b.At[i]-Least[i])
	}
	n = p.c.NearPoint(n, from, &positions, quant.PositionLadder)
	for i := range n {
		k.At[i] = int32(n[i]) + Least[i]
	}
}

// turned is a rotation by its difference from the base, if the same component is
// the largest.
func (p *packed) turned(k, b *Turn, l quant.Ladder) {
	if !p.c.Bool(k.within(b, l.Reaches)) {
		p.rotation(k)
		if k.within(b, l.Reaches) {
			p.c.Fail(quant.ErrForm)
		}
		return
	}
	k.Largest = b.Largest
	for i := range k.Rest {
		k.Rest[i] = p.component(int(b.Rest[i]) + p.c.Step(int(k.Rest[i])-int(b.Rest[i]), l))
	}
	p.check(k)
}

// within reports whether a rotation lacks the same component as the base's and
// all its differences are reached.
func (t *Turn) within(b *Turn, reached func(int) bool) bool {
	for i := range t.Rest {
		if !reached(int(t.Rest[i]) - int(b.Rest[i])) {
			return false
		}
	}
	return t.Largest == b.Largest
}

// component is one component of a rotation that was read, in its range.
func (p *packed) component(n int) int16 {
	if n < 0 || n > TurnMost {
		p.c.Fail(quant.ErrRange)
		return 0
	}
	return int16(n)
}
