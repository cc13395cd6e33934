package statesync

import (
	"math/bits"

	"ghostcube/net/quant"
	"ghostcube/predict"
)

// What is sent by its difference from what is expected, each kind with a length
// of its own. The packet itself says them.
const (
	indexGap         = iota // between the numbers of bodies
	relativePosition        // from the player's
	relativeLinear          // from what it would be if the body were fixed to the player
	relativeAngular         // likewise
	deltaPosition           // from what is expected after a base
	deltaRotation
	deltaLinear
	deltaAngular
	differenceKinds // how many kinds there are
)

// golombParams are bits of the usual differences, by kind, in [0,15].
type golombParams [differenceKinds]uint8

// defaultParams is what a server begins with: what fits a katamari ball. The grid may be
// coarser; they follow what is sent.
var defaultParams = golombParams{3, 12, 11, 13, 7, 9, 10, 12}

// code reads, writes or measures those that a form needs.
func (l *golombParams) code(c *quant.Coder, f *format) {
	n := 0
	if f.relative {
		n = deltaPosition
	}
	if f.delta {
		n = differenceKinds
	}
	c.Label("golomb_params")
	for i := range l[:n] {
		k := int(defaultParams[i]) + unzigzag(codeGolomb(c, zigzag(int(l[i])-int(defaultParams[i])), 0))
		if k < 0 || k > 15 {
			c.Fail(predict.ErrMalformed)
			k = 0
		}
		l[i] = uint8(k)
	}
}

// maxGolombWidth is more than any difference on any grid needs, doubled for its sign.
const maxGolombWidth = 22

// codeGolomb reads, writes or measures a number from 0 on of which small ones are
// likely: clear bits and a set one say on which step it lies, and as many bits as
// that is wide where. The first three steps are k bits wide, each later one a bit
// wider than the one before. That costs 0.1 bits more than the entropy of the
// differences in a katamari ball.
func codeGolomb(c *quant.Coder, v, k int) int {
	if !c.Reading() {
		step, first, width := golombStep(v, k)
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
		if width > maxGolombWidth || c.Err() != nil {
			c.Fail(predict.ErrMalformed)
			return 0
		}
	}
	if width > 0 {
		first += int(c.Bits(0, width))
	}
	return first
}

// golombStep is the step that a number lies on, where it begins and how wide it is.
func golombStep(v, k int) (step, first, width int) {
	width = k
	for v-first >= 1<<width {
		first += 1 << width
		if step++; step >= 3 {
			width++
		}
	}
	return step, first, width
}

// golombBits is what count takes.
func golombBits(v, k int) int {
	step, _, width := golombStep(v, k)
	return step + 1 + width
}

// zigzag is a number with a sign as one without: 0, -1, 1, -2, 2 are 0 to 4.
func zigzag(d int) int {
	if d < 0 {
		return -2*d - 1
	}
	return 2 * d
}

func unzigzag(v int) int {
	if v&1 != 0 {
		return -(v + 1) / 2
	}
	return v / 2
}

// adaptiveShift is the differences of one body, one after the other: where the first ones
// are longer than usual, so are the next.
type adaptiveShift struct{ excessBits, count int }

// shift is by how much they are, so far: the mean, rounded, with one that is as
// usual before them.
func (r *adaptiveShift) shift() int {
	n := r.count + 1
	return floorDiv(2*r.excessBits+n, 2*n)
}

func (r *adaptiveShift) add(d, k int) {
	r.excessBits += bits.Len(uint(max(d, -d))) - max(k-1, 0)
	r.count++
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// shiftedParam is a length after a shift, within what a step may be.
func shiftedParam(k, by int) int { return min(max(k+by, 0), maxGolombWidth-4) }

// paramTuner finds out which lengths would have been the shortest.
type paramTuner struct {
	costs [differenceKinds][3]int // of what was sent, had its length been one less, as it was, or one more
}

// add takes in a number that was sent.
func (t *paramTuner) add(kind, v, k, shift int) {
	for i := range t.costs[kind] {
		t.costs[kind][i] += golombBits(v, shiftedParam(k+i-1, shift))
	}
}

// adapt makes the lengths of the next packet from those of the last ones.
func (t *paramTuner) adapt(l *golombParams) {
	for kind := range t.costs {
		b := &t.costs[kind]
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
