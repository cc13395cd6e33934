package window

import (
	"ghostcube/render"
	"ghostcube/ui/stage"
)

// keyHelp are all keys, as the help shows them. The README lists the same.
var keyHelp = [][2]string{
	{"W A S D, arrows, left stick", "roll the cube, as the camera looks"},
	{"Space, lower pad button", "lift and blow"},
	{"Z, left or right pad button", "pull cubes in"},
	{"arrows, right Shift, Enter", "the same for the second player, where there is one"},
	{"drag beside the panel, right stick", "turn the camera"},
	{"wheel", "nearer, further"},
	{"right click; E, right trigger", "shoot at what is under the pointer; straight ahead"},
	{"", ""},
	{"1 to 9", "strategy of the framed pane"},
	{"Tab", "frame the next pane"},
	{"F, upper pad button", "move the server's cube aside by a metre"},
	{"B, Shift B", "lose every packet for 0.25 s, 5 s"},
	{"X", "freeze the clients for two seconds"},
	{"M, J", "clients' clocks 500 ppm fast, slow; 20, 144 frames a second"},
	{"Backspace", "begin the scene again"},
	{"", ""},
	{"P, start", "pause"},
	{"N", "one step"},
	{"[ ]", "slower, faster"},
	{"", ""},
	{"V", "ghosts in one picture, or client and server side by side"},
	{"G, T", "ghosts, trail"},
	{"C, Shift C", "colour cubes by priority, age, encoding, authority, joint-depth, or as they are"},
	{"O, K, L", "outlines of simulated cubes, packet and budget, ages"},
	{"U, Y, I", "latency, shots, parents"},
	{"H", "hide all but the picture"},
	{"R", "begin a film, end it"},
	{"F12", "save the window as a picture"},
	{"F11", "full screen"},
	{"F1, Escape", "this list"},
}

// drawHelp lists all keys in the middle of the picture.
func drawHelp(l *render.DrawList, place stage.Rect) {
	size := max(12, min(place.H/len(keyHelp)*5/9, 28))
	bold, plain := render.Font{Size: size, Bold: true}, render.Font{Size: size}
	var keys, what float32
	for _, k := range keyHelp {
		keys, what = max(keys, bold.Width(k[0])), max(what, plain.Width(k[1]))
	}
	line := plain.Height() * 1.15
	pad, gap := float32(size)*1.5, float32(size)*1.6
	w, h := keys+gap+what+2*pad, line*float32(len(keyHelp))+2*pad
	x, y := float32(place.X)+(float32(place.W)-w)/2, float32(place.Y)+(float32(place.H)-h)/2
	l.Rect(x, y, w, h, render.Color{R: 16, G: 20, B: 26, A: 235})
	for i, k := range keyHelp {
		at := y + pad + line*float32(i) + plain.Ascent()
		l.Text(x+pad+keys-bold.Width(k[0]), at, bold, render.RGB(1, 0.83, 0.35), k[0])
		l.Text(x+pad+keys+gap, at, plain, render.RGB(0.93, 0.95, 0.97), k[1])
	}
}
