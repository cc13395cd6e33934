package raster

import (
	"image"

	"ghostcube/render"
	"ghostcube/sim/geom"
)

// blend draws a colour over a pixel, which becomes opaque.
func blend(px []uint8, c [3]float32, alpha float32) {
	px[3] = 255
	for i := range c {
		below := float32(float32(px[i]) * (1. / 255))
		px[i] = toByte(below + float32((c[i]-below)*alpha))
	}
}

// floatColor returns the components of a colour, in [0, 1].
func floatColor(c render.Color) [3]float32 {
	return [3]float32{float32(c.R) / 255, float32(c.G) / 255, float32(c.B) / 255}
}

// drawTrail draws a trail over the band, thinner and fainter towards its oldest point.
func (w *worker) drawTrail(t *render.Trail) {
	n := len(t.Points)
	c := floatColor(t.Color)
	for i := 1; i < n; i++ {
		ax, ay, ad := w.projection.Project(t.Points[i-1])
		bx, by, bd := w.projection.Project(t.Points[i])
		if ad < render.NearPlane || bd < render.NearPlane {
			continue
		}
		age := float32(i) / float32(n)
		alpha := float32(float32(t.Color.A) * age * (1. / 255))
		half := 0.8 + float32(0.9*age)
		za, zb := 1/ad, 1/bd
		stroke(w.w, ax, ay, bx, by, half, w.y0, w.y1, func(x, y int, share, cover float32) {
			z := za + float32((zb-za)*share)
			if z > w.depthAt(x, y) {
				blend(w.row(y)[4*x:], c, float32(alpha*cover))
			}
		})
	}
}

// drawLine draws a line over the band.
func (w *worker) drawLine(l *render.Line) {
	ax, ay, ad := w.projection.Project(l.A)
	bx, by, bd := w.projection.Project(l.B)
	if ad < render.NearPlane || bd < render.NearPlane {
		return
	}
	c := floatColor(l.Color)
	alpha := float32(l.Color.A) / 255
	za, zb := 1/ad, 1/bd
	stroke(w.w, ax, ay, bx, by, render.LineHalfWidth, w.y0, w.y1, func(x, y int, share, cover float32) {
		z := za + float32((zb-za)*share)
		if z > w.depthAt(x, y) {
			blend(w.row(y)[4*x:], c, float32(float32(alpha*cover)*(1-fogAt(1/z))))
		}
	})
}

// stroke calls put for each pixel in the rows [y0, y1) that a line from a to b covers in a picture of a
// width, with the pixel's share of the way from a to b and its coverage. The end at a is round; nothing is
// drawn beyond b, where the next line of a trail begins.
func stroke(width int, ax, ay, bx, by, half float32, y0, y1 int, put func(x, y int, share, cover float32)) {
	dx, dy := bx-ax, by-ay
	l2 := float32(dx*dx) + float32(dy*dy)
	if l2 == 0 {
		return
	}
	reach := half + 1
	top, bottom := max(y0, ceil(min(ay, by)-reach)), min(y1, ceil(max(ay, by)+reach))
	left, right := max(0, ceil(min(ax, bx)-reach)), min(width, ceil(max(ax, bx)+reach))
	for y := top; y < bottom; y++ {
		for x := left; x < right; x++ {
			px, py := float32(x)+0.5-ax, float32(y)+0.5-ay
			share := (float32(px*dx) + float32(py*dy)) / l2
			if share > 1 {
				continue
			}
			share = max(share, 0)
			qx, qy := px-float32(share*dx), py-float32(share*dy)
			away := geom.Sqrt(float32(qx*qx) + float32(qy*qy))
			if cover := half + 0.5 - away; cover > 0 {
				put(x, y, share, min(cover, 1))
			}
		}
	}
}

// ceil returns the least whole number that is not below x, after clamping x to coordinates that a picture
// can have.
func ceil(x float32) int {
	x = geom.Clamp(x, -1, 1<<20)
	n := int(x)
	if float32(n) < x {
		n++
	}
	return n
}

// DrawOverlay draws a list over a picture. Items outside of dst are clipped.
func DrawOverlay(dst *image.RGBA, l *render.DrawList) {
	for i := range l.Items {
		it := &l.Items[i]
		c := floatColor(it.Color)
		alpha := float32(it.Color.A) / 255
		switch it.Kind {
		case render.RectKind:
			r := image.Rect(round(it.X), round(it.Y), round(it.X+it.W), round(it.Y+it.H)).Add(dst.Rect.Min).Intersect(dst.Rect)
			drawRect(dst, r, it.Color)
		case render.LineKind:
			for j := 1; j < len(it.Points); j++ {
				a, b := it.Points[j-1], it.Points[j]
				stroke(dst.Rect.Dx(), a.X, a.Y, b.X, b.Y, float32(it.Width*0.5), 0, dst.Rect.Dy(), func(x, y int, _, cover float32) {
					blend(dst.Pix[dst.PixOffset(dst.Rect.Min.X+x, dst.Rect.Min.Y+y):], c, float32(alpha*cover))
				})
			}
		case render.TextKind:
			atlas := render.Atlas()
			it.Font.Layout(it.X, it.Y, it.Text, func(g *render.Glyph, x, y int) {
				drawGlyph(dst, atlas, g, x, y, it.Color)
			})
		}
	}
}

func round(x float32) int { return ceil(x - 0.5) }

// drawRect fills a rectangle, which lies in the picture.
func drawRect(dst *image.RGBA, r image.Rectangle, color render.Color) {
	if r.Empty() {
		return
	}
	if color.A == 255 {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			row := dst.Pix[dst.PixOffset(r.Min.X, y):][:4*r.Dx()]
			for x := 0; x < len(row); x += 4 {
				setOpaque(row[x:], color)
			}
		}
		return
	}
	c, alpha := floatColor(color), float32(color.A)/255
	if r.Dx()*r.Dy() < 256 {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			row := dst.Pix[dst.PixOffset(r.Min.X, y):][:4*r.Dx()]
			for x := 0; x < len(row); x += 4 {
				blend(row[x:], c, alpha)
			}
		}
		return
	}
	var blended [3][256]uint8 // by component, by the value below
	for below := range 256 {
		b := uint8(below)
		px := [4]uint8{b, b, b, 255}
		blend(px[:], c, alpha)
		blended[0][below], blended[1][below], blended[2][below] = px[0], px[1], px[2]
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := dst.Pix[dst.PixOffset(r.Min.X, y):][:4*r.Dx()]
		for ; len(row) >= 4; row = row[4:] {
			row[0], row[1], row[2], row[3] = blended[0][row[0]], blended[1][row[1]], blended[2][row[2]], 255
		}
	}
}

// setOpaque draws an opaque colour over a pixel, as blend would.
func setOpaque(px []uint8, c render.Color) {
	_ = px[3]
	px[0], px[1], px[2], px[3] = c.R, c.G, c.B, 255
}

// drawGlyph draws a letter with its top left corner at x, y.
func drawGlyph(dst *image.RGBA, atlas *image.Gray, g *render.Glyph, x, y int, color render.Color) {
	c, alpha := floatColor(color), float32(color.A)/255
	for j := range g.Bounds.Dy() {
		if y+j < 0 || y+j >= dst.Rect.Dy() {
			continue
		}
		from := atlas.Pix[atlas.PixOffset(g.Bounds.Min.X, g.Bounds.Min.Y+j):]
		to := dst.Pix[dst.PixOffset(dst.Rect.Min.X, dst.Rect.Min.Y+y+j):]
		for i := range g.Bounds.Dx() {
			switch {
			case from[i] == 0 || x+i < 0 || x+i >= dst.Rect.Dx():
			case from[i] == 255 && color.A == 255:
				setOpaque(to[4*(x+i):], color)
			default:
				blend(to[4*(x+i):], c, float32(alpha*float32(from[i])*(1./255)))
			}
		}
	}
}
