package window

import (
	"fmt"
	"image"
	"strings"

	"github.com/hajimehoshi/ebiten/v2"

	"ghostcube/predict/score"
	"ghostcube/render"
	"ghostcube/render/gpu"
	"ghostcube/ui/hud"
	"ghostcube/ui/plan"
	"ghostcube/ui/session"
	"ghostcube/ui/tour"
	"ghostcube/ui/widget"
)

// tourCard is the lesson in progress and its card, a strip below the panes, which covers none of them.
type tourCard struct {
	session *session.Session
	lesson  *session.Lesson // of the session
	screen  *screen
	panel   *panel

	texts, figures widget.UI // the left and the right part of the card
	layout         cardLayout
}

// cardLayout are the lines of a card for a width and a scale, so that they are measured once.
type cardLayout struct {
	lesson          *plan.Lesson
	width, window   int     // of the card and of the window's height, pixels
	wanted          float32 // scale of all texts
	scale           float32 // of the card's
	title, look, do []string
	after           []string
	stacked         bool // the figures stand below the texts, and not beside them
	texts, figures  int  // heights of the two parts, pixels
	height          int  // of the card, pixels
}

// Sizes of the card, in points.
const (
	cardFont       = 14
	cardLine       = 18
	cardPadding    = 8
	cardShare      = 0.6 // of its width, for the texts
	minFigureWidth = 330
	minCardWidth   = 700 // with texts and figures beside each other
	offerHeight    = 36

	maxCardShare   = 0.47 // of the window's height
	largeCardShare = 0.33 // the same of one whose texts are larger than usual
)

// The colours of the card, besides those of the widgets.
var (
	cardTextColor = render.Color{R: 222, G: 228, B: 235, A: 255}
	cardDoColor   = render.Color{R: 255, G: 190, B: 110, A: 255}
	cardDimColor  = render.Color{R: 150, G: 159, B: 170, A: 255}
)

// tourKey handles the keys of the tour: F2, with Shift or without, and F3.
func (g *game) tourKey(key int, shift bool) {
	switch {
	case key == 1:
		g.session.Lesson.Leave()
	case shift:
		g.session.Lesson.GoTo(-1)
	default:
		g.session.Lesson.GoTo(1)
	}
}

// bounds returns the place of the card: the lower end of the panes' column, below the timeline. It is empty
// without a card.
func (c *tourCard) bounds() image.Rectangle {
	s := c.screen
	if !c.lesson.Shown() || s.bare() || s.h == 0 {
		return image.Rectangle{}
	}
	w := s.panesWidth()
	h := int(offerHeight * s.uiScale())
	if s.touched {
		h += s.pixels(touchRowGrowth)
	}
	if c.lesson.Run != nil {
		h = c.measure(w, s.uiScale())
	}
	h = min(h, int(float32(s.h)*maxCardShare))
	return image.Rect(0, s.h-h, w, s.h)
}

// measure lays out the texts of the lesson in progress for a width in pixels, and returns the height of its card. The
// height is that of the longer text, so the panes keep their size when the lesson goes on. Where texts larger than usual
// would leave the panes too little of the window, those of the card are smaller than all others.
func (c *tourCard) measure(width int, scale float32) int {
	t, h := &c.layout, c.screen.h
	if t.lesson == c.lesson.Run.Lesson && t.width == width && t.wanted == scale && t.window == h {
		return t.height
	}
	usual := min(scale/c.screen.textZoom(), scale)
	for use := scale; ; use = max(use-0.1*usual, usual) {
		c.layOut(width, use)
		if use == usual || float32(t.height) <= float32(h)*largeCardShare {
			break
		}
	}
	t.wanted, t.window = scale, h
	return t.height
}

// layOut lays out the texts of the lesson in progress for a width in pixels and a scale.
func (c *tourCard) layOut(width int, scale float32) {
	t, x := &c.layout, c.lesson.Run.Lesson
	*t = cardLayout{lesson: x, width: width, scale: scale, stacked: float32(width) < minCardWidth*scale}
	f, bold := c.font(scale, false), c.font(scale, true)
	room := float32(c.split(width, scale)) - (2*cardPadding+6)*scale
	t.title = bold.Wrap(strings.Fields(x.Title), " ", room-50*scale)
	t.look = f.Wrap(strings.Fields(x.Look), " ", room)
	t.do = bold.Wrap(strings.Fields(x.Do), " ", room)
	t.after = f.Wrap(strings.Fields("Done. "+x.After), " ", room)
	lines := len(t.title) + len(t.do) + max(len(t.look), len(t.after))
	t.texts = int((float32(lines)*cardLine + 28) * scale)              // two gaps and the margins of the widgets
	t.figures = int((float32(len(x.Figures)+2)*cardLine + 46) * scale) // the buttons and these margins
	t.height = max(t.texts, t.figures)
	if t.stacked {
		t.height = t.texts + t.figures
	}
}

// scale returns the pixels per point of the card.
func (c *tourCard) scale() float32 {
	if c.lesson.Run != nil {
		return c.layout.scale
	}
	return c.screen.uiScale()
}

func (c *tourCard) font(scale float32, bold bool) render.Font {
	return render.Font{Size: int(cardFont*scale + 0.5), Bold: bold}
}

// split returns the width of the texts of a card, in pixels.
func (c *tourCard) split(width int, scale float32) int {
	if c.layout.stacked {
		return width
	}
	return max(min(int(float32(width)*cardShare), width-int(minFigureWidth*scale)), width/2)
}

// build lays out the card and reacts to its buttons.
func (c *tourCard) build(in widget.Input) {
	s := c.screen
	c.texts.Frame.Reset()
	c.texts.Body.Reset()
	c.figures.Frame.Reset()
	c.figures.Body.Reset()
	c.figures.Popup.Reset()
	bounds := c.bounds()
	if bounds.Empty() {
		return
	}
	window := image.Rect(0, 0, s.w, s.h)
	left, right := bounds, bounds
	if c.lesson.Run != nil && c.layout.stacked {
		left.Max.Y = bounds.Max.Y - min(c.layout.figures, bounds.Dy()*2/3)
		right.Min.Y = left.Max.Y
	} else {
		left.Max.X = bounds.Min.X + c.split(bounds.Dx(), c.scale())
		right.Min.X = left.Max.X
	}
	for _, u := range []*widget.UI{&c.texts, &c.figures} {
		u.OnPlace = func(name string, r image.Rectangle) { c.panel.controls = append(c.panel.controls, control{name, r}) }
		u.TooltipDelay, u.Touch = c.panel.ui.TooltipDelay, s.touched
	}
	scale := c.scale()
	c.texts.Update(in, window, left, scale, func() {
		c.figures.Update(in, window, right, scale, func() {
			if c.lesson.Run == nil {
				c.buildOffer()
			} else {
				c.buildLesson()
			}
		})
	})
}

// buildOffer offers the tour in a line.
func (c *tourCard) buildOffer() {
	list, err := c.session.Library.Lessons()
	if err != nil {
		c.lesson.Offered = false
		return
	}
	offer, start := fmt.Sprintf("New here? %d short lessons show one idea each.", len(list)), c.screen.label("start the tour (F2)")
	if c.screen.compact {
		offer, start = fmt.Sprintf("%d short lessons:", len(list)), "start"
	}
	c.texts.Text(c.texts.Next(24), offer, false, widget.Left)
	r := c.figures.Next(24)
	if c.figures.Button("tour start", c.figures.Split(r, 2, 0), start, "Start the first lesson. This session ends.") {
		c.lesson.GoTo(1)
	}
	if c.figures.Button("tour not now", c.figures.Split(r, 2, 1), "not now", "Hide this line. F2 starts the tour at any time.") {
		c.lesson.Offered = false
	}
}

// buildLesson lays out the card of the lesson in progress: words on the left, figures and buttons on the right.
func (c *tourCard) buildLesson() {
	x, t := c.lesson.Run.Lesson, &c.layout
	list, err := c.session.Library.Lessons()
	if err != nil {
		return // the lesson is one of them
	}
	i := c.lesson.Index(list)
	u := &c.texts
	u.Scroll("lesson "+x.Name, func() {
		for k, s := range t.title {
			if k == 0 {
				s = fmt.Sprintf("%d/%d  %s", i+1, len(list), s)
			}
			c.line(u, s, true, cardTextColor)
		}
		u.Space(4)
		if c.lesson.Run.Phase == tour.Before {
			c.lines(u, t.look, false, cardTextColor)
			u.Space(4)
			c.lines(u, t.do, true, cardDoColor)
		} else {
			c.lines(u, t.do, false, cardDimColor)
			u.Space(4)
			c.lines(u, t.after, false, cardTextColor)
		}
	})
	c.panel.controls = append(c.panel.controls, control{"lesson " + x.Name + " " + c.lesson.Run.Phase.String(), u.View})

	u = &c.figures
	r := u.Next(22)
	next := c.screen.label("next (F2)")
	if i+1 == len(list) {
		next = c.screen.label("end (F2)")
	}
	for k, b := range []struct {
		id, label, help string
		press           func()
	}{
		{"tour back", "back", "The lesson before this one (Shift F2).", func() { c.lesson.GoTo(-1) }},
		{"tour again", "again", "Start this lesson from its beginning.", func() { c.lesson.GoTo(0) }},
		{"tour leave", c.screen.label("leave (F3)"), "Leave the tour. The session goes on.", c.lesson.Leave},
		{"tour next", next, "The next lesson.", func() { c.lesson.GoTo(1) }},
	} {
		if u.Button(b.id, u.Split(r, 4, k), b.label, b.help) {
			b.press()
		}
	}
	if c.lesson.Run != nil {
		c.buildFigures(u)
	}
}

// buildFigures lays out the figures before and after the action.
func (c *tourCard) buildFigures(u *widget.UI) {
	u.Scroll("figures "+c.lesson.Run.Lesson.Name, func() { c.figureRows(u) })
}

// figureRows are the lines of the table.
func (c *tourCard) figureRows(u *widget.UI) {
	c.row(u, "", fmt.Sprintf("before, %.0f s", c.lesson.Run.BeforeSeconds), fmt.Sprintf("after, %.0f s", c.lesson.Run.AfterSeconds), cardDimColor)
	for k, f := range c.lesson.Run.Lesson.Figures {
		name := hud.HeadlineTitle(f.Measure)
		if strings.Contains(f.Name, "@") {
			name = fmt.Sprintf("pane %d: %s", f.Pane+1, name)
		}
		c.row(u, name, valueText(c.lesson.Run.Before, k), valueText(c.lesson.Run.After, k), cardTextColor)
	}
	note := ""
	switch {
	case c.lesson.Run.Phase == tour.Before && c.lesson.Run.BeforeSeconds < c.lesson.Run.Lesson.Seconds:
		note = fmt.Sprintf("measuring how it is now: %.0f of %.0f s", c.lesson.Run.BeforeSeconds, c.lesson.Run.Lesson.Seconds)
	case c.lesson.Run.Phase == tour.After:
		note = fmt.Sprintf("measuring the effect: %.0f of %.0f s", c.lesson.Run.AfterSeconds, c.lesson.Run.Lesson.Seconds)
	case c.lesson.Run.Phase == tour.Done && c.lesson.Run.BeforeSeconds < c.lesson.Run.Lesson.Seconds/2:
		note = fmt.Sprintf("early: press \"again\" and wait for %.0f s first", c.lesson.Run.Lesson.Seconds)
	}
	c.line(u, note, false, cardDimColor)
}

// valueText returns a figure as the card shows it.
func valueText(list []score.Measure, i int) string {
	if i >= len(list) {
		return "-"
	}
	return list[i].Text()
}

// row lays out a row of the table: a name and two values.
func (c *tourCard) row(u *widget.UI, name, before, after string, color render.Color) {
	r := u.Line(cardLine - 3)
	f := render.Font{Size: u.Px(13)}
	column := u.Px(76)
	base := float32(r.Min.Y) + f.Ascent()
	u.List().Text(float32(r.Min.X), base, f, color, f.Truncate(name, float32(r.Dx()-2*column)))
	bold := render.Font{Size: f.Size, Bold: color == cardTextColor}
	u.List().Text(float32(r.Max.X-column)-bold.Width(before), base, bold, color, before)
	u.List().Text(float32(r.Max.X)-bold.Width(after), base, bold, color, after)
}

// lines lays out lines of text.
func (c *tourCard) lines(u *widget.UI, list []string, bold bool, color render.Color) {
	for _, s := range list {
		c.line(u, s, bold, color)
	}
}

// line lays out a line of text, which is cut where it is too long.
func (c *tourCard) line(u *widget.UI, text string, bold bool, color render.Color) {
	r := u.Line(cardLine - 3)
	f := render.Font{Size: u.Px(cardFont), Bold: bold}
	u.List().Text(float32(r.Min.X), float32(int(float32(r.Min.Y)+f.Ascent())), f, color, f.Truncate(text, float32(r.Dx())))
}

// draw draws the card over the window.
func (c *tourCard) draw(dst *ebiten.Image, painter *gpu.Painter) {
	for _, u := range []*widget.UI{&c.texts, &c.figures} {
		painter.DrawOverlay(dst, &u.Frame)
		if view := u.View.Intersect(dst.Bounds()); !view.Empty() {
			painter.DrawOverlay(dst.SubImage(view).(*ebiten.Image), &u.Body)
		}
	}
	painter.DrawOverlay(dst, &c.figures.Popup)
}
