package window

import (
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hajimehoshi/ebiten/v2"

	"ghostcube/internal/atomicfile"
	"ghostcube/predict/lab"
	"ghostcube/predict/score"
	"ghostcube/render"
	"ghostcube/render/gpu"
	"ghostcube/ui/hud"
	"ghostcube/ui/plan"
	"ghostcube/ui/platform"
	"ghostcube/ui/tour"
	"ghostcube/ui/widget"
)

// tourCard is the lesson in progress and its card, a strip below the panes, which covers none of them.
type tourCard struct {
	run       *tour.Run // nil: no lesson
	searched  bool      // the search of knobs is the lesson's
	handTicks int       // ticks for which the tape leaves the player to the hand

	offered  bool // the card offers the tour
	offerEnd int  // tick of the session at which the offer ends

	texts, figures widget.UI // the left and the right part of the card
	layout         cardLayout
}

// cardLayout are the lines of a card for a width and a scale, so that they are measured once.
type cardLayout struct {
	lesson          *plan.Lesson
	width           int
	scale           float32
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

	maxCardShare = 0.47 // of the window's height
)

// handSeconds is the time without a key after which the tape of a lesson moves the player again.
const handSeconds = 3

// offerSeconds is the time for which a first start offers the tour.
const offerSeconds = 45

// The colours of the card, besides those of the widgets.
var (
	cardTextColor = render.Color{R: 222, G: 228, B: 235, A: 255}
	cardDoColor   = render.Color{R: 255, G: 190, B: 110, A: 255}
	cardDimColor  = render.Color{R: 150, G: 159, B: 170, A: 255}
)

// start follows the session of a plan that has started.
func (c *tourCard) start(p *plan.Plan, l *lab.Lab) {
	c.run, c.handTicks = nil, 0
	if p.Lesson != nil {
		c.run, c.offered = tour.Start(p.Lesson, l), false
	}
}

// openLessonPage opens the panel's page with the control that the lesson in progress is about, and has only that knob
// listed. It ends the search of the lesson before.
func (g *game) openLessonPage() {
	p := &g.panel
	if g.tour.searched {
		p.knobFilter, g.tour.searched = "", false
	}
	if g.tour.run == nil {
		return
	}
	name := ""
	switch a := &g.tour.run.Lesson.Action; a.Command.Verb {
	case "set":
		name, p.knobFilter, g.tour.searched = "Strategy", a.Command.Name, true
	case "switch":
		name = "Strategy"
	case "condition", "blackout":
		name = "Network"
	default:
		return
	}
	p.page = slices.IndexFunc(pages(), func(x page) bool { return x.name == name })
}

// shown reports whether there is a card.
func (c *tourCard) shown() bool { return c.run != nil || c.offered }

// tick follows a tick that the lab has made.
func (c *tourCard) tick(l *lab.Lab, e lab.Entry) {
	c.handTicks = max(c.handTicks-1, 0)
	if c.offered && int(l.Ticks()) >= c.offerEnd {
		c.offered = false
	}
	if c.run != nil {
		c.run.Tick(l, e)
	}
}

// tapeMoves reports whether the tape of the lesson moves the player: where no hand does, and not before an action
// that is an input.
func (c *tourCard) tapeMoves() bool {
	return c.handTicks == 0 && (c.run.Phase != tour.Before || !c.run.Lesson.Action.Input())
}

// offerMark is the file that says that the tour has been offered.
const offerMark = "tour-offered"

// offerTour offers the tour, once for each folder of files. Where the mark cannot be written, it is offered again.
func (g *game) offerTour() {
	if g.tour.run != nil || g.plan.Comparison != nil || g.plan.TapeName != "" {
		return
	}
	name := filepath.Join(g.OutDir, offerMark)
	if _, err := os.Stat(name); err == nil {
		return
	}
	if err := os.MkdirAll(g.OutDir, 0o777); err == nil {
		_ = atomicfile.WriteFile(name, []byte("The window has offered the tour. Without this file it does so again.\n"))
		_ = platform.Keep(name)
	}
	g.tour.offered, g.tour.offerEnd = true, offerSeconds*g.lab.Config().Rate
}

// lessonIndex returns the index of the lesson in progress, or -1.
func (g *game) lessonIndex(list []plan.Lesson) int {
	if g.tour.run == nil {
		return -1
	}
	return slices.IndexFunc(list, func(x plan.Lesson) bool { return x.Name == g.tour.run.Lesson.Name })
}

// goToLesson starts the lesson that is by some places after the one in progress: the first one where there is none.
// After the last one the tour ends.
func (g *game) goToLesson(by int) {
	list, err := g.Library.Lessons()
	if err != nil {
		g.notices.post(err.Error())
		return
	}
	i := max(g.lessonIndex(list)+by, 0)
	if i >= len(list) {
		g.leaveTour()
		g.notices.post("that was the last lesson: the page Compare has prepared sessions")
		return
	}
	p, err := g.Library.NewLesson(&list[i])
	if err != nil {
		g.notices.post(err.Error())
		return
	}
	g.next = p
}

// tourKey handles the keys of the tour: F2, with Shift or without, and F3.
func (g *game) tourKey(key int, shift bool) {
	switch {
	case key == 1:
		g.leaveTour()
	case shift:
		g.goToLesson(-1)
	default:
		g.goToLesson(1)
	}
}

// leaveTour ends the tour, or its offer. The session goes on.
func (g *game) leaveTour() {
	g.tour.run, g.tour.offered = nil, false
	g.openLessonPage()
}

// lessonControl chooses a lesson on a page of the panel.
func (g *game) lessonControl() {
	list, err := g.Library.Lessons()
	if err != nil || len(list) == 0 {
		return
	}
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	now := "start the tour"
	if i := g.lessonIndex(list); i >= 0 {
		now = names[i]
	}
	name, ok := g.panel.choice(widget.Row{Name: "lesson", Help: "The tour (F2): sessions with one idea each, which say what to look at and what to do."}, "lesson", now, names,
		func(i int) string { return list[i].Title })
	if ok {
		g.leaveTour()
		g.goToLesson(slices.Index(names, name) + 1)
	}
}

// cardBounds returns the place of the card: the lower end of the panes' column, below the timeline. It is empty
// without a card.
func (g *game) cardBounds() image.Rectangle {
	s := &g.screen
	if !g.tour.shown() || g.bare() || s.h == 0 {
		return image.Rectangle{}
	}
	w := g.panesWidth()
	h := int(offerHeight * s.uiScale())
	if g.touch.shown {
		h += s.pixels(touchRowGrowth)
	}
	if g.tour.run != nil {
		h = g.tour.measure(w, s.uiScale())
	}
	h = min(h, int(float32(s.h)*maxCardShare))
	return image.Rect(0, s.h-h, w, s.h)
}

// measure lays out the texts of the lesson in progress for a width in pixels, and returns the height of its card. The
// height is that of the longer text, so the panes keep their size when the lesson goes on.
func (c *tourCard) measure(width int, scale float32) int {
	t, x := &c.layout, c.run.Lesson
	if t.lesson == x && t.width == width && t.scale == scale {
		return t.height
	}
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
	return t.height
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

// buildCard lays out the card and reacts to its buttons.
func (g *game) buildCard(in widget.Input) {
	c, s := &g.tour, &g.screen
	c.texts.Frame.Reset()
	c.texts.Body.Reset()
	c.figures.Frame.Reset()
	c.figures.Body.Reset()
	c.figures.Popup.Reset()
	bounds := g.cardBounds()
	if bounds.Empty() {
		return
	}
	window := image.Rect(0, 0, s.w, s.h)
	left, right := bounds, bounds
	if c.run != nil && c.layout.stacked {
		left.Max.Y = bounds.Max.Y - min(c.layout.figures, bounds.Dy()*2/3)
		right.Min.Y = left.Max.Y
	} else {
		left.Max.X = bounds.Min.X + c.split(bounds.Dx(), s.uiScale())
		right.Min.X = left.Max.X
	}
	for _, u := range []*widget.UI{&c.texts, &c.figures} {
		u.OnPlace = func(name string, r image.Rectangle) { g.panel.controls = append(g.panel.controls, control{name, r}) }
		u.TooltipDelay, u.Touch = g.panel.ui.TooltipDelay, g.touch.shown
	}
	c.texts.Update(in, window, left, s.uiScale(), func() {
		c.figures.Update(in, window, right, s.uiScale(), func() {
			if c.run == nil {
				g.buildOffer()
			} else {
				g.buildLesson()
			}
		})
	})
}

// buildOffer offers the tour in a line.
func (g *game) buildOffer() {
	c := &g.tour
	list, err := g.Library.Lessons()
	if err != nil {
		c.offered = false
		return
	}
	offer, start := fmt.Sprintf("New here? %d short lessons show one idea each.", len(list)), g.label("start the tour (F2)")
	if g.screen.compact {
		offer, start = fmt.Sprintf("%d short lessons:", len(list)), "start"
	}
	c.texts.Text(c.texts.Next(24), offer, false, widget.Left)
	r := c.figures.Next(24)
	if c.figures.Button("tour start", c.figures.Split(r, 2, 0), start, "Start the first lesson. This session ends.") {
		g.goToLesson(1)
	}
	if c.figures.Button("tour not now", c.figures.Split(r, 2, 1), "not now", "Hide this line. F2 starts the tour at any time.") {
		c.offered = false
	}
}

// buildLesson lays out the card of the lesson in progress: words on the left, figures and buttons on the right.
func (g *game) buildLesson() {
	c := &g.tour
	x, t := c.run.Lesson, &c.layout
	list, err := g.Library.Lessons()
	if err != nil {
		return // the lesson is one of them
	}
	i := g.lessonIndex(list)
	u := &c.texts
	u.Scroll("lesson "+x.Name, func() {
		for k, s := range t.title {
			if k == 0 {
				s = fmt.Sprintf("%d/%d  %s", i+1, len(list), s)
			}
			c.line(u, s, true, cardTextColor)
		}
		u.Space(4)
		if c.run.Phase == tour.Before {
			c.lines(u, t.look, false, cardTextColor)
			u.Space(4)
			c.lines(u, t.do, true, cardDoColor)
		} else {
			c.lines(u, t.do, false, cardDimColor)
			u.Space(4)
			c.lines(u, t.after, false, cardTextColor)
		}
	})
	g.panel.controls = append(g.panel.controls, control{"lesson " + x.Name + " " + c.run.Phase.String(), u.View})

	u = &c.figures
	r := u.Next(22)
	next := g.label("next (F2)")
	if i+1 == len(list) {
		next = g.label("end (F2)")
	}
	for k, b := range []struct {
		id, label, help string
		press           func()
	}{
		{"tour back", "back", "The lesson before this one (Shift F2).", func() { g.goToLesson(-1) }},
		{"tour again", "again", "Start this lesson from its beginning.", func() { g.goToLesson(0) }},
		{"tour leave", g.label("leave (F3)"), "Leave the tour. The session goes on.", g.leaveTour},
		{"tour next", next, "The next lesson.", func() { g.goToLesson(1) }},
	} {
		if u.Button(b.id, u.Split(r, 4, k), b.label, b.help) {
			b.press()
		}
	}
	if c.run != nil {
		c.buildFigures(u)
	}
}

// buildFigures lays out the figures before and after the action.
func (c *tourCard) buildFigures(u *widget.UI) {
	u.Scroll("figures "+c.run.Lesson.Name, func() { c.figureRows(u) })
}

// figureRows are the lines of the table.
func (c *tourCard) figureRows(u *widget.UI) {
	c.row(u, "", fmt.Sprintf("before, %.0f s", c.run.BeforeSeconds), fmt.Sprintf("after, %.0f s", c.run.AfterSeconds), cardDimColor)
	for k, f := range c.run.Lesson.Figures {
		name := hud.HeadlineTitle(f.Measure)
		if strings.Contains(f.Name, "@") {
			name = fmt.Sprintf("pane %d: %s", f.Pane+1, name)
		}
		c.row(u, name, valueText(c.run.Before, k), valueText(c.run.After, k), cardTextColor)
	}
	note := ""
	switch {
	case c.run.Phase == tour.Before && c.run.BeforeSeconds < c.run.Lesson.Seconds:
		note = fmt.Sprintf("measuring how it is now: %.0f of %.0f s", c.run.BeforeSeconds, c.run.Lesson.Seconds)
	case c.run.Phase == tour.After:
		note = fmt.Sprintf("measuring the effect: %.0f of %.0f s", c.run.AfterSeconds, c.run.Lesson.Seconds)
	case c.run.Phase == tour.Done && c.run.BeforeSeconds < c.run.Lesson.Seconds/2:
		note = fmt.Sprintf("early: press \"again\" and wait for %.0f s first", c.run.Lesson.Seconds)
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

// cardCaptured reports whether the pointer belongs to the card.
func (g *game) cardCaptured(in widget.Input) bool {
	return in.Pointer.In(g.cardBounds())
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

// lessonFooter returns the note of the footer in a lesson: what moves the player.
func (g *game) lessonFooter() string {
	switch {
	case g.tour.tapeMoves():
		return "a tape moves the cube: " + g.takeOverHint()
	case g.tour.run.Phase == tour.Before && g.tour.run.Lesson.Action.Input():
		if g.touch.shown {
			return "the stick rolls the cube"
		}
		return "W A S D or the arrows roll the cube"
	}
	if g.touch.shown {
		return fmt.Sprintf("you have control; the tape goes on %d s after your last touch", handSeconds)
	}
	return fmt.Sprintf("you have control; the tape goes on %d s after your last key", handSeconds)
}
