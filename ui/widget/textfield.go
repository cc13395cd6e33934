package widget

import "image"

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
	clicked := u.grab(f.ID, r)
	if clicked && e.id != f.ID {
		e.start(f.ID, f.Value)
	}
	editing := e.id == f.ID
	var bad error
	if editing {
		e.seen = true
		e.key(&u.in)
		typed := string(e.text)
		if f.Check != nil {
			bad = f.Check(typed)
		}
		leave := u.in.Pressed && !clicked
		if bad == nil && typed != f.Value && (f.Live || u.in.Enter || leave) {
			text, committed = typed, true
		}
		if u.in.Escape || leave || u.in.Enter && bad == nil {
			*e = edit{}
			editing = false
		}
		if editing && bad != nil {
			u.tooltip, u.urgent = bad.Error(), true
		}
	}
	u.drawField(r, f, text, editing, bad)
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
