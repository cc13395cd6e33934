package hud

import (
	"time"

	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/predict/lab/trace"
	"ghostcube/render"
	"ghostcube/sim/geom"
	"ghostcube/ui/stage"
)

// drawPath draws as much of a path up to a share of it as is within the lane's time.
func (d laneDrawer) drawPath(l *lane, f flight, end, width float32, c render.Color) {
	if a, b, ok := l.visible(f); ok && a < end {
		ends := [2]render.Point{l.point(f, a), l.point(f, min(b, end))}
		d.Line(ends[:], width, c)
	}
}

// drawCross draws a cross at a share of a path, unless that is outside the lane's time.
func (d laneDrawer) drawCross(l *lane, f flight, share, arm float32) {
	if a, b, ok := l.visible(f); !ok || share < a || share > b {
		return
	}
	p := l.point(f, share)
	d.drawCrossAt(p.X, p.Y, arm)
}

// drawCrossAt draws a cross around a point.
func (d *drawing) drawCrossAt(x, y, arm float32) {
	for _, slope := range [2]float32{1, -1} {
		ends := [2]render.Point{{X: x - arm, Y: y - slope*arm}, {X: x + arm, Y: y + slope*arm}}
		d.Line(ends[:], max(d.px(1.6), 1), stage.AlertColor)
	}
}

// drawTip draws the head of an arrow where a path ends, or the tip of a packet that is under way.
func (d laneDrawer) drawTip(l *lane, f flight, c render.Color) {
	_, b, ok := l.visible(f)
	if !ok || f.arrives < l.from {
		return
	}
	tip, tail := l.point(f, b), l.point(f, b-0.01)
	dx, dy := tip.X-tail.X, tip.Y-tail.Y
	length := geom.Sqrt(dx*dx + dy*dy)
	if length == 0 {
		return
	}
	d.drawArrowhead(tip, dx/length, dy/length, d.px(5), d.px(2.5), max(d.px(1.3), 1), c)
}

// drawArrowhead draws the head of an arrow in a direction of length 1. long is from the tip to its ends along the arrow,
// wide from the arrow to each of them.
func (d *drawing) drawArrowhead(tip render.Point, dx, dy, long, wide, width float32, c render.Color) {
	head := [3]render.Point{
		{X: tip.X - long*dx - wide*dy, Y: tip.Y - long*dy + wide*dx},
		tip,
		{X: tip.X - long*dx + wide*dy, Y: tip.Y - long*dy - wide*dx},
	}
	d.Line(head[:], width, c)
}

// laneMark is a mark beyond the receiver's line.
type laneMark uint8

const (
	lateMark      laneMark = iota // a hollow square
	reorderedMark                 // a filled one, which fits into it
	duplicateMark                 // two bars
)

// drawMark draws a mark beside the place where a path ends.
func (d laneDrawer) drawMark(l *lane, f flight, m laneMark) {
	p := l.point(f, 1)
	beyond := d.px(laneMarkRow)*0.5 + d.px(1)
	if toClient := f.direction == link.Down; toClient == (l.client < l.server) {
		beyond = -beyond
	}
	if l.vertical {
		d.drawMarkAt(p.X+beyond, p.Y, m)
	} else {
		d.drawMarkAt(p.X, p.Y+beyond, m)
	}
}

// drawMarkAt draws a mark around a point.
func (d *drawing) drawMarkAt(x, y float32, m laneMark) {
	box := func(size float32) (float32, float32, float32) {
		return whole(x - size*0.5 + 0.5), whole(y - size*0.5 + 0.5), size
	}
	switch m {
	case lateMark:
		bx, by, size := box(d.px(8))
		d.Border(bx, by, size, size, max(d.px(1), 1), stage.ExplainColor)
	case reorderedMark:
		bx, by, size := box(d.px(4))
		d.Rect(bx, by, size, size, stage.TextColor)
	case duplicateMark:
		bx, by, size := box(d.px(6))
		d.Rect(bx, by, max(d.px(1), 1), size, stage.TextColor)
		d.Rect(bx+d.px(3), by, max(d.px(1), 1), size, stage.TextColor)
	}
}

// drawCorrections marks the corrections on the client's line, and draws the paths of the newest one's packet and input.
func (d laneDrawer) drawCorrections(l *lane, log *trace.Log, legend *laneLegend) {
	p := d.l.Panes[l.pane]
	c := &p.Corrections
	rate := time.Duration(d.l.Config().Rate)
	newest := true
	for n := c.Total() - 1; n >= c.FirstIndex(); n-- {
		x := c.At(n)
		at := time.Duration(x.SessionTick) * time.Second / rate
		if at < l.from {
			break
		}
		if at > l.to || x.Client != d.hud.panes[l.pane].client {
			continue
		}
		legend.correction = true
		mark, long, wide := l.at(at, 0), d.px(6), d.px(3)
		if l.vertical {
			d.Rect(mark.X-long, mark.Y-wide*0.5, long+long, wide, stage.CorrectionColor)
		} else {
			d.Rect(mark.X-wide*0.5, mark.Y-long, wide, long+long, stage.CorrectionColor)
		}
		if !newest || d.hud.panes[l.pane].peer >= 0 {
			continue
		}
		newest = false
		state, input := p.CorrectionDatagrams(log, x)
		if state >= 0 {
			d.drawHighlight(l, log.Flow(x.Client, link.Down).At(state), link.Down, stage.CorrectionColor)
		}
		if input >= 0 {
			d.drawHighlight(l, log.Flow(x.Client, link.Up).At(input), link.Up, stage.CorrectionColor)
		}
	}
}

// drawHighlight draws the path of a datagram in another colour.
func (d laneDrawer) drawHighlight(l *lane, r *trace.Record, direction link.Direction, c render.Color) {
	f, end := flight{direction, r.SentAt, r.Arrival}, float32(1)
	if r.Vanishes() {
		end = lostShare
	}
	d.drawPath(l, f, end, d.px(2.6), c)
	if end < 1 {
		d.drawCross(l, f, end, d.px(4))
	} else {
		d.drawTip(l, f, c)
	}
}

// wideLane is the width of a lane from which its header has room for the length of the grid beside a legend, in pixels at
// scale 1.
const wideLane = 520

// drawLaneHeader draws the legend, as far as there is room, and the lengths of span and grid.
func (d laneDrawer) drawLaneHeader(l *lane, legend *laneLegend, step time.Duration) {
	f := d.font(12, false)
	x, base, right, _ := edges(l.rect)
	x, base, right = x+d.px(8), base+d.px(14), right-d.px(8)
	if d.texts.add("last ").short(d.settings.LaneSpan, 3).add(" s"); l.vertical || float32(l.rect.W) > d.px(wideLane) {
		d.texts.add(", grid ").int(int(step / time.Millisecond)).add(" ms")
	}
	title := d.texts.end()
	further := d.px(laneHeader - 3)
	rows := [3]swatchRow{{base + further, right}, {base + 2*further, right}, {base + 3*further, right}}
	key := swatches{left: x, pen: x, gap: d.px(10), rows: rows[:]}
	if l.vertical {
		d.Text(x, base, f, stage.DimTextColor, d.texts.truncate(f, title, right-x))
	} else {
		d.Text(right-f.Width(title), base, f, stage.DimTextColor, title)
		rows[0], key.rows = swatchRow{base, right - f.Width(title) - d.px(14)}, rows[:1]
	}
	for _, k := range [...]predict.PacketKind{predict.Inputs, predict.Snapshots, predict.StateUpdates, predict.Fragments, predict.Messages, predict.AcksOnly} {
		if legend.kinds[k] {
			d.drawSwatchName(&key, stage.LaneColors[k], k.String())
		}
	}
	half := d.px(8) * 0.5
	for _, e := range [...]struct {
		shown bool
		name  string
		draw  func(x, y float32)
	}{
		{legend.correction, "correction", func(x, y float32) { d.Rect(x-d.px(1), y-d.px(5), d.px(3), d.px(10), stage.CorrectionColor) }},
		{legend.lost || legend.refused, "lost", func(x, y float32) { d.drawCrossAt(x, y, d.px(3)) }},
		{legend.late, "late", func(x, y float32) { d.drawMarkAt(x, y, lateMark) }},
		{legend.reordered, "reordered", func(x, y float32) { d.drawMarkAt(x, y, reorderedMark) }},
		{legend.duplicate, "duplicate", func(x, y float32) { d.drawMarkAt(x, y, duplicateMark) }},
	} {
		if !e.shown {
			continue
		}
		if left, base, ok := d.nameSwatch(&key, e.name); ok {
			e.draw(left+half, base-half)
		}
	}
}
