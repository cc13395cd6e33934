package hud

import (
	"ghostcube/render"
	"ghostcube/ui/stage"
)

// sidesOf returns the pictures in rectangles of panes: one each, or one for each side.
func (h *HUD) sidesOf(rects []Rect, show *stage.Settings) []stage.Picture {
	list := h.pictures[:0]
	for i, r := range rects {
		if !show.Split {
			list = append(list, stage.Picture{Pane: i, Side: stage.Combined, Rect: r})
			continue
		}
		client, server := sides(r, h.laneGap)
		list = append(list, stage.Picture{Pane: i, Side: stage.ClientSide, Rect: client}, stage.Picture{Pane: i, Side: stage.ServerSide, Rect: server})
	}
	h.pictures = list
	return list
}

// sides divides the picture of a pane among client and server: side by side, or one above the other in a tall one.
// gap is the width between two that are side by side, in pixels; 0: that of a line.
func sides(r Rect, gap int) (client, server Rect) {
	if gap == 0 {
		gap = gutter / 2
		if r.H > r.W {
			half := (r.H - gap) / 2
			return Rect{X: r.X, Y: r.Y, W: r.W, H: half}, Rect{X: r.X, Y: r.Y + r.H - half, W: r.W, H: half}
		}
	}
	half := (r.W - gap) / 2
	return Rect{X: r.X, Y: r.Y, W: half, H: r.H}, Rect{X: r.X + r.W - half, Y: r.Y, W: half, H: r.H}
}

// gutter is the width of the line between two panes, in pixels.
const gutter = 4

// minRowAspect is the least width of a rectangle, in heights, in which three panes stand in a row.
const minRowAspect = 1.2

// minPairAspect is the same for two panes.
const minPairAspect = 0.75

// appendPaneRects appends the rectangles of n panes, at most four, that divide a rectangle. All have one shape: two or
// three lie in a row or, where that is too narrow, one above the other, and four in two rows.
func appendPaneRects(dst []Rect, n, x, y, w, h int) []Rect {
	columns, rows := n, 1
	switch {
	case n == 4:
		columns, rows = 2, 2
	case n == 2 && float32(w) < minPairAspect*float32(h):
		columns, rows = 1, 2
	case n == 3 && float32(w) < minRowAspect*float32(h):
		columns, rows = 1, 3
	}
	if n == 0 {
		return dst
	}
	width, height := (w-gutter*(columns-1))/columns, (h-gutter*(rows-1))/rows
	for i := range n {
		c, r := i%columns, i/columns
		at := Rect{X: x + c*(width+gutter), Y: y + r*(height+gutter), W: width, H: height}
		if c > 0 && c == columns-1 { // the remainder of the division belongs to the gutters
			at.X = x + w - width
		}
		if r > 0 && r == rows-1 {
			at.Y = y + h - height
		}
		dst = append(dst, at)
	}
	return dst
}

// edges returns the left, the upper, the right and the lower edge of a rectangle.
func edges(r Rect) (left, top, right, bottom float32) {
	return float32(r.X), float32(r.Y), float32(r.X + r.W), float32(r.Y + r.H)
}

// fill fills a rectangle with a colour.
func fill(list *render.DrawList, r Rect, c render.Color) {
	list.Rect(float32(r.X), float32(r.Y), float32(r.W), float32(r.H), c)
}

// whole returns the whole pixels of a length.
func whole(x float32) float32 { return float32(int(x)) }
