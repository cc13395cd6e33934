package raster

import (
	"image"
	"slices"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/render"
	"ghostcube/sim/geom"
)

// TestGroundRuns promises that ground whose colour is known from the field that it lies in, many pixels at a time or
// beside faces and borders of shadows, has the colour that each pixel has by itself, in the sun and in shadow, near the
// middle of the world and far from it.
func TestGroundRuns(t *testing.T) {
	experiment.Skip(t)
	for i, away := range []float32{0, 37.3, -900, 20000} {
		for k, cam := range append(cameras, render.Orbit(geom.Vec3{}, 45, 89, 40), render.Orbit(geom.Vec3{X: 2}, 90, 3, 25)) {
			s := cubePile(40)
			s.Cubes = slices.DeleteFunc(s.Cubes, func(c render.Cube) bool { return c.Ghost() })
			s.Cubes = append(s.Cubes, render.Cube{Pose: geom.Pose{Pos: geom.Vec3{X: -4, Y: 1, Z: 1.5}, Rot: geom.Identity},
				Half: geom.Vec3{X: 1, Y: 2, Z: 1}, Color: render.RGB(0.5, 0.5, 0.5)})
			s.Trails = nil
			for j := range s.Cubes {
				s.Cubes[j].Pose.Pos.X += away
			}
			cam.Eye.X, cam.Target.X = cam.Eye.X+away, cam.Target.X+away
			im := image.NewRGBA(image.Rect(0, 0, 331, 187))
			var p Painter
			p.prepare(im, s, &cam)
			band := newWorker()
			band.join(&p)
			runs, single, shady := 0, 0, 0
			for band.drawNext() {
				for y := band.y0; y < band.y1; y++ {
					g := p.groundRow(float32(y) + 0.5)
					for x := range p.w {
						what := band.rowBlocks(y)[x/blockSize]
						switch {
						case what&inContact != 0 || what&covered != 0 && band.anyFace(x, y):
							continue
						case what == 0 || what == inShadow:
							runs++
						default:
							single++
						}
						if what == inShadow {
							shady++
						}
						var want [4]uint8
						p.shadeGround(&g, p.rayAt(&g, x), nearShadow).put(want[:])
						if c := im.RGBAAt(x, y); c.R != want[0] || c.G != want[1] || c.B != want[2] {
							t.Fatalf("camera %d, %v m away: pixel %d, %d is %v, want %v", k, away, x, y, c, want)
						}
					}
				}
			}
			if runs < p.w*p.h/20 || i == 0 && k == 0 && (shady < 20 || single < 500) {
				t.Errorf("camera %d, %v m away: %d pixels in runs, %d of them in shadow, and %d others", k, away, runs, shady, single)
			}
		}
	}
}

// anyFace reports whether a face covers a sample of a pixel of the band.
func (w *worker) anyFace(x, y int) bool {
	at := ((y-w.y0)*w.w*samplesPerAxis + x) * samplesPerAxis
	up, down := w.faceIDs[at:][:2], w.faceIDs[at+w.w*samplesPerAxis:][:2]
	return up[0]|up[1]|down[0]|down[1] != 0
}

// TestShadow promises that a cube darkens the ground in its shadow and nowhere else, that the border is
// soft, and that a ghost casts no shadow.
func TestShadow(t *testing.T) {
	// The light through the cube's centre meets the ground in the middle of a cell of the grid, away from
	// its lines.
	const x, y, high = -0.5, 0.5, 2
	mid := geom.Vec3{X: x, Y: y}.AddScaled(high/render.ToSun.Z, render.ToSun)
	look := func(alpha uint8) func(x, y float32) float32 {
		c := render.Cube{Pose: geom.Pose{Pos: mid, Rot: geom.Identity}, Half: geom.Vec3{X: 0.5, Y: 0.5, Z: 0.5},
			Color: render.Color{R: 200, G: 200, B: 200, A: alpha}}
		cam := render.Camera{Eye: geom.Vec3{X: -0.01, Y: -6, Z: 9}, Target: geom.Vec3{}, FOV: 1}
		im := image.NewRGBA(image.Rect(0, 0, 400, 400))
		var p Painter
		p.Draw(im, &render.Scene{Cubes: []render.Cube{c}}, &cam)
		return func(x, y float32) float32 {
			px, py, _ := p.projection.Project(geom.Vec3{X: x, Y: y})
			return float32(im.RGBAAt(int(px), int(py)).G)
		}
	}
	at := look(255)
	open := at(-2.5, -1.5)
	if dark := at(x, y); dark > 0.8*open {
		t.Errorf("in the shadow %v, in the sun %v", dark, open)
	}
	if ghost := look(120)(x, y); ghost < 0.97*open {
		t.Errorf("under a ghost %v, in the sun %v", ghost, open)
	}
	between := 0
	for i := range 100 {
		if v := at(x-0.012*float32(i), y); v > 0.8*open && v < 0.95*open {
			between++
		}
	}
	if between == 0 {
		t.Error("the border is hard")
	}
}

// TestContactShadow promises that a body that rests on the ground darkens it at its border, on its sunny side too,
// less and less up to the reach and not beyond; that one in the air darkens it less the higher it is; that a tilted one
// does so on its lower side; and that a ghost does not.
func TestContactShadow(t *testing.T) {
	experiment.Skip(t)
	look := func(height, tilt float32, alpha uint8) func(x float32) float32 {
		half := geom.Vec3{X: 0.5, Y: 0.5, Z: 0.5}
		c := render.Cube{Pose: geom.Pose{Pos: geom.Vec3{X: -1, Y: 0.5, Z: 0.5 + height}, Rot: geom.AxisAngle(geom.Vec3{Y: 1}, tilt)},
			Half: half, Color: render.Color{R: 200, G: 200, B: 200, A: alpha}}
		cam := render.Camera{Eye: geom.Vec3{X: 3, Y: -1, Z: 6}, Target: geom.Vec3{}, FOV: 1}
		im := image.NewRGBA(image.Rect(0, 0, 800, 800))
		var p Painter
		p.Draw(im, &render.Scene{Cubes: []render.Cube{c}}, &cam)
		return func(x float32) float32 { // on the side towards the sun, metres beyond the border of the cube
			px, py, _ := p.projection.Project(geom.Vec3{X: -0.5 + x, Y: 0.5})
			return float32(im.RGBAAt(int(px), int(py)).G)
		}
	}
	at, open := look(0, 0, 255), look(0, 0, 120)(0.45)
	if near, middle, far := at(0.03), at(0.2), at(0.45); near > 0.68*open || middle < 1.1*near || middle > 0.97*open || far != open {
		t.Errorf("resting: %v, %v and %v, want %v without a cube", near, middle, far, open)
	}
	if low, high := look(0.1, 0, 255)(0.03), look(0.6, 0, 255)(0.03); low < 1.1*at(0.03) || low > 0.9*open || high != open {
		t.Errorf("0.1 m up %v, 0.6 m up %v, resting %v", low, high, at(0.03))
	}
	if ghost := look(0, 0, 120)(0.03); ghost < 0.97*open {
		t.Errorf("beside a ghost %v, without %v", ghost, open)
	}
	// Standing on an edge, 8 cm beyond that edge (which is at x = -0.73), or as far beyond the one that is 0.39 m up.
	const up = 0.155
	if low, raised := look(up, 0.4, 255)(-0.15), look(up, -0.4, 255)(0.24); low > 0.85*open || raised < 0.95*open {
		t.Errorf("tilted: lower side %v, raised side %v, want %v without a cube", low, raised, open)
	}
}

// TestGroundFields promises that neighbouring square metres of the ground differ in brightness, so that motion over
// it is visible, and that far away the fields fade into one tone instead of flickering.
func TestGroundFields(t *testing.T) {
	cam := render.Camera{Eye: geom.Vec3{X: 0.5, Y: -9, Z: 4}, Target: geom.Vec3{X: 0.5, Y: 1}, FOV: 0.7}
	im := image.NewRGBA(image.Rect(0, 0, 640, 360))
	var p Painter
	p.Draw(im, &render.Scene{}, &cam)
	at := func(x, y float32) int {
		px, py, _ := p.projection.Project(geom.Vec3{X: x, Y: y})
		return int(im.RGBAAt(int(px), int(py)).G)
	}
	for x := float32(-2.5); x < 3; x++ {
		for y := float32(-3.5); y < 2; y++ {
			if d := at(x, y) - at(x+1, y); d > -8 && d < 8 {
				t.Errorf("the field at %v, %v and its neighbour differ by %d of 255", x, y, d)
			}
			if d := at(x, y) - at(x+1, y+1); d < -4 || d > 4 {
				t.Errorf("the fields at %v, %v and diagonal to it differ by %d of 255", x, y, d)
			}
		}
	}
	low, high := 255, 0
	for x := float32(-20); x < 20; x += 0.37 {
		low, high = min(low, at(x, 90.3)), max(high, at(x, 90.3))
	}
	if high-low > 8 {
		t.Errorf("100 m away the ground differs by %d of 255", high-low)
	}
}
