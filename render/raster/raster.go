// Package raster draws a render.Scene into a picture without a GPU or a display: with a depth buffer, soft
// shadows and anti-aliased edges, and pixel for pixel the same on every machine. Rows are drawn in
// parallel; the picture does not depend on the number of workers.
//
// Visibility is sampled at four points of each pixel, and each face visible there is lit once, as in
// multisampling: edges are smooth, and a pixel inside a face costs no more than with one sample.
package raster

import (
	"image"
	"runtime"
	"slices"
	"sync"

	"ghostcube/render"
	"ghostcube/sim/geom"
)

// samplesPerAxis is the number of samples of a pixel along x and along y.
const samplesPerAxis = 2

// Painter draws scenes and reuses its memory. The zero value is ready. It is not safe for concurrent use.
type Painter struct {
	faces       []face
	ghosts      []face
	ghostColors render.GhostColors
	masks       []ghostMask // by index of the colour
	faceIDs     []uint16    // by sample: index in faces of the visible face; 0 is ground or sky
	invDepth    []float32   // by sample: 1/depth, 1/metres
	contacts    []contact
	contactDim  []float32 // by pixel: factor of the ground's brightness; empty without contacts
	shadowMap   shadowMap

	projection render.Projection
	w, h       int // pixels
}

// face is a side of a cube that faces the eye.
type face struct {
	n, center   geom.Vec3  // outward normal and centre, world frame
	u, v        geom.Vec3  // along the face, scaled so that the borders are at -1 and 1
	planeOffset float32    // n.p of every point p of the face
	albedo      [3]float32 // linear: the square of the colour as shown, in [0, 1]
	direct      float32    // factor of the sun's light outside of shadows
	ambient     [3]float32 // light of the sky
	layer       uint8      // of a ghost: index of its colour
	strength    uint8      // of a ghost; 255 is full

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
	p.w, p.h = dst.Rect.Dx(), dst.Rect.Dy()
	if p.w == 0 || p.h == 0 {
		return
	}
	p.projection = c.Projection(float32(p.w), float32(p.h))
	n := p.w * p.h * samplesPerAxis * samplesPerAxis
	p.faceIDs = slices.Grow(p.faceIDs[:0], n)[:n]
	p.invDepth = slices.Grow(p.invDepth[:0], n)[:n]
	p.shadowMap.draw(s, c.Target)
	p.collectFaces(s)
	p.collectContacts(s)

	p.prepareGhostMasks()

	p.inBands(func(y0, y1 int) {
		p.drawBand(dst, y0, y1)
		p.fillGhostMasks(y0, y1)
	})
	// The line around ghosts looks at the rows above and below, which other bands have filled by now.
	p.inBands(func(y0, y1 int) {
		for i := range p.masks {
			p.drawGhosts(dst, &p.masks[i], p.ghostColors.Colors[i], y0, y1)
		}
		for i := range s.Trails {
			p.drawTrail(dst, &s.Trails[i], y0, y1)
		}
		for i := range s.Lines {
			p.drawLine(dst, &s.Lines[i], y0, y1)
		}
	})
}

// inBands calls draw for all bands of pixel rows [y0, y1) of the picture, in parallel.
func (p *Painter) inBands(draw func(y0, y1 int)) {
	bands := runtime.GOMAXPROCS(0) * 4
	var wait sync.WaitGroup
	rows := (p.h + bands - 1) / bands
	for y := 0; y < p.h; y += rows {
		wait.Add(1)
		go func() {
			defer wait.Done()
			draw(y, min(y+rows, p.h))
		}()
	}
	wait.Wait()
}

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
				f.prepareShading(c.Color)
				p.faces = append(p.faces, f)
			}
		}
	}
}

// prepareShading computes the part of the lighting that is the same all over a face.
func (f *face) prepareShading(c render.Color) {
	color := [3]float32{float32(c.R) / 255, float32(c.G) / 255, float32(c.B) / 255}
	f.direct = max(0, f.n.Dot(render.ToSun))
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
	// A point of the face at depth d is eye + d*ray, so 1/d is n.ray / (planeOffset - n.eye), which is
	// linear over the picture because the ray is.
	l := &p.projection
	f.planeOffset = f.n.Dot(f.center)
	away := 1 / (f.planeOffset - f.n.Dot(l.Eye))
	scale := float32(away / float32(l.FocalLength*samplesPerAxis))
	f.bx, f.by = float32(scale*f.n.Dot(l.Right)), -float32(scale*f.n.Dot(l.Up))
	f.a = float32(away*f.n.Dot(l.Forward)) - float32(f.bx*float32(l.CenterX*samplesPerAxis)) - float32(f.by*float32(l.CenterY*samplesPerAxis))
	return true
}

// span returns the samples [x0, x1) of a row that a face covers.
func (f *face) span(row, width int) (x0, x1 int) {
	y := float32(row) + 0.5
	lo, hi := float32(1e30), float32(-1e30)
	a := f.corners[f.cornerCount-1]
	for _, b := range f.corners[:f.cornerCount] {
		if (a.y <= y) != (b.y <= y) {
			x := a.x + float32((y-a.y)*((b.x-a.x)/(b.y-a.y)))
			lo, hi = min(lo, x), max(hi, x)
		}
		a = b
	}
	if hi <= 0 || lo >= float32(width) || lo > hi {
		return 0, 0
	}
	return int(max(lo, 0) + 0.5), int(min(hi, float32(width)) + 0.5)
}

// drawBand draws ground, sky and opaque cubes in the pixel rows [y0, y1).
func (p *Painter) drawBand(dst *image.RGBA, y0, y1 int) {
	stride := p.w * samplesPerAxis
	for row := y0 * samplesPerAxis; row < y1*samplesPerAxis; row++ {
		clear(p.faceIDs[row*stride : (row+1)*stride])
		// The ground's depth is the same along a row because the camera never rolls.
		ray := p.projection.Ray(p.projection.CenterX, (float32(row)+0.5)/samplesPerAxis)
		ground := max(0, -ray.Z/p.projection.Eye.Z)
		z := p.invDepth[row*stride : (row+1)*stride]
		for i := range z {
			z[i] = ground
		}
	}
	for i := 1; i < len(p.faces); i++ {
		p.rasterize(&p.faces[i], uint16(i), y0*samplesPerAxis, y1*samplesPerAxis)
	}
	p.dimContacts(y0, y1)
	for y := y0; y < y1; y++ {
		p.shadeRow(dst, y)
	}
}

// rasterize writes a face into the samples of rows [top, bottom) at which it is the nearest so far.
func (p *Painter) rasterize(f *face, id uint16, top, bottom int) {
	stride := p.w * samplesPerAxis
	for row := max(top, int(max(f.top, 0))); row < bottom && float32(row) < f.bottom; row++ {
		x0, x1 := f.span(row, stride)
		if x0 >= x1 {
			continue
		}
		z := f.a + float32(f.bx*(float32(x0)+0.5)) + float32(f.by*(float32(row)+0.5))
		depth, ids := p.invDepth[row*stride+x0:row*stride+x1], p.faceIDs[row*stride+x0:row*stride+x1]
		for i := range depth {
			if z > depth[i] {
				depth[i], ids[i] = z, id
			}
			z += f.bx
		}
	}
}

// shadeRow colours a row of pixels.
func (p *Painter) shadeRow(dst *image.RGBA, y int) {
	stride := p.w * samplesPerAxis
	up, down := p.faceIDs[y*samplesPerAxis*stride:(y*samplesPerAxis+1)*stride], p.faceIDs[(y*samplesPerAxis+1)*stride:(y*samplesPerAxis+2)*stride]
	out := dst.Pix[dst.PixOffset(dst.Rect.Min.X, dst.Rect.Min.Y+y):]
	fy := float32(y)
	for x := range p.w {
		ids := [4]uint16{up[2*x], up[2*x+1], down[2*x], down[2*x+1]}
		fx := float32(x)
		var c [3]float32
		if ids[0] == ids[1] && ids[0] == ids[2] && ids[0] == ids[3] {
			c = p.shadeSample(ids[0], fx+0.5, fy+0.5)
		} else {
			c = p.resolveSamples(&ids, fx, fy)
		}
		out[4*x], out[4*x+1], out[4*x+2], out[4*x+3] = toByte(c[0]), toByte(c[1]), toByte(c[2]), 255
	}
}

func toByte(x float32) uint8 { return uint8(float32(min(max(x, 0), 1)*255) + 0.5) }

// sampleOffsets are the samples' places in a pixel.
var sampleOffsets = [4][2]float32{{0.25, 0.25}, {0.75, 0.25}, {0.25, 0.75}, {0.75, 0.75}}

// resolveSamples lights each face visible in a pixel once, at the mean of its samples.
func (p *Painter) resolveSamples(ids *[4]uint16, fx, fy float32) (c [3]float32) {
	var done [4]bool
	for i := range ids {
		if done[i] {
			continue
		}
		var x, y float32
		n := float32(0)
		for j := i; j < 4; j++ {
			if ids[j] == ids[i] {
				done[j] = true
				x, y, n = x+sampleOffsets[j][0], y+sampleOffsets[j][1], n+1
			}
		}
		one := p.shadeSample(ids[i], fx+x/n, fy+y/n)
		for k := range c {
			c[k] += float32(one[k] * float32(n*0.25))
		}
	}
	return c
}

// shadeSample returns the colour of a face at a point of the picture.
func (p *Painter) shadeSample(id uint16, x, y float32) [3]float32 {
	ray := p.projection.Ray(x, y)
	if id == 0 {
		c := p.shadeGround(ray)
		if len(p.contactDim) > 0 {
			dim := p.contactDim[int(y)*p.w+int(x)]
			for i := range c {
				c[i] *= dim
			}
		}
		return c
	}
	f := &p.faces[id]
	w := (f.planeOffset - f.n.Dot(p.projection.Eye)) / f.n.Dot(ray)
	at := p.projection.Eye.AddScaled(w, ray)
	sun := float32(0)
	if f.direct > 0 {
		sun = float32(f.direct * p.shadowMap.sunVisibility(at, f.n))
	}
	d := at.Sub(f.center)
	dark := 1 - float32(render.EdgeDarkening*edgeFactor(max(geom.Abs(d.Dot(f.u)), geom.Abs(d.Dot(f.v)))))
	near := geom.Clamp(0.55+float32(1.1*at.Z), 0.55, 1) // ambient occlusion by the ground
	fog := fogAt(w)
	var c [3]float32
	for i := range c {
		l := float32(f.albedo[i] * (float32(f.ambient[i]*near) + float32(render.SunLight[i]*sun)))
		shown := geom.Sqrt(min(float32(l*dark), 1))
		c[i] = shown + float32((render.HorizonColor[i]-shown)*fog)
	}
	return c
}

// edgeFactor returns the strength in [0, 1] of the dark edge at a distance from the face's centre; the
// border is at distance 1.
func edgeFactor(distance float32) float32 {
	t := geom.Clamp((distance-render.EdgeStart)*(1/(render.EdgeEnd-render.EdgeStart)), 0, 1)
	return float32(float32(t*t) * (3 - float32(2*t)))
}

// fogAt returns the opacity of the fog at a depth in metres.
func fogAt(depth float32) float32 {
	return geom.Clamp((depth-render.FogStart)*(1./render.FogRange), 0, render.FogMax)
}

// shadeGround returns the colour of ground or sky in a direction.
func (p *Painter) shadeGround(ray geom.Vec3) [3]float32 {
	var c [3]float32
	if ray.Z >= -1e-5 {
		rise := geom.Clamp(float32(2.2*ray.Z)/ray.Len(), 0, 1)
		for i := range c {
			c[i] = render.HorizonColor[i] + float32((render.ZenithColor[i]-render.HorizonColor[i])*rise)
		}
		return c
	}
	l := &p.projection
	w := -l.Eye.Z / ray.Z
	at := l.Eye.AddScaled(w, ray)
	// Metres of ground that a pixel covers across and along the view: the derivatives of the point where
	// the ray meets the ground.
	across := w / l.FocalLength
	along := float32(across * ray.Len() / -ray.Z)
	foot := max(0.0005, max(across, float32(along*0.5)))
	dark := 0.5 - float32(0.5*float32(fieldBalance(at.X, foot)*fieldBalance(at.Y, foot)))
	const lines = 1. / render.LineSpacing
	line := max(gridLineCoverage(float32(at.X*lines), float32(foot*lines), render.LineWidth*lines), gridLineCoverage(float32(at.Y*lines), float32(foot*lines), render.LineWidth*lines))
	dim := float32((1 - float32((1-render.DarkFieldShade)*dark)) * (1 - float32((1-render.LineShade)*line)))
	sun := float32(render.ToSun.Z * p.shadowMap.sunVisibility(at, geom.Vec3{Z: 1}))
	fog := fogAt(w)
	fog = max(fog, geom.Clamp(float32((w-70)*(1./60)), 0, 1))
	for i := range c {
		lit := float32(float32(render.GroundColor[i]*render.GroundColor[i]) * dim)
		shown := geom.Sqrt(min(float32(lit*(render.SkyLight[i]+float32(render.SunLight[i]*sun))), 1))
		c[i] = shown + float32((render.HorizonColor[i]-shown)*fog)
	}
	return c
}

// fieldBalance returns the share of a pixel at x that lies in even metres minus the share in odd ones. pixel is
// its size in metres. The fields of the ground are light where the product along both axes is positive.
func fieldBalance(x, pixel float32) float32 {
	return float32((triangleWave(x+float32(pixel*0.5)) - triangleWave(x-float32(pixel*0.5))) / pixel)
}

// triangleWave returns a wave with a period of two metres that rises by one each even metre and falls by as much
// each odd one.
func triangleWave(x float32) float32 {
	half := float32(x * 0.5)
	return 1 - float32(2*geom.Abs(half-floor(half)-0.5))
}

// gridLineCoverage returns the share of a pixel that the lines of a grid with unit spacing cover at x.
// pixel and width are in units of the grid. Lines that are finer than a pixel fade out.
func gridLineCoverage(x, pixel, width float32) float32 {
	f := x - floor(x)
	f = min(f, 1-f)
	inside := geom.Clamp((float32(width*0.5)+float32(pixel*0.5)-f)/pixel, 0, 1)
	return float32(inside * min(1, width/pixel+0.15))
}

func floor(x float32) float32 {
	n := float32(int32(x)) // grid coordinates are small enough: the ground is visible for a few kilometres
	if n > x {
		n--
	}
	return n
}
