package vp8

// quantiser quantises one kind of block. The first coefficient has a step of its own.
type quantiser struct {
	step    [2]int32 // of the first coefficient, and of the others
	inverse [2]int32 // 1<<16 divided by the step
	round   [2]int32 // added to a magnitude before the division; below half a step, because zeros are cheap
	quiet   int32    // sum of the absolute differences of a block below which all coefficients but the first become 0
}

// Shares of a step, in 1/128, that are added before the division.
const (
	roundIntra = 54
	roundInter = 22
)

func newQuantiser(first, others, round int32) (q quantiser) {
	q.step = [2]int32{first, others}
	for i, s := range q.step {
		q.inverse[i], q.round[i] = (1<<16+s-1)/s, s*round>>7
	}
	// No coefficient but the first is larger than 0.853 times the sum, from the factors of forwardDCT, and 4.8 for rounding.
	q.quiet = (others - q.round[1] - 5) * 8 / 7
	return q
}

// quantisers are those of a quantiser index.
type quantisers struct {
	luma, second, chroma quantiser
}

// newQuantisers returns the quantisers of an index from 0 to 127 (RFC 6386, section 14.1).
func newQuantisers(index int, round int32) quantisers {
	dc, ac := dcSteps[index], acSteps[index]
	return quantisers{
		luma:   newQuantiser(dc, ac, round),
		second: newQuantiser(2*dc, max(ac*155/100, 8), round),
		chroma: newQuantiser(min(dc, 132), ac, round),
	}
}

// maxLevel is the largest magnitude that a token codes.
const maxLevel = 2047

// block is one quantised block.
type block struct {
	levels [16]int16 // in zigzag order
	coefs  [16]int32 // what a decoder multiplies them to, in place
	end    int       // place after the last level that is not zero, in zigzag order
}

// quantise quantises the coefficients of a block from place first on.
func (q *quantiser) quantise(in *[16]int32, first int, b *block) {
	b.end = 0
	for i := first; i < 16; i++ {
		z := zigzag[i]
		k := min(i, 1)
		v := in[z]
		size := v
		if v < 0 {
			size = -v
		}
		size += q.round[k]
		if size < q.step[k] {
			b.levels[i], b.coefs[z] = 0, 0
			continue
		}
		level := min(size*q.inverse[k]>>16, maxLevel)
		if v < 0 {
			level = -level
		}
		b.levels[i], b.coefs[z] = int16(level), level*q.step[k]
		b.end = i + 1
	}
}

// quantiseFirst quantises a block whose coefficients from place 1 on become 0.
func (q *quantiser) quantiseFirst(v int32, b *block) {
	size := max(v, -v) + q.round[0]
	level := min(size*q.inverse[0]>>16, maxLevel)
	if size < q.step[0] {
		level = 0
	} else if b.end = 1; v < 0 {
		level = -level
	}
	b.levels[0], b.coefs[0] = int16(level), level*q.step[0]
}

// clear removes the levels of a block from place first on.
func (b *block) clear(first int) {
	for i := first; i < 16; i++ {
		b.levels[i], b.coefs[zigzag[i]] = 0, 0
	}
	b.end = 0
	if first > 0 && b.levels[0] != 0 {
		b.end = 1
	}
}

// scoreOf values a level of one by the number of zeros before it: the more, the longer its code for what it
// improves.
var scoreOf = [16]int{3, 2, 2, 1, 1, 1}

// keepScore is a score of levels that are always kept.
const keepScore = 100

// score values the levels of a block from place first on.
func (b *block) score(first int) (score int) {
	run := 0
	for i := first; i < b.end; i++ {
		switch b.levels[i] {
		case 0:
			run++
		case 1, -1:
			score += scoreOf[run]
			run = 0
		default:
			return keepScore
		}
	}
	return score
}
