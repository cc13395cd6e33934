package statesync

import (
	"math/bits"

	"ghostcube/net/quant"
)

// What is sent by its difference from what is expected, each kind with a length
// of its own. The packet itself says them.
const (
	gaps     = iota // between the numbers of bodies
	nearPos         // from the player's
	nearLin         // from what it would be if the body were fixed to the player
	nearAng         // likewise
	basedPos        // from what is expected after a base
	basedRot
	basedLin
	basedAng
	differences // how many kinds there are
)

// lengths are bits of the usual differences, by kind, in [0,15].
type lengths [differences]uint8

// usual is what a server begins with: what fits a katamari ball. The grid may be
// coarser; they follow what is sent.
var usual = lengths{3, 12, 11, 13, 7, 9, 10, 12}

// code reads, writes or measures those that a form needs.
func (l *lengths) code(c *quant.Coder, f *form) {
	n := 0
	if f.relative {
		n = basedPos
	}
	if f.delta {
		n = differences
	}
	c.Name("lengths")
	for i := range l[:n] {
		k := int(usual[i]) + unfolded(count(c, folded(int(l[i])-int(usual[i])), 0))
		if k < 0 || k > 15 {
			c.Fail(errMessage)
			k = 0
		}
		l[i] = uint8(k)
	}
}

// longest is more than any difference on any grid needs, doubled for its sign.
const longest = 22

// count reads, writes or measures a number from 0 on of which small ones are
// likely: clear bits and a set one say on which step it lies, and as many bits as
// that is wide where. The first three steps are k bits wide, each later one a bit
// wider than the one before. That costs 0.1 bits more than the entropy of the
// differences in a katamari ball.
func count(c *quant.Coder, v, k int) int {
	if !c.Reading() {
		step, first, width := stepOf(v, k)
		c.Bits(1<<step, step+1)
		if width > 0 {
			c.Bits(uint32(v-first), width)
		}
		return v
	}
	first, width := 0, k
	for step := 1; !c.Bool(false); step++ {
		if first += 1 << width; step >= 3 {
			width++
		}
		if width > longest || c.Err() != nil {
			c.Fail(errMessage)
			return 0
		}
	}
	if width > 0 {
		first += int(c.Bits(0, width))
	}
	return first
}

// stepOf is the step that a number lies on, where it begins and how wide it is.
func stepOf(v, k int) (step, first, width int) {
	width = k
	for v-first >= 1<<width {
		first += 1 << width
		if step++; step >= 3 {
			width++
		}
	}
	return step, first, width
}

// countBits is what count takes.
func countBits(v, k int) int {
	step, _, width := stepOf(v, k)
	return step + 1 + width
}

// folded is a number with a sign as one without: 0, -1, 1, -2, 2 are 0 to 4.
func folded(d int) int {
	if d < 0 {
		return -2*d - 1
	}
	return 2 * d
}

func unfolded(v int) int {
	if v&1 != 0 {
		return -(v + 1) / 2
	}
	return v / 2
}

// run is the differences of one body, one after the other: where the first ones
// are longer than usual, so are the next.
type run struct{ longer, n int }

// shift is by how much they are, so far: the mean, rounded, with one that is as
// usual before them.
func (r *run) shift() int {
	n := r.n + 1
	return floorDiv(2*r.longer+n, 2*n)
}

func (r *run) add(d, k int) {
	r.longer += bits.Len(uint(max(d, -d))) - max(k-1, 0)
	r.n++
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// shifted is a length after a shift, within what a step may be.
func shifted(k, by int) int { return min(max(k+by, 0), longest-4) }

// tally finds out which lengths would have been the shortest.
type tally struct {
	bits [differences][3]int // of what was sent, had its length been one less, as it was, or one more
}

// add takes in a number that was sent.
func (t *tally) add(kind, v, k, shift int) {
	for i := range t.bits[kind] {
		t.bits[kind][i] += countBits(v, shifted(k+i-1, shift))
	}
}

// settle makes the lengths of the next packet from those of the last ones.
func (t *tally) settle(l *lengths) {
	for kind := range t.bits {
		b := &t.bits[kind]
		by := 0
		switch {
		case b[0] < b[1] && b[0] <= b[2] && l[kind] > 0:
			by = -1
		case b[2] < b[1] && l[kind] < 15:
			by = 1
		}
		if by != 0 {
			l[kind], *b = uint8(int(l[kind])+by), [3]int{}
			continue
		}
		for i := range b {
			b[i] -= b[i] / 8
		}
	}
}
