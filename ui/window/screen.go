package window

import (
	"fmt"
	"image"
	"math"
	"path/filepath"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"ghostcube/render/video"
	"ghostcube/ui/recorder"
	"ghostcube/ui/stage"
)

// Picture says how the window's picture is made.
type Picture int

// The pictures, from the finest down. Auto begins with the finest and goes down
// while the machine cannot keep up.
const (
	Auto     Picture = iota
	Fine             // by the graphics card, twice as large each way and made smaller
	Plain            // by the graphics card
	Software         // by the processor
	Coarse           // by the processor, half as large each way and made larger
)

// panelWidth is the width of the panel's column, before the display's scale.
const panelWidth = 330

// screen is what is drawn, and how well the machine keeps up with it.
type screen struct {
	w, h    int     // of the window, physical pixels
	scale   float64 // of the display
	wished  Picture
	picture Picture
	last    time.Time     // of the last Draw
	slow    time.Duration // for how long pictures have taken too long

	frame    stage.Frame
	software recorder.Painter
	buffer   *image.RGBA
	upload   *ebiten.Image

	// The moment between two ticks: session time, in ticks, by the wall clock
	// and as made.
	ticks  float64
	anchor time.Time
	rate   float64
	still  bool

	began time.Time     // when the tick began of which no picture has been handed over yet; zero: none
	took  time.Duration // from there to the picture, mean of about ten
}

func (s *screen) begin(p Picture) {
	s.wished, s.picture = p, p
	if p == Auto {
		s.picture = Fine
	}
}

// LayoutF makes a pixel of ours one of the display's.
func (g *game) LayoutF(w, h float64) (float64, float64) {
	s := &g.screen
	s.scale = ebiten.Monitor().DeviceScaleFactor()
	s.w, s.h = int(math.Ceil(w*s.scale)), int(math.Ceil(h*s.scale))
	return float64(s.w), float64(s.h)
}

// Layout is asked only where LayoutF is not there.
func (g *game) Layout(w, h int) (int, int) { return w, h }

// density is how many pixels a point of the panel has.
func (s *screen) density() float64 { return float64(s.panelScale()) }

func (s *screen) panelScale() int { return max(1, int(math.Round(s.scale))) }

// picturePlace is where the panes are: all but the panel's column.
func (g *game) picturePlace() stage.Place {
	s := &g.screen
	w := s.w
	if !g.hand.bare {
		w -= s.panelColumn()
	}
	return stage.Place{W: max(w, 1), H: max(s.h, 1)}
}

// panelColumn is how wide the panel's column is, in pixels.
func (s *screen) panelColumn() int {
	return min(panelWidth*s.panelScale(), s.w/2)
}

func (s *screen) inPicture(x, y int) bool {
	return x >= 0 && y >= 0 && y < s.h && x < s.w-s.panelColumn()
}

// ticked takes in that n ticks were made.
func (s *screen) ticked(n, rate int, paused bool) {
	s.rate, s.still = float64(rate), paused
	s.ticks += float64(n)
	// Slow motion and long pauses make the clocks part: begin anew there.
	if ahead := time.Since(s.anchor).Seconds()*s.rate - s.ticks; n > 0 && math.Abs(ahead) > 2 {
		s.anchor, s.ticks = time.Now(), 0
	}
}

// handed takes in that a picture has been made.
func (s *screen) handed() {
	if s.began.IsZero() {
		return
	}
	took := time.Since(s.began)
	s.began = time.Time{}
	if s.took == 0 {
		s.took = took
	}
	s.took += (took - s.took) / 10
}

// share is how far this moment is from the last tick but one to the last. The
// clock that calls for ticks may be half a tick early or late, so half a tick
// lies between.
func (s *screen) share(speed float64) float32 {
	if s.still || speed != 1 {
		return 1
	}
	ahead := time.Since(s.anchor).Seconds()*s.rate - s.ticks
	return float32(min(max(0.5+ahead, 0), 1))
}

// Draw draws the window.
func (g *game) Draw(dst *ebiten.Image) {
	s := &g.screen
	s.pace()
	place := g.picturePlace()
	o := stage.Options{
		Bare: g.hand.bare, Title: g.Title, Keys: g.held[0], Note: g.note(), Alert: g.alert(), Focus: true, Mark: g.picked(), Picture: s.took,
	}
	if g.playing() {
		o.Keys = g.given
	}
	share := s.share(g.lab.Display().Speed)
	switch s.picture {
	case Software, Coarse:
		s.drawSoftware(dst, g, place, o, share)
	default:
		g.stage.Compose(&s.frame, g.lab, place, o, share)
		scale := 1
		if s.picture == Fine {
			scale = 2
		}
		g.painter.Begin(place.W, place.H, scale)
		for i := range s.frame.Views {
			v := &s.frame.Views[i]
			g.painter.Draw(image.Rect(v.X, v.Y, v.X+v.W, v.Y+v.H), &v.Scene, &v.Camera)
		}
		g.painter.End(dst, place.X, place.Y)
	}
	if !g.hand.bare {
		g.notices.draw(&s.frame.List, place, g)
	}
	if g.hand.help {
		drawHelp(&s.frame.List, place)
	}
	g.painter.Over(dst, &s.frame.List)
	if !g.hand.bare {
		g.panel.draw(dst, g)
		g.ui.Draw(dst)
	}
	s.handed()
	if g.hand.shoot {
		g.hand.shoot = false
		g.photograph(dst)
	}
}

// drawSoftware draws the views by the processor; what lies over them stays with
// the graphics card, at full size.
func (s *screen) drawSoftware(dst *ebiten.Image, g *game, place stage.Place, o stage.Options, share float32) {
	g.stage.Compose(&s.frame, g.lab, place, o, share)
	shrink := 1
	if s.picture == Coarse {
		shrink = 2
	}
	size := image.Rect(0, 0, (place.W+shrink-1)/shrink, (place.H+shrink-1)/shrink)
	if s.buffer == nil || s.buffer.Rect != size {
		s.buffer = image.NewRGBA(size)
		if s.upload != nil {
			s.upload.Deallocate()
		}
		s.upload = ebiten.NewImageWithOptions(size, &ebiten.NewImageOptions{Unmanaged: true})
	}
	s.software.PaintViews(s.buffer, s.frame.Views, shrink)
	s.upload.WritePixels(s.buffer.Pix)
	op := &ebiten.DrawImageOptions{Filter: ebiten.FilterLinear, Blend: ebiten.BlendCopy}
	op.GeoM.Scale(float64(shrink), float64(shrink))
	op.GeoM.Translate(float64(place.X), float64(place.Y))
	dst.DrawImage(s.upload, op)
}

// pace goes down a step when pictures take more than 40 ms for a second.
func (s *screen) pace() {
	now := time.Now()
	took := now.Sub(s.last)
	s.last = now
	if s.wished != Auto || took > time.Second { // hidden, or just begun
		s.slow = 0
		return
	}
	if took > 40*time.Millisecond {
		s.slow += took
	} else {
		s.slow = max(0, s.slow-took)
	}
	if s.slow > time.Second && s.picture < Coarse {
		s.picture++
		s.slow = 0
	}
}

// note is what stands in the foot: what drives the session.
func (g *game) note() string {
	if g.playing() {
		return g.Note + ": a key takes over"
	}
	return "W A S D roll, space lifts, F pushes the server's cube, F1 for all keys"
}

// alert is what stands in the head instead of the weather.
func (g *game) alert() string {
	switch {
	case g.takes.recording():
		return fmt.Sprintf("● recording, %.1f s (R ends it)", float64(len(g.takes.entries))/float64(g.lab.Config().Rate))
	case g.paused:
		return "paused (P goes on, N makes one step)"
	case g.lab.Display().Speed != 1:
		return fmt.Sprintf("at %g of its speed", g.lab.Display().Speed)
	}
	return g.takes.progress()
}

// photograph writes the window's picture to a file.
func (g *game) photograph(dst *ebiten.Image) {
	im := image.NewRGBA(dst.Bounds())
	dst.ReadPixels(im.Pix)
	for i := 3; i < len(im.Pix); i += 4 {
		im.Pix[i] = 255
	}
	name := g.unused("picture", ".png")
	if err := video.WritePNG(name, im); err != nil {
		g.notices.say(err.Error())
		return
	}
	g.notices.say("picture: " + filepath.ToSlash(name))
}
