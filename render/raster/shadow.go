package raster

import (
	"math/bits"

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
	emptyTexel    = -1e30                                                  // height of nothing
)

// shadowMap has, for each texel, the height along the light of the surface that is nearest to the sun.
// Surfaces below it are in shadow.
type shadowMap struct {
	nearest     []float32 // metres towards the sun
	tileNearest []float32 // maximum over each tile
	surfaces    cellSet   // with a surface
	shaded      cellSet   // from which the sixteen texels around a point may reach a surface
	dark        cellSet   // in which no sun reaches the ground
	groundSlope slope
	spans       []spanRow // scratch
	right, up   geom.Vec3 // the map's axes, world frame
	u0, v0      float32   // the map's corner, metres along right and up
}

// draw renders the map for a scene, centred on a point.
func (m *shadowMap) draw(s *render.Scene, center geom.Vec3) {
	m.right = geom.Vec3{X: render.ToSun.Y, Y: -render.ToSun.X}.Unit()
	m.up = render.ToSun.Cross(m.right)
	if m.nearest == nil {
		m.nearest, m.tileNearest = make([]float32, shadowMapSize*shadowMapSize), make([]float32, tilesPerSide*tilesPerSide)
		m.spans = make([]spanRow, shadowMapSize)
		fill(m.nearest, emptyTexel)
		fill(m.tileNearest, emptyTexel)
	}
	m.clear()
	m.groundSlope = m.slope(geom.Vec3{Z: 1})
	// The map moves by whole texels, so that the borders of shadows do not flicker.
	m.u0 = float32(floor(center.Dot(m.right)*(1/texelSize))*texelSize) - render.ShadowMapHalfWidth
	m.v0 = float32(floor(center.Dot(m.up)*(1/texelSize))*texelSize) - render.ShadowMapHalfWidth
	for i := range s.Cubes {
		if c := &s.Cubes[i]; !c.Ghost() {
			m.drawCube(c)
		}
	}
	m.findShadows()
}

// clear empties the tiles that the last scene has drawn to.
func (m *shadowMap) clear() {
	for i := range m.tileNearest {
		if m.tileNearest[i] == emptyTexel {
			continue
		}
		m.tileNearest[i] = emptyTexel
		corner := i/tilesPerSide*tileSize*shadowMapSize + i%tilesPerSide*tileSize
		for y := range tileSize {
			fill(m.nearest[corner+y*shadowMapSize:][:tileSize], emptyTexel)
		}
	}
	m.surfaces = cellSet{}
}

// fill sets all elements of a list.
func fill(list []float32, x float32) {
	for i := range list {
		list[i] = x
	}
}

// findShadows finds the cells in which the ground is in the sun, in shadow, or maybe at the border of a shadow.
func (m *shadowMap) findShadows() {
	m.shaded.spread(&m.surfaces)
	var core, covered cellSet
	core.shrink(&m.surfaces)
	m.dark.spread(&core)
	for y := range m.dark {
		for w, cells := range m.dark[y] {
			for ; cells != 0; cells &= cells - 1 {
				if x := w*64 + bits.TrailingZeros64(cells); m.coversGround(x, y) {
					covered.add(y, x, x+1)
				}
			}
		}
	}
	m.dark.shrink(&covered)
}

// coversGround reports whether there is a surface above the ground in all texels of a cell.
func (m *shadowMap) coversGround(x, y int) bool {
	for row := y * cellSize; row < (y+1)*cellSize; row++ {
		// The map's first axis is level, so the ground's height along the light changes along the other alone.
		v := m.v0 + float32((float32(row)+0.5)*texelSize)
		height := shadowBias - float32(v*(m.up.Z/render.ToSun.Z))
		limit := height + 0.001 + float32(geom.Abs(v)*1e-6) // for rounding
		for _, z := range m.nearest[row*shadowMapSize+x*cellSize:][:cellSize] {
			if z < limit {
				return false
			}
		}
	}
	return true
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
		spans, top := f.spans(m.spans, 0, shadowMapSize)
		for i, span := range spans {
			row := top + i
			x0, x1 := span.samples(shadowMapSize)
			if x0 >= x1 {
				continue
			}
			z := a + float32(gu*(float32(x0)+0.5)) + float32(gv*(float32(row)+0.5))
			m.surfaces.add(row/cellSize, x0/cellSize, (x1-1)/cellSize+1)
			line := m.nearest[row*shadowMapSize+x0 : row*shadowMapSize+x1]
			coarse := m.tileNearest[row/tileSize*tilesPerSide:][:tilesPerSide]
			for tile := x0 / tileSize; len(line) > 0; tile++ {
				n := min(len(line), (tile+1)*tileSize-x0)
				first, last := z, z
				for i := range line[:n] {
					if line[i] < z {
						line[i] = z
					}
					last = z
					z += gu
				}
				coarse[tile] = max(coarse[tile], first, last)
				line, x0 = line[n:], x0+n
			}
		}
	}
}

// slope describes a surface in the light.
type slope struct {
	facing float32 // cosine of the angle between its normal and the sun
	gu, gv float32 // change of its height along the light, in metres per texel along right and up
	reach  float32 // the most that its height changes between a point and a texel that shades it, metres
}

// slope returns the slope of a surface with normal n.
func (m *shadowMap) slope(n geom.Vec3) (s slope) {
	s.facing = n.Dot(render.ToSun)
	if s.facing < minSunFacing {
		return s
	}
	s.gu, s.gv = m.depthSlope(n, s.facing)
	s.reach = float32(2 * (geom.Abs(s.gu) + geom.Abs(s.gv)))
	return s
}

// depthSlope returns the change of height along the light, in metres per texel along right and up, of a
// surface with normal n; facing is n.ToSun.
func (m *shadowMap) depthSlope(n geom.Vec3, facing float32) (gu, gv float32) {
	s := -texelSize / facing
	return float32(s * n.Dot(m.right)), float32(s * n.Dot(m.up))
}

// sunVisibility returns the share in [0, 1] of the sun's light that reaches a point on a surface: the weighted share of
// the sixteen texels around it that do not shade it (percentage-closer filtering). Each texel is compared with the height
// of the surface itself at that texel, so that a surface does not shade itself.
func (m *shadowMap) sunVisibility(at geom.Vec3, s *slope) float32 {
	if s.facing < minSunFacing {
		return 0
	}
	u, v := m.texel(at)
	return m.visibilityIn(u, v, at.Dot(render.ToSun)+shadowBias, s)
}

// visibilityIn is visibilityAt for any place, also one that has no shadow.
func (m *shadowMap) visibilityIn(u, v, d float32, s *slope) float32 {
	if !inMap(u, v) {
		return 1
	}
	return m.visibilityAt(u, v, d, s)
}

// groundVisibility returns the share in [0, 1] of the sun's light that reaches a point on the ground.
func (m *shadowMap) groundVisibility(at geom.Vec3) float32 {
	u, v := m.texel(at)
	switch x, y := int(u)/cellSize, int(v)/cellSize; {
	case !inMap(u, v) || !m.shaded.has(x, y):
		return 1
	case m.dark.has(x, y):
		return 0
	}
	return m.visibilityAt(u, v, at.Dot(render.ToSun)+shadowBias, &m.groundSlope)
}

// texel returns the place of a point in the map, in texels from the centre of the first.
func (m *shadowMap) texel(at geom.Vec3) (u, v float32) {
	u = float32((at.Dot(m.right)-m.u0)*(1/texelSize)) - 0.5
	v = float32((at.Dot(m.up)-m.v0)*(1/texelSize)) - 0.5
	return u, v
}

// inMap reports whether the sixteen texels around a place lie in the map. Elsewhere there is no shadow.
func inMap(u, v float32) bool {
	return !(u < 2 || v < 2 || u >= shadowMapSize-3 || v >= shadowMapSize-3)
}

// visibilityAt returns the visibility of the sun at a point of a surface that is at u, v in the map, d metres along the light.
func (m *shadowMap) visibilityAt(u, v, d float32, s *slope) float32 {
	iu, iv := int(u), int(v)
	fu, fv := u-float32(iu), v-float32(iv)
	gu, gv := s.gu, s.gv
	first := (iv-1)*shadowMapSize + iu - 1
	var lit float32
	if hasVectors {
		texels := m.nearest[first:][:3*shadowMapSize+4]
		lit = shadeVectors(&texels[0], d, gu, gv, fu, fv)
	} else {
		lit = litTexels(m.nearest[first:], d, gu, gv, fu, fv)
	}
	visible := float32(lit * (1. / 9))
	// A sum of weights may miss 1 by its rounding.
	if visible > 0.999 && visible != 1 && m.nearestAround(iu, iv) < d-s.reach {
		return 1
	}
	return visible
}

// nearestAround returns the maximum over the tiles of the sixteen texels around a point.
func (m *shadowMap) nearestAround(iu, iv int) float32 {
	b0, b1 := (iv-1)/tileSize*tilesPerSide, (iv+2)/tileSize*tilesPerSide
	c0, c1 := (iu-1)/tileSize, (iu+2)/tileSize
	return max(m.tileNearest[b0+c0], m.tileNearest[b0+c1], m.tileNearest[b1+c0], m.tileNearest[b1+c1])
}

// litTexels is shadeVectors without vectors.
func litTexels(texels []float32, d, gu, gv, fu, fv float32) float32 {
	weights := [4]float32{1 - fv, 1, 1, fv}
	left, right := [2]float32{0, 1 - fu}, [2]float32{0, fu}
	inner := [2]float32{0, 1}
	var sum float32
	for j, weight := range weights {
		row := (*[4]float32)(texels[j*shadowMapSize:])
		z0 := d + float32(gv*(float32(j-1)-fv)) - float32(gu*(1+fu))
		z1 := z0 + gu
		z2 := z1 + gu
		z3 := z2 + gu
		line := left[atMost(row[0], z0)] + inner[atMost(row[1], z1)] + inner[atMost(row[2], z2)] + right[atMost(row[3], z3)]
		sum += float32(line * weight)
	}
	return sum
}

// atMost returns 1 if x is at most y, and 0 otherwise, without a branch.
func atMost(x, y float32) int {
	n := 0
	if x <= y {
		n = 1
	}
	return n
}
