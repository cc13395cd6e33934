package delta

import (
	"math"

	"ghostcube/net/quant"
	"ghostcube/sim/geom"
)

// bitPacker writes or reads a snapshot at the bit-packed levels. One description serves
// both.
type bitPacker struct {
	c        *quant.Coder
	cubes    []Cube
	baseline *baseline
	changed  []int               // indices of changed cubes
	indices  quant.IndexEncoding // of their list, where the level does not prescribe one
	bitAccount
	spent *cubeBits
}

// charge attributes the bits since the last call to a field.
func (p *bitPacker) charge(on *float64) { p.chargeUpTo(on, float64(p.c.BitsProcessed())) }

// chargeCube attributes the bits since the last cube to a cube.
func (p *bitPacker) chargeCube(i int) { p.spent.chargeCube(i, float64(p.c.BitsProcessed())) }

// codeRaw codes 225 bits per cube: all numbers in full.
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
		p.chargeCube(i)
		if c.Reading() && !p.findOrientation(k, q) {
			return
		}
	}
}

// codePositionFloats codes a position as three floats.
func (p *bitPacker) codePositionFloats(k *Cube) {
	c, v := p.c, k.Position()
	v = geom.Vec3{X: c.Float(v.X), Y: c.Float(v.Y), Z: c.Float(v.Z)}
	if c.Reading() {
		quantised := quantisePosition(v)
		if k.Pos = quantised; !sameBits(k.Position(), v) {
			c.Fail(quant.ErrNotCanonical)
		}
	}
}

// sameBits reports whether two vectors have the same bits. Unlike ==, it tells 0 from -0, which the writer never
// writes.
func sameBits(a, b geom.Vec3) bool {
	return math.Float32bits(a.X) == math.Float32bits(b.X) && math.Float32bits(a.Y) == math.Float32bits(b.Y) && math.Float32bits(a.Z) == math.Float32bits(b.Z)
}

// findOrientation sets the integers of k from q. If two components are equal, q does
// not tell which of them was omitted, so it tries all four.
func (p *bitPacker) findOrientation(k *Cube, q geom.Quat) bool {
	for k.Largest = range uint8(4) {
		k.Smallest = smallestComponents(q, k.Largest)
		if r := k.Rotation(); k.Valid() && sameBits(geom.Vec3{X: r.X, Y: r.Y, Z: r.Z}, geom.Vec3{X: q.X, Y: q.Y, Z: q.Z}) &&
			math.Float32bits(r.W) == math.Float32bits(q.W) {
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
		p.chargeCube(i)
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
		p.chargeCube(i)
	}
}

// codePosition codes a position in 50 bits.
func (p *bitPacker) codePosition(k *Cube) {
	for i := range k.Pos {
		k.Pos[i] = int32(p.c.Int(int(k.Pos[i]), int(MinPosition[i]), int(MaxPosition[i])))
	}
}

// codeOrientation codes a rotation in 29 bits.
func (p *bitPacker) codeOrientation(k *Orientation) {
	k.Largest = uint8(p.c.Bits(uint32(k.Largest), 2))
	for i := range k.Smallest {
		k.Smallest[i] = int16(p.c.Bits(uint32(k.Smallest[i]), 9))
	}
	p.checkOrientation(k)
}

// checkOrientation fails unless k is a rotation.
func (p *bitPacker) checkOrientation(k *Orientation) {
	if !k.Valid() {
		p.c.Fail(ErrOrientation)
	}
}

// codeChanged codes the cubes that differ from the baseline, from level ChangedBits on.
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
		p.changed = p.indices.Code(p.c, p.changed, len(p.cubes))
	}
	p.charge(&p.Index)
	p.spent.chargeShared(float64(p.c.BitsProcessed()))
	if p.c.Reading() {
		copy(p.cubes, p.baseline.cubes)
	}
	for _, i := range p.changed {
		k, b := &p.cubes[i], &p.baseline.cubes[i]
		p.codeCube(l, i, k, b)
		p.chargeCube(i)
		if p.c.Reading() && *k == *b {
			p.c.Fail(quant.ErrNotCanonical) // not changed
		}
		if p.c.Err() != nil {
			return
		}
	}
}

// codeCube codes a changed cube.
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

// codeRelativePosition codes a position as its difference from the baseline.
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

// codeRelativeOrientation codes a rotation as its difference from the baseline, if the
// same component is the largest and the differences fit.
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

// deltasFit reports whether o and b omit the same component and all differences fit.
func (o *Orientation) deltasFit(b *Orientation, fits func(int) bool) bool {
	for i := range o.Smallest {
		if !fits(int(o.Smallest[i]) - int(b.Smallest[i])) {
			return false
		}
	}
	return o.Largest == b.Largest
}

// checkedComponent returns a component that was read, after a range check.
func (p *bitPacker) checkedComponent(n int) int16 {
	if n < 0 || n > MaxComponent {
		p.c.Fail(quant.ErrRange)
		return 0
	}
	return int16(n)
}
