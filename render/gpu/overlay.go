package gpu

import (
	"math"

	"github.com/hajimehoshi/ebiten/v2"

	"ghostcube/render"
)

// whiteSize is the height in pixels of the white strip below the letters of the atlas image.
const whiteSize = 4

// atlas returns the font atlas as an image and the coordinate, along x and y, of a white pixel in it. Plain
// rectangles and lines are drawn from there, so that a whole list is one draw call.
func (p *Painter) atlas() (im *ebiten.Image, white float32) {
	a := render.Atlas()
	w, h := a.Rect.Dx(), a.Rect.Dy()
	if p.atlasImage == nil {
		px := make([]byte, 4*w*(h+whiteSize))
		for i, c := range a.Pix {
			px[4*i], px[4*i+1], px[4*i+2], px[4*i+3] = c, c, c, c
		}
		for i := 4 * w * h; i < len(px); i++ {
			px[i] = 255
		}
		p.atlasImage = ebiten.NewImage(w, h+whiteSize)
		p.atlasImage.WritePixels(px)
	}
	return p.atlasImage, float32(h) + whiteSize/2
}

// DrawOverlay draws a list onto dst, whose pixels are those of the list.
func (p *Painter) DrawOverlay(dst *ebiten.Image, l *render.DrawList) {
	im, white := p.atlas()
	m := &p.overlay
	m.reset()
	for i := range l.Items {
		it := &l.Items[i]
		switch it.Kind {
		case render.RectKind:
			x0, y0 := round(it.X), round(it.Y)
			x1, y1 := round(it.X+it.W), round(it.Y+it.H)
			m.addRect(x0, y0, x1, y1, white, white, white, white, it.Color)
		case render.LineKind:
			m.addLine(it.Points, it.Width, white, it.Color)
		case render.TextKind:
			it.Font.Layout(it.X, it.Y, it.Text, func(g *render.Glyph, x, y int) {
				b := g.Bounds
				m.addRect(float32(x), float32(y), float32(x+b.Dx()), float32(y+b.Dy()),
					float32(b.Min.X), float32(b.Min.Y), float32(b.Max.X), float32(b.Max.Y), it.Color)
			})
		}
	}
	if len(m.indices) > 0 {
		dst.DrawTriangles32(m.vertices, m.indices, im, &ebiten.DrawTrianglesOptions{ColorScaleMode: ebiten.ColorScaleModePremultipliedAlpha})
	}
}

func round(x float32) float32 { return float32(math.Round(float64(x))) }

// addRect adds the rectangle x0, y0, x1, y1 of the screen, filled from u0, v0, u1, v1 of the atlas.
func (m *mesh) addRect(x0, y0, x1, y1, u0, v0, u1, v1 float32, c render.Color) {
	a := float32(c.A) / 255
	r, g, b := float32(c.R)/255*a, float32(c.G)/255*a, float32(c.B)/255*a
	for i := range 4 {
		v := ebiten.Vertex{DstX: x0, DstY: y0, SrcX: u0, SrcY: v0, ColorR: r, ColorG: g, ColorB: b, ColorA: a}
		if i == 1 || i == 2 {
			v.DstX, v.SrcX = x1, u1
		}
		if i >= 2 {
			v.DstY, v.SrcY = y1, v1
		}
		m.vertices = append(m.vertices, v)
	}
	m.addQuad()
}

// addLine adds a line as a strip with soft borders. Corners are mitred. At a corner of more than 60 degrees,
// where a mitre would reach far out or fold, the strip ends and a new one begins, both half a width beyond
// the corner.
func (m *mesh) addLine(points []render.Point, width, white float32, c render.Color) {
	half := width / 2
	var before direction // of the segment that ends at this point; zero for none
	for i, p := range points {
		var after direction
		if i+1 < len(points) {
			if after = directionTo(p, points[i+1]); after == (direction{}) {
				continue
			}
		}
		switch cos := before.x*after.x + before.y*after.y; {
		case before == (direction{}):
			m.addCrossSection(p, after, 0, half, white, c)
		case after == (direction{}):
			m.addCrossSection(p, before, 0, half, white, c)
			m.joinSections()
		case cos > 0.5: // at most 60 degrees
			// The sum of the two unit directions divided by 1 + cos keeps the width of the strip
			// around the corner.
			m.addCrossSection(p, direction{(before.x + after.x) / (1 + cos), (before.y + after.y) / (1 + cos)}, 0, half, white, c)
			m.joinSections()
		default:
			m.addCrossSection(p, before, half, half, white, c)
			m.joinSections()
			m.addCrossSection(p, after, -half, half, white, c)
		}
		before = after
	}
}

// direction is a unit vector on the screen, or longer at a mitre.
type direction struct{ x, y float32 }

// directionTo returns the direction from a to b; zero where they coincide.
func directionTo(a, b render.Point) direction {
	x, y := b.X-a.X, b.Y-a.Y
	l := float32(math.Hypot(float64(x), float64(y)))
	if l == 0 {
		return direction{}
	}
	return direction{x / l, y / l}
}

// addCrossSection adds the four vertices across a strip: transparent, opaque, opaque, transparent. They lie
// ahead of p by a distance in pixels along d.
func (m *mesh) addCrossSection(p render.Point, d direction, ahead, half, white float32, c render.Color) {
	a := float32(c.A) / 255
	r, g, b := float32(c.R)/255, float32(c.G)/255, float32(c.B)/255
	p.X, p.Y = p.X+d.x*ahead, p.Y+d.y*ahead
	opaque := max(0, half-0.5)
	for _, t := range [4][2]float32{{half + 0.5, 0}, {opaque, a}, {-opaque, a}, {-half - 0.5, 0}} {
		m.vertices = append(m.vertices, ebiten.Vertex{
			DstX: p.X - d.y*t[0], DstY: p.Y + d.x*t[0], SrcX: white, SrcY: white,
			ColorR: r * t[1], ColorG: g * t[1], ColorB: b * t[1], ColorA: t[1],
		})
	}
}

// joinSections fills the strip between the last two cross sections.
func (m *mesh) joinSections() {
	first := uint32(len(m.vertices)) - 8
	for k := range uint32(3) {
		s := first + k
		m.indices = append(m.indices, s, s+1, s+4, s+1, s+5, s+4)
	}
}
