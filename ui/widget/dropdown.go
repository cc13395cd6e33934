package widget

import (
	"image"
	"slices"
	"strings"

	"github.com/ebitengine/debugui"

	"ghostcube/render"
)

// popup is the open list of a dropdown.
type popup struct {
	id       string // of the dropdown; empty: none
	first    int    // index of the first option shown
	seen     bool   // the dropdown was laid out in this update
	blocking bool   // it was open when the update began, so the pointer belongs to it
	box      image.Rectangle
	dragged  int // pixels by which a finger has dragged the options, less than one of them

	by      image.Point // the pointer, when a key chose
	at      int         // option that the keys have chosen; -1: none
	row     int         // middle of its row, pixels of the window
	typed   string      // beginning of an option, or a part of it
	typedIn int         // updates since its last character
}

// typeAhead is the number of updates after which typed characters begin another option's name.
const typeAhead = 60

func (p *popup) begin() { p.seen, p.blocking = false, p.id != "" }

// end closes the list of a dropdown that is gone.
func (p *popup) end() {
	if !p.seen {
		p.id = ""
	}
}

// Choice describes a value out of a list of names.
type Choice struct {
	ID, Value, Help string
	Options         []string

	// OptionHelp returns the tooltip of an option. It may be nil.
	OptionHelp func(i int) string
}

// Width returns the width that the choice needs to show each option in full, in points.
func (u *UI) Width(options []string) float32 {
	f, w := u.Font(false), float32(0)
	for _, o := range options {
		w = max(w, f.Width(o))
	}
	return w/u.scale + 26
}

// Choice is a list that opens below its place and shows the present value, which need not be among the
// options. chosen is the index of an option that has just been clicked, or -1.
func (u *UI) Choice(r image.Rectangle, c Choice) (chosen int) {
	chosen = -1
	u.Explain(r, c.Help)
	u.place(c.ID, r)
	p := &u.popup
	opened := dock{u}.click(c.ID, r)
	if p.id == "" && u.keyboard.has(c.ID) {
		opened = opened || strings.TrimSpace(u.in.Text) != ""
	}
	if opened && p.id != c.ID {
		*p = popup{id: c.ID, at: -1, by: u.in.Pointer}
		if u.keyboard.has(c.ID) {
			p.at = max(slices.Index(c.Options, c.Value), 0)
		}
		u.keyboard.activate = false
	}
	u.face(c.ID, r)
	u.ring(c.ID, r)
	u.text(u.list, image.Rect(r.Min.X+u.Px(5), r.Min.Y, r.Max.X-u.Px(18), r.Max.Y), u.Font(false), u.textColor(false), c.Value, Left)
	x, y, s := float32(r.Max.X-u.Px(14)), float32(r.Min.Y+r.Max.Y)/2, u.scale
	u.list.Line([]render.Point{{X: x, Y: y - 2*s}, {X: x + 4*s, Y: y + 2*s}, {X: x + 8*s, Y: y - 2*s}}, 1.5*s, u.textColor(true))
	if p.id == c.ID {
		p.seen = true
		chosen = openList{u, c}.lay(r)
	}
	return chosen
}

// openList is the open list of a choice.
type openList struct {
	u *UI
	c Choice
}

// lay draws the list and reacts to the pointer.
func (o openList) lay(r image.Rectangle) (chosen int) {
	u, c := o.u, o.c
	chosen = -1
	p, h := &u.popup, u.Px(rowHeight)
	if u.Touch {
		h = u.Px(touchHeight)
	}
	below, above := u.window.Max.Y-r.Max.Y, r.Min.Y-u.window.Min.Y
	room, up := below, false
	if below < h*len(c.Options)+u.Px(2) && above > below {
		room, up = above, true
	}
	shown := max(min(len(c.Options), (room-u.Px(4))/h), 1)
	w := max(r.Dx(), u.Px(u.Width(c.Options)))
	left := max(min(r.Min.X, u.window.Max.X-w), u.window.Min.X)
	box := image.Rect(left, r.Max.Y, left+w, r.Max.Y+h*shown)
	if up {
		box = box.Add(image.Pt(0, -r.Dy()-box.Dy()))
	}
	p.box = box
	if u.in.Pointer.In(box) {
		p.first -= int(u.in.Wheel)
		p.dragged += u.in.Drag
		p.first, p.dragged = p.first-p.dragged/h, p.dragged%h
	}
	typed := o.keys()
	if p.at >= 0 && p.blocking && u.in.Pointer != p.by {
		p.at = -1 // the pointer takes over
	}
	if p.at >= 0 {
		p.first = min(max(p.first, p.at-shown+1), p.at)
	}
	p.first = max(min(p.first, len(c.Options)-shown), 0)
	clicked := o.window(box)
	fill(&u.Popup, box, fieldColor)
	for i := p.first; i < p.first+shown; i++ {
		row := image.Rect(box.Min.X, box.Min.Y+h*(i-p.first), box.Max.X, box.Min.Y+h*(i-p.first+1))
		if u.OnPlace != nil {
			u.OnPlace(u.memory.join(c.ID, u.memory.join(" ", c.Options[i])), row)
		}
		if c.Options[i] == c.Value {
			fill(&u.Popup, row, fillColor)
		}
		help := ""
		if c.OptionHelp != nil {
			help = c.OptionHelp(i)
			if u.OnHelp != nil {
				u.OnHelp(help)
			}
		}
		pointed := u.in.Pointer.In(row)
		if pointed && p.at < 0 || i == p.at {
			if c.Options[i] != c.Value {
				fill(&u.Popup, row, hoverColor)
			}
			u.tooltip = help
		}
		if i == p.at {
			p.row = (row.Min.Y + row.Max.Y) / 2
			border(&u.Popup, row, u.Px(1), textColor)
		}
		if clicked && pointed || typed == i {
			chosen = i
		}
		u.text(&u.Popup, image.Rect(row.Min.X+u.Px(5), row.Min.Y, row.Max.X-u.Px(10), row.Max.Y), u.Font(false), textColor, c.Options[i], Left)
	}
	if n := len(c.Options); n > shown {
		high := box.Dy() * shown / n
		top := box.Min.Y + box.Dy()*p.first/n
		fill(&u.Popup, image.Rect(box.Max.X-u.Px(5), top, box.Max.X-u.Px(1), top+high), dimColor)
	}
	border(&u.Popup, box, u.Px(1), borderColor)
	outside := u.in.Pressed && !u.in.Pointer.In(box)
	if p.blocking && (outside || clicked || u.in.Escape || u.in.Tab || typed >= 0) {
		p.id = ""
	}
	if chosen >= 0 && c.Options[chosen] == c.Value {
		chosen = -1
	}
	return chosen
}

// window places the open list as a window of debugui, all of which is one button, and reports whether the list has
// just been clicked. The window lies over the panel's; its title bar lies behind the choice or beside the list, where a
// press closes the list.
func (o openList) window(box image.Rectangle) (clicked bool) {
	u, p := o.u, &o.u.popup
	if !p.blocking {
		return false // a press has opened the list in this update, and would take hold of the title bar
	}
	id := u.memory.join(p.id, " list")
	u.ctx.IDScope(id, func() {
		bounds := image.Rect(box.Min.X-gridInset, box.Min.Y-gridInset-titleHeight, box.Max.X+gridInset+titleHeight, box.Max.Y+gridInset+titleHeight)
		u.ctx.Window("list", bounds, func(debugui.ContainerLayout) {
			u.ctx.SetGridLayout([]int{box.Dx()}, []int{box.Dy()})
			u.ctx.Button("").On(func() { u.hot = id })
		})
	})
	if u.in.Pressed && u.hot == id {
		u.active = id
	}
	return u.released && u.active == id && u.in.Pointer.In(box)
}

// keys moves through the open list by keys, and returns the option that they choose, or -1.
func (o openList) keys() int {
	u, c, p := o.u, o.c, &o.u.popup
	if p.at < 0 || !p.blocking && u.in.Text == "" {
		u.keyboard.use(c.ID)
		return -1
	}
	if !u.keyboard.use(c.ID) {
		return -1
	}
	before := p.at
	const page = 8
	switch last := len(c.Options) - 1; {
	case u.in.ArrowUp:
		p.at = max(p.at-1, 0)
	case u.in.ArrowDown:
		p.at = min(p.at+1, last)
	case u.in.PageUp:
		p.at = max(p.at-page, 0)
	case u.in.PageDown:
		p.at = min(p.at+page, last)
	case u.in.Home:
		p.at = 0
	case u.in.End:
		p.at = last
	}
	if p.typedIn++; p.typedIn > typeAhead {
		p.typed = ""
	}
	if text := strings.TrimSpace(u.in.Text); text != "" {
		p.typed, p.typedIn = p.typed+strings.ToLower(text), 0
		i := slices.IndexFunc(c.Options, func(o string) bool { return strings.HasPrefix(strings.ToLower(o), p.typed) })
		if i < 0 { // a word within an option
			i = slices.IndexFunc(c.Options, func(o string) bool { return strings.Contains(strings.ToLower(o), p.typed) })
		}
		if i >= 0 {
			p.at = i
		}
	}
	if p.at != before {
		p.by = u.in.Pointer
	}
	if p.blocking && (u.in.Enter || u.in.Space) {
		return p.at
	}
	return -1
}
