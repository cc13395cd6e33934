package stage

import (
	"fmt"
	"strconv"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/render"
)

// packetHistory are what a second of packets was made of.
type packetHistory struct {
	ring    [lab.MaxRate]predict.PacketBreakdown // by tick; zero where none was sent
	next    int
	hasData bool
}

// add takes in the last packet as it is after a tick of the server, of a session
// of so many ticks a second.
func (s *packetHistory) add(p *predict.PacketBreakdown, sent bool, rate int) {
	at := &s.ring[s.next%rate]
	if *at = (predict.PacketBreakdown{}); sent {
		*at = *p
	}
	s.next, s.hasData = (s.next+1)%rate, true
}

// fillRatio is the share of their room that the packets of a second took, or that of
// the last alone if none is known.
func (s *packetHistory) fillRatio(last *predict.PacketBreakdown, rate int) float32 {
	bits, room := 0, 0
	for i := range s.ring[:rate] {
		bits += s.ring[i].Bits()
		room += s.ring[i].BudgetBits
	}
	if room == 0 {
		bits, room = last.Bits(), last.BudgetBits
	}
	return float32(bits) / float32(max(room, 1))
}

// bitsPerCube is what the snapshots of a second took for each body, or the last alone
// if none is known.
func (s *packetHistory) bitsPerCube(last *predict.PacketBreakdown, rate int) float32 {
	bits, cubes := 0.0, 0
	for i := range s.ring[:rate] {
		bits += s.ring[i].Parts.Bits()
		cubes += s.ring[i].BodyCount
	}
	if cubes == 0 {
		bits, cubes = last.Parts.Bits(), last.BodyCount
	}
	return float32(bits) / float32(max(cubes, 1))
}

// The colours of what packets are made of, and of the gauges' ground.
var (
	headerColor     = render.Color{R: 150, G: 158, B: 168, A: 255}
	inputColor      = orange
	updateColor     = render.Color{R: 86, G: 180, B: 233, A: 255}
	indexColor      = render.Color{R: 240, G: 228, B: 66, A: 255}
	rotationColor   = render.Color{R: 0, G: 158, B: 115, A: 255}
	gaugePanelColor = render.Color{R: 22, G: 26, B: 32, A: 210}
	emptyColor      = render.Color{R: 58, G: 65, B: 75, A: 255}
)

const (
	packetGaugeHeight   = 62
	snapshotGaugeHeight = packetGaugeHeight + 16 // of a snapshot's
	ageGaugeHeight      = 92                     // less by agesLess in a low pane
	ageGaugeReduction   = 28
	lowPaneHeight       = 420
	gaugeGap            = 6
	minGaugeWidth       = 220 // narrower ones could not be read
	maxGaugeWidth       = 310
)

// drawGauges draws what is asked for at the lower right of a pane, as far as there is
// room below top and across.
func (d *overlay) drawGauges(i int, r Rect, top float32) {
	show, p := &d.settings, d.stage.panes[i]
	w := min(float32(float32(r.W)*0.52), d.px(maxGaugeWidth)) // the graph on the left has 0.42
	if show.Split {
		w = min(w, float32((r.W-gutter/2)/2)-d.px(20))
	}
	if w < d.px(minGaugeWidth) {
		return
	}
	x, y := float32(r.X+r.W)-w-d.px(10), float32(r.Y+r.H)-d.px(10)
	h := d.px(ageGaugeHeight)
	if float32(r.H) < d.px(lowPaneHeight) {
		h = d.px(ageGaugeHeight - ageGaugeReduction)
	}
	if show.Ages && len(p.inspection.Age) > 0 && y-h >= top {
		y -= h
		d.drawAgeGauge(p, x, y, w, h)
		y -= d.px(gaugeGap)
	}
	if h := d.px(packetGaugeHeight); show.Packet && p.inspection.Packet.BudgetBits > 0 && y-h >= top {
		y -= h
		d.drawPacketGauge(p, x, y, w, h)
		y -= d.px(gaugeGap)
	}
	if h := d.px(snapshotGaugeHeight); show.Packet && p.inspection.Packet.Parts.Bits() > 0 && y-h >= top {
		y -= h
		d.drawSnapshotGauge(p, x, y, w, h)
		y -= d.px(gaugeGap)
	}
	if show.Latency {
		y = d.drawLatencyGauge(i, x, y, w, top)
	}
	d.gaugeTops[i] = y
}

// bitScales are the bits of a cube for which the bar of a snapshot stands.
var bitScales = [...]float32{0.5, 1, 2, 5, 10, 20, 50, 100, 200, 400}

// bitScale is the least that leaves some room beyond so many bits.
func bitScale(bits float32) float32 {
	for _, s := range bitScales {
		if s >= float32(bits*1.15) {
			return s
		}
	}
	return bitScales[len(bitScales)-1]
}

// drawSnapshotGauge draws what the last snapshot took for each body, by what its bits told.
// The bar's scale follows the mean of a second, which is its mark.
func (d *overlay) drawSnapshotGauge(p *pane, x, y, w, h float32) {
	k := &p.inspection.Packet
	each := 1 / float32(max(k.BodyCount, 1))
	mean := p.packetHistory.bitsPerCube(k, p.source.ServerWorld.Rate())
	scale := bitScale(mean)
	d.Rect(x, y, w, h, gaugePanelColor)
	f, pad := d.font(12, false), d.px(8)
	right := "mean " + bitsText(mean)
	rw := f.Width(right)
	left := bitsText(float32(float32(k.Parts.Bits())*each)) + " bits a cube, " + countText(k.DatagramCount, "datagram")
	d.Text(x+pad, y+d.px(16), f, dimTextColor, f.Truncate(left, w-rw-pad-pad-pad))
	d.Text(x+w-pad-rw, y+d.px(16), f, dimTextColor, right)
	bx, by, bw, bh := x+pad, y+d.px(23), w-2*pad, d.px(13)
	d.Rect(bx, by, bw, bh, emptyColor)
	of := "of " + strconv.FormatFloat(float64(scale), 'g', -1, 32) + " bits"
	if scale == 1 {
		of = "of 1 bit"
	}
	ow := f.Width(of)
	d.Text(x+w-pad-ow, y+d.px(69), f, dimTextColor, of)
	pen, line := x+pad, y+d.px(53)
	most := x + w - d.px(4)
	from := float32(0)
	for _, part := range []struct {
		bits  float64
		color render.Color
		name  string
	}{
		{k.Parts.Index, indexColor, "index"},
		{k.Parts.Position, updateColor, "position"},
		{k.Parts.Rotation, rotationColor, "rotation"},
		{k.Parts.Linear, inputColor, "linear"},
		{k.Parts.Other, headerColor, "rest"},
	} {
		if part.bits <= 0 {
			continue
		}
		bits := float32(float32(part.bits) * each)
		place := func(bits float32) float32 { return float32(int(min(float32(bw*bits)/scale, bw))) }
		a, b := place(from), place(from+bits)
		d.Rect(bx+a, by, b-a, bh, part.color)
		from += bits
		words := part.name + " " + bitsText(bits)
		box := d.px(8)
		wide := box + d.px(4) + f.Width(words)
		if pen+wide > most && line < y+d.px(60) {
			pen, line, most = x+pad, y+d.px(69), x+w-pad-ow-d.px(6)
		}
		if pen+wide > most {
			continue
		}
		d.Rect(pen, line-box, box, box, part.color)
		d.Text(pen+box+d.px(4), line, f, dimTextColor, words)
		pen += wide + d.px(9)
	}
	d.Rect(bx+float32(int(float32(bw*min(mean/scale, 1))))-d.px(1), by-d.px(2), d.px(2), bh+d.px(4), textColor)
}

// bitsText writes bits of a cube with as many digits as tell them apart.
func bitsText(bits float32) string {
	switch {
	case bits >= 99.95:
		return strconv.FormatFloat(float64(bits), 'f', 0, 32)
	case bits >= 9.995:
		return strconv.FormatFloat(float64(bits), 'f', 1, 32)
	}
	return strconv.FormatFloat(float64(bits), 'f', 2, 32)
}

// drawPacketGauge draws what the last packet was made of, over what it might have held.
func (d *overlay) drawPacketGauge(p *pane, x, y, w, h float32) {
	k := &p.inspection.Packet
	mean := p.packetHistory.fillRatio(k, p.source.ServerWorld.Rate())
	d.Rect(x, y, w, h, gaugePanelColor)
	f, pad := d.font(12, false), d.px(8)
	right := fmt.Sprintf("mean %.0f %%", 100*mean)
	rw := f.Width(right)
	left := fmt.Sprintf("packet %.0f %% of %d bits", float32(100*float32(k.Bits()))/float32(k.BudgetBits), k.BudgetBits)
	d.Text(x+pad, y+d.px(16), f, dimTextColor, f.Truncate(left, w-rw-pad-pad-pad))
	d.Text(x+w-pad-rw, y+d.px(16), f, dimTextColor, right)
	bx, by, bw, bh := x+pad, y+d.px(23), w-2*pad, d.px(13)
	d.Rect(bx, by, bw, bh, emptyColor)
	pen, done := x+pad, y+d.px(53)
	from := 0
	for _, part := range []struct {
		bits  int
		color render.Color
		name  string
	}{
		{k.HeaderBits, headerColor, "head " + strconv.Itoa(k.HeaderBits)},
		{k.InputBits, inputColor, "inputs " + strconv.Itoa(k.InputBits)},
		{k.BodyBits, updateColor, countText(k.BodyCount, "update") + " " + strconv.Itoa(k.BodyBits)},
	} {
		a, b := float32(int(float32(bw*float32(from))/float32(k.BudgetBits))), float32(int(float32(bw*float32(from+part.bits))/float32(k.BudgetBits)))
		d.Rect(bx+a, by, b-a, bh, part.color)
		from += part.bits
		box := d.px(8)
		if pen+box+d.px(4)+f.Width(part.name) > x+w-d.px(4) {
			continue
		}
		d.Rect(pen, done-box, box, box, part.color)
		pen += box + d.px(4)
		pen += d.Text(pen, done, f, dimTextColor, part.name) + d.px(9)
	}
	d.Rect(bx+float32(int(float32(bw*min(mean, 1))))-d.px(1), by-d.px(2), d.px(2), bh+d.px(4), textColor)
}

// ageBinCount is how many ticks of age the histogram tells apart.
const ageBinCount = 10 * lab.MaxRate

// ageHistogram counts bodies by the age of the server's last word.
type ageHistogram struct {
	bins  [ageBinCount]uint16 // by age in ticks; the last has all that are older
	total int
}

// count counts the bodies that move, as far as the client knows or else the server.
func (s *ageHistogram) count(p *pane) {
	*s = ageHistogram{}
	truth := p.source.ServerWorld.Bodies()
	for i, age := range p.inspection.Age {
		moves := !truth[i].Asleep
		if i < len(p.inspection.Moving) {
			moves = p.inspection.Moving[i]
		}
		if moves {
			s.bins[min(int(age), ageBinCount-1)]++
			s.total++
		}
	}
}

// quantile is the age in ticks that a share of the bodies, in [0,1], do not exceed.
func (s *ageHistogram) quantile(share float64) int {
	left := int(float64(float64(s.total) * share))
	for t, n := range s.bins {
		if int(n) > left {
			return t
		}
		left -= int(n)
	}
	return ageBinCount - 1
}

// drawAgeGauge draws the histogram of how old the server's last word is of the bodies that
// move. Its colours and its scale are those of the tint.
func (d *overlay) drawAgeGauge(p *pane, x, y, w, h float32) {
	s, rate := &d.stage.ages, p.source.ServerWorld.Rate()
	s.count(p)
	d.Rect(x, y, w, h, gaugePanelColor)
	f, pad := d.font(12, false), d.px(8)
	left, top, bottom := x+pad, y+d.px(24), y+h-d.px(19)
	right := x + w - pad
	whole := right - left - d.px(14) // and then those beyond the scale
	place := func(ticks int) float32 { return left + float32(int(float32(whole*ageFraction(ticks, rate)))) }
	beyond := maxAgeSeconds * rate
	var bars [maxAgeSeconds*lab.MaxRate + 1]struct {
		x0, x1 float32
		n      int
	}
	n, most := 0, 1
	for t := range beyond {
		b := &bars[n]
		if b.n == 0 && b.x1 == 0 {
			b.x0 = place(t)
		}
		b.n += int(s.bins[t])
		if b.x1 = place(t + 1); b.x1-b.x0 >= 1 { // what is finer than a pixel shares one
			most = max(most, b.n)
			n++
		}
	}
	older := 0
	for _, k := range s.bins[beyond:] {
		older += int(k)
	}
	most = max(most, older)
	bar := func(x0, x1 float32, n int, c render.Color) {
		if n > 0 {
			tall := max(float32((bottom-top)*float32(n))/float32(most), 1)
			d.Rect(x0, bottom-tall, max(x1-x0, 1), tall, c)
		}
	}
	for _, b := range bars[:n] {
		bar(b.x0, b.x1, b.n, rampColor((b.x0-left)/whole))
	}
	bar(right-d.px(10), right, older, rampColor(1))
	d.Rect(left, bottom, right-left, 1, gridlineColor)
	d.drawAgeAxis(f, left, right, bottom, rate, place)
	pen := x + w - pad
	if s.total > 0 {
		pen = d.drawQuantiles(s, f, x, y, w, top, bottom, right, beyond, rate, place)
	}
	d.Text(x+pad, y+d.px(16), f, dimTextColor, f.Truncate("age, "+strconv.Itoa(s.total)+" moving", pen-x-pad))
}

// drawAgeAxis writes the ages below the bars.
func (d *overlay) drawAgeAxis(f render.Font, left, right, bottom float32, rate int, place func(int) float32) {
	base := bottom + d.px(14)
	d.Text(left, base, f, dimTextColor, "0")
	for _, m := range []struct {
		ms   int
		name string
	}{{100, "0.1"}, {500, "0.5"}, {1000, "1"}} {
		at := place(m.ms * rate / 1000)
		d.Rect(at, bottom, 1, d.px(3), gridlineColor)
		d.Text(at-float32(0.5*f.Width(m.name)), base, f, dimTextColor, m.name)
	}
	last := strconv.Itoa(maxAgeSeconds) + " s +"
	d.Text(right-f.Width(last), base, f, dimTextColor, last)
}

// drawQuantiles marks the age that half of the bodies and 99 in 100 do not exceed. It
// returns how far to the right there is room for more words.
func (d *overlay) drawQuantiles(s *ageHistogram, f render.Font, x, y, w, top, bottom, right float32, beyond, rate int, place func(int) float32) float32 {
	pen := x + w - d.px(8)
	for _, q := range []struct {
		share float64
		name  string
		color render.Color
	}{{0.99, "p99 ", orange}, {0.5, "p50 ", textColor}} {
		t := s.quantile(q.share)
		at := right - d.px(5)
		if t < beyond {
			at = place(t) + float32(0.5*(place(t+1)-place(t)))
		}
		d.Rect(at, top, max(d.px(1.5), 1), bottom-top, q.color)
		words := q.name + ageText(t, rate)
		pen -= f.Width(words)
		d.Text(pen, y+d.px(16), f, q.color, words)
		pen -= d.px(10)
	}
	return pen
}

// ageText writes ticks as a time.
func ageText(ticks, rate int) string {
	ms := float64(float64(ticks)*1000) / float64(rate)
	switch {
	case ticks >= ageBinCount-1:
		return "long"
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.2f s", ms/1000)
}
