// Package widget is the panel's skin over debugui. Windows, layout, hits, drags and scrolling are debugui's: every
// button, switch, slider, field and list is one of its controls, in a cell that has the bounds of the picture. The
// picture itself, with texts in the fonts of package render, the editing of texts, the keyboard and the tooltips are
// ours. It is immediate mode: the caller names every control again in every update and passes its present value.
//
// debugui reads the pointer by itself; everything else comes as an Input. The result is three draw lists.
package widget

import (
	"image"
	"math"

	"github.com/ebitengine/debugui"

	"ghostcube/render"
)

// Input is what pointer and keyboard did since the previous update.
type Input struct {
	Pointer image.Point // pixels of the window
	Down    bool        // the main button is down
	Pressed bool        // the main button has just gone down
	Wheel   float64     // notches, positive away from the user
	Drag    int         // pixels by which a finger has dragged what is under Pointer down

	Clicks int // presses in quick succession at the same place, while Pressed or Down; 0 means 1

	Text                     string // typed characters, in order
	Left, Right, Home, End   bool   // keys that move the caret, with their repetitions
	Backspace, Delete        bool   // the same
	Enter, Escape, SelectAll bool

	ArrowUp, ArrowDown, PageUp, PageDown bool // with their repetitions
	Tab, Space                           bool // Tab with its repetitions
	Shift                                bool // is down: the caret and presses extend the selection, and sliders move by the smallest step
	Word                                 bool // the keys above reach over a word
	Undo, Redo                           bool
	Cut, Copy, Paste                     bool
	Pasted                               string // from the clipboard, some updates after UI.OnPaste

	// An input method's text that is not typed yet, and the caret in it, in bytes. While there is one, the keys are the
	// input method's.
	Composition      string
	CompositionCaret int
}

// UI is the state of a panel between updates. The zero value is ready.
type UI struct {
	// The draw lists of the last update, in drawing order. Body is clipped to View.
	Frame, Body, Popup render.DrawList
	View               image.Rectangle // pixels of the window

	// OnPlace is called with the name and the visible bounds of every control that reacts to the pointer. It
	// may be nil.
	OnPlace func(name string, bounds image.Rectangle)

	// OnHelp is called with the tooltip of every control, shown or not. It may be nil.
	OnHelp func(text string)

	// OnCopy is called with a text for the clipboard, and OnPaste to ask for its text, which comes in a later Input.
	// They may be nil.
	OnCopy  func(text string)
	OnPaste func()

	// Rate is the number of updates a second, by which the caret blinks; 0: it does not.
	Rate int

	// Touch makes every control high enough for a finger.
	Touch bool

	// TooltipDelay is the number of updates for which the pointer stays on a control before its tooltip is shown.
	TooltipDelay int

	gui      debugui.DebugUI
	ctx      *debugui.Context // during an update
	grid     grid             // of the container in progress
	cell     cell             // in progress
	controls controls
	slid     struct {
		id    string
		share float64
	} // where a finger has last touched a slider
	hot string // control that debugui reports as pressed since the pointer went down; empty: none

	in     Input
	scale  float32         // pixels per point
	window image.Rectangle // pixels
	panel  image.Rectangle // pixels of the window

	list     *render.DrawList // that controls draw into
	inBody   bool
	y        int // top of the next row, pixels of the window
	disabled string
	cut      []string

	active   string // control on which the button went down; empty: none
	wasDown  bool   // the button was down in the previous update
	released bool   // the button has just gone up
	edit     edit
	popup    popup
	keyboard keyboard

	memory memory

	tooltip string // of the control under the pointer
	urgent  bool   // the tooltip is the reason of a refusal: it is shown at once
	waited  int    // updates for which the tooltip has been the same
	last    string // tooltip of the previous update
	quiet   bool   // a press was at pressed, and the pointer has not moved away since: no tooltip
	pressed image.Point
	scroll  map[string]*scroll // by name of a body
	current *scroll            // of the body that is shown
	body    string             // its name
	laid    bool               // a body was laid out in this update
}

// The colours of the panel.
var (
	backgroundColor = render.Color{R: 24, G: 28, B: 34, A: 255}
	controlColor    = render.Color{R: 44, G: 50, B: 60, A: 255}
	hoverColor      = render.Color{R: 58, G: 66, B: 78, A: 255}
	activeColor     = render.Color{R: 72, G: 82, B: 97, A: 255}
	fieldColor      = render.Color{R: 15, G: 18, B: 22, A: 255}
	borderColor     = render.Color{R: 66, G: 75, B: 88, A: 255}
	fillColor       = render.Color{R: 66, G: 92, B: 124, A: 255}
	markColor       = render.Color{R: 126, G: 186, B: 246, A: 255}
	textColor       = render.Color{R: 222, G: 228, B: 235, A: 255}
	dimColor        = render.Color{R: 150, G: 159, B: 170, A: 255}
	disabledColor   = render.Color{R: 104, G: 111, B: 121, A: 255}
	errorColor      = render.Color{R: 255, G: 110, B: 96, A: 255}
)

// Sizes, in points.
const (
	fontSize      = 13
	rowHeight     = 22
	rowGap        = 3
	padding       = 8
	scrollbarSize = 8 // of the part in sight
	wheelStep     = 48

	touchHeight = 40 // of a control that fingers touch
)

// Update lays out the panel in a rectangle of the window, both in pixels, with the controls that build names. scale is
// in pixels per point.
func (u *UI) Update(in Input, window, panel image.Rectangle, scale float32, build func()) {
	u.in, u.window, u.panel, u.scale = in, window, panel, max(scale, 0.5)
	u.Frame.Reset()
	u.Popup.Reset()
	u.list, u.inBody, u.disabled = &u.Frame, false, ""
	u.tooltip, u.urgent, u.laid = "", false, false
	u.cut = u.cut[:0]
	u.released, u.wasDown = u.wasDown && !in.Down, in.Down
	if in.Drag != 0 || in.Escape {
		u.active = "" // a finger scrolls, or the press is cancelled
	}
	u.popup.begin()
	u.edit.begin()
	u.keyboard.begin(&in)
	fill(u.list, panel, backgroundColor)
	fill(u.list, image.Rect(panel.Min.X, panel.Min.Y, panel.Min.X+u.Px(1), panel.Max.Y), borderColor)
	dock{u}.lay(build)
	if !u.laid { // it does not stay where the panel was
		u.Body.Reset()
		u.View = image.Rectangle{}
	}
	u.popup.end()
	u.edit.end()
	u.keyboard.end(&u.in, u.edit.id, u.popup.id != "")
	if !in.Down {
		u.active = ""
	}
	u.waited++
	if u.tooltip != u.last || u.in.Down {
		u.waited = 0
	}
	u.last = u.tooltip
	if in.Down || in.Pressed { // a short press has both, or only the second
		u.quiet, u.pressed = true, in.Pointer
	} else if d := in.Pointer.Sub(u.pressed); in.Pointer.In(panel) && max(d.X, -d.X, d.Y, -d.Y) > u.Px(quietDistance) {
		u.quiet = false
	}
	if u.tooltip != "" && u.active == "" && (u.urgent || u.waited >= u.TooltipDelay && !u.quiet) {
		tooltip{u}.draw()
	}
}

// quietDistance is how far the pointer moves after a press, in points, before tooltips cover what the press has brought.
const quietDistance = 12

// Px converts points to whole pixels.
func (u *UI) Px(points float32) int { return int(points*u.scale + 0.5) }

// Font returns the font of the panel.
func (u *UI) Font(bold bool) render.Font { return render.Font{Size: u.Px(fontSize), Bold: bold} }

// List returns the draw list into which controls draw at present.
func (u *UI) List() *render.DrawList { return u.list }

// Captured reports whether the pointer belongs to the panel: it is over it, over an open list, or drags a
// control.
func (u *UI) Captured() bool {
	return u.active != "" || u.hot != "" || u.popup.blocking || u.in.Pointer.In(u.panel)
}

// Pressed returns the control of debugui that the pointer has gone down on, until it goes up again, or "".
func (u *UI) Pressed() string { return u.hot }

// Cut returns the texts of this update that did not fit into their places.
func (u *UI) Cut() []string { return u.cut }

// Open reports whether a list is open, so that a press anywhere belongs to it.
func (u *UI) Open() bool { return u.popup.id != "" }

// Disabled makes the controls that follow inactive, with a reason that their tooltips begin with. An empty
// reason makes them active again.
func (u *UI) Disabled(reason string) { u.disabled = reason }

// Next lays out a row of controls of the full width and a height in points, or higher for fingers.
func (u *UI) Next(height float32) image.Rectangle {
	if u.Touch {
		height = max(height, touchHeight)
	}
	return u.Line(height)
}

// Line lays out a row of texts of the full width and a height in points.
func (u *UI) Line(height float32) image.Rectangle {
	if y := u.grid.end; u.y > y-gridGap && u.y <= y+gridGap {
		u.y = y // the grid has no other place for a row so near
	}
	p := u.Px(padding)
	r := image.Rect(u.panel.Min.X+p, u.y, max(dock{u}.right(), u.panel.Min.X+p+1), u.y+u.Px(height))
	u.y = r.Max.Y + u.Px(rowGap)
	return r
}

// Space leaves a gap of some points, or moves the next row up by a negative number of them.
func (u *UI) Space(points float32) {
	u.y += int(points*u.scale + float32(math.Copysign(0.5, float64(points))))
}

// Split divides a row into n columns of equal widths.
func (u *UI) Split(r image.Rectangle, n, i int) image.Rectangle {
	gap := u.Px(rowGap)
	w := r.Dx() + gap
	return image.Rect(r.Min.X+w*i/n, r.Min.Y, r.Min.X+w*(i+1)/n-gap, r.Max.Y)
}

// visible reports whether a part of a rectangle is shown, and returns that part.
func (u *UI) visible(r image.Rectangle) (image.Rectangle, bool) {
	if u.inBody {
		r = r.Intersect(u.View)
	}
	return r, !r.Empty()
}

// over reports whether the pointer is over a rectangle and belongs to it.
func (u *UI) over(r image.Rectangle) bool {
	r, ok := u.visible(r)
	return ok && !u.popup.blocking && u.in.Pointer.In(r)
}

// place reports a control.
func (u *UI) place(name string, r image.Rectangle) {
	if r, ok := u.visible(r); ok && u.OnPlace != nil {
		u.OnPlace(name, r)
	}
}

// Explain sets the tooltip of a rectangle.
func (u *UI) Explain(r image.Rectangle, help string) {
	if help == "" {
		return
	}
	if u.disabled != "" {
		help = u.disabled + "\n" + help
	}
	if u.OnHelp != nil {
		u.OnHelp(help)
	}
	if k := &u.keyboard; k.focus == "" && u.over(r) || k.focus != "" && !u.popup.blocking && k.bounds.In(r) {
		u.tooltip = help
	}
}

// fill draws a filled rectangle.
func fill(l *render.DrawList, r image.Rectangle, c render.Color) {
	l.Rect(float32(r.Min.X), float32(r.Min.Y), float32(r.Dx()), float32(r.Dy()), c)
}

// border draws the edge of a rectangle, of a width in pixels.
func border(l *render.DrawList, r image.Rectangle, width int, c render.Color) {
	l.Border(float32(r.Min.X), float32(r.Min.Y), float32(r.Dx()), float32(r.Dy()), float32(width), c)
}

// Align says where in its place a text stands.
type Align uint8

// The alignments.
const (
	Left Align = iota
	Center
	Right
)

// text draws a text into a place. A text that is too wide ends with an ellipsis and counts as cut.
func (u *UI) text(l *render.DrawList, r image.Rectangle, f render.Font, c render.Color, s string, align Align) {
	w := f.Width(s)
	if w > float32(r.Dx())+0.5 {
		u.cut = append(u.cut, s)
		s = f.Truncate(s, float32(r.Dx()))
		w = f.Width(s)
	}
	if l == &u.Body && !r.Overlaps(u.View) {
		return // scrolled out of view
	}
	x := float32(r.Min.X)
	switch align {
	case Center:
		x += (float32(r.Dx()) - w) / 2
	case Right:
		x = float32(r.Max.X) - w
	}
	y := float32(r.Min.Y) + (float32(r.Dy())-f.Height())/2 + f.Ascent()
	l.Text(float32(int(x)), float32(int(y+0.5)), f, c, s)
}

// Text draws a text into a place in the colour of values, or of names if dim.
func (u *UI) Text(r image.Rectangle, s string, dim bool, align Align) {
	u.text(u.list, r, u.Font(false), u.textColor(dim), s, align)
}

func (u *UI) textColor(dim bool) render.Color {
	switch {
	case u.disabled != "":
		return disabledColor
	case dim:
		return dimColor
	}
	return textColor
}

// wrapLines breaks a text at newlines and between words into lines of a width in pixels.
func wrapLines(f render.Font, text string, width float32) (lines []string) {
	for _, paragraph := range splitLines(text) {
		lines = append(lines, f.Wrap(splitWords(paragraph), " ", width)...)
	}
	return lines
}

// memory are texts and names that were made before, so that they are made once.
type memory struct {
	wrapped map[wrapKey][]string // lines of texts that were laid out
	names   map[[2]string]string // names that were joined
}

// wrapKey identifies a text in a font and a width.
type wrapKey struct {
	font  render.Font
	text  string
	width int // pixels
}

// maxRemembered bounds the texts and names that a UI remembers.
const maxRemembered = 4096

// lines returns the lines of a text, which it remembers.
func (m *memory) lines(f render.Font, text string, width int) []string {
	key := wrapKey{f, text, width}
	list, ok := m.wrapped[key]
	if !ok {
		if m.wrapped == nil || len(m.wrapped) > maxRemembered {
			m.wrapped = map[wrapKey][]string{}
		}
		list = wrapLines(f, text, float32(width))
		m.wrapped[key] = list
	}
	return list
}

// join returns a+b, which it remembers, so that naming a control allocates nothing.
func (m *memory) join(a, b string) string {
	key := [2]string{a, b}
	name, ok := m.names[key]
	if !ok {
		if m.names == nil || len(m.names) > maxRemembered {
			m.names = map[[2]string]string{}
		}
		name = a + b
		m.names[key] = name
	}
	return name
}

// Paragraph draws a text of as many lines as it needs.
func (u *UI) Paragraph(text string, dim bool) {
	f := u.Font(false)
	w := u.Line(0).Dx()
	u.y -= u.Px(rowGap)
	for _, line := range u.memory.lines(f, text, w) {
		u.Text(u.Line(rowHeight-6), line, dim, Left)
		u.y -= u.Px(rowGap)
	}
	u.y += u.Px(rowGap)
}

// Heading draws the title of a group.
func (u *UI) Heading(text string) {
	u.Space(5)
	r := u.Line(rowHeight)
	u.text(u.list, r, u.Font(true), textColor, text, Left)
	fill(u.list, image.Rect(r.Min.X, r.Max.Y-u.Px(2), r.Max.X, r.Max.Y-u.Px(1)), borderColor)
}

// tooltip is the explanation of what is under the pointer or has the keys.
type tooltip struct{ u *UI }

// draw draws the tooltip beside the pointer, inside the window and in full.
func (t tooltip) draw() {
	u := t.u
	f, r, lines := t.lay(u.tooltip)
	fill(&u.Popup, r, fieldColor)
	border(&u.Popup, r, u.Px(1), borderColor)
	p, h := u.Px(padding), lineHeight(f)
	for i, line := range lines {
		u.text(&u.Popup, image.Rect(r.Min.X+p, r.Min.Y+p+h*i, r.Max.X-p, r.Min.Y+p+h*(i+1)), f, textColor, line, Left)
	}
}

// tooltipWidth is the largest width of the text of a tooltip, in points.
const tooltipWidth = 320

// lay returns the bounds and the lines of a tooltip: below the pointer or above it, wherever it has
// room.
func (t tooltip) lay(text string) (f render.Font, r image.Rectangle, lines []string) {
	u := t.u
	f = u.Font(false)
	p := u.Px(padding)
	lines = u.memory.lines(f, text, min(u.Px(tooltipWidth), u.window.Dx()-4*p))
	w := float32(0)
	for _, line := range lines {
		w = max(w, f.Width(line))
	}
	size := image.Pt(int(w+1)+2*p, lineHeight(f)*len(lines)+2*p)
	at := u.in.Pointer.Add(image.Pt(u.Px(12), u.Px(18)))
	if at.Y+size.Y > u.window.Max.Y {
		at.Y = u.in.Pointer.Y - u.Px(8) - size.Y
	}
	// Beside an open list, so that its other options stay in sight, and beside the panel for a control that has the keys.
	switch p, k := &u.popup, &u.keyboard; {
	case p.blocking && p.at >= 0:
		at = image.Pt(p.box.Min.X-size.X-u.Px(4), p.row-size.Y/2)
	case p.blocking:
		at = image.Pt(p.box.Min.X-size.X-u.Px(4), u.in.Pointer.Y-size.Y/2)
	case k.focus != "":
		at = image.Pt(u.panel.Min.X-size.X-u.Px(4), k.bounds.Min.Y)
	}
	at.X = max(min(at.X, u.window.Max.X-size.X), u.window.Min.X)
	at.Y = max(min(at.Y, u.window.Max.Y-size.Y), u.window.Min.Y)
	return f, image.Rectangle{at, at.Add(size)}, lines
}

// lineHeight returns the distance between two lines of a text, in pixels.
func lineHeight(f render.Font) int { return int(f.Height()*1.1 + 0.5) }
