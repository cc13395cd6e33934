package scene

import (
	"math"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// The layers of pile and heap have 9 by 10 cubes.
const columnsX, columnsY = 9, 10

// pile is a block of stacks that falls by half a metre, each cube slightly displaced from the one
// below. Whether it stands is a test of the solver.
func pile(p paramValues) sim.Scene {
	s := baseSceneBeside("pile", "a block of cubes that falls half a metre and should stand")
	c := lcg(12345)
	for z := range p.value("layers") {
		for i := range columnsX * columnsY {
			x, y := float64(i%columnsX), float64(i/columnsX)
			b := cube(geom.Vec3{
				X: float32(float64((x-4)*0.45) + c.symmetric(0.02)),
				Y: float32(float64((y-4.5)*0.45) + c.symmetric(0.02)),
				Z: float32(0.7 + float64(float64(z)*0.45)),
			}, 0)
			b.Start.Asleep = false
			s.Boxes = append(s.Boxes, b)
		}
	}
	return s
}

// heap is a block of cubes dropped in random orientations, which meets every kind of contact.
func heap(p paramValues) sim.Scene {
	s := baseSceneBeside("heap", "cubes dropped in random orientations: every kind of contact")
	c := lcg(54321)
	for z := range p.value("layers") {
		for i := range columnsX * columnsY {
			x, y := float64(i%columnsX), float64(i/columnsX)
			turn := c.orientation()
			b := cube(geom.Vec3{
				X: float32(float64((x-4)*0.75) + c.symmetric(0.05)),
				Y: float32(float64((y-4.5)*0.75) + c.symmetric(0.05)),
				Z: float32(1 + float64(float64(z)*0.75)),
			}, 0)
			b.Start.Pose.Rot, b.Start.Asleep = turn, false
			s.Boxes = append(s.Boxes, b)
		}
	}
	return s
}

// lcg is a linear congruential generator for the layout of scenes. It is that of the scene files
// that other engines were measured with, so that pile and heap equal theirs.
type lcg uint32

// symmetric returns a number in [-a, a) from 24 random bits. Inlining it would lose its last
// rounding, because the compiler fuses the product with the caller's sum.
//
//go:noinline
func (l *lcg) symmetric(a float64) float64 {
	*l = *l*1664525 + 1013904223
	return float64(float64(int32(*l>>8)*2-1<<24) / (1 << 24) * a)
}

// orientation returns a random rotation: a point in a 4-dimensional ball, projected onto its
// surface.
func (l *lcg) orientation() geom.Quat {
	for {
		w, x, y, z := l.symmetric(1), l.symmetric(1), l.symmetric(1), l.symmetric(1)
		n := float64(w*w) + float64(x*x) + float64(y*y) + float64(z*z)
		if n > 1 || n < 0.05 {
			continue
		}
		c := math.Sqrt(n)
		return geom.Quat{W: float32(w / c), X: float32(x / c), Y: float32(y / c), Z: float32(z / c)}
	}
}
