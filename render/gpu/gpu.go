// Package gpu draws a render.Scene with Ebitengine, as render/raster draws it
// without: depth-correct, with soft shadows and smooth edges.
//
// Ebitengine has no depth buffer. But it can keep the larger of two values, and
// 1/distance is linear on the screen, so depth is drawn as a picture: first the
// high byte of how near each face is, the larger kept; then, where a face's
// high byte is the one kept, both bytes. The faces are then drawn where they
// are the nearest. The shadow map is made in the same way from the sun.
package gpu

import (
	"fmt"
	"image"
	"slices"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/hajimehoshi/ebiten/v2"

	"ghostcube/assets"
	"ghostcube/render"
	"ghostcube/sim/geom"
)

// shadowMapSize is the side of the shadow map.
const shadowMapSize = 2048

// texelSize is what one of them covers, in metres.
const texelSize = 2 * render.ShadowMapHalfWidth / float32(shadowMapSize)

// Painter draws scenes.
type Painter struct {
	groundShader, depthHighShader, depthLowShader, shadowHighShader, shadowLowShader, cubeShader, ghostShader *ebiten.Shader

	target                     *ebiten.Image // all pictures, at times larger than they are shown
	depthHigh, depth           *ebiten.Image
	shadowHigh, shadow         *ebiten.Image
	scale                      int
	faces, ghosts, shadowFaces mesh
	drawOrder                  []int

	atlasImage *ebiten.Image
	overlay    mesh
}

// mesh is triangles to be drawn at once.
type mesh struct {
	vertices []ebiten.Vertex
	indices  []uint32
	maxDepth float32 // the farthest corner
}

func (m *mesh) reset() { m.vertices, m.indices, m.maxDepth = m.vertices[:0], m.indices[:0], 0 }

// addQuad adds the two triangles of the last four vertices.
func (m *mesh) addQuad() {
	n := uint32(len(m.vertices)) - 4
	m.indices = append(m.indices, n, n+1, n+2, n, n+2, n+3)
}

// New returns a painter. It needs no window; drawing does.
func New() (*Painter, error) {
	p := &Painter{}
	for name, s := range map[string]**ebiten.Shader{
		"ground": &p.groundShader, "depthhigh": &p.depthHighShader, "depthlow": &p.depthLowShader, "shadowhigh": &p.shadowHighShader, "shadowlow": &p.shadowLowShader, "cube": &p.cubeShader, "translucent": &p.ghostShader,
	} {
		source, err := assets.Shaders.ReadFile("shaders/" + name + ".kage")
		if err != nil {
			return nil, err
		}
		if *s, err = ebiten.NewShader(source); err != nil {
			return nil, fmt.Errorf("gpu: shader %s: %w", name, err)
		}
	}
	return p, nil
}

// blendMax keeps, of what is there and what is drawn, the larger.
var blendMax = ebiten.Blend{
	BlendFactorSourceRGB:        ebiten.BlendFactorOne,
	BlendFactorSourceAlpha:      ebiten.BlendFactorOne,
	BlendFactorDestinationRGB:   ebiten.BlendFactorOne,
	BlendFactorDestinationAlpha: ebiten.BlendFactorOne,
	BlendOperationRGB:           ebiten.BlendOperationMax,
	BlendOperationAlpha:         ebiten.BlendOperationMax,
}

// Begin begins a picture of w by h pixels, drawn scale times as large each way
// and shown smaller, which smooths its edges; scale is 1 or 2.
func (p *Painter) Begin(w, h, scale int) {
	if most := ebiten.MaxImageSize(); most > 0 {
		for scale > 1 && (w*scale > min(most, 4096) || h*scale > min(most, 4096)) {
			scale--
		}
	}
	p.scale = scale
	size := image.Rect(0, 0, w*scale, h*scale)
	own := &ebiten.NewImageOptions{Unmanaged: true}
	if p.shadow == nil {
		p.shadowHigh = ebiten.NewImageWithOptions(image.Rect(0, 0, shadowMapSize, shadowMapSize), own)
		p.shadow = ebiten.NewImageWithOptions(image.Rect(0, 0, shadowMapSize, shadowMapSize), own)
	}
	if p.target != nil && p.target.Bounds() == size {
		return
	}
	for _, im := range []**ebiten.Image{&p.target, &p.depthHigh, &p.depth} {
		if *im != nil {
			(*im).Deallocate()
		}
		*im = ebiten.NewImageWithOptions(size, own)
	}
}

// End puts the picture onto dst, its top left corner at x, y.
func (p *Painter) End(dst *ebiten.Image, x, y int) {
	o := &ebiten.DrawImageOptions{Filter: ebiten.FilterLinear, Blend: ebiten.BlendCopy, DisableMipmaps: true}
	if p.scale == 1 {
		o.Filter = ebiten.FilterNearest
	}
	o.GeoM.Scale(1/float64(p.scale), 1/float64(p.scale))
	o.GeoM.Translate(float64(x), float64(y))
	dst.DrawImage(p.target, o)
}

// lightSpace is the shadow map's frame.
type lightSpace struct {
	right, up           geom.Vec3
	u0, v0, depthOrigin float32 // where the map begins, and the light's depth in its middle
}

func newLightSpace(target geom.Vec3) lightSpace {
	l := lightSpace{right: geom.Vec3{X: render.ToSun.Y, Y: -render.ToSun.X}.Unit()}
	l.up = render.ToSun.Cross(l.right)
	snap := func(x float32) float32 { return float32(int(x/texelSize)) * texelSize }
	l.u0, l.v0 = snap(target.Dot(l.right))-render.ShadowMapHalfWidth, snap(target.Dot(l.up))-render.ShadowMapHalfWidth
	l.depthOrigin = target.Dot(render.ToSun)
	return l
}

// Draw draws a scene into the rectangle r of the picture that was begun.
func (p *Painter) Draw(r image.Rectangle, s *render.Scene, c *render.Camera) {
	k := p.scale
	r = image.Rect(r.Min.X*k, r.Min.Y*k, r.Max.X*k, r.Max.Y*k)
	if r.Empty() {
		return
	}
	lens := c.Projection(float32(r.Dx()), float32(r.Dy()))
	view := newViewProjection(&lens, r)
	sun := newLightSpace(c.Target)
	p.drawShadowMap(s, sun)
	uniforms := p.uniforms(&lens, sun, r)

	dst := p.target.SubImage(r).(*ebiten.Image)
	p.drawGround(dst, r, uniforms)

	p.faces.reset()
	p.ghosts.reset()
	p.collectFaces(s, &view, &p.faces, false)
	far := max(p.faces.maxDepth, 1) * 1.02
	uniforms["Far"] = far
	high, depth := p.depthHigh.SubImage(r).(*ebiten.Image), p.depth.SubImage(r).(*ebiten.Image)
	high.Clear()
	depth.Clear()
	o := &ebiten.DrawTrianglesShaderOptions{Blend: blendMax, Uniforms: uniforms}
	high.DrawTrianglesShader32(p.faces.vertices, p.faces.indices, p.depthHighShader, o)
	o.Images[0] = p.depthHigh
	depth.DrawTrianglesShader32(p.faces.vertices, p.faces.indices, p.depthLowShader, o)

	o = &ebiten.DrawTrianglesShaderOptions{Uniforms: uniforms}
	o.Images[0], o.Images[1] = p.depth, p.shadow
	dst.DrawTrianglesShader32(p.faces.vertices, p.faces.indices, p.cubeShader, o)

	p.collectFaces(s, &view, &p.ghosts, true)
	for i := range s.Trails {
		p.addTrail(&s.Trails[i], &view)
	}
	for i := range s.Lines {
		p.addLine(&s.Lines[i], &view)
	}
	uniforms["Edge"] = []float32{render.EdgeStart, render.EdgeEnd}
	o = &ebiten.DrawTrianglesShaderOptions{Uniforms: uniforms}
	o.Images[0] = p.depth
	if len(p.ghosts.indices) > 0 {
		dst.DrawTrianglesShader32(p.ghosts.vertices, p.ghosts.indices, p.ghostShader, o)
	}
}

// uniforms are the numbers that the shaders share.
func (p *Painter) uniforms(l *render.Projection, sun lightSpace, r image.Rectangle) map[string]any {
	v := func(a geom.Vec3) []float32 { return []float32{a.X, a.Y, a.Z} }
	slope := -texelSize / render.ToSun.Z / render.ShadowMapDepth
	return map[string]any{
		"Eye": v(l.Eye), "Right": v(l.Right), "Up": v(l.Up), "Ahead": v(l.Forward),
		"Middle": []float32{l.CenterX, l.CenterY}, "Focal": l.FocalLength,
		"Horizon": render.HorizonColor[:], "Zenith": render.ZenithColor[:], "Ground": render.GroundColor[:],
		"SkyLight": render.SkyLight[:], "SunLight": render.SunLight[:],
		"Grid":  []float32{render.GridWidth, render.GridShade, render.GridOpacity, 0},
		"Field": []float32{render.MajorGridWidth, render.MajorGridShade, render.MajorGridOpacity, 0},
		"Fog":   []float32{render.FogStart, render.FogRange, render.FogMax},
		"Edge":  []float32{render.EdgeStart, render.EdgeEnd, render.EdgeDarkening},
		"Share": float32(render.GhostEdgeShare), "Far": float32(1),
		"SunRight": v(sun.right), "SunUp": v(sun.up), "ToSun": v(render.ToSun),
		"SunAt": []float32{sun.u0, sun.v0, sun.depthOrigin}, "Texel": texelSize, "Texels": float32(shadowMapSize), "Deep": float32(render.ShadowMapDepth),
		"Slope":  []float32{slope * sun.right.Z, slope * sun.up.Z},
		"Corner": []float32{float32(r.Min.X), float32(r.Min.Y)},
	}
}

// drawGround draws ground and sky.
func (p *Painter) drawGround(dst *ebiten.Image, r image.Rectangle, uniforms map[string]any) {
	level := make([]float32, 3)
	for i := range level {
		level[i] = render.SunLight[i] * render.ToSun.Z
	}
	full := uniforms["SunLight"]
	uniforms["SunLight"] = level
	var v [4]ebiten.Vertex
	for i, c := range [4]image.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}} {
		v[i].DstX, v[i].DstY = float32(c.X), float32(c.Y)
	}
	o := &ebiten.DrawTrianglesShaderOptions{Blend: ebiten.BlendCopy, Uniforms: uniforms}
	o.Images[0] = p.shadow
	dst.DrawTrianglesShader32(v[:], []uint32{0, 1, 2, 0, 2, 3}, p.groundShader, o)
	uniforms["SunLight"] = full
}

// drawShadowMap makes the shadow map of a scene.
func (p *Painter) drawShadowMap(s *render.Scene, sun lightSpace) {
	m := &p.shadowFaces
	m.reset()
	for i := range s.Cubes {
		c := &s.Cubes[i]
		if c.Ghost() {
			continue
		}
		axes := c.Pose.Rot.Mat()
		for k := range 3 {
			n := axes.Col(k)
			if n.Dot(render.ToSun) < 0 {
				n = n.Neg()
			}
			mid := c.Pose.Pos.AddScaled(c.Half.At(k), n)
			for _, q := range faceCorners(&axes, c.Half, mid, k) {
				m.vertices = append(m.vertices, ebiten.Vertex{
					DstX: (q.Dot(sun.right) - sun.u0) / texelSize, DstY: (q.Dot(sun.up) - sun.v0) / texelSize,
					Custom0: 0.5 + (q.Dot(render.ToSun)-sun.depthOrigin)/render.ShadowMapDepth,
				})
			}
			m.addQuad()
		}
	}
	p.shadowHigh.Clear()
	p.shadow.Clear()
	o := &ebiten.DrawTrianglesShaderOptions{Blend: blendMax}
	p.shadowHigh.DrawTrianglesShader32(m.vertices, m.indices, p.shadowHighShader, o)
	o.Images[0] = p.shadowHigh
	p.shadow.DrawTrianglesShader32(m.vertices, m.indices, p.shadowLowShader, o)
}

// faceCorners returns the corners of the face across axis k whose middle is mid.
func faceCorners(axes *geom.Mat3, half geom.Vec3, mid geom.Vec3, k int) [4]geom.Vec3 {
	u, v := (k+1)%3, (k+2)%3
	e1, e2 := axes.Col(u).Scale(half.At(u)), axes.Col(v).Scale(half.At(v))
	return [4]geom.Vec3{mid.Sub(e1).Sub(e2), mid.Add(e1).Sub(e2), mid.Add(e1).Add(e2), mid.Sub(e1).Add(e2)}
}

// viewProjection is the projection into a rectangle of the whole picture.
type viewProjection struct {
	projection *render.Projection
	matrix     mgl32.Mat4 // to x*w, y*w in pixels of the whole, unused, and w
	rect       image.Rectangle
}

func newViewProjection(l *render.Projection, r image.Rectangle) viewProjection {
	eye := mgl32.Translate3D(-l.Eye.X, -l.Eye.Y, -l.Eye.Z)
	turn := mgl32.Mat4FromRows(
		mgl32.Vec4{l.Right.X, l.Right.Y, l.Right.Z, 0},
		mgl32.Vec4{l.Up.X, l.Up.Y, l.Up.Z, 0},
		mgl32.Vec4{l.Forward.X, l.Forward.Y, l.Forward.Z, 0},
		mgl32.Vec4{0, 0, 0, 1})
	x, y := l.CenterX+float32(r.Min.X), l.CenterY+float32(r.Min.Y)
	land := mgl32.Mat4FromRows(
		mgl32.Vec4{l.FocalLength, 0, x, 0},
		mgl32.Vec4{0, -l.FocalLength, y, 0},
		mgl32.Vec4{0, 0, 1, 0},
		mgl32.Vec4{0, 0, 1, 0})
	return viewProjection{projection: l, matrix: land.Mul4(turn).Mul4(eye), rect: r}
}

// vertex is a corner on its way to the screen.
type vertex struct {
	pos  geom.Vec3
	u, v float32 // on the face, -1 to 1
}

// collectFaces adds the faces of a scene that turn to the eye: those of solid cubes,
// or those of ghosts, from the farthest cube to the nearest.
func (p *Painter) collectFaces(s *render.Scene, view *viewProjection, m *mesh, ghosts bool) {
	p.drawOrder = p.drawOrder[:0]
	for i := range s.Cubes {
		if c := &s.Cubes[i]; c.Ghost() == ghosts && c.Color.A > 0 {
			p.drawOrder = append(p.drawOrder, i)
		}
	}
	slices.SortFunc(p.drawOrder, func(a, b int) int {
		da, db := s.Cubes[a].Pose.Pos.Sub(view.projection.Eye).LenSq(), s.Cubes[b].Pose.Pos.Sub(view.projection.Eye).LenSq()
		if da > db {
			return -1
		}
		if da < db {
			return 1
		}
		return a - b
	})
	for _, i := range p.drawOrder {
		c := &s.Cubes[i]
		axes := c.Pose.Rot.Mat()
		to := view.projection.Eye.Sub(c.Pose.Pos)
		for k := range 3 {
			n, half := axes.Col(k), c.Half.At(k)
			away := n.Dot(to)
			if geom.Abs(away) <= half {
				continue
			}
			if away < 0 {
				n = n.Neg()
			}
			mid := c.Pose.Pos.AddScaled(half, n)
			var f [8]vertex
			for j, q := range faceCorners(&axes, c.Half, mid, k) {
				f[j] = vertex{q, [4]float32{-1, 1, 1, -1}[j], [4]float32{-1, -1, 1, 1}[j]}
			}
			p.addFace(view, m, f, vertexColor(c, n, ghosts))
		}
	}
}

// vertexColor is what a face's vertices carry of its colour and its light.
func vertexColor(c *render.Cube, n geom.Vec3, ghost bool) [4]float32 {
	direct := max(0, n.Dot(render.ToSun))
	r, g, b := float32(c.Color.R)/255, float32(c.Color.G)/255, float32(c.Color.B)/255
	if ghost {
		shine := 0.8 + 0.2*direct
		return [4]float32{r * shine, g * shine, b * shine, float32(c.Color.A) / 255}
	}
	sky := 1 - render.HemisphereContrast/2 + render.HemisphereContrast/2*n.Z
	return [4]float32{r, g, b, direct + 2*float32(int(sky*63+0.5))}
}

// addFace adds a face, cut at the near plane.
func (p *Painter) addFace(view *viewProjection, m *mesh, f [8]vertex, color [4]float32) {
	var out [8]vertex
	n := 0
	prev := f[3]
	before := view.projection.Depth(prev.pos) - render.NearPlane
	for _, q := range f[:4] {
		now := view.projection.Depth(q.pos) - render.NearPlane
		if (before < 0) != (now < 0) {
			t := before / (before - now)
			out[n] = vertex{prev.pos.AddScaled(t, q.pos.Sub(prev.pos)), prev.u + t*(q.u-prev.u), prev.v + t*(q.v-prev.v)}
			n++
		}
		if now >= 0 {
			out[n] = q
			n++
		}
		prev, before = q, now
	}
	if n < 3 {
		return
	}
	base := uint32(len(m.vertices))
	for _, q := range out[:n] {
		s := view.matrix.Mul4x1(mgl32.Vec4{q.pos.X, q.pos.Y, q.pos.Z, 1})
		w := s[3]
		inv := 1 / w
		m.maxDepth = max(m.maxDepth, w)
		m.vertices = append(m.vertices, ebiten.Vertex{
			DstX: s[0] * inv, DstY: s[1] * inv, SrcX: q.u * inv, SrcY: q.v * inv,
			ColorR: color[0], ColorG: color[1], ColorB: color[2], ColorA: color[3],
			Custom0: q.pos.X * inv, Custom1: q.pos.Y * inv, Custom2: q.pos.Z * inv, Custom3: inv,
		})
	}
	for i := uint32(2); i < uint32(n); i++ {
		m.indices = append(m.indices, base, base+i-1, base+i)
	}
}

// addTrail adds a line through space to what is seen through.
func (p *Painter) addTrail(t *render.Trail, view *viewProjection) {
	n := len(t.Points)
	for i := 1; i < n; i++ {
		a, b := t.Points[i-1], t.Points[i]
		if view.projection.Depth(a) < render.NearPlane || view.projection.Depth(b) < render.NearPlane {
			continue
		}
		age := float32(i) / float32(n)
		// The border's share of the opacity is given to the whole line.
		alpha := age * float32(t.Color.A) / 255 / (1 - render.GhostEdgeShare)
		red, green, blue := float32(t.Color.R)/255, float32(t.Color.G)/255, float32(t.Color.B)/255
		p.addStrip(view, a, b, 0.8+0.9*age, 0, [4]float32{red, green, blue, min(alpha, 1)})
	}
}

// addLine adds a line of one width to what is seen through. It is all border, which
// the shader makes lighter.
func (p *Painter) addLine(l *render.Line, view *viewProjection) {
	if view.projection.Depth(l.A) < render.NearPlane || view.projection.Depth(l.B) < render.NearPlane {
		return
	}
	const lighter = 255 * 1.15
	c := l.Color
	p.addStrip(view, l.A, l.B, render.LineHalfWidth, 1, [4]float32{float32(c.R) / lighter, float32(c.G) / lighter, float32(c.B) / lighter, float32(c.A) / 255})
}

// addStrip adds a strip from a to b, half as wide as said in pixels of the picture
// as shown. border is how far it lies from the middle of a face to its border.
func (p *Painter) addStrip(view *viewProjection, a, b geom.Vec3, half, border float32, color [4]float32) {
	m := &p.ghosts
	sa := view.matrix.Mul4x1(mgl32.Vec4{a.X, a.Y, a.Z, 1})
	sb := view.matrix.Mul4x1(mgl32.Vec4{b.X, b.Y, b.Z, 1})
	ax, ay, bx, by := sa[0]/sa[3], sa[1]/sa[3], sb[0]/sb[3], sb[1]/sb[3]
	d := mgl32.Vec2{bx - ax, by - ay}
	if d.Len() == 0 {
		return
	}
	d = d.Normalize().Mul(half*float32(p.scale) + 0.5)
	for j := range 4 {
		q, s, side := a, sa, float32(1)
		if j == 1 || j == 2 {
			q, s = b, sb
		}
		if j >= 2 {
			side = -1
		}
		inv := 1 / s[3]
		m.vertices = append(m.vertices, ebiten.Vertex{
			DstX: s[0]*inv - d[1]*side, DstY: s[1]*inv + d[0]*side, SrcX: border * inv,
			ColorR: color[0], ColorG: color[1], ColorB: color[2], ColorA: color[3],
			Custom0: q.X * inv, Custom1: q.Y * inv, Custom2: q.Z * inv, Custom3: inv,
		})
	}
	m.addQuad()
}
