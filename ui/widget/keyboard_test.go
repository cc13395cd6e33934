package widget

import (
	"image"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// page is a panel with a control of every kind, and the values that they set.
type page struct {
	tab, segment, pressed int
	on                    bool
	number, log           float64
	text, choice          string
	entries               int
}

var (
	pageTabs    = []string{"one", "two", "three"}
	pageOptions = []string{"alpha", "beta", "gamma", "delta", "deltoid"}
)

func (p *page) build(u *UI) {
	p.tab = u.Tabs(pageTabs, []string{"1", "2", "3"}, 3, p.tab)
	if u.Button("button", u.Next(22), "button", "") {
		p.pressed++
	}
	u.Scroll("page", func() {
		p.segment = u.Segments("segments", u.Next(22), []string{"a", "b", "c"}, p.segment, "")
		p.on = u.Checkbox("switch", u.Next(22), "switch", p.on, "")
		if v, ok := u.Number(u.Next(22), Number{ID: "number", Value: p.number, High: 1000, Step: 1, Max: 1000}); ok {
			p.number = v
		}
		if v, ok := u.Number(u.Next(22), Number{ID: "log", Value: p.log, Low: 1, High: 1e6, Step: 1, Max: 1e6, Log: true}); ok {
			p.log = v
		}
		if v, ok := u.Field(u.Next(22), Field{ID: "field", Value: p.text}); ok {
			p.text = v
		}
		if i := u.Choice(u.Next(22), Choice{ID: "choice", Value: p.choice, Options: pageOptions}); i >= 0 {
			p.choice = pageOptions[i]
		}
		u.Disabled("not now")
		if u.Button("disabled", u.Next(22), "disabled", "") {
			p.pressed += 100
		}
		u.Disabled("")
		for i := range 40 {
			if clicked, _ := u.Entry(Entry{ID: "entry " + strconv.Itoa(i), Title: "entry", Line: "of a list"}); clicked {
				p.entries = i + 1
			}
		}
	})
}

func newPage() (*page, *desk) {
	p := &page{number: 500, log: 1000, choice: "beta", text: "text"}
	d := newDesk(p.build)
	d.at = image.Pt(20, 20)
	d.update(Input{})
	return p, d
}

// TestKeyboard uses every kind of control without the pointer.
func TestKeyboard(t *testing.T) {
	p, d := newPage()
	tab := func(want string) {
		t.Helper()
		if d.update(Input{Tab: true}); d.ui.keyboard.focus != want {
			t.Fatalf("Tab leads to %q, want %q", d.ui.keyboard.focus, want)
		}
		d.update(Input{})
	}
	d.update(Input{Tab: true, Text: "x", Enter: true, Space: true, Left: true})
	if d.ui.Focused() != "" || *p != (page{number: 500, log: 1000, choice: "beta", text: "text"}) {
		t.Fatalf("keys reach a panel without the focus: %+v", p)
	}
	d.ui.Focus(false)
	if d.update(Input{}); d.ui.Focused() != "tab one" {
		t.Fatalf("the focus begins at %q", d.ui.keyboard.focus)
	}
	d.update(Input{Right: true})
	d.update(Input{Right: true})
	d.update(Input{Left: true})
	if d.update(Input{}); p.tab != 1 || d.ui.keyboard.focus != "tab two" {
		t.Errorf("arrows choose tab %d, focus %q", p.tab, d.ui.keyboard.focus)
	}
	tab("button")
	d.update(Input{Space: true, Text: " "})
	if d.update(Input{Enter: true}); p.pressed != 2 {
		t.Errorf("Space and Enter press the button %d times", p.pressed)
	}
	tab("segments a")
	d.update(Input{Right: true})
	if d.update(Input{Right: true}); p.segment != 2 {
		t.Errorf("arrows choose segment %d", p.segment)
	}
	tab("switch")
	if d.update(Input{Space: true, Text: " "}); !p.on {
		t.Error("Space does not switch")
	}
	tab("number")
	d.update(Input{Right: true})
	d.update(Input{ArrowUp: true})
	if d.update(Input{PageDown: true}); p.number != 500+20+20-200 {
		t.Errorf("arrows and Page Down set %g", p.number)
	}
	d.update(Input{Left: true, Shift: true})
	if p.number != 339 {
		t.Errorf("Shift and an arrow set %g", p.number)
	}
	d.update(Input{Home: true})
	if p.number != 0 {
		t.Errorf("Home sets %g", p.number)
	}
	tab("number number")
	d.update(Input{Text: "12"})
	tab("log") // commits
	if p.number != 12 {
		t.Errorf("the typed number is %g", p.number)
	}
	for range 3 {
		before := p.log
		if d.update(Input{Right: true, Shift: true}); p.log <= before || p.log > 1.2*before {
			t.Errorf("Shift and an arrow lead from %g to %g", before, p.log)
		}
	}
	tab("log number")
	tab("field")
	d.update(Input{Text: "new"})
	d.update(Input{Escape: true})
	if p.text != "text" || d.ui.keyboard.focus != "field" {
		t.Errorf("Escape leaves %q, focus %q", p.text, d.ui.keyboard.focus)
	}
	d.update(Input{Text: "other"})
	d.update(Input{Enter: true})
	if d.update(Input{}); p.text != "other" || d.ui.keyboard.focus != "field" || d.ui.edit.id != "" {
		t.Errorf("typing and Enter leave %q, focus %q", p.text, d.ui.keyboard.focus)
	}
	tab("choice")
	for _, c := range []struct {
		keys []Input
		want string
	}{
		{[]Input{{Space: true, Text: " "}, {ArrowDown: true}, {Enter: true}}, "gamma"},
		{[]Input{{Enter: true}, {Text: "d"}, {Text: "e"}, {Text: "l"}, {Text: "t"}, {Text: "o"}, {Enter: true}}, "deltoid"},
		{[]Input{{Text: "a"}, {Enter: true}}, "alpha"},
		{[]Input{{Enter: true}, {End: true}, {Escape: true}}, "alpha"},
		{[]Input{{Enter: true}, {End: true}, {Enter: true}}, "deltoid"},
	} {
		for _, in := range c.keys {
			d.update(in)
			d.update(Input{})
		}
		if p.choice != c.want || d.ui.Open() || d.ui.keyboard.focus != "choice" {
			t.Errorf("%+v choose %q, want %q; open %v, focus %q", c.keys, p.choice, c.want, d.ui.Open(), d.ui.keyboard.focus)
		}
	}
	tab("entry 0") // the disabled button is left out
	for range 30 {
		d.update(Input{ArrowDown: true})
		d.update(Input{})
	}
	d.update(Input{})
	if r, ok := d.placed["entry 30"]; d.ui.keyboard.focus != "entry 30" || !ok || r.Dy() < 20 {
		t.Errorf("the focus is at %q, in sight %v", d.ui.keyboard.focus, r)
	}
	if d.update(Input{Enter: true}); p.entries != 31 {
		t.Errorf("Enter chooses entry %d", p.entries-1)
	}
	d.update(Input{Home: true})
	d.update(Input{})
	d.update(Input{})
	if _, ok := d.placed["switch"]; !ok {
		t.Error("Home does not scroll to the top")
	}
	d.update(Input{PageDown: true})
	d.update(Input{})
	d.update(Input{})
	if _, ok := d.placed["switch"]; ok {
		t.Error("Page Down does not scroll")
	}
	d.update(Input{Tab: true, Shift: true})
	if d.ui.keyboard.focus != "entry 29" {
		t.Errorf("Shift Tab leads to %q", d.ui.keyboard.focus)
	}
	d.update(Input{Escape: true})
	if d.ui.Focused() != "" {
		t.Error("Escape does not end the focus")
	}
	d.ui.Focus(false)
	d.update(Input{})
	if d.ui.keyboard.focus != "entry 29" {
		t.Errorf("the focus returns to %q", d.ui.keyboard.focus)
	}
	d.update(Input{Pointer: image.Pt(20, 20), Down: true, Pressed: true})
	if d.ui.Focused() != "" {
		t.Error("a press of the button does not end the focus")
	}
	if p.pressed != 2 || p.tab != 1 {
		t.Errorf("keys reached other controls: %+v", p)
	}
}

// TestRingVisible promises that the control with the keys is marked wherever the focus is.
func TestRingVisible(t *testing.T) {
	_, d := newPage()
	d.ui.Focus(false)
	for range 30 {
		d.update(Input{})
		d.update(Input{})
		r, rings := d.placed[d.ui.keyboard.focus], 0
		for _, it := range append(d.ui.Frame.Items, d.ui.Body.Items...) {
			if it.Color == textColor && it.H == 2 && int(it.X) == r.Min.X-2 && int(it.Y) == r.Min.Y-2 && int(it.W) == r.Dx()+4 {
				rings++
			}
		}
		if rings != 1 {
			t.Fatalf("%q at %v has %d rings", d.ui.keyboard.focus, r, rings)
		}
		d.update(Input{Tab: true})
	}
}

// TestKeyboardTooltip promises that the control with the keys is explained beside the panel, and the option that the keys
// have reached beside its list.
func TestKeyboardTooltip(t *testing.T) {
	value := "a"
	d := newDesk(func(u *UI) {
		u.Button("b", u.Next(22), "b", "Presses.")
		u.Choice(u.Next(22), Choice{ID: "list", Value: value, Options: []string{"a", "b"}, Help: "Chooses.", OptionHelp: func(i int) string { return "Option." }})
	})
	d.ui.Focus(false)
	for i, c := range []struct {
		in   Input
		want string
		near string
	}{{Input{}, "Presses.", "b"}, {Input{Tab: true}, "Chooses.", "list"}, {Input{Enter: true}, "Option.", "list a"},
		{Input{ArrowDown: true}, "Option.", "list b"}} {
		d.update(c.in)
		d.update(Input{})
		d.update(Input{})
		r := d.placed[c.near]
		if d.ui.tooltip != c.want {
			t.Fatalf("step %d: %q explained, want %q", i, d.ui.tooltip, c.want)
		}
		for _, it := range d.ui.Popup.Items {
			if it.Text == c.want && (int(it.X+it.Font.Width(it.Text)) > r.Min.X || int(it.Y) < r.Min.Y-10 || int(it.Y) > r.Max.Y+20) {
				t.Errorf("step %d: %q is at %g, %g, not beside %v", i, it.Text, it.X, it.Y, r)
			}
		}
	}
}

// TestRelease promises that a button acts when it is released, and not after the pointer has left it, after Escape, or
// when a finger has begun to scroll.
func TestRelease(t *testing.T) {
	p, d := newPage()
	at := d.point(t, "button", 0.5)
	for _, c := range []struct {
		name string
		held Input
		want int
	}{
		{"held", Input{Pointer: at}, 1},
		{"left and back", Input{Pointer: at.Add(image.Pt(0, 90))}, 2},
		{"Escape", Input{Pointer: at, Escape: true}, 2},
		{"scrolling", Input{Pointer: at, Drag: 5}, 2},
	} {
		d.update(Input{Pointer: at})
		before := p.pressed
		d.update(Input{Pointer: at, Down: true, Pressed: true})
		c.held.Down = true
		d.update(c.held)
		if d.update(Input{Pointer: at, Down: true}); p.pressed != before {
			t.Errorf("%s: the button acts before its release", c.name)
		}
		if d.update(Input{Pointer: at}); p.pressed != c.want {
			t.Errorf("%s: %d presses, want %d", c.name, p.pressed, c.want)
		}
	}
	d.update(Input{Pointer: at, Down: true, Pressed: true})
	d.update(Input{Pointer: at.Add(image.Pt(0, 90))})
	if p.pressed != 2 || p.segment != 0 {
		t.Errorf("a release elsewhere: %+v", p)
	}
}

// TestJumpingPointer promises that a press belongs to the control under the pointer, also when the pointer has come
// there in the same update, as happens at low frame rates.
func TestJumpingPointer(t *testing.T) {
	p, d := newPage()
	d.update(Input{Pointer: d.point(t, "button", 0.5)})
	at := d.point(t, "segments c", 0.5)
	d.update(Input{Pointer: at, Down: true, Pressed: true})
	d.update(Input{Pointer: at})
	if p.pressed != 0 || p.segment != 2 {
		t.Errorf("%d presses of the button that the pointer has left, segment %d", p.pressed, p.segment)
	}
}

// TestDocked promises that no press and no drag moves the panel or changes its size, and that it fits every window: a
// thousand random presses, drags, wheel turns and sizes of the window.
func TestDocked(t *testing.T) {
	p, d := newPage()
	random := rand.New(rand.NewPCG(1, 2))
	window, scale, at := image.Rect(0, 0, 600, 400), float32(1), image.Pt(0, 0)
	down := false
	for i := range 1000 {
		in := Input{}
		switch random.IntN(5) {
		case 0:
			window = image.Rect(0, 0, 200+random.IntN(3000), 100+random.IntN(2000))
			scale = 0.75 + random.Float32()*2.5
		case 1:
			down = !down
			in.Pressed = down
		case 2:
			in.Wheel = random.Float64()*8 - 4
		}
		at = at.Add(image.Pt(random.IntN(201)-100, random.IntN(201)-100))
		if random.IntN(4) == 0 { // beyond the window, too
			at = image.Pt(random.IntN(window.Dx()+100)-50, random.IntN(window.Dy()+100)-50)
		}
		in.Pointer, in.Down = at, down
		panel := window
		panel.Min.X = max(panel.Max.X-int(300*scale), panel.Max.X/2)
		d.place(in, window, panel, scale)
		button := d.placed["button"]
		if button.Min.X != panel.Min.X+d.ui.Px(padding) || button.Min.Y < panel.Min.Y || button.Max.X != panel.Max.X-d.ui.Px(padding) {
			t.Fatalf("update %d: the button is at %v in a panel at %v", i, button, panel)
		}
	}
	window = image.Rect(0, 0, 600, 400)
	d.place(Input{Pointer: image.Pt(1, 1)}, window, image.Rect(300, 0, 600, 400), 1)
	before := p.pressed
	d.update(Input{Pointer: image.Pt(1, 1)})
	if d.click(t, "button"); p.pressed != before+1 {
		t.Errorf("after all this the button is not where it is drawn")
	}
}

// TestBodiesKeepScroll promises that a body keeps its scroll offset while another one is shown, and that no update shows
// it elsewhere.
func TestBodiesKeepScroll(t *testing.T) {
	body := "a"
	d := newDesk(func(u *UI) {
		u.Button("bar", u.Next(22), "bar", "")
		u.Scroll(body, func() {
			for i := range 50 {
				u.Button(body+strconv.Itoa(i), u.Next(22), "row", "")
			}
		})
	})
	for range 5 {
		d.update(Input{Pointer: image.Pt(400, 200), Wheel: -1})
	}
	d.update(Input{})
	want := d.placed["a15"]
	if want.Empty() {
		t.Fatal("the fifteenth row is not in sight")
	}
	for _, body = range []string{"b", "a"} {
		for i := range 3 {
			d.update(Input{})
			for name, r := range d.placed {
				if name == "a15" && r != want || strings.HasPrefix(name, "a") && body == "b" || name == "b15" {
					t.Errorf("body %s, update %d: %s is at %v, want %v", body, i, name, r, want)
				}
			}
		}
	}
	if d.placed["a15"] != want {
		t.Errorf("after the return the row is at %v, want %v", d.placed["a15"], want)
	}
}
