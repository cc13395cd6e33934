package delta

import "ghostcube/net/quant"

// reference is the position of a cube that has changed as the reference program of
// the challenge has it (Fiedler, public domain, 2015): by the difference from where
// the base's last motion leads with some drag, gravity and a ground. referenceTurn
// is its rotation, by that from the base. Both have a short form where all three
// differences are small, and else three ranges.
//
// Two things are not as there. Its indices have a form that holds one distance
// too many for its bits; here they are quant.DenseSteps. And a position further
// off than 2047 half steps, for which it has no form, is whole.
func (p *packed) reference(i int, k, b *Cube) {
	c := p.c
	if c.Bool(k.At != b.At) {
		from := p.expected(i)
		n := zigzag(int(k.At[0]-from[0]), int(k.At[1]-from[1]), int(k.At[2]-from[2]))
		switch {
		case p.small(&n, 4), p.ranges(&n, 5, 6, 7, true):
			for a, d := range zagzig(n) {
				if k.At[a] = from[a] + int32(d); k.At[a] < Least[a] || k.At[a] > Most[a] {
					c.Fail(quant.ErrRange)
				}
			}
		default:
			p.position(k)
		}
	}
}

// referenceTurn is the rotation.
func (p *packed) referenceTurn(k, b *Cube) {
	c := p.c
	n := zigzag(int(k.Rest[0])-int(b.Rest[0]), int(k.Rest[1])-int(b.Rest[1]), int(k.Rest[2])-int(b.Rest[2]))
	if !c.Bool(k.Largest == b.Largest && max(n[0], n[1], n[2]) < reach(4, 5, 7)) {
		p.rotation(&k.Turn)
		return
	}
	k.Largest = b.Largest
	if !p.small(&n, 2) {
		p.ranges(&n, 4, 5, 7, false)
	}
	for a, d := range zagzig(n) {
		k.Rest[a] = p.component(int(b.Rest[a]) + d)
	}
	p.check(&k.Turn)
}

// expected is where the reference program expects a cube.
func (p *packed) expected(i int) (at [3]int32) {
	const gravity, ground = 3, 105 // of half a small cube, it lies no deeper
	b := &p.past.Base[i]
	at = b.At
	if o := p.past.Older; o != nil {
		for a := range at {
			way := int(b.At[a]-o[i].At[a]) * p.past.Since / p.past.Apart
			at[a] += int32(way + floorDiv(-62*way, 1000)) // less the drag, rounded up
		}
	}
	at[2] = max(at[2]-gravity, ground)
	return at
}

// small is three numbers of so many bits each, behind a bit that says so.
func (p *packed) small(n *[3]int, bits int) bool {
	if !p.c.Bool(max(n[0], n[1], n[2]) < 1<<bits) {
		return false
	}
	for i := range n {
		n[i] = int(p.c.Bits(uint32(n[i]), bits))
	}
	return true
}

// reach returns the first number beyond three ranges.
func reach(u, v, w int) int { return 1<<u + 1<<v + 1<<w }

// ranges is three numbers, each in the first of three ranges that it is in,
// behind a bit that says whether they are in these at all, if asked.
func (p *packed) ranges(n *[3]int, u, v, w int, asked bool) bool {
	c := p.c
	if asked && !c.Bool(max(n[0], n[1], n[2]) < reach(u, v, w)) {
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

// zagzig is zigzag the other way.
func zagzig(z [3]int) (n [3]int) {
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
