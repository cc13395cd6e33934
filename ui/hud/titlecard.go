package hud

import (
	"cmp"
	"fmt"

	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/ui/stage"
)

// DrawTitleCard covers a picture with the title of a session, or the viewer's, its panes, its network and its scene.
func (h *HUD) DrawTitleCard(list *render.DrawList, l *lab.Lab, title string, at Rect) {
	scale := overlayScale(at, 1, 1)
	x, width := float32(at.X)+64*scale, float32(at.W)-128*scale
	line := func(y *float32, size float32, bold bool, c render.Color, text string) {
		f := render.Font{Size: int(size*scale + 0.5), Bold: bold}
		for text != "" {
			var part string
			part, text = f.Break(text, " ", width)
			*y += f.Height() * 1.15
			list.Text(x, *y, f, c, part)
		}
	}
	fill(list, at, stage.BackgroundColor)
	y := float32(at.Y) + float32(at.H)*0.22
	line(&y, 40, true, stage.TextColor, cmp.Or(string(h.stage.Settings(l).Title), title))
	y += 24 * scale
	for i, p := range l.Panes {
		text := fmt.Sprintf("%d  %s", i+1, p.Title())
		if knobs := string(p.AppendKnobs(nil, knobSeparator)); knobs != "" {
			text += knobSeparator + knobs
		}
		line(&y, 22, false, stage.TextColor, text)
	}
	y += 24 * scale
	c := l.Config()
	line(&y, 20, false, stage.DimTextColor, "Network: "+h.network.describe(&c.Network))
	line(&y, 20, false, stage.DimTextColor, "Scene: "+c.Scene)
}
