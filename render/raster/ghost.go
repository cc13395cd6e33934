package raster

import (
	"image"

	"ghostcube/render"
)

// ghostMask is the figure of the ghosts of one colour: the strength of the strongest ghost at each sample. It
// has a margin of empty samples on every side, so that the line can look around each pixel.
type ghostMask struct {
	strength                 []uint8
	left, top, right, bottom int // pixels that the figure may cover
}

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

// prepareGhostMasks makes a mask for each colour of ghosts.
func (p *Painter) prepareGhostMasks() {
	side, _ := p.lineTaps()
	for len(p.masks) < p.ghostColors.Count {
		p.masks = append(p.masks, ghostMask{})
	}
	p.masks = p.masks[:p.ghostColors.Count]
	n := p.maskStride() * (p.h*samplesPerAxis + 2*side)
	for i := range p.masks {
		m := &p.masks[i]
		if cap(m.strength) < n {
			m.strength = make([]uint8, n)
		}
		m.strength = m.strength[:n]
		clear(m.strength)
		m.left, m.top, m.right, m.bottom = p.w, p.h, 0, 0
	}
	half := side / samplesPerAxis
	for i := range p.ghosts {
		f := &p.ghosts[i]
		m := &p.masks[f.layer]
		for _, c := range f.corners[:f.cornerCount] {
			x, y := ceil(c.x*(1./samplesPerAxis)), ceil(c.y*(1./samplesPerAxis))
			m.left, m.right = max(min(m.left, x-half-1), 0), min(max(m.right, x+half+1), p.w)
			m.top, m.bottom = max(min(m.top, y-half-1), 0), min(max(m.bottom, y+half+1), p.h)
		}
	}
}

// fillGhostMasks writes the ghosts into the pixel rows [y0, y1) of their masks.
func (p *Painter) fillGhostMasks(y0, y1 int) {
	side, _ := p.lineTaps()
	stride := p.maskStride()
	for i := range p.ghosts {
		f := &p.ghosts[i]
		strength := p.masks[f.layer].strength
		for row := max(y0*samplesPerAxis, int(max(f.top, 0))); row < y1*samplesPerAxis && float32(row) < f.bottom; row++ {
			x0, x1 := f.span(row, p.w*samplesPerAxis)
			if x0 >= x1 {
				continue
			}
			line := strength[(row+side)*stride+side+x0 : (row+side)*stride+side+x1]
			for k := range line {
				line[k] = max(line[k], f.strength)
			}
		}
	}
}

// drawGhosts blends the figure of a mask over the pixel rows [y0, y1). A sample belongs to the line as far as the
// strength at the samples around it differs.
func (p *Painter) drawGhosts(dst *image.RGBA, m *ghostMask, color render.Color, y0, y1 int) {
	side, corner := p.lineTaps()
	stride := p.maskStride()
	taps := [9]int{0, -side, side, -side * stride, side * stride, -corner*stride - corner, -corner*stride + corner, corner*stride - corner, corner*stride + corner}
	c := [3]float32{float32(color.R) / 255, float32(color.G) / 255, float32(color.B) / 255}
	for y := max(y0, m.top); y < min(y1, m.bottom); y++ {
		out := dst.Pix[dst.PixOffset(dst.Rect.Min.X, dst.Rect.Min.Y+y):]
		for x := m.left; x < m.right; x++ {
			at := (y*samplesPerAxis+side)*stride + x*samplesPerAxis + side
			alpha, plain := m.plainOpacity(at, stride, &taps)
			if !plain {
				alpha = float32(0.25 * (m.sampleOpacity(at, &taps) + m.sampleOpacity(at+1, &taps) + m.sampleOpacity(at+stride, &taps) + m.sampleOpacity(at+stride+1, &taps)))
			}
			if alpha > 0 {
				blend(out[4*x:], c, alpha)
			}
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
