package vp8

// absDiff returns the absolute differences of eight pixels, added in pairs, in four 16-bit lanes.
func absDiff(a, b uint64) uint64 {
	const high = 0x0100010001000100
	even := (a&evenBytes | high) - b&evenBytes
	odd := (a>>8&evenBytes | high) - b>>8&evenBytes
	negEven, negOdd := ^even&high>>8, ^odd&high>>8
	return (even&evenBytes ^ negEven*0xff) + negEven + (odd&evenBytes ^ negOdd*0xff) + negOdd
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
func sad16(a []byte, aStride int, b []byte, bStride int, limit int) (sum int) {
	for range 4 {
		var rows uint64
		for y := range 4 {
			p, q := a[y*aStride:][:16], b[y*bStride:][:16]
			rows += absDiff(word(p), word(q)) + absDiff(word(p[8:]), word(q[8:]))
		}
		if sum += sumLanes(rows); sum > limit {
			break
		}
		a, b = a[4*aStride:], b[4*bStride:]
	}
	return sum
}

// sadAverage16 is sad16 with the mean of b and c in place of b.
func sadAverage16(a []byte, aStride int, b, c []byte, bStride int, limit int) (sum int) {
	for range 4 {
		var rows uint64
		for y := range 4 {
			p, q, r := a[y*aStride:][:16], b[y*bStride:][:16], c[y*bStride:][:16]
			rows += absDiff(word(p), average(word(q), word(r))) + absDiff(word(p[8:]), average(word(q[8:]), word(r[8:])))
		}
		if sum += sumLanes(rows); sum > limit {
			break
		}
		a, b, c = a[4*aStride:], b[4*bStride:], c[4*bStride:]
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
