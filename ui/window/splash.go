package window

import (
	"image"

	"github.com/hajimehoshi/ebiten/v2"

	"ghostcube/render"
	"ghostcube/render/gpu"
)

// splash is the picture of a window that starts. It uses none of the scene's shaders, because a graphics driver compiles
// them in the first frame that uses them, which may take seconds.
type splash struct {
	frames int // drawn so far
	list   render.DrawList
}

// splashFrames is the number of frames of the splash. The driver may show the first one only when the second is drawn.
const splashFrames = 2

// over reports whether the session follows.
func (s *splash) over() bool { return s.frames >= splashFrames }

// draw draws the splash. scale is in pixels per point.
func (s *splash) draw(dst *ebiten.Image, painter *gpu.Painter, scale float32) {
	s.frames++
	s.list.Reset()
	drawSplash(&s.list, dst.Bounds(), scale)
	painter.DrawOverlay(dst, &s.list)
}

// drawSplash draws the program's name and that it starts into the middle of a window.
func drawSplash(l *render.DrawList, window image.Rectangle, scale float32) {
	name, note := render.Font{Size: int(44*scale + 0.5), Bold: true}, render.Font{Size: int(18*scale + 0.5)}
	l.Rect(float32(window.Min.X), float32(window.Min.Y), float32(window.Dx()), float32(window.Dy()), render.Color{R: 24, G: 28, B: 34, A: 255})
	middle := image.Pt(window.Min.X+window.Dx()/2, window.Min.Y+window.Dy()/2)
	center := func(f render.Font, y float32, c render.Color, text string) {
		l.Text(float32(middle.X)-float32(int(f.Width(text)/2)), y, f, c, text)
	}
	y := float32(middle.Y)
	center(name, y, render.Color{R: 222, G: 228, B: 235, A: 255}, "Ghostcube")
	center(note, y+float32(int(note.Height()*1.6)), render.Color{R: 150, G: 159, B: 170, A: 255}, "starting")
}
