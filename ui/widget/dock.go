package widget

import (
	"image"

	"github.com/ebitengine/debugui"
)

// Measures of debugui in pixels, which it keeps to itself. TestCells fails where they are others.
const (
	gridGap     = 4  // between cells
	gridInset   = 5  // of a container's content
	titleHeight = 24 // of a window's title bar, and the size of the handle in its corner
	barWidth    = 12 // of a scroll bar
	minThumb    = 8  // of a scroll bar
	knobWidth   = 8  // of a slider
	wheelPixels = 30 // by which a notch of the wheel scrolls
)

// outside is the distance of a window's content from its edge that lies out of reach, in pixels.
const outside = 16

// farAway is the width and height of the window that holds the panel, in pixels.
const farAway = 1 << 16

// dock places the controls of debugui, which knows cells in rows, where their pictures are.
type dock struct{ u *UI }

// lay lays out the panel in a window of debugui that is larger than every screen. Its title bar lies above the screen
// and the handle for its size beyond the other corner, so nobody drags it away, and it is the same window whatever the
// panel's bounds are.
func (d dock) lay(build func()) {
	u := d.u
	if u.controls.press == nil {
		d.makeControls()
	}
	capture, err := u.gui.Update(func(ctx *debugui.Context) error {
		u.ctx = ctx
		bounds := image.Rect(-outside-gridInset, -outside-gridInset-titleHeight, farAway, farAway)
		ctx.Window("panel", bounds, func(debugui.ContainerLayout) {
			u.grid.begin(image.Pt(-outside, -outside))
			u.y = u.panel.Min.Y + u.Px(padding)/2
			build()
		})
		return nil
	})
	if err != nil {
		panic("widget: " + err.Error())
	}
	if u.ctx = nil; capture&debugui.InputCapturingStateFocus == 0 {
		u.hot = ""
	}
}

// grid is where debugui puts the next cell of a container. It fills rows from the top; a row begins a gap below the
// row above it, or further down below an empty cell.
type grid struct {
	origin image.Point // of the content
	row    int         // y of the row in progress
	cells  int         // in it
	next   int         // y of the next row
	end    int         // the same, if controls out of sight had cells
}

func (g *grid) begin(origin image.Point) {
	*g = grid{origin: origin, next: origin.Y, end: origin.Y, row: origin.Y - 1}
}

// rowCells are the widths of the cells from which the controls of a row are laid out, each by its distance from its
// own cell.
var rowCells = [16]int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}

var one = [1]int{1}

// skip leaves the grid empty down to y, if that is at least a cell and a gap away.
func (d dock) skip(y int) {
	u := d.u
	if h := y - u.grid.next - gridGap; h > 0 {
		u.ctx.SetGridLayout(one[:], []int{h})
		u.ctx.GridCell(nil)
		u.grid.next = y
	}
}

// fillTo makes the content of a container reach down to y, or to the row that is due, and returns where it ends.
func (d dock) fillTo(y int) int {
	u := d.u
	y = max(y, u.grid.end+1)
	u.ctx.SetGridLayout(one[:], []int{y - u.grid.next})
	u.ctx.GridCell(nil)
	return y
}

// cell is a control that gets its place.
type cell struct {
	id      string
	bounds  image.Rectangle
	dx      int // from the row's cell
	control func()
	state   bool    // of a switch
	share   float64 // of a slider
	moved   bool    // the slider is dragged
}

// controls are the functions that debugui calls to place the controls of a UI. They are made once: a function that
// refers to its control would be allocated for each of them.
type controls struct {
	button, toggle, slider, press, move func()
	inRow                               func(image.Rectangle)
	widths                              [2]int
	heights                             [1]int
}

func (d dock) makeControls() {
	u := d.u
	c, x := &u.controls, &u.cell
	c.press = func() { u.hot = x.id }
	c.move = func() { x.moved = true }
	c.button = func() { u.ctx.Button("").On(c.press) }
	c.toggle = func() { u.ctx.Checkbox(&x.state, "").On(c.press) }
	c.slider = func() { u.ctx.SliderF(&x.share, 0, 1, 0, 0).On(c.move) }
	c.inRow = func(image.Rectangle) {
		c.widths, c.heights[0] = [2]int{x.dx - gridGap, x.bounds.Dx()}, x.bounds.Dy()
		if x.dx > 0 {
			u.ctx.SetGridLayout(c.widths[:], c.heights[:])
			u.ctx.GridCell(nil)
		} else {
			u.ctx.SetGridLayout(c.widths[1:], c.heights[:])
		}
		u.ctx.IDScope(x.id, x.control)
		u.ctx.SetGridLayout(one[:], one[:]) // so that the row's next cell follows this one, not its control
	}
}

// put gives a control of debugui a cell. The rows of a container are put from the top to the bottom, and those of a
// row in any order that leaves gridGap+1 pixels a control to its left.
func (d dock) put(id string, r image.Rectangle, control func()) {
	u := d.u
	u.keyboard.add(id, r, u.inBody)
	u.grid.end = max(u.grid.end, r.Max.Y+gridGap)
	if _, ok := u.visible(r); !ok && u.active != id {
		return
	}
	g := &u.grid
	if r.Min.Y != g.row || g.cells == len(rowCells) {
		d.skip(r.Min.Y)
		g.row, g.cells = r.Min.Y, 0
		u.ctx.SetGridLayout(rowCells[:], one[:])
	}
	u.cell = cell{id: id, bounds: r, dx: r.Min.X - g.origin.X - g.cells*(1+gridGap), control: control, state: u.cell.state, share: u.cell.share}
	g.cells++
	u.ctx.GridCell(u.controls.inRow)
	g.next = max(g.next, r.Max.Y+gridGap)
}

// grab is a control that acts when the button goes down on it, and reports that.
func (d dock) grab(id string, r image.Rectangle) bool {
	u := d.u
	if u.disabled != "" {
		return false
	}
	d.put(id, r, u.controls.button)
	return d.arm(id, r)
}

// click is a control that acts when the button goes up again on it, or on a key, and reports that.
func (d dock) click(id string, r image.Rectangle) bool {
	u := d.u
	if u.disabled != "" {
		return false
	}
	d.put(id, r, u.controls.button)
	return d.clicked(id, r)
}

// arm makes a control active if the button has just gone down on it, and reports that. debugui gives a press to the
// control that the pointer was over one update before, too, which a pointer that jumps has left.
func (d dock) arm(id string, r image.Rectangle) bool {
	u := d.u
	if !u.in.Pressed || u.hot != id || !u.over(r) {
		return false
	}
	u.active = id
	return true
}

func (d dock) clicked(id string, r image.Rectangle) bool {
	u := d.u
	d.arm(id, r)
	return u.released && u.active == id && u.over(r) || u.keyboard.activates(id)
}

// scroll is the position of a body.
type scroll struct {
	offset  int // pixels of the content above the view
	content int // height of the content in the last update, pixels
}

// Scroll lays out the scrolling rest of the panel. The name identifies its scroll offset. In the update in which
// another body takes its place, the picture of the old one stays: debugui learns the new one's height and offset.
func (u *UI) Scroll(name string, build func()) {
	if u.scroll == nil {
		u.scroll = map[string]*scroll{}
	}
	s := u.scroll[name]
	if s == nil {
		s = &scroll{}
		u.scroll[name] = s
	}
	changed := u.body != "" && u.body != name
	u.current, u.body, u.laid = s, name, true
	outer, p := u.grid, u.Px(padding)
	// debugui insets the content, which begins where the rows do. Its bar is wider than ours: the rest lies outside the panel.
	r := image.Rect(u.panel.Min.X+p-gridInset, u.y, u.panel.Max.X+max(barWidth-u.Px(scrollbarSize), 0), u.panel.Max.Y)
	if r.Min.Y < outer.next+gridGap+1 {
		r.Min.Y = outer.next
	}
	dock{u}.skip(r.Min.Y)
	u.ctx.SetGridLayout([]int{r.Min.X - outer.origin.X - gridGap, r.Dx()}, []int{max(r.Dy(), 1)})
	u.ctx.GridCell(nil)
	u.ctx.Panel(func(l debugui.ContainerLayout) {
		u.View = image.Rect(u.panel.Min.X+u.Px(1), l.BodyBounds.Min.Y, min(l.BodyBounds.Max.X, u.panel.Max.X), l.BodyBounds.Max.Y)
		offset := l.ScrollOffset.Y
		if changed {
			offset = s.offset
		}
		origin := image.Pt(u.panel.Min.X+p, l.BodyBounds.Min.Y+gridInset-l.ScrollOffset.Y)
		u.grid.begin(origin)
		if changed {
			u.ctx.SetScroll(image.Pt(0, offset))
			dock{u}.fillTo(origin.Y + s.content)
			return
		}
		s.offset = offset
		if u.in.Pointer.In(u.View) && !u.popup.blocking {
			// debugui scrolls by its own notch at the end of the update.
			offset -= int(u.in.Wheel*float64(u.Px(wheelStep))) - int(u.in.Wheel*wheelPixels) + u.in.Drag
		}
		u.Body.Reset()
		bar := dock{u}.scrollbar(s, l)
		if u.list, u.inBody, u.y = &u.Body, true, origin.Y; bar >= 0 {
			offset = bar
		}
		build()
		s.content = dock{u}.fillTo(u.y+p-gridInset) - origin.Y
		if to := u.keyboard.scroll(offset, u.View); to != l.ScrollOffset.Y {
			u.ctx.SetScroll(image.Pt(0, to))
		}
	})
	u.list, u.inBody = &u.Frame, false
	u.grid = outer
}

// right returns the right edge of the rows. Those of a body leave room for its bar, shown or not: a text that wrapped
// only beside the bar could need the bar, and not need it, in turns.
func (d dock) right() int {
	u := d.u
	if !u.inBody {
		return u.panel.Max.X - u.Px(padding)
	}
	return u.panel.Max.X - d.bodyMargin()
}

// bodyMargin returns the distance of the rows of a body from the right edge of the panel, in pixels.
func (d dock) bodyMargin() int {
	u := d.u
	return max(u.Px(scrollbarSize+4), min(u.Px(scrollbarSize), barWidth)+gridInset)
}

// scrollbar draws debugui's scroll bar. A press beside the thumb moves it there; then debugui drags it. It returns the
// offset to scroll to, or -1.
func (d dock) scrollbar(s *scroll, l debugui.ContainerLayout) int {
	u := d.u
	v, height := l.BodyBounds, s.content+2*gridInset
	if v.Max.X == l.Bounds.Max.X || height <= v.Dy() {
		return -1
	}
	track := image.Rect(v.Max.X, v.Min.Y, min(v.Max.X+barWidth, u.panel.Max.X), v.Max.Y)
	thumb := max(minThumb, v.Dy()*v.Dy()/height)
	top := v.Min.Y + (v.Dy()-thumb)*l.ScrollOffset.Y/(height-v.Dy())
	to := -1
	if u.in.Pressed && u.in.Pointer.In(track) && !u.popup.blocking {
		u.active = "scroll bar"
		if y := u.in.Pointer.Y; y < top || y >= top+thumb {
			to = (y - v.Min.Y - thumb/2) * (height - v.Dy()) / max(v.Dy()-thumb, 1)
		}
	}
	fill(u.list, track, fieldColor)
	c := controlColor
	if u.active == "scroll bar" || u.active == "" && u.in.Pointer.In(track) {
		c = activeColor
	}
	fill(u.list, image.Rect(track.Min.X+u.Px(1), top, track.Max.X-u.Px(1), top+thumb), c)
	return to
}
