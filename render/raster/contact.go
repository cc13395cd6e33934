package raster

import (
	"ghostcube/render"
	"ghostcube/sim/geom"
)

// contact is a contact shadow in the picture.
type contact struct {
	render.Contact
	outline face // its corners, in pixels
}

// collectContacts lists the contact shadows that may be in the picture.
func (p *Painter) collectContacts(s *render.Scene) {
	p.contacts = p.contacts[:0]
	if p.projection.Eye.Z <= 0 {
		return
	}
	for i := range s.Cubes {
		c := contact{outline: face{top: 1e30, bottom: -1e30}}
		var ok bool
		if c.Contact, ok = s.Cubes[i].Contact(); !ok {
			continue
		}
		corners, n := p.projection.ClipFace(&c.Ground)
		for k, q := range corners[:n] {
			x, y, _ := p.projection.Project(q.Pos)
			c.outline.corners[k] = corner{x, y}
			c.outline.top, c.outline.bottom = min(c.outline.top, y), max(c.outline.bottom, y)
		}
		if c.outline.cornerCount = n; n >= 3 && c.outline.bottom > 0 && c.outline.top < float32(p.h) {
			p.contacts = append(p.contacts, c)
		}
	}
}

// dimContacts computes the contact shadows in the band.
func (w *worker) dimContacts() {
	for i := range w.contacts {
		c := &w.contacts[i]
		spans, top := c.outline.spans(w.spans[:], w.y0, w.y1)
		if len(spans) == 0 {
			continue
		}
		g := &c.Ground
		u, v := g.U.Scale(1/g.HalfU), g.V.Scale(1/g.HalfV)
		spanU, spanV := g.HalfU/c.Reach, g.HalfV/c.Reach
		for i, span := range spans {
			y := top + i
			x0, x1 := span.samples(w.w)
			ray := w.projection.Ray(float32(x0)+0.5, float32(y)+0.5)
			if ray.Z >= 0 || x0 >= x1 {
				continue
			}
			// The ground's depth is the same along a row because the camera never rolls.
			k := -w.projection.Eye.Z / ray.Z
			d, step := w.projection.Eye.AddScaled(k, ray).Sub(g.Center), w.projection.Right.Scale(k/w.projection.FocalLength)
			atU, atV, stepU, stepV := d.Dot(u), d.Dot(v), step.Dot(u), step.Dot(v)
			clear := 1 - fogAt(k)
			w.touchContacts(y, x0, x1)
			row := w.contactDim[(y-w.y0)*w.w:][:w.w]
			for x := x0; x < x1; x++ {
				row[x] *= 1 - float32(c.occlusion(atU, atV, spanU, spanV)*clear)
				atU, atV = atU+stepU, atV+stepV
			}
		}
	}
}

// touchContacts prepares the memory of the pixels [x0, x1) of row y for contact shadows.
func (w *worker) touchContacts(y, x0, x1 int) {
	blocks := w.rowBlocks(y)
	for b := x0 / blockSize; b <= (x1-1)/blockSize; b++ {
		if blocks[b]&inContact != 0 {
			continue
		}
		blocks[b] |= inContact
		dim := w.contactDim[(y-w.y0)*w.w+b*blockSize:][:min(blockSize, w.w-b*blockSize)]
		for i := range dim {
			dim[i] = 1
		}
	}
}

// occlusion returns the share of the ground's brightness that a contact shadow takes at a point of its rectangle,
// whose borders are at -1 and 1. spanU and spanV are half of its sides in reaches.
func (c *contact) occlusion(u, v, spanU, spanV float32) float32 {
	outU := max(float32(geom.Abs(u)*spanU)-(spanU-1), 0)
	outV := max(float32(geom.Abs(v)*spanV)-(spanV-1), 0)
	beside := max(1-geom.Sqrt(float32(outU*outU)+float32(outV*outV)), 0)
	height := c.Height + float32(u*c.RiseU) + float32(v*c.RiseV)
	below := geom.Clamp(1-float32(height*(1/render.ContactHeight)), 0, 1)
	return float32(render.ContactDarkening * float32(float32(beside*beside)*float32(below*below)))
}
