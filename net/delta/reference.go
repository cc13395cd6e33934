package delta

import "ghostcube/net/quant"

// codeReferencePosition is the position of a cube that has changed as the reference program of
// the challenge has it (Fiedler, public domain, 2015): by the difference from where
// the base's last motion leads with some drag, gravity and a ground. referenceTurn
// is its rotation, by that from the base. Both have a short form where all three
// differences are small, and else three ranges.
//
// Two things are not as there. Its indices have a form that holds one distance
// too many for its bits; here they are quant.DenseSteps. And a position further
// off than 2047 half steps, for which it has no form, is whole.
func (p *bitPacker) codeReferencePosition(i int, k, b *Cube) {
	c := p.c
	if c.Bool(k.Pos != b.Pos) {
		from := p.referencePrediction(i)
		n := zigzag(int(k.Pos[0]-from[0]), int(k.Pos[1]-from[1]), int(k.Pos[2]-from[2]))
		switch {
		case p.codeSmall(&n, 4), p.codeRanges(&n, 5, 6, 7, true):
			for a, d := range unzigzag(n) {
				if k.Pos[a] = from[a] + int32(d); k.Pos[a] < MinPosition[a] || k.Pos[a] > MaxPosition[a] {
					c.Fail(quant.ErrRange)
				}
			}
		default:
			p.codePosition(k)
		}
	}
}

// codeReferenceOrientation is the rotation.
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

// referencePrediction is where the reference program expects a cube.
func (p *bitPacker) referencePrediction(i int) (at [3]int32) {
	const gravity, ground = 3, 105 // of half a small cube, it lies no deeper
	b := &p.baseline.cubes[i]
	at = b.Pos
	if o := p.baseline.olderCubes; o != nil {
		for a := range at {
			way := int(b.Pos[a]-o[i].Pos[a]) * p.baseline.age / p.baseline.olderGap
			at[a] += int32(way + floorDiv(-62*way, 1000)) // less the drag, rounded up
		}
	}
	at[2] = max(at[2]-gravity, ground)
	return at
}

// codeSmall is three numbers of so many bits each, behind a bit that says so.
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

// codeRanges is three numbers, each in the first of three ranges that it is in,
// behind a bit that says whether they are in these at all, if asked.
func (p *bitPacker) codeRanges(n *[3]int, u, v, w int, asked bool) bool {
	c := p.c
	if asked && !c.Bool(max(n[0], n[1], n[2]) < rangesEnd(u, v, w)) {
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

// zigzag returns numbers without their sign: 0, -1, 1, -2 are 0, 1, 2, 3.
func zigzag(n ...int) (z [3]int) {
	for i := range z {
		z[i] = max(2*n[i], -2*n[i]-1)
	}
	return z
}

// unzigzag is zigzag the other way.
func unzigzag(z [3]int) (n [3]int) {
	for i := range z {
		n[i] = z[i] / 2
		if z[i]%2 != 0 {
			n[i] = -n[i] - 1
		}
	}
	return n
}

// floorDiv returns a/b, b above zero, rounded down.
func floorDiv(a, b int) int {
	if a < 0 {
		return -((b - 1 - a) / b)
	}
	return a / b
}
