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

// Renderer says how the window's picture is made.
type Renderer int

// The pictures, from the finest down. Auto begins with the finest and goes down
// while the machine cannot keep up.
const (
	Auto            Renderer = iota
	GPUSupersampled          // by the graphics card, twice as large each way and made smaller
	GPU                      // by the graphics card
	Software                 // by the processor
	SoftwareHalf             // by the processor, half as large each way and made larger
)

// panelWidth is the width of the panel's column, before the display's scale.
const panelWidth = 330

// screen is what is drawn, and how well the machine keeps up with it.
type screen struct {
	w, h      int     // of the window, physical pixels
	scale     float64 // of the display
	requested Renderer
	renderer  Renderer
	lastDraw  time.Time     // of the last Draw
	slowFor   time.Duration // for how long pictures have taken too long

	frame           stage.Frame
	softwarePainter recorder.Painter
	pixels          *image.RGBA
	pixelImage      *ebiten.Image

	// The moment between two ticks: session time, in ticks, by the wall clock
	// and as made.
	ticksMade  float64
	ticksSince time.Time
	rate       float64
	paused     bool

	frames   int    // drawn so far, for a report
	reported layout // in the last report

	tickStart     time.Time     // when the tick began of which no picture has been handed over yet; zero: none
	renderLatency time.Duration // from there to the picture, mean of about ten
}

func (s *screen) setRenderer(p Renderer) {
	s.requested, s.renderer = p, p
	if p == Auto {
		s.renderer = GPUSupersampled
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

// pixelsPerPoint is how many pixels a point of the panel has.
func (s *screen) pixelsPerPoint() float64 { return float64(s.panelScale()) }

func (s *screen) panelScale() int { return max(1, int(math.Round(s.scale))) }

// pictureRect is where the panes are: all but the panel's column.
func (g *game) pictureRect() stage.Rect {
	s := &g.screen
	w := s.w
	if !g.controls.uiHidden {
		w -= s.panelPixels()
	}
	return stage.Rect{W: max(w, 1), H: max(s.h, 1)}
}

// panelPixels is how wide the panel's column is, in pixels.
func (s *screen) panelPixels() int {
	return min(panelWidth*s.panelScale(), s.w/2)
}

func (s *screen) inPicture(x, y int) bool {
	return x >= 0 && y >= 0 && y < s.h && x < s.w-s.panelPixels()
}

// addTicks takes in that n ticks were made.
func (s *screen) addTicks(n, rate int, paused bool) {
	s.rate, s.paused = float64(rate), paused
	s.ticksMade += float64(n)
	// Slow motion and long pauses make the clocks part: begin anew there.
	if ahead := time.Since(s.ticksSince).Seconds()*s.rate - s.ticksMade; n > 0 && math.Abs(ahead) > 2 {
		s.ticksSince, s.ticksMade = time.Now(), 0
	}
}

// measureLatency takes in that a picture has been made.
func (s *screen) measureLatency() {
	if s.tickStart.IsZero() {
		return
	}
	took := time.Since(s.tickStart)
	s.tickStart = time.Time{}
	if s.renderLatency == 0 {
		s.renderLatency = took
	}
	s.renderLatency += (took - s.renderLatency) / 10
}

// tickFraction is how far this moment is from the last tick but one to the last. The
// clock that calls for ticks may be half a tick early or late, so half a tick
// lies between.
func (s *screen) tickFraction(speed float64) float32 {
	if s.paused || speed != 1 {
		return 1
	}
	ahead := time.Since(s.ticksSince).Seconds()*s.rate - s.ticksMade
	return float32(min(max(0.5+ahead, 0), 1))
}

// Draw draws the window.
func (g *game) Draw(dst *ebiten.Image) {
	s := &g.screen
	s.adaptRenderer()
	place := g.pictureRect()
	o := stage.Options{
		NoOverlay: g.controls.uiHidden, Title: g.Title, Input: g.localInputs[0], Footer: g.footer(), Alert: g.alert(), HighlightFocus: true, Callout: g.callout(), RenderLatency: s.renderLatency,
	}
	if g.tapePlaying() {
		o.Input = g.lastInput
	}
	share := s.tickFraction(g.settings().Speed)
	switch s.renderer {
	case Software, SoftwareHalf:
		s.drawSoftware(dst, g, place, o, share)
	default:
		g.stage.Compose(&s.frame, g.lab, place, o, share)
		scale := 1
		if s.renderer == GPUSupersampled {
			scale = 2
		}
		g.painter.Begin(place.W, place.H, scale)
		for i := range s.frame.Viewports {
			v := &s.frame.Viewports[i]
			g.painter.Draw(image.Rect(v.X, v.Y, v.X+v.W, v.Y+v.H), &v.Scene, &v.Camera)
		}
		g.painter.End(dst, place.X, place.Y)
	}
	if !g.controls.uiHidden {
		g.notices.draw(&s.frame.Overlay, place, g)
	}
	if g.controls.helpShown {
		drawHelp(&s.frame.Overlay, place)
	}
	g.painter.DrawOverlay(dst, &s.frame.Overlay)
	if !g.controls.uiHidden {
		g.panel.draw(dst, g)
		g.ui.Draw(dst)
	}
	s.measureLatency()
	g.writeReport(place)
	if g.controls.screenshotDue {
		g.controls.screenshotDue = false
		g.saveScreenshot(dst)
	}
}

// drawSoftware draws the views by the processor; what lies over them stays with
// the graphics card, at full size.
func (s *screen) drawSoftware(dst *ebiten.Image, g *game, place stage.Rect, o stage.Options, share float32) {
	g.stage.Compose(&s.frame, g.lab, place, o, share)
	shrink := 1
	if s.renderer == SoftwareHalf {
		shrink = 2
	}
	size := image.Rect(0, 0, (place.W+shrink-1)/shrink, (place.H+shrink-1)/shrink)
	if s.pixels == nil || s.pixels.Rect != size {
		s.pixels = image.NewRGBA(size)
		if s.pixelImage != nil {
			s.pixelImage.Deallocate()
		}
		s.pixelImage = ebiten.NewImageWithOptions(size, &ebiten.NewImageOptions{Unmanaged: true})
	}
	s.softwarePainter.PaintViews(s.pixels, s.frame.Viewports, shrink)
	s.pixelImage.WritePixels(s.pixels.Pix)
	op := &ebiten.DrawImageOptions{Filter: ebiten.FilterLinear, Blend: ebiten.BlendCopy}
	op.GeoM.Scale(float64(shrink), float64(shrink))
	op.GeoM.Translate(float64(place.X), float64(place.Y))
	dst.DrawImage(s.pixelImage, op)
}

// adaptRenderer goes down a step when pictures take more than 40 ms for a second.
func (s *screen) adaptRenderer() {
	now := time.Now()
	took := now.Sub(s.lastDraw)
	s.lastDraw = now
	if s.requested != Auto || took > time.Second { // hidden, or just begun
		s.slowFor = 0
		return
	}
	if took > 40*time.Millisecond {
		s.slowFor += took
	} else {
		s.slowFor = max(0, s.slowFor-took)
	}
	if s.slowFor > time.Second && s.renderer < SoftwareHalf {
		s.renderer++
		s.slowFor = 0
	}
}

// footer is what stands in the foot: what drives the session.
func (g *game) footer() string {
	if g.tapePlaying() {
		return g.TapeNote + ": a key takes over"
	}
	return "W A S D roll, space lifts, F pushes the server's cube, F1 for all keys"
}

// alert is what stands in the head instead of the weather.
func (g *game) alert() string {
	switch {
	case g.videos.recording():
		return fmt.Sprintf("● recording, %.1f s (R ends it)", float64(len(g.videos.entries))/float64(g.lab.Config().Rate))
	case g.paused:
		return "paused (P goes on, N makes one step)"
	case g.settings().Speed != 1:
		return fmt.Sprintf("at %g of its speed", g.settings().Speed)
	}
	return g.videos.progress()
}

// saveScreenshot writes the window's picture to a file.
func (g *game) saveScreenshot(dst *ebiten.Image) {
	im := image.NewRGBA(dst.Bounds())
	dst.ReadPixels(im.Pix)
	for i := 3; i < len(im.Pix); i += 4 {
		im.Pix[i] = 255
	}
	name := g.unusedFilename("picture", ".png")
	if err := video.WritePNG(name, im); err != nil {
		g.notices.post(err.Error())
		return
	}
	g.notices.post("picture: " + filepath.ToSlash(name))
}
