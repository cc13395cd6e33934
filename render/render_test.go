package render

import (
	"strings"
	"testing"

	"ghostcube/sim/geom"
)

// TestProjection promises that the ray of a pixel leads back to the point that was projected to it, that
// the target is in the centre, that the camera does not roll, and that it stays above the ground.
func TestProjection(t *testing.T) {
	c := Orbit(geom.Vec3{X: 1, Y: 2, Z: 0.5}, 30, 24, 12)
	l := c.Projection(1280, 720)
	if x, y, d := l.Project(c.Target); geom.Abs(x-640) > 0.01 || geom.Abs(y-360) > 0.01 || geom.Abs(d-12) > 1e-4 {
		t.Errorf("the target is at %v, %v, depth %v m", x, y, d)
	}
	for _, p := range []geom.Vec3{{X: 3, Y: 1}, {X: -4, Y: 8, Z: 2}, {X: 0.5, Y: -2, Z: 1}} {
		x, y, d := l.Project(p)
		if got := l.Eye.AddScaled(d, l.Ray(x, y)); got.Sub(p).Len() > 1e-4 {
			t.Errorf("%v is projected to %v, %v, whose ray leads to %v", p, x, y, got)
		}
	}
	if up := l.Up.Z; up < 0.5 || geom.Abs(l.Right.Z) > 1e-6 {
		t.Errorf("the camera rolls: up %v, right %v", l.Up, l.Right)
	}
	if low := Orbit(geom.Vec3{}, 0, -60, 10); low.Eye.Z <= 0 {
		t.Error("the eye is under the ground")
	}
}

// TestFaces promises that the faces towards a point are those whose outer side it is on, that corners have
// the face's normal and its sides, and that clipping keeps only what is beyond the near plane, in its place
// on the face.
func TestFaces(t *testing.T) {
	c := Cube{Pose: geom.Pose{Pos: geom.Vec3{X: 1, Y: 2, Z: 3}, Rot: geom.AxisAngle(geom.Vec3{X: 0.6, Z: 0.8}, 0.7)}, Half: geom.Vec3{X: 0.5, Y: 1, Z: 2}}
	camera := Camera{Eye: geom.Vec3{X: 5, Y: -4, Z: 6}, Target: c.Pose.Pos, FOV: 1}
	if _, n := c.FacesTowardsPoint(c.Pose.Pos); n != 0 {
		t.Errorf("%d faces are visible from the centre", n)
	}
	area := float32(0)
	for _, f := range c.FacesTowards(ToSun) {
		if f.Normal.Dot(ToSun) < 0 || f.Normal.Dot(f.Center.Sub(c.Pose.Pos)) < 0.5-1e-5 {
			t.Errorf("the face %+v faces away", f)
		}
		area += 4 * f.HalfU * f.HalfV
	}
	if geom.Abs(area-4*(0.5*1+1*2+2*0.5)) > 1e-4 {
		t.Errorf("the faces have an area of %v", area)
	}
	clipped := 0
	for near := range 60 { // the eye moves through the cube
		camera.Eye = c.Pose.Pos.AddScaled(3-0.1*float32(near), geom.Vec3{X: 0.48, Y: -0.6, Z: 0.64})
		camera.Target = camera.Eye.Add(geom.Vec3{X: -0.48, Y: 0.6, Z: -0.64})
		p := camera.Projection(640, 360)
		faces, n := c.FacesTowardsPoint(camera.Eye)
		for _, f := range faces[:n] {
			if f.Normal.Dot(camera.Eye.Sub(f.Center)) <= 0 {
				t.Errorf("a face is seen from behind")
			}
			corners, n := p.ClipFace(&f)
			if n != 4 {
				clipped++
			}
			for _, q := range corners[:n] {
				want := f.Center.AddScaled(q.U*f.HalfU, f.U).AddScaled(q.V*f.HalfV, f.V)
				if p.Depth(q.Pos) < NearPlane-1e-5 || q.Pos.Sub(want).Len() > 1e-4 || max(geom.Abs(q.U), geom.Abs(q.V)) > 1+1e-5 {
					t.Errorf("the corner %+v, want it at %v", q, want)
				}
			}
		}
	}
	if clipped < 10 {
		t.Errorf("only %d faces were clipped", clipped)
	}
}

// TestText promises that the measured width of a text is that of its letters as laid out, that Truncate
// keeps to a width, and that letters outside of the atlas have a replacement.
func TestText(t *testing.T) {
	for _, f := range []Font{{Size: 13}, {Size: 13, Bold: true}, {Size: 40}, {Size: 1000}, {Size: 1}} {
		if f.Width("") != 0 || f.Width("WW") <= f.Width("ii") || f.Height() <= f.Ascent() {
			t.Errorf("%+v: widths %v %v, height %v", f, f.Width("WW"), f.Width("ii"), f.Height())
		}
		right := 0
		f.Layout(100, 50, "Ghostcube ±1 m", func(g *Glyph, x, y int) {
			right = max(right, x+g.Bounds.Dx())
			if !g.Bounds.In(Atlas().Rect) {
				t.Errorf("a letter lies outside the atlas: %v", g.Bounds)
			}
		})
		if got := float32(right - 100); geom.Abs(got-f.Width("Ghostcube ±1 m")) > 0.1*float32(f.face().size)+2 {
			t.Errorf("%+v: drawn %v wide, measured %v", f, got, f.Width("Ghostcube ±1 m"))
		}
	}
	f := Font{Size: 14}
	long := "25 % of all packets lost, before and after"
	if got := f.Truncate(long, 120); !strings.HasSuffix(got, "…") || f.Width(got) > 120 || !strings.HasPrefix(long, strings.TrimSuffix(got, "…")) {
		t.Errorf("truncated to %q", got)
	}
	if f.Truncate(long, 1000) != long || f.Truncate(long, 3) != "" {
		t.Error("a text that fits is changed, or one letter is left of one that does not")
	}
	if f.Width("日") != f.Width("?") {
		t.Error("a letter outside of the atlas has no replacement")
	}
}

// TestDrawList promises that lines keep their points while more are added, and that a line of one point is
// none.
func TestDrawList(t *testing.T) {
	var l DrawList
	for i := range 50 {
		l.Line([]Point{{X: float32(i)}, {X: float32(i), Y: 1}}, 1, Color{})
	}
	l.Line([]Point{{}}, 1, Color{})
	for i, it := range l.Items {
		if it.Points[0].X != float32(i) || len(it.Points) != 2 {
			t.Fatalf("line %d: %v", i, it.Points)
		}
	}
	if len(l.Items) != 50 {
		t.Errorf("%d lines", len(l.Items))
	}
}

// TestColor holds clamping, rounding and alpha.
func TestColor(t *testing.T) {
	if RGB(2, -1, 0.5) != (Color{255, 0, 128, 255}) {
		t.Error(RGB(2, -1, 0.5))
	}
	if got := RGB(1, 0, 0).Mix(RGB(0, 0, 1), 0.5); got.R != 128 || got.B != 128 {
		t.Error(got)
	}
	if RGB(1, 1, 1).ScaleAlpha(0.5).A != 128 {
		t.Error(RGB(1, 1, 1).ScaleAlpha(0.5))
	}
}

// TestOrbit promises that yaw turns the camera counter-clockwise from looking along +y, that pitch tilts it
// down, and that the target is at its distance.
func TestOrbit(t *testing.T) {
	target := geom.Vec3{X: 2, Y: -3, Z: 1}
	for _, c := range []struct {
		yaw, pitch float32
		want       geom.Vec3 // direction of the view
	}{
		{0, 0, geom.Vec3{Y: 1}},
		{90, 0, geom.Vec3{X: -1}},
		{-90, 0, geom.Vec3{X: 1}},
		{180, 0, geom.Vec3{Y: -1}},
		{0, 30, geom.Vec3{Y: 0.8660254, Z: -0.5}},
		{90, 30, geom.Vec3{X: -0.8660254, Z: -0.5}},
	} {
		o := Orbit(target, c.yaw, c.pitch, 4)
		if got := target.Sub(o.Eye).Scale(0.25); got.Sub(c.want).Len() > 1e-5 {
			t.Errorf("yaw %v, pitch %v looks along %v, want %v", c.yaw, c.pitch, got, c.want)
		}
	}
}

// TestBorder promises that a border covers the edge of its rectangle, each pixel once.
func TestBorder(t *testing.T) {
	var l DrawList
	l.Border(10, 20, 8, 6, 2, Color{A: 255})
	covered := map[[2]int]int{}
	for _, it := range l.Items {
		for y := int(it.Y); y < int(it.Y+it.H); y++ {
			for x := int(it.X); x < int(it.X+it.W); x++ {
				covered[[2]int{x, y}]++
			}
		}
	}
	for y := 15; y < 30; y++ {
		for x := 5; x < 25; x++ {
			inside := x >= 10 && x < 18 && y >= 20 && y < 26
			want := 0
			if inside && (x < 12 || x >= 16 || y < 22 || y >= 24) {
				want = 1
			}
			if n := covered[[2]int{x, y}]; n != want {
				t.Errorf("pixel %d, %d is covered %d times, want %d", x, y, n, want)
			}
		}
	}
}

// TestBreak promises that a line has as many words as fit, at least one, and that nothing is lost.
func TestBreak(t *testing.T) {
	f := Font{Size: 13}
	width := f.Width("one, two, three")
	for _, c := range []struct {
		text       string
		width      float32
		line, rest string
	}{
		{"one, two, three, four", width, "one, two, three", "four"}, {"one, two, three", width, "one, two, three", ""},
		{"one, two, three", width - 1, "one, two", "three"}, {"one, two", 1, "one", "two"}, {"one", 1, "one", ""}, {"", 9, "", ""},
	} {
		if line, rest := f.Break(c.text, ", ", c.width); line != c.line || rest != c.rest {
			t.Errorf("%q in %v pixels: %q, %q", c.text, c.width, line, rest)
		}
	}
}

// TestFit promises that a beginning of a text is the longest that fits with the ellipsis, without a space at its end.
func TestFit(t *testing.T) {
	f := Font{Size: 13}
	const text = "mean 0.25 m, ±3 % of 7"
	for width := float32(-2); width < f.Width(text)+2; width += 0.5 {
		want := ""
		for n := range text {
			if kept := strings.TrimRight(text[:n], " "); n > 0 && f.Width(kept+Ellipsis) <= width {
				want = kept
			}
		}
		if f.Width(text) <= width {
			want = text
		}
		if got := f.Fit(text, width); got != want {
			t.Errorf("in %v pixels %q, want %q", width, got, want)
		}
	}
}

// TestTexts promises that the texts and points of a draw list are its own: neither the text that was given, nor
// items of another list, nor later texts change them before Reset.
func TestTexts(t *testing.T) {
	var a, b DrawList
	given := []byte("given")
	var texts Texts
	kept := texts.Keep(given)
	given[0] = 'x'
	a.Text(1, 2, Font{}, Color{}, kept)
	a.Line([]Point{{1, 2}, {3, 4}}, 1, Color{})
	b.Append(&a)
	a.Reset()
	texts.Reset()
	texts.Keep([]byte("other"))
	for range 100 {
		a.Text(0, 0, Font{}, Color{}, "another text")
		b.Text(0, 0, Font{}, Color{}, "a third")
	}
	a.Line([]Point{{9, 9}, {9, 9}}, 1, Color{})
	if b.Items[0].Text != "given" || b.Items[1].Points[1] != (Point{3, 4}) || len(b.Items) != 102 {
		t.Errorf("%+v", b.Items[:2])
	}
}
