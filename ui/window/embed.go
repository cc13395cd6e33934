package window

import (
	"image"

	"github.com/hajimehoshi/ebiten/v2"

	"ghostcube/render"
	"ghostcube/ui/hud"
	"ghostcube/ui/platform"
	"ghostcube/ui/session"
	"ghostcube/ui/stage"
)

// embed is the layout for a frame in another page: one comparison, without panel, timeline and tour. It shows its first
// picture and runs when it is clicked. It pauses when its tape ends and when it is scrolled out of view, and then draws
// nothing until something happens.
type embed struct {
	session *session.Session
	screen  *screen
	knobs   *liveKnobs

	still   int // Updates since the session paused
	buttons []embedButton
}

// embedButton is a button in the footer, or the large one over the panes.
type embedButton struct {
	name, label string
	bounds      image.Rectangle // pixels of the window
	press       func()
}

// embedMemory is the memory in bytes from which the garbage collector should work harder: an article may have several
// frames.
const embedMemory = 160 << 20

// stillUpdates is the number of Updates after which a paused frame is drawn only when something happens. Until then the
// picture has settled.
const stillUpdates = 30

// Sizes of the embedded layout, in points.
const (
	embedFooter  = 34
	embedMargin  = 4
	embedPadding = 11
	embedPlay    = 34 // radius of the large button
)

// update reacts to the pointer, and pauses out of view and at the end of the tape. It reports whether the pointer
// belongs to a button.
func (e *embed) update(p *pointer) (captured bool) {
	if !platform.Visible() {
		e.session.Paused = true
	}
	e.lay()
	if p.pressed {
		for _, b := range e.buttons {
			if p.at.In(b.bounds) {
				b.press()
				captured = true
				break
			}
		}
	}
	if e.session.Ended && !e.session.Paused {
		e.session.Next = e.session.Plan
		e.knobs.carry()
	}
	return captured
}

// rest lets a paused frame rest. It ends an Update.
func (e *embed) rest() {
	if e.still++; !e.session.Paused {
		e.still = 0
	}
	//lint:ignore SA1019 nothing else stops the frames
	mode := ebiten.FPSModeVsyncOn
	if e.still > stillUpdates {
		//lint:ignore SA1019 nothing else stops the frames
		mode = ebiten.FPSModeVsyncOffMinimum
	}
	//lint:ignore SA1019 nothing else stops the frames
	if ebiten.FPSMode() != mode {
		//lint:ignore SA1019 nothing else stops the frames
		ebiten.SetFPSMode(mode)
		ebiten.SetTPS(e.session.Lab.Config().Rate)
	}
}

// lay places the buttons.
func (e *embed) lay() {
	s := e.screen
	px := func(points float32) int { return s.pixels(points) }
	e.buttons = e.buttons[:0]
	f := e.font()
	top, bottom := s.h-px(embedFooter)+px(embedMargin), s.h-px(embedMargin)
	width := func(label string) int { return int(f.Width(label)) + 2*px(embedPadding) }
	play := "pause"
	switch {
	case e.session.Ended:
		play = "play again"
	case e.session.Paused:
		play = "play"
	}
	toggle := func() { e.session.Paused = !e.session.Paused }
	x := px(embedMargin)
	right := x + width("play again") // the widest, so that the others keep their places
	e.buttons = append(e.buttons, embedButton{"play", play, image.Rect(x, top, right, bottom), toggle})
	x = right + px(embedMargin)
	e.buttons = append(e.buttons, embedButton{"reset", "reset", image.Rect(x, top, x+width("reset"), bottom), e.session.Reset})
	if e.session.Platform.InPage {
		const label = "open in the lab"
		right := s.w - px(embedMargin)
		e.buttons = append(e.buttons, embedButton{"open", label, image.Rect(right-width(label), top, right, bottom), platform.OpenLab})
	}
	if e.session.Paused {
		e.buttons = append(e.buttons, embedButton{"large play", "", image.Rect(0, 0, s.w, s.h-px(embedFooter)), toggle})
	}
}

// font is the font of the buttons.
func (e *embed) font() render.Font {
	return render.Font{Size: int(12*e.screen.uiScale() + 0.5), Bold: true}
}

// options makes room for the buttons in the footer.
func (e *embed) options(o *hud.Options) {
	e.lay()
	o.NoKeys, o.Brief, o.FooterHeight = true, true, e.screen.pixels(embedFooter)
	o.FooterLeft, o.FooterRight = 0, 0
	for _, b := range e.buttons {
		switch b.name {
		case "reset":
			o.FooterLeft = b.bounds.Max.X
		case "open":
			o.FooterRight = e.screen.w - b.bounds.Min.X
		}
	}
}

// draw draws the buttons. While the session is paused a large one is in the middle of the panes.
func (e *embed) draw(l *render.DrawList, pointer image.Point) {
	f, scale := e.font(), e.screen.uiScale()
	for _, b := range e.buttons {
		r := b.bounds
		if b.name == "large play" {
			drawLargePlay(l, image.Pt((r.Min.X+r.Max.X)/2, e.middleOfPictures(r)), int(embedPlay*scale), scale)
			continue
		}
		c := embedButtonColor
		if pointer.In(r) {
			c = embedHoverColor
		}
		l.Rect(float32(r.Min.X), float32(r.Min.Y), float32(r.Dx()), float32(r.Dy()), c)
		base := float32(r.Min.Y) + float32(r.Dy())/2 + float32(f.Size)*0.36
		l.Text(float32(int(float32(r.Min.X)+(float32(r.Dx())-f.Width(b.label))/2)), float32(int(base)), f, touchLabel, b.label)
	}
}

// The colours of the buttons.
var (
	embedButtonColor = render.Color{R: 44, G: 50, B: 60, A: 255}
	embedHoverColor  = render.Color{R: 72, G: 82, B: 97, A: 255}
	embedPlayColor   = render.Color{R: 16, G: 20, B: 26, A: 205}
)

// middleOfPictures returns the line in the middle of the panes' pictures.
func (e *embed) middleOfPictures(r image.Rectangle) int {
	upper, lower := edgesOf(e.screen.frame.Viewports, stage.Rect{Y: r.Min.Y, H: r.Dy()})
	return (upper + lower) / 2
}

// drawLargePlay draws a triangle in a disc.
func drawLargePlay(l *render.DrawList, center image.Point, radius int, scale float32) {
	disc(l, center, radius, embedPlayColor, scale)
	half := radius * 2 / 5
	for y := -half; y < half; y++ {
		w := (half - abs(y)) * 7 / 4
		l.Rect(float32(center.X-half*2/3), float32(center.Y+y), float32(w), 1, touchLabel)
	}
}
