package delta

import "ghostcube/net/quant"

// codeReferencePosition codes the position of a changed cube as the reference program
// of the challenge does (Fiedler, public domain, 2015): relative to an extrapolation
// with drag, gravity and a ground. codeReferenceOrientation codes the rotation relative
// to the baseline. Both have a short form for three small differences and otherwise
// three ranges.
//
// There are two deviations. The program's encoding of indices has one distance too many
// for its bits; here it is quant.DenseIndexBuckets. And a position too far from the
// prediction, for which the program has no encoding, is absolute.
func (p *bitPacker) codeReferencePosition(i int, k, b *Cube) {
	c := p.c
	if c.Bool(k.Pos != b.Pos) {
		predicted := p.referencePrediction(i)
		n := zigzag(int(k.Pos[0]-predicted[0]), int(k.Pos[1]-predicted[1]), int(k.Pos[2]-predicted[2]))
		switch {
		case p.codeSmall(&n, 4), p.codeRanges(&n, 5, 6, 7, true):
			for a, d := range unzigzag(n) {
				if k.Pos[a] = predicted[a] + int32(d); k.Pos[a] < MinPosition[a] || k.Pos[a] > MaxPosition[a] {
					c.Fail(quant.ErrRange)
				}
			}
		default:
			p.codePosition(k)
		}
	}
}

// codeReferenceOrientation codes the rotation of a changed cube.
func (p *bitPacker) codeReferenceOrientation(k, b *Cube) {
	c := p.c
	n := zigzag(int(k.Smallest[0])-int(b.Smallest[0]), int(k.Smallest[1])-int(b.Smallest[1]), int(k.Smallest[2])-int(b.Smallest[2]))
	if !c.Bool(k.Largest == b.Largest && max(n[0], n[1], n[2]) < rangesEnd(4, 5, 7)) {
		p.codeOrientation(&k.Orientation)
		return
	}
	k.Largest = b.Largest
	if !p.codeSmall(&n, 2) {
		p.codeRanges(&n, 4, 5, 7, false)
	}
	for a, d := range unzigzag(n) {
		k.Smallest[a] = p.checkedComponent(int(b.Smallest[a]) + d)
	}
	p.checkOrientation(&k.Orientation)
}

// referencePrediction returns the position that the reference program predicts.
func (p *bitPacker) referencePrediction(i int) (at [3]int32) {
	const gravity, ground = 3, 105 // half the height of a small cube
	b := &p.baseline.cubes[i]
	at = b.Pos
	if o := p.baseline.olderCubes; o != nil {
		for a := range at {
			step := int(b.Pos[a]-o[i].Pos[a]) * p.baseline.age / p.baseline.olderGap
			at[a] += int32(step + floorDiv(-62*step, 1000)) // minus drag, rounded up
		}
	}
	at[2] = max(at[2]-gravity, ground)
	return at
}

// codeSmall codes three numbers of the given width, after a bit that is set if they
// fit.
func (p *bitPacker) codeSmall(n *[3]int, bits int) bool {
	if !p.c.Bool(max(n[0], n[1], n[2]) < 1<<bits) {
		return false
	}
	for i := range n {
		n[i] = int(p.c.Bits(uint32(n[i]), bits))
	}
	return true
}

// rangesEnd returns the first number beyond three ranges.
func rangesEnd(u, v, w int) int { return 1<<u + 1<<v + 1<<w }

// codeRanges codes three numbers, each in the first of three ranges that contains it.
// With escape, a bit before them is clear if one of them is beyond the ranges.
func (p *bitPacker) codeRanges(n *[3]int, u, v, w int, escape bool) bool {
	c := p.c
	if escape && !c.Bool(max(n[0], n[1], n[2]) < rangesEnd(u, v, w)) {
		return false
	}
	for i := range n {
		switch {
		case c.Bool(n[i] < 1<<u):
			n[i] = int(c.Bits(uint32(n[i]), u))
		case c.Bool(n[i] < 1<<u+1<<v):
			n[i] = 1<<u + int(c.Bits(uint32(n[i]-1<<u), v))
		default:
			n[i] = 1<<u + 1<<v + int(c.Bits(uint32(n[i]-1<<u-1<<v), w))
		}
	}
	return true
}

// zigzag maps signed numbers to unsigned ones: 0, -1, 1, -2 become 0, 1, 2, 3.
func zigzag(n ...int) (z [3]int) {
	for i := range z {
		z[i] = max(2*n[i], -2*n[i]-1)
	}
	return z
}

// unzigzag is the inverse of zigzag.
func unzigzag(z [3]int) (n [3]int) {
	for i := range z {
		n[i] = z[i] / 2
		if z[i]%2 != 0 {
			n[i] = -n[i] - 1
		}
	}
	return n
}

// floorDiv returns a/b, rounded down, for b above zero.
func floorDiv(a, b int) int {
	if a < 0 {
		return -((b - 1 - a) / b)
	}
	return a / b
}
