package vp8

// The loop filter smooths the edges of blocks in a reconstructed frame (RFC 6386, section 15), as decoders do
// too. Macroblocks that stand still are left alone: otherwise text would be smoothed again in each frame.

// edgeLimits say which edges are smoothed.
type edgeLimits struct {
	macroblock, block int32 // largest step across an edge
	interior          int32 // largest step between neighbouring pixels
	highVariance      int32 // step beside an edge above which only the two pixels at it are changed
}

func newEdgeLimits(level int) edgeLimits {
	l := edgeLimits{macroblock: int32(3*level + 4), block: int32(3 * level), interior: int32(level)}
	switch {
	case level >= 40:
		l.highVariance = 3
	case level >= 20:
		l.highVariance = 2
	case level >= 15:
		l.highVariance = 1
	}
	return l
}

// filterLevel returns the level of a frame. Key frames have none, for the sake of text.
func filterLevel(key bool, index int) int {
	if key {
		return 0
	}
	return min(index*filterShare/16, 63)
}

// filterShare is the level of the loop filter in 1/16 of the quantiser index. Measured on 5 s of a moving camera: the
// filter makes the video 1.5 % smaller and 0.24 dB better, and removes the specks around what moves; 2 and 7
// are worse.
const filterShare = 4

// smooth applies the filter to the current picture.
func (e *Encoder) smooth() {
	if e.frame.filter == 0 {
		return
	}
	l := newEdgeLimits(e.frame.filter)
	for mbY := range e.mbsY {
		for mbX := range e.mbsX {
			m := &e.mbs[mbY*e.mbsX+mbX]
			if !m.intra && m.mode == modeZero {
				continue
			}
			smoothMacroblock(&e.current.y, mbX, mbY, 16, !m.empty, &l)
			smoothMacroblock(&e.current.u, mbX, mbY, 8, !m.empty, &l)
			smoothMacroblock(&e.current.v, mbX, mbY, 8, !m.empty, &l)
		}
	}
}

// smoothMacroblock smooths the left and the upper edge of a macroblock of n times n pixels, and inner edges if it has
// coefficients.
func smoothMacroblock(p *plane, mbX, mbY, n int, inner bool, l *edgeLimits) {
	at := p.at(n*mbX, n*mbY)
	smooth := func(outer bool, across, along int) {
		if outer {
			smoothEdge(p.pix[at-4*across:], across, along, n, true, l)
		}
		for i := 4; inner && i < n; i += 4 {
			smoothEdge(p.pix[at+(i-4)*across:], across, along, n, false, l)
		}
	}
	smooth(mbX > 0, 1, p.stride)
	smooth(mbY > 0, p.stride, 1)
}

func distance(a, b byte) int32 {
	d := int32(a) - int32(b)
	return max(d, -d)
}

// signed8 limits a value to a signed byte.
func signed8(v int32) int32 { return min(max(v, -128), 127) }

// smoothEdge smooths an edge of n pixels between macroblocks, or between blocks inside of one. pix begins four pixels
// before the edge; across is the step to the next pixel across the edge, along that to the next one along it.
func smoothEdge(pix []byte, across, along, n int, macroblocks bool, l *edgeLimits) {
	largest := l.block
	if macroblocks {
		largest = l.macroblock
	}
	for k := range n {
		p := pix[k*along:]
		p3, p2, p1, p0 := p[0], p[across], p[2*across], p[3*across]
		q0, q1, q2, q3 := p[4*across], p[5*across], p[6*across], p[7*across]
		if 2*distance(p0, q0)+distance(p1, q1)>>1 > largest ||
			distance(p3, p2) > l.interior || distance(p2, p1) > l.interior || distance(p1, p0) > l.interior ||
			distance(q1, q0) > l.interior || distance(q2, q1) > l.interior || distance(q3, q2) > l.interior {
			continue
		}
		high := distance(p1, p0) > l.highVariance || distance(q1, q0) > l.highVariance
		w := 3 * (int32(q0) - int32(p0))
		if macroblocks || high {
			w += signed8(int32(p1) - int32(q1))
		}
		w = signed8(w)
		if macroblocks && !high {
			a := (27*w + 63) >> 7
			p[3*across], p[4*across] = clamp8(int32(p0)+a), clamp8(int32(q0)-a)
			a = (18*w + 63) >> 7
			p[2*across], p[5*across] = clamp8(int32(p1)+a), clamp8(int32(q1)-a)
			a = (9*w + 63) >> 7
			p[across], p[6*across] = clamp8(int32(p2)+a), clamp8(int32(q2)-a)
			continue
		}
		a := signed8(w+4) >> 3
		p[4*across], p[3*across] = clamp8(int32(q0)-a), clamp8(int32(p0)+signed8(w+3)>>3)
		if !high {
			a = (a + 1) >> 1
			p[5*across], p[2*across] = clamp8(int32(q1)-a), clamp8(int32(p1)+a)
		}
	}
}
