// Package raster draws a render.Scene into a picture without a GPU or a display: with a depth buffer, soft
// shadows and anti-aliased edges, and pixel for pixel the same on every machine. Bands of rows are drawn in
// parallel; the picture does not depend on the number of workers.
//
// Of most pixels nothing is computed: a row has one colour for the inside of the ground's light fields and one for
// that of its dark ones, in the sun and in shadow, and runs of pixels are filled with it where neither a face nor a
// border of a field or of a shadow is near. Pictures are equal to those computed pixel by pixel, byte for byte.
//
// Visibility is sampled at four points of each pixel, and each face visible there is lit once, as in
// multisampling: edges are smooth, and a pixel inside a face costs no more than with one sample.
package raster

import (
	"image"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"ghostcube/render"
	"ghostcube/sim/geom"
)

// samplesPerAxis is the number of samples of a pixel along x and along y.
const samplesPerAxis = 2

// Painter draws scenes and reuses its memory. The zero value is ready. It is not safe for concurrent use, and must not
// be copied after its first use.
type Painter struct {
	faces       []face // the first is ground or sky
	ghosts      []face
	ghostColors render.GhostColors
	figures     [render.MaxGhostColors]image.Rectangle // by index of the colour: the pixels that its ghosts may cover
	contacts    []contact
	shadowMap   shadowMap
	columns     []column // by x

	dst        *image.RGBA
	scene      *render.Scene
	projection render.Projection
	w, h       int // pixels

	workers  []*worker
	nextBand atomic.Int32
	working  sync.WaitGroup
}

// column is the part of the rays through a column of pixels that is the same in every row.
type column struct{ x, y float32 }

// face is a side of a cube that faces the eye.
type face struct {
	n, center geom.Vec3  // outward normal and centre, world frame
	u, v      geom.Vec3  // along the face, scaled so that the borders are at -1 and 1
	eyeOffset float32    // n.(p - eye) of every point p of the face
	light     slope      // of the shadow map
	albedo    [3]float32 // linear: the square of the colour as shown, in [0, 1]
	direct    float32    // factor of the sun's light outside of shadows
	ambient   [3]float32 // light of the sky
	layer     uint8      // of a ghost: index of its colour
	strength  uint8      // of a ghost; 255 is full

	corners     [6]corner
	cornerCount int
	top, bottom float32 // of the corners, samples
	// 1/depth is a + bx*x + by*y at the sample x, y.
	a, bx, by float32
}

// corner is a projected corner, in samples.
type corner struct{ x, y float32 }

// Draw draws the scene over the whole of dst.
func (p *Painter) Draw(dst *image.RGBA, s *render.Scene, c *render.Camera) {
	if dst.Rect.Empty() {
		return
	}
	p.prepare(dst, s, c)
	n := min(runtime.GOMAXPROCS(0), p.bands())
	for len(p.workers) < n {
		p.workers = append(p.workers, newWorker())
	}
	p.nextBand.Store(0)
	p.working.Add(n - 1)
	for _, k := range p.workers[:n] {
		k.join(p)
	}
	for _, k := range p.workers[1:n] {
		go k.start()
	}
	p.workers[0].drawBands()
	p.working.Wait()
	p.dst, p.scene = nil, nil
}

// prepare computes everything about a picture that its bands share.
func (p *Painter) prepare(dst *image.RGBA, s *render.Scene, c *render.Camera) {
	p.dst, p.scene = dst, s
	p.w, p.h = dst.Rect.Dx(), dst.Rect.Dy()
	p.projection = c.Projection(float32(p.w), float32(p.h))
	p.columns = slices.Grow(p.columns[:0], p.w)[:p.w]
	for x := range p.columns {
		to := p.projection.Forward.AddScaled((float32(x)+0.5-p.projection.CenterX)/p.projection.FocalLength, p.projection.Right)
		p.columns[x] = column{to.X, to.Y}
	}
	p.shadowMap.draw(s, c.Target)
	p.collectFaces(s)
	p.collectContacts(s)
	p.boundGhosts()
}

// bands returns the number of bands of the picture.
func (p *Painter) bands() int { return (p.h + bandRows - 1) / bandRows }

// collectFaces lists the faces that may be visible: those of opaque cubes, and those of ghosts.
func (p *Painter) collectFaces(s *render.Scene) {
	p.faces, p.ghosts, p.ghostColors = append(p.faces[:0], face{}), p.ghosts[:0], render.GhostColors{} // face 0 is ground or sky
	for i := range s.Cubes {
		c := &s.Cubes[i]
		if c.Color.A == 0 {
			continue
		}
		sides, n := c.FacesTowardsPoint(p.projection.Eye)
		for k := range sides[:n] {
			side := &sides[k]
			f := face{n: side.Normal, center: side.Center, u: side.U.Scale(1 / side.HalfU), v: side.V.Scale(1 / side.HalfV)}
			if !p.projectFace(&f, side) {
				continue
			}
			if c.Ghost() {
				f.layer = uint8(p.ghostColors.Index(c.Color))
				f.strength = toByte(c.GhostStrength(p.projection.Depth(c.Pose.Pos)))
				p.ghosts = append(p.ghosts, f)
			} else if len(p.faces) < 1<<16 {
				f.prepareShading(c.Color, &p.shadowMap)
				p.faces = append(p.faces, f)
			}
		}
	}
}

// prepareShading computes the part of the lighting that is the same all over a face.
func (f *face) prepareShading(c render.Color, m *shadowMap) {
	color := [3]float32{float32(c.R) / 255, float32(c.G) / 255, float32(c.B) / 255}
	f.direct, f.light = max(0, f.n.Dot(render.ToSun)), m.slope(f.n)
	sky := 1 - render.HemisphereContrast/2 + float32(render.HemisphereContrast/2*f.n.Z)
	for i := range 3 {
		f.albedo[i] = float32(color[i] * color[i])
		f.ambient[i] = float32(render.SkyLight[i] * sky)
	}
}

// projectFace computes the outline, clipped at the near plane, and the depth of a face. It reports whether
// any of the face may be in the picture.
func (p *Painter) projectFace(f *face, side *render.Face) bool {
	outline, n := p.projection.ClipFace(side)
	if n < 3 {
		return false
	}
	f.cornerCount, f.top, f.bottom = n, 1e30, -1e30
	left, right := float32(1e30), float32(-1e30)
	for i, q := range outline[:n] {
		x, y, _ := p.projection.Project(q.Pos)
		c := corner{float32(x * samplesPerAxis), float32(y * samplesPerAxis)}
		f.corners[i] = c
		f.top, f.bottom = min(f.top, c.y), max(f.bottom, c.y)
		left, right = min(left, c.x), max(right, c.x)
	}
	if f.bottom <= 0 || f.top >= float32(p.h*samplesPerAxis) || right <= 0 || left >= float32(p.w*samplesPerAxis) {
		return false
	}
	// A point of the face at depth d is eye + d*ray, so 1/d is n.ray / eyeOffset, which is linear over the picture
	// because the ray is.
	l := &p.projection
	f.eyeOffset = f.n.Dot(f.center) - f.n.Dot(l.Eye)
	away := 1 / f.eyeOffset
	scale := float32(away / float32(l.FocalLength*samplesPerAxis))
	f.bx, f.by = float32(scale*f.n.Dot(l.Right)), -float32(scale*f.n.Dot(l.Up))
	f.a = float32(away*f.n.Dot(l.Forward)) - float32(f.bx*float32(l.CenterX*samplesPerAxis)) - float32(f.by*float32(l.CenterY*samplesPerAxis))
	return true
}

// spanRow is the part of a row that a face covers, in samples.
type spanRow struct{ left, right float32 }

// samples returns the samples [x0, x1) of a row of a width.
func (s spanRow) samples(width int) (x0, x1 int) {
	if s.right <= 0 || s.left >= float32(width) || s.left > s.right {
		return 0, 0
	}
	return int(max(s.left, 0) + 0.5), int(min(s.right, float32(width)) + 0.5)
}

// spans returns the spans of the rows [top, bottom) that the face may cover, and the first of these rows. It uses the
// memory of a list of at least as many rows.
func (f *face) spans(list []spanRow, top, bottom int) (spans []spanRow, first int) {
	top, bottom = max(top, int(max(f.top, 0))), min(bottom, ceil(f.bottom))
	if top >= bottom {
		return nil, top
	}
	list = list[:bottom-top]
	for i := range list {
		list[i] = spanRow{1e30, -1e30}
	}
	a := f.corners[f.cornerCount-1]
	for _, b := range f.corners[:f.cornerCount] {
		low, high := min(a.y, b.y), max(a.y, b.y)
		slope := (b.x - a.x) / (b.y - a.y) // unused where the edge lies along a row
		for row := max(top, ceil(low-1)); row < bottom; row++ {
			y := float32(row) + 0.5
			if y >= high {
				break
			}
			if y < low {
				continue
			}
			x := a.x + float32((y-a.y)*slope)
			if s := &list[row-top]; x < s.left {
				s.left = x
			}
			if s := &list[row-top]; x > s.right {
				s.right = x
			}
		}
		a = b
	}
	return list, top
}
