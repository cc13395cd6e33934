package widget

import (
	"image"
	"strings"

	"ghostcube/render"
)

// edit is the field that is being edited.
type edit struct {
	textEdit
	id   string // of the field; empty: none
	seen bool   // the field was laid out in this update

	composition      string // what an input method composes in place of the selection, not yet part of the text
	compositionCaret int    // bytes in it

	first    int             // position of the first character that is shown
	caretBox image.Rectangle // pixels of the window
	idle     int             // updates since the last change, for the blinking

	pressedAt image.Point // where the button went down
	drag      bool        // the caret follows the pointer

	pasting bool // a paste was asked for and has not arrived
	left    leftEdit
}

// leftEdit is a text that was typed into a field that is edited no more, until that field is laid out.
type leftEdit struct {
	id, text string
	updates  int // for which it has waited
}

func (e *edit) begin() { e.seen = false }

// end stops editing a field that is gone.
func (e *edit) end() {
	if e.left.id != "" {
		if e.left.updates++; e.left.updates > 1 {
			e.left = leftEdit{}
		}
	}
	if !e.seen {
		*e = edit{left: e.left}
	}
	e.idle++
}

// stop ends editing.
func (e *edit) stop() { *e = edit{left: e.left} }

// typing is what keys and pointer do to the field that is edited.
type typing struct{ u *UI }

// start begins to edit a text, all of which is selected. What was typed into another field before is kept for it.
func (t typing) start(id, text string) {
	e := &t.u.edit
	left := e.left
	if e.id != "" && e.id != id {
		t.apply()
		left = leftEdit{id: e.id, text: e.typed()}
	}
	*e = edit{textEdit: newTextEdit(text, maxFieldLength), id: id, seen: true, left: left}
}

// typed returns the text with what an input method composes.
func (e *edit) typed() string {
	if e.composition == "" {
		return e.text
	}
	from, to := e.selection()
	return e.text[:from] + e.composition + e.text[to:]
}

// shownCaret returns the position of the caret in typed.
func (e *edit) shownCaret() int {
	if e.composition == "" {
		return e.caret
	}
	from, _ := e.selection()
	return from + e.compositionCaret
}

// apply applies keys, typed and pasted characters to the field that is edited, once. On a slow machine one update has
// several, and only the order of the characters is known: keys that move or select come before those that remove, and
// these before the characters.
func (t typing) apply() {
	u, e, in := t.u, &t.u.edit, &t.u.in
	if in.edits() || in.Composition != e.composition {
		e.idle = 0
	}
	if in.Composition == "" { // otherwise the keys are the input method's
		t.applyKeys()
	}
	e.insert(in.Text, typingStep)
	if e.pasting && in.Pasted != "" {
		e.insert(strings.TrimRight(in.Pasted, "\r\n"), otherStep)
		e.pasting = false
	}
	e.composition = cleanText(in.Composition)
	e.compositionCaret = nearestCharacter(e.composition, min(max(in.CompositionCaret, 0), len(e.composition)))
	if in.Paste && u.OnPaste != nil {
		e.pasting = true
		u.OnPaste()
	}
	in.clearEdits()
}

// applyKeys applies the keys but those of characters.
func (t typing) applyKeys() {
	e, in, onCopy := &t.u.edit, &t.u.in, t.u.OnCopy
	if in.SelectAll {
		e.selectAll()
	}
	switch {
	case in.Undo:
		e.undo()
	case in.Redo:
		e.redo()
	}
	switch {
	case in.Left:
		e.textEdit.left(in.Shift, in.Word)
	case in.Right:
		e.right(in.Shift, in.Word)
	case in.Home:
		e.move(0, in.Shift)
	case in.End:
		e.move(len(e.text), in.Shift)
	}
	if (in.Copy || in.Cut) && e.selected() != "" && onCopy != nil {
		onCopy(e.selected())
		if in.Cut {
			e.erase(false, false)
		}
	}
	if in.Backspace {
		e.erase(false, in.Word)
	}
	if in.Delete {
		e.erase(true, in.Word)
	}
}

// edits reports whether the input has anything for the field that is edited.
func (in *Input) edits() bool {
	return in.Text != "" || in.Pasted != "" || in.Left || in.Right || in.Home || in.End || in.Backspace || in.Delete ||
		in.SelectAll || in.Undo || in.Redo || in.Copy || in.Cut || in.Paste
}

// clearEdits removes all that edits reports, so that no other field gets it.
func (in *Input) clearEdits() {
	in.Text, in.Pasted, in.Composition, in.CompositionCaret = "", "", "", 0
	in.Left, in.Right, in.Home, in.End, in.Backspace, in.Delete = false, false, false, false, false, false
	in.SelectAll, in.Undo, in.Redo, in.Copy, in.Cut, in.Paste = false, false, false, false, false, false
}

// point applies the pointer to the field that is edited. began: its first press has begun to edit it, which selects all,
// unless the pointer is dragged then. A press places the caret, two select a word and three all.
func (t typing) point(inner image.Rectangle, pressed, began, held bool) {
	e, in := &t.u.edit, &t.u.in
	switch at := t.characterAt(inner, in.Pointer.X); {
	case pressed && began:
		e.pressedAt = in.Pointer
	case pressed:
		e.idle, e.drag, e.pressedAt = 0, false, in.Pointer
		switch {
		case in.Shift:
			e.move(at, true)
			e.drag = true
		case in.Clicks >= 3:
			e.selectAll()
		case in.Clicks == 2:
			e.choose(wordAt(e.text, t.characterUnder(inner, in.Pointer.X)))
		default:
			e.move(at, false)
			e.drag = true
		}
	case !held:
		e.drag, e.pressedAt = false, image.Point{}
	case e.drag:
		if at != e.caret {
			e.idle = 0
			e.move(at, true)
		}
	case e.pressedAt != image.Point{} && in.Clicks < 2 && abs(in.Pointer.X-e.pressedAt.X) > t.u.Px(3):
		e.move(t.characterAt(inner, e.pressedAt.X), false)
		e.move(at, true)
		e.drag = true
	}
}

func abs(n int) int { return max(n, -n) }

// characterAt returns the position between two characters that is nearest to a place; beside the field, one that is not
// shown, so that a drag to there scrolls.
func (t typing) characterAt(inner image.Rectangle, x int) int {
	e, font := &t.u.edit, t.u.Font(false)
	if x < inner.Min.X {
		return characterBefore(e.text, e.first)
	}
	at := e.first
	for left := float32(inner.Min.X); at < len(e.text); {
		next := characterAfter(e.text, at)
		right := left + font.Width(e.text[at:next])
		if float32(x) < (left+right)/2 || int(left) > inner.Max.X {
			break
		}
		at, left = next, right
	}
	return at
}

// characterUnder returns the start of the character at a place.
func (t typing) characterUnder(inner image.Rectangle, x int) int {
	e, font := &t.u.edit, t.u.Font(false)
	at := e.first
	for left := float32(inner.Min.X); at < len(e.text); {
		next := characterAfter(e.text, at)
		left += font.Width(e.text[at:next])
		if float32(x) < left {
			break
		}
		at = next
	}
	return at
}

// scroll chooses the first character that is shown: as few as possible move, the caret is in sight, and no room is left
// empty while characters are hidden.
func (e *edit) scroll(font render.Font, text string, caret, width int) {
	fits := func(s string) bool { return font.Width(s) <= float32(width) }
	e.first = nearestCharacter(text, min(e.first, caret))
	for e.first < caret && !fits(text[e.first:caret]) {
		e.first = characterAfter(text, e.first)
	}
	for e.first > 0 {
		before := characterBefore(text, e.first)
		if !fits(text[before:]) {
			break
		}
		e.first = before
	}
}

// Caret returns the place of the caret in the last update, in pixels of the window, where an input method shows its
// candidates. ok is false if no text is being typed.
func (u *UI) Caret() (r image.Rectangle, ok bool) { return u.edit.caretBox, u.edit.id != "" }
