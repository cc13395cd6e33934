package hud

import (
	"time"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/trace"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/ui/stage"
)

// Sizes of lanes, in pixels at scale 1.
const (
	highLaneHeight     = 140 // below a picture
	lowLaneHeight      = 88  // likewise, in a low pane
	leastLaneHeight    = 64
	laneHeader         = 18
	laneMarkRow        = 9 // beyond each line
	laneNameWidth      = 52
	laneGapWidth       = 176 // between two pictures
	leastBetweenHeight = 300 // of a pane with lanes between its pictures
	minLaneSpacing     = 4   // of the packets of two ticks; closer ones are grouped
	groupSpacing       = 20  // of two groups, at least
)

// laneReach is how long before the drawn span a datagram can have been sent and still be on its path. Slower ones are
// not drawn.
const laneReach = 3 * time.Second

// lane is where the packets of a pane are drawn: the lines of client and server, and time across.
type lane struct {
	pane     int
	rect     Rect // with header and names
	vertical bool // time runs down, and the client is at the left

	// Pixels, with time across: the ends of the lines, and the client's and the server's line.
	start, end     float32
	client, server float32

	from, to time.Duration // session time at start and end
	ticks    int           // whose packets are grouped
}

// at returns the point at a time, and at a share in [0, 1] of the path from client to server.
func (l *lane) at(t time.Duration, share float32) render.Point {
	along := l.start + (l.end-l.start)*float32(float64(t-l.from)/float64(l.to-l.from))
	across := l.client + (l.server-l.client)*share
	if l.vertical {
		return render.Point{X: across, Y: along}
	}
	return render.Point{X: along, Y: across}
}

// flight is the path of a datagram, or of several, through a lane.
type flight struct {
	direction     link.Direction
	sent, arrives time.Duration
}

// point returns the place at a share in [0, 1] of the path.
func (l *lane) point(f flight, share float32) render.Point {
	across := share
	if f.direction == link.Down {
		across = 1 - share
	}
	return l.at(f.sent+time.Duration(float64(share)*float64(f.arrives-f.sent)), across)
}

// visible returns the part of the path that is within the lane's time, as shares; ok is false if none is.
func (l *lane) visible(f flight) (a, b float32, ok bool) {
	a, b = 0, 1
	if length := float64(f.arrives - f.sent); length > 0 {
		a, b = max(float32(float64(l.from-f.sent)/length), 0), min(float32(float64(l.to-f.sent)/length), 1)
	}
	return a, b, a < b && f.sent <= l.to && f.arrives >= l.from
}

// PacketTraces are the recorded datagrams that a HUD draws instead of the panes' own, by pane: for a session that
// is shown at a moment of its past, those of the session itself. Nil: the pane's own.
type PacketTraces [lab.MaxPanes]*trace.Log

// Trace returns the recorded datagrams that the lanes show of a pane, or nil.
func (h *HUD) Trace(i int) *trace.Log {
	if t := h.Traces[i]; t != nil {
		return t
	}
	return h.panes[i].source.Datagrams()
}

// LaneFlow returns the recorded datagrams of a direction that the lanes show of a pane: Up those that its client has
// sent, to the server or to a peer. There are some.
func (h *HUD) LaneFlow(pane int, d link.Direction) *trace.Flow {
	return h.laneFlow(h.Trace(pane), pane, d)
}

func (h *HUD) laneFlow(log *trace.Log, pane int, d link.Direction) *trace.Flow {
	p := h.panes[pane]
	switch {
	case p.peer < 0:
		return log.Flow(p.client, d)
	case d == link.Up:
		return log.PeerFlow(p.player(), p.peer)
	}
	return log.PeerFlow(p.peer, p.player())
}

// Peer returns the client, from 0, whose link with that of a pane its lanes show, or -1 for the server.
func (h *HUD) Peer(pane int) int { return h.panes[pane].peer }

// laneEnds returns the names and colours of the lines of a lane.
func (d laneDrawer) laneEnds(pane int) (names [2]string, colors [2]render.Color) {
	p := d.hud.panes[pane]
	names, colors = [2]string{"client", "server"}, [2]render.Color{stage.PlayerColors[p.client], stage.ServerColor}
	if p.peer >= 0 {
		names = [2]string{playerNames[p.player()], playerNames[p.peer]}
		colors = [2]render.Color{stage.PlayerColors[p.player()], stage.PlayerColors[p.peer]}
	}
	return names, colors
}

// playerNames are the names of lines between peers.
var playerNames = [sim.MaxPlayers]string{"player 1", "player 2", "player 3", "player 4", "player 5", "player 6", "player 7", "player 8"}

// laneAt lays out the lane of a pane in a rectangle. share is the present moment between the previous tick and the last.
func (d frameDrawer) laneAt(i int, r Rect, vertical bool) lane {
	rate := d.l.Config().Rate
	tick := time.Second / time.Duration(rate)
	l := lane{pane: i, rect: r, vertical: vertical}
	l.to = d.l.Now() - tick + time.Duration(float64(d.share)*float64(tick))
	span := time.Duration(d.settings.LaneSpan * float64(time.Second))
	l.from = l.to - span
	row := d.px(laneMarkRow)
	left, top, right, bottom := edges(r)
	if vertical {
		l.start, l.end = top+d.px(4*laneHeader+6), bottom-d.px(6)
		l.client, l.server = left+row+d.px(4), right-row-d.px(4)
	} else {
		l.start, l.end = left+d.px(laneNameWidth+14), right-d.px(12)
		l.client, l.server = top+d.px(laneHeader)+row+d.px(2), bottom-row-d.px(3)
	}
	spacing := (l.end - l.start) * float32(tick.Seconds()/d.settings.LaneSpan)
	if l.ticks = 1; spacing < d.px(minLaneSpacing) {
		l.ticks = int(d.px(groupSpacing)/spacing) + 1
	}
	return l
}

// laneDrawer draws lanes.
type laneDrawer struct{ *drawing }

// drawLane draws the packets of a pane.
func (d laneDrawer) drawLane(l *lane) {
	r := l.rect
	fill(d.DrawList, r, stage.BackgroundColor)
	step := d.drawLaneGrid(l)
	width := max(d.px(1.5), 1)
	names, colors := d.laneEnds(l.pane)
	for _, side := range [...]struct {
		at    float32
		color render.Color
		name  string
	}{{l.client, colors[0], names[0]}, {l.server, colors[1], names[1]}} {
		f := d.font(12, true)
		if l.vertical {
			d.Rect(side.at-width*0.5, l.start, width, l.end-l.start, side.color)
			if x := side.at; d.hud.panes[l.pane].peer >= 0 { // the pictures beside are of client and server
				if side.at > l.client {
					x -= f.Width(side.name)
				}
				d.Text(x, l.start-d.px(5), f, stage.TextColor, side.name)
			}
			continue
		}
		d.Rect(l.start, side.at-width*0.5, l.end-l.start, width, side.color)
		d.Text(l.start-d.px(6)-f.Width(side.name), side.at+float32(f.Size)*0.36, f, stage.TextColor, side.name)
	}
	var legend laneLegend
	if log := d.hud.Trace(l.pane); log != nil {
		s := &d.hud.laneScratch
		s.groups, s.duplicates = s.groups[:0], s.duplicates[:0]
		for _, direction := range [...]link.Direction{link.Up, link.Down} {
			d.drawFlow(l, d.hud.laneFlow(log, l.pane, direction), direction, &legend)
		}
		for i := range s.groups {
			d.drawGroupMarks(l, &s.groups[i], &legend)
		}
		for _, f := range s.duplicates {
			if f.arrives <= l.to && f.arrives >= l.from {
				legend.duplicate = true
				d.drawMark(l, f, duplicateMark)
			}
		}
		d.drawCorrections(l, log, &legend)
		d.drawPointedPacket(l, log)
	}
	d.drawLaneHeader(l, &legend, step)
}

// laneSteps are the possible distances of the grid's lines.
var laneSteps = [...]time.Duration{
	10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond,
	200 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second,
}

// drawLaneGrid draws lines at round session times and returns their distance.
func (d laneDrawer) drawLaneGrid(l *lane) (step time.Duration) {
	for _, step = range laneSteps {
		if float64(l.end-l.start)*float64(step)/float64(l.to-l.from) >= float64(d.px(44)) {
			break
		}
	}
	low, high := min(l.client, l.server), max(l.client, l.server)
	c := stage.GridlineColor.ScaleAlpha(0.45)
	for t := (l.from/step + 1) * step; t <= l.to; t += step {
		if p := l.at(t, 0); l.vertical {
			d.Rect(low, p.Y, high-low, 1, c)
		} else {
			d.Rect(p.X, low, 1, high-low, c)
		}
	}
	return step
}

// laneScratch is memory for what is drawn over the paths of one lane.
type laneScratch struct {
	groups     []laneGroup
	duplicates []flight
}

// drawFlow draws the paths of the datagrams of one direction, and collects what is drawn over them.
func (d laneDrawer) drawFlow(l *lane, f *trace.Flow, direction link.Direction, legend *laneLegend) {
	rate := time.Duration(d.l.Config().Rate)
	first, end := f.Span(l.from-laneReach, l.to+1)
	var g laneGroup
	key, k, sequence, sent := -1, -1, uint16(0), time.Duration(-1)
	for i := first; i < end; i++ {
		r := f.At(i)
		if l.ticks == 1 && r.LastArrival() < l.from {
			continue
		}
		if r.Flags.Has(trace.Duplicated) {
			d.drawDuplicate(l, direction, r)
		}
		if r.SentAt != sent {
			k, sent = int((r.SentAt*rate+time.Second/2)/time.Second)/l.ticks, r.SentAt
		}
		if k != key || l.ticks == 1 && (r.LastFragment == 0 || r.Sequence != sequence) {
			d.drawGroup(l, &g, legend)
			g, key, sequence = laneGroup{direction: direction}, k, r.Sequence
		}
		g.add(r)
	}
	d.drawGroup(l, &g, legend)
}

// drawDuplicate draws the path of the second copy of a datagram as a fainter line.
func (d laneDrawer) drawDuplicate(l *lane, direction link.Direction, r *trace.Record) {
	f := flight{direction, r.SentAt, r.DuplicateArrival}
	if l.ticks == 1 {
		d.drawPath(l, f, 1, max(d.px(1), 1), stage.LaneColors[r.Kind].ScaleAlpha(0.45))
	}
	if s := &d.hud.laneScratch; l.ticks == 1 || len(s.duplicates) < maxDuplicates {
		s.duplicates = append(s.duplicates, f)
	}
}

// maxDuplicates is the largest number of marks of duplicates where datagrams are grouped.
const maxDuplicates = 500

// lostShare is the share of its path at which a lost datagram has its cross, and droppedShare the same for one that a
// full queue dropped.
const (
	lostShare    = 0.55
	droppedShare = 0.1
)

// drawGroup draws a group of datagrams: one as an arrow, the fragments of a packet as a fan, and those of several ticks
// as a thick line.
func (d laneDrawer) drawGroup(l *lane, g *laneGroup, legend *laneLegend) {
	if g.count == 0 {
		return
	}
	direction := g.direction
	arriving, lost := g.flights()
	d.hud.laneScratch.groups = append(d.hud.laneScratch.groups, *g)
	for k, n := range g.kinds {
		legend.kinds[k] = legend.kinds[k] || n > 0
	}
	c, width := stage.LaneColors[g.kind()], max(d.px(1.3), 1)
	if l.ticks > 1 {
		width = max(d.px(3.5), 2)
	}
	switch {
	case g.arriving == 0:
	case l.ticks > 1 || g.arriving == 1:
		d.drawPath(l, arriving, 1, width, c)
		d.drawTip(l, arriving, c)
	default:
		n := min(g.arriving, maxFan)
		for k := range n {
			arrives := g.firstArrival + (g.lastArrival-g.firstArrival)*time.Duration(k)/time.Duration(n-1)
			d.drawPath(l, flight{direction, g.firstSent, arrives}, 1, max(d.px(1), 1), c)
		}
	}
	if g.lost > 0 {
		d.drawPath(l, lost, g.lostEnd(), max(d.px(1), 1), c.ScaleAlpha(0.65))
	}
}

// maxFan is the largest number of lines of a fan.
const maxFan = 8

// lostEnd is the share of their path at which vanished datagrams have their cross.
func (g *laneGroup) lostEnd() float32 {
	if g.dropped == g.lost {
		return droppedShare
	}
	return lostShare
}

// drawGroupMarks draws what is over the paths of a group: a cross on that of lost datagrams, marks where late and
// reordered ones arrive, and their number.
func (d laneDrawer) drawGroupMarks(l *lane, g *laneGroup, legend *laneLegend) {
	arriving, lost := g.flights()
	lostEnd := g.lostEnd()
	if g.resent {
		legend.lost = true
		d.drawCross(l, arriving, 0.5, d.px(3))
	}
	if g.refused > 0 {
		legend.refused = true
		d.drawCross(l, arriving, 0.96, d.px(2.5))
	}
	if g.lost > 0 {
		cut := lost.sent + time.Duration(float64(lostEnd)*float64(lost.arrives-lost.sent))
		legend.lost = legend.lost || cut <= l.to && cut >= l.from
		d.drawCross(l, lost, lostEnd, d.px(3))
	}
	if f := (flight{arriving.direction, arriving.sent, g.markAt}); (g.late || g.reordered) && g.markAt <= l.to && g.markAt >= l.from {
		if g.late {
			legend.late = true
			d.drawMark(l, f, lateMark)
		}
		if g.reordered {
			legend.reordered = true
			d.drawMark(l, f, reorderedMark)
		}
	}
	if g.count > 1 {
		d.drawGroupCount(l, g, arriving)
	}
}

// drawGroupCount writes how many datagrams a group has, where groups have room between them.
func (d laneDrawer) drawGroupCount(l *lane, g *laneGroup, f flight) {
	font := d.font(11, false)
	text := d.texts.int(g.count).end()
	width := font.Width(text)
	room := (l.end - l.start) * float32(float64(l.ticks)/float64(d.l.Config().Rate)/d.settings.LaneSpan)
	if l.vertical {
		width = float32(font.Size)
	}
	if g.arriving == 0 || room < width+d.px(4) {
		return
	}
	const share = 0.25
	if a, b, ok := l.visible(f); ok && a <= share && b >= share {
		p := l.point(f, share)
		width = font.Width(text)
		d.Rect(p.X-0.5*width-d.px(1), p.Y-d.px(6), width+d.px(2), d.px(12), stage.BackgroundColor.ScaleAlpha(0.8))
		d.Text(p.X-0.5*width, p.Y+float32(font.Size)*0.36, font, stage.TextColor, text)
	}
}

// traceDatagrams has the datagrams recorded that the settings show.
func traceDatagrams(l *lab.Lab, show *stage.Settings) {
	if show.Lanes != stage.NoLanes {
		l.TraceDatagrams(true)
	}
}

// laneHeight returns the height of the lanes below the pictures of panes, in pixels; 0: there are none, or there is no
// room.
func (d frameDrawer) laneHeight(rects []Rect, captionHeight int) int {
	if d.settings.Lanes == stage.NoLanes || len(rects) == 0 || d.betweenLanes(rects[0]) {
		return 0
	}
	h, r := d.px(highLaneHeight), rects[0]
	if lowPane(d.drawing, r) {
		h = d.px(lowLaneHeight)
	}
	room := float32(r.H-captionHeight) - minPictureShare*float32(r.H)
	if h = min(h, room); h < d.px(leastLaneHeight) {
		return 0
	}
	return int(h)
}

// betweenLanes reports whether the lane of a pane is between the pictures of client and server: if they are side by
// side, and there is room.
func (d frameDrawer) betweenLanes(pane Rect) bool {
	return d.settings.Lanes == stage.LanesBetween && d.settings.Split && float32(pane.W) >= d.px(2.5*laneGapWidth) && float32(pane.H) >= d.px(leastBetweenHeight)
}

// layOutLanes lays out the lanes of n panes, whose pictures are laid out.
func (d frameDrawer) layOutLanes(n int) {
	s := d.hud
	for i := range n {
		y := &s.layouts[i]
		switch {
		case y.lane.H > 0:
			s.lanes = append(s.lanes, d.laneAt(i, y.lane, false))
		case d.betweenLanes(y.pane):
			s.laneGap = int(d.px(laneGapWidth))
			client, server := sides(y.picture, s.laneGap)
			at := Rect{X: client.X + client.W, Y: y.picture.Y, W: server.X - client.X - client.W, H: y.picture.H}
			s.lanes = append(s.lanes, d.laneAt(i, at, true))
		}
	}
}
