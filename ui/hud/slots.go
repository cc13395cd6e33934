package hud

import (
	"ghostcube/predict"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/ui/stage"
)

// playoutTicks is the number of ticks of which the slot gauge shows what the server's playout buffer did.
const playoutTicks = 10

// playoutHistory is what the server's playout buffer did in the last ticks, the oldest first.
type playoutHistory struct {
	ticks [playoutTicks]predict.InputPlayout
	count int
}

// add appends what the buffer did in a tick.
func (h *playoutHistory) add(p *predict.InputPlayout) {
	if h.count == playoutTicks {
		copy(h.ticks[:], h.ticks[1:])
		h.count--
	}
	h.ticks[h.count] = *p
	h.count++
}

// The slot gauge: its height in pixels at scale 1, and the most slots that it has room for.
const (
	slotGaugeHeight = 112
	maxDrawnSlots   = 10
)

// playoutColors are the colours of what a tick used.
var playoutColors = [...]render.Color{
	predict.PlayedNothing: stage.EmptyColor, predict.PlayedOwn: stage.OwnInputColor,
	predict.PlayedMissing: stage.MissingColor, predict.PlayedAgain: stage.RepeatedColor,
}

// slotNames are the colours of slots and ticks, and of marks below ticks.
var slotNames = []struct {
	color render.Color
	name  string
}{
	{stage.WaitingColor, "waits"}, {stage.OwnInputColor, "used"}, {stage.MissingColor, "missing"},
	{stage.RepeatedColor, "repeated"}, {stage.LateInputColor, "too late"},
}

// drawSlotGauge draws the slots of the server's playout buffer, the next one at the left, and below what it used
// in the last ticks, the newest at the right. Slots and ticks are numbered by the client's tick of their input;
// the last digits suffice. A mark below a tick says that inputs arrived in it, or that one arrived too late.
func (d gaugeDrawer) drawSlotGauge(i int, x, y, w, h float32) {
	p := d.hud.panes[i]
	b := &p.inspection.InputBuffer
	f, pad := d.font(12, false), d.px(8)
	left, right := x+pad, x+w-pad
	waiting := 0
	for i := range b.Slots {
		if b.Slots[i].State == predict.SlotWaiting {
			waiting++
		}
	}
	d.Text(left, y+d.px(16), f, stage.DimTextColor, "next")
	title := d.texts.add("playout buffer, ").int(waiting).add(" waiting").end()
	d.Text(right-f.Width(title), y+d.px(16), f, stage.DimTextColor, title)
	cell := whole((right - left) / playoutTicks)
	top, height := y+d.px(22), d.px(18)
	for i := range min(len(b.Slots), maxDrawnSlots) {
		s := &b.Slots[i]
		at := left + cell*float32(i)
		c := stage.EmptyColor
		switch s.State {
		case predict.SlotWaiting:
			c = stage.WaitingColor
		case predict.SlotKept:
			c = stage.RepeatedColor
		}
		d.drawSlot(f, at, top, cell, height, c, s.State != predict.SlotEmpty, s.ClientTick)
		if s.AfterGap { // the missing input belongs between this slot and the one before
			d.Rect(at-d.px(1), top-d.px(2), d.px(3), height+d.px(4), stage.MissingColor)
		}
	}
	top = y + d.px(48)
	first := playoutTicks - p.playouts.count
	for i := range p.playouts.count {
		k := &p.playouts.ticks[i]
		at := left + cell*float32(first+i)
		d.drawSlot(f, at, top, cell, height, playoutColors[k.Result], k.Result != predict.PlayedNothing, k.ClientTick)
		if k.New > 0 {
			d.Rect(at+d.px(2), top+height+d.px(2), cell-d.px(5), d.px(4), stage.WaitingColor)
		}
		if k.Late > 0 {
			d.Rect(at+d.px(2), top+height+d.px(7), cell-d.px(5), d.px(4), stage.LateInputColor)
		}
	}
	key := swatches{left: left, pen: left, gap: d.px(9), rows: []swatchRow{{y + h - d.px(24), right}, {y + h - d.px(7), right}}}
	for _, e := range slotNames {
		d.drawSwatchName(&key, e.color, e.name)
	}
}

// drawSlot draws a slot or a tick with the number of its input, if there is one.
func (d gaugeDrawer) drawSlot(f render.Font, x, y, w, h float32, c render.Color, numbered bool, t sim.Tick) {
	d.Rect(x, y, w-d.px(2), h, c)
	if !numbered {
		return
	}
	text := d.texts.int(int(t % 1000)).end()
	d.Text(x+0.5*(w-d.px(2)-f.Width(text)), baseline(f, y, h), f, stage.BackgroundColor, text)
}
