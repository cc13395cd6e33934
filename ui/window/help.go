package window

import (
	"strings"

	"ghostcube/render"
	"ghostcube/ui/stage"
)

// keyHelp returns a row with label and help for each binding, with an empty row between two groups: in a session that has
// been joined without those that need both sides here, and for a watcher without those of a player.
func keyHelp(joined, watches bool) (rows [][2]string) {
	for _, group := range bindings {
		first := true
		for _, b := range group {
			if joined && b.alone || watches && (len(b.hold) > 0 || b.plays) {
				continue
			}
			if first && len(rows) > 0 {
				rows = append(rows, [2]string{})
			}
			first = false
			rows = append(rows, [2]string{b.label, b.help})
		}
	}
	return rows
}

// drawHelp draws the list of keys in two columns into the middle of the picture, as large as it fits.
func drawHelp(l *render.DrawList, rows [][2]string, picture stage.Rect) {
	t := largestHelp(rows, picture)
	x, y := float32(picture.X)+(float32(picture.W)-t.w)/2, float32(picture.Y)+(float32(picture.H)-t.h)/2
	l.Rect(x, y, t.w, t.h, render.Color{R: 16, G: 20, B: 26, A: 250})
	for i, line := range t.lines {
		left := x + t.padding
		if i >= t.split {
			left, i = x+t.w/2+t.padding/2, i-t.split
		}
		base := y + t.padding + t.lineHeight*float32(i) + t.plain.Ascent()
		l.Text(left+t.labelWidth-t.bold.Width(line[0]), base, t.bold, render.RGB(0.62, 0.72, 0.84), line[0])
		l.Text(left+t.labelWidth+t.gap, base, t.plain, render.RGB(0.93, 0.95, 0.97), line[1])
	}
}

// helpRows returns the list of keys, or that of touches.
func helpRows(touched, joined, watches bool) [][2]string {
	if touched {
		return touchHelp(joined, watches)
	}
	return keyHelp(joined, watches)
}

// largestHelp lays out a list in the largest size in which it fits, in two columns or, in a narrow picture or where the
// list is short, in one.
func largestHelp(rows [][2]string, picture stage.Rect) helpLayout {
	for size := maxHelpSize; ; size-- {
		for columns := 2; columns > 0; columns-- {
			if columns == 2 && len(rows) < 20 {
				continue
			}
			if t := layoutHelp(rows, size, columns, picture); t.fits || size == minHelpSize && columns == 1 {
				return t
			}
		}
	}
}

// Sizes of the font of the list of keys, in pixels.
const (
	minHelpSize = 9
	maxHelpSize = 28
)

// helpLayout is the list of keys in one size of its font. Lengths are in pixels.
type helpLayout struct {
	lines                       [][2]string // label, which is empty in the further lines of a row, and help
	split                       int         // lines in the left column
	size                        int
	fits                        bool
	bold, plain                 render.Font
	labelWidth, gap, lineHeight float32
	padding                     float32
	w, h                        float32
}

// layoutHelp breaks a list into columns, one or two, within a picture, in a size of its font.
func layoutHelp(rows [][2]string, size, columns int, picture stage.Rect) helpLayout {
	t := helpLayout{size: size, bold: render.Font{Size: size, Bold: true}, plain: render.Font{Size: size}}
	widest := float32(0)
	for _, row := range rows {
		t.labelWidth, widest = max(t.labelWidth, t.bold.Width(row[0])), max(widest, t.plain.Width(row[1]))
	}
	t.lineHeight, t.padding, t.gap = t.plain.Height()*1.12, float32(size)*1.5, float32(size)*0.8
	n := float32(columns)
	room := (float32(picture.W)-(n+1)*t.padding)/n - t.labelWidth - t.gap
	room = min(room, widest, float32(size)*26)
	var starts []int // lines at which a group begins
	for _, row := range rows {
		if row[0] == "" {
			starts = append(starts, len(t.lines)+1)
		}
		for i, text := range t.plain.Wrap(strings.Fields(row[1]+" "), " ", room) {
			if i > 0 {
				row[0] = ""
			}
			t.lines = append(t.lines, [2]string{row[0], text})
		}
		if row[1] == "" {
			t.lines = append(t.lines, row)
		}
	}
	t.split = len(t.lines)
	for _, n := range starts[:len(starts)*(columns-1)] { // the columns differ as little as groups allow
		if max(n, len(t.lines)-n) < max(t.split, len(t.lines)-t.split) {
			t.split = n
		}
	}
	t.w = n*(t.labelWidth+t.gap+room) + (n+1)*t.padding
	t.h = t.lineHeight*float32(max(t.split, len(t.lines)-t.split)) + 2*t.padding
	t.fits = t.w <= float32(picture.W) && t.h <= float32(picture.H) && room >= float32(size)*10
	return t
}

// helpRect returns the place of the list of keys: the window, because the panes' column has no room for it beside panel,
// timeline and card.
func (s *screen) helpRect() stage.Rect { return stage.Rect{W: s.w, H: s.h} }

// takesPointer reports whether the list of keys is shown, to which the pointer belongs then. A press closes it.
func (c *controls) takesPointer(p *pointer) bool {
	shown := c.helpShown
	if p.pressed {
		c.helpShown = false
	}
	return shown
}
