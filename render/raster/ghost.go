package raster

import (
	"image"

	"ghostcube/render"
)

// ghostMask is the figure of the ghosts of one colour in a band and the rows around it: the strength of the strongest
// ghost at each sample. It has a margin of empty samples on every side, so that the line can look around each pixel.
type ghostMask struct{ strength []uint8 }

// lineTaps returns the distances, in samples, at which the search for the line looks along an axis and
// along a diagonal.
func (p *Painter) lineTaps() (side, corner int) {
	half := render.GhostLineWidth(p.h)
	return samplesPerAxis * half, (samplesPerAxis*half*7 + 5) / 10
}

// maskStride returns the length of a row of a mask, in samples.
func (p *Painter) maskStride() int {
	side, _ := p.lineTaps()
	return p.w*samplesPerAxis + 2*side
}

// maskRows returns the number of rows of a mask: those of the samples of a band, and a margin.
func (p *Painter) maskRows() int {
	side, _ := p.lineTaps()
	return bandRows*samplesPerAxis + 2*side
}

// maxGhostLine is the width of the widest line around ghosts, in pixels.
const maxGhostLine = 6

// boundGhosts finds the pixels that the ghosts of each colour may cover.
func (p *Painter) boundGhosts() {
	half := render.GhostLineWidth(p.h)
	for i := range p.figures {
		p.figures[i] = image.Rectangle{Min: image.Pt(p.w, p.h)}
	}
	for i := range p.ghosts {
		f := &p.ghosts[i]
		r := &p.figures[f.layer]
		for _, c := range f.corners[:f.cornerCount] {
			x, y := ceil(c.x*(1./samplesPerAxis)), ceil(c.y*(1./samplesPerAxis))
			r.Min.X, r.Max.X = max(min(r.Min.X, x-half-1), 0), min(max(r.Max.X, x+half+1), p.w)
			r.Min.Y, r.Max.Y = max(min(r.Min.Y, y-half-1), 0), min(max(r.Max.Y, y+half+1), p.h)
		}
	}
}

// drawGhosts blends the figure of a colour over the band. A sample belongs to the line as far as the strength at the
// samples around it differs.
func (w *worker) drawGhosts(which int) {
	r := &w.figures[which]
	top, bottom := max(w.y0, r.Min.Y), min(w.y1, r.Max.Y)
	if top >= bottom {
		return
	}
	m := &w.mask
	w.fillGhostMask(which)
	side, corner := w.lineTaps()
	stride := w.maskStride()
	taps := [9]int{0, -side, side, -side * stride, side * stride, -corner*stride - corner, -corner*stride + corner, corner*stride - corner, corner*stride + corner}
	c := floatColor(w.ghostColors.Colors[which])
	for y := top; y < bottom; y++ {
		out := w.row(y)
		for x := r.Min.X; x < r.Max.X; x++ {
			at := ((y-w.y0)*samplesPerAxis+side)*stride + x*samplesPerAxis + side
			alpha, plain := m.plainOpacity(at, stride, &taps)
			if !plain {
				alpha = float32(0.25 * (m.sampleOpacity(at, &taps) + m.sampleOpacity(at+1, &taps) + m.sampleOpacity(at+stride, &taps) +
					m.sampleOpacity(at+stride+1, &taps)))
			}
			if alpha > 0 {
				blend(out[4*x:], c, alpha)
			}
		}
	}
}

// fillGhostMask writes the ghosts of a colour into the mask.
func (w *worker) fillGhostMask(which int) {
	side, _ := w.lineTaps()
	stride := w.maskStride()
	clear(w.mask.strength)
	first := w.y0*samplesPerAxis - side // row of the picture that is the mask's first
	top, bottom := max(first, 0), min(w.y1*samplesPerAxis+side, w.h*samplesPerAxis)
	for i := range w.ghosts {
		f := &w.ghosts[i]
		if int(f.layer) != which {
			continue
		}
		spans, row := f.spans(w.spans[:], top, bottom)
		for _, span := range spans {
			x0, x1 := span.samples(w.w * samplesPerAxis)
			line := w.mask.strength[(row-first)*stride+side:][x0:x1]
			for i := range line {
				line[i] = max(line[i], f.strength)
			}
			row++
		}
	}
}

// plainOpacity returns the opacity of a pixel around which all samples are the same, as most are, and whether they
// are. at is the pixel's first sample.
func (m *ghostMask) plainOpacity(at, stride int, taps *[9]int) (alpha float32, plain bool) {
	first := m.strength[at]
	var different uint8
	for _, tap := range taps {
		up, down := m.strength[at+tap:at+tap+2], m.strength[at+tap+stride:at+tap+stride+2]
		different |= up[0] ^ first | up[1] ^ first | down[0] ^ first | down[1] ^ first
	}
	return float32(float32(first) * (render.GhostFill / 255)), different == 0
}

// sampleOpacity returns the opacity of the figure at a sample.
func (m *ghostMask) sampleOpacity(at int, taps *[9]int) float32 {
	low, high := m.strength[at], m.strength[at]
	for _, tap := range taps[1:] {
		s := m.strength[at+tap]
		low, high = min(low, s), max(high, s)
	}
	line := float32(float32(high-low) * (1. / 255))
	fill := float32(float32(m.strength[at]) * (render.GhostFill / 255))
	return fill + float32((render.GhostLine-fill)*line)
}
