package window

import (
	"ghostcube/render"
	"ghostcube/ui/stage"
)

// keyHelp returns a row with label and help for each binding, with an empty row between two groups.
func keyHelp() (rows [][2]string) {
	for i, group := range bindings {
		if i > 0 {
			rows = append(rows, [2]string{})
		}
		for _, b := range group {
			rows = append(rows, [2]string{b.label, b.help})
		}
	}
	return rows
}

// drawHelp draws the list of keys into the middle of the picture, as large as it fits.
func drawHelp(l *render.DrawList, picture stage.Rect) {
	t := layoutHelp(maxHelpSize)
	for t.size > minHelpSize && (t.w > float32(picture.W) || t.h > float32(picture.H)) {
		t = layoutHelp(t.size - 1)
	}
	x, y := float32(picture.X)+(float32(picture.W)-t.w)/2, float32(picture.Y)+(float32(picture.H)-t.h)/2
	l.Rect(x, y, t.w, t.h, render.Color{R: 16, G: 20, B: 26, A: 250})
	for i, row := range t.rows {
		base := y + t.padding + t.lineHeight*float32(i) + t.plain.Ascent()
		l.Text(x+t.padding+t.labelWidth-t.bold.Width(row[0]), base, t.bold, render.RGB(0.62, 0.72, 0.84), row[0])
		l.Text(x+t.w-t.padding-t.helpWidth, base, t.plain, render.RGB(0.93, 0.95, 0.97), row[1])
	}
}

// Sizes of the font of the list of keys, in pixels.
const (
	minHelpSize = 11
	maxHelpSize = 28
)

// helpLayout is the list of keys in one size of its font. Lengths are in pixels.
type helpLayout struct {
	rows                              [][2]string
	size                              int
	bold, plain                       render.Font
	labelWidth, helpWidth, lineHeight float32
	padding                           float32
	w, h                              float32
}

// layoutHelp measures the list of keys in a size of its font.
func layoutHelp(size int) helpLayout {
	t := helpLayout{rows: keyHelp(), size: size, bold: render.Font{Size: size, Bold: true}, plain: render.Font{Size: size}}
	for _, row := range t.rows {
		t.labelWidth, t.helpWidth = max(t.labelWidth, t.bold.Width(row[0])), max(t.helpWidth, t.plain.Width(row[1]))
	}
	t.lineHeight, t.padding = t.plain.Height()*1.12, float32(size)*1.5
	t.w = t.labelWidth + float32(size)*1.6 + t.helpWidth + 2*t.padding
	t.h = t.lineHeight*float32(len(t.rows)) + 2*t.padding
	return t
}
