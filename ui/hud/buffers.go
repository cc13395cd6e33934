package hud

import (
	"ghostcube/predict"
	"ghostcube/ui/stage"
)

// Sizes of the buffer gauge, in pixels at scale 1.
const (
	bufferRowHeight = 17
	bufferPadding   = 8
	bufferCell      = 9 // at most
)

// drawBufferGauge draws the buffers that a strategy reports, one in a row: its name, its slots with the newest at the
// right, and how many of them are filled.
func (d gaugeDrawer) drawBufferGauge(i int, x, y, w, h float32) {
	f, pad := d.font(12, false), d.px(8)
	names, counts := float32(0), f.Width("0000 of 0000")
	buffers := d.hud.panes[i].inspection.Buffers
	for k := range buffers {
		names = max(names, f.Width(buffers[k].Kind.String()))
	}
	left, right := x+pad+names+pad, x+w-pad-counts
	for k := range buffers {
		b := &buffers[k]
		top := y + d.px(float32(bufferRowHeight*k)+bufferPadding*0.5)
		base := baseline(f, top, d.px(bufferRowHeight))
		d.Text(x+pad, base, f, stage.DimTextColor, b.Kind.String())
		if d.texts.int(b.Count); b.Capacity > 0 {
			d.texts.add(" of ").int(b.Capacity)
		}
		text := d.texts.end()
		d.Text(x+w-pad-f.Width(text), base, f, stage.DimTextColor, text)
		d.drawBufferSlots(b, left, right-pad, top+d.px(3), d.px(bufferRowHeight-6))
	}
}

// drawBufferSlots draws as many of the newest slots as there is room for.
func (d gaugeDrawer) drawBufferSlots(b *predict.Buffer, left, right, y, h float32) {
	cell := d.px(bufferCell)
	if n := float32(b.Slots); n*cell > right-left {
		cell = max(whole((right-left)/max(n, 1)), d.px(4))
	}
	shown := min(b.Slots, int((right-left)/cell))
	if shown <= 0 {
		d.Rect(right-d.px(bufferCell), y+h*0.5, d.px(bufferCell)-1, max(d.px(1), 1), stage.EmptyColor)
		return
	}
	for n := range shown {
		c := stage.EmptyColor
		if b.Filled>>(b.Slots-shown+n)&1 == 1 {
			c = stage.WaitingColor
		}
		d.Rect(right-cell*float32(shown-n), y, cell-max(d.px(1), 1), h, c)
	}
}
