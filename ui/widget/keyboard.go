package widget

import (
	"image"
	"slices"
)

// keyboard is the use of the panel without a pointer. One control has the focus, or none, and then all keys belong to
// the program. Tab moves the focus, Escape ends it.
type keyboard struct {
	focus string // control that has the keys; empty: none
	last  string // that had them before

	stops    []stop          // controls of this update in the order of their layout
	index    int             // of the focus among them, in the previous update
	bounds   image.Rectangle // of the control with the keys, in the previous update
	enter    int             // the first control (1) or the last one (-1) gets the keys at the end of the update, or the one that had them last
	excluded bool            // the controls that follow are reached by the arrows alone
	used     bool            // the control with the focus has used the arrow and page keys of this update
	reveal   bool            // the body scrolls to the focus
	page     int             // views by which a key scrolls the body
	activate bool            // a key presses the control with the focus
	arrived  bool            // the focus has come by Tab in the previous update
}

// stop is a control that Tab reaches.
type stop struct {
	id     string
	bounds image.Rectangle // pixels of the window
	body   bool            // it scrolls
}

func (k *keyboard) begin(in *Input) {
	k.stops, k.excluded, k.used = k.stops[:0], false, false
	if in.Pressed {
		k.leave()
	}
	k.activate = k.focus != "" && (in.Enter || in.Space)
}

func (k *keyboard) leave() {
	if k.focus != "" {
		k.last, k.focus = k.focus, ""
	}
}

// add adds a control.
func (k *keyboard) add(id string, r image.Rectangle, body bool) {
	if !k.excluded {
		k.stops = append(k.stops, stop{id, r, body})
	}
}

// member says whether Tab reaches the controls that follow.
func (k *keyboard) member(reached bool) { k.excluded = !reached }

// has reports whether a control has the keys.
func (k *keyboard) has(id string) bool { return k.focus == id && id != "" }

// step moves the keys within a group of controls, of which only one is a stop.
func (k *keyboard) step(from, to string) {
	if i := k.find(from); i >= 0 {
		k.stops[i].id = to
	}
	k.focus = to
}

// use reports whether a control has the keys, and keeps the arrow and page keys from moving the focus.
func (k *keyboard) use(id string) bool {
	k.used = k.used || k.has(id)
	return k.has(id)
}

// wantsText reports whether a field begins to edit by keys: the focus has just come, or a key asks for it.
func (k *keyboard) wantsText(id string, in *Input) bool {
	return k.has(id) && (k.arrived || k.activate || in.Text != "")
}

// activates reports whether a key presses a control.
func (k *keyboard) activates(id string) bool { return k.activate && k.has(id) }

// Focus gives the keys to the control that had them last, or to the panel's first control, or with back to its last
// one, at the end of the next update.
func (u *UI) Focus(back bool) {
	if k := &u.keyboard; back {
		k.enter = -1
	} else {
		k.enter = 1
	}
}

// Focused returns the control that has the keys, so that the program gets none, or "".
func (u *UI) Focused() string {
	if u.edit.id != "" {
		return u.edit.id
	}
	return u.keyboard.focus
}

func (k *keyboard) find(id string) int {
	return slices.IndexFunc(k.stops, func(s stop) bool { return s.id == id })
}

// move gives the keys to the control after index i, or before it.
func (k *keyboard) move(i int, back bool) {
	if n := len(k.stops); n > 0 {
		by := 0
		if back {
			by = n - 1
		}
		k.focus, k.arrived, k.reveal = k.stops[(i+by)%n].id, true, true
	}
}

// end moves the focus at the end of an update, when all controls are known.
func (k *keyboard) end(in *Input, edited string, listOpen bool) {
	k.arrived = false
	if k.enter != 0 && len(k.stops) > 0 {
		k.sort()
		if k.move(0, k.enter < 0); k.find(k.last) >= 0 {
			k.focus = k.last
		}
		k.enter = 0
		return
	}
	from := k.focus
	if edited != "" {
		from = edited
	}
	if from == "" {
		return
	}
	k.sort()
	i := k.find(from)
	if i < 0 { // the control is gone
		if len(k.stops) == 0 {
			k.leave()
			return
		}
		i = min(k.index, len(k.stops)-1)
		if k.focus != "" {
			k.focus = k.stops[i].id
		}
	}
	k.index, k.bounds = i, k.stops[i].bounds
	switch {
	case in.Tab && !listOpen:
		if in.Shift {
			k.move(i, true)
		} else {
			k.move(i+1, false)
		}
	case k.focus == "" || k.used || edited != "":
	case in.Escape:
		k.leave()
	case in.ArrowUp:
		k.moveRow(i, -1)
	case in.ArrowDown:
		k.moveRow(i, 1)
	case in.PageUp:
		k.page = -1
	case in.PageDown:
		k.page = 1
	case in.Home:
		k.page = -allPages
	case in.End:
		k.page = allPages
	}
}

// sort puts the controls in reading order: rows from the top, in a row from the left.
func (k *keyboard) sort() {
	slices.SortStableFunc(k.stops, func(a, b stop) int {
		if a.body != b.body {
			if b.body {
				return -1
			}
			return 1
		}
		if d := a.bounds.Min.Y - b.bounds.Min.Y; d != 0 {
			return d
		}
		return a.bounds.Min.X - b.bounds.Min.X
	})
}

// allPages is more views than a body has.
const allPages = 1000

// scroll returns the offset of a body in a view after page keys, and with the control that the focus has moved to in
// sight.
func (k *keyboard) scroll(offset int, view image.Rectangle) int {
	offset += k.page * (view.Dy() - view.Dy()/8)
	k.page = 0
	if i := k.find(k.focus); k.reveal && i >= 0 && k.stops[i].body {
		const margin = 2 * gridGap
		b := k.stops[i].bounds
		switch {
		case b.Min.Y-margin < view.Min.Y:
			offset += b.Min.Y - margin - view.Min.Y
		case b.Max.Y+margin > view.Max.Y:
			offset += b.Max.Y + margin - view.Max.Y
		}
	}
	k.reveal = false
	return max(offset, 0)
}

// moveRow gives the keys to the nearest control of the row above or below control i.
func (k *keyboard) moveRow(i, by int) {
	at, best := k.stops[i].bounds, -1
	for j := i + by; j >= 0 && j < len(k.stops); j += by {
		s := k.stops[j]
		if s.bounds.Min.Y == at.Min.Y && s.body == k.stops[i].body {
			continue
		}
		if best >= 0 && s.bounds.Min.Y != k.stops[best].bounds.Min.Y {
			break
		}
		if best < 0 || gap(s.bounds, at) < gap(k.stops[best].bounds, at) {
			best = j
		}
	}
	if best >= 0 {
		k.focus, k.arrived, k.reveal = k.stops[best].id, true, true
	}
}

// gap returns the horizontal distance between the middles of two rectangles, in pixels.
func gap(a, b image.Rectangle) int {
	return abs(a.Min.X+a.Max.X-b.Min.X-b.Max.X) / 2
}

// ring marks the control with the keys.
func (u *UI) ring(id string, r image.Rectangle) {
	if u.keyboard.has(id) {
		w := float32(u.Px(2))
		u.list.Border(float32(r.Min.X)-w, float32(r.Min.Y)-w, float32(r.Dx())+2*w, float32(r.Dy())+2*w, w, textColor)
	}
}
