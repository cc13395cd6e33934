package hud

import (
	"ghostcube/render"
	"ghostcube/sim/geom"
	"ghostcube/ui/stage"
)

// drawOffscreenMarks draws arrows at the edges of the pictures in which the player's body is outside: in the client's
// the body that it draws and the server's, in the server's picture the latter. The texts say how far the two are
// apart.
func (d markDrawer) drawOffscreenMarks(views []stage.Viewport, share float32) {
	for i := range views {
		v := &views[i]
		drawn, server := d.hud.stage.PlayerAt(v.Pane, share)
		apart := server.Sub(drawn).Len()
		if v.Side != stage.ServerSide {
			d.drawOffscreenMark(v, drawn, "client", apart, stage.ClientColor)
		}
		d.drawOffscreenMark(v, server, "server", apart, stage.ServerColor)
	}
}

// Sizes of an arrow, in pixels at scale 1.
const (
	arrowMargin = 14 // from its tip to the edge of the picture
	arrowLength = 22
	arrowWidth  = 20
)

// offscreenDirection returns the direction on the screen from the centre of a picture to a point outside it, as a
// vector of length 1; outside is false for a point in the picture.
func offscreenDirection(v *stage.Viewport, point geom.Vec3) (x, y float32, outside bool) {
	w, h := float32(v.W), float32(v.H)
	projection := v.Projection()
	px, py, depth := projection.Project(point)
	if depth > render.NearPlane && px >= 0 && py >= 0 && px <= w && py <= h {
		return 0, 0, false
	}
	away := point.Sub(projection.Eye)
	x, y = away.Dot(projection.Right), -away.Dot(projection.Up)
	n := geom.Sqrt(x*x + y*y)
	if n == 0 {
		return 0, 1, true
	}
	return x / n, y / n, true
}

// drawOffscreenMark draws an arrow with a text if a point is outside the picture.
func (d markDrawer) drawOffscreenMark(v *stage.Viewport, point geom.Vec3, name string, apart float32, c render.Color) {
	dx, dy, outside := offscreenDirection(v, point)
	if !outside {
		return
	}
	text, f := d.texts.add(name).add(" ").int(int(apart+0.5)).add(" m").end(), d.font(15, true)
	left, top, right, bottom := edges(v.Rect)
	// The tip is where the ray from the centre meets the picture's edge, less a margin.
	halfW, halfH := max((right-left)*0.5-d.px(arrowMargin), 1), max((bottom-top)*0.5-d.px(arrowMargin), 1)
	length := min(halfW/max(geom.Abs(dx), 1e-6), halfH/max(geom.Abs(dy), 1e-6))
	centerX, centerY := (left+right)*0.5, (top+bottom)*0.5
	tip := render.Point{X: centerX + dx*length, Y: centerY + dy*length}
	back := render.Point{X: tip.X - dx*d.px(arrowLength), Y: tip.Y - dy*d.px(arrowLength)}
	side := d.px(arrowWidth * 0.5)
	arrow := [4]render.Point{
		{X: back.X - dy*side, Y: back.Y + dx*side}, tip, {X: back.X + dy*side, Y: back.Y - dx*side},
	}
	arrow[3] = arrow[0]
	d.Line(arrow[:], d.px(7), stage.BackgroundColor)
	d.Line(arrow[:], d.px(3), c)
	filling := [2]render.Point{{X: back.X + dx*d.px(3), Y: back.Y + dy*d.px(3)}, {X: tip.X - dx*d.px(6), Y: tip.Y - dy*d.px(6)}}
	d.Line(filling[:], d.px(9), c)
	w, h, pad := f.Width(text)+d.px(16), d.px(24), d.px(6)
	// The text lies behind the arrow, as far in as it takes to clear it.
	inset := geom.Abs(dx)*w*0.5 + geom.Abs(dy)*h*0.5 + pad
	x, y := back.X-dx*inset-w*0.5, back.Y-dy*inset-h*0.5
	x = geom.Clamp(x, left+pad, max(right-pad-w, left+pad))
	y = geom.Clamp(y, top+pad, max(bottom-pad-h, top+pad))
	d.Rect(x, y, w, h, stage.PanelColor)
	d.Text(x+d.px(8), y+d.px(17), f, textOf(c), text)
}

// textOf returns a colour of bodies as that of a text: bright enough on a dark ground.
func textOf(c render.Color) render.Color {
	if c == stage.ServerColor {
		return c
	}
	return c.Mix(stage.TextColor, 0.45)
}
