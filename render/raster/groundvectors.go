package raster

import (
	"encoding/binary"

	"ghostcube/render"
	"ghostcube/sim/geom"
)

// lanes are four numbers that are computed together.
type lanes [4]float32

// all returns a number in all lanes.
func all(x float32) lanes { return lanes{x, x, x, x} }

// groundVectors are pixels of ground in a row, which are coloured four at a time.
type groundVectors struct {
	away, depth, pixel, fog, foot lanes // of the row: see groundRow; away is -ray.Z
	eyeX, eyeY                    lanes

	rayX, rayY lanes // by pixel
	sun        lanes // share of the sun's light
	dim        lanes // factor of the brightness
	out        [4]uint32

	minFoot, lines, lineWidth, fieldShade, lineShade, toSun lanes // constants
	albedo, skyLight, sunLight, horizon                     [3]lanes

	places [4]int // in the row
	n      int
}

// init sets the constants.
func (v *groundVectors) init() {
	const lines = 1. / render.LineSpacing
	v.minFoot, v.lines, v.lineWidth = all(minFoot), all(lines), all(render.LineWidth*lines)
	v.fieldShade, v.lineShade, v.toSun = all(1-render.DarkFieldShade), all(1-render.LineShade), all(render.ToSun.Z)
	for i := range 3 {
		v.albedo[i] = all(float32(render.GroundColor[i] * render.GroundColor[i]))
		v.skyLight[i], v.sunLight[i], v.horizon[i] = all(render.SkyLight[i]), all(render.SunLight[i]), all(render.HorizonColor[i])
	}
	v.sun, v.dim, v.rayX, v.rayY = all(1), all(1), all(0), all(0)
}

// begin begins a row.
func (v *groundVectors) begin(g *groundRow, eye geom.Vec3) {
	v.away, v.depth, v.pixel, v.fog, v.foot = all(-g.ray.Z), all(g.depth), all(g.pixel), all(g.fog), all(g.foot)
	v.eyeX, v.eyeY, v.n = all(eye.X), all(eye.Y), 0
}

// add colours a pixel of the row, now or together with later ones.
func (v *groundVectors) add(out []uint8, x int, ray geom.Vec3, sun, dim float32) {
	i := v.n & 3
	v.rayX[i], v.rayY[i], v.sun[i], v.dim[i], v.places[i] = ray.X, ray.Y, sun, dim, x
	if v.n++; v.n == len(v.places) {
		v.flush(out)
	}
}

// flush colours the pixels that are left.
func (v *groundVectors) flush(out []uint8) {
	if v.n == 0 {
		return
	}
	shadeGroundVectors(v)
	for i, x := range v.places[:v.n] {
		binary.LittleEndian.PutUint32(out[4*x:], v.out[i])
	}
	v.n = 0
}
