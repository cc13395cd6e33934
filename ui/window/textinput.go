package window

import (
	"image"

	"github.com/hajimehoshi/ebiten/v2/exp/textinput"

	"ghostcube/ui/platform"
	"ghostcube/ui/widget"
)

// textInput takes typed characters from the machine's input method, which composes those that no key has, and shows
// its candidates beside the caret. Where there is none, or not yet, the keyboard's characters count.
//
// The input method is told nothing of the text around the caret. It could only ask to replace it, and a browser does
// that with every Backspace, which arrives as a key as well.
type textInput struct {
	composer textinput.Composer
	failed   bool            // it has returned an error; it would do so in every update
	caret    image.Rectangle // pixels of the window
	placed   image.Rectangle // the caret when the input method was told

	// Of this update:
	committed []byte
	called    bool // the composer has called back
	wasOpen   bool // a session with the input method was open before
	open      bool // one is open now
	composed  bool // something was being composed

	composition      string
	compositionCaret int // bytes
}

// start sets what the composer calls.
func (t *textInput) start() {
	t.composer.OnNewSession = func() *textinput.SessionOptions {
		t.called, t.open, t.placed = true, false, t.caret
		return &textinput.SessionOptions{CaretBounds: t.caret}
	}
	t.composer.OnCommit = func(c *textinput.Commit) {
		t.heard()
		t.committed = append(t.committed, c.Text()...)
	}
	t.composer.OnComposition = func(c *textinput.Composition) {
		t.heard()
		t.composition = c.Text()
		t.compositionCaret, _ = c.SelectionRangeInBytes()
		t.composed = t.composed || t.composition != ""
	}
}

// heard notes that a session is open. If it speaks before a new one was asked for, it was open before this update.
func (t *textInput) heard() {
	t.wasOpen = t.wasOpen || !t.called
	t.called, t.open = true, true
}

// update sets the text and the composition of an update. caret is where a text is typed, if one is. typed are the
// characters that the keyboard reports by itself: the same again if a session was open. taken: the input method takes
// the keys of this update.
func (t *textInput) update(in *widget.Input, typing bool, caret image.Rectangle, typed []rune) (taken bool) {
	if t.composer.OnNewSession == nil {
		t.start()
	}
	if !typing || t.failed {
		t.composer.Cancel()
		t.composition, t.placed = "", image.Rectangle{}
		in.Text = text(typed)
		return false
	}
	t.caret, t.committed = caret, t.committed[:0]
	t.called, t.wasOpen, t.composed = false, false, t.composition != ""
	if in.Pressed && t.composition != "" {
		t.composer.Confirm() // the press may move the caret
	}
	taken, err := t.composer.Update()
	if t.failed = err != nil; t.failed {
		t.open, t.composition = false, ""
	}
	if t.open && t.composition == "" && t.placed != caret { // the candidates are to follow the caret
		t.composer.Cancel()
		again, _ := t.composer.Update()
		taken = taken || again
	}
	if !t.open {
		platform.FocusTyping()
	}
	switch {
	case len(t.committed) > 0:
		in.Text = string(t.committed)
	case !t.wasOpen:
		in.Text = text(typed)
	}
	in.Composition, in.CompositionCaret = t.composition, t.compositionCaret
	return taken && t.composed
}

// text returns characters as a text; of none, without an allocation.
func text(list []rune) string {
	if len(list) == 0 {
		return ""
	}
	return string(list)
}
