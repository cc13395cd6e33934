// Package gpu draws a render.Scene with Ebitengine, and as closely as floating point allows like
// render/raster: with a depth buffer, soft shadows and anti-aliased edges.
//
// Ebitengine has no depth buffer, but a blend operation that keeps the larger of two values. So depth is
// rendered into images of eight bits a channel, in two passes: first the high byte of each face's inverted
// depth, then both bytes of the faces whose high byte won. The third pass draws the colours of the faces
// that are the nearest. The shadow map is rendered in the same way along the sun's light.
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

// shadowMapSize is the side of the shadow map, in texels.
const shadowMapSize = 2048

// texelSize is the side of a texel, in metres.
const texelSize = 2 * render.ShadowMapHalfWidth / float32(shadowMapSize)

// Painter draws scenes: Begin, a Draw for each viewport, End. Its images live on the GPU as long as it does.
type Painter struct {
	groundShader, contactShader, depthHighShader, depthLowShader, shadowHighShader, shadowLowShader, cubeShader,
	ghostMaskShader, ghostShader, lineShader *ebiten.Shader

	target                     *ebiten.Image // all viewports, scale times as large as shown
	depthHigh, depth           *ebiten.Image // high byte, and both bytes in red and green
	shadowHigh, shadow         *ebiten.Image // the same of the shadow map
	scale                      int
	ghostMask                  *ebiten.Image // strength of the ghosts of each colour, in a channel each
	faces, ghosts, shadowFaces mesh
	lines                      mesh // trails and lines
	contacts                   mesh // contact shadows
	drawOrder                  []int

	atlasImage *ebiten.Image
	overlay    mesh
}

// mesh is the triangles of one draw call.
type mesh struct {
	vertices []ebiten.Vertex
	indices  []uint32
	maxDepth float32 // metres, of the farthest vertex
}

func (m *mesh) reset() { m.vertices, m.indices, m.maxDepth = m.vertices[:0], m.indices[:0], 0 }

// addQuad adds the two triangles of the last four vertices.
func (m *mesh) addQuad() {
	n := uint32(len(m.vertices)) - 4
	m.indices = append(m.indices, n, n+1, n+2, n, n+2, n+3)
}

// New compiles the shaders. That needs no window; drawing does.
func New() (*Painter, error) {
	p := &Painter{}
	for name, s := range map[string]**ebiten.Shader{
		"ground": &p.groundShader, "contact": &p.contactShader, "depthhigh": &p.depthHighShader, "depthlow": &p.depthLowShader,
		"shadowhigh": &p.shadowHighShader, "shadowlow": &p.shadowLowShader, "cube": &p.cubeShader,
		"ghostmask": &p.ghostMaskShader, "ghost": &p.ghostShader, "line": &p.lineShader,
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

// blendMax keeps the larger of source and destination in every channel.
var blendMax = ebiten.Blend{
	BlendFactorSourceRGB:        ebiten.BlendFactorOne,
	BlendFactorSourceAlpha:      ebiten.BlendFactorOne,
	BlendFactorDestinationRGB:   ebiten.BlendFactorOne,
	BlendFactorDestinationAlpha: ebiten.BlendFactorOne,
	BlendOperationRGB:           ebiten.BlendOperationMax,
	BlendOperationAlpha:         ebiten.BlendOperationMax,
}

// Begin starts a picture of w by h pixels. It is rendered scale times as large along each side and scaled
// down by End, which smooths the edges. scale is 1 or 2, and is reduced where the GPU has no image so large.
func (p *Painter) Begin(w, h, scale int) {
	if limit := ebiten.MaxImageSize(); limit > 0 {
		for scale > 1 && (w*scale > min(limit, 4096) || h*scale > min(limit, 4096)) {
			scale--
		}
	}
	p.scale = scale
	size := image.Rect(0, 0, w*scale, h*scale)
	unmanaged := &ebiten.NewImageOptions{Unmanaged: true}
	if p.shadow == nil {
		p.shadowHigh = ebiten.NewImageWithOptions(image.Rect(0, 0, shadowMapSize, shadowMapSize), unmanaged)
		p.shadow = ebiten.NewImageWithOptions(image.Rect(0, 0, shadowMapSize, shadowMapSize), unmanaged)
	}
	if p.target != nil && p.target.Bounds() == size {
		return
	}
	for _, im := range []**ebiten.Image{&p.target, &p.depthHigh, &p.depth, &p.ghostMask} {
		if *im != nil {
			(*im).Deallocate()
		}
		*im = ebiten.NewImageWithOptions(size, unmanaged)
	}
}

// End draws the picture onto dst with its top left corner at x, y.
func (p *Painter) End(dst *ebiten.Image, x, y int) {
	o := &ebiten.DrawImageOptions{Filter: ebiten.FilterLinear, Blend: ebiten.BlendCopy, DisableMipmaps: true}
	if p.scale == 1 {
		o.Filter = ebiten.FilterNearest
	}
	o.GeoM.Scale(1/float64(p.scale), 1/float64(p.scale))
	o.GeoM.Translate(float64(x), float64(y))
	dst.DrawImage(p.target, o)
}

// lightSpace is the coordinate frame of the shadow map.
type lightSpace struct {
	right, up   geom.Vec3 // axes of the map, world frame
	u0, v0      float32   // corner of the map, metres along right and up
	depthOrigin float32   // height along the light in the middle of the stored range, metres
}

func newLightSpace(target geom.Vec3) lightSpace {
	l := lightSpace{right: geom.Vec3{X: render.ToSun.Y, Y: -render.ToSun.X}.Unit()}
	l.up = render.ToSun.Cross(l.right)
	snap := func(x float32) float32 { return float32(int(x/texelSize)) * texelSize }
	l.u0, l.v0 = snap(target.Dot(l.right))-render.ShadowMapHalfWidth, snap(target.Dot(l.up))-render.ShadowMapHalfWidth
	l.depthOrigin = target.Dot(render.ToSun)
	return l
}

// Draw draws a scene into the rectangle r of the picture, in its pixels before scaling.
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
	p.drawContacts(dst, s, &view, uniforms)

	p.faces.reset()
	p.collectFaces(s, &view)
	uniforms["MaxDepth"] = max(p.faces.maxDepth, 1) * 1.02
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

	p.drawGhosts(dst, s, &view, uniforms)

	p.lines.reset()
	for i := range s.Trails {
		p.addTrail(&s.Trails[i], &view)
	}
	for i := range s.Lines {
		p.addLine(&s.Lines[i], &view)
	}
	if len(p.lines.indices) > 0 {
		o = &ebiten.DrawTrianglesShaderOptions{Uniforms: uniforms}
		o.Images[0] = p.depth
		dst.DrawTrianglesShader32(p.lines.vertices, p.lines.indices, p.lineShader, o)
	}
}

// drawGhosts draws the ghosts of a scene over the cubes: first the figures of each colour, then the line around
// them and their fill.
func (p *Painter) drawGhosts(dst *ebiten.Image, s *render.Scene, view *viewProjection, uniforms map[string]any) {
	p.ghosts.reset()
	var colors render.GhostColors
	for i := range s.Cubes {
		c := &s.Cubes[i]
		if !c.Ghost() || c.Color.A == 0 {
			continue
		}
		var strengths [render.MaxGhostColors]float32
		strengths[colors.Index(c.Color)] = c.GhostStrength(view.projection.Depth(c.Pose.Pos))
		faces, n := c.FacesTowardsPoint(view.projection.Eye)
		for k := range faces[:n] {
			p.addFace(view, &p.ghosts, &faces[k], strengths)
		}
	}
	if len(p.ghosts.indices) == 0 {
		return
	}
	mask := p.ghostMask.SubImage(view.rect).(*ebiten.Image)
	mask.Clear()
	mask.DrawTrianglesShader32(p.ghosts.vertices, p.ghosts.indices, p.ghostMaskShader, &ebiten.DrawTrianglesShaderOptions{Blend: blendMax})

	shown := make([]float32, 0, 3*render.MaxGhostColors)
	for _, c := range colors.Colors {
		shown = append(shown, float32(c.R)/255, float32(c.G)/255, float32(c.B)/255)
	}
	uniforms["GhostColors"] = shown
	o := &ebiten.DrawTrianglesShaderOptions{Uniforms: uniforms}
	o.Images[0] = p.ghostMask
	v := corners(p.ghosts.bounds(p.lineWidth(view.rect) + 1).Intersect(view.rect))
	dst.DrawTrianglesShader32(v[:], []uint32{0, 1, 2, 0, 2, 3}, p.ghostShader, o)
}

// lineWidth returns half of the width of the line around ghosts, in pixels of the render target.
func (p *Painter) lineWidth(r image.Rectangle) int {
	return p.scale * render.GhostLineWidth(r.Dy()/p.scale)
}

// bounds returns the rectangle around all vertices with a margin, in pixels.
func (m *mesh) bounds(margin int) image.Rectangle {
	left, top, right, bottom := float32(1e9), float32(1e9), float32(-1e9), float32(-1e9)
	for i := range m.vertices {
		v := &m.vertices[i]
		left, right = min(left, v.DstX), max(right, v.DstX)
		top, bottom = min(top, v.DstY), max(bottom, v.DstY)
	}
	return image.Rect(int(left)-margin, int(top)-margin, int(right)+margin+1, int(bottom)+margin+1)
}

// corners returns the vertices of a rectangle.
func corners(r image.Rectangle) (v [4]ebiten.Vertex) {
	for i, c := range [4]image.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}} {
		v[i].DstX, v[i].DstY = float32(c.X), float32(c.Y)
	}
	return v
}

// uniforms returns all uniforms of all shaders. Ebitengine sets a variable of a shader that has no entry to
// zero without a word, so TestUniforms compares the names.
func (p *Painter) uniforms(l *render.Projection, sun lightSpace, r image.Rectangle) map[string]any {
	v := func(a geom.Vec3) []float32 { return []float32{a.X, a.Y, a.Z} }
	line := float32(p.lineWidth(r))
	slope := -texelSize / render.ToSun.Z / render.ShadowMapDepth
	return map[string]any{
		"Eye": v(l.Eye), "Right": v(l.Right), "Up": v(l.Up), "Forward": v(l.Forward),
		"Center": []float32{l.CenterX, l.CenterY}, "FocalLength": l.FocalLength,
		"Horizon": render.HorizonColor[:], "Zenith": render.ZenithColor[:], "Ground": render.GroundColor[:],
		"SkyLight": render.SkyLight[:], "SunLight": render.SunLight[:],
		"GroundLines": []float32{render.LineSpacing, render.LineWidth, render.LineShade}, "DarkFieldShade": float32(render.DarkFieldShade),
		"Fog":          []float32{render.FogStart, render.FogRange, render.FogMax},
		"Edge":         []float32{render.EdgeStart, render.EdgeEnd, render.EdgeDarkening},
		"Contact":      []float32{render.ContactDarkening, render.ContactHeight},
		"GhostOpacity": []float32{render.GhostFill, render.GhostLine}, "GhostColors": make([]float32, 3*render.MaxGhostColors),
		"LineTaps": []float32{line, float32(int(line*0.7 + 0.5))}, "MaxDepth": float32(1),
		"ShadowRight": v(sun.right), "ShadowUp": v(sun.up), "ToSun": v(render.ToSun),
		"ShadowOrigin": []float32{sun.u0, sun.v0, sun.depthOrigin}, "TexelSize": texelSize, "ShadowMapSize": float32(shadowMapSize),
		"ShadowMapDepth": float32(render.ShadowMapDepth),
		"DepthSlope":     []float32{slope * sun.right.Z, slope * sun.up.Z},
		"ViewportOrigin": []float32{float32(r.Min.X), float32(r.Min.Y)},
		"ViewportSize":   []float32{float32(r.Dx()), float32(r.Dy())},
	}
}

// drawGround draws ground and sky.
func (p *Painter) drawGround(dst *ebiten.Image, r image.Rectangle, uniforms map[string]any) {
	onLevelGround := make([]float32, 3)
	for i := range onLevelGround {
		onLevelGround[i] = render.SunLight[i] * render.ToSun.Z
	}
	full := uniforms["SunLight"]
	uniforms["SunLight"] = onLevelGround
	v := corners(r)
	o := &ebiten.DrawTrianglesShaderOptions{Blend: ebiten.BlendCopy, Uniforms: uniforms}
	o.Images[0] = p.shadow
	dst.DrawTrianglesShader32(v[:], []uint32{0, 1, 2, 0, 2, 3}, p.groundShader, o)
	uniforms["SunLight"] = full
}

// blendMultiply multiplies the destination's colour by the source's.
var blendMultiply = ebiten.Blend{
	BlendFactorSourceRGB:        ebiten.BlendFactorZero,
	BlendFactorSourceAlpha:      ebiten.BlendFactorZero,
	BlendFactorDestinationRGB:   ebiten.BlendFactorSourceColor,
	BlendFactorDestinationAlpha: ebiten.BlendFactorOne,
	BlendOperationRGB:           ebiten.BlendOperationAdd,
	BlendOperationAlpha:         ebiten.BlendOperationAdd,
}

// drawContacts draws the contact shadows of a scene onto the ground.
func (p *Painter) drawContacts(dst *ebiten.Image, s *render.Scene, view *viewProjection, uniforms map[string]any) {
	m := &p.contacts
	m.reset()
	if view.projection.Eye.Z <= 0 {
		return
	}
	for i := range s.Cubes {
		c, ok := s.Cubes[i].Contact()
		if !ok {
			continue
		}
		first := len(m.vertices)
		p.addFace(view, m, &c.Ground, [4]float32{c.Ground.HalfU / c.Reach, c.Ground.HalfV / c.Reach, 0, 1})
		for k := range m.vertices[first:] {
			v := &m.vertices[first+k] // its SrcX, SrcY and Custom3 are divided by its depth
			v.Custom2 = c.Height*v.Custom3 + c.RiseU*v.SrcX + c.RiseV*v.SrcY
		}
	}
	if len(m.indices) > 0 {
		dst.DrawTrianglesShader32(m.vertices, m.indices, p.contactShader, &ebiten.DrawTrianglesShaderOptions{Blend: blendMultiply, Uniforms: uniforms})
	}
}

// drawShadowMap renders the shadow map of a scene.
func (p *Painter) drawShadowMap(s *render.Scene, sun lightSpace) {
	m := &p.shadowFaces
	m.reset()
	for i := range s.Cubes {
		c := &s.Cubes[i]
		if c.Ghost() {
			continue
		}
		for _, f := range c.FacesTowards(render.ToSun) {
			for _, corner := range f.Corners() {
				q := corner.Pos
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

// viewProjection is the projection into a rectangle of the render target.
type viewProjection struct {
	projection *render.Projection
	matrix     mgl32.Mat4 // world to (x*w, y*w, w, w): x, y in pixels of the render target, w the depth
	rect       image.Rectangle
}

func newViewProjection(l *render.Projection, r image.Rectangle) viewProjection {
	translation := mgl32.Translate3D(-l.Eye.X, -l.Eye.Y, -l.Eye.Z)
	rotation := mgl32.Mat4FromRows(
		mgl32.Vec4{l.Right.X, l.Right.Y, l.Right.Z, 0},
		mgl32.Vec4{l.Up.X, l.Up.Y, l.Up.Z, 0},
		mgl32.Vec4{l.Forward.X, l.Forward.Y, l.Forward.Z, 0},
		mgl32.Vec4{0, 0, 0, 1})
	x, y := l.CenterX+float32(r.Min.X), l.CenterY+float32(r.Min.Y)
	projection := mgl32.Mat4FromRows(
		mgl32.Vec4{l.FocalLength, 0, x, 0},
		mgl32.Vec4{0, -l.FocalLength, y, 0},
		mgl32.Vec4{0, 0, 1, 0},
		mgl32.Vec4{0, 0, 1, 0})
	return viewProjection{projection: l, matrix: projection.Mul4(rotation).Mul4(translation), rect: r}
}

// collectFaces adds the faces of opaque cubes that face the eye, from the farthest cube to the nearest.
func (p *Painter) collectFaces(s *render.Scene, view *viewProjection) {
	p.drawOrder = p.drawOrder[:0]
	for i := range s.Cubes {
		if !s.Cubes[i].Ghost() {
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
		faces, n := c.FacesTowardsPoint(view.projection.Eye)
		for k := range faces[:n] {
			p.addFace(view, &p.faces, &faces[k], vertexColor(c, faces[k].Normal))
		}
	}
}

// vertexColor returns the colour of a face's vertices, with the lighting factors that cube.kage unpacks.
func vertexColor(c *render.Cube, n geom.Vec3) [4]float32 {
	direct := max(0, n.Dot(render.ToSun))
	r, g, b := float32(c.Color.R)/255, float32(c.Color.G)/255, float32(c.Color.B)/255
	sky := 1 - render.HemisphereContrast/2 + render.HemisphereContrast/2*n.Z
	return [4]float32{r, g, b, direct + 2*float32(int(sky*63+0.5))}
}

// addFace adds a face, clipped at the near plane.
func (p *Painter) addFace(view *viewProjection, m *mesh, f *render.Face, color [4]float32) {
	corners, n := view.projection.ClipFace(f)
	if n < 3 {
		return
	}
	base := uint32(len(m.vertices))
	for _, q := range corners[:n] {
		s := view.matrix.Mul4x1(mgl32.Vec4{q.Pos.X, q.Pos.Y, q.Pos.Z, 1})
		w := s[3]
		inv := 1 / w
		m.maxDepth = max(m.maxDepth, w)
		m.vertices = append(m.vertices, ebiten.Vertex{
			DstX: s[0] * inv, DstY: s[1] * inv, SrcX: q.U * inv, SrcY: q.V * inv,
			ColorR: color[0], ColorG: color[1], ColorB: color[2], ColorA: color[3],
			Custom0: q.Pos.X * inv, Custom1: q.Pos.Y * inv, Custom2: q.Pos.Z * inv, Custom3: inv,
		})
	}
	for i := uint32(2); i < uint32(n); i++ {
		m.indices = append(m.indices, base, base+i-1, base+i)
	}
}

// addTrail adds a trail.
func (p *Painter) addTrail(t *render.Trail, view *viewProjection) {
	n := len(t.Points)
	for i := 1; i < n; i++ {
		a, b := t.Points[i-1], t.Points[i]
		if view.projection.Depth(a) < render.NearPlane || view.projection.Depth(b) < render.NearPlane {
			continue
		}
		age := float32(i) / float32(n)
		p.addStrip(view, a, b, 0.8+0.9*age, age, t.Color)
	}
}

// addLine adds a line.
func (p *Painter) addLine(l *render.Line, view *viewProjection) {
	if view.projection.Depth(l.A) < render.NearPlane || view.projection.Depth(l.B) < render.NearPlane {
		return
	}
	p.addStrip(view, l.A, l.B, render.LineHalfWidth, 1, l.Color)
}

// addStrip adds a strip from a to b with half of its width in pixels as shown. opacity is a factor in [0, 1].
func (p *Painter) addStrip(view *viewProjection, a, b geom.Vec3, half, opacity float32, c render.Color) {
	m := &p.lines
	color := [4]float32{float32(c.R) / 255, float32(c.G) / 255, float32(c.B) / 255, opacity * float32(c.A) / 255}
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
			DstX: s[0]*inv - d[1]*side, DstY: s[1]*inv + d[0]*side,
			ColorR: color[0], ColorG: color[1], ColorB: color[2], ColorA: color[3],
			Custom0: q.X * inv, Custom1: q.Y * inv, Custom2: q.Z * inv, Custom3: inv,
		})
	}
	m.addQuad()
}
