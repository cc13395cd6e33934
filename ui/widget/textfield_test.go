package widget

import (
	"errors"
	"image"
	"strings"
	"testing"
)

// fieldDesk is a desk with a field that changes a text at once.
func fieldDesk(text *string) *desk {
	return newDesk(func(u *UI) {
		if v, ok := u.Field(u.Next(22), Field{ID: "f", Value: *text, Live: true, Check: func(s string) error {
			if s == "" {
				return errors.New("empty")
			}
			return nil
		}}); ok {
			*text = v
		}
	})
}

// inText returns the place of a position of the text in the field.
func (d *desk) inText(t *testing.T, text string) image.Point {
	t.Helper()
	r := d.placed["f"]
	return image.Pt(r.Min.X+d.ui.Px(5)+int(d.ui.Font(false).Width(text)+0.5), (r.Min.Y+r.Max.Y)/2)
}

// TestEditing promises the keys that edit a text.
func TestEditing(t *testing.T) {
	text := "seed"
	d := fieldDesk(&text)
	d.click(t, "f")
	for i, step := range []struct {
		in   Input
		want string
	}{
		{Input{End: true}, "seed"}, {Input{Text: "s"}, "seeds"}, {Input{Backspace: true}, "seed"}, {Input{Home: true}, "seed"}, {Input{Delete: true}, "eed"},
		{Input{Text: "f\x00"}, "feed"}, {Input{Right: true}, "feed"}, {Input{Backspace: true}, "fed"},
		{Input{Left: true}, "fed"}, {Input{Left: true}, "fed"}, {Input{Text: "a"}, "afed"},
		{Input{SelectAll: true}, "afed"}, {Input{Backspace: true}, "afed"}, {Input{Text: "n"}, "n"},
		{Input{Text: "et lag"}, "net lag"}, {Input{Left: true, Word: true}, "net lag"}, {Input{Backspace: true, Word: true}, "lag"}, {Input{Undo: true}, "net lag"},
		{Input{Redo: true}, "lag"}, {Input{Undo: true}, "net lag"}, {Input{End: true}, "net lag"},
		{Input{Left: true, Shift: true, Word: true}, "net lag"}, {Input{Text: "x"}, "net x"},
		{Input{Home: true, Shift: true}, "net x"}, {Input{Delete: true}, "net x"}, {Input{Text: "y"}, "y"},
	} {
		if d.update(step.in); text != step.want {
			t.Fatalf("step %d: %q, want %q", i, text, step.want)
		}
	}
}

// TestSelectAndType promises that characters that arrive in one update with the selection of all replace the text, as
// happens on a slow machine.
func TestSelectAndType(t *testing.T) {
	text := "old"
	d := fieldDesk(&text)
	d.click(t, "f")
	d.update(Input{End: true})
	if d.update(Input{SelectAll: true, Text: "new"}); text != "new" {
		t.Errorf("%q", text)
	}
}

// TestFastTyping promises that forty characters a second, of which an update at ten updates a second brings four, all
// arrive in order, and so does one that comes together with the key that ends typing.
func TestFastTyping(t *testing.T) {
	typed := strings.Repeat("The quick brown fox, jumps over 7 dogs! ", 5)[:maxFieldLength]
	text := ""
	d := newDesk(func(u *UI) {
		if v, ok := u.Field(u.Next(22), Field{ID: "f", Value: text}); ok {
			text = v
		}
	})
	d.click(t, "f")
	for i := 0; i < len(typed); i += 4 {
		d.update(Input{Text: typed[i:min(i+4, len(typed))], Enter: i+4 >= len(typed)})
	}
	if text != typed {
		t.Errorf("%q, want %q", text, typed)
	}
	if d.ui.Focused() != "" {
		t.Error("Enter does not end typing")
	}
}

// TestFieldPointer promises that the first press selects all, a drag a part, a press in the edited field places the caret
// at the nearest character, with Shift extends the selection, two select a word and three all.
func TestFieldPointer(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps func(d *desk)
		want  string
	}{
		{"first press", func(d *desk) { d.press(d.inText(t, "la"), Input{}) }, "^lag of 75 ms|"},
		{"first press, then a tremble", func(d *desk) {
			d.press(d.inText(t, "la"), Input{})
			d.update(Input{Pointer: d.inText(t, "la").Add(image.Pt(2, 1)), Down: true})
		}, "^lag of 75 ms|"},
		{"first drag", func(d *desk) {
			d.press(d.inText(t, "la"), Input{})
			d.update(Input{Pointer: d.inText(t, "lag of"), Down: true})
		}, "la^g of| 75 ms"},
		{"second press", func(d *desk) { d.click(t, "f"); d.press(d.inText(t, "lag "), Input{}) }, "lag |of 75 ms"},
		{"nearest", func(d *desk) { d.click(t, "f"); d.press(d.inText(t, "lag ").Add(image.Pt(2, 0)), Input{}) }, "lag |of 75 ms"},
		{"beside the text", func(d *desk) { d.click(t, "f"); d.press(d.inText(t, "lag of 75 ms").Add(image.Pt(40, 0)), Input{}) }, "lag of 75 ms|"},
		{"drag to the left", func(d *desk) {
			d.click(t, "f")
			d.press(d.inText(t, "lag of"), Input{})
			d.update(Input{Pointer: d.inText(t, "la"), Down: true})
			d.update(Input{Pointer: d.inText(t, "l")})
		}, "la|g of^ 75 ms"},
		{"drag, then pointer moves", func(d *desk) {
			d.click(t, "f")
			d.press(d.inText(t, "lag"), Input{})
			d.update(Input{Pointer: d.inText(t, "lag of"), Down: true})
			d.update(Input{Pointer: d.inText(t, "lag of")})
			d.update(Input{Pointer: d.inText(t, "l")})
		}, "lag^ of| 75 ms"},
		{"Shift", func(d *desk) {
			d.click(t, "f")
			d.press(d.inText(t, "lag "), Input{})
			d.update(Input{})
			d.press(d.inText(t, "lag of"), Input{Shift: true})
		}, "lag ^of| 75 ms"},
		{"two presses", func(d *desk) { d.click(t, "f"); d.press(d.inText(t, "lag o"), Input{Clicks: 2}) }, "lag ^of| 75 ms"},
		{"three presses", func(d *desk) { d.click(t, "f"); d.press(d.inText(t, "lag o"), Input{Clicks: 3}) }, "^lag of 75 ms|"},
	} {
		text := "lag of 75 ms"
		d := fieldDesk(&text)
		if c.steps(d); d.ui.edit.mark() != c.want {
			t.Errorf("%s: %q, want %q", c.name, d.ui.edit.mark(), c.want)
		}
	}
}

// press presses the button at a place.
func (d *desk) press(at image.Point, in Input) {
	in.Pointer, in.Down, in.Pressed = at, true, true
	d.update(in)
}

// TestFieldScrolls promises that of a text that is too long the caret is always in sight, whatever moves it, and that a
// drag beside the field reaches all of it.
func TestFieldScrolls(t *testing.T) {
	long := strings.Repeat("latency=75ms,loss=1% ", 9)
	text := long
	d := fieldDesk(&text)
	d.click(t, "f")
	inner := d.placed["f"].Inset(2)
	check := func(what string) {
		t.Helper()
		r, ok := d.ui.Caret()
		if !ok || !r.In(inner) {
			t.Errorf("%s: the caret is at %v, outside of %v (%v)", what, r, inner, ok)
		}
		if cut := d.ui.Cut(); len(cut) > 0 {
			t.Errorf("%s: cut %q", what, cut)
		}
	}
	check("selected")
	for i := range len(long) + 2 {
		d.update(Input{Left: true, Shift: i%7 == 0})
		check("left")
	}
	if d.ui.edit.caret != 0 || d.ui.edit.first != 0 {
		t.Errorf("the caret is at %d, the first character is %d", d.ui.edit.caret, d.ui.edit.first)
	}
	d.press(d.inText(t, "lat"), Input{})
	for range len(long) {
		d.update(Input{Pointer: inner.Max.Add(image.Pt(30, 0)), Down: true})
		check("drag")
	}
	if got := d.ui.edit.mark(); got != "lat^"+long[3:]+"|" {
		t.Errorf("a drag to the right selects %q", got)
	}
	d.update(Input{})
	if d.update(Input{Backspace: true}); d.ui.edit.first != 0 {
		t.Errorf("after most is erased, the first character that is shown is %d", d.ui.edit.first)
	}
}

// TestClipboard promises that cut and copy hand out the selection, that a paste asks for a text, which replaces the
// selection when it comes, as one line, and that nobody else gets it if the field is left before that.
func TestClipboard(t *testing.T) {
	text, copied, asked := "one two", "", 0
	d := fieldDesk(&text)
	d.ui.OnCopy = func(s string) { copied = s }
	d.ui.OnPaste = func() { asked++ }
	d.click(t, "f")
	d.update(Input{Home: true})
	if d.update(Input{Cut: true}); copied != "" || text != "one two" {
		t.Errorf("cut without a selection: %q, %q", copied, text)
	}
	d.update(Input{Right: true, Shift: true, Word: true})
	if d.update(Input{Copy: true}); copied != "one" || text != "one two" {
		t.Errorf("copy: %q, %q", copied, text)
	}
	if d.update(Input{Cut: true}); copied != "one" || text != " two" {
		t.Errorf("cut: %q, %q", copied, text)
	}
	if d.update(Input{Pasted: "unasked"}); text != " two" {
		t.Errorf("a text that was not asked for: %q", text)
	}
	if d.update(Input{Paste: true}); asked != 1 || text != " two" {
		t.Errorf("asked %d times, %q", asked, text)
	}
	d.update(Input{})
	if d.update(Input{Pasted: "a\r\nb\n"}); text != "a b two" {
		t.Errorf("paste: %q", text)
	}
	d.update(Input{Paste: true})
	d.update(Input{Escape: true})
	d.click(t, "f")
	if d.update(Input{Pasted: "late"}); text != "a b two" {
		t.Errorf("a text that comes too late: %q", text)
	}
}

// TestComposition promises that what an input method composes is shown in place of the selection, that the keys are
// the input method's meanwhile, that the text counts when it is committed or the field is left, and that a composition
// which is given up leaves all as it was.
func TestComposition(t *testing.T) {
	text := "ab"
	d := newDesk(func(u *UI) {
		if v, ok := u.Field(u.Next(22), Field{ID: "f", Value: text}); ok {
			text = v
		}
	})
	d.click(t, "f")
	typed := func() string { return d.ui.edit.typed() }
	d.update(Input{Composition: "に", CompositionCaret: 3})
	before, _ := d.ui.Caret()
	if d.update(Input{Composition: "にほ", CompositionCaret: 6, Left: true, Backspace: true}); typed() != "にほ" {
		t.Errorf("composing: %q", typed())
	}
	if after, _ := d.ui.Caret(); after.Min.X <= before.Min.X {
		t.Errorf("the caret stays at %v while the composition grows", after)
	}
	if d.update(Input{}); typed() != "ab" || d.ui.edit.mark() != "^ab|" {
		t.Errorf("given up: %q", d.ui.edit.mark())
	}
	d.update(Input{Composition: "にほん"})
	if d.update(Input{Text: "日本"}); d.ui.edit.mark() != "日本|" {
		t.Errorf("committed: %q", d.ui.edit.mark())
	}
	d.update(Input{Text: "語", Composition: "です"})
	if d.update(Input{Composition: "です", Pointer: image.Pt(5, 5), Pressed: true, Down: true}); text != "日本語です" {
		t.Errorf("left: %q", text)
	}
}

// TestLeaveField promises that a press on another field commits what was typed into the first, also in the same update,
// and also if the other is laid out before it; and that no character reaches both.
func TestLeaveField(t *testing.T) {
	for _, c := range []struct{ from, to string }{{"a", "b"}, {"b", "a"}} {
		values := map[string]string{"a": "1", "b": "2"}
		d := newDesk(func(u *UI) {
			for _, id := range []string{"a", "b"} {
				if v, ok := u.Field(u.Next(22), Field{ID: id, Value: values[id]}); ok {
					values[id] = v
				}
			}
		})
		d.click(t, c.from)
		d.update(Input{Text: "x"})
		d.press(d.point(t, c.to, 0.5), Input{Text: "y"})
		d.update(Input{Enter: true})
		d.update(Input{})
		if values[c.from] != "xy" || values[c.to] == "xy" || strings.Contains(values[c.to], "y") {
			t.Errorf("from %s to %s: %v", c.from, c.to, values)
		}
	}
}

// TestCaretBlinks promises that the caret is on and off for half a second each, and on after every key. Without a rate
// it stays on.
func TestCaretBlinks(t *testing.T) {
	text := "x"
	d := fieldDesk(&text)
	d.click(t, "f")
	shown := func(in Input) bool {
		d.update(in)
		r, _ := d.ui.Caret()
		for _, x := range d.ui.Frame.Items {
			if int(x.X) == r.Min.X && int(x.Y) == r.Min.Y && int(x.H) == r.Dy() {
				return true
			}
		}
		return false
	}
	for range 100 {
		if !shown(Input{}) {
			t.Fatal("without a rate the caret disappears")
		}
	}
	d.ui.Rate = 60
	shown(Input{Text: "y"})
	on := 0
	for range 120 {
		if shown(Input{}) {
			on++
		}
	}
	if on != 60 {
		t.Errorf("the caret is on for %d of 120 updates", on)
	}
	for shown(Input{}) {
	}
	if !shown(Input{Text: "z"}) {
		t.Error("the caret is off after a key")
	}
}

// TestIdleFieldAllocates promises that a field costs no more memory than a button while nothing is typed, edited or not.
func TestIdleFieldAllocates(t *testing.T) {
	text := "latency=75ms"
	d := fieldDesk(&text)
	allocations := func(build func()) float64 {
		return testing.AllocsPerRun(100, func() {
			d.ui.Update(Input{}, image.Rect(0, 0, 600, 400), image.Rect(300, 0, 600, 400), 1, build)
		})
	}
	button := allocations(func() { d.ui.Button("b", d.ui.Next(22), "b", "") })
	for _, editing := range []bool{false, true} {
		d.update(Input{})
		if editing {
			d.click(t, "f")
		}
		if n := allocations(func() { d.ui.Field(d.ui.Next(22), Field{ID: "f", Value: text}) }); n > button {
			t.Errorf("editing %v: %g allocations an update, a button has %g", editing, n, button)
		}
		if (d.ui.Focused() != "") != editing {
			t.Errorf("editing %v: %q has the keys", editing, d.ui.Focused())
		}
	}
}
