package hud

import (
	"slices"

	"ghostcube/net/link"
	"ghostcube/predict/lab/trace"
	"ghostcube/ui/stage"
)

// PointedPacket is a packet in a lane that the viewer points at.
type PointedPacket struct {
	Pane      int
	Direction link.Direction // Up: sent by the client whose screen the pane shows
	Index     int            // of the datagram in that trace.Flow
	X, Y      int            // pixels of the frame: of the pointer
	Lines     []string       // what the packet contains; set by the caller
}

// pointerReach is how far from a packet's path the pointer can be, in pixels at scale 1.
const pointerReach = 6

// PacketAt returns the packet whose path, as the last Compose has drawn it, is the nearest to a pixel of the frame. ok is
// false if none is near.
func (h *HUD) PacketAt(x, y int) (p PointedPacket, ok bool) {
	for i := range h.lanes {
		l := &h.lanes[i]
		if !l.rect.Contains(float32(x), float32(y)) || l.pane >= len(h.panes) {
			continue
		}
		log := h.Trace(l.pane)
		if log == nil {
			return p, false
		}
		nearest := h.drawing.px(pointerReach)
		nearest *= nearest
		for _, direction := range [...]link.Direction{link.Up, link.Down} {
			f := h.laneFlow(log, l.pane, direction)
			first, end := f.Span(l.from-laneReach, l.to+1)
			for k := first; k < end; k++ {
				r := f.At(k)
				if away, near := l.distance2(flight{direction, r.SentAt, r.Arrival}, r.Vanishes(), float32(x), float32(y)); near && away < nearest {
					nearest, ok = away, true
					p = PointedPacket{Pane: l.pane, Direction: direction, Index: k, X: x, Y: y}
				}
			}
		}
		return p, ok
	}
	return p, false
}

// InLane reports whether a pixel of the frame is in a lane of the last Compose.
func (h *HUD) InLane(x, y int) bool {
	return slices.ContainsFunc(h.lanes, func(l lane) bool { return l.rect.Contains(float32(x), float32(y)) })
}

// distance2 returns the square of the distance of a point from the drawn part of a path.
func (l *lane) distance2(f flight, vanishes bool, x, y float32) (d2 float32, ok bool) {
	a, b, ok := l.visible(f)
	if vanishes {
		b = min(b, lostShare)
	}
	if !ok || a >= b {
		return 0, false
	}
	from, to := l.point(f, a), l.point(f, b)
	dx, dy, px, py := to.X-from.X, to.Y-from.Y, x-from.X, y-from.Y
	share := float32(0)
	if length := dx*dx + dy*dy; length > 0 {
		share = min(max((px*dx+py*dy)/length, 0), 1)
	}
	px, py = px-share*dx, py-share*dy
	return px*px + py*py, true
}

// drawPointedPacket highlights the paths of all datagrams of the packet that the viewer points at.
func (d laneDrawer) drawPointedPacket(l *lane, log *trace.Log) {
	p := d.pointed
	if p == nil || p.Pane != l.pane {
		return
	}
	f := d.hud.laneFlow(log, l.pane, p.Direction)
	if p.Index < f.First() || p.Index >= f.Total() {
		return
	}
	first, end := f.PacketOf(p.Index)
	for i := first; i < end; i++ {
		d.drawHighlight(l, f.At(i), p.Direction, stage.FocusColor)
	}
}

// maxPacketLines is the largest number of lines about a packet.
const maxPacketLines = 18

// drawPacketBox writes what the packet contains that the viewer points at, in a box above the pointer or below it.
func (d frameDrawer) drawPacketBox(p *PointedPacket) {
	f, pad, line := d.font(12, false), d.px(8), d.px(16)
	left, top, right, bottom := edges(d.rect)
	room := right - left - d.px(24)
	lines := p.Lines
	most := max(min(int((bottom-top)*0.5/line), maxPacketLines), 3)
	hidden := 0
	if len(lines) > most {
		hidden = len(lines) - most + 1
		lines = lines[:most-1]
	}
	width := float32(0)
	for _, s := range lines {
		width = max(width, min(f.Width(s), room-pad-pad))
	}
	if hidden > 0 {
		width = max(width, f.Width("and 0000 more lines"))
		most = len(lines) + 1
	} else {
		most = len(lines)
	}
	w, h := width+pad+pad, line*float32(most)+pad+pad-d.px(4)
	x := min(max(float32(p.X)-0.5*w, left+d.px(4)), right-w-d.px(4))
	y := float32(p.Y) - h - d.px(14)
	for i := range d.hud.lanes {
		if l := &d.hud.lanes[i]; l.pane == p.Pane && !l.vertical { // it hides no packets
			y = min(y, float32(l.rect.Y)-h-d.px(2))
		}
	}
	if y < top+d.px(4) {
		y = min(float32(p.Y)+d.px(18), bottom-h-d.px(4))
	}
	d.Rect(x, y, w, h, stage.BackgroundColor.ScaleAlpha(0.96))
	d.Border(x, y, w, h, max(d.px(1), 1), stage.DimTextColor)
	base := y + pad + d.px(10)
	for i, s := range lines {
		c := stage.DimTextColor
		if i == 0 {
			c = stage.TextColor
		}
		d.Text(x+pad, base, f, c, d.texts.truncate(f, s, width))
		base += line
	}
	if hidden > 0 {
		d.Text(x+pad, base, f, stage.AlertColor, d.texts.add("and ").int(hidden).add(" more lines").end())
	}
}
