package widget

import (
	"errors"
	"image"
	"slices"
	"strings"
	"testing"

	"ghostcube/internal/inputtest"
	"ghostcube/render"
)

// desk drives a UI in a window of 600 by 400 pixels with a panel in its right half.
type desk struct {
	ui     UI
	build  func(u *UI)
	placed map[string]image.Rectangle
	at     image.Point
}

func newDesk(build func(u *UI)) *desk {
	d := &desk{build: build}
	if build != nil {
		d.update(Input{})
	}
	return d
}

// update makes one update with an input.
func (d *desk) update(in Input) {
	if in.Pointer == (image.Point{}) {
		in.Pointer = d.at
	}
	d.at = in.Pointer
	d.place(in, image.Rect(0, 0, 600, 400), image.Rect(300, 0, 600, 400), 1)
}

// place makes one update of a panel in a window.
func (d *desk) place(in Input, window, panel image.Rectangle, scale float32) {
	d.placed = map[string]image.Rectangle{}
	d.ui.OnPlace = func(name string, r image.Rectangle) { d.placed[name] = r }
	inputtest.Mouse(in.Pointer, in.Down, in.Pressed, in.Wheel)
	d.ui.Update(in, window, panel, scale, func() { d.build(&d.ui) })
}

// point returns a point of a control at a share of its width.
func (d *desk) point(t *testing.T, name string, share float64) image.Point {
	t.Helper()
	r, ok := d.placed[name]
	if !ok {
		t.Fatalf("no control %q: %v", name, d.placed)
	}
	return image.Pt(r.Min.X+int(share*float64(r.Dx()-1)), (r.Min.Y+r.Max.Y)/2)
}

// click presses and releases the button on a control.
func (d *desk) click(t *testing.T, name string) {
	t.Helper()
	at := d.point(t, name, 0.5)
	d.update(Input{Pointer: at, Down: true, Pressed: true})
	d.update(Input{Pointer: at})
	d.update(Input{Pointer: at})
}

// TestSlider promises that a drag sets a number between its bounds, snapped to the step, also when the pointer
// leaves the slider, and that a logarithmic slider passes through all magnitudes.
func TestSlider(t *testing.T) {
	for _, c := range []struct {
		n    Number
		at   float64
		want float64
	}{
		{Number{Low: 0, High: 100, Step: 5}, 0.5, 50},
		{Number{Low: 0, High: 100, Step: 5}, 3, 100},
		{Number{Low: -10, High: 10, Step: 1}, -2, -10},
		{Number{Low: 0, High: 1, Step: 0.01, Digits: 3}, 0.25, 0.25},
		{Number{Low: 1, High: 1e6, Step: 1, Log: true}, 0.5, 1000},
	} {
		value := c.n.Low
		d := newDesk(nil)
		d.build = func(u *UI) {
			n := c.n
			n.ID, n.Value = "x", value
			if v, changed := u.Number(u.Row(Row{Name: "x"}), n); changed {
				value = v
			}
		}
		d.update(Input{})
		d.update(Input{Pointer: d.point(t, "x", 0), Down: true, Pressed: true})
		to := d.point(t, "x", c.at)
		d.update(Input{Pointer: to.Add(image.Pt(0, 60)), Down: true})
		if !d.ui.Captured() {
			t.Error("the pointer of a drag does not belong to the panel")
		}
		d.update(Input{Pointer: image.Pt(300, 390)})
		if span := (c.n.High - c.n.Low) / 25; value < c.want-span || value > c.want+span || c.n.Log && (value < 700 || value > 1400) {
			t.Errorf("%+v at %g becomes %g", c.n, c.at, value)
		}
	}
}

// TestNumberTyped promises that a typed number replaces the value on Enter, that letters and numbers out of range
// are refused with a reason and change nothing, and that Escape or a click elsewhere restores the value.
func TestNumberTyped(t *testing.T) {
	for _, c := range []struct {
		typed string
		last  Input
		want  float64
		hint  string // part of the tooltip before the last input
	}{
		{"42", Input{Enter: true}, 42, ""},
		{"42", Input{Escape: true}, 7, ""},
		{"42", Input{Pointer: image.Pt(10, 10), Pressed: true, Down: true}, 42, ""},
		{"abc", Input{Enter: true}, 7, `"abc": want a whole number from 0 to 60`},
		{"61", Input{Pointer: image.Pt(10, 10), Pressed: true, Down: true}, 7, "from 0 to 60"},
		{"1.5", Input{Enter: true}, 7, "whole number"},
		{"-1", Input{Enter: true}, 7, "from 0 to 60"},
		{"NaN", Input{Enter: true}, 7, "from 0 to 60"},
	} {
		value := 7.0
		d := newDesk(nil)
		d.build = func(u *UI) {
			if v, changed := u.Number(u.Row(Row{Name: "x"}), Number{ID: "x", Value: value, High: 10, Step: 1, Max: 60, Whole: true}); changed {
				value = v
			}
		}
		d.update(Input{})
		d.click(t, "x number")
		if d.ui.Focused() == "" {
			t.Fatal("a click does not start typing")
		}
		for _, r := range c.typed {
			d.update(Input{Text: string(r)})
		}
		if value != 7 {
			t.Errorf("%q sets %g before Enter", c.typed, value)
		}
		if !strings.Contains(d.ui.tooltip, c.hint) {
			t.Errorf("%q: the tooltip is %q, want %q", c.typed, d.ui.tooltip, c.hint)
		}
		d.update(c.last)
		if value != c.want {
			t.Errorf("%q and then %+v sets %g, want %g", c.typed, c.last, value, c.want)
		}
	}
}

// TestChoice promises that a list opens on a click, that a click on an option chooses it, that the pointer belongs
// to the open list alone, and that a click elsewhere closes the list and does nothing else.
func TestChoice(t *testing.T) {
	value, pressed, options := "b", 0, []string{"a", "b", "c"}
	d := newDesk(func(u *UI) {
		if i := u.Choice(u.Next(22), Choice{ID: "list", Value: value, Options: options}); i >= 0 {
			value = options[i]
		}
		if u.Button("below", u.Next(22), "below", "") {
			pressed++
		}
	})
	d.click(t, "list")
	d.click(t, "list c")
	if value != "c" || pressed != 0 {
		t.Fatalf("value %q, %d presses through the list", value, pressed)
	}
	if _, open := d.placed["list c"]; open {
		t.Error("the list is open after a choice")
	}
	d.click(t, "list")
	d.update(Input{Pointer: image.Pt(20, 20), Down: true, Pressed: true})
	if d.update(Input{}); d.ui.Captured() {
		t.Error("the list is open after a click elsewhere")
	}
	d.click(t, "below")
	if pressed != 1 {
		t.Errorf("%d presses", pressed)
	}
}

// TestLongList promises that a list with more options than the window has room for lies inside the window and
// scrolls to its last option.
func TestLongList(t *testing.T) {
	value, options := "", strings.Split(strings.Repeat("option ", 40), " ")[:40]
	for i := range options {
		options[i] += string(rune('A' + i))
	}
	d := newDesk(func(u *UI) {
		u.Space(200)
		if i := u.Choice(u.Next(22), Choice{ID: "list", Options: options}); i >= 0 {
			value = options[i]
		}
	})
	d.click(t, "list")
	d.update(Input{Pointer: d.point(t, "list "+options[0], 0.5)})
	for range 60 {
		d.update(Input{Wheel: -1})
	}
	d.click(t, "list "+options[39])
	if value != options[39] {
		t.Errorf("the last option is out of reach: %q", value)
	}
}

// TestDisabled promises that a control that is disabled does not react, and that its tooltip begins with the reason.
func TestDisabled(t *testing.T) {
	pressed := false
	d := newDesk(func(u *UI) {
		u.Disabled("No effect: off.")
		pressed = u.Button("b", u.Next(22), "b", "Presses.") || pressed
		u.Disabled("")
	})
	d.click(t, "b")
	if pressed || d.ui.tooltip != "No effect: off.\nPresses." {
		t.Errorf("pressed %v, tooltip %q", pressed, d.ui.tooltip)
	}
}

// TestClosedPanelLeavesNothing promises that a panel without a body shows none of the one that it had.
func TestClosedPanelLeavesNothing(t *testing.T) {
	open := true
	d := newDesk(func(u *UI) {
		if open {
			u.Scroll("page", func() { u.Paragraph("a page", false) })
		}
	})
	if len(d.ui.Body.Items) == 0 || d.ui.View.Empty() {
		t.Fatal("an open panel shows nothing")
	}
	open = false
	d.update(Input{})
	if len(d.ui.Body.Items) > 0 || !d.ui.View.Empty() {
		t.Errorf("a closed panel shows %d items in %v", len(d.ui.Body.Items), d.ui.View)
	}
	open = true
	d.update(Input{})
	if len(d.ui.Body.Items) == 0 {
		t.Error("it stays closed")
	}
}

// TestScroll promises that the wheel brings the last row of a body into view and no further, and that a row outside
// the view does not react to the pointer.
func TestScroll(t *testing.T) {
	hit := -1
	d := newDesk(func(u *UI) {
		u.Button("bar", u.Next(22), "bar", "")
		u.Scroll("page", func() {
			for i := range 50 {
				if u.Button(string(rune('A'+i)), u.Next(22), "row", "") {
					hit = i
				}
			}
		})
	})
	d.update(Input{})
	if _, ok := d.placed[string(rune('A'+49))]; ok {
		t.Fatal("the last row is in view before scrolling")
	}
	for range 40 {
		d.update(Input{Pointer: image.Pt(400, 200), Wheel: -1})
	}
	d.click(t, string(rune('A'+49)))
	if hit != 49 {
		t.Errorf("row %d was hit", hit)
	}
	hit = -1
	if d.click(t, "bar"); hit >= 0 {
		t.Errorf("row %d was hit through the bar", hit)
	}
	for range 40 {
		d.update(Input{Pointer: image.Pt(400, 200), Wheel: 1})
	}
	if d.click(t, "A"); hit != 0 {
		t.Errorf("row %d was hit after scrolling back", hit)
	}
}

// TestTooltipInWindow promises that a tooltip lies in the window in full wherever the pointer is.
func TestTooltipInWindow(t *testing.T) {
	help := strings.Repeat("The server steps every tick. ", 12)
	d := newDesk(func(u *UI) { u.Explain(image.Rect(300, 0, 600, 400), help) })
	for _, at := range []image.Point{{301, 1}, {599, 1}, {301, 399}, {599, 399}, {450, 200}} {
		d.update(Input{Pointer: at})
		var words []string
		for _, it := range d.ui.Popup.Items {
			if w := max(it.W, it.Font.Width(it.Text)); it.X < 0 || it.Y < 0 || it.X+w > 600 || it.Y+it.H > 400 {
				t.Errorf("%v: %q lies at %g, %g", at, it.Text, it.X, it.Y)
			}
			words = append(words, strings.Fields(it.Text)...)
		}
		if !slices.Equal(words, strings.Fields(help)) || len(d.ui.Cut()) > 0 {
			t.Errorf("%v: the tooltip says %q, cut %q", at, words, d.ui.Cut())
		}
	}
}

// TestCut promises that a text that does not fit into its place is reported.
func TestCut(t *testing.T) {
	d := newDesk(func(u *UI) { u.Button("b", u.Next(22), strings.Repeat("long ", 40), "") })
	if len(d.ui.Cut()) != 1 {
		t.Errorf("cut %q", d.ui.Cut())
	}
}

// TestLines promises that texts break at newlines and between words at a width.
func TestLines(t *testing.T) {
	f := render.Font{Size: 13}
	got := wrapLines(f, "short\n"+strings.Repeat("the server steps every tick ", 6), 200)
	if len(got) < 4 || got[0] != "short" {
		t.Errorf("%q", got)
	}
	for _, l := range got {
		if f.Width(l) > 200 {
			t.Errorf("%q has the width %g", l, f.Width(l))
		}
	}
}

// TestTooltipDelay promises that a tooltip waits until the pointer has stayed on its control, that none covers what a press has
// brought before the pointer has moved away, and that the reason of a refused text does not wait.
func TestTooltipDelay(t *testing.T) {
	d := newDesk(func(u *UI) {
		u.TooltipDelay = 3
		u.Button("b", u.Next(22), "b", "Presses.")
		u.Field(u.Next(22), Field{ID: "f", Check: func(string) error { return errors.New("never") }})
	})
	at := d.point(t, "b", 0.5)
	for i := range 6 {
		d.update(Input{Pointer: at})
		if shown := len(d.ui.Popup.Items) > 0; shown != (i >= 3) {
			t.Errorf("update %d: shown %v", i, shown)
		}
	}
	d.update(Input{Pointer: at, Pressed: true})
	d.update(Input{Pointer: image.Pt(-50, -50)}) // of nobody, while a session starts
	for i, pointer := range []image.Point{at, at.Add(image.Pt(2, 1)), at.Add(image.Pt(20, 0))} {
		for range 6 {
			d.update(Input{Pointer: pointer})
		}
		if shown := len(d.ui.Popup.Items) > 0; shown != (i == 2) {
			t.Errorf("after a press at %v, pointer at %v: shown %v", at, pointer, shown)
		}
	}
	d.update(Input{Pointer: d.point(t, "f", 0.5), Down: true, Pressed: true})
	if d.update(Input{Text: "x"}); len(d.ui.Popup.Items) == 0 {
		t.Error("the reason of a refusal waits")
	}
}

// TestResetDoesNotMoveTheControl promises that the control of a row whose value can be reset stays where it is when the button that
// resets appears.
func TestResetDoesNotMoveTheControl(t *testing.T) {
	for _, name := range []string{"x", "a name that is too long for the place beside its control"} {
		var places [2]image.Rectangle
		for i := range places {
			d := newDesk(nil)
			d.build = func(u *UI) {
				row := Row{Name: name, Resettable: true}
				if i == 1 {
					row.OnReset = func() {}
				}
				places[i] = u.Row(row)
			}
			d.update(Input{})
		}
		if places[0] != places[1] {
			t.Errorf("%s: the control is at %v, and at %v beside the button", name, places[0], places[1])
		}
	}
}
