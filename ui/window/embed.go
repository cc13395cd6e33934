package window

import (
	"image"

	"github.com/hajimehoshi/ebiten/v2"

	"ghostcube/render"
	"ghostcube/ui/hud"
	"ghostcube/ui/platform"
	"ghostcube/ui/stage"
)

// embed is the layout for a frame in another page: one comparison, without panel, timeline and tour. It shows its first
// picture and runs when it is clicked. It pauses when its tape ends and when it is scrolled out of view, and then draws
// nothing until something happens.
type embed struct {
	still   int // Updates since the session paused
	buttons []embedButton
}

// embedButton is a button in the footer, or the large one over the panes.
type embedButton struct {
	name, label string
	bounds      image.Rectangle // pixels of the window
	press       func(g *game)
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

// bare reports whether nothing but the picture is shown.
func (g *game) bare() bool { return g.controls.uiHidden || g.session.Embed }

// updateEmbed reacts to the pointer, and pauses out of view and at the end of the tape. It reports whether the pointer
// belongs to a button.
func (g *game) updateEmbed() (captured bool) {
	e := &g.embed
	if !platform.Visible() {
		g.session.Paused = true
	}
	g.layEmbed()
	if g.pointer.pressed {
		for _, b := range e.buttons {
			if g.pointer.at.In(b.bounds) {
				b.press(g)
				captured = true
				break
			}
		}
	}
	if g.session.Ended && !g.session.Paused {
		g.session.Next = g.session.Plan
	}
	return captured
}

// restEmbed lets a paused frame rest. It ends an Update.
func (g *game) restEmbed() {
	e := &g.embed
	if e.still++; !g.session.Paused {
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
		ebiten.SetTPS(g.session.Lab.Config().Rate)
	}
}

// layEmbed places the buttons.
func (g *game) layEmbed() {
	e, s := &g.embed, &g.screen
	px := func(points float32) int { return s.pixels(points) }
	e.buttons = e.buttons[:0]
	f := g.embedFont()
	top, bottom := s.h-px(embedFooter)+px(embedMargin), s.h-px(embedMargin)
	width := func(label string) int { return int(f.Width(label)) + 2*px(embedPadding) }
	play := "pause"
	switch {
	case g.session.Ended:
		play = "play again"
	case g.session.Paused:
		play = "play"
	}
	toggle := func(g *game) { g.session.Paused = !g.session.Paused }
	x := px(embedMargin)
	right := x + width("play again") // the widest, so that the others keep their places
	e.buttons = append(e.buttons, embedButton{"play", play, image.Rect(x, top, right, bottom), toggle})
	x = right + px(embedMargin)
	e.buttons = append(e.buttons, embedButton{"reset", "reset", image.Rect(x, top, x+width("reset"), bottom), func(g *game) { g.session.Reset() }})
	if g.session.Host.InPage {
		const label = "open in the lab"
		right := s.w - px(embedMargin)
		e.buttons = append(e.buttons, embedButton{"open", label, image.Rect(right-width(label), top, right, bottom), func(*game) { platform.OpenLab() }})
	}
	if g.session.Paused {
		e.buttons = append(e.buttons, embedButton{"large play", "", image.Rect(0, 0, s.w, s.h-px(embedFooter)), toggle})
	}
}

// embedFont is the font of the buttons.
func (g *game) embedFont() render.Font {
	return render.Font{Size: int(12*g.screen.uiScale() + 0.5), Bold: true}
}

// embedOptions makes room for the buttons in the footer.
func (g *game) embedOptions(o *hud.Options) {
	g.layEmbed()
	o.NoKeys, o.Brief, o.FooterHeight = true, true, g.screen.pixels(embedFooter)
	o.FooterLeft, o.FooterRight = 0, 0
	for _, b := range g.embed.buttons {
		switch b.name {
		case "reset":
			o.FooterLeft = b.bounds.Max.X
		case "open":
			o.FooterRight = g.screen.w - b.bounds.Min.X
		}
	}
}

// drawEmbed draws the buttons. While the session is paused a large one is in the middle of the panes.
func (g *game) drawEmbed(l *render.DrawList) {
	f, scale := g.embedFont(), g.screen.uiScale()
	for _, b := range g.embed.buttons {
		r := b.bounds
		if b.name == "large play" {
			g.drawLargePlay(l, image.Pt((r.Min.X+r.Max.X)/2, g.middleOfPictures(r)), int(embedPlay*scale), scale)
			continue
		}
		c := embedButtonColor
		if g.pointer.at.In(r) {
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
func (g *game) middleOfPictures(r image.Rectangle) int {
	upper, lower := edgesOf(g.screen.frame.Viewports, stage.Rect{Y: r.Min.Y, H: r.Dy()})
	return (upper + lower) / 2
}

// drawLargePlay draws a triangle in a disc.
func (g *game) drawLargePlay(l *render.DrawList, center image.Point, radius int, scale float32) {
	g.touch.disc(l, center, radius, embedPlayColor, scale)
	half := radius * 2 / 5
	for y := -half; y < half; y++ {
		w := (half - abs(y)) * 7 / 4
		l.Rect(float32(center.X-half*2/3), float32(center.Y+y), float32(w), 1, touchLabel)
	}
}
