package widget

import "image"

// Field describes a text that can be typed.
type Field struct {
	ID, Value, Placeholder, Help string

	// Check returns why a text is refused. Nil accepts all.
	Check func(string) error

	// Live commits every change at once, as a filter does.
	Live bool

	// Begin begins to edit it in this update, in sight. Release leaves the keys to the program after Enter.
	Begin, Release bool
}

// maxFieldLength is the length of the longest text in a field, in code points.
const maxFieldLength = 200

// Field is a field for a text in a place. A click or Tab begins to edit it, with all of it selected, and a drag with a
// part. Enter, Tab, or a click elsewhere, commits the text if Check accepts it; Enter on a refused text goes on editing, with the
// reason as the tooltip, and Escape or a click elsewhere restores the value.
func (u *UI) Field(r image.Rectangle, f Field) (text string, committed bool) {
	u.Explain(r, f.Help)
	u.place(f.ID, r)
	e := &u.edit
	text = f.Value
	inner := image.Rect(r.Min.X+u.Px(5), r.Min.Y, r.Max.X-u.Px(5), r.Max.Y)
	clicked, enter := dock{u}.grab(f.ID, r), u.in.Enter && e.id == f.ID
	if f.Begin {
		u.keyboard.focus, u.keyboard.reveal = f.ID, true
	}
	began := (clicked || f.Begin || u.keyboard.wantsText(f.ID, &u.in)) && e.id != f.ID
	if began {
		typing{u}.start(f.ID, f.Value)
	}
	if e.left.id == f.ID { // it was left for a field that is laid out before it
		typed := e.left.text
		e.left = leftEdit{}
		if typed != f.Value && (f.Check == nil || f.Check(typed) == nil) {
			text, committed = typed, true
		}
	}
	editing := e.id == f.ID
	var bad error
	if editing {
		e.seen, u.keyboard.used = true, true
		typing{u}.apply()
		typing{u}.point(inner, clicked, began, u.active == f.ID && u.in.Down)
		typed := e.typed()
		if f.Check != nil {
			bad = f.Check(typed)
		}
		leave := u.in.Pressed && !clicked || u.in.Tab
		if bad == nil && typed != f.Value && (f.Live || enter || leave) {
			text, committed = typed, true
		}
		if u.in.Escape || leave || enter && bad == nil {
			e.stop()
			editing = false
			if u.in.Tab {
				u.keyboard.focus = f.ID
			} else if enter && f.Release {
				u.keyboard.leave()
			}
		}
		if editing && bad != nil {
			u.tooltip, u.urgent = bad.Error(), true
		}
	}
	typing{u}.drawField(r, inner, f, text, editing, bad)
	u.ring(f.ID, r)
	return text, committed
}

// drawField draws a field.
func (t typing) drawField(r, inner image.Rectangle, f Field, text string, editing bool, bad error) {
	u := t.u
	fill(u.list, r, fieldColor)
	edge := borderColor
	switch {
	case bad != nil:
		edge = errorColor
	case editing:
		edge = markColor
	case u.over(r) && u.disabled == "":
		edge = dimColor
	}
	border(u.list, r, u.Px(1), edge)
	switch font := u.Font(false); {
	case editing:
		t.draw(inner)
	case text == "":
		u.text(u.list, inner, font, disabledColor, f.Placeholder, Left)
	default:
		u.text(u.list, inner, font, u.textColor(false), text, Left)
	}
}

// draw draws the text that is edited, with its selection or what is composed, and the caret. Of a text that is too
// long it shows the part around the caret.
func (t typing) draw(inner image.Rectangle) {
	u, e, font := t.u, &t.u.edit, t.u.Font(false)
	text, caret := e.typed(), e.shownCaret()
	e.scroll(font, text, caret, inner.Dx()-u.Px(1))
	end, right := e.first, float32(inner.Min.X)
	for end < len(text) {
		next := characterAfter(text, end)
		w := font.Width(text[end:next])
		if right+w > float32(inner.Max.X) {
			break
		}
		end, right = next, right+w
	}
	x := func(at int) int { // the place of a position, or the nearest that is shown
		return inner.Min.X + int(font.Width(text[e.first:min(max(at, e.first), end)]))
	}
	from, to := e.selection()
	if e.composition != "" {
		to = from + len(e.composition)
		fill(u.list, image.Rect(x(from), inner.Max.Y-u.Px(5), x(to), inner.Max.Y-u.Px(4)), markColor)
	} else if from < to {
		fill(u.list, image.Rect(x(from), inner.Min.Y+u.Px(3), x(to), inner.Max.Y-u.Px(3)), fillColor)
	}
	u.text(u.list, inner, font, textColor, text[e.first:end], Left)
	e.caretBox = image.Rect(x(caret), inner.Min.Y+u.Px(4), x(caret)+max(u.Px(1), 1), inner.Max.Y-u.Px(4))
	if u.Rate < 2 || e.idle/(u.Rate/2)%2 == 0 {
		fill(u.list, e.caretBox, textColor)
	}
}
