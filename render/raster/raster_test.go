package raster

import (
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/internal/golden"
	"ghostcube/render"
	"ghostcube/sim/geom"
)

// cubePile returns a scene of n intersecting cubes, some of them ghosts, a trail, and a long box that
// reaches behind the camera.
func cubePile(n int) *render.Scene {
	s := &render.Scene{}
	x := uint64(1)
	random := func(low, high float32) float32 { // each product is rounded, so that the scene is the same on every machine
		x = x*6364136223846793005 + 1442695040888963407
		return low + float32(float32(float32(x>>40)*(1./(1<<24)))*(high-low))
	}
	for i := range n {
		axis := geom.Vec3{X: random(-1, 1), Y: random(-1, 1), Z: random(-1, 1)}.Unit()
		c := render.Cube{
			Pose:  geom.Pose{Pos: geom.Vec3{X: random(-3, 3), Y: random(-3, 3), Z: random(0, 2)}, Rot: geom.AxisAngle(axis, random(0, 6))},
			Half:  geom.Vec3{X: random(0.2, 0.5), Y: random(0.2, 0.5), Z: random(0.2, 0.5)},
			Color: render.RGB(random(0, 1), random(0, 1), random(0, 1)),
		}
		if i%7 == 6 {
			c.Color.A = 120
		}
		s.Cubes = append(s.Cubes, c)
	}
	s.Cubes = append(s.Cubes, render.Cube{Pose: geom.Pose{Pos: geom.Vec3{X: 4, Y: 0, Z: 0.5}, Rot: geom.Identity},
		Half: geom.Vec3{X: 0.5, Y: 40, Z: 0.5}, Color: render.RGB(0.5, 0.5, 0.5)})
	t := render.Trail{Color: render.RGB(0.9, 0, 0)}
	for i := range 40 {
		t.Points = append(t.Points, geom.Vec3{X: float32(i)/8 - 3, Y: -3, Z: 1 + geom.Sin(float32(i)/4)})
	}
	s.Trails = append(s.Trails, t)
	return s
}

var cameras = []render.Camera{
	render.Orbit(geom.Vec3{Z: 0.7}, 0, 24, 12),
	render.Orbit(geom.Vec3{Z: 0.7}, 130, 5, 6),
	render.Orbit(geom.Vec3{X: 1, Z: 0.7}, -60, 80, 9),
	render.Orbit(geom.Vec3{Y: 2}, 200, 30, 3), // inside the pile: boxes cross the near plane
}

// TestVisibleFaces compares the visible face at each sample with a ray cast against all boxes, one by one.
func TestVisibleFaces(t *testing.T) {
	for k, cam := range cameras[:experiment.Pick(1, len(cameras), len(cameras))] {
		s := cubePile(60)
		im := image.NewRGBA(image.Rect(0, 0, 160, 90))
		var p Painter
		p.prepare(im, s, &cam)
		band := newWorker()
		band.join(&p)
		stride, wrong, faces := p.w*samplesPerAxis, 0, 0
		for row := range p.h * samplesPerAxis {
			if row%(bandRows*samplesPerAxis) == 0 {
				band.drawNext()
			}
			for x := range stride {
				ray := p.projection.Ray((float32(x)+0.5)/samplesPerAxis, (float32(row)+0.5)/samplesPerAxis)
				want := castRay(s, p.projection.Eye, ray)
				got := float32(0)
				if id := band.faceAt(x, row); id != 0 {
					got = p.faces[id].eyeOffset / p.faces[id].n.Dot(ray)
					faces++
				}
				if geom.Abs(got-want) > 0.01*max(want, 1) {
					wrong++
				}
			}
		}
		// A ray that grazes an edge may hit either side of it.
		if n := stride * p.h * samplesPerAxis; wrong > n/500 || faces < n/10 {
			t.Errorf("camera %d: the wrong face at %d of %d samples (%d have a face)", k, wrong, n, faces)
		}
	}
}

// faceAt returns the index of the face at a sample; 0 is ground or sky.
func (w *worker) faceAt(x, row int) uint16 {
	if w.rowBlocks(row / samplesPerAxis)[x/(blockSize*samplesPerAxis)]&covered == 0 {
		return 0
	}
	return w.faceIDs[(row-w.y0*samplesPerAxis)*w.w*samplesPerAxis+x]
}

// castRay returns the depth of the nearest opaque box along a ray that is beyond the near plane and nearer
// than the ground, or 0.
func castRay(s *render.Scene, eye, ray geom.Vec3) float32 {
	best := float32(1e30)
	if ray.Z < 0 {
		best = -eye.Z / ray.Z
	}
	ground := best
	for i := range s.Cubes {
		c := &s.Cubes[i]
		if c.Ghost() {
			continue
		}
		m := c.Pose.Rot.Mat()
		o, d := m.MulT(eye.Sub(c.Pose.Pos)), m.MulT(ray)
		in, out := float32(-1e30), float32(1e30)
		for k := range 3 {
			a, b := (-c.Half.At(k)-o.At(k))/d.At(k), (c.Half.At(k)-o.At(k))/d.At(k)
			in, out = max(in, min(a, b)), min(out, max(a, b))
		}
		if in < out && in >= render.NearPlane && in < best {
			best = in
		}
	}
	if best == ground {
		return 0
	}
	return best
}

// TestGolden promises that pictures are the same on every machine, pixel for pixel.
func TestGolden(t *testing.T) {
	var b strings.Builder
	var p Painter
	var list render.DrawList
	list.Rect(10, 10, 120, 40, render.Color{R: 22, G: 26, B: 32, A: 190})
	list.Text(16, 34, render.Font{Size: 16, Bold: true}, render.RGB(1, 1, 1), "rewind ±0.1 m²")
	list.Line([]render.Point{{X: 10, Y: 60}, {X: 60, Y: 70.5}, {X: 130, Y: 55.25}}, 1.5, render.RGB(0.3, 0.6, 1))
	for k, cam := range cameras {
		im := image.NewRGBA(image.Rect(0, 0, 320, 180))
		p.Draw(im, cubePile(60), &cam)
		DrawOverlay(im, &list)
		h := fnv.New64a()
		h.Write(im.Pix)
		fmt.Fprintf(&b, "%d %016x\n", k, h.Sum64())
	}
	golden.Compare(t, "golden.txt", b.String())
}

// TestWorkers promises that a picture does not depend on the number of workers, nor on the pictures before it.
func TestWorkers(t *testing.T) {
	var p Painter
	draw := func(workers int) []byte {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
		im := image.NewRGBA(image.Rect(0, 0, 200, 113))
		p.Draw(im, cubePile(60), &cameras[0])
		return im.Pix
	}
	alone := draw(1)
	for _, n := range []int{2, 3, 7} {
		other := image.NewRGBA(image.Rect(0, 0, 90, 170))
		p.Draw(other, cubePile(300), &cameras[n%len(cameras)])
		if string(draw(n)) != string(alone) {
			t.Errorf("%d workers draw another picture than one", n)
		}
	}
}

// TestAllocations promises that pictures allocate nothing once memory has grown. The runtime allocates for goroutines
// now and then, and is counted too: less than once a picture, or it is an error.
func TestAllocations(t *testing.T) {
	s := cubePile(60)
	im := image.NewRGBA(image.Rect(0, 0, 320, 180))
	var l render.DrawList
	l.Text(16, 34, render.Font{Size: 16}, render.RGB(1, 1, 1), "rewind")
	l.Line([]render.Point{{X: 10, Y: 60}, {X: 60, Y: 70}}, 2, render.RGB(0.3, 0.6, 1))
	var p Painter
	draw := func() {
		p.Draw(im, s, &cameras[0])
		DrawOverlay(im, &l)
	}
	for _, workers := range []int{1, 3} {
		func() {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
			var before, after runtime.MemStats
			draw()
			for range 10 {
				runtime.ReadMemStats(&before)
				for range 20 {
					draw()
				}
				if runtime.ReadMemStats(&after); after.Mallocs-before.Mallocs < 20 {
					return
				}
			}
			t.Errorf("%d workers: 20 pictures allocate %d times", workers, after.Mallocs-before.Mallocs)
		}()
	}
}

// TestGhosts promises that ghosts read as one figure at any number: a line around them, a light fill inside that is
// the same whether a cube is in front of it, behind it or crosses it, and nothing outside. Ghosts of another
// colour are another figure.
func TestGhosts(t *testing.T) {
	at := func(x, y float32, c render.Color) render.Cube {
		return render.Cube{Pose: geom.Pose{Pos: geom.Vec3{X: x, Y: y, Z: 1}, Rot: geom.AxisAngle(geom.Vec3{X: 0.6, Z: 0.8}, 0.4)},
			Half: geom.Vec3{X: 0.6, Y: 0.6, Z: 0.6}, Color: c}
	}
	solid := []render.Cube{at(0, 0, render.RGB(0.5, 0.5, 0.5)), at(-0.4, -2, render.RGB(0.5, 0.5, 0.5)), at(0.4, 3, render.RGB(0.5, 0.5, 0.5))}
	yellow, blue := render.Color{R: 255, G: 255, A: 250}, render.Color{B: 255, A: 250}
	cam := render.Camera{Eye: geom.Vec3{Y: -9, Z: 3}, Target: geom.Vec3{Z: 1}, FOV: 0.6}
	draw := func(ghosts ...render.Cube) *image.RGBA {
		im := image.NewRGBA(image.Rect(0, 0, 320, 180))
		new(Painter).Draw(im, &render.Scene{Cubes: append(ghosts, solid...)}, &cam)
		return im
	}
	plain := draw()
	// opacities counts the pixels by how much of the ghost's red they have: part of the line's border, fill, line.
	opacities := func(im *image.RGBA) (fill, line, other int) {
		for i := 0; i < len(im.Pix); i += 4 {
			before, after := float32(plain.Pix[i])/255, float32(im.Pix[i])/255
			switch alpha := (after - before) / (1 - before); {
			case im.Pix[i+2] == plain.Pix[i+2] && after == before:
			case geom.Abs(alpha-render.GhostFill*250/255) < 0.02:
				fill++
			case alpha > 0.9*render.GhostLine*250/255:
				line++
			default:
				other++
			}
		}
		return
	}
	fill, line, other := opacities(draw(at(0.3, 0.2, yellow)))
	if fill < 1500 || line < 120 || line > 500 || other > 2*line {
		t.Errorf("one ghost: fill %d, line %d, other %d pixels", fill, line, other)
	}
	var many []render.Cube
	for i := range 100 {
		many = append(many, at(0.3+0.02*float32(i%10), 0.2+0.02*float32(i/10), yellow))
	}
	manyFill, manyLine, manyOther := opacities(draw(many...))
	if manyFill < fill || manyLine > line+line/2 || manyOther > 2*manyLine {
		t.Errorf("a hundred ghosts: fill %d, line %d, other %d pixels; one: %d, %d, %d", manyFill, manyLine, manyOther, fill, line, other)
	}
	two := draw(at(-1, 0, yellow), at(1, 0, blue))
	count := [2]int{}
	for i := 0; i < len(two.Pix); i += 4 {
		if r, b := two.Pix[i], two.Pix[i+2]; r > 230 && b < 60 {
			count[0]++
		} else if r < 60 && b > 230 {
			count[1]++
		}
	}
	if count[0] < 120 || count[1] < 120 {
		t.Errorf("lines of two colours: %d pixels", count)
	}
}

// TestOverlayIsClipped promises that nothing is drawn outside of a picture, also where it is part of a
// larger one.
func TestOverlayIsClipped(t *testing.T) {
	whole := image.NewRGBA(image.Rect(0, 0, 100, 80))
	part := whole.SubImage(image.Rect(20, 10, 70, 50)).(*image.RGBA)
	var l render.DrawList
	l.Rect(-50, -50, 500, 20, render.RGB(1, 1, 1))
	l.Rect(40, 30, 100, 100, render.RGB(1, 0, 0))
	l.Text(-20, 5, render.Font{Size: 24}, render.RGB(0, 1, 0), "out of sight on both sides")
	l.Text(10, 300, render.Font{Size: 24}, render.RGB(0, 1, 0), "below")
	l.Line([]render.Point{{X: -1e6, Y: 20}, {X: 1e6, Y: 21}}, 3, render.RGB(0, 0, 1))
	DrawOverlay(part, &l)
	drawn := 0
	for y := range 80 {
		for x := range 100 {
			inside := image.Pt(x, y).In(part.Rect)
			if c := whole.RGBAAt(x, y); c.R|c.G|c.B != 0 {
				drawn++
				if !inside {
					t.Fatalf("pixel %d, %d outside of the picture is drawn", x, y)
				}
			}
		}
	}
	if drawn < 100 {
		t.Errorf("%d pixels are drawn", drawn)
	}
}

// TestFastBlends promises that rectangles and opaque pixels have the colours that blend computes.
func TestFastBlends(t *testing.T) {
	im := image.NewRGBA(image.Rect(0, 0, 256, 1))
	for v := range 256 {
		for _, alpha := range []uint8{0, 1, 120, 200, 254, 255} {
			c := render.Color{R: uint8(v), G: uint8(255 - v), B: uint8(v / 2), A: alpha}
			for x := range 256 {
				im.SetRGBA(x, 0, color.RGBA{uint8(x), uint8(x / 2), uint8(255 - x), 255})
			}
			want := slices.Clone(im.Pix)
			for x := range 256 {
				blend(want[4*x:], floatColor(c), float32(alpha)/255)
			}
			if drawRect(im, im.Rect, c); !slices.Equal(im.Pix, want) {
				t.Fatalf("a rectangle of %v has other colours", c)
			}
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	for _, n := range []int{25, 900} {
		b.Run(fmt.Sprintf("%d cubes 1280x720", n), func(b *testing.B) {
			s := cubePile(n)
			im := image.NewRGBA(image.Rect(0, 0, 1280, 720))
			var p Painter
			b.ReportAllocs()
			for b.Loop() {
				p.Draw(im, s, &cameras[0])
			}
		})
	}
}

// TestLines promises that a line through the world is visible only where nothing is nearer, about as wide
// as it should be, and faded by fog; and that one which begins behind the eye is not drawn.
func TestLines(t *testing.T) {
	cam := render.Camera{Eye: geom.Vec3{Y: -10, Z: 2}, Target: geom.Vec3{Z: 2}, FOV: 40 * geom.Pi / 180}
	cube := render.Cube{Pose: geom.Pose{Pos: geom.Vec3{X: 1, Z: 2}, Rot: geom.Identity}, Half: geom.Vec3{X: 0.5, Y: 0.5, Z: 0.5}, Color: render.RGB(0.7, 0.7, 0.7)}
	draw := func(lines ...render.Line) *image.RGBA {
		im := image.NewRGBA(image.Rect(0, 0, 320, 180))
		new(Painter).Draw(im, &render.Scene{Cubes: []render.Cube{cube}, Lines: lines}, &cam)
		return im
	}
	empty := draw()
	red := render.RGB(1, 0, 0)
	for _, c := range []struct {
		y      float32
		hidden bool
	}{{-1, false}, {0, true}, {1, true}} {
		im := draw(render.Line{A: geom.Vec3{X: -3, Y: c.y, Z: 2}, B: geom.Vec3{X: 3, Y: c.y, Z: 2}, Color: red})
		left, before, beside := 0, 0, 0
		for y := range 180 {
			for x := range 320 {
				if im.RGBAAt(x, y) == empty.RGBAAt(x, y) {
					continue
				}
				switch lens := cam.Projection(320, 180); {
				case x > int(lens.CenterX)+18 && x < int(lens.CenterX)+30: // in front of the cube
					before++
				case x > 90 && x < 140:
					left++
				}
				if d := y - 90; d < -2 || d > 2 {
					beside++
				}
			}
		}
		if left < 49 || left > 49*3 || beside > 0 || (before == 0) != c.hidden {
			t.Errorf("a line at y=%v: %d pixels left of the cube, %d in front of it, %d outside of the line", c.y, left, before, beside)
		}
	}
	far := draw(render.Line{A: geom.Vec3{X: -30, Y: 40, Z: 2}, B: geom.Vec3{X: 30, Y: 40, Z: 2}, Color: red}).RGBAAt(100, 89)
	near := draw(render.Line{A: geom.Vec3{X: -3, Z: 2}, B: geom.Vec3{X: 3, Z: 2}, Color: red}).RGBAAt(100, 89)
	if far == empty.RGBAAt(100, 89) || far.G <= near.G {
		t.Errorf("near %v, far %v, without %v", near, far, empty.RGBAAt(100, 89))
	}
	if im := draw(render.Line{A: geom.Vec3{Y: -11, Z: 2}, B: geom.Vec3{Y: 5, Z: 3}, Color: red}); !slices.Equal(im.Pix, empty.Pix) {
		t.Error("a line that begins behind the eye is drawn")
	}
}

// TestInvisibleCube promises that a cube without opacity changes no pixel, and that many take no ghost's colour.
func TestInvisibleCube(t *testing.T) {
	draw := func(s *render.Scene) []byte {
		im := image.NewRGBA(image.Rect(0, 0, 96, 64))
		var p Painter
		c := render.Orbit(geom.Vec3{Z: 0.5}, 20, 25, 6)
		p.Draw(im, s, &c)
		return im.Pix
	}
	cube := render.Cube{Pose: geom.Pose{Pos: geom.Vec3{Z: 0.5}, Rot: geom.Identity}, Half: geom.Vec3{X: 0.5, Y: 0.5, Z: 0.5}, Color: render.RGB(0.9, 0.1, 0.1)}
	none, visible := draw(&render.Scene{}), draw(&render.Scene{Cubes: []render.Cube{cube}})
	cube.Color.A = 0
	if slices.Equal(none, visible) || !slices.Equal(none, draw(&render.Scene{Cubes: []render.Cube{cube}})) {
		t.Error("a cube without opacity is drawn")
	}
	ghost := cube
	ghost.Color.A = 128
	cubes := []render.Cube{ghost}
	alone := draw(&render.Scene{Cubes: cubes})
	for i := range render.MaxGhostColors {
		cube.Color.G = uint8(60 * i)
		cubes = append([]render.Cube{cube}, cubes...)
	}
	if !slices.Equal(alone, draw(&render.Scene{Cubes: cubes})) {
		t.Error("cubes without opacity take the colours of ghosts")
	}
}

// TestClippedTextKeepsItsRows promises that a text that reaches beyond an edge of the picture has, inside it,
// the pixels of one that does not.
func TestClippedTextKeepsItsRows(t *testing.T) {
	draw := func(w, h int, x, y float32) *image.RGBA {
		im := image.NewRGBA(image.Rect(0, 0, w, h))
		var l render.DrawList
		l.Text(x, y, render.Font{Size: 24}, render.RGB(1, 1, 1), "Ghostcube")
		DrawOverlay(im, &l)
		return im
	}
	whole := draw(200, 80, 40, 40)
	const dx, dy = 50, 30 // of the clipped picture in the whole one
	part := draw(60, 8, 40-dx, 40-dy)
	seen := 0
	for y := range 8 {
		for x := range 60 {
			a, b := part.RGBAAt(x, y), whole.RGBAAt(x+dx, y+dy)
			if a != b {
				t.Fatalf("pixel %d, %d is %v, want %v", x, y, a, b)
			}
			if a.R > 0 && y == 0 {
				seen++
			}
		}
	}
	if seen == 0 {
		t.Error("the first row is empty")
	}
}
