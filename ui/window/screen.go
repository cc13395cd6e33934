package window

import (
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"ghostcube/internal/atomicfile"
	"ghostcube/render"
	"ghostcube/render/video"
	"ghostcube/ui/hud"
	"ghostcube/ui/platform"
	"ghostcube/ui/recorder"
	"ghostcube/ui/session"
	"ghostcube/ui/stage"
)

// Renderer is a way to draw the window's picture.
type Renderer int

// The renderers, from the finest to the fastest. Auto starts with the finest and steps down while frames take
// too long.
const (
	Auto            Renderer = iota
	GPUSupersampled          // at twice the size along each side, scaled down
	GPU
	Software     // by render/raster on the CPU
	SoftwareHalf // the same at half the size along each side, scaled up
)

// screen draws the frames and measures how well the machine keeps up.
type screen struct {
	session *session.Session
	hidden  bool // panel and overlay
	touched bool // the session is used with fingers

	w, h      int     // of the window, physical pixels
	scale     float64 // of the display, pixels per point
	zoomSteps int     // of texts and controls, from the usual size in textZooms
	pace      pace
	realTime  realTime
	drawTime  time.Duration // of the last Draw, on the CPU

	panelCollapsed  bool // only a button of the panel is left
	compact         bool // the panel is a sheet over the panes
	collapsedBefore bool // panelCollapsed before the window became compact

	frame           hud.Frame
	help            render.DrawList // the list of keys
	softwarePainter recorder.Painter
	rgba            *image.RGBA
	pixelImage      *ebiten.Image

	// For interpolation between two ticks: the ticks made since a moment of the wall clock.
	ticksMade  float64
	ticksSince time.Time
	rate       float64 // ticks per second
	paused     bool

	ready         bool   // the session's first picture has been drawn
	frames        int    // drawn so far
	reported      layout // in the last report
	reportedFocus string
	pausedAt      int // tick of the last frame in which the session was paused

	tickStart     time.Time     // of the first tick since the last frame; zero: none
	renderLatency time.Duration // from there to the finished frame, mean of about ten
}

// LayoutF makes the picture as large as the window in physical pixels.
func (g *game) LayoutF(w, h float64) (float64, float64) {
	s := &g.screen
	scale := ebiten.Monitor().DeviceScaleFactor()
	s.resize(int(math.Ceil(w*scale)), int(math.Ceil(h*scale)), scale)
	return float64(s.w), float64(s.h)
}

// Layout is required by ebiten.Game; Ebitengine calls LayoutF instead.
func (g *game) Layout(w, h int) (int, int) { return w, h }

// panelScale returns the pixels per point of the panel.
func (s *screen) panelScale() int { return max(1, int(math.Round(s.scale))) }

// pictureRect returns the rectangle of the panes: the window without the panel.
func (g *game) pictureRect() stage.Rect {
	s := &g.screen
	return stage.Rect{W: s.panesWidth(), H: max(s.h-g.bar.height()-g.card.bounds().Dy(), 1)}
}

// inPicture reports whether a pixel of the window lies beside the panel.
func (g *game) inPicture(x, y int) bool {
	return x >= 0 && y >= 0 && y < g.screen.h && x < g.screen.panelBounds().Min.X
}

// addTicks counts n ticks made by an Update at a speed of the session.
func (s *screen) addTicks(n, rate int, paused bool, speed float64) {
	if paused {
		speed = 0
	}
	s.realTime.count(time.Now(), n, rate, speed)
	s.rate, s.paused = float64(rate), paused
	s.ticksMade += float64(n)
	// Slow motion, pauses and a busy machine separate the two clocks: start again there.
	if ahead := time.Since(s.ticksSince).Seconds()*s.rate - s.ticksMade; n > 0 && math.Abs(ahead) > 2 {
		s.ticksSince, s.ticksMade = time.Now(), 0
	}
}

// measureLatency measures the time from the last tick to the frame that has just been drawn.
func (s *screen) measureLatency() {
	if s.tickStart.IsZero() {
		return
	}
	elapsed := time.Since(s.tickStart)
	s.tickStart = time.Time{}
	if s.renderLatency == 0 {
		s.renderLatency = elapsed
	}
	s.renderLatency += (elapsed - s.renderLatency) / 10
}

// tickFraction returns the present moment between the previous tick and the last, in [0, 1]. Updates come up
// to half a tick early or late, so the picture is half a tick late.
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
	if !g.splash.over() {
		g.splash.draw(dst, g.painter, s.uiScale())
		return
	}
	start := time.Now()
	s.pace.frame(start, s.drawTime, load{s.w, s.h, len(g.session.Lab.Panes), g.session.Lab.Config().Scene})
	defer func() { s.drawTime = time.Since(start) }()
	picture := g.pictureRect()
	g.drawPanes(dst, picture)
	g.drawOverlay(dst, picture)
	s.measureLatency()
	s.frames++
	g.writeReport(picture)
	if !s.ready {
		s.ready = true
		platform.Ready()
	}
	if g.controls.screenshotDue {
		g.controls.screenshotDue = false
		s.saveScreenshot(dst)
	}
}

// drawPanes composes the frame, and draws the pictures of its panes.
func (g *game) drawPanes(dst *ebiten.Image, picture stage.Rect) {
	s := &g.screen
	o := g.stageOptions(g.session.Title, s.alert())
	o.Best = g.session.Best()
	o.Packet = g.packets.pointed(g)
	shown, l := g.session.Shown()
	shown.Compose(&s.frame, l, picture, o, s.tickFraction(g.session.Settings().Speed))
	if s.pace.renderer == Software || s.pace.renderer == SoftwareHalf {
		s.drawSoftware(dst, picture)
		return
	}
	scale := 1
	if s.pace.renderer == GPUSupersampled {
		scale = 2
	}
	g.painter.Begin(picture.W, picture.H, scale)
	for i := range s.frame.Viewports {
		v := &s.frame.Viewports[i]
		g.painter.Draw(image.Rect(v.X, v.Y, v.X+v.W, v.Y+v.H), &v.Scene, &v.Camera)
	}
	g.painter.End(dst, picture.X, picture.Y)
}

// hide hides panel and overlay, or shows them again.
func (s *screen) hide() {
	if s.hidden = !s.hidden; s.hidden {
		s.session.Notices.Post(hiddenNotice)
	}
}

// notices returns the messages to be shown: while all is hidden only that which says so.
func (s *screen) notices() []string {
	return slices.DeleteFunc(s.session.Notices.Texts(), func(text string) bool { return (text == hiddenNotice) != s.hidden })
}

// noticesRect returns the place of messages: the column of the panes down to the lower edge of the lowest picture, so that they
// cover no figure, and above a net graph.
func (s *screen) noticesRect(picture stage.Rect) stage.Rect {
	bottom := 0
	for i := range s.frame.Viewports {
		v := &s.frame.Viewports[i]
		bottom = max(bottom, v.Y+v.H)
	}
	if g := s.frame.NetGraph; g.H > 0 {
		bottom = min(bottom, g.Y)
	}
	if bottom > picture.Y {
		picture.H = min(picture.H, bottom-picture.Y)
	}
	return picture
}

// hiddenNotice is shown after everything has been hidden.
const hiddenNotice = "panel and texts are hidden: H shows them again"

// drawOverlay draws what is over the pictures, and the controls beside them.
func (g *game) drawOverlay(dst *ebiten.Image, picture stage.Rect) {
	s, over := &g.screen, &g.screen.frame.Overlay
	if g.session.Embed {
		g.embed.draw(over, g.pointer.at)
	}
	s.drawResume(over, picture)
	drawNotices(over, s.notices(), s.noticesRect(picture), s.uiScale())
	g.bar.draw(over, picture)
	g.drawTouch(over)
	g.painter.DrawOverlay(dst, over)
	if !s.bare() {
		g.card.draw(dst, g.painter)
		g.panel.draw(dst, g.painter)
	}
	if g.controls.helpShown {
		s.help.Reset()
		drawHelp(&s.help, helpRows(s.touched, g.session.Remote != nil, g.session.Lab.Watches()), s.helpRect())
		g.painter.DrawOverlay(dst, &s.help)
	}
}

// stageOptions returns the options of the stage for a head with a title and an alert.
func (g *game) stageOptions(title, alert string) hud.Options {
	s := &g.screen
	o := hud.Options{
		NoOverlay: g.screen.hidden, Title: title, Input: g.intents.Inputs[0], Footer: g.session.Footer(), Alert: alert,
		HighlightFocus: true, Callout: g.session.Selection.Callout(),
		Scale: float32(max(s.scale, 1)), TextZoom: s.textZoom(), RenderLatency: s.renderLatency, PaneLabels: g.session.PaneLabels(),
	}
	if g.session.Playing() {
		o.Input = g.session.LastInput
	}
	o.NoKeys = g.screen.touched || g.session.Lab.Watches()
	if g.session.Embed {
		o.HighlightFocus = false
		g.embed.options(&o)
	}
	return o
}

// drawSoftware draws the viewports on the CPU. The GPU draws the overlay later, at full size.
func (s *screen) drawSoftware(dst *ebiten.Image, picture stage.Rect) {
	divisor := 1
	if s.pace.renderer == SoftwareHalf {
		divisor = 2
	}
	size := image.Rect(0, 0, (picture.W+divisor-1)/divisor, (picture.H+divisor-1)/divisor)
	if s.rgba == nil || s.rgba.Rect != size {
		s.rgba = image.NewRGBA(size)
		if s.pixelImage != nil {
			s.pixelImage.Deallocate()
		}
		s.pixelImage = ebiten.NewImageWithOptions(size, &ebiten.NewImageOptions{Unmanaged: true})
	}
	s.softwarePainter.PaintViews(s.rgba, s.frame.Viewports, divisor)
	s.pixelImage.WritePixels(s.rgba.Pix)
	op := &ebiten.DrawImageOptions{Filter: ebiten.FilterLinear, Blend: ebiten.BlendCopy}
	op.GeoM.Scale(float64(divisor), float64(divisor))
	op.GeoM.Translate(float64(picture.X), float64(picture.Y))
	dst.DrawImage(s.pixelImage, op)
}

// label returns the label of a button, without its key where the session is touched.
func (s *screen) label(text string) string {
	if s.touched {
		text, _, _ = strings.Cut(text, " (")
	}
	return text
}

// bare reports whether nothing but the picture is shown.
func (s *screen) bare() bool { return s.hidden || s.session.Embed }

// alert returns what the header shows in red; empty for nothing.
func (s *screen) alert() string {
	slow := s.realTime.note()
	switch {
	case s.session.LostText() != "":
		return s.session.LostText()
	case s.session.Videos.Recording():
		text := s.label(fmt.Sprintf("● recording, %.1f s (R stops)", s.session.Videos.Seconds()))
		if slow != "" {
			text += " · " + slow
		}
		return text
	case s.session.RunUp > 0:
		return s.session.RunUpText()
	case s.session.Paused && s.session.Embed:
		return ""
	case s.session.Paused && s.session.PausedBy != "":
		return s.label("paused: " + s.session.PausedBy + " (P resumes)")
	case s.session.Paused:
		return s.label("paused (P resumes, N steps one tick)")
	case slow == "":
		return s.session.Videos.Progress()
	case s.session.Videos.Progress() != "":
		return slow + " · " + s.session.Videos.Progress()
	case s.pace.coarse():
		return slow + ", coarse picture"
	}
	return slow
}

// saveScreenshot writes the window's picture to a file, opaque.
func (s *screen) saveScreenshot(dst *ebiten.Image) {
	im := image.NewRGBA(dst.Bounds())
	dst.ReadPixels(im.Pix)
	for i := 3; i < len(im.Pix); i += 4 {
		im.Pix[i] = 255
	}
	name := s.session.Files.UnusedName("screenshot", ".png")
	err := os.MkdirAll(filepath.Dir(name), 0o777)
	var f *atomicfile.File
	if err == nil {
		f, err = video.WritePNG(name, im)
	}
	if err == nil {
		err = atomicfile.Commit(f)
	}
	if err != nil {
		s.session.Notices.Post("the screenshot was not saved: " + err.Error())
		return
	}
	s.session.Notices.Post("screenshot: " + platform.Deliver(f.Name()))
}
