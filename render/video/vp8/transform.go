package vp8

// The forward transforms are approximations that suit the inverse ones of RFC 6386, section 14, with which
// decoders and this encoder reconstruct pictures.

// pairDifferences returns the sums of the absolute differences and of the differences between a source and its
// prediction in two blocks of 4x4 pixels side by side.
func pairDifferences(source, predicted []byte, stride int) (size, sum [2]int32) {
	var sizes, ours, theirs uint64 // in lanes, of two columns each
	for y := range 4 {
		a, b := word(source[y*stride:]), word(predicted[y*stride:])
		sizes += absDiff(a, b)
		ours += a&evenBytes + a>>8&evenBytes
		theirs += b&evenBytes + b>>8&evenBytes
	}
	add := func(v uint64) int32 { return int32(v&0xffff + v>>16&0xffff) }
	return [2]int32{add(sizes), add(sizes >> 32)}, [2]int32{add(ours) - add(theirs), add(ours>>32) - add(theirs>>32)}
}

// firstCoefficient returns the first coefficient of forwardDCT of a block by the sum of its differences.
func firstCoefficient(sum int32) int32 { return (sum<<3 + 7) >> 4 }

// forwardDCT transforms the difference of 4x4 pixels of a source and of their prediction.
func forwardDCT(source []byte, sourceStride int, predicted []byte, stride int, out *[16]int32) {
	var t [16]int32
	for y := range 4 {
		s, p := source[y*sourceStride:][:4], predicted[y*stride:][:4]
		d0, d1 := int32(s[0])-int32(p[0]), int32(s[1])-int32(p[1])
		d2, d3 := int32(s[2])-int32(p[2]), int32(s[3])-int32(p[3])
		a, b, c, d := (d0+d3)<<3, (d1+d2)<<3, (d1-d2)<<3, (d0-d3)<<3
		r := t[4*y:][:4]
		r[0], r[2] = a+b, a-b
		r[1] = (c*2217 + d*5352 + 14500) >> 12
		r[3] = (d*2217 - c*5352 + 7500) >> 12
	}
	for x := range 4 {
		a, b, c, d := t[x]+t[12+x], t[4+x]+t[8+x], t[4+x]-t[8+x], t[x]-t[12+x]
		out[x], out[8+x] = (a+b+7)>>4, (a-b+7)>>4
		out[4+x] = (c*2217 + d*5352 + 12000) >> 16
		if d != 0 {
			out[4+x]++
		}
		out[12+x] = (d*2217 - c*5352 + 51000) >> 16
	}
}

// forwardWHT transforms the first coefficients of 16 luma blocks.
func forwardWHT(in, out *[16]int32) {
	var t [16]int32
	for i := 0; i < 16; i += 4 {
		a, d := (in[i]+in[i+2])<<2, (in[i+1]+in[i+3])<<2
		c, b := (in[i+1]-in[i+3])<<2, (in[i]-in[i+2])<<2
		t[i], t[i+1], t[i+2], t[i+3] = a+d, b+c, b-c, a-d
		if a != 0 {
			t[i]++
		}
	}
	for i := range 4 {
		a, d := t[i]+t[8+i], t[4+i]+t[12+i]
		c, b := t[4+i]-t[12+i], t[i]-t[8+i]
		out[i], out[4+i], out[8+i], out[12+i] = roundWHT(a+d), roundWHT(b+c), roundWHT(b-c), roundWHT(a-d)
	}
}

func roundWHT(v int32) int32 {
	if v < 0 {
		v++
	}
	return (v + 3) >> 3
}

// inverseWHT returns the first coefficients of 16 luma blocks.
func inverseWHT(in, out *[16]int32) {
	var t [16]int32
	for i := range 4 {
		a, b := in[i]+in[12+i], in[4+i]+in[8+i]
		c, d := in[4+i]-in[8+i], in[i]-in[12+i]
		t[i], t[8+i], t[4+i], t[12+i] = a+b, a-b, d+c, d-c
	}
	for i := 0; i < 16; i += 4 {
		dc := t[i] + 3
		a, b := dc+t[i+3], t[i+1]+t[i+2]
		c, d := t[i+1]-t[i+2], dc-t[i+3]
		out[i], out[i+1], out[i+2], out[i+3] = (a+b)>>3, (d+c)>>3, (a-b)>>3, (d-c)>>3
	}
}

// addInverseDCT adds the inverse transform of coefficients to 4x4 pixels.
func addInverseDCT(in *[16]int32, pix []byte, stride int) {
	const cos, sin = 85627, 35468 // sqrt(2)*cos(pi/8) and sqrt(2)*sin(pi/8), in 1/65536
	var t [16]int32
	for i := range 4 {
		a, b := in[i]+in[8+i], in[i]-in[8+i]
		c := in[4+i]*sin>>16 - in[12+i]*cos>>16
		d := in[4+i]*cos>>16 + in[12+i]*sin>>16
		t[4*i], t[4*i+1], t[4*i+2], t[4*i+3] = a+d, b+c, b-c, a-d
	}
	for j := range 4 {
		a, b := t[j]+4+t[8+j], t[j]+4-t[8+j]
		c := t[4+j]*sin>>16 - t[12+j]*cos>>16
		d := t[4+j]*cos>>16 + t[12+j]*sin>>16
		p := pix[j*stride:][:4]
		p[0] = clamp8(int32(p[0]) + (a+d)>>3)
		p[1] = clamp8(int32(p[1]) + (b+c)>>3)
		p[2] = clamp8(int32(p[2]) + (b-c)>>3)
		p[3] = clamp8(int32(p[3]) + (a-d)>>3)
	}
}

// addDC does what addInverseDCT does with a first coefficient alone.
func addDC(dc int32, pix []byte, stride int) {
	dc = (dc + 4) >> 3
	for j := range 4 {
		p := pix[j*stride:][:4]
		p[0], p[1] = clamp8(int32(p[0])+dc), clamp8(int32(p[1])+dc)
		p[2], p[3] = clamp8(int32(p[2])+dc), clamp8(int32(p[3])+dc)
	}
}

func clamp8(v int32) uint8 {
	if uint32(v) > 255 {
		return uint8(^(v >> 31))
	}
	return uint8(v)
}
