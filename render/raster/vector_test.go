package raster

import (
	"image"
	"testing"

	"ghostcube/render"
	"ghostcube/sim/geom"
)

// TestVectors compares colours of the ground and of faces, and shares of the sun's light that are computed four numbers at a time with
// those of the Go code.
func TestVectors(t *testing.T) {
	if !hasVectors {
		t.Skip("this processor computes one number at a time")
	}
	seed := uint32(1)
	random := func(low, high float32) float32 {
		seed = seed*1664525 + 1013904223
		return low + float32(float32(seed>>8)*(1./(1<<24)))*(high-low)
	}
	var v groundVectors
	v.init()
	for range 300 {
		p := Painter{w: 320, h: 180}
		cam := render.Orbit(geom.Vec3{X: random(-30, 30), Y: random(-30, 30)}, random(0, 360), random(1, 89), random(1, 40))
		p.projection = cam.Projection(320, 180)
		y := random(0, 180)
		g := p.groundRow(y)
		if g.sky {
			continue
		}
		if random(0, 1) < 0.5 {
			g.foot = random(minFoot, 0.5)
		}
		v.begin(&g, p.projection.Eye)
		var want [4]uint32
		out := make([]uint8, 4*4)
		for x := range want {
			ray, sun, dim := p.projection.Ray(random(0, 320), y), min(random(0, 1.5), 1), min(random(0, 1.5), 1)
			ray.Z = g.ray.Z
			want[x] = p.lightGround(&g, ray, p.groundAt(&g, ray), sun).scale(dim).pixel()
			v.add(out, x, ray, sun, dim)
		}
		if v.out != want {
			t.Fatalf("ground is %08x, want %08x", v.out, want)
		}
	}
	var p Painter
	var f faceVectors
	f.init()
	p.prepare(image.NewRGBA(image.Rect(0, 0, 320, 180)), cubePile(60), &cameras[0])
	f.begin(p.projection.Eye, &p.shadowMap)
	for i := range p.faces[1:] {
		side := &p.faces[i+1]
		g := p.groundRow(random(max(side.top, 0), side.bottom) / samplesPerAxis)
		var want [4]uint32
		out := make([]uint8, 4*4)
		for x := range want {
			ray := p.rayAt(&g, int(random(0, 320)))
			want[x] = p.shadeFace(side, ray).pixel()
			f.add(out, &p.shadowMap, side, x, ray)
		}
		if f.out != want {
			t.Fatalf("a face is %08x, want %08x", f.out, want)
		}
	}
	texels := make([]float32, 3*shadowMapSize+4)
	for range 300 {
		for j := range 4 {
			for i := range 4 {
				texels[j*shadowMapSize+i] = random(-1, 1)
			}
		}
		d, gu, gv, fu, fv := random(-1, 1), random(-0.1, 0.1), random(-0.1, 0.1), random(0, 1), random(0, 1)
		if got, want := shadeVectors(&texels[0], d, gu, gv, fu, fv), litTexels(texels, d, gu, gv, fu, fv); got != want {
			t.Fatalf("%v texels are lit, want %v", got, want)
		}
	}
}
