package widget

import (
	"image"

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
}

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
	if u.grab(c.ID, r) {
		p.id, p.first, p.dragged = c.ID, 0, 0
	}
	u.face(c.ID, r)
	u.text(u.list, image.Rect(r.Min.X+u.Px(5), r.Min.Y, r.Max.X-u.Px(18), r.Max.Y), u.Font(false), u.textColor(false), c.Value, Left)
	x, y, s := float32(r.Max.X-u.Px(14)), float32(r.Min.Y+r.Max.Y)/2, u.scale
	u.list.Line([]render.Point{{X: x, Y: y - 2*s}, {X: x + 4*s, Y: y + 2*s}, {X: x + 8*s, Y: y - 2*s}}, 1.5*s, u.textColor(true))
	if p.id == c.ID {
		p.seen = true
		chosen = u.openList(r, c)
	}
	return chosen
}

// openList draws the open list of a choice and reacts to the pointer.
func (u *UI) openList(r image.Rectangle, c Choice) (chosen int) {
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
	p.first = max(min(p.first, len(c.Options)-shown), 0)
	fill(&u.Popup, box, fieldColor)
	for i := p.first; i < p.first+shown; i++ {
		row := image.Rect(box.Min.X, box.Min.Y+h*(i-p.first), box.Max.X, box.Min.Y+h*(i-p.first+1))
		if u.OnPlace != nil {
			u.OnPlace(u.join(c.ID, u.join(" ", c.Options[i])), row)
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
		if u.in.Pointer.In(row) {
			if c.Options[i] != c.Value {
				fill(&u.Popup, row, hoverColor)
			}
			u.tooltip = help
			if p.blocking && u.in.Pressed {
				chosen = i
			}
		}
		u.text(&u.Popup, image.Rect(row.Min.X+u.Px(5), row.Min.Y, row.Max.X-u.Px(10), row.Max.Y), u.Font(false), textColor, c.Options[i], Left)
	}
	if n := len(c.Options); n > shown {
		high := box.Dy() * shown / n
		top := box.Min.Y + box.Dy()*p.first/n
		fill(&u.Popup, image.Rect(box.Max.X-u.Px(5), top, box.Max.X-u.Px(1), top+high), dimColor)
	}
	u.border(&u.Popup, box, borderColor)
	if p.blocking && (u.in.Pressed || u.in.Escape) {
		p.id = ""
	}
	if chosen >= 0 && c.Options[chosen] == c.Value {
		chosen = -1
	}
	return chosen
}
