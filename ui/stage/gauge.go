package stage

import (
	"fmt"
	"strconv"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/render"
)

// packets are what a second of packets was made of.
type packets struct {
	ring [lab.MaxRate]predict.PacketBreakdown // by tick; zero where none was sent
	next int
	any  bool
}

// add takes in the last packet as it is after a tick of the server, of a session
// of so many ticks a second.
func (s *packets) add(p *predict.PacketBreakdown, sent bool, rate int) {
	at := &s.ring[s.next%rate]
	if *at = (predict.PacketBreakdown{}); sent {
		*at = *p
	}
	s.next, s.any = (s.next+1)%rate, true
}

// fill is the share of their room that the packets of a second took, or that of
// the last alone if none is known.
func (s *packets) fill(last *predict.PacketBreakdown, rate int) float32 {
	bits, room := 0, 0
	for i := range s.ring[:rate] {
		bits += s.ring[i].Bits()
		room += s.ring[i].Budget
	}
	if room == 0 {
		bits, room = last.Bits(), last.Budget
	}
	return float32(bits) / float32(max(room, 1))
}

// bitsPerCube is what the snapshots of a second took for each body, or the last alone
// if none is known.
func (s *packets) bitsPerCube(last *predict.PacketBreakdown, rate int) float32 {
	bits, cubes := 0.0, 0
	for i := range s.ring[:rate] {
		bits += s.ring[i].Parts.Bits()
		cubes += s.ring[i].Bodies
	}
	if cubes == 0 {
		bits, cubes = last.Parts.Bits(), last.Bodies
	}
	return float32(bits) / float32(max(cubes, 1))
}

// The colours of what packets are made of, and of the gauges' ground.
var (
	headPart   = render.Color{R: 150, G: 158, B: 168, A: 255}
	inputPart  = orange
	updatePart = render.Color{R: 86, G: 180, B: 233, A: 255}
	indexPart  = render.Color{R: 240, G: 228, B: 66, A: 255}
	turnPart   = render.Color{R: 0, G: 158, B: 115, A: 255}
	gaugeVeil  = render.Color{R: 22, G: 26, B: 32, A: 210}
	emptyPart  = render.Color{R: 58, G: 65, B: 75, A: 255}
)

const (
	packetHeight = 62
	cubeHeight   = packetHeight + 16 // of a snapshot's
	agesHeight   = 92                // less by agesLess in a low pane
	agesLess     = 28
	lowPane      = 420
	gaugeGap     = 6
	leastGauge   = 220 // narrower ones could not be read
	mostGauge    = 310
)

// gauges draws what is asked for at the lower right of a pane, as far as there is
// room below top and across.
func (d *drawing) gauges(i int, r Place, top float32) {
	show, p := d.l.Display(), d.stage.panes[i]
	w := min(float32(float32(r.W)*0.52), d.px(mostGauge)) // the graph on the left has 0.42
	if show.Split {
		w = min(w, float32((r.W-gutter/2)/2)-d.px(20))
	}
	if w < d.px(leastGauge) {
		return
	}
	x, y := float32(r.X+r.W)-w-d.px(10), float32(r.Y+r.H)-d.px(10)
	h := d.px(agesHeight)
	if float32(r.H) < d.px(lowPane) {
		h = d.px(agesHeight - agesLess)
	}
	if show.Ages && len(p.told.Age) > 0 && y-h >= top {
		y -= h
		d.ages(p, x, y, w, h)
		y -= d.px(gaugeGap)
	}
	if h := d.px(packetHeight); show.Packet && p.told.Packet.Budget > 0 && y-h >= top {
		y -= h
		d.packet(p, x, y, w, h)
		y -= d.px(gaugeGap)
	}
	if h := d.px(cubeHeight); show.Packet && p.told.Packet.Parts.Bits() > 0 && y-h >= top {
		y -= h
		d.snapshot(p, x, y, w, h)
		y -= d.px(gaugeGap)
	}
	if show.Latency {
		y = d.latencies(i, x, y, w, top)
	}
	d.gauged[i] = y
}

// cubeScales are the bits of a cube for which the bar of a snapshot stands.
var cubeScales = [...]float32{0.5, 1, 2, 5, 10, 20, 50, 100, 200, 400}

// cubeScale is the least that leaves some room beyond so many bits.
func cubeScale(bits float32) float32 {
	for _, s := range cubeScales {
		if s >= float32(bits*1.15) {
			return s
		}
	}
	return cubeScales[len(cubeScales)-1]
}

// snapshot draws what the last snapshot took for each body, by what its bits told.
// The bar's scale follows the mean of a second, which is its mark.
func (d *drawing) snapshot(p *pane, x, y, w, h float32) {
	k := &p.told.Packet
	each := 1 / float32(max(k.Bodies, 1))
	mean := p.sent.bitsPerCube(k, p.of.ServerWorld.Rate())
	scale := cubeScale(mean)
	d.Rect(x, y, w, h, gaugeVeil)
	f, pad := d.font(12, false), d.px(8)
	right := "mean " + bitsText(mean)
	rw := f.Width(right)
	left := bitsText(float32(float32(k.Parts.Bits())*each)) + " bits a cube, " + count(k.Datagrams, "datagram")
	d.Text(x+pad, y+d.px(16), f, inkDim, f.Fit(left, w-rw-pad-pad-pad))
	d.Text(x+w-pad-rw, y+d.px(16), f, inkDim, right)
	bx, by, bw, bh := x+pad, y+d.px(23), w-2*pad, d.px(13)
	d.Rect(bx, by, bw, bh, emptyPart)
	of := "of " + strconv.FormatFloat(float64(scale), 'g', -1, 32) + " bits"
	if scale == 1 {
		of = "of 1 bit"
	}
	ow := f.Width(of)
	d.Text(x+w-pad-ow, y+d.px(69), f, inkDim, of)
	pen, line := x+pad, y+d.px(53)
	most := x + w - d.px(4)
	from := float32(0)
	for _, part := range []struct {
		bits  float64
		color render.Color
		name  string
	}{
		{k.Parts.Index, indexPart, "index"},
		{k.Parts.Position, updatePart, "position"},
		{k.Parts.Rotation, turnPart, "rotation"},
		{k.Parts.Linear, inputPart, "linear"},
		{k.Parts.Rest, headPart, "rest"},
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
		d.Text(pen+box+d.px(4), line, f, inkDim, words)
		pen += wide + d.px(9)
	}
	d.Rect(bx+float32(int(float32(bw*min(mean/scale, 1))))-d.px(1), by-d.px(2), d.px(2), bh+d.px(4), ink)
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

// packet draws what the last packet was made of, over what it might have held.
func (d *drawing) packet(p *pane, x, y, w, h float32) {
	k := &p.told.Packet
	mean := p.sent.fill(k, p.of.ServerWorld.Rate())
	d.Rect(x, y, w, h, gaugeVeil)
	f, pad := d.font(12, false), d.px(8)
	right := fmt.Sprintf("mean %.0f %%", 100*mean)
	rw := f.Width(right)
	left := fmt.Sprintf("packet %.0f %% of %d bits", float32(100*float32(k.Bits()))/float32(k.Budget), k.Budget)
	d.Text(x+pad, y+d.px(16), f, inkDim, f.Fit(left, w-rw-pad-pad-pad))
	d.Text(x+w-pad-rw, y+d.px(16), f, inkDim, right)
	bx, by, bw, bh := x+pad, y+d.px(23), w-2*pad, d.px(13)
	d.Rect(bx, by, bw, bh, emptyPart)
	pen, done := x+pad, y+d.px(53)
	from := 0
	for _, part := range []struct {
		bits  int
		color render.Color
		name  string
	}{
		{k.Header, headPart, "head " + strconv.Itoa(k.Header)},
		{k.Inputs, inputPart, "inputs " + strconv.Itoa(k.Inputs)},
		{k.Updates, updatePart, count(k.Bodies, "update") + " " + strconv.Itoa(k.Updates)},
	} {
		a, b := float32(int(float32(bw*float32(from))/float32(k.Budget))), float32(int(float32(bw*float32(from+part.bits))/float32(k.Budget)))
		d.Rect(bx+a, by, b-a, bh, part.color)
		from += part.bits
		box := d.px(8)
		if pen+box+d.px(4)+f.Width(part.name) > x+w-d.px(4) {
			continue
		}
		d.Rect(pen, done-box, box, box, part.color)
		pen += box + d.px(4)
		pen += d.Text(pen, done, f, inkDim, part.name) + d.px(9)
	}
	d.Rect(bx+float32(int(float32(bw*min(mean, 1))))-d.px(1), by-d.px(2), d.px(2), bh+d.px(4), ink)
}

// agesTold is how many ticks of age the histogram tells apart.
const agesTold = 10 * lab.MaxRate

// staleness counts bodies by the age of the server's last word.
type staleness struct {
	bins  [agesTold]uint16 // by age in ticks; the last has all that are older
	total int
}

// count counts the bodies that move, as far as the client knows or else the server.
func (s *staleness) count(p *pane) {
	*s = staleness{}
	truth := p.of.ServerWorld.Bodies()
	for i, age := range p.told.Age {
		moves := !truth[i].Asleep
		if i < len(p.told.Moving) {
			moves = p.told.Moving[i]
		}
		if moves {
			s.bins[min(int(age), agesTold-1)]++
			s.total++
		}
	}
}

// quantile is the age in ticks that a share of the bodies, in [0,1], do not exceed.
func (s *staleness) quantile(share float64) int {
	left := int(float64(float64(s.total) * share))
	for t, n := range s.bins {
		if int(n) > left {
			return t
		}
		left -= int(n)
	}
	return agesTold - 1
}

// ages draws the histogram of how old the server's last word is of the bodies that
// move. Its colours and its scale are those of the tint.
func (d *drawing) ages(p *pane, x, y, w, h float32) {
	s, rate := &d.stage.stale, p.of.ServerWorld.Rate()
	s.count(p)
	d.Rect(x, y, w, h, gaugeVeil)
	f, pad := d.font(12, false), d.px(8)
	left, top, bottom := x+pad, y+d.px(24), y+h-d.px(19)
	right := x + w - pad
	whole := right - left - d.px(14) // and then those beyond the scale
	place := func(ticks int) float32 { return left + float32(int(float32(whole*ageShare(ticks, rate)))) }
	beyond := ageMost * rate
	var bars [ageMost*lab.MaxRate + 1]struct {
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
		bar(b.x0, b.x1, b.n, along((b.x0-left)/whole))
	}
	bar(right-d.px(10), right, older, along(1))
	d.Rect(left, bottom, right-left, 1, gridline)
	d.agesScale(f, left, right, bottom, rate, place)
	pen := x + w - pad
	if s.total > 0 {
		pen = d.quantiles(s, f, x, y, w, top, bottom, right, beyond, rate, place)
	}
	d.Text(x+pad, y+d.px(16), f, inkDim, f.Fit("age, "+strconv.Itoa(s.total)+" moving", pen-x-pad))
}

// agesScale writes the ages below the bars.
func (d *drawing) agesScale(f render.Font, left, right, bottom float32, rate int, place func(int) float32) {
	base := bottom + d.px(14)
	d.Text(left, base, f, inkDim, "0")
	for _, m := range []struct {
		ms   int
		name string
	}{{100, "0.1"}, {500, "0.5"}, {1000, "1"}} {
		at := place(m.ms * rate / 1000)
		d.Rect(at, bottom, 1, d.px(3), gridline)
		d.Text(at-float32(0.5*f.Width(m.name)), base, f, inkDim, m.name)
	}
	last := strconv.Itoa(ageMost) + " s +"
	d.Text(right-f.Width(last), base, f, inkDim, last)
}

// quantiles marks the age that half of the bodies and 99 in 100 do not exceed. It
// returns how far to the right there is room for more words.
func (d *drawing) quantiles(s *staleness, f render.Font, x, y, w, top, bottom, right float32, beyond, rate int, place func(int) float32) float32 {
	pen := x + w - d.px(8)
	for _, q := range []struct {
		share float64
		name  string
		color render.Color
	}{{0.99, "p99 ", orange}, {0.5, "p50 ", ink}} {
		t := s.quantile(q.share)
		at := right - d.px(5)
		if t < beyond {
			at = place(t) + float32(0.5*(place(t+1)-place(t)))
		}
		d.Rect(at, top, max(d.px(1.5), 1), bottom-top, q.color)
		words := q.name + age(t, rate)
		pen -= f.Width(words)
		d.Text(pen, y+d.px(16), f, q.color, words)
		pen -= d.px(10)
	}
	return pen
}

// age writes ticks as a time.
func age(ticks, rate int) string {
	ms := float64(float64(ticks)*1000) / float64(rate)
	switch {
	case ticks >= agesTold-1:
		return "long"
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.2f s", ms/1000)
}
