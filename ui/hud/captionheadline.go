package hud

import (
	"strings"

	"ghostcube/ui/stage"
)

// drawHeadline draws the headline of a pane at the right of its caption, and its bar.
func (d captionDrawer) drawHeadline(i int, y *paneLayout) {
	h := &d.hud.panes[i].headline
	w := d.headlineWidth(i, y.pane)
	if w == 0 {
		return
	}
	large, small := d.font(headlineSize, true), d.font(13, false)
	single := d.singleLine(i, y.pane)
	right, base := float32(y.pane.X+y.pane.W)-d.px(10), float32(y.pane.Y)+d.px(29)
	if single { // the lines below reach under it
		base -= d.px(5)
	}
	pen := right
	if h.unit != "" {
		pen -= small.Width(h.unit)
		d.Text(pen, base, small, stage.TextColor, h.unit)
		pen -= d.px(5)
	}
	color := stage.TextColor
	if d.hud.bars.best[i] {
		color = stage.BestTextColor
	}
	pen -= large.Width(h.value.text)
	d.Text(pen, base, large, color, h.value.text)
	label, room := h.label, d.labelWidth(i, y.pane)
	if small.Width(label) > room { // that it is a mean square is what a reader misses least
		label = strings.TrimSuffix(label, ", RMS")
	}
	label = d.texts.truncate(small, label, room)
	if single {
		right = pen - d.px(10)
	} else {
		base += d.px(16)
	}
	d.Text(right-small.Width(label), base, small, stage.DimTextColor, label)
	d.drawHeadlineBar(i, y.caption)
}

// drawHeadlineBar draws the bar of pane i at the lower edge of its caption r, if the headlines of the panes can be compared.
func (d captionDrawer) drawHeadlineBar(i int, r Rect) {
	if len(d.hud.bars.lengths) == 0 {
		return
	}
	color := stage.WideBarColor
	if d.hud.bars.best[i] {
		color = stage.BestBarColor
	}
	x, h, w := float32(r.X)+d.px(10), d.px(headlineBarHeight), float32(r.W)-d.px(20)
	y := float32(r.Y+r.H) - h
	d.Rect(x, y, w, h, stage.BarBackground)
	d.Rect(x, y, max(whole(w*d.hud.bars.lengths[i]), d.px(3)), h, color)
}

// headlineBarHeight is the height of a headline's bar, in pixels at scale 1.
const headlineBarHeight = 4

// headlineSize is the size of the headline's value, in pixels at scale 1.
const headlineSize = 30

// maxHeadlineShare is the share of a pane's width beyond which the label of its headline is cut.
const maxHeadlineShare = 0.45

// labelWidth returns the width that the label of the headline of pane i in r may take.
func (d captionDrawer) labelWidth(i int, r Rect) float32 {
	return min(d.font(13, false).Width(d.hud.panes[i].headline.label), float32(r.W)*maxHeadlineShare)
}

// headlineWidth returns the width that the headline of pane i takes of its caption in r; 0: there is none.
func (d captionDrawer) headlineWidth(i int, r Rect) float32 {
	h := &d.hud.panes[i].headline
	if h.value.text == "" {
		return 0
	}
	value := d.font(headlineSize, true).Width(h.value.text)
	if h.unit != "" {
		value += d.font(13, false).Width(h.unit) + d.px(5)
	}
	if label := d.labelWidth(i, r); d.singleLine(i, r) {
		value += d.px(10) + label
	} else {
		value = max(value, label)
	}
	return value + d.px(14)
}
