package statesync

import (
	"math/bits"

	"ghostcube/net/quant"
	"ghostcube/predict"
)

// The kinds of differences. Each has its own Golomb parameter, which the packet carries.
const (
	indexGap         = iota // bodies left out before a body
	relativePosition        // from the player's position
	relativeLinear          // from the velocity of a point fixed to the player
	relativeAngular         // from the player's angular velocity
	deltaPosition           // from the position predicted from a baseline
	deltaRotation
	deltaLinear
	deltaAngular
	differenceKinds // number of kinds
)

// golombParams are the bits of a typical difference, by kind, in [0,15].
type golombParams [differenceKinds]uint8

// defaultParams are a server's first parameters. They fit a katamari ball; the server adapts them to
// what it sends.
var defaultParams = golombParams{3, 12, 11, 13, 7, 9, 10, 12}

// code reads, writes or measures the parameters that a format needs.
func (g *golombParams) code(c *quant.Coder, f *format) {
	n := 0
	if f.relative {
		n = deltaPosition
	}
	if f.delta {
		n = differenceKinds
	}
	c.Label("golomb_params")
	for i := range g[:n] {
		k := int(defaultParams[i]) + unzigzag(codeGolomb(c, zigzag(int(g[i])-int(defaultParams[i])), 0))
		if k < 0 || k > 15 {
			c.Fail(predict.ErrMalformed)
			k = 0
		}
		g[i] = uint8(k)
	}
}

// maxGolombWidth is more bits than any difference on any grid needs, with its sign.
const maxGolombWidth = 22

// codeGolomb reads, writes or measures an integer v >= 0 of which small values are likely. The
// values are divided into steps: clear bits and a set one are the number of the step, and the bits
// that follow the place in it. The first three steps are k bits wide, and each later one is a bit
// wider than the one before. This costs 0.1 bits more than the entropy of the differences in a
// katamari ball.
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

// golombStep returns the step that contains v, its first value and its width in bits.
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

// golombBits returns the size of v as codeGolomb writes it, in bits.
func golombBits(v, k int) int {
	step, _, width := golombStep(v, k)
	return step + 1 + width
}

// zigzag maps signed integers to unsigned ones: 0, -1, 1, -2, 2 to 0, 1, 2, 3, 4.
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

// adaptiveShift follows the differences of one body while they are coded: if the first ones are
// longer than typical, the next ones will be too.
type adaptiveShift struct{ excessBits, count int }

// shift returns the number of bits by which the differences so far are longer than typical: their
// mean, rounded, together with one typical difference.
func (a *adaptiveShift) shift() int {
	n := a.count + 1
	return floorDiv(2*a.excessBits+n, 2*n)
}

func (a *adaptiveShift) add(d, k int) {
	a.excessBits += bits.Len(uint(max(d, -d))) - max(k-1, 0)
	a.count++
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// shiftedParam returns a parameter after a shift, within the allowed widths.
func shiftedParam(k, shift int) int { return min(max(k+shift, 0), maxGolombWidth-4) }

// paramTuner finds the parameters with which the differences sent would have been shortest.
type paramTuner struct {
	costs [differenceKinds][3]int // bits with the parameter less 1, with the parameter, and with the parameter plus 1
}

// add counts a difference that was sent.
func (t *paramTuner) add(kind, v, k, shift int) {
	for i := range t.costs[kind] {
		t.costs[kind][i] += golombBits(v, shiftedParam(k+i-1, shift))
	}
}

// adapt updates the parameters for the next packet. Older differences count less and less.
func (t *paramTuner) adapt(l *golombParams) {
	for kind := range t.costs {
		b := &t.costs[kind]
		change := 0
		switch {
		case b[0] < b[1] && b[0] <= b[2] && l[kind] > 0:
			change = -1
		case b[2] < b[1] && l[kind] < 15:
			change = 1
		}
		if change != 0 {
			l[kind], *b = uint8(int(l[kind])+change), [3]int{}
			continue
		}
		for i := range b {
			b[i] -= b[i] / 8
		}
	}
}
