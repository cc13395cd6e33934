package vp8

// residual are the quantised blocks of a macroblock.
type residual struct {
	luma   [16]block
	second block
	chroma [8]block // four of each component
	dc     [16]int32
}

// Scores of blocks below which their levels are left out.
const (
	leastLumaQuarter = 4 // in 8x8 pixels
	leastLuma        = 6 // in a macroblock
	leastChroma      = 7 // of one component, without first coefficients
)

// transform quantises the difference between the source at indices y and c of its planes and the prediction in
// the current picture, and reports whether anything is left of it.
func (r *residual) transform(e *Encoder, y, c int) bool {
	q, s, p := e.frame.quantisers, e.source, e.current
	stride := s.y.stride
	var coefs, dc, second [16]int32
	for i := 0; i < len(r.luma); i += 2 {
		at := y + i>>2*4*stride + i&3*4
		size, sum := pairDifferences(s.y.pix[at:], p.y.pix[at:], stride)
		for k := range size {
			b := &r.luma[i+k]
			b.levels[0], b.end = 0, 0
			if size[k] < q.luma.quiet {
				dc[i+k] = firstCoefficient(sum[k])
				continue
			}
			forwardDCT(s.y.pix[at+4*k:], stride, p.y.pix[at+4*k:], stride, &coefs)
			dc[i+k] = coefs[0]
			q.luma.quantise(&coefs, 1, b)
		}
	}
	any := r.thinLuma()
	forwardWHT(&dc, &second)
	q.second.quantise(&second, 0, &r.second)
	stride = s.u.stride
	for i := 0; i < len(r.chroma); i += 2 {
		source, predicted := &s.u, &p.u
		if i >= 4 {
			source, predicted = &s.v, &p.v
		}
		at := c + i>>1&1*4*stride
		size, sum := pairDifferences(source.pix[at:], predicted.pix[at:], stride)
		for k := range size {
			b := &r.chroma[i+k]
			if size[k] < q.chroma.quiet {
				b.end = 0
				q.chroma.quantiseFirst(firstCoefficient(sum[k]), b)
				continue
			}
			forwardDCT(source.pix[at+4*k:], stride, predicted.pix[at+4*k:], stride, &coefs)
			q.chroma.quantise(&coefs, 0, b)
		}
	}
	any = r.thinChroma(r.chroma[:4]) || any
	any = r.thinChroma(r.chroma[4:]) || any
	return any || r.second.end > 0
}

// thinLuma leaves out levels that are not worth their bits, and reports whether any remain.
func (r *residual) thinLuma() bool {
	total := 0
	var quarters [4]int
	for i := range r.luma {
		k := i>>3<<1 | i>>1&1
		quarters[k] += r.luma[i].score(1)
	}
	for k, s := range quarters {
		if s < leastLumaQuarter {
			quarters[k] = 0
		}
		total += quarters[k]
	}
	any := false
	for i := range r.luma {
		if b := &r.luma[i]; b.end > 0 {
			if k := i>>3<<1 | i>>1&1; total < leastLuma || quarters[k] == 0 {
				b.clear(1)
			} else {
				any = true
			}
		}
	}
	return any
}

// thinChroma does the same with one component.
func (r *residual) thinChroma(blocks []block) bool {
	total := 0
	for i := range blocks {
		total += blocks[i].score(1)
	}
	any := false
	for i := range blocks {
		b := &blocks[i]
		if b.end > 0 && total < leastChroma {
			b.clear(1)
		}
		any = any || b.end > 0
	}
	return any
}

// reconstruct adds the residual to the current picture, as a decoder does.
func (r *residual) reconstruct(e *Encoder, y, c int) {
	r.dc = [16]int32{}
	if r.second.end > 0 {
		inverseWHT(&r.second.coefs, &r.dc)
	}
	p := e.current
	for i := range r.luma {
		b := &r.luma[i]
		b.coefs[0] = r.dc[i]
		b.add(p.y.pix[y+i>>2*4*p.y.stride+i&3*4:], p.y.stride)
	}
	for i := range r.chroma {
		plane := &p.u
		if i >= 4 {
			plane = &p.v
		}
		r.chroma[i].add(plane.pix[c+i>>1&1*4*plane.stride+i&1*4:], plane.stride)
	}
}

// add adds a block to 4x4 pixels.
func (b *block) add(pix []byte, stride int) {
	switch {
	case b.end > 1:
		addInverseDCT(&b.coefs, pix, stride)
	case b.coefs[0] != 0:
		addDC(b.coefs[0], pix, stride)
	}
}
