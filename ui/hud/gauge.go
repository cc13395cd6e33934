package hud

import (
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/ui/stage"
)

// packetHistory is what the packets of the last second contained.
type packetHistory struct {
	ring    [lab.MaxRate]predict.PacketBreakdown // by tick; zero where no packet was sent
	next    int
	hasData bool
}

// add takes the last packet after a tick of the server; sent says whether it was sent in this tick. rate is
// in ticks per second.
func (h *packetHistory) add(p *predict.PacketBreakdown, sent bool, rate int) {
	slot := &h.ring[h.next%rate]
	if *slot = (predict.PacketBreakdown{}); sent {
		*slot = *p
	}
	h.next, h.hasData = (h.next+1)%rate, true
}

// fillRatio returns the share of their budget that the packets of the last second used. Without any it is
// that of the last packet.
func (h *packetHistory) fillRatio(last *predict.PacketBreakdown, rate int) float32 {
	return h.mean(last, rate, func(p *predict.PacketBreakdown) (float64, int) { return float64(p.Bits()), p.BudgetBits })
}

// bitsPerCube returns the mean bits per body of the snapshots of the last second. Without any it is that of
// the last packet.
func (h *packetHistory) bitsPerCube(last *predict.PacketBreakdown, rate int) float32 {
	return h.mean(last, rate, func(p *predict.PacketBreakdown) (float64, int) { return p.Parts.Bits(), p.BodyCount })
}

// mean returns a sum over the last second in relation to another one; where that is 0, both are those of the last packet.
func (h *packetHistory) mean(last *predict.PacketBreakdown, rate int, of func(*predict.PacketBreakdown) (float64, int)) float32 {
	sum, per := 0.0, 0
	for i := range h.ring[:rate] {
		v, n := of(&h.ring[i])
		sum, per = sum+v, per+n
	}
	if per == 0 {
		sum, per = of(last)
	}
	return float32(sum) / float32(max(per, 1))
}

// gaugeDrawer draws the gauges of panes.
type gaugeDrawer struct{ *drawing }

// drawGaugeTitle writes the first line of a gauge: a text at the left, and one at the right.
func (d gaugeDrawer) drawGaugeTitle(x, y, w float32, left, right string) {
	f, pad := d.font(12, false), d.px(8)
	width := f.Width(right)
	d.Text(x+pad, y+d.px(16), f, stage.DimTextColor, d.texts.truncate(f, left, w-width-pad-pad-pad))
	d.Text(x+w-pad-width, y+d.px(16), f, stage.DimTextColor, right)
}

// Sizes of the gauges, in pixels at scale 1.
const (
	packetGaugeHeight   = 62
	snapshotGaugeHeight = packetGaugeHeight + 16
	partsGaugeHeight    = 40 // of a gauge of parts without their names
	sidebandGaugeHeight = 78
	ageGaugeHeight      = 92
	ageGaugeReduction   = 28  // by which the age gauge is lower in a low pane
	minGaugeWidth       = 220 // narrower columns have no room for the texts
)

// bitScales are the possible ends of the snapshot gauge's scale, in bits per body.
var bitScales = [...]float32{0.5, 1, 2, 5, 10, 20, 50, 100, 200, 400}

// bitScale returns the least of bitScales that is 15 % beyond a number of bits.
func bitScale(bits float32) float32 {
	for _, s := range bitScales {
		if s >= bits*1.15 {
			return s
		}
	}
	return bitScales[len(bitScales)-1]
}

// bitScale returns the end of the scale of the snapshot gauges, which has room for the means of all panes.
func (h *HUD) bitScale() float32 {
	scale := bitScale(0)
	for _, p := range h.panes {
		if k := &p.inspection.Packet; k.Parts.Bits() > 0 {
			scale = max(scale, bitScale(p.packetHistory.bitsPerCube(k, p.source.ServerWorld.Rate())))
		}
	}
	return scale
}

// packetPart is a part of a packet in a gauge.
type packetPart struct {
	bits  float32
	color render.Color
	name  string
}

// drawSnapshotGauge draws the bits per body of the last snapshot, by their purpose. The mark is the mean of
// the last second. All panes have one scale, which follows the largest mean.
func (d gaugeDrawer) drawSnapshotGauge(i int, x, y, w, h float32) {
	p := d.hud.panes[i]
	k := &p.inspection.Packet
	perBody := 1 / float32(max(k.BodyCount, 1))
	mean := p.packetHistory.bitsPerCube(k, p.source.ServerWorld.Rate())
	scale := d.hud.bitScale()
	right := d.texts.add("mean ").bits(mean).end()
	left := d.texts.bits(float32(k.Parts.Bits())*perBody).add(" bits per cube, ").count(k.DatagramCount, "datagram").end()
	d.drawGaugeTitle(x, y, w, left, right)
	end := "of 1 bit"
	if scale != 1 {
		end = d.texts.add("of ").short(float64(scale), -1).add(" bits").end()
	}
	parts := [...]packetPart{
		{float32(k.Parts.Index) * perBody, stage.IndexColor, "index"},
		{float32(k.Parts.Position) * perBody, stage.UpdateColor, "position"},
		{float32(k.Parts.Rotation) * perBody, stage.RotationColor, "rotation"},
		{float32(k.Parts.Linear) * perBody, stage.InputColor, "velocity"},
		{float32(k.Parts.Other) * perBody, stage.HeaderColor, "other"},
	}
	for n := range parts {
		parts[n].name = d.texts.add(parts[n].name).add(" ").bits(parts[n].bits).end()
	}
	d.drawParts(x, y, w, h, parts[:], scale, mean/scale, end)
}

// drawPacketGauge draws the parts of the last packet within its budget. The mark is the mean of the last second.
func (d gaugeDrawer) drawPacketGauge(i int, x, y, w, h float32) {
	p := d.hud.panes[i]
	k := &p.inspection.Packet
	mean := p.packetHistory.fillRatio(k, p.source.ServerWorld.Rate())
	right := d.texts.add("mean ").fixed(float64(100*mean), 0).add(" %").end()
	left := d.texts.add("packet ").fixed(float64(100*float32(k.Bits())/float32(k.BudgetBits)), 0).add(" % of ").int(k.BudgetBits).add(" bits").end()
	d.drawGaugeTitle(x, y, w, left, right)
	parts := [...]packetPart{
		{float32(k.HeaderBits), stage.HeaderColor, d.texts.add("header ").int(k.HeaderBits).end()},
		{float32(k.InputBits), stage.InputColor, d.texts.add("inputs ").int(k.InputBits).end()},
		{float32(k.BodyBits), stage.UpdateColor, d.texts.count(k.BodyCount, "update").add(" ").int(k.BodyBits).end()},
	}
	d.drawParts(x, y, w, h, parts[:], float32(k.BudgetBits), mean, "")
}

// drawParts draws the parts of a packet as a bar that ends at scale bits, with a mark at a mean, a share of the scale,
// and below it, where there is room, the names of the parts and a text about the end, if there is one. A snapshot does not have all
// parts.
func (d gaugeDrawer) drawParts(x, y, w, h float32, parts []packetPart, scale, mean float32, end string) {
	f, pad := d.font(12, false), d.px(8)
	bx, by, bw, bh := x+pad, y+d.px(23), w-2*pad, d.px(13)
	d.Rect(bx, by, bw, bh, stage.EmptyColor)
	rows := [2]swatchRow{{y + d.px(53), x + w - d.px(4)}}
	key := swatches{left: bx, pen: bx, gap: d.px(9), rows: rows[:1]}
	named := h >= d.px(packetGaugeHeight)
	if end != "" && named {
		last := x + w - pad - f.Width(end)
		d.Text(last, y+d.px(69), f, stage.DimTextColor, end)
		rows[1], key.rows = swatchRow{y + d.px(69), last - d.px(6)}, rows[:]
	}
	xAt := func(bits float32) float32 { return whole(min(bw*bits/scale, bw)) }
	from := float32(0)
	for i := range parts {
		if part := &parts[i]; part.bits > 0 || end == "" {
			left := xAt(from)
			from += part.bits
			d.Rect(bx+left, by, xAt(from)-left, bh, part.color)
			if named {
				d.drawSwatchName(&key, part.color, part.name)
			}
		}
	}
	d.Rect(bx+whole(bw*min(mean, 1))-d.px(1), by-d.px(2), d.px(2), bh+d.px(4), stage.TextColor)
}

// swatches are boxes with names, in rows from left to right. What has no room in the last row is left out.
type swatches struct {
	left, pen, gap float32 // gap: between two of them
	rows           []swatchRow
}

type swatchRow struct{ base, right float32 }

// drawSwatchName draws the next box of swatches with its name.
func (d *drawing) drawSwatchName(s *swatches, c render.Color, name string) {
	if x, base, ok := d.nameSwatch(s, name); ok {
		box := d.px(8)
		d.Rect(x, base-box, box, box, c)
	}
}

// nameSwatch writes the next name, and returns the lower left corner of its box. ok is false if there is no room.
func (d *drawing) nameSwatch(s *swatches, name string) (x, base float32, ok bool) {
	f, before := d.font(12, false), d.px(8)+d.px(4)
	width := before + f.Width(name)
	if s.pen > s.left && s.pen+width > s.rows[0].right && len(s.rows) > 1 {
		s.pen, s.rows = s.left, s.rows[1:]
	}
	x, base = s.pen, s.rows[0].base
	if x+width > s.rows[0].right {
		return x, base, false
	}
	d.Text(x+before, base, f, stage.DimTextColor, name)
	s.pen += width + s.gap
	return x, base, true
}

// drawSidebandGauge draws the slices of the block that is being sent, one box each, and the newest 32
// packets that may be acknowledged, oldest left.
func (d gaugeDrawer) drawSidebandGauge(i int, x, y, w, h float32) {
	p := d.hud.panes[i]
	s := &p.inspection.Sideband
	f, pad := d.font(12, false), d.px(8)
	acked := 0
	for _, state := range s.Slices {
		if state == predict.SliceAcked {
			acked++
		}
	}
	if len(s.Slices) > 0 {
		d.texts.add("block: ").int(acked).add(" of ").count(len(s.Slices), "slice").add(", ").int(int(s.Resent)).add(" resent")
	} else {
		d.texts.add("no block, ").count(int(s.Messages), "message")
	}
	left := d.texts.end()
	right := d.texts.fixed(100*s.Share, 1).add(" % of bytes").end()
	d.drawGaugeTitle(x, y, w, left, right)
	d.drawSlices(s.Slices, x+pad, y+d.px(23), w-2*pad, d.px(22))
	label := d.texts.add("acks, ").int(int(s.UnackedCount)).add(" in flight").end()
	base := y + d.px(67)
	d.Text(x+pad, base, f, stage.DimTextColor, label)
	box, step := d.px(3), d.px(5)
	pen := x + w - pad - step*32
	if pen < x+pad+f.Width(label)+pad {
		return
	}
	for n := 31; n >= 0; n-- {
		c := stage.EmptyColor
		if s.AckedBits>>n&1 == 1 {
			c = stage.RotationColor
		}
		d.Rect(pen, base-d.px(9), box, d.px(9), c)
		pen += step
	}
}

// drawSlices draws slices in rows of equal boxes that fill a rectangle.
func (d gaugeDrawer) drawSlices(list []predict.SliceState, x, y, w, h float32) {
	if len(list) == 0 {
		d.Rect(x, y, w, h, stage.EmptyColor)
		return
	}
	rows := 1 + (len(list)-1)/64
	columns := (len(list) + rows - 1) / rows
	for i, state := range list {
		c := stage.EmptyColor
		switch state {
		case predict.SliceSent:
			c = stage.InputColor
		case predict.SliceAcked:
			c = stage.RotationColor
		}
		at := func(n, of int, length float32) float32 { return whole(length * float32(n) / float32(of)) }
		x0, x1 := at(i%columns, columns, w), at(i%columns+1, columns, w)
		y0, y1 := at(i/columns, rows, h), at(i/columns+1, rows, h)
		d.Rect(x+x0, y+y0, max(x1-x0-1, 1), max(y1-y0-1, 1), c)
	}
}
