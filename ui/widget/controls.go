package widget

import (
	"image"
	"strings"

	"ghostcube/render"
)

func splitLines(text string) []string { return strings.Split(text, "\n") }

func splitWords(text string) []string { return strings.Fields(text) }

// face draws the background of a control that reacts to clicks.
func (u *UI) face(id string, r image.Rectangle) {
	c := controlColor
	switch {
	case u.disabled != "":
		c = fieldColor
	case u.active == id:
		c = activeColor
	case u.over(r):
		c = hoverColor
	}
	fill(u.list, r, c)
}

// Button is a button in a place. It reports whether it has just been clicked, or pressed by a key. A press that is
// released elsewhere is no click.
func (u *UI) Button(id string, r image.Rectangle, label, help string) bool {
	u.Explain(r, help)
	u.place(id, r)
	clicked := dock{u}.click(id, r)
	u.face(id, r)
	u.text(u.list, r.Inset(u.Px(2)), u.Font(false), u.textColor(false), label, Center)
	u.ring(id, r)
	return clicked
}

// Segments are buttons beside each other, one of which is chosen. It returns the index of the chosen one. For the
// keyboard they are one control: the arrows choose.
func (u *UI) Segments(id string, r image.Rectangle, names []string, chosen int, help string) int {
	before := chosen
	for i, name := range names {
		cell := u.Split(r, len(names), i)
		u.keyboard.member(i == max(before, 0))
		if u.Button(u.memory.join(id, u.memory.join(" ", name)), cell, name, help) {
			chosen = i
		}
		if i == chosen {
			fill(u.list, image.Rect(cell.Min.X, cell.Max.Y-u.Px(2), cell.Max.X, cell.Max.Y), markColor)
		}
	}
	u.keyboard.member(true)
	if from := u.memory.join(id, u.memory.join(" ", names[max(before, 0)])); u.keyboard.has(from) {
		if to := u.in.neighbour(before, len(names)); to >= 0 {
			chosen = to
			u.keyboard.step(from, u.memory.join(id, u.memory.join(" ", names[to])))
		}
	}
	return chosen
}

// neighbour returns the index that the arrows choose among n beside each other, or -1.
func (in *Input) neighbour(chosen, n int) int {
	switch {
	case in.Left && chosen > 0:
		return chosen - 1
	case in.Right && chosen < n-1:
		return chosen + 1
	}
	return -1
}

// Tabs are the titles of the panel's pages in rows of columns. It returns the index of the chosen one. For the
// keyboard they are one control: the arrows choose.
func (u *UI) Tabs(names, helps []string, columns, chosen int) int {
	f, before := u.Font(true), chosen
	for first := 0; first < len(names); first += columns {
		r := u.Next(rowHeight + 2)
		for i := first; i < min(first+columns, len(names)); i++ {
			cell := u.Split(r, columns, i-first)
			id := u.memory.join("tab ", names[i])
			u.Explain(cell, helps[i])
			u.place(id, cell)
			u.keyboard.member(i == before)
			if (dock{u}).click(id, cell) {
				chosen = i
			}
			u.face(id, cell)
			c := dimColor
			if i == chosen {
				c = textColor
				fill(u.list, cell, fillColor)
				fill(u.list, image.Rect(cell.Min.X, cell.Max.Y-u.Px(2), cell.Max.X, cell.Max.Y), markColor)
			}
			u.text(u.list, cell, f, c, names[i], Center)
			u.ring(id, cell)
		}
	}
	u.keyboard.member(true)
	if from := u.memory.join("tab ", names[before]); u.keyboard.has(from) {
		if to := u.in.neighbour(before, len(names)); to >= 0 {
			chosen = to
			u.keyboard.step(from, u.memory.join("tab ", names[to]))
		}
	}
	return chosen
}

// Checkbox is a switch with a label beside it in a place. It returns its state.
func (u *UI) Checkbox(id string, r image.Rectangle, label string, on bool, help string) bool {
	u.Explain(r, help)
	u.place(id, r)
	if u.disabled == "" {
		u.cell.state = on
		dock{u}.put(id, r, u.controls.toggle)
		if (dock{u}).clicked(id, r) {
			on = !on
		}
	}
	u.ring(id, r)
	side := u.Px(15)
	box := image.Rect(r.Min.X, r.Min.Y+(r.Dy()-side)/2, r.Min.X+side, r.Min.Y+(r.Dy()-side)/2+side)
	c := fieldColor
	if u.over(r) && u.disabled == "" {
		c = hoverColor
	}
	fill(u.list, box, c)
	border(u.list, box, u.Px(1), borderColor)
	if on {
		mark := markColor
		if u.disabled != "" {
			mark = disabledColor
		}
		x, y, s := float32(box.Min.X), float32(box.Min.Y), float32(side)
		u.list.Line([]render.Point{{X: x + 0.22*s, Y: y + 0.52*s}, {X: x + 0.43*s, Y: y + 0.73*s}, {X: x + 0.80*s, Y: y + 0.27*s}}, 2*u.scale, mark)
	}
	u.Text(image.Rect(box.Max.X+u.Px(6), r.Min.Y, r.Max.X, r.Max.Y), label, false, Left)
	return on
}

// Row describes a name with a control beside it.
type Row struct {
	Name, Help string
	Changed    bool // the value is not the default
	OnReset    func()
	Resettable bool    // the place of the button that resets is kept free while there is no OnReset
	Width      float32 // width that the control needs, in points; 0: any
}

// nameShare is the share of a row's width that names have.
const nameShare = 0.44

// Row lays out a name and returns the place of its control: beside the name, or below it where the name or
// the control is too wide.
func (u *UI) Row(row Row) image.Rectangle {
	r := u.Next(rowHeight)
	f := u.Font(row.Changed)
	left := int(float32(r.Dx()) * nameShare)
	name, value := image.Rect(r.Min.X, r.Min.Y, r.Min.X+left, r.Max.Y), image.Rect(r.Min.X+left+u.Px(4), r.Min.Y, r.Max.X, r.Max.Y)
	reset := 0
	if row.OnReset != nil || row.Resettable {
		reset = u.Px(42)
	}
	if f.Width(row.Name) > float32(name.Dx()) || float32(u.Px(row.Width)) > float32(value.Dx()-reset) {
		name.Max.X = r.Max.X
		value = u.Next(rowHeight)
		value.Min.X += u.Px(14)
		name.Max.X -= reset
		u.resetButton(row, image.Rect(name.Max.X, r.Min.Y, r.Max.X, r.Max.Y))
	} else if reset > 0 {
		u.resetButton(row, image.Rect(value.Max.X-reset+u.Px(3), r.Min.Y, value.Max.X, r.Max.Y))
		value.Max.X -= reset
	}
	u.Explain(image.Rect(r.Min.X, r.Min.Y, r.Max.X-reset, max(r.Max.Y, value.Max.Y)), row.Help)
	c := u.textColor(true)
	if row.Changed {
		fill(u.list, image.Rect(name.Min.X-u.Px(5), r.Min.Y+u.Px(3), name.Min.X-u.Px(2), r.Max.Y-u.Px(3)), markColor)
		c = u.textColor(false)
	}
	u.text(u.list, name, f, c, row.Name, Left)
	return value
}

// resetButton is the button beside a changed value.
func (u *UI) resetButton(row Row, r image.Rectangle) {
	if row.OnReset == nil {
		return
	}
	reason := u.disabled
	u.disabled = ""
	if u.Button(u.memory.join("reset ", row.Name), r, "reset", u.memory.join(u.memory.join("Set ", row.Name), " to its default.")) {
		row.OnReset()
	}
	u.disabled = reason
}

// Place lays out a rectangle of a height in points for a drawing, with a tooltip, and returns it.
func (u *UI) Place(height float32, help string) image.Rectangle {
	r := u.Line(height)
	u.Explain(r, help)
	return r
}

// Entry describes a title of several lines that can be chosen.
type Entry struct {
	ID, Title, Line, Help string
	Chosen, Dim           bool
}

// Entry is a row of a list of things to choose from: a title and a line below it. It reports whether it has
// just been clicked, and whether the pointer is over it.
func (u *UI) Entry(e Entry) (clicked, hovered bool) {
	f := u.Font(false)
	start := u.y
	w := u.Line(0).Dx() - 2*u.Px(6)
	u.y = start
	titles, lines := u.memory.lines(u.Font(e.Chosen), e.Title, w), u.memory.lines(f, e.Line, w)
	h := lineHeight(f)
	r := u.Line(0)
	r.Max.Y = r.Min.Y + h*(len(titles)+len(lines)) + u.Px(6)
	if u.Touch {
		r.Max.Y = max(r.Max.Y, r.Min.Y+u.Px(touchHeight))
	}
	u.y = r.Max.Y + u.Px(rowGap)
	u.Explain(r, e.Help)
	u.place(e.ID, r)
	clicked, hovered = dock{u}.click(e.ID, r), u.over(r)
	if _, ok := u.visible(r); !ok {
		return clicked, hovered
	}
	if e.Chosen {
		fill(u.list, r, fillColor)
		fill(u.list, image.Rect(r.Min.X, r.Min.Y, r.Min.X+u.Px(3), r.Max.Y), markColor)
	} else {
		u.face(e.ID, r)
	}
	at := image.Rect(r.Min.X+u.Px(6), r.Min.Y+u.Px(3), r.Max.X-u.Px(6), r.Min.Y+u.Px(3)+h)
	for _, line := range titles {
		u.text(u.list, at, u.Font(e.Chosen), u.textColor(e.Dim), line, Left)
		at = at.Add(image.Pt(0, h))
	}
	for _, line := range lines {
		u.text(u.list, at, f, u.textColor(!e.Chosen), line, Left)
		at = at.Add(image.Pt(0, h))
	}
	u.ring(e.ID, r)
	return clicked, hovered
}
