package gpu

import (
	"image"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/hajimehoshi/ebiten/v2"

	"ghostcube/assets"
	"ghostcube/render"
	"ghostcube/render/raster"
	"ghostcube/sim/geom"
)

// TestMain runs the tests inside Ebitengine's loop where there is a display, because drawing works only
// there.
func TestMain(m *testing.M) {
	if os.Getenv("DISPLAY") == "" {
		os.Exit(m.Run())
	}
	g := &game{m: m}
	ebiten.SetWindowVisible(false)
	if err := ebiten.RunGame(g); err != nil {
		panic(err)
	}
	os.Exit(g.code)
}

type game struct {
	m    *testing.M
	code int
}

func (g *game) Update() error {
	g.code = g.m.Run()
	return ebiten.Termination
}
func (*game) Draw(*ebiten.Image)         {}
func (*game) Layout(int, int) (int, int) { return 320, 240 }

func requireDisplay(t *testing.T) {
	t.Helper()
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display (DISPLAY): .ci/run makes one")
	}
}

// TestUniforms promises that the painter sets every variable of every shader, and none that no shader has.
func TestUniforms(t *testing.T) {
	p := &Painter{scale: 1}
	_, camera := testScene()
	projection := camera.Projection(640, 360)
	uniforms := p.uniforms(&projection, newLightSpace(camera.Target), image.Rect(0, 0, 640, 360))
	used := map[string]bool{}
	files, err := fs.Glob(assets.Shaders, "shaders/*.kage")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		source, err := assets.Shaders.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^var (\w+) `).FindAllStringSubmatch(string(source), -1) {
			if _, ok := uniforms[m[1]]; !ok {
				t.Errorf("%s: nothing sets %s", file, m[1])
			}
			used[m[1]] = true
		}
	}
	for name := range uniforms {
		if !used[name] {
			t.Errorf("no shader has a variable %s", name)
		}
	}
}

// TestShadersCompile promises that all shaders compile. It needs no display.
func TestShadersCompile(t *testing.T) {
	if _, err := New(); err != nil {
		t.Fatal(err)
	}
}

// testScene returns a scene with everything that can be drawn: cubes on and behind each other, a ramp, a
// ghost, a trail and lines.
func testScene() (*render.Scene, render.Camera) {
	s := &render.Scene{}
	add := func(x, y, z, half, turn float32, c render.Color) {
		s.Cubes = append(s.Cubes, render.Cube{
			Pose: geom.Pose{Pos: geom.Vec3{X: x, Y: y, Z: z}, Rot: geom.AxisAngle(geom.Vec3{X: 0.3, Y: 0.2, Z: 1}.Unit(), turn)},
			Half: geom.Vec3{X: half, Y: half, Z: half}, Color: c,
		})
	}
	add(0, 0, 0.9, 0.75, 0.4, render.RGB(0.9, 0, 0))
	for i := range 12 {
		f := float32(i)
		add(-3+0.5*f, 1.5+0.2*f, 0.25+0.05*f, 0.25, f, render.RGB(0.75, 0.75, 0.8))
	}
	s.Cubes = append(s.Cubes, render.Cube{
		Pose: geom.Pose{Pos: geom.Vec3{X: -5, Y: 3, Z: 0.4}, Rot: geom.AxisAngle(geom.Vec3{X: 1}, 0.26)},
		Half: geom.Vec3{X: 2, Y: 3, Z: 0.5}, Color: render.RGB(0.55, 0.58, 0.62),
	})
	add(1.2, -0.6, 0.75, 0.75, 1.1, render.Color{R: 255, G: 204, B: 26, A: 120})
	t := render.Trail{Color: render.RGB(0.9, 0, 0)}
	for i := range 30 {
		t.Points = append(t.Points, geom.Vec3{X: -4 + 0.12*float32(i), Y: -1.5 + 0.02*float32(i*i%17), Z: 0.75})
	}
	s.Trails = append(s.Trails, t)
	for i := range 9 { // in front of the cubes, through them, behind them, towards the eye
		f := float32(i)
		s.Lines = append(s.Lines, render.Line{A: geom.Vec3{X: -3 + 0.3*f, Y: -1.4, Z: 0.2 + 0.2*f},
			B: geom.Vec3{X: 2 - 0.1*f, Y: 2.5, Z: 1.8 - 0.1*f}, Color: render.Color{R: 214, G: 0, B: 150, A: uint8(255 - 15*i)}})
	}
	return s, render.Orbit(geom.Vec3{Z: 0.8}, 20, 24, 11)
}

// TestMatchesRaster compares the pictures of both renderers: nearly all pixels are nearly equal, in a whole
// picture and in a viewport, with and without supersampling.
func TestMatchesRaster(t *testing.T) {
	requireDisplay(t)
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	s, cam := testScene()
	for _, scale := range []int{1, 2} {
		for _, r := range []image.Rectangle{image.Rect(0, 0, 640, 360), image.Rect(320, 40, 640, 360)} {
			p.Begin(640, 360, scale)
			p.Draw(r, s, &cam)
			dst := ebiten.NewImage(640, 360)
			p.End(dst, 0, 0)
			var l render.DrawList
			l.Rect(float32(r.Min.X)+8, float32(r.Min.Y)+8, 150, 40, render.Color{R: 22, G: 26, B: 32, A: 190})
			l.Text(float32(r.Min.X)+16, float32(r.Min.Y)+34, render.Font{Size: 16, Bold: true}, render.RGB(1, 1, 1), "rewind ±0.1 m")
			l.Line([]render.Point{{X: 350, Y: 300}, {X: 420, Y: 320}, {X: 520, Y: 310}}, 2, render.RGB(0.3, 0.6, 1))
			p.DrawOverlay(dst, &l)
			got := image.NewRGBA(image.Rect(0, 0, 640, 360))
			dst.ReadPixels(got.Pix)

			want := image.NewRGBA(image.Rect(0, 0, 640, 360))
			new(raster.Painter).Draw(want.SubImage(r).(*image.RGBA), s, &cam)
			raster.DrawOverlay(want, &l)
			if os.Getenv("GPU_PICTURES") != "" {
				savePNG(t, "gpu.png", got)
				savePNG(t, "raster.png", want)
			}
			different, sum, n := 0, 0, 0
			for y := r.Min.Y; y < r.Max.Y; y++ {
				for x := r.Min.X; x < r.Max.X; x++ {
					a, b := got.RGBAAt(x, y), want.RGBAAt(x, y)
					d := max(diff(a.R, b.R), diff(a.G, b.G), diff(a.B, b.B))
					sum, n = sum+d, n+1
					if d > 40 {
						different++
					}
				}
			}
			limit := 0.03 // scale 1 has no anti-aliasing
			if scale == 2 {
				limit = 0.012
			}
			if mean := float64(sum) / float64(n); mean > 4 || float64(different) > limit*float64(n) {
				t.Errorf("scale %d, %v: mean difference %.2f, %.2f %% of pixels differ", scale, r, mean, 100*float64(different)/float64(n))
			}
		}
	}
}

// TestJaggedLine promises that a line that goes up and down within a pixel covers as much as in
// render/raster. A strip with mitred corners folds there and leaves gaps.
func TestJaggedLine(t *testing.T) {
	requireDisplay(t)
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	var l render.DrawList
	var points []render.Point
	for i := range 90 {
		points = append(points, render.Point{X: 10 + float32(i), Y: 20 + 40*float32(i%2)}, render.Point{X: 10 + float32(i), Y: 20 + 40*float32(i%2)})
	}
	l.Line(points[:60], 1.5, render.RGB(1, 1, 1))
	l.Line([]render.Point{{X: 60, Y: 10}, {X: 80, Y: 70}, {X: 100, Y: 10}, {X: 100, Y: 10}}, 4, render.RGB(1, 1, 1))
	l.Line([]render.Point{{X: 5, Y: 5}, {X: 5, Y: 5}}, 4, render.RGB(1, 1, 1)) // a line of no length is not drawn
	dst := ebiten.NewImage(120, 80)
	p.DrawOverlay(dst, &l)
	got, want := image.NewRGBA(image.Rect(0, 0, 120, 80)), image.NewRGBA(image.Rect(0, 0, 120, 80))
	dst.ReadPixels(got.Pix)
	raster.DrawOverlay(want, &l)
	if os.Getenv("GPU_PICTURES") != "" {
		savePNG(t, "jagged-gpu.png", got)
		savePNG(t, "jagged-raster.png", want)
	}
	for _, part := range []image.Rectangle{image.Rect(0, 15, 45, 65), image.Rect(50, 0, 120, 80)} {
		var a, b int
		for y := part.Min.Y; y < part.Max.Y; y++ {
			for x := part.Min.X; x < part.Max.X; x++ {
				a += int(got.RGBAAt(x, y).R)
				b += int(want.RGBAAt(x, y).R)
			}
		}
		if ratio := float64(a) / float64(b); ratio < 0.9 || ratio > 1.15 {
			t.Errorf("in %v the line covers %.2f times as much as in render/raster", part, ratio)
		}
	}
}

func diff(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }

func savePNG(t *testing.T, name string, im image.Image) {
	f, err := os.Create(filepath.Join(os.Getenv("GPU_PICTURES"), name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, im); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkMeshes measures the CPU's part of a picture: faces are collected, projected and sorted. The GPU
// does the rest.
func BenchmarkMeshes(b *testing.B) {
	s, cam := testScene()
	for i := range 888 {
		c := s.Cubes[1]
		c.Pose.Pos.X, c.Pose.Pos.Y = float32(i%30)-15, float32(i/30)
		s.Cubes = append(s.Cubes, c)
	}
	lens := cam.Projection(640, 720)
	v := newViewProjection(&lens, image.Rect(0, 0, 640, 720))
	p := &Painter{scale: 1}
	b.ReportAllocs()
	for b.Loop() {
		p.faces.reset()
		p.collectFaces(s, &v)
	}
}
