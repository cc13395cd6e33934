package vp8

// vector is a motion vector in eighths of a pixel. Those of luma are even: the bitstream has quarters.
type vector struct{ x, y int16 }

func (v vector) minus(w vector) vector { return vector{v.x - w.x, v.y - w.y} }

// Modes of macroblocks that are predicted from a reference, in the order of their tree.
const (
	modeZero = iota
	modeNearest
	modeNear
	modeNew // the vector is in the bitstream, relative to the best one nearby
)

// nearby are the motion vectors of the macroblocks around one (RFC 6386, section 18.3).
type nearby struct {
	nearest, near, best vector
	votes               [4]uint8 // contexts of the mode
}

// findNearby weighs the vectors above, to the left, and above to the left.
func (e *Encoder) findNearby(mbX, mbY int) (n nearby) {
	var found [4]vector // found[0] stands for zero
	count := 0
	visit := func(m *macroblock, weight uint8) {
		switch {
		case m.intra:
		case m.vector == vector{}:
			n.votes[0] += weight
		default:
			if count == 0 || m.vector != found[count] {
				count++
				found[count] = m.vector
			}
			n.votes[count] += weight
		}
	}
	i := mbY*e.mbsX + mbX
	if mbY > 0 {
		visit(&e.mbs[i-e.mbsX], 2)
	}
	if mbX > 0 {
		visit(&e.mbs[i-1], 2)
	}
	if mbX > 0 && mbY > 0 {
		visit(&e.mbs[i-e.mbsX-1], 1)
	}
	if n.votes[3] > 0 && found[count] == found[1] {
		n.votes[1]++
	}
	n.votes[3] = 0 // the votes for split macroblocks, of which there are none
	if n.votes[2] > n.votes[1] {
		n.votes[1], n.votes[2] = n.votes[2], n.votes[1]
		found[1], found[2] = found[2], found[1]
	}
	if n.votes[1] >= n.votes[0] {
		found[0] = found[1]
	}
	n.nearest, n.near, n.best = e.limit(found[1], mbX, mbY), e.limit(found[2], mbX, mbY), e.limit(found[0], mbX, mbY)
	return n
}

// limit keeps a macroblock within 16 pixels of the picture.
func (e *Encoder) limit(v vector, mbX, mbY int) vector {
	const mb = 16 << 3
	return vector{
		int16(min(max(int(v.x), -(mbX+1)*mb), (e.mbsX-mbX)*mb)),
		int16(min(max(int(v.y), -(mbY+1)*mb), (e.mbsY-mbY)*mb)),
	}
}

// modeProbs are the probabilities of the modes' tree by the votes of findNearby.
var modeProbs = [6][4]uint8{{7, 1, 1, 143}, {14, 18, 14, 107}, {135, 64, 57, 68}, {60, 56, 128, 65}, {159, 134, 128, 34}, {234, 188, 128, 28}}

// modeCost returns the length of a mode in 1/256 bits, without its vector.
func (n *nearby) modeCost(mode int) (cost int) {
	for k := range mode {
		cost += bitCost(1, modeProbs[n.votes[k]][k])
	}
	return cost + bitCost(0, modeProbs[n.votes[mode]][mode])
}

// vectorProbs is the number of probabilities for one component of a vector: whether it is long, its sign, the
// seven of the tree of short ones, and the ten bits of long ones.
const (
	vectorIsLong  = 0
	vectorSign    = 1
	vectorShort   = 2
	vectorBits    = 9
	vectorProbs   = 19
	longest       = 10 // bits
	shortestLong  = 8  // length from which a component is long
	maxDifference = 1<<longest - 1
)

// The probabilities of vertical and of horizontal components, and of keeping them (RFC 6386, section 17.2).
var (
	defaultVectorProbs = [2][vectorProbs]uint8{
		{162, 128, 225, 146, 172, 147, 214, 39, 156, 128, 129, 132, 75, 145, 178, 206, 239, 254, 254},
		{164, 128, 204, 170, 119, 235, 140, 230, 228, 128, 130, 130, 74, 148, 180, 203, 236, 254, 254},
	}
	vectorUpdateProbs = [2][vectorProbs]uint8{
		{237, 246, 253, 253, 254, 254, 254, 254, 254, 254, 254, 254, 254, 254, 250, 250, 252, 254, 254},
		{231, 243, 245, 253, 254, 254, 254, 254, 254, 254, 254, 254, 254, 254, 251, 251, 254, 254, 254},
	}
)

// vectorBit is a bit of a component, with the index of its probability.
type vectorBit struct {
	prob uint8
	bit  uint8
}

// appendComponent appends the bits of a component in quarters of a pixel.
func appendComponent(dst []vectorBit, v int) []vectorBit {
	size := max(v, -v)
	add := func(prob, bit int) { dst = append(dst, vectorBit{uint8(prob), uint8(bit & 1)}) }
	if size < shortestLong {
		add(vectorIsLong, 0)
		add(vectorShort, size>>2)
		add(vectorShort+1+3*(size>>2), size>>1)
		add(vectorShort+2+3*(size>>2)+size>>1&1, size)
	} else {
		add(vectorIsLong, 1)
		for i := range 3 {
			add(vectorBits+i, size>>i)
		}
		for i := longest - 1; i > 3; i-- {
			add(vectorBits+i, size>>i)
		}
		if size > 15 { // otherwise bit 3 is set, because the component is long
			add(vectorBits+3, size>>3)
		}
	}
	if size != 0 {
		sign := 0
		if v < 0 {
			sign = 1
		}
		add(vectorSign, sign)
	}
	return dst
}

// vectorCosts are the lengths of components with the default probabilities in 1/256 bits, from -maxDifference.
var vectorCosts = makeVectorCosts()

func makeVectorCosts() (t [2][2*maxDifference + 1]int32) {
	var bits []vectorBit
	for c := range t {
		for i := range t[c] {
			bits = appendComponent(bits[:0], i-maxDifference)
			for _, b := range bits {
				t[c][i] += int32(bitCost(int(b.bit), defaultVectorProbs[c][b.prob]))
			}
		}
	}
	return t
}

// vectorCost returns the length of a difference of vectors in 1/256 bits.
func vectorCost(d vector) int {
	x, y := int(d.x)>>1+maxDifference, int(d.y)>>1+maxDifference
	if uint(x) > 2*maxDifference || uint(y) > 2*maxDifference {
		return 1 << 24
	}
	return int(vectorCosts[0][y] + vectorCosts[1][x])
}

// search is the search for the motion of one macroblock.
type search struct {
	e        *Encoder
	x, y     int // pixels of the macroblock
	mbX, mbY int
	source   source16
	near     nearby
	newCost  int // length of modeNew without its vector

	best     vector
	bestMode int
	bestCost int // sum of absolute differences and weighted bits
	bestSAD  int
}

// try takes a vector if it is the best so far.
func (s *search) try(v vector, mode, cost int) bool {
	bits := cost * s.e.frame.lambda >> 8
	if bits >= s.bestCost {
		return false
	}
	sad := s.e.half.sad(&s.source, s.x, s.y, v, s.bestCost-bits)
	if sad+bits >= s.bestCost {
		return false
	}
	s.best, s.bestMode, s.bestCost, s.bestSAD = v, mode, sad+bits, sad
	return true
}

// tryNew takes a vector that the bitstream would have to contain, if it is the best so far.
func (s *search) tryNew(v vector) bool {
	if v != s.e.limit(v, s.mbX, s.mbY) {
		return false
	}
	return s.try(v, modeNew, s.newCost+vectorCost(v.minus(s.near.best)))
}

// around are the directions of a step.
var around = [8]vector{{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {1, -1}, {-1, 1}, {1, 1}}

// descend steps to the best of the vectors around the present one until none is better, or for a number of
// steps. It does not look back. directions is 4 or 8.
func (s *search) descend(step int16, directions, steps int) {
	before := s.best
	for range steps {
		center, moved := s.best, false
		for _, d := range around[:directions] {
			if v := (vector{center.x + d.x*step, center.y + d.y*step}); v != before && s.tryNew(v) {
				moved = true
			}
		}
		if !moved {
			return
		}
		before = center
	}
}

// Sums of absolute differences in a macroblock below which the search ends.
const (
	sadGood = 256 // one a pixel
	sadPoor = 256 * 6
)

// run searches. The best vector is that of a neighbour, or of the same place in the frame before, or close to
// one of them, because most motion is the camera's.
func (s *search) run(before vector) {
	s.bestCost = 1 << 30
	s.newCost = s.near.modeCost(modeNew)
	s.try(vector{}, modeZero, s.near.modeCost(modeZero))
	if s.near.nearest != (vector{}) {
		s.try(s.near.nearest, modeNearest, s.near.modeCost(modeNearest))
	}
	if s.near.near != (vector{}) {
		s.try(s.near.near, modeNear, s.near.modeCost(modeNear))
	}
	if s.bestSAD < sadGood/2 {
		return
	}
	if before != s.best {
		s.tryNew(before)
	}
	if s.near.best != s.best {
		s.tryNew(s.near.best)
	}
	if s.bestSAD > sadPoor {
		whole := vector{s.best.x &^ 7, s.best.y &^ 7}
		if whole != s.best {
			s.tryNew(whole)
		}
		for step := int16(8 << 3); step >= 2<<3; step >>= 1 {
			s.descend(step, 4, 4)
		}
	}
	if s.bestSAD > sadGood {
		s.descend(1<<3, 4, 8)
		s.descend(4, 4, 2)
		if !s.e.frame.discarded { // quarters of a pixel, which last longer in frames from which others are predicted
			s.descend(2, 4, 2)
		}
	}
}
