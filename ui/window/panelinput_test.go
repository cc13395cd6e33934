package window

import (
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"ghostcube/ui/widget"
)

// TestEditKeys holds the keys that edit a text, with the modifiers of each system and in other layouts than the
// American.
func TestEditKeys(t *testing.T) {
	german := func(k ebiten.Key) string {
		switch k {
		case ebiten.KeyZ:
			return "y"
		case ebiten.KeyY:
			return "z"
		}
		return strings.ToLower(k.String())
	}
	russian := func(k ebiten.Key) string { return "с" }
	unknown := func(ebiten.Key) string { return "" }
	const control, shift, alt, meta, mac = "control", "shift", "alt", "meta", "mac"
	for _, c := range []struct {
		held string // modifiers, and mac
		key  ebiten.Key
		name func(ebiten.Key) string
		want widget.Input
	}{
		{"", ebiten.KeyArrowLeft, unknown, widget.Input{Left: true}},
		{shift, ebiten.KeyArrowRight, unknown, widget.Input{Right: true, Shift: true}},
		{control, ebiten.KeyArrowLeft, unknown, widget.Input{Left: true, Word: true}},
		{control + shift, ebiten.KeyArrowLeft, unknown, widget.Input{Left: true, Word: true, Shift: true}},
		{mac + alt, ebiten.KeyArrowLeft, unknown, widget.Input{Left: true, Word: true}},
		{mac + meta, ebiten.KeyArrowLeft, unknown, widget.Input{Home: true}},
		{mac + meta + shift, ebiten.KeyArrowRight, unknown, widget.Input{End: true, Shift: true}},
		{"", ebiten.KeyHome, unknown, widget.Input{Home: true}},
		{control, ebiten.KeyBackspace, unknown, widget.Input{Backspace: true, Word: true}},
		{"", ebiten.KeyDelete, unknown, widget.Input{Delete: true}},
		{shift, ebiten.KeyDelete, unknown, widget.Input{Cut: true, Shift: true}},
		{shift, ebiten.KeyInsert, unknown, widget.Input{Paste: true, Shift: true}},
		{control, ebiten.KeyInsert, unknown, widget.Input{Copy: true, Word: true}},
		{"", ebiten.KeyInsert, unknown, widget.Input{}},
		{control, ebiten.KeyA, unknown, widget.Input{SelectAll: true, Word: true}},
		{control, ebiten.KeyX, unknown, widget.Input{Cut: true, Word: true}},
		{control, ebiten.KeyC, unknown, widget.Input{Copy: true, Word: true}},
		{control, ebiten.KeyC, russian, widget.Input{Copy: true, Word: true}},
		{control, ebiten.KeyV, unknown, widget.Input{Paste: true, Word: true}},
		{control, ebiten.KeyZ, unknown, widget.Input{Undo: true, Word: true}},
		{control, ebiten.KeyY, german, widget.Input{Undo: true, Word: true}},
		{control, ebiten.KeyZ, german, widget.Input{Redo: true, Word: true}},
		{control, ebiten.KeyY, unknown, widget.Input{Redo: true, Word: true}},
		{control + shift, ebiten.KeyZ, unknown, widget.Input{Redo: true, Word: true, Shift: true}},
		{control + alt, ebiten.KeyZ, unknown, widget.Input{}}, // AltGr
		{mac + meta, ebiten.KeyV, unknown, widget.Input{Paste: true}},
		{mac + control, ebiten.KeyV, unknown, widget.Input{}},
		{meta, ebiten.KeyV, unknown, widget.Input{}},
		{"", ebiten.KeyV, unknown, widget.Input{}},
		{"", ebiten.KeyNumpadEnter, unknown, widget.Input{Enter: true}},
		{"", ebiten.KeyEscape, unknown, widget.Input{Escape: true}},
	} {
		held := func(what string) bool { return strings.Contains(c.held, what) }
		k := keyboard{
			control: held(control), alt: held(alt), meta: held(meta), shift: held(shift), mac: held(mac),
			pressed: []ebiten.Key{c.key}, repeated: func(k ebiten.Key) bool { return k == c.key }, name: c.name,
		}
		var in widget.Input
		if k.edit(&in); in != c.want {
			t.Errorf("%s %v: %+v, want %+v", c.held, c.key, in, c.want)
		}
	}
}

// TestClickCounter promises that presses count together if they are close in time and place, and at most three.
func TestClickCounter(t *testing.T) {
	var c clickCounter
	var got []int
	for _, s := range []struct{ wait, x int }{{100, 0}, {10, 1}, {10, 2}, {10, 2}, {10, 2}, {30, 2}, {10, 30}, {10, 31}} {
		for range s.wait - 1 {
			c.count(pointer{}, 60, 4)
		}
		got = append(got, c.count(pointer{at: image.Pt(s.x, 5), pressed: true}, 60, 4))
	}
	if want := []int{1, 2, 3, 1, 2, 1, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestPanelClipboard promises that a slow clipboard holds up no update, that its text arrives in a later one, and that
// a failure becomes a message.
func TestPanelClipboard(t *testing.T) {
	g := newTestGame(t, "rewind")
	p := &g.panel
	answer := make(chan string)
	copied := make(chan string, 1)
	p.input.clip.pasteText = func() (string, error) {
		text := <-answer
		if text == "" {
			return "", errors.New("the clipboard has no text")
		}
		return text, nil
	}
	g.session.Platform.CopyText = func(s string) error {
		copied <- s
		return errors.New("no tool")
	}
	p.input.clip.connect(p)
	wait := func(what string, in func() widget.Input, done func() bool) {
		t.Helper()
		for range 1000 {
			g.lay(t, in())
			if message := p.input.clip.poll(); message != "" {
				g.session.Notices.Post(message)
			}
			if done() {
				return
			}
			time.Sleep(time.Millisecond)
		}
		t.Fatalf("%s does not happen; notices %v", what, g.session.Notices.Texts())
	}
	pasted := func() widget.Input { return widget.Input{Pasted: p.input.clip.pasted()} }
	noticed := func(text string) func() bool {
		return func() bool { return strings.Contains(fmt.Sprint(g.session.Notices.Texts()), text) }
	}
	g.openPage(t, "Compare")
	g.click(t, "filter comparisons")
	g.lay(t, widget.Input{Text: "csp"})
	g.lay(t, widget.Input{Home: true, Shift: true})
	g.lay(t, widget.Input{Copy: true})
	if got := <-copied; got != "csp" {
		t.Errorf("copied %q", got)
	}
	wait("the message of a copy", pasted, noticed("not copied: no tool"))
	g.lay(t, widget.Input{Paste: true})
	g.lay(t, pasted())
	if p.compare.filter != "csp" {
		t.Errorf("before the clipboard answers, the filter is %q", p.compare.filter)
	}
	answer <- "lockstep"
	wait("the paste", pasted, func() bool { return p.compare.filter == "lockstep" })
	g.lay(t, widget.Input{Paste: true})
	answer <- ""
	wait("the message of a paste", pasted, noticed("not pasted: the clipboard has no text"))
}
