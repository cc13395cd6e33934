package window

import (
	"image"
	"slices"
	"strings"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"ghostcube/predict/lab"
	"ghostcube/render/gpu"
	"ghostcube/ui/session"
	"ghostcube/ui/widget"
)

// panel is the docked column of controls beside the picture. It keeps no copy of the session: a control that
// is moved becomes a command, and in the next update shows the session as the command has changed it.
type panel struct {
	session  *session.Session
	ui       widget.UI
	commands []lab.Command // of this update
	controls []control     // of this update
	keys     bool          // the keys belong to the panel
	beside   bool          // the last press was beside all controls
	enter    bool          // Enter has gone down in this update
	input    panelInput
	pressed  []ebiten.Key // scratch
	page     int          // index in pages

	screen *screen
	scale  float32 // pixels per point

	compare     comparePage
	sessions    sessionPage
	network     networkPage
	strategy    strategyPage
	score       scorePage
	corrections correctionsPage
	view        viewPage
	advice      advicePage
}

// page is a page of the panel, behind a tab.
type page struct {
	name, help string
	build      func(p *panel)
}

// pages are the tabs in order. It is a function, because the pages' functions refer to it.
func pages() []page {
	return []page{
		{"Compare", "Prepared sessions by source, each with its point.", func(p *panel) { p.compare.build() }},
		{"Network", "Latency, jitter, loss and all other conditions of the link, forced faults and attacks.", func(p *panel) { p.network.build() }},
		{"Strategy", "The strategies of the panes, and the knobs of the focused one.", func(p *panel) { p.strategy.build() }},
		{"Score", "Measures of all panes, graphs and counters of the focused one.", func(p *panel) { p.score.build() }},
		{"Corrections", "The corrections of the focused pane, each with its packet and its cause.", func(p *panel) { p.corrections.build() }},
		{"View", "Overlays, colours, camera and speed.", func(p *panel) { p.view.build() }},
		{"Advice", "Questions about your game, and the strategies that fit it, from measured sessions.", func(p *panel) { p.advice.build() }},
		{"Session", "Scene, seat and seed, saved sessions, the tour, links and commands to share.", func(p *panel) { p.sessions.build() }},
	}
}

// Widths of the panel, in points.
const (
	panelWidth     = 350
	collapsedWidth = 22
)

// uiScale returns the pixels per point of the panel and of all texts. It need not be whole.
func (s *screen) uiScale() float32 { return float32(max(s.scale, 1)) * s.textZoom() }

// textZooms are the sizes of all texts and controls, in units of the usual size.
var textZooms = [...]float32{0.9, 1, 1.25, 1.5, 2}

// usualZoom is the index of the usual size in textZooms.
const usualZoom = 1

// textZoom returns the size of all texts and controls, in units of the usual size.
func (s *screen) textZoom() float32 { return textZooms[usualZoom+s.zoomSteps] }

// zoomText makes all texts and controls larger or smaller by steps, within textZooms.
func (s *screen) zoomText(steps int) {
	s.zoomSteps = min(max(s.zoomSteps+steps, -usualZoom), len(textZooms)-1-usualZoom)
	s.resize(s.w, s.h, s.scale)
}

// Sizes in points below which a window is compact: its panel is a sheet over the panes, which is closed at first.
const (
	compactWidth  = 700
	compactHeight = 480
)

// minBesideSheet is the width in points of the panes beside a sheet. Where less is left, the sheet takes it.
const minBesideSheet = 60

// resize sets the size of the window in pixels, and the pixels per point.
func (s *screen) resize(w, h int, scale float64) {
	s.w, s.h, s.scale = w, h, scale
	points := scale * float64(s.textZoom())
	compact := float64(w) < compactWidth*points || float64(h) < compactHeight*points
	switch {
	case compact && !s.compact:
		s.collapsedBefore, s.panelCollapsed = s.panelCollapsed, true
	case s.compact && !compact:
		s.panelCollapsed = s.collapsedBefore
	}
	s.compact = compact
}

// panelBounds returns the place of the panel. It is empty where a button over the panes opens it.
func (s *screen) panelBounds() image.Rectangle {
	w := s.pixels(collapsedWidth)
	switch {
	case s.session.Embed, s.panelCollapsed && s.touched:
		w = 0
	case s.panelCollapsed:
	case s.compact && s.w-s.pixels(panelWidth) < s.pixels(minBesideSheet):
		w = s.w
	default:
		w = s.pixels(panelWidth)
		if !s.compact {
			w = min(w, s.w/2)
		}
	}
	return image.Rect(s.w-w, 0, s.w, s.h)
}

// panesWidth returns the width of the column of the panes in pixels. A sheet does not change it.
func (s *screen) panesWidth() int {
	switch {
	case s.bare() || s.compact && s.touched:
		return max(s.w, 1)
	case s.compact:
		return max(s.w-s.pixels(collapsedWidth), 1)
	}
	return max(s.panelBounds().Min.X, 1)
}

// pixels converts points to pixels.
func (s *screen) pixels(points float32) int { return int(points * s.uiScale()) }

// queue adds a command to those of this update.
func (p *panel) queue(c lab.Command) { p.commands = append(p.commands, c) }

// popCommands returns and removes the commands since the last call.
func (p *panel) popCommands() []lab.Command {
	list := p.commands
	p.commands = nil
	return list
}

// updatePanel reads the input of this update, lays out the panel and returns the input that belongs to it.
func (g *game) updatePanel() capture {
	p := &g.panel
	if g.screen.bare() || g.screen.w == 0 {
		p.controls = p.controls[:0]
		return capture{}
	}
	if g.controls.takesPointer(&g.pointer) {
		return capture{pointer: true}
	}
	p.ui.TooltipDelay = g.session.Lab.Config().Rate / 4
	p.ui.Touch = g.screen.touched
	in := p.readInput(g.pointer)
	p.build(in)
	g.card.build(in)
	p.notePress(&g.pointer)
	p.pressed = inpututil.AppendPressedKeys(p.pressed[:0])
	return capture{p.ui.Captured() || in.Pointer.In(g.card.bounds()), p.keepKeys(p.ui.Focused() != "", len(p.pressed))}
}

// notePress remembers whether the pointer was last pressed in the panel beside all controls, and has stayed in the panel: a
// digit is then a number that missed its field.
func (p *panel) notePress(at *pointer) {
	inside := at.at.In(p.screen.panelBounds())
	if at.pressed {
		p.beside = !slices.ContainsFunc(p.controls, func(c control) bool { return at.at.In(c.bounds) })
	}
	p.beside = p.beside && inside
}

// keepKeys reports whether the keys belong to the panel: while a control of it has the focus, and then until all keys are
// up, because Enter, which ends typing, is a key of the player too.
func (p *panel) keepKeys(focused bool, pressed int) bool {
	p.keys = focused || p.keys && pressed > 0
	return p.keys
}

// build lays out the panel at the right of the window.
func (p *panel) build(in widget.Input) {
	s := p.screen
	ui := &p.ui
	p.scale, p.enter = s.uiScale(), in.Enter
	p.controls = p.controls[:0]
	ui.OnPlace = func(name string, r image.Rectangle) { p.controls = append(p.controls, control{name, r}) }
	ui.Update(in, image.Rect(0, 0, s.w, s.h), s.panelBounds(), p.scale, p.pageControls)
}

// pageControls are the controls of the panel, or of its collapsed rest.
func (p *panel) pageControls() {
	s := p.screen
	ui := &p.ui
	if s.panelCollapsed {
		if s.panelBounds().Empty() {
			return
		}
		r := ui.Next(22)
		r.Min.X, r.Max.X = s.panelBounds().Min.X+ui.Px(3), s.w-ui.Px(3)
		if ui.Button("collapse", r, "<", "Show the panel.") {
			s.panelCollapsed = false
		}
		return
	}
	list := pages()
	names, helps := make([]string, len(list)), make([]string, len(list))
	for i := range list {
		names[i], helps[i] = list[i].name, list[i].help
	}
	p.page = ui.Tabs(names, helps, 4, p.page)
	p.toolbar()
	ui.Scroll(list[p.page].name, func() { list[p.page].build(p) })
}

// toolbar has the buttons that every page shows.
func (p *panel) toolbar() {
	s := p.screen
	ui := &p.ui
	r := ui.Next(22)
	end := image.Rect(r.Max.X-ui.Px(24), r.Min.Y, r.Max.X, r.Max.Y)
	r.Max.X = end.Min.X - ui.Px(3)
	pause, record := "pause (P)", "record (R)"
	if p.session.Paused {
		pause = "resume (P)"
	}
	step := "step (N)"
	if p.session.Videos.Recording() {
		record = "stop (R)"
	}
	if ui.Touch {
		pause, step, record = s.label(pause), s.label(step), s.label(record)
		end.Min.X -= ui.Px(18)
		r.Max.X -= ui.Px(18)
	}
	ui.Disabled(p.session.Whole())
	if ui.Button("pause", ui.Split(r, 4, 0), pause, "Pause or resume the session.") {
		p.session.Paused = !p.session.Paused
	}
	if ui.Button("step", ui.Split(r, 4, 1), step, "Make one tick and pause.") {
		p.session.StepOnce()
	}
	if ui.Button("restart", ui.Split(r, 4, 2), "restart", "Start the scene again with the same strategies, knobs and network (Backspace).") {
		p.queue(lab.Command{Verb: "restart", Pane: lab.AllPanes})
	}
	if ui.Button("record", ui.Split(r, 4, 3), record, "Start a video of the panes, or stop it and write it while the session goes on.") {
		p.session.Videos.Toggle()
	}
	ui.Disabled("")
	if ui.Button("collapse", end, ">", "Collapse the panel: the panes get its room. H hides the overlay too.") {
		s.panelCollapsed = true
	}
}

// choice lays out a row with a list of names, and returns the chosen one.
func (p *panel) choice(row widget.Row, id, value string, options []string, optionHelp func(i int) string) (chosen string, ok bool) {
	row.Width = max(row.Width, p.ui.Width(options), p.ui.Width([]string{value}))
	i := p.ui.Choice(p.ui.Row(row), widget.Choice{ID: id, Value: value, Options: options, Help: row.Help, OptionHelp: optionHelp})
	if i < 0 {
		return "", false
	}
	return options[i], true
}

// number lays out a row with a slider and a field.
func (p *panel) number(row widget.Row, n widget.Number) (value float64, changed bool) {
	row.Width = max(row.Width, 130)
	n.Help = row.Help
	return p.ui.Number(p.ui.Row(row), n)
}

// buttons lays out a row of buttons and returns the index of the pressed one, or -1.
func (p *panel) buttons(list ...[3]string) (pressed int) {
	pressed = -1
	r := p.ui.Next(22)
	for i, b := range list {
		if p.ui.Button(b[0], p.ui.Split(r, len(list), i), b[1], b[2]) {
			pressed = i
		}
	}
	return pressed
}

// matches reports whether one of the texts contains a filter, whatever the case of its letters.
func matches(filter string, texts ...string) bool {
	filter = strings.ToLower(strings.TrimSpace(filter))
	for _, t := range texts {
		if strings.Contains(strings.ToLower(t), filter) {
			return true
		}
	}
	return filter == ""
}

// draw draws the panel over the window.
func (p *panel) draw(dst *ebiten.Image, painter *gpu.Painter) {
	painter.DrawOverlay(dst, &p.ui.Frame)
	if view := p.ui.View.Intersect(dst.Bounds()); !view.Empty() {
		painter.DrawOverlay(dst.SubImage(view).(*ebiten.Image), &p.ui.Body)
	}
	painter.DrawOverlay(dst, &p.ui.Popup)
}

// openLessonPage opens the panel's page with the control that the lesson in progress is about, and has only that knob
// listed. It ends the search of the lesson before.
func (p *panel) openLessonPage() {
	search := &p.strategy
	if search.searched {
		search.filter, search.searched = "", false
	}
	if p.session.Lesson.Run == nil {
		return
	}
	name := ""
	switch a := &p.session.Lesson.Run.Lesson.Action; a.Command.Verb {
	case "set":
		name, search.filter, search.searched = "Strategy", a.Command.Name, true
	case "switch":
		name = "Strategy"
	case "condition", "blackout":
		name = "Network"
	default:
		return
	}
	p.openPage(name)
}

// openPage opens the page of a name.
func (p *panel) openPage(name string) {
	p.page = slices.IndexFunc(pages(), func(x page) bool { return x.name == name })
}
