package delta

import (
	"ghostcube/net/quant"
	"ghostcube/sim/geom"
)

// bitPacker is a frame in bits: one description for writing and reading.
type bitPacker struct {
	c        *quant.Coder
	cubes    []Cube
	baseline *baseline
	changed  []int // of cubes that have changed
	bitAccount
}

// charge puts the bits since the last time down to what they told.
func (p *bitPacker) charge(on *float64) { p.chargeUpTo(on, float64(p.c.BitsProcessed())) }

// codeRaw is all of every cube in numbers of 32 bits: 225 bits.
func (p *bitPacker) codeRaw() {
	c := p.c
	for i := range p.cubes {
		k := &p.cubes[i]
		k.Touched = c.Bool(k.Touched)
		p.charge(&p.Touched)
		p.codePositionFloats(k)
		p.charge(&p.Position)
		q := k.Rotation()
		q = geom.Quat{X: c.Float(q.X), Y: c.Float(q.Y), Z: c.Float(q.Z), W: c.Float(q.W)}
		p.charge(&p.Rotation)
		if c.Reading() && !p.findOrientation(k, q) {
			return
		}
	}
}

// codePositionFloats is a position in three floats.
func (p *bitPacker) codePositionFloats(k *Cube) {
	c, v := p.c, k.Position()
	v = geom.Vec3{X: c.Float(v.X), Y: c.Float(v.Y), Z: c.Float(v.Z)}
	if c.Reading() {
		at := quantisePosition(v)
		if k.Pos = at; k.Position() != v {
			c.Fail(quant.ErrNotCanonical)
		}
	}
}

// findOrientation gives k the whole numbers that q was made of. Where two components are
// alike, q does not say which was the one not sent: so all are tried.
func (p *bitPacker) findOrientation(k *Cube, q geom.Quat) bool {
	for k.Largest = range uint8(4) {
		k.Smallest = smallestComponents(q, k.Largest)
		if k.Valid() && k.Rotation() == q {
			return true
		}
	}
	k.Largest = 3
	p.c.Fail(quant.ErrNotCanonical)
	return false
}

func (p *bitPacker) codeSmallestThree() {
	for i := range p.cubes {
		k := &p.cubes[i]
		k.Touched = p.c.Bool(k.Touched)
		p.charge(&p.Touched)
		p.codePositionFloats(k)
		p.charge(&p.Position)
		p.codeOrientation(&k.Orientation)
		p.charge(&p.Rotation)
	}
}

func (p *bitPacker) codeQuantised() {
	for i := range p.cubes {
		k := &p.cubes[i]
		k.Touched = p.c.Bool(k.Touched)
		p.charge(&p.Touched)
		p.codePosition(k)
		p.charge(&p.Position)
		p.codeOrientation(&k.Orientation)
		p.charge(&p.Rotation)
	}
}

// codePosition is a position in 50 bits.
func (p *bitPacker) codePosition(k *Cube) {
	for i := range k.Pos {
		k.Pos[i] = int32(p.c.Int(int(k.Pos[i]), int(MinPosition[i]), int(MaxPosition[i])))
	}
}

// codeOrientation is a rotation in 29 bits.
func (p *bitPacker) codeOrientation(k *Orientation) {
	k.Largest = uint8(p.c.Bits(uint32(k.Largest), 2))
	for i := range k.Smallest {
		k.Smallest[i] = int16(p.c.Bits(uint32(k.Smallest[i]), 9))
	}
	p.checkOrientation(k)
}

// checkOrientation refuses a rotation that is none.
func (p *bitPacker) checkOrientation(k *Orientation) {
	if !k.Valid() {
		p.c.Fail(ErrOrientation)
	}
}

// codeChanged are the cubes that are other than in the base, from level ChangedBits
// on: which, and what they are now.
func (p *bitPacker) codeChanged(l Level) {
	p.changed = p.changed[:0]
	if !p.c.Reading() {
		for i := range p.cubes {
			if p.cubes[i] != p.baseline.cubes[i] {
				p.changed = append(p.changed, i)
			}
		}
	}
	switch l {
	case ChangedBits:
		p.changed = p.c.Bitmap(p.changed, len(p.cubes))
	case Predicted:
		p.changed = p.c.Subset(p.changed, len(p.cubes), &quant.DenseIndexBuckets)
	default:
		p.changed = p.c.Subset(p.changed, len(p.cubes), &quant.SnapshotIndexBuckets)
	}
	p.charge(&p.Index)
	if p.c.Reading() {
		copy(p.cubes, p.baseline.cubes)
	}
	for _, i := range p.changed {
		k, b := &p.cubes[i], &p.baseline.cubes[i]
		p.codeCube(l, i, k, b)
		if p.c.Reading() && *k == *b {
			p.c.Fail(quant.ErrNotCanonical) // it has not changed
		}
		if p.c.Err() != nil {
			return
		}
	}
}

// codeCube is a cube that has changed.
func (p *bitPacker) codeCube(l Level, i int, k, b *Cube) {
	c := p.c
	k.Touched = c.Bool(k.Touched)
	p.charge(&p.Touched)
	switch l {
	case ChangedBits, Indices:
		p.codePosition(k)
	case RelativePosition, RelativeRotation, FineRotation:
		p.codeRelativePosition(k, b)
	case ChangedFields:
		if c.Bool(k.Pos != b.Pos) {
			p.codeRelativePosition(k, b)
		}
	case Predicted:
		p.codeReferencePosition(i, k, b)
	}
	p.charge(&p.Position)
	switch l {
	case ChangedBits, Indices, RelativePosition:
		p.codeOrientation(&k.Orientation)
	case RelativeRotation:
		p.codeRelativeOrientation(&k.Orientation, &b.Orientation, quant.RotationDeltaBits)
	case ChangedFields:
		if c.Bool(k.Orientation != b.Orientation) {
			p.codeRelativeOrientation(&k.Orientation, &b.Orientation, quant.RotationDeltaBits)
		}
	case FineRotation:
		p.codeRelativeOrientation(&k.Orientation, &b.Orientation, quant.FineRotationDeltaBits)
	case Predicted:
		p.codeReferenceOrientation(k, b)
	}
	p.charge(&p.Rotation)
}

// codeRelativePosition is a position by its difference from the base.
func (p *bitPacker) codeRelativePosition(k, b *Cube) {
	var n, from [3]int
	for i := range n {
		n[i], from[i] = int(k.Pos[i]-MinPosition[i]), int(b.Pos[i]-MinPosition[i])
	}
	n = p.c.RelativePosition(n, from, &quant.SnapshotPosition, quant.PositionDeltaBits)
	for i := range n {
		k.Pos[i] = int32(n[i]) + MinPosition[i]
	}
}

// codeRelativeOrientation is a rotation by its difference from the base, if the same component is
// the largest.
func (p *bitPacker) codeRelativeOrientation(k, b *Orientation, l quant.DeltaBits) {
	if !p.c.Bool(k.deltasFit(b, l.Fits)) {
		p.codeOrientation(k)
		if k.deltasFit(b, l.Fits) {
			p.c.Fail(quant.ErrNotCanonical)
		}
		return
	}
	k.Largest = b.Largest
	for i := range k.Smallest {
		k.Smallest[i] = p.checkedComponent(int(b.Smallest[i]) + p.c.Delta(int(k.Smallest[i])-int(b.Smallest[i]), l))
	}
	p.checkOrientation(k)
}

// deltasFit reports whether a rotation lacks the same component as the base's and
// all its differences are reached.
func (t *Orientation) deltasFit(b *Orientation, reached func(int) bool) bool {
	for i := range t.Smallest {
		if !reached(int(t.Smallest[i]) - int(b.Smallest[i])) {
			return false
		}
	}
	return t.Largest == b.Largest
}

// checkedComponent is one component of a rotation that was read, in its range.
func (p *bitPacker) checkedComponent(n int) int16 {
	if n < 0 || n > MaxComponent {
		p.c.Fail(quant.ErrRange)
		return 0
	}
	return int16(n)
}
