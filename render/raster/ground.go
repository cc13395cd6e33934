package raster

import (
	"encoding/binary"
	"image"

	"ghostcube/render"
	"ghostcube/sim/geom"
)

// groundRow has what is the same for all points of the ground or the sky along a row, because the camera never rolls.
type groundRow struct {
	ray   geom.Vec3 // Z of the rays; X and Y without those of the columns
	sky   bool
	depth float32 // metres
	z     float32 // of the points, 0 but for rounding
	pixel float32 // metres of ground that a pixel covers across the view
	fog   float32
	foot  float32 // metres: size of a pixel where it is the same all along the row, otherwise 0
}

// groundRow returns the values for the row of pixels with its centre at y.
func (p *Painter) groundRow(y float32) (g groundRow) {
	l := &p.projection
	g.ray = l.Up.Scale((l.CenterY - y) / l.FocalLength)
	g.ray.Z += l.Forward.Z
	if g.sky = g.ray.Z >= -1e-5; g.sky {
		return g
	}
	g.depth = -l.Eye.Z / g.ray.Z
	g.z = l.Eye.Z + float32(g.depth*g.ray.Z)
	g.pixel = g.depth / l.FocalLength
	g.fog = max(fogAt(g.depth), geom.Clamp(float32((g.depth-70)*(1./60)), 0, 1))
	return g
}

// rayAt returns the direction through the centre of a pixel of the row.
func (p *Painter) rayAt(g *groundRow, x int) geom.Vec3 {
	c := p.columns[x]
	return geom.Vec3{X: c.x + g.ray.X, Y: c.y + g.ray.Y, Z: g.ray.Z}
}

// shadeGround returns the colour of ground or sky in a direction. what is the block's, or nearShadow
// where no block is known.
func (p *Painter) shadeGround(g *groundRow, ray geom.Vec3, what block) rgb {
	if g.sky {
		rise := geom.Clamp(float32(2.2*ray.Z)/ray.Len(), 0, 1)
		return rgb{skyComponent(0, rise), skyComponent(1, rise), skyComponent(2, rise)}
	}
	at := p.groundAt(g, ray)
	return p.lightGround(g, ray, at, p.groundSun(at, what))
}

// groundAt returns the point of the ground in a direction.
func (p *Painter) groundAt(g *groundRow, ray geom.Vec3) geom.Vec3 {
	return geom.Vec3{X: p.projection.Eye.X + float32(g.depth*ray.X), Y: p.projection.Eye.Y + float32(g.depth*ray.Y), Z: g.z}
}

// groundSun returns the share of the sun's light that reaches a point of the ground in a block.
func (p *Painter) groundSun(at geom.Vec3, what block) float32 {
	if what&inShadow != 0 {
		return 0
	} else if what&nearShadow != 0 {
		return p.shadowMap.groundVisibility(at)
	}
	return 1
}

// lightGround returns the colour of the ground at a point in a direction, with a share of the sun's light.
func (p *Painter) lightGround(g *groundRow, ray, at geom.Vec3, sun float32) rgb {
	foot := g.foot
	if foot == 0 {
		// Metres of ground that a pixel covers across and along the view: the derivatives of the point where
		// the ray meets the ground.
		along := float32(g.pixel * ray.Len() / -ray.Z)
		foot = max(minFoot, g.pixel, float32(along*0.5))
	}
	dark := 0.5 - float32(0.5*float32(fieldBalance(at.X, foot)*fieldBalance(at.Y, foot)))
	const lines = 1. / render.LineSpacing
	line := max(gridLineCoverage(float32(at.X*lines), float32(foot*lines), render.LineWidth*lines),
		gridLineCoverage(float32(at.Y*lines), float32(foot*lines), render.LineWidth*lines))
	dim := float32((1 - float32((1-render.DarkFieldShade)*dark)) * (1 - float32((1-render.LineShade)*line)))
	return g.color(dim, float32(render.ToSun.Z*sun))
}

// minFoot is the least size in metres of a pixel on the ground.
const minFoot = 0.0005

// color returns the colour of ground with a factor of its light and a share of the sun's light.
func (g *groundRow) color(dim, sun float32) rgb {
	return rgb{g.component(0, dim, sun), g.component(1, dim, sun), g.component(2, dim, sun)}
}

// component returns a component of the colour of ground, which is never so bright that it has to be limited to 1.
func (g *groundRow) component(i int, dim, sun float32) float32 {
	lit := float32(float32(render.GroundColor[i]*render.GroundColor[i]) * dim)
	shown := geom.Sqrt(float32(lit * (render.SkyLight[i] + float32(render.SunLight[i]*sun))))
	if g.fog == 0 {
		return shown
	}
	return shown + float32((render.HorizonColor[i]-shown)*g.fog)
}

// skyComponent returns a component of the colour of the sky.
func skyComponent(i int, rise float32) float32 {
	return render.HorizonColor[i] + float32((render.ZenithColor[i]-render.HorizonColor[i])*rise)
}

// groundLine is the line in which a row of pixels meets the ground. It finds the pixels whose colour needs no work:
// the inside of the ground's fields, where a pixel touches neither another field nor a line, has one colour for light
// fields and one for dark ones.
type groundLine struct {
	x, y         float32  // metres: point at the first pixel
	stepX, stepY float32  // metres from pixel to pixel
	perX, perY   float32  // pixels per metre
	border       float32  // metres from the border of a field within which its colour is not the field's alone
	sunny, shady [2]field // light and dark
	end, which   int      // of the last run that putGround found: the pixel after it, and its field
}

// field is a light or a dark field of the ground in a row.
type field struct {
	uniform bool // all pixels inside have the same colour
	pixel   uint32
}

// groundLine returns the line of a row, and finds g.foot.
func (p *Painter) groundLine(g *groundRow) (f groundLine) {
	eye, last := p.projection.Eye, max(p.w-1, 1)
	a, b := p.rayAt(g, 0), p.rayAt(g, p.w-1)
	if f.border = 1; g.sky || g.depth <= 0 {
		return f
	}
	f.x, f.y = eye.X+float32(g.depth*a.X), eye.Y+float32(g.depth*a.Y)
	f.stepX, f.stepY = float32(g.depth*(b.X-a.X))/float32(last), float32(g.depth*(b.Y-a.Y))/float32(last)
	f.perX, f.perY = min(1/geom.Abs(f.stepX), 1e6), min(1/geom.Abs(f.stepY), 1e6)
	// size bounds all coordinates, and with them their rounding, which is below 4e-7 of it. foot is the largest at one of
	// the row's ends.
	length := max(a.Len(), b.Len())
	size := geom.Abs(eye.X) + geom.Abs(eye.Y) + float32(g.depth*length) + 1
	along := float32(float32(g.pixel*length/-g.ray.Z) * 0.5)
	foot := max(minFoot, g.pixel, along)
	if along < float32(0.999*foot) {
		g.foot = foot
	}
	f.border = float32(foot*0.5) + render.LineWidth/2 + float32(size*4e-6)
	// fieldBalance divides the difference of two coordinates by the size of a pixel.
	noise := float32(size*4e-7)/max(minFoot, g.pixel) + 1e-6
	for i := range f.sunny {
		f.sunny[i], f.shady[i] = g.field(float32(i), noise, render.ToSun.Z), g.field(float32(i), noise, 0)
	}
	return f
}

// field returns the field of ground that is dark by a share, 0 or 1, and by at most noise more or less.
func (g *groundRow) field(dark, noise, sun float32) field {
	const shade, rounding = 1 - render.DarkFieldShade, 1e-6
	least := g.color(1-float32(shade*(dark+noise)), sun).add(-rounding).pixel()
	most := g.color(1-float32(shade*(dark-noise)), sun).add(rounding).pixel()
	return field{least == most, least}
}

// run returns the number of pixels from x on, at most limit, that lie inside of one field, and that field's index.
func (g *groundLine) run(x, limit int) (n, which int) {
	nx, kx := inField(g.x+float32(float32(x)*g.stepX), g.stepX, g.perX, g.border)
	ny, ky := inField(g.y+float32(float32(x)*g.stepY), g.stepY, g.perY, g.border)
	if n := min(nx, ny); n >= 0 {
		return int(min(n, float32(limit-1))) + 1, (kx ^ ky) & 1
	}
	return 0, 0
}

// inField returns the number of further pixels until a coordinate comes near the border of its field, and the field's
// number. The number of pixels is negative near a border.
func inField(at, step, perMetre, border float32) (n float32, number int) {
	k := floor(at)
	before, after := at-k-border, k+1-border-at
	switch {
	case before < 0 || after < 0:
		return -1, 0
	case step > 0:
		return float32(after * perMetre), int(k)
	}
	return float32(before * perMetre), int(k)
}

// fillGround colours the pixels [x0, x1) of a row, in which nothing but ground in the sun, ground in shadow or sky is
// visible.
func (w *worker) fillGround(out []uint8, g *groundRow, line *groundLine, what block, x0, x1 int) {
	fields := &line.sunny
	if what&inShadow != 0 {
		fields = &line.shady
	}
	for x := x0; x < x1; {
		n, which := line.run(x, x1-x)
		if n > 0 && fields[which].uniform {
			pixel := fields[which].pixel
			px := out[4*x:][:4*n]
			for len(px) >= 4 {
				binary.LittleEndian.PutUint32(px, pixel)
				px = px[4:]
			}
			x += n
			continue
		}
		for end := x + max(n, 1); x < end; x++ {
			if hasVectors && !g.sky {
				sun := float32(1)
				if what&inShadow != 0 {
					sun = 0
				}
				w.lanes.add(out, x, w.rayAt(g, x), sun, 1)
				continue
			}
			w.shadeGround(g, w.rayAt(g, x), what).put(out[4*x:])
		}
	}
}

// putGround colours a pixel of ground or sky. dim is the factor of its brightness.
func (w *worker) putGround(out []uint8, g *groundRow, line *groundLine, what block, x int, dim float32) {
	ray, px := w.rayAt(g, x), out[4*x:]
	if g.sky {
		w.shadeGround(g, ray, what).put(px)
		return
	}
	if x >= line.end {
		n, which := line.run(x, w.w-x)
		line.end, line.which = x+n, which
	}
	at := w.groundAt(g, ray)
	sun := w.groundSun(at, what)
	if x < line.end && dim == 1 {
		// A sum of weights may miss 1 by its rounding, which changes a colour by less than a field's colour allows.
		switch f, dark := &line.sunny[line.which], &line.shady[line.which]; {
		case f.uniform && sun > 1-5e-7:
			binary.LittleEndian.PutUint32(px, f.pixel)
			return
		case dark.uniform && sun == 0:
			binary.LittleEndian.PutUint32(px, dark.pixel)
			return
		}
	}
	if hasVectors {
		w.lanes.add(out, x, ray, sun, dim)
		return
	}
	w.lightGround(g, ray, at, sun).scale(dim).put(px)
}

// findShadows marks the blocks of a row whose ground is in shadow or may be at the border of one.
func (w *worker) findShadows(line *groundLine, blocks []block) {
	m := &w.shadowMap
	const perTexel = 1 / texelSize
	u := float32((float32(line.x*m.right.X)+float32(line.y*m.right.Y)-m.u0)*perTexel) - 0.5
	v := float32((float32(line.x*m.up.X)+float32(line.y*m.up.Y)-m.v0)*perTexel) - 0.5
	stepU := float32((float32(line.stepX*m.right.X) + float32(line.stepY*m.right.Y)) * (blockSize * perTexel))
	stepV := float32((float32(line.stepX*m.up.X) + float32(line.stepY*m.up.Y)) * (blockSize * perTexel))
	x0, y0 := cellOf(u), cellOf(v)
	for b := range blocks {
		u, v = u+stepU, v+stepV
		x1, y1 := cellOf(u), cellOf(v)
		r := image.Rect(min(x0, x1), min(y0, y1), max(x0, x1)+1, max(y0, y1)+1)
		inMap := r.Intersect(image.Rect(0, 0, cellsPerSide, cellsPerSide))
		if m.shaded.count(inMap) > 0 {
			if m.dark.count(inMap) == r.Dx()*r.Dy() {
				blocks[b] |= inShadow
			} else {
				blocks[b] |= nearShadow
			}
		}
		x0, y0 = x1, y1
	}
}

// cellOf returns the cell of a texel, also of one outside of the map.
func cellOf(texel float32) int {
	return int(floor(geom.Clamp(texel, -shadowMapSize, 2*shadowMapSize) * (1. / cellSize)))
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
	covered := float32(width*0.5) + float32(pixel*0.5) - f
	if covered <= 0 {
		return 0
	}
	return float32(min(covered/pixel, 1) * min(1, width/pixel+0.15))
}

func floor(x float32) float32 {
	n := float32(int32(x)) // grid coordinates are small enough: the ground is visible for a few kilometres
	if n > x {
		n--
	}
	return n
}
