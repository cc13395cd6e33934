package render

// DrawList is what lies in front of a picture: rectangles, lines and text, drawn
// in order. Coordinates are pixels from the top left corner of the picture.
type DrawList struct {
	Items  []Item
	points []Point
}

// Kind tells items apart.
type Kind uint8

// The kinds of items.
const (
	RectKind Kind = iota
	LineKind
	TextKind
)

// Item is one thing of a List.
type Item struct {
	Kind  Kind
	Color Color

	X, Y, W, H float32 // of a rectangle; X, Y of a text: its left end and baseline
	Points     []Point // of a line
	Width      float32 // of a line
	Text       string
	Font       Font
}

// Point is a place in the picture.
type Point struct{ X, Y float32 }

// Reset empties l and keeps its memory.
func (l *DrawList) Reset() { l.Items, l.points = l.Items[:0], l.points[:0] }

// Rect adds a filled rectangle.
func (l *DrawList) Rect(x, y, w, h float32, c Color) {
	l.Items = append(l.Items, Item{Kind: RectKind, X: x, Y: y, W: w, H: h, Color: c})
}

// Border adds the border of a rectangle, inside it.
func (l *DrawList) Border(x, y, w, h, width float32, c Color) {
	l.Rect(x, y, w, width, c)
	l.Rect(x, y+h-width, w, width, c)
	l.Rect(x, y+width, width, h-2*width, c)
	l.Rect(x+w-width, y+width, width, h-2*width, c)
}

// Line adds a line through points, which are copied.
func (l *DrawList) Line(points []Point, width float32, c Color) {
	if len(points) < 2 {
		return
	}
	n := len(l.points)
	l.points = append(l.points, points...)
	l.Items = append(l.Items, Item{Kind: LineKind, Points: l.points[n:len(l.points):len(l.points)], Width: width, Color: c})
}

// Text adds a text whose baseline begins at x, y, and returns how wide it is.
func (l *DrawList) Text(x, y float32, f Font, c Color, s string) float32 {
	l.Items = append(l.Items, Item{Kind: TextKind, X: x, Y: y, Font: f, Color: c, Text: s})
	return f.Width(s)
}
