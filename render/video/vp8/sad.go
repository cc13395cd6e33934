package vp8

// high is a bit above the byte in each 16-bit lane: a difference of two bytes does not borrow from the next lane.
const high = 0x0100010001000100

// splitWord is a word of eight pixels, spread to two words of 16-bit lanes, with the bits of high.
type splitWord struct{ even, odd uint64 }

func split(a uint64) splitWord { return splitWord{a&evenBytes | high, a>>8&evenBytes | high} }

// absDiff returns the absolute differences of eight pixels, added in pairs, in four 16-bit lanes.
func (s splitWord) absDiff(b uint64) uint64 {
	even, odd := s.even-b&evenBytes, s.odd-b>>8&evenBytes
	negEven, negOdd := ^even&high>>8, ^odd&high>>8
	return (even&evenBytes ^ negEven*0xff) + negEven + (odd&evenBytes ^ negOdd*0xff) + negOdd
}

func absDiff(a, b uint64) uint64 { return split(a).absDiff(b) }

// lanes16 are 16x16 pixels, spread.
type lanes16 [16][2]splitWord

// source16 are 16x16 pixels of a source, which are compared with many predictions.
type source16 struct {
	pix    []byte
	stride int
	lanes  lanes16 // without vectors: spread once for all predictions
}

func (s *source16) load(pix []byte, stride int) {
	s.pix, s.stride = pix[:15*stride+16], stride
	if !hasVectors {
		s.spread()
	}
}

func (s *source16) spread() {
	for y := range s.lanes {
		row := s.pix[y*s.stride:][:16]
		s.lanes[y] = [2]splitWord{split(word(row)), split(word(row[8:]))}
	}
}

// average returns the means of eight pairs of pixels, rounded up.
func average(a, b uint64) uint64 {
	return (a | b) - (a^b)>>1&0x7f7f7f7f7f7f7f7f
}

// sumLanes adds four 16-bit lanes, whose sum fits into 32 bits.
func sumLanes(v uint64) int {
	v = v&0x0000ffff0000ffff + v>>16&0x0000ffff0000ffff
	return int(v&0xffffffff + v>>32)
}

// sad16 returns the sum of absolute differences of 16x16 pixels, or any sum above limit if it is above limit.
func sad16(a *source16, b []byte, stride int, limit int) int {
	if hasVectors {
		b = b[:15*stride+16]
		return sadVectors(&a.pix[0], a.stride, &b[0], stride)
	}
	return a.lanes.sad(b, stride, limit)
}

// sad is sad16 without vectors.
func (l *lanes16) sad(b []byte, stride int, limit int) (sum int) {
	for y := 0; y < 16; y += 4 {
		var rows uint64
		for i := range 4 {
			p, q := &l[y+i], b[i*stride:][:16]
			rows += p[0].absDiff(word(q)) + p[1].absDiff(word(q[8:]))
		}
		if sum += sumLanes(rows); sum > limit {
			break
		}
		b = b[4*stride:]
	}
	return sum
}

// sadAverage16 is sad16 with the mean of b and c in place of b.
func sadAverage16(a *source16, b, c []byte, stride int, limit int) int {
	if hasVectors {
		b, c = b[:15*stride+16], c[:15*stride+16]
		return sadAverageVectors(&a.pix[0], a.stride, &b[0], &c[0], stride)
	}
	return a.lanes.sadAverage(b, c, stride, limit)
}

// sadAverage is sadAverage16 without vectors.
func (l *lanes16) sadAverage(b, c []byte, stride int, limit int) (sum int) {
	for y := 0; y < 16; y += 4 {
		var rows uint64
		for i := range 4 {
			p, q, r := &l[y+i], b[i*stride:][:16], c[i*stride:][:16]
			rows += p[0].absDiff(average(word(q), word(r))) + p[1].absDiff(average(word(q[8:]), word(r[8:])))
		}
		if sum += sumLanes(rows); sum > limit {
			break
		}
		b, c = b[4*stride:], c[4*stride:]
	}
	return sum
}

// sad8 returns the sum of absolute differences of 8x8 pixels.
func sad8(a []byte, aStride int, b []byte, bStride int) int {
	var rows uint64
	for y := range 8 {
		rows += absDiff(word(a[y*aStride:]), word(b[y*bStride:]))
	}
	return sumLanes(rows)
}
