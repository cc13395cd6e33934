package raster

import (
	"slices"

	"ghostcube/render"
	"ghostcube/sim/geom"
)

// Sizes of the shadow map: a square of texels perpendicular to the sun's light.
const (
	shadowMapSize = 1024 // texels along a side
	tileSize      = 16   // texels along a side of a tile
	tilesPerSide  = shadowMapSize / tileSize
	texelSize     = 2 * render.ShadowMapHalfWidth / float32(shadowMapSize) // metres
	shadowBias    = 0.006                                                  // metres along the light; keeps a surface from shading itself
	minSunFacing  = 0.02                                                   // cosine of the angle between normal and sun below which a face gets no sun
)

// shadowMap has, for each texel, the height along the light of the surface that is nearest to the sun.
// Surfaces below it are in shadow.
type shadowMap struct {
	nearest     []float32 // metres towards the sun
	tileNearest []float32 // maximum over each tile
	right, up   geom.Vec3 // the map's axes, world frame
	u0, v0      float32   // the map's corner, metres along right and up
}

// draw renders the map for a scene, centred on a point.
func (m *shadowMap) draw(s *render.Scene, center geom.Vec3) {
	m.right = geom.Vec3{X: render.ToSun.Y, Y: -render.ToSun.X}.Unit()
	m.up = render.ToSun.Cross(m.right)
	m.nearest = slices.Grow(m.nearest[:0], shadowMapSize*shadowMapSize)[:shadowMapSize*shadowMapSize]
	m.tileNearest = slices.Grow(m.tileNearest[:0], tilesPerSide*tilesPerSide)[:tilesPerSide*tilesPerSide]
	// The map moves by whole texels, so that the borders of shadows do not flicker.
	m.u0 = float32(floor(center.Dot(m.right)*(1/texelSize))*texelSize) - render.ShadowMapHalfWidth
	m.v0 = float32(floor(center.Dot(m.up)*(1/texelSize))*texelSize) - render.ShadowMapHalfWidth
	for i := range m.nearest {
		m.nearest[i] = -1e30
	}
	for i := range m.tileNearest {
		m.tileNearest[i] = -1e30
	}
	for i := range s.Cubes {
		if c := &s.Cubes[i]; !c.Ghost() {
			m.drawCube(c)
		}
	}
}

// drawCube renders the faces of a cube that face the sun.
func (m *shadowMap) drawCube(c *render.Cube) {
	for _, side := range c.FacesTowards(render.ToSun) {
		n, mid := side.Normal, side.Center
		facing := n.Dot(render.ToSun)
		if facing < 1e-3 {
			continue
		}
		f := face{cornerCount: 4, top: 1e30, bottom: -1e30}
		for i, c := range side.Corners() {
			q := c.Pos
			f.corners[i] = corner{float32((q.Dot(m.right) - m.u0) * (1 / texelSize)), float32((q.Dot(m.up) - m.v0) * (1 / texelSize))}
			f.top, f.bottom = min(f.top, f.corners[i].y), max(f.bottom, f.corners[i].y)
		}
		gu, gv := m.depthSlope(n, facing)
		du := float32((mid.Dot(m.right) - m.u0) * (1 / texelSize))
		dv := float32((mid.Dot(m.up) - m.v0) * (1 / texelSize))
		a := mid.Dot(render.ToSun) - float32(gu*du) - float32(gv*dv)
		for row := int(max(f.top, 0)); row < shadowMapSize && float32(row) < f.bottom; row++ {
			x0, x1 := f.span(row, shadowMapSize)
			if x0 >= x1 {
				continue
			}
			z := a + float32(gu*(float32(x0)+0.5)) + float32(gv*(float32(row)+0.5))
			line := m.nearest[row*shadowMapSize+x0 : row*shadowMapSize+x1]
			coarse := m.tileNearest[row/tileSize*tilesPerSide:]
			for i := range line {
				line[i] = max(line[i], z)
				b := (x0 + i) / tileSize
				coarse[b] = max(coarse[b], z)
				z += gu
			}
		}
	}
}

// depthSlope returns the change of height along the light, in metres per texel along right and up, of a
// surface with normal n; facing is n.ToSun.
func (m *shadowMap) depthSlope(n geom.Vec3, facing float32) (gu, gv float32) {
	s := -texelSize / facing
	return float32(s * n.Dot(m.right)), float32(s * n.Dot(m.up))
}

// sunVisibility returns the share in [0, 1] of the sun's light that reaches a point on a surface with normal
// n: the weighted share of the sixteen texels around it that do not shade it (percentage-closer
// filtering). Each texel is compared with the height of the surface itself at that texel, so that a
// surface does not shade itself.
func (m *shadowMap) sunVisibility(at, n geom.Vec3) float32 {
	facing := n.Dot(render.ToSun)
	if facing < minSunFacing {
		return 0
	}
	u := float32((at.Dot(m.right)-m.u0)*(1/texelSize)) - 0.5
	v := float32((at.Dot(m.up)-m.v0)*(1/texelSize)) - 0.5
	if u < 2 || v < 2 || u >= shadowMapSize-3 || v >= shadowMapSize-3 {
		return 1
	}
	iu, iv := int(u), int(v)
	fu, fv := u-float32(iu), v-float32(iv)
	gu, gv := m.depthSlope(n, facing)
	d := at.Dot(render.ToSun) + shadowBias
	reach := float32(2 * (geom.Abs(gu) + geom.Abs(gv)))
	b0, b1 := (iv-1)/tileSize*tilesPerSide, (iv+2)/tileSize*tilesPerSide
	c0, c1 := (iu-1)/tileSize, (iu+2)/tileSize
	if max(max(m.tileNearest[b0+c0], m.tileNearest[b0+c1]), max(m.tileNearest[b1+c0], m.tileNearest[b1+c1])) < d-reach {
		return 1
	}
	wu := [4]float32{1 - fu, 1, 1, fu}
	wv := [4]float32{1 - fv, 1, 1, fv}
	var sum float32
	for j := range 4 {
		row := m.nearest[(iv-1+j)*shadowMapSize+iu-1:]
		z := d + float32(gv*(float32(j-1)-fv)) - float32(gu*(1+fu))
		var line float32
		for i := range 4 {
			if row[i] <= z {
				line += wu[i]
			}
			z += gu
		}
		sum += float32(line * wv[j])
	}
	return float32(sum * (1. / 9))
}
