package raster

import (
	"encoding/binary"

	"ghostcube/render"
	"ghostcube/sim/geom"
)

// faceVectors are pixels of a face in a row, which are coloured four at a time.
type faceVectors struct {
	rayX, rayY, rayZ lanes // by pixel
	u, v, height     lanes // place in the shadow map, and height along the light
	sun              lanes // share of the sun's light
	//lint:ignore U1000 the assembly has them
	near, dark, fog lanes // factors: see Painter.shadeFace
	out             [4]uint32

	eyeX, eyeY, eyeZ             lanes // constants of the picture
	rightX, rightY, rightZ       lanes
	upX, upY, upZ                lanes
	u0, v0                       lanes
	sunX, sunY, sunZ, bias       lanes // constants
	perTexel, fogStart, fogScale lanes
	fogMax, edgeStart, edgeScale lanes
	edgeDarkening, two, three    lanes
	shade, rise                  lanes
	sunLight, horizon            [3]lanes

	face   *face
	places [4]int // in the row
	n      int
}

// init sets the constants.
func (v *faceVectors) init() {
	v.sunX, v.sunY, v.sunZ, v.bias = all(render.ToSun.X), all(render.ToSun.Y), all(render.ToSun.Z), all(shadowBias)
	v.perTexel, v.fogStart, v.fogScale, v.fogMax = all(1/texelSize), all(render.FogStart), all(1./render.FogRange), all(render.FogMax)
	v.edgeStart, v.edgeScale, v.edgeDarkening = all(render.EdgeStart), all(1/(render.EdgeEnd-render.EdgeStart)), all(render.EdgeDarkening)
	v.two, v.three, v.shade, v.rise = all(2), all(3), all(groundShade), all(groundRise)
	for i := range 3 {
		v.sunLight[i], v.horizon[i] = all(render.SunLight[i]), all(render.HorizonColor[i])
	}
	v.rayX, v.rayY, v.rayZ = all(0), all(0), all(1)
}

// begin begins a picture.
func (v *faceVectors) begin(eye geom.Vec3, m *shadowMap) {
	v.eyeX, v.eyeY, v.eyeZ = all(eye.X), all(eye.Y), all(eye.Z)
	v.rightX, v.rightY, v.rightZ = all(m.right.X), all(m.right.Y), all(m.right.Z)
	v.upX, v.upY, v.upZ = all(m.up.X), all(m.up.Y), all(m.up.Z)
	v.u0, v.v0, v.n, v.face = all(m.u0), all(m.v0), 0, nil
}

// add colours a pixel of a face in a row, now or together with later ones.
func (v *faceVectors) add(out []uint8, m *shadowMap, f *face, x int, ray geom.Vec3) {
	if f != v.face {
		v.flush(out, m)
		v.face = f
	}
	i := v.n & 3
	v.rayX[i], v.rayY[i], v.rayZ[i], v.places[i] = ray.X, ray.Y, ray.Z, x
	if v.n++; v.n == len(v.places) {
		v.flush(out, m)
	}
}

// flush colours the pixels that are left.
func (v *faceVectors) flush(out []uint8, m *shadowMap) {
	if v.n == 0 {
		return
	}
	f := v.face
	placeFaceVectors(v, f)
	v.sun = lanes{}
	if f.direct > 0 && f.light.facing >= minSunFacing {
		for i := range v.n {
			v.sun[i] = float32(f.direct * m.visibilityIn(v.u[i], v.v[i], v.height[i], &f.light))
		}
	}
	shadeFaceVectors(v, f)
	for i, x := range v.places[:v.n] {
		binary.LittleEndian.PutUint32(out[4*x:], v.out[i])
	}
	v.n = 0
}
