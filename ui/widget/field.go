package widget

import (
	"fmt"
	"image"
	"math"
	"strconv"
	"unicode"
)

// edit is the text that is being typed.
type edit struct {
	id    string // of the field; empty: none
	text  []rune
	caret int  // index in text
	all   bool // the whole text is selected: the next character replaces it
	seen  bool // the field was laid out in this update
}

func (e *edit) begin() { e.seen = false }

// end stops editing a field that is gone.
func (e *edit) end() {
	if !e.seen {
		*e = edit{}
	}
}

// start begins to edit a text, all of which is selected.
func (e *edit) start(id, text string) {
	*e = edit{id: id, text: []rune(text), all: true, seen: true}
	e.caret = len(e.text)
}

// key applies typed characters and keys. On a slow machine one update has several: those that follow a selection of all
// replace the text.
func (e *edit) key(in *Input) {
	if in.SelectAll {
		e.all, e.caret = true, len(e.text)
	}
	remove := func(from, to int) { e.text = append(e.text[:from], e.text[to:]...); e.caret = from }
	if e.all && (in.Backspace || in.Delete || in.Text != "") {
		remove(0, len(e.text))
	} else if in.Backspace && e.caret > 0 {
		remove(e.caret-1, e.caret)
	} else if in.Delete && e.caret < len(e.text) {
		remove(e.caret, e.caret+1)
	}
	for _, r := range in.Text {
		if unicode.IsPrint(r) && len(e.text) < maxFieldLength {
			e.text = append(e.text[:e.caret], append([]rune{r}, e.text[e.caret:]...)...)
			e.caret++
		}
	}
	switch {
	case in.Left:
		e.caret = max(e.caret-1, 0)
	case in.Right:
		e.caret = min(e.caret+1, len(e.text))
	case in.Home:
		e.caret = 0
	case in.End:
		e.caret = len(e.text)
	}
	if in.Text != "" || in.Backspace || in.Delete || in.Left || in.Right || in.Home || in.End {
		e.all = false
	}
}

// maxFieldLength is the length of the longest text in a field, in characters.
const maxFieldLength = 200

// Field describes a text that can be typed.
type Field struct {
	ID, Value, Placeholder, Help string

	// Check returns why a text is refused. Nil accepts all.
	Check func(string) error

	// Live commits every change at once, as a filter does.
	Live bool
}

// Field is a field for a text in a place. A click begins to edit it. Enter, or a click elsewhere, commits the
// text if Check accepts it; Enter on a refused text goes on editing, with the reason as the tooltip, and
// Escape or a click elsewhere restores the value.
func (u *UI) Field(r image.Rectangle, f Field) (text string, committed bool) {
	u.Explain(r, f.Help)
	u.place(f.ID, r)
	e := &u.edit
	text = f.Value
	clicked, enter := u.grab(f.ID, r), u.in.Enter && e.id == f.ID
	if (clicked || u.keyboard.wantsText(f.ID, &u.in)) && e.id != f.ID {
		e.start(f.ID, f.Value)
	}
	editing := e.id == f.ID
	var bad error
	if editing {
		e.seen, u.keyboard.used = true, true
		e.key(&u.in)
		typed := string(e.text)
		if f.Check != nil {
			bad = f.Check(typed)
		}
		leave := u.in.Pressed && !clicked || u.in.Tab
		if bad == nil && typed != f.Value && (f.Live || enter || leave) {
			text, committed = typed, true
		}
		if u.in.Escape || leave || enter && bad == nil {
			*e = edit{}
			editing = false
			if u.in.Tab {
				u.keyboard.focus = f.ID
			}
		}
		if editing && bad != nil {
			u.tooltip, u.urgent = bad.Error(), true
		}
	}
	u.drawField(r, f, text, editing, bad)
	u.ring(f.ID, r)
	return text, committed
}

// drawField draws a field. While it is edited, the end of a text that is too long is shown.
func (u *UI) drawField(r image.Rectangle, f Field, text string, editing bool, bad error) {
	u.rect(r, fieldColor)
	border := borderColor
	switch {
	case bad != nil:
		border = errorColor
	case editing:
		border = markColor
	case u.over(r) && u.disabled == "":
		border = dimColor
	}
	u.border(u.list, r, border)
	font, inner := u.Font(false), image.Rect(r.Min.X+u.Px(5), r.Min.Y, r.Max.X-u.Px(5), r.Max.Y)
	if !editing {
		if text == "" {
			u.text(u.list, inner, font, disabledColor, f.Placeholder, Left)
			return
		}
		u.text(u.list, inner, font, u.textColor(false), text, Left)
		return
	}
	e := &u.edit
	first := 0
	for first < e.caret && font.Width(string(e.text[first:e.caret])) > float32(inner.Dx()) {
		first++
	}
	shown := string(e.text[first:])
	if e.all && len(e.text) > 0 {
		u.rect(image.Rect(inner.Min.X, r.Min.Y+u.Px(3), inner.Min.X+min(int(font.Width(shown)), inner.Dx()), r.Max.Y-u.Px(3)), fillColor)
	}
	for font.Width(shown) > float32(inner.Dx()) {
		shown = string([]rune(shown)[:len([]rune(shown))-1])
	}
	u.text(u.list, inner, font, textColor, shown, Left)
	x := inner.Min.X + int(font.Width(string(e.text[first:e.caret])))
	u.rect(image.Rect(x, r.Min.Y+u.Px(4), x+u.Px(1), r.Max.Y-u.Px(4)), textColor)
}

// Number describes a number that can be dragged and typed.
type Number struct {
	ID        string
	Value     float64
	Low, High float64 // of the slider, which snaps to Step
	Step      float64
	Min, Max  float64 // allowed for a typed number
	Whole     bool    // only whole numbers
	Log       bool    // the slider is logarithmic; Low is above 0
	Digits    int     // most digits after the decimal point
	Help      string
}

// Number is a slider with a field for the number beside it. It returns the value and whether it has changed.
func (u *UI) Number(r image.Rectangle, n Number) (value float64, changed bool) {
	width := max(u.Px(58), int(u.Font(false).Width(formatNumber(n.Value, n.Digits)))+u.Px(12))
	track := image.Rect(r.Min.X, r.Min.Y, r.Max.X-width-u.Px(4), r.Max.Y)
	field := image.Rect(track.Max.X+u.Px(4), r.Min.Y, r.Max.X, r.Max.Y)
	value = n.Value
	u.place(n.ID, track)
	if share, moved := u.slide(&n, track); moved {
		if v := n.at(share); v != n.Value {
			value, changed = v, true
		}
	}
	u.drawTrack(n, track, value)
	u.ring(n.ID, track)
	text, typed := u.Field(field, Field{ID: u.join(n.ID, " number"), Value: formatNumber(value, n.Digits), Help: n.Help, Check: n.check})
	if typed && !changed {
		v, _ := strconv.ParseFloat(text, 64)
		return v, v != n.Value
	}
	return value, changed
}

// slide lets debugui drag a slider, or the keys move it, and returns its new place.
func (u *UI) slide(n *Number, track image.Rectangle) (share float64, moved bool) {
	if u.disabled != "" || n.High <= n.Low {
		return 0, false
	}
	x := &u.cell
	x.share, x.moved = n.share(n.Value), false
	u.put(n.ID, track, u.controls.slider)
	share, moved = x.share, x.moved
	if u.in.Pressed && u.over(track) {
		u.active = n.ID
		if !moved && u.slid.id == n.ID { // a finger that has left
			share, moved = u.slid.share, true
		}
	}
	if x.moved {
		u.slid.id, u.slid.share = n.ID, share
		moved = u.in.Down && u.active == n.ID // otherwise a finger that may come to scroll
	}
	if u.keyboard.use(n.ID) {
		return u.stepSlider(n)
	}
	return share, moved
}

// stepSlider returns the place to which the keys move a slider: by a step, or ten with Page Up and Page Down, and with
// Shift by the smallest one.
func (u *UI) stepSlider(n *Number) (share float64, moved bool) {
	steps := 0.0
	switch in := &u.in; {
	case in.Home:
		return 0, true
	case in.End:
		return 1, true
	case in.Left, in.ArrowDown:
		steps = -1
	case in.Right, in.ArrowUp:
		steps = 1
	case in.PageDown:
		steps = -10
	case in.PageUp:
		steps = 10
	default:
		return 0, false
	}
	size := 0.02 // a fiftieth of the length
	if u.in.Shift {
		size = 0
	}
	from := n.share(n.Value)
	if size = max(size, n.Step/(n.High-n.Low)); n.Log {
		size = max(size, 0.002)
	}
	share = min(max(from+steps*size, 0), 1)
	for n.Log && n.at(share) == n.Value && share > 0 && share < 1 { // two digits are further apart
		share = min(max(share+math.Copysign(size, steps), 0), 1)
	}
	return share, true
}

// at returns the value of the slider at a share of its length, snapped to Step, or to two digits if it is
// logarithmic, and with no more than Digits.
func (n *Number) at(share float64) float64 {
	v := 0.0
	if n.Log {
		v, _ = strconv.ParseFloat(strconv.FormatFloat(n.Low*math.Pow(n.High/n.Low, share), 'g', 2, 64), 64)
	} else {
		v = math.Round((n.Low+share*(n.High-n.Low))/n.Step) * n.Step
	}
	v, _ = strconv.ParseFloat(strconv.FormatFloat(min(max(v, n.Low), n.High), 'f', n.Digits, 64), 64)
	return v
}

// share returns the place of a value on the slider.
func (n *Number) share(v float64) float64 {
	v = min(max(v, n.Low), n.High)
	switch {
	case n.High <= n.Low:
		return 0
	case n.Log:
		return math.Log(v/n.Low) / math.Log(n.High/n.Low)
	}
	return (v - n.Low) / (n.High - n.Low)
}

// check returns why a typed number is refused.
func (n *Number) check(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	kind := "a number"
	if n.Whole {
		kind = "a whole number"
	}
	if err != nil || math.IsNaN(v) || v < n.Min || v > n.Max || n.Whole && v != math.Trunc(v) {
		return fmt.Errorf("%q: want %s from %s to %s", text, kind, formatNumber(n.Min, 6), formatNumber(n.Max, 6))
	}
	return nil
}

// formatNumber returns a number with at most some digits after the decimal point.
func formatNumber(v float64, digits int) string {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'f', digits, 64), 64)
	return strconv.FormatFloat(r, 'f', -1, 64)
}

// drawTrack draws a slider.
func (u *UI) drawTrack(n Number, track image.Rectangle, value float64) {
	knob := u.Px(knobWidth)
	x := track.Min.X + knobWidth/2 + int(n.share(value)*float64(track.Dx()-knobWidth)) - knob/2 // as debugui has it
	x = max(min(x, track.Max.X-knob), track.Min.X)
	track.Min.Y += (track.Dy() - u.Px(rowHeight)) / 2 // in the middle of a row for fingers
	track.Max.Y = track.Min.Y + u.Px(rowHeight)
	bar := image.Rect(track.Min.X, track.Min.Y+u.Px(8), track.Max.X, track.Max.Y-u.Px(8))
	u.rect(bar, fieldColor)
	c, filled := dimColor, fillColor
	switch {
	case u.disabled != "":
		c, filled = disabledColor, controlColor
	case u.active == n.ID:
		c = markColor
	case u.over(track):
		c = textColor
	}
	u.rect(image.Rect(bar.Min.X, bar.Min.Y, x+knob/2, bar.Max.Y), filled)
	u.rect(image.Rect(x, track.Min.Y+u.Px(3), x+knob, track.Max.Y-u.Px(3)), c)
}
