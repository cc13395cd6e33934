package widget

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

// mark returns the text with the caret as | and the other end of a selection as ^.
func (e *textEdit) mark() string {
	if e.caret == e.anchor {
		return e.text[:e.caret] + "|" + e.text[e.caret:]
	}
	from, to := e.selection()
	ends := [2]string{"^", "|"}
	if e.caret < e.anchor {
		ends = [2]string{"|", "^"}
	}
	return e.text[:from] + ends[0] + e.text[from:to] + ends[1] + e.text[to:]
}

// unmark is the reverse of mark.
func unmark(s string) textEdit {
	e := textEdit{text: strings.NewReplacer("|", "", "^", "").Replace(s), limit: 20}
	e.caret = strings.Index(strings.ReplaceAll(s, "^", ""), "|")
	e.anchor = e.caret
	if i := strings.Index(strings.ReplaceAll(s, "|", ""), "^"); i >= 0 {
		e.anchor = i
	}
	return e
}

// TestTextEdit holds what each operation does to a text, its caret and its selection.
func TestTextEdit(t *testing.T) {
	typed := func(s string) func(e *textEdit) { return func(e *textEdit) { e.insert(s, typingStep) } }
	left := func(extend, word bool) func(e *textEdit) { return func(e *textEdit) { e.left(extend, word) } }
	right := func(extend, word bool) func(e *textEdit) { return func(e *textEdit) { e.right(extend, word) } }
	erase := func(forward, word bool) func(e *textEdit) { return func(e *textEdit) { e.erase(forward, word) } }
	for _, c := range []struct {
		name   string
		before string
		do     func(e *textEdit)
		after  string
	}{
		{"type", "ab|", typed("cd"), "abcd|"},
		{"type over a selection", "a^bc|d", typed("x"), "ax|d"},
		{"type over a selection to the left", "a|bc^d", typed("x"), "ax|d"},
		{"left", "ab|c", left(false, false), "a|bc"},
		{"left at the start", "|abc", left(false, false), "|abc"},
		{"left of a selection", "a^bc|d", left(false, false), "a|bcd"},
		{"right of a selection", "a|bc^d", right(false, false), "abc|d"},
		{"right at the end", "abc|", right(false, false), "abc|"},
		{"extend left", "abc|", left(true, false), "ab|c^"},
		{"extend right", "|abc", right(true, false), "^a|bc"},
		{"shrink", "^ab|c", left(true, false), "^a|bc"},
		{"word left", "lag 75ms, loss|", left(false, true), "lag 75ms, |loss"},
		{"word left over signs", "lag 75ms, |loss", left(false, true), "lag |75ms, loss"},
		{"word left inside", "latency=75ms,lo|ss=1", left(false, true), "latency=75ms,|loss=1"},
		{"word right", "|lag 75ms", right(false, true), "lag| 75ms"},
		{"word right over signs", "lag| 75ms", right(false, true), "lag 75ms|"},
		{"extend by a word", "|0.25 ms", right(true, true), "^0.25| ms"},
		{"word right at the end", "ab|  ", right(false, true), "ab  |"},
		{"erase", "ab|c", erase(false, false), "a|c"},
		{"erase at the start", "|abc", erase(false, false), "|abc"},
		{"delete", "a|bc", erase(true, false), "a|c"},
		{"erase a selection", "a^bc|d", erase(false, false), "a|d"},
		{"erase a selection, not a word", "a ^bc|d", erase(false, true), "a |d"},
		{"erase a word", "lag 75ms|", erase(false, true), "lag |"},
		{"delete a word", "|lag 75ms", erase(true, true), "| 75ms"},
		{"line breaks", "|", typed("a\r\nb\tc\n"), "a b c |"},
		{"unseen characters", "|", typed("a\x00\u202eb\ufeff\xff\u00a0c"), "ab c|"},
		{"only unseen characters", "a^b|", typed("\x01\u200f"), "a^b|"},
		{"limit", "0123456789012345678|", typed("abc"), "0123456789012345678a|"},
		{"limit with a selection", "01234567890123456^789|", typed("abcd"), "01234567890123456abc|"},
		{"limit, whole characters", "0123456789012345678|", typed("e\u0301"), "0123456789012345678|"},
		{"accent, left", "ae\u0301|", left(false, false), "a|e\u0301"},
		{"accent, erase", "ae\u0301|", erase(false, false), "a|"},
		{"accent, typed alone", "e|", typed("\u0301"), "e\u0301|"},
		{"accent, typed inside", "e|b", typed("\u0301"), "e\u0301|b"},
		{"family, right", "|👨‍👩‍👧x", right(false, false), "👨‍👩‍👧|x"},
		{"family, erase", "👨‍👩‍👧|x", erase(false, false), "|x"},
		{"flags, left", "🇩🇪🇫🇷|", left(false, false), "🇩🇪|🇫🇷"},
		{"flags, typed before", "|🇩🇪", typed("🇫"), "🇫🇩|🇪"},
		{"select all", "a|b", (*textEdit).selectAll, "^ab|"},
		{"undo of nothing", "a|b", (*textEdit).undo, "a|b"},
		{"redo of nothing", "a|b", (*textEdit).redo, "a|b"},
	} {
		e := unmark(c.before)
		if c.do(&e); e.mark() != c.after {
			t.Errorf("%s: %q becomes %q, want %q", c.name, c.before, e.mark(), c.after)
		}
	}
}

// TestUndo promises that typed characters are one step, erased ones another, and that a change forgets what could be
// redone.
func TestUndo(t *testing.T) {
	e := newTextEdit("75", 20)
	for _, c := range "abc" {
		e.insert(string(c), typingStep)
	}
	e.erase(false, false)
	e.erase(false, false)
	e.move(0, false)
	e.insert("x", typingStep)
	for i, want := range []string{"|a", "abc|", "^75|", "^75|"} {
		if e.undo(); e.mark() != want {
			t.Errorf("undo %d: %q, want %q", i+1, e.mark(), want)
		}
	}
	for i, want := range []string{"abc|", "|a", "x|a", "x|a"} {
		if e.redo(); e.mark() != want {
			t.Errorf("redo %d: %q, want %q", i+1, e.mark(), want)
		}
	}
	e.undo()
	e.insert("y", typingStep)
	if e.redo(); e.text != "ya" {
		t.Errorf("redo after a change: %q", e.text)
	}
	for range 2 * maxSteps {
		e.insert("z", otherStep)
		e.erase(false, false)
		e.move(e.caret, false)
	}
	if len(e.past) > maxSteps {
		t.Errorf("%d steps are remembered", len(e.past))
	}
}

// textModel is a line as a list of characters, each a string, edited in the simplest way.
type textModel struct {
	list          []string
	caret, anchor int
}

func (m *textModel) replace(from, to int, with ...string) {
	m.list = slices.Concat(m.list[:from], with, m.list[to:])
	m.caret = from + len(with)
	m.anchor = m.caret
}

// TestTextEditModel promises that random operations do to a text what they do to a list of characters, that undoing all
// returns to the first text, and redoing all to the last.
func TestTextEditModel(t *testing.T) {
	characters := []string{"a", "B", "7", " ", ",", "_", "é", "e\u0301", "中", "👨‍👩‍👧", "か"}
	rapid.Check(t, func(t *rapid.T) {
		e := textEdit{limit: 1000}
		var m textModel
		for range rapid.IntRange(1, 40).Draw(t, "operations") {
			extend := rapid.Bool().Draw(t, "extend")
			from, to := min(m.caret, m.anchor), max(m.caret, m.anchor)
			moved := m.caret
			switch op := rapid.IntRange(0, 6).Draw(t, "operation"); op {
			case 0, 1:
				typed := rapid.SliceOfN(rapid.SampledFrom(characters), 1, 4).Draw(t, "typed")
				e.insert(strings.Join(typed, ""), stepKind(rapid.IntRange(0, 1).Draw(t, "kind")))
				m.replace(from, to, typed...)
				moved = m.caret
				extend = false
			case 2, 3:
				if e.erase(op == 3, false); from < to {
				} else if op == 3 {
					to = min(to+1, len(m.list))
				} else {
					from = max(from-1, 0)
				}
				m.replace(from, to)
				moved = m.caret
				extend = false
			case 4:
				if e.left(extend, false); extend || from == to {
					moved = max(m.caret-1, 0)
				} else {
					moved = from
				}
			case 5:
				if e.right(extend, false); extend || from == to {
					moved = min(m.caret+1, len(m.list))
				} else {
					moved = to
				}
			case 6:
				before := e.caret
				if rapid.Bool().Draw(t, "left"); rapid.Bool().Draw(t, "right") {
					e.right(extend, true)
					if e.caret < before {
						t.Fatalf("a word to the right is at %d, left of %d", e.caret, before)
					}
				} else if e.left(extend, true); e.caret > before {
					t.Fatalf("a word to the left is at %d, right of %d", e.caret, before)
				}
				moved = uniseg.GraphemeClusterCount(e.text[:e.caret])
			}
			m.caret = moved
			if !extend {
				m.anchor = moved
			}
			want := textEdit{text: strings.Join(m.list, "")}
			want.caret, want.anchor = len(strings.Join(m.list[:m.caret], "")), len(strings.Join(m.list[:m.anchor], ""))
			if e.mark() != want.mark() {
				t.Fatalf("%q, want %q", e.mark(), want.mark())
			}
		}
		last := e.text
		for range maxSteps {
			e.undo()
		}
		if e.text != "" {
			t.Fatalf("all undone: %q", e.text)
		}
		for range maxSteps {
			e.redo()
		}
		if e.text != last {
			t.Fatalf("all redone: %q, want %q", e.text, last)
		}
	})
}

// FuzzTextEdit promises that any text, typed anywhere, leaves a text that a field may have: valid, no longer than
// allowed, with the caret between two characters.
func FuzzTextEdit(f *testing.F) {
	f.Add("", "e\u0301\u200d", byte(3))
	f.Add("🇩🇪🇫🇷", "🇪", byte(1))
	f.Add("abc", "\xff\r\n", byte(7))
	f.Fuzz(func(t *testing.T, text, typed string, keys byte) {
		if len(text) > 200 || len(typed) > 200 {
			return
		}
		e := newTextEdit(text, 30)
		e.text = firstCharacters(e.text, 30)
		e.selectAll()
		e.left(keys&1 != 0, keys&2 != 0)
		e.left(keys&4 != 0, keys&8 != 0)
		e.insert(typed, typingStep)
		e.erase(keys&16 != 0, keys&32 != 0)
		if keys&64 != 0 {
			e.undo()
		}
		for _, at := range []int{e.caret, e.anchor} {
			if at > len(e.text) || nearestCharacter(e.text, at) != at {
				t.Errorf("position %d in %q", at, e.text)
			}
		}
		if !utf8.ValidString(e.text) || cleanText(e.text) != e.text || utf8.RuneCountInString(e.text) > 30 {
			t.Errorf("%q", e.text)
		}
	})
}
