package window

import (
	"image"

	"github.com/hajimehoshi/ebiten/v2"

	"ghostcube/render"
	"ghostcube/render/raster"
)

// splash is the picture of a window whose session is being made. It is drawn on the CPU, because a graphics driver
// compiles the shaders of the first frame that uses them, which may take seconds.
type splash struct {
	image  *ebiten.Image
	frames int // drawn so far
}

// splashFrames is the number of frames to draw before the session is made. The driver may show the first one only when
// the second is drawn.
const splashFrames = 2

// draw draws the splash. scale is in pixels per point.
func (s *splash) draw(dst *ebiten.Image, scale float32) {
	s.frames++
	if s.image == nil || s.image.Bounds() != dst.Bounds() {
		picture := image.NewRGBA(dst.Bounds())
		var l render.DrawList
		drawSplash(&l, picture.Rect, scale)
		raster.DrawOverlay(picture, &l)
		s.image = ebiten.NewImage(picture.Rect.Dx(), picture.Rect.Dy())
		s.image.WritePixels(picture.Pix)
	}
	dst.DrawImage(s.image, nil)
}

// close frees the picture.
func (s *splash) close() {
	if s.image != nil {
		s.image.Deallocate()
		s.image = nil
	}
}

// drawSplash draws the program's name and what it does into the middle of a window.
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
