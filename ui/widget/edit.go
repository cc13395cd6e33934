package widget

import "unicode"

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
