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

// drawHelp draws the list of keys into the middle of the picture.
func drawHelp(l *render.DrawList, picture stage.Rect) {
	rows := keyHelp()
	size := max(11, min(picture.H*5/9/len(rows), 28))
	bold, plain := render.Font{Size: size, Bold: true}, render.Font{Size: size}
	var labelWidth, helpWidth float32
	for _, row := range rows {
		labelWidth, helpWidth = max(labelWidth, bold.Width(row[0])), max(helpWidth, plain.Width(row[1]))
	}
	line := plain.Height() * 1.15
	pad, gap := float32(size)*1.5, float32(size)*1.6
	w, h := labelWidth+gap+helpWidth+2*pad, line*float32(len(rows))+2*pad
	x, y := float32(picture.X)+(float32(picture.W)-w)/2, float32(picture.Y)+(float32(picture.H)-h)/2
	l.Rect(x, y, w, h, render.Color{R: 16, G: 20, B: 26, A: 235})
	for i, row := range rows {
		base := y + pad + line*float32(i) + plain.Ascent()
		l.Text(x+pad+labelWidth-bold.Width(row[0]), base, bold, render.RGB(1, 0.83, 0.35), row[0])
		l.Text(x+pad+labelWidth+gap, base, plain, render.RGB(0.93, 0.95, 0.97), row[1])
	}
}
