package vp8

// Pixels between pixels are computed with filters of six taps (RFC 6386, section 18.3), here for eight pixels
// at once in the 16-bit lanes of two words.

// taps are the magnitudes of a filter's taps. The second and the fifth are subtracted.
type taps [6]uint64

// sixTaps are the filters by eighths of a pixel.
var sixTaps = [8]taps{
	{0, 0, 128, 0, 0, 0}, {0, 6, 123, 12, 1, 0}, {2, 11, 108, 36, 8, 1}, {0, 9, 93, 50, 6, 0},
	{3, 16, 77, 77, 16, 3}, {0, 6, 50, 93, 9, 0}, {1, 8, 36, 108, 11, 2}, {0, 1, 12, 123, 6, 0},
}

const (
	lanes     = 0x0001000100010001 // one in each 16-bit lane
	evenBytes = 0x00ff00ff00ff00ff

	// filterBias keeps sums of taps above zero: no filter subtracts more than 32*255.
	filterBias = 1 << 13
)

// filter8 filters eight pixels: a to f are the words at the six taps.
func filter8(a, b, c, d, e, f uint64, t *taps) uint64 {
	const bias = (filterBias + 64) * lanes
	even := bias + a&evenBytes*t[0] + c&evenBytes*t[2] + d&evenBytes*t[3] + f&evenBytes*t[5] - b&evenBytes*t[1] - e&evenBytes*t[4]
	odd := bias + a>>8&evenBytes*t[0] + c>>8&evenBytes*t[2] + d>>8&evenBytes*t[3] + f>>8&evenBytes*t[5] - b>>8&evenBytes*t[1] - e>>8&evenBytes*t[4]
	return scale4(even) | scale4(odd)<<8
}

// scale4 divides four sums by 128, removes the bias and limits them to a byte.
func scale4(sums uint64) uint64 {
	const offset = filterBias >> 7
	v := sums>>7&(0x1ff*lanes) | 0x8000*lanes
	v -= offset * lanes
	v &= v >> 15 & lanes * 0xffff // below zero: 0; otherwise 0x8000 and the value, up to 319
	v |= v >> 8 & lanes * 0xff    // above 255: 255
	return v & evenBytes
}

// predictInter predicts n times n pixels, n being 8 or 16, from those of a reference at x, y displaced by eighths of a
// pixel.
func predictInter(ref *plane, x, y, n int, v vector, dst []byte, stride int) {
	at := ref.at(x+int(v.x)>>3, y+int(v.y)>>3)
	tx, ty := v.x&7, v.y&7
	switch {
	case tx == 0 && ty == 0:
		copyPixels(dst, stride, ref.pix[at:], ref.stride, n)
	case ty == 0:
		filterRows(dst, stride, ref.pix[at-2:], ref.stride, n, n, &sixTaps[tx])
	case tx == 0:
		filterColumns(dst, stride, ref.pix[at-2*ref.stride:], ref.stride, n, n, &sixTaps[ty])
	default:
		var between [21 * 16]byte
		filterRows(between[:], 16, ref.pix[at-2*ref.stride-2:], ref.stride, n, n+5, &sixTaps[tx])
		filterColumns(dst, stride, between[:], 16, n, n, &sixTaps[ty])
	}
}

// filterRows filters along rows of w pixels; src begins two pixels to their left.
func filterRows(dst []byte, dstStride int, src []byte, srcStride, w, h int, t *taps) {
	if hasVectors {
		for x := 0; x < w; x += 8 {
			d, s := dst[x:][:(h-1)*dstStride+8], src[x:][:(h-1)*srcStride+13]
			filterVectors(&d[0], dstStride, &s[0], srcStride, 1, h, t)
		}
		return
	}
	filterRowsByWord(dst, dstStride, src, srcStride, w, h, t)
}

// filterRowsByWord is filterRows without vectors.
func filterRowsByWord(dst []byte, dstStride int, src []byte, srcStride, w, h int, t *taps) {
	for range h {
		for x := 0; x < w; x += 8 {
			s := src[x : x+13 : x+13]
			putWord(dst[x:], filter8(word(s), word(s[1:]), word(s[2:]), word(s[3:]), word(s[4:]), word(s[5:]), t))
		}
		if len(dst) <= dstStride || len(src) <= srcStride {
			return
		}
		dst, src = dst[dstStride:], src[srcStride:]
	}
}

// filterColumns filters along columns of h pixels; src begins two rows above them.
func filterColumns(dst []byte, dstStride int, src []byte, srcStride, w, h int, t *taps) {
	if hasVectors {
		for x := 0; x < w; x += 8 {
			d, s := dst[x:][:(h-1)*dstStride+8], src[x:][:(h+4)*srcStride+8]
			filterVectors(&d[0], dstStride, &s[0], srcStride, srcStride, h, t)
		}
		return
	}
	filterColumnsByWord(dst, dstStride, src, srcStride, w, h, t)
}

// filterColumnsByWord is filterColumns without vectors.
func filterColumnsByWord(dst []byte, dstStride int, src []byte, srcStride, w, h int, t *taps) {
	for x := 0; x < w; x += 8 {
		a, b, c := word(src[x:]), word(src[x+srcStride:]), word(src[x+2*srcStride:])
		d, e := word(src[x+3*srcStride:]), word(src[x+4*srcStride:])
		for y := range h {
			f := word(src[x+(y+5)*srcStride:])
			putWord(dst[x+y*dstStride:], filter8(a, b, c, d, e, f, t))
			a, b, c, d, e = b, c, d, e, f
		}
	}
}
