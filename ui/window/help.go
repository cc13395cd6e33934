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

// drawHelp lists all keys in the middle of the picture.
func drawHelp(l *render.DrawList, place stage.Rect) {
	rows := keyHelp()
	size := max(11, min(place.H*5/9/len(rows), 28))
	bold, plain := render.Font{Size: size, Bold: true}, render.Font{Size: size}
	var keys, what float32
	for _, k := range rows {
		keys, what = max(keys, bold.Width(k[0])), max(what, plain.Width(k[1]))
	}
	line := plain.Height() * 1.15
	pad, gap := float32(size)*1.5, float32(size)*1.6
	w, h := keys+gap+what+2*pad, line*float32(len(rows))+2*pad
	x, y := float32(place.X)+(float32(place.W)-w)/2, float32(place.Y)+(float32(place.H)-h)/2
	l.Rect(x, y, w, h, render.Color{R: 16, G: 20, B: 26, A: 235})
	for i, k := range rows {
		at := y + pad + line*float32(i) + plain.Ascent()
		l.Text(x+pad+keys-bold.Width(k[0]), at, bold, render.RGB(1, 0.83, 0.35), k[0])
		l.Text(x+pad+keys+gap, at, plain, render.RGB(0.93, 0.95, 0.97), k[1])
	}
}
