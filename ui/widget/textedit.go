package widget

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// textEdit is a line of text with a caret and a selection, and the steps that led to it. It knows neither keys nor
// pixels. Positions are bytes of the text, always between two characters as a reader sees them: an accent or a part of
// an emoji never stands alone. The zero value is an empty text that takes nothing; limit makes room.
type textEdit struct {
	text   string
	caret  int
	anchor int // the other end of the selection; at the caret: nothing is selected
	limit  int // most code points

	past, future []textState // that undo and redo return to, the nearest last
	step         stepKind    // of the last change, if nothing has happened since
}

// textState is a state that undo returns to.
type textState struct {
	text          string
	caret, anchor int
}

// stepKind says which changes belong to one step of undo.
type stepKind uint8

const (
	otherStep stepKind = iota
	typingStep
	erasingStep
)

// maxSteps bounds the steps that can be undone.
const maxSteps = 200

// newTextEdit returns an edit of a text, all of which is selected.
func newTextEdit(text string, limit int) textEdit {
	e := textEdit{text: cleanText(text), limit: limit}
	e.selectAll()
	return e
}

// selection returns the bounds of the selected text, in order.
func (e *textEdit) selection() (from, to int) { return min(e.caret, e.anchor), max(e.caret, e.anchor) }

// selected returns the selected text.
func (e *textEdit) selected() string {
	from, to := e.selection()
	return e.text[from:to]
}

func (e *textEdit) selectAll() { e.choose(0, len(e.text)) }

// choose selects a part of the text, with the caret at its end.
func (e *textEdit) choose(from, to int) { e.anchor, e.caret, e.step = from, to, otherStep }

// move moves the caret to a position. Unless it extends the selection, it ends it.
func (e *textEdit) move(to int, extend bool) {
	e.caret, e.step = to, otherStep
	if !extend {
		e.anchor = to
	}
}

// left moves the caret by a character or a word. Without extending, a selection collapses to its left end.
func (e *textEdit) left(extend, word bool) {
	from, to := e.selection()
	switch {
	case word:
		e.move(wordStart(e.text, e.caret), extend)
	case !extend && from < to:
		e.move(from, false)
	default:
		e.move(characterBefore(e.text, e.caret), extend)
	}
}

// right moves the caret by a character or a word. Without extending, a selection collapses to its right end.
func (e *textEdit) right(extend, word bool) {
	from, to := e.selection()
	switch {
	case word:
		e.move(wordEnd(e.text, e.caret), extend)
	case !extend && from < to:
		e.move(to, false)
	default:
		e.move(characterAfter(e.text, e.caret), extend)
	}
}

// insert puts a text in place of the selection, as far as the limit allows. Line breaks and tabs become spaces, and what
// cannot be seen is left out. Characters that are typed one after the other are one step of undo.
func (e *textEdit) insert(text string, kind stepKind) {
	text = cleanText(text)
	if text == "" {
		return
	}
	from, to := e.selection()
	room := max(e.limit-utf8.RuneCountInString(e.text)+utf8.RuneCountInString(e.text[from:to]), 0)
	if utf8.RuneCountInString(text) > room {
		text = firstCharacters(text, room)
		if text == "" {
			return
		}
	}
	e.replace(from, to, text, kind)
}

// erase removes the selection, or else the character or word before or after the caret.
func (e *textEdit) erase(forward, word bool) {
	from, to := e.selection()
	kind := erasingStep
	switch {
	case from < to:
		kind = otherStep
	case forward && word:
		to = wordEnd(e.text, e.caret)
	case forward:
		to = characterAfter(e.text, e.caret)
	case word:
		from = wordStart(e.text, e.caret)
	default:
		from = characterBefore(e.text, e.caret)
	}
	if from < to {
		e.replace(from, to, "", kind)
	}
}

// replace puts a text in place of a part, and remembers how it was.
func (e *textEdit) replace(from, to int, text string, kind stepKind) {
	if kind == otherStep || kind != e.step {
		e.past = append(e.past, textState{e.text, e.caret, e.anchor})
		if len(e.past) > maxSteps {
			e.past = e.past[1:]
		}
	}
	e.future, e.step = nil, kind
	e.text = e.text[:from] + text + e.text[to:]
	// The text around may take the inserted text into its first or last character.
	at := nearestCharacter(e.text, from+len(text))
	e.caret, e.anchor = at, at
}

// undo returns to the text before the last step.
func (e *textEdit) undo() { e.travel(&e.past, &e.future) }

// redo makes a step again that was undone.
func (e *textEdit) redo() { e.travel(&e.future, &e.past) }

func (e *textEdit) travel(from, to *[]textState) {
	e.step = otherStep
	if len(*from) == 0 {
		return
	}
	s := (*from)[len(*from)-1]
	*from = (*from)[:len(*from)-1]
	*to = append(*to, textState{e.text, e.caret, e.anchor})
	e.text, e.caret, e.anchor = s.text, s.caret, s.anchor
}

// cleanText returns a text as a field takes it: one line, without what cannot be seen. What joins characters, as in
// emoji and in some scripts, stays.
func cleanText(text string) string {
	if isClean(text) {
		return text
	}
	var b strings.Builder
	last := rune(0)
	for _, r := range text {
		before := last
		last = r
		switch {
		case r == '\n' && before == '\r', r == utf8.RuneError:
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case isShown(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isClean(text string) bool {
	for _, r := range text {
		if !isShown(r) || r == utf8.RuneError {
			return false
		}
	}
	return true
}

// isShown reports whether a character may stand in a field.
func isShown(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return unicode.IsPrint(r) || r == nonJoiner || r == joiner
}

// firstCharacters returns the whole characters at the start of a text that have at most n code points together.
func firstCharacters(text string, n int) string {
	end := 0
	for end < len(text) {
		next := characterAfter(text, end)
		if n -= utf8.RuneCountInString(text[end:next]); n < 0 {
			break
		}
		end = next
	}
	return text[:end]
}

// characterAfter returns the end of the character at a position.
func characterAfter(text string, at int) int {
	if at >= len(text) {
		return len(text)
	}
	c, _, _, _ := uniseg.FirstGraphemeClusterInString(text[at:], -1)
	return at + len(c)
}

// characterBefore returns the start of the character before a position.
func characterBefore(text string, at int) int {
	before := 0
	for i := 0; i < at; i = characterAfter(text, i) {
		before = i
	}
	return before
}

// nearestCharacter returns the first position between characters that is not before a position.
func nearestCharacter(text string, at int) int {
	i := 0
	for i < at {
		i = characterAfter(text, i)
	}
	return i
}

// wordAt returns the bounds of the word, the spaces or the sign around a position.
func wordAt(text string, at int) (from, to int) {
	for to < len(text) {
		w, _, _ := uniseg.FirstWordInString(text[to:], -1)
		if from, to = to, to+len(w); to > at {
			break
		}
	}
	return from, to
}

// wordEnd returns the end of the word after a position.
func wordEnd(text string, at int) int {
	for at < len(text) {
		from, to := wordAt(text, at)
		if at = to; isWord(text[from:to]) {
			break
		}
	}
	return at
}

// wordStart returns the start of the word before a position.
func wordStart(text string, at int) int {
	start := 0
	for from := 0; from < at; {
		_, to := wordAt(text, from)
		if isWord(text[from:to]) {
			start = from
		}
		from = to
	}
	return start
}

// isWord reports whether a part of a text is neither spaces nor signs.
func isWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_' })
}
