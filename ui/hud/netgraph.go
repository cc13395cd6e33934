package hud

import "ghostcube/ui/stage"

// netGraphRows are the graphs of the net graph, with the names that players know, and the least ends of their scales.
var netGraphRows = [...]struct {
	graph   int
	name    string
	minimum float32
}{
	{RTTGraph, "RTT", 50}, {DownlinkGraph, "down", 10}, {UplinkGraph, "up", 10}, {InputBufferGraph, "waiting", 5}, {ReplayGraph, "resim", 20},
}

// Sizes of the net graph, in pixels at scale 1.
const (
	netGraphWidth     = 236
	netGraphRowHeight = 19
	netGraphText      = 124 // room for name, value and unit
)

// drawNetGraph draws the net graph of pane i into the lower right corner of the client's picture: the round-trip time, the
// bandwidth of both directions, the inputs that wait at the server, and the resimulated ticks of the last seconds, each on one
// scale in all panes. It returns its place, which is empty if it would cover the picture.
func (d gaugeDrawer) drawNetGraph(i int, picture Rect) (at Rect) {
	if d.settings.Split {
		picture, _ = sides(picture, d.hud.laneGap)
	}
	w, row, pad := d.px(netGraphWidth), d.px(netGraphRowHeight), d.px(6)
	h := row*float32(len(netGraphRows)) + pad
	if float32(picture.W) < w || float32(picture.H) < h+h/2 {
		return at
	}
	x, y := float32(picture.X+picture.W)-w, float32(picture.Y+picture.H)-h
	d.Rect(x, y, w, h, stage.GaugePanelColor)
	f := d.font(12, false)
	for k, r := range netGraphRows {
		g, top := d.hud.Graph(i, r.graph), y+pad/2+row*float32(k)
		text := d.texts.add(r.name).add(" ")
		if g.Known && !g.Stale {
			text.fixed(float64(g.Last()), 0).add(" ").add(g.Unit)
		} else {
			text.add("-")
		}
		d.Text(x+pad, top+d.px(14), f, stage.TextColor, text.end())
		if g.Known {
			left := x + d.px(netGraphText)
			DrawGraph(d.DrawList, g, left, top+d.px(2), x+w-pad-left, row-d.px(4), d.hud.scaleMax(r.graph, r.minimum), d.px(1.2))
		}
	}
	return Rect{X: int(x), Y: int(y), W: int(w), H: int(h)}
}
