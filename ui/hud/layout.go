package hud

import (
	"ghostcube/sim"
	"ghostcube/ui/stage"
)

// paneLayout says where the parts of a pane are, from top to bottom: the caption, the picture, and a strip with
// the explanation, the graph and the gauges. Nothing but marks of bodies is drawn over a picture. All panes of a
// session have pictures of one size.
type paneLayout struct {
	pane, caption, picture, strip Rect

	lane Rect // below the picture; empty: none

	gauges    []gauge
	hidden    int  // gauges that found no room
	explained bool // the strip has the explanation; otherwise events take the place of the caption's last line
}

// Sizes of the parts of a pane, in pixels at scale 1.
const (
	captionTop        = 30 // height of the line with the name
	captionLineHeight = 18 // height of every other line
	captionPadding    = 6
	shortStripHeight  = 46
	lowStripHeight    = 37
	explainHeight     = 20
	explainLineHeight = 16
	stripPadding      = 4
	lowStripPadding   = 2
	hiddenHeight      = 16
	graphGaugeHeight  = 46
	lowPaneHeight     = 420
)

// explainShare is the share of a strip's width that the explanation takes beside the graph.
const explainShare = 0.56

// minSideBySideWidth is the width of a pane in pixels at scale 1 from which explanation and graph stand side by side.
const minSideBySideWidth = 440

// The share of a pane that its picture keeps: gauges that need more are hidden. A pane with a headline makes its point in the
// picture.
const (
	minPictureShare         = 0.33
	minHeadlinePictureShare = 0.38
)

// gauge is one of the boxes in a pane's strip.
type gauge struct {
	Rect                   // in the strip
	height, lowest float32 // pixels: with everything, and with what may not be left out
	moves          bool    // it shows single ticks, so it is drawn anew in every frame
	draw           func(d gaugeDrawer, i int, x, y, w, h float32)
}

// layOut divides the panes' rectangles.
func (d frameDrawer) layOut(rects []Rect) {
	kept := d.keptHeights(rects)
	captionHeight := kept.caption
	for i, r := range rects {
		y := &d.hud.layouts[i]
		y.pane = r
		height := d.px(captionTop) + d.px(captionLineHeight)*float32(len(captionDrawer(d).updateCaption(i, r).lines)) + d.px(captionPadding)
		if len(d.hud.panes[i].caption.lines) == 0 {
			height += d.px(headlineBarHeight) // of the large figure
		}
		captionHeight = max(captionHeight, int(height))
	}
	stripHeight := kept.strip
	d.hud.laneGap = 0
	laneHeight := d.laneHeight(rects, captionHeight)
	for i, r := range rects {
		y := &d.hud.layouts[i]
		share := float32(minPictureShare)
		if d.hud.panes[i].headline.value.text != "" {
			share = minHeadlinePictureShare
		}
		room := float32(r.H-captionHeight-laneHeight) - share*float32(r.H)
		stripHeight = max(stripHeight, int(d.layOutStrip(i, y, room)))
	}
	kept.caption, kept.strip = captionHeight, stripHeight
	for i, r := range rects {
		y := &d.hud.layouts[i]
		y.caption = Rect{X: r.X, Y: r.Y, W: r.W, H: min(captionHeight, r.H)}
		y.strip = Rect{X: r.X, Y: r.Y + r.H - stripHeight, W: r.W, H: stripHeight}
		y.lane = Rect{X: r.X, Y: y.strip.Y - laneHeight, W: r.W, H: laneHeight}
		y.picture = Rect{X: r.X, Y: r.Y + captionHeight, W: r.W, H: max(r.H-captionHeight-stripHeight-laneHeight, 0)}
	}
	d.layOutLanes(len(rects))
}

// keptHeights are the heights of captions and strips. They only grow, so that pictures do not change their size with
// every line that comes and goes, until the size of the frame, a strategy or a setting changes.
type keptHeights struct {
	first    Rect // of the first pane
	panes    int
	started  sim.Tick       // sum over panes
	settings stage.Settings // without the camera and the speed

	caption, strip int // pixels
}

// keptHeights returns the heights so far.
func (d frameDrawer) keptHeights(rects []Rect) *keptHeights {
	now := keptHeights{panes: len(rects), settings: d.settings}
	now.settings.Yaw, now.settings.Pitch, now.settings.Distance, now.settings.Speed = 0, 0, 0, 0
	for i := range rects {
		now.first = rects[0]
		now.started += d.l.Panes[i].StartTick()
	}
	k := &d.hud.kept
	now.caption, now.strip = k.caption, k.strip
	if *k != now {
		now.caption, now.strip = 0, 0
		*k = now
	}
	return k
}

// layOutStrip places the gauges of pane i relative to the strip's top left corner, and returns the height of the
// strip, at most room pixels. Gauges fill columns: each is put into the column that is the least full.
func (d frameDrawer) layOutStrip(i int, y *paneLayout, room float32) float32 {
	y.gauges, y.hidden = y.gauges[:0], 0
	d.hud.gauges = d.appendGauges(d.hud.gauges[:0], i)
	if len(d.hud.gauges) == 0 || len(d.hud.gauges) == 1 && d.settings.Graphs {
		d.hud.gauges, y.explained = d.hud.gauges[:0], d.settings.Explain
		if d.settings.Graphs || d.settings.Explain {
			h, pad := d.shortStrip(y.pane)
			if stacked := d.stackedStrip(y.pane.W); stacked && lowPane(d.drawing, y.pane) {
				y.explained = false
			} else if stacked {
				h += h - pad
			}
			return min(h, max(room, 0))
		}
		return 0
	}
	gap, pad := d.px(stripPadding), d.px(stripPadding)
	// The smallest font does not scale any more.
	narrowest := minGaugeWidth * max(d.scale, 11./12)
	columns := min(max(int((float32(y.pane.W)-pad)/(narrowest+gap)), 1), len(d.hud.gauges), maxGaugeColumns)
	w := whole((float32(y.pane.W) - pad - pad - gap*float32(columns-1)) / float32(columns))
	forms := [2]bool{false, true} // whether gauges are reduced
	if captionDrawer(d).singleLine(i, y.pane) {
		forms[0] = true
	}
	if y.explained = d.settings.Explain; y.explained {
		for _, reduced := range forms {
			if h := d.fillColumns(y, len(d.hud.gauges), columns, w, pad+d.px(explainHeight), gap, reduced) + pad; h <= room {
				return h
			}
		}
		y.explained = false
	}
	for n := len(d.hud.gauges); n > 0; n-- {
		for _, reduced := range forms {
			h := d.fillColumns(y, n, columns, w, pad, gap, reduced) + pad
			if n < len(d.hud.gauges) {
				h += d.px(hiddenHeight)
			}
			if h <= room {
				y.hidden = len(d.hud.gauges) - n
				return h
			}
		}
	}
	y.gauges, y.hidden = y.gauges[:0], len(d.hud.gauges)
	return min(d.px(shortStripHeight), max(room, 0))
}

// maxGaugeColumns is the largest number of columns of gauges in a pane.
const maxGaugeColumns = 6

// fillColumns places the first n gauges and returns the height of the fullest column.
func (d frameDrawer) fillColumns(y *paneLayout, n, columns int, w, top, gap float32, reduced bool) (height float32) {
	var used [maxGaugeColumns]float32
	y.gauges = y.gauges[:0]
	for k := range n {
		g, c := d.hud.gauges[k], 0
		for j := range columns {
			if used[j] < used[c] {
				c = j
			}
		}
		h := g.height
		if reduced {
			h = g.lowest
		}
		g.Rect = Rect{X: int(gap + (w+gap)*float32(c)), Y: int(top + used[c]), W: int(w), H: int(h)}
		y.gauges = append(y.gauges, g)
		used[c] += h + gap
		height = max(height, top+used[c]-gap)
	}
	return height
}

// appendGauges appends the gauges that the settings show and for which the strategy of pane i has data.
func (d frameDrawer) appendGauges(list []gauge, i int) []gauge {
	show, p := &d.settings, d.hud.panes[i]
	add := func(shown, moves bool, height, lowest float32, draw func(d gaugeDrawer, i int, x, y, w, h float32)) {
		if shown {
			list = append(list, gauge{height: d.px(height), lowest: d.px(lowest), moves: moves, draw: draw})
		}
	}
	k := p.inspection
	add(show.Graphs, true, graphGaugeHeight, graphGaugeHeight, gaugeDrawer.drawGraphGauge)
	add(show.Ages && len(k.Age) > 0, false, ageGaugeHeight, ageGaugeHeight-ageGaugeReduction, gaugeDrawer.drawAgeGauge)
	add(show.Packet && k.Packet.BudgetBits > 0, false, packetGaugeHeight, partsGaugeHeight, gaugeDrawer.drawPacketGauge)
	add(show.Packet && k.Packet.Parts.Bits() > 0, false, snapshotGaugeHeight, partsGaugeHeight, gaugeDrawer.drawSnapshotGauge)
	add(show.Packet && k.Sideband.Present, false, sidebandGaugeHeight, sidebandGaugeHeight, gaugeDrawer.drawSidebandGauge)
	add(show.Slots && len(k.InputBuffer.Slots) > 0, true, slotGaugeHeight, slotGaugeHeight, gaugeDrawer.drawSlotGauge)
	buffers := float32(bufferRowHeight*len(k.Buffers) + bufferPadding)
	add(show.Slots && len(k.Buffers) > 0, true, buffers, buffers, gaugeDrawer.drawBufferGauge)
	_, n, _ := gaugeDrawer(d).latencyColumns(i)
	bars := float32(barsTop + n*barSpacing)
	add(show.Latency && n > 0, false, bars+float32(tableRows*stageRowHeight)+8, bars+4, gaugeDrawer.drawLatencyGauge)
	return list
}

// drawStrip draws the strip of pane i: its gauges, or its graph alone.
func (d frameDrawer) drawStrip(i int, y *paneLayout) {
	r := y.strip
	if r.H == 0 {
		return
	}
	fill(d.DrawList, r, stage.BackgroundColor)
	left, top, right, bottom := edges(r)
	width := right - left
	if y.explained && len(y.gauges) > 0 {
		d.drawExplanation(i, left+d.px(12), top+d.px(2), width-d.px(24), d.px(explainHeight))
	}
	d.drawStillGauges(i, y)
	d.drawGauges(i, y, true)
	short, pad := d.shortStrip(y.pane)
	if y.hidden > 0 {
		f := d.font(12, false)
		text := d.texts.count(y.hidden, "gauge").add(" hidden: pane too small").end()
		d.Text(left+pad+d.px(8), bottom-d.px(6), f, stage.AlertColor, d.texts.truncate(f, text, width-d.px(20)))
	}
	if len(y.gauges) > 0 || y.hidden > 0 {
		return
	}
	x, w, row := left+pad, width-pad-pad, short-pad-pad
	top += pad
	stacked := d.stackedStrip(y.pane.W)
	if y.explained {
		text := w
		if d.settings.Graphs && !stacked {
			text = whole(w * explainShare)
		}
		d.drawExplanation(i, x+d.px(8), top, text-d.px(16), row)
		if stacked {
			top += row + pad
		} else {
			x, w = x+text, w-text
		}
	}
	if d.settings.Graphs && top+row <= bottom {
		d.Rect(x, top, w, row, stage.GaugePanelColor)
		gaugeDrawer(d).drawGraphGauge(i, x, top, w, row)
	}
}

// lowPane reports whether a pane is too low for more than the point that it makes.
func lowPane(d *drawing, pane Rect) bool { return float32(pane.H) < d.px(lowPaneHeight) }

// shortStrip returns the height of a strip without gauges, and the padding in it.
func (d frameDrawer) shortStrip(pane Rect) (height, padding float32) {
	if lowPane(d.drawing, pane) || d.stackedStrip(pane.W) {
		return d.px(lowStripHeight), d.px(lowStripPadding)
	}
	return d.px(shortStripHeight), d.px(stripPadding)
}

// stackedStrip reports whether the explanation stands above the graph, because a pane of a width in pixels has no room
// for both side by side.
func (d frameDrawer) stackedStrip(width int) bool {
	return d.settings.Explain && d.settings.Graphs && float32(width) < minSideBySideWidth*max(d.scale, 11./12)
}

// drawGauges draws the gauges of pane i that show single ticks, or the others.
func (d frameDrawer) drawGauges(i int, y *paneLayout, moving bool) {
	for k := range y.gauges {
		if g := &y.gauges[k]; g.moves == moving {
			left, top, w, h := float32(y.strip.X+g.X), float32(y.strip.Y+g.Y), float32(g.W), float32(g.H)
			d.Rect(left, top, w, h, stage.GaugePanelColor)
			g.draw(gaugeDrawer(d), i, left, top, w, h)
		}
	}
}

// drawStillGauges draws the gauges of pane i whose figures change as often as its caption, from a copy in between.
func (d frameDrawer) drawStillGauges(i int, y *paneLayout) {
	p := d.hud.panes[i]
	if !p.gaugesStale && p.gaugesAt == y.strip {
		d.Append(&p.stillGauges)
		return
	}
	frame := d.DrawList
	d.DrawList = &p.stillGauges
	d.Reset()
	d.drawGauges(i, y, false)
	d.DrawList = frame
	d.Append(&p.stillGauges)
	p.gaugesStale, p.gaugesAt = false, y.strip
}
