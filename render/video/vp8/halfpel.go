package vp8

// halfPlanes are the pixels of a reference half a pixel to the right, below, and both. The search for motion
// reads them; they are computed in tiles of 16x16 pixels when it first does.
type halfPlanes struct {
	ref      *plane
	x, y, xy []byte
	ready    []bool // by tile
	tilesX   int
}

func newHalfPlanes(p *plane) *halfPlanes {
	n := len(p.pix)
	return &halfPlanes{x: make([]byte, n), y: make([]byte, n), xy: make([]byte, n), tilesX: p.stride / 16, ready: make([]bool, p.stride/16*((n/p.stride)/16))}
}

// reset begins a new reference.
func (h *halfPlanes) reset(ref *plane) {
	h.ref = ref
	clear(h.ready)
}

// need computes the tiles that 17x17 pixels at a place touch.
func (h *halfPlanes) need(x, y int) {
	left, top := (x+border)>>4, (y+border)>>4
	right, bottom := (x+border+16)>>4, (y+border+16)>>4
	for ty := top; ty <= bottom; ty++ {
		for tx := left; tx <= right; tx++ {
			if i := ty*h.tilesX + tx; !h.ready[i] {
				h.ready[i] = true
				h.compute(tx, ty)
			}
		}
	}
}

// compute computes one tile. At the outer edge of the border, where taps would lie outside of the plane, it
// takes the whole pixels, to which no motion vector of a macroblock leads.
func (h *halfPlanes) compute(tx, ty int) {
	p := h.ref
	at := ty*16*p.stride + tx*16
	if tx == 0 || ty == 0 || tx == h.tilesX-1 || (ty+1)*h.tilesX == len(h.ready) {
		for _, dst := range [...][]byte{h.x, h.y, h.xy} {
			copyPixels(dst[at:], p.stride, p.pix[at:], p.stride, 16)
		}
		return
	}
	half := &sixTaps[4]
	var rows [21 * 16]byte
	filterRows(rows[:], 16, p.pix[at-2*p.stride-2:], p.stride, 16, 21, half)
	copyPixels(h.x[at:], p.stride, rows[2*16:], 16, 16)
	filterColumns(h.xy[at:], p.stride, rows[:], 16, 16, 16, half)
	filterColumns(h.y[at:], p.stride, p.pix[at-2*p.stride:], p.stride, 16, 16, half)
}

// sad returns the sum of absolute differences between 16x16 pixels of a source and those of the reference at
// x, y displaced by eighths of a pixel. At quarters of a pixel it takes the mean of the two nearest pixels
// at halves, which is close to what the filters of predictInter give.
func (h *halfPlanes) sad(source *source16, x, y int, v vector, limit int) int {
	x, y = x+int(v.x)>>3, y+int(v.y)>>3
	p := h.ref
	i := p.at(x, y)
	if v.x&7 == 0 && v.y&7 == 0 {
		return sad16(source, p.pix[i:], p.stride, limit)
	}
	h.need(x, y)
	a, b := h.around(i, int(v.x&6>>1), int(v.y&6>>1))
	if b == nil {
		return sad16(source, a, p.stride, limit)
	}
	return sadAverage16(source, a, b, p.stride, limit)
}

// around returns the pixels at halves from which those at index i, displaced by quarters of a pixel, are computed as
// their mean. b is nil where a has them itself.
func (h *halfPlanes) around(i, right, down int) (a, b []byte) {
	at := func(right, down int) []byte { // halves of a pixel
		half := [2][2][]byte{{h.ref.pix, h.x}, {h.y, h.xy}}[down&1][right&1]
		return half[i+right>>1+down>>1*h.ref.stride:]
	}
	switch {
	case right&1 != 0 && down&1 != 0: // the two nearest lie on a diagonal
		return at(1, down>>1*2), at(right>>1*2, 1)
	case right&1 != 0 || down&1 != 0:
		return at(right>>1, down>>1), at((right+1)>>1, (down+1)>>1)
	}
	return at(right>>1, down>>1), nil
}
