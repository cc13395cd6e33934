package render

// DrawList are rectangles, lines and texts that are drawn over a picture, in order. Coordinates are
// pixels from the picture's top left corner. Points and texts of items are valid until Reset. The zero value is
// empty and ready.
type DrawList struct {
	Items  []Item
	points []Point
	texts  Texts
}

// Kind is the kind of an item.
type Kind uint8

// The kinds of items.
const (
	RectKind Kind = iota
	LineKind
	TextKind
)

// Item is a rectangle, a line or a text.
type Item struct {
	Kind  Kind
	Color Color

	X, Y, W, H float32 // of a rectangle, pixels; X and Y of a text: its left end and baseline
	Points     []Point // of a line
	Width      float32 // of a line, pixels
	Text       string
	Font       Font
}

// Point is a point of the picture, in pixels.
type Point struct{ X, Y float32 }

// Reset empties l and keeps its memory for the next items.
func (l *DrawList) Reset() {
	l.Items, l.points = l.Items[:0], l.points[:0]
	l.texts.Reset()
}

// Append adds the items of another list, with copies of their points and texts.
func (l *DrawList) Append(from *DrawList) {
	for i := range from.Items {
		switch it := &from.Items[i]; it.Kind {
		case LineKind:
			l.Line(it.Points, it.Width, it.Color)
		case TextKind:
			l.Text(it.X, it.Y, it.Font, it.Color, it.Text)
		default:
			l.Items = append(l.Items, *it)
		}
	}
}

// Rect adds a filled rectangle.
func (l *DrawList) Rect(x, y, w, h float32, c Color) {
	l.Items = append(l.Items, Item{Kind: RectKind, X: x, Y: y, W: w, H: h, Color: c})
}

// Border adds a border of a width inside a rectangle.
func (l *DrawList) Border(x, y, w, h, width float32, c Color) {
	l.Rect(x, y, w, width, c)
	l.Rect(x, y+h-width, w, width, c)
	l.Rect(x, y+width, width, h-2*width, c)
	l.Rect(x+w-width, y+width, width, h-2*width, c)
}

// Line adds a line through two points or more, which it copies. With fewer it adds nothing.
func (l *DrawList) Line(points []Point, width float32, c Color) {
	if len(points) < 2 {
		return
	}
	n := len(l.points)
	l.points = append(l.points, points...)
	l.Items = append(l.Items, Item{Kind: LineKind, Points: l.points[n:len(l.points):len(l.points)], Width: width, Color: c})
}

// Text adds a copy of a text whose baseline begins at x, y, and returns its width in pixels.
func (l *DrawList) Text(x, y float32, f Font, c Color, s string) float32 {
	l.Items = append(l.Items, Item{Kind: TextKind, X: x, Y: y, Font: f, Color: c, Text: l.texts.KeepString(s)})
	return f.Width(s)
}
