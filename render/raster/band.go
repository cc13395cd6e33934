package raster

import (
	"encoding/binary"
	"slices"

	"ghostcube/render"
	"ghostcube/sim/geom"
)

// bandRows is the number of rows of pixels that a worker draws at a time: few enough that their samples stay in its
// core's cache.
const bandRows = 16

// worker draws bands of a picture, one after the other.
type worker struct {
	*Painter
	start func() // draws bands and reports the end to the Painter; made once, so that a picture allocates nothing

	y0, y1     int                                // rows of pixels of the band
	blocks     []block                            // by row and block
	faceIDs    []uint16                           // by sample of covered blocks: index in faces of the visible face; 0 is ground or sky
	invDepth   []float32                          // by sample of covered blocks: 1/depth, 1/metres
	ground     [bandRows * samplesPerAxis]float32 // by row of samples: 1/depth of the ground, 0 for the sky
	contactDim []float32                          // by pixel of blocks in contact shadows: factor of the ground's brightness
	mask       ghostMask
	lanes      groundVectors
	faceLanes  faceVectors
	spans      [(bandRows + maxGhostLine) * samplesPerAxis]spanRow // scratch
}

// block describes a block of blockSize pixels of a row.
type block uint8

const (
	covered    block = 1 << iota // faces: samples and their depth are valid
	inContact                    // contact shadows: contactDim is valid
	inShadow                     // ground that no sun reaches
	nearShadow                   // ground that may be at the border of a shadow
)

// blockSize is the number of pixels of a block.
const blockSize = 16

func newWorker() *worker {
	k := &worker{}
	k.lanes.init()
	k.faceLanes.init()
	k.start = func() {
		k.drawBands()
		k.working.Done()
	}
	return k
}

// join makes w a worker at the picture that a Painter has prepared.
func (w *worker) join(p *Painter) {
	w.Painter = p
	w.faceLanes.begin(p.projection.Eye, &p.shadowMap)
	const samples = samplesPerAxis * samplesPerAxis
	n := bandRows * p.w
	w.faceIDs, w.invDepth = slices.Grow(w.faceIDs[:0], n*samples)[:n*samples], slices.Grow(w.invDepth[:0], n*samples)[:n*samples]
	w.contactDim = slices.Grow(w.contactDim[:0], n)[:n]
	w.blocks = slices.Grow(w.blocks[:0], bandRows*p.blocksPerRow())[:bandRows*p.blocksPerRow()]
	if p.ghostColors.Count > 0 {
		n := p.maskStride() * p.maskRows()
		w.mask.strength = slices.Grow(w.mask.strength[:0], n)[:n]
	}
}

// drawBands draws bands until none is left.
func (w *worker) drawBands() {
	for w.drawNext() {
	}
}

// drawNext draws the next band. It reports whether there was one.
func (w *worker) drawNext() bool {
	i := int(w.nextBand.Add(1)) - 1
	if i >= w.bands() {
		return false
	}
	w.y0, w.y1 = i*bandRows, min((i+1)*bandRows, w.h)
	w.drawBand()
	return true
}

// drawBand draws the band: ground, sky and opaque cubes, and ghosts, trails and lines over them.
func (w *worker) drawBand() {
	clear(w.blocks)
	for row := w.y0 * samplesPerAxis; row < w.y1*samplesPerAxis; row++ {
		// The ground's depth is the same along a row because the camera never rolls.
		ray := w.projection.Ray(w.projection.CenterX, (float32(row)+0.5)/samplesPerAxis)
		w.ground[row-w.y0*samplesPerAxis] = max(0, -ray.Z/w.projection.Eye.Z)
	}
	for i := 1; i < len(w.faces); i++ {
		w.rasterize(&w.faces[i], uint16(i))
	}
	w.dimContacts()
	for y := w.y0; y < w.y1; y++ {
		w.shadeRow(y)
	}
	for i := range w.ghostColors.Count {
		w.drawGhosts(i)
	}
	for i := range w.scene.Trails {
		w.drawTrail(&w.scene.Trails[i])
	}
	for i := range w.scene.Lines {
		w.drawLine(&w.scene.Lines[i])
	}
}

// row returns the pixels of the picture from the beginning of row y.
func (w *worker) row(y int) []uint8 {
	return w.dst.Pix[w.dst.PixOffset(w.dst.Rect.Min.X, w.dst.Rect.Min.Y+y):]
}

// blocksPerRow returns the number of blocks of a row.
func (p *Painter) blocksPerRow() int { return (p.w + blockSize - 1) / blockSize }

// rowBlocks returns the blocks of row y.
func (w *worker) rowBlocks(y int) []block {
	n := w.blocksPerRow()
	return w.blocks[(y-w.y0)*n:][:n]
}

// depthAt returns 1/depth at the first sample of a pixel.
func (w *worker) depthAt(x, y int) float32 {
	row := (y - w.y0) * samplesPerAxis
	if w.rowBlocks(y)[x/blockSize]&covered == 0 {
		return w.ground[row]
	}
	return w.invDepth[row*w.w*samplesPerAxis+x*samplesPerAxis]
}

// rasterize writes a face into the samples of the band at which it is the nearest so far.
func (w *worker) rasterize(f *face, id uint16) {
	stride, first := w.w*samplesPerAxis, w.y0*samplesPerAxis
	spans, top := f.spans(w.spans[:], first, w.y1*samplesPerAxis)
	for i, span := range spans {
		row := top + i
		x0, x1 := span.samples(stride)
		if x0 >= x1 {
			continue
		}
		w.cover(row/samplesPerAxis, x0/samplesPerAxis, (x1-1)/samplesPerAxis)
		z := f.a + float32(f.bx*(float32(x0)+0.5)) + float32(f.by*(float32(row)+0.5))
		at := (row - first) * stride
		depth, ids := w.invDepth[at+x0:at+x1], w.faceIDs[at+x0:at+x1]
		for i := range depth {
			if z > depth[i] {
				depth[i], ids[i] = z, id
			}
			z += f.bx
		}
	}
}

// cover prepares the samples of the pixels from x0 to x1 of row y for faces.
func (w *worker) cover(y, x0, x1 int) {
	blocks := w.rowBlocks(y)
	for b := x0 / blockSize; b <= x1/blockSize; b++ {
		if blocks[b]&covered != 0 {
			continue
		}
		blocks[b] |= covered
		n := min(blockSize, w.w-b*blockSize) * samplesPerAxis
		for i := range samplesPerAxis {
			row := (y-w.y0)*samplesPerAxis + i
			at := row*w.w*samplesPerAxis + b*blockSize*samplesPerAxis
			clear(w.faceIDs[at:][:n])
			depth := w.invDepth[at:][:n]
			for j := range depth {
				depth[j] = w.ground[row]
			}
		}
	}
}

// shadeRow colours a row of pixels.
func (w *worker) shadeRow(y int) {
	stride := w.w * samplesPerAxis
	at := (y - w.y0) * samplesPerAxis * stride
	up, down := w.faceIDs[at:][:stride], w.faceIDs[at+stride:][:stride]
	dim := w.contactDim[(y-w.y0)*w.w:][:w.w]
	out, blocks := w.row(y)[:4*w.w], w.rowBlocks(y)
	g := w.groundRow(float32(y) + 0.5)
	line := w.groundLine(&g)
	if !g.sky {
		w.findShadows(&line, blocks)
		w.lanes.begin(&g, w.projection.Eye)
	}
	for b := 0; b < len(blocks); {
		x0, what := b*blockSize, blocks[b]
		b++
		if what == 0 || what == inShadow {
			for b < len(blocks) && blocks[b] == what {
				b++
			}
			w.fillGround(out, &g, &line, what, x0, min(b*blockSize, w.w))
			continue
		}
		for x := x0; x < min(b*blockSize, w.w); x++ {
			id := uint16(0)
			if what&covered != 0 {
				ids := [4]uint16{up[2*x], up[2*x+1], down[2*x], down[2*x+1]}
				if id = ids[0]; id != ids[1] || id != ids[2] || id != ids[3] {
					w.resolveSamples(out[4*x:], &ids, x, y, contactAt(what, dim, x))
					continue
				}
			}
			if id != 0 {
				w.putFace(out, &g, &w.faces[id], x)
			} else {
				w.putGround(out, &g, &line, what, x, contactAt(what, dim, x))
			}
		}
	}
	w.lanes.flush(out)
	w.faceLanes.flush(out, &w.shadowMap)
}

// putFace colours a pixel of a face.
func (w *worker) putFace(out []uint8, g *groundRow, f *face, x int) {
	ray := w.rayAt(g, x)
	if hasVectors {
		w.faceLanes.add(out, &w.shadowMap, f, x, ray)
		return
	}
	w.shadeFace(f, ray).put(out[4*x:])
}

// contactAt returns the factor of the ground's brightness at a pixel of a block.
func contactAt(b block, dim []float32, x int) float32 {
	if b&inContact == 0 {
		return 1
	}
	return dim[x]
}

// rgb is a colour with components in [0, 1].
type rgb struct{ r, g, b float32 }

// scale returns r times a factor.
func (r rgb) scale(s float32) rgb { return rgb{float32(r.r * s), float32(r.g * s), float32(r.b * s)} }

// add returns r plus a number.
func (r rgb) add(x float32) rgb { return rgb{r.r + x, r.g + x, r.b + x} }

// pixel returns the opaque pixel of a colour, its first byte in the lowest bits.
func (r rgb) pixel() uint32 {
	return uint32(toByte(r.r)) | uint32(toByte(r.g))<<8 | uint32(toByte(r.b))<<16 | 255<<24
}

// put writes an opaque pixel.
func (r rgb) put(px []uint8) { binary.LittleEndian.PutUint32(px, r.pixel()) }

// toByte returns a component as a byte. x may be outside of [0, 1] by a rounding error.
func toByte(x float32) uint8 { return uint8(int32(float32(x*255) + 0.5)) }

// sampleOffsets are the samples' places in a pixel.
var sampleOffsets = [4][2]float32{{0.25, 0.25}, {0.75, 0.25}, {0.25, 0.75}, {0.75, 0.75}}

// resolveSamples lights each face visible in a pixel once, at the mean of its samples. dim is the factor of the
// ground's brightness.
func (w *worker) resolveSamples(px []uint8, ids *[4]uint16, atX, atY int, dim float32) {
	fx, fy := float32(atX), float32(atY)
	var done [4]bool
	var c rgb
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
		var one rgb
		x, y = fx+x/n, fy+y/n
		if ray := w.projection.Ray(x, y); ids[i] != 0 {
			one = w.shadeFace(&w.faces[ids[i]], ray)
		} else {
			g := w.groundRow(y)
			one = w.shadeGround(&g, ray, nearShadow).scale(dim)
		}
		share := float32(n * 0.25)
		c.r, c.g, c.b = c.r+float32(one.r*share), c.g+float32(one.g*share), c.b+float32(one.b*share)
	}
	c.put(px)
}

// shadeFace returns the colour of a face in a direction.
func (p *Painter) shadeFace(f *face, ray geom.Vec3) rgb {
	w := f.eyeOffset / f.n.Dot(ray)
	at := p.projection.Eye.AddScaled(w, ray)
	sun := float32(0)
	if f.direct > 0 {
		sun = float32(f.direct * p.shadowMap.sunVisibility(at, &f.light))
	}
	d := at.Sub(f.center)
	dark, away := float32(1), geom.Abs(d.Dot(f.u))
	if v := geom.Abs(d.Dot(f.v)); v > away {
		away = v
	}
	if away > render.EdgeStart {
		dark = 1 - float32(render.EdgeDarkening*edgeFactor(away))
	}
	near := geom.Clamp(groundShade+float32(groundRise*at.Z), groundShade, 1)
	fog := fogAt(w)
	return rgb{
		f.component(0, sun, near, dark, fog),
		f.component(1, sun, near, dark, fog),
		f.component(2, sun, near, dark, fog),
	}
}

// Ambient occlusion by the ground: the share of the sky's light at it, and how much more there is a metre above it.
const (
	groundShade = 0.55
	groundRise  = 1.1
)

// component returns a component of the colour of a face.
func (f *face) component(i int, sun, near, dark, fog float32) float32 {
	l := float32(f.albedo[i] * (float32(f.ambient[i]*near) + float32(render.SunLight[i]*sun)))
	if l = float32(l * dark); l > 1 {
		l = 1
	}
	shown := geom.Sqrt(l)
	return shown + float32((render.HorizonColor[i]-shown)*fog)
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
