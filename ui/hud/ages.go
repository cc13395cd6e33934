package hud

import (
	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/ui/stage"
)

// ageBinCount is the number of bins of an age histogram: one a tick, for ten seconds at the highest rate.
const ageBinCount = 10 * lab.MaxRate

// ageHistogram counts bodies by their snapshot age.
type ageHistogram struct {
	bins  [ageBinCount]uint16 // by age in ticks; the last one has all older bodies
	total int
}

// count counts the moving bodies of a pane. Where the client does not know which bodies move, the server decides.
func (h *ageHistogram) count(p *pane) {
	*h = ageHistogram{}
	serverBodies := p.source.ServerWorld.Bodies()
	for i, age := range p.inspection.Age {
		moving := !serverBodies[i].Asleep
		if i < len(p.inspection.Moving) {
			moving = p.inspection.Moving[i]
		}
		if moving {
			h.bins[min(int(age), ageBinCount-1)]++
			h.total++
		}
	}
}

// quantile returns the age in ticks that a share in [0, 1] of the bodies do not exceed.
func (h *ageHistogram) quantile(share float64) int {
	rest := int(float64(h.total) * share)
	for t, n := range h.bins {
		if int(n) > rest {
			return t
		}
		rest -= int(n)
	}
	return ageBinCount - 1
}

// drawAgeGauge draws the histogram of the snapshot ages of the moving bodies, with the colours and the scale
// of the colouring by age.
func (d gaugeDrawer) drawAgeGauge(i int, x, y, w, h float32) {
	p := d.hud.panes[i]
	s, rate := &d.hud.ages, p.source.ServerWorld.Rate()
	s.count(p)
	f, pad := d.font(12, false), d.px(8)
	left, top, bottom := x+pad, y+d.px(24), y+h-d.px(19)
	right := x + w - pad
	span := right - left - d.px(14) // bodies beyond the scale have a bar to the right of it
	xAt := func(ticks int) float32 { return left + whole(span*stage.AgeFraction(ticks, rate)) }
	beyond := stage.MaxAgeSeconds * rate
	var bars [stage.MaxAgeSeconds*lab.MaxRate + 1]struct {
		x0, x1 float32
		n      int
	}
	n, largest := 0, 1
	for t := range beyond {
		b := &bars[n]
		if b.n == 0 && b.x1 == 0 {
			b.x0 = xAt(t)
		}
		b.n += int(s.bins[t])
		if b.x1 = xAt(t + 1); b.x1-b.x0 >= 1 { // bins narrower than a pixel share a bar
			largest = max(largest, b.n)
			n++
		}
	}
	older := 0
	for _, k := range s.bins[beyond:] {
		older += int(k)
	}
	largest = max(largest, older)
	bar := func(x0, x1 float32, n int, c render.Color) {
		if n > 0 {
			height := max((bottom-top)*float32(n)/float32(largest), 1)
			d.Rect(x0, bottom-height, max(x1-x0, 1), height, c)
		}
	}
	for _, b := range bars[:n] {
		bar(b.x0, b.x1, b.n, stage.RampColor((b.x0-left)/span))
	}
	bar(right-d.px(10), right, older, stage.RampColor(1))
	d.Rect(left, bottom, right-left, 1, stage.GridlineColor)
	d.drawAgeAxis(f, left, right, bottom, rate, xAt)
	pen := x + w - pad
	if s.total > 0 {
		pen = d.drawQuantiles(s, f, x, y, w, top, bottom, right, beyond, rate, xAt)
	}
	title := d.texts.add("age, ").int(s.total).add(" moving").end()
	if long := d.texts.add("snapshot ").add(title).end(); f.Width(long) <= pen-x-pad {
		title = long
	}
	d.Text(x+pad, y+d.px(16), f, stage.DimTextColor, d.texts.truncate(f, title, pen-x-pad))
}

// drawAgeAxis labels the ages below the bars.
func (d gaugeDrawer) drawAgeAxis(f render.Font, left, right, bottom float32, rate int, xAt func(int) float32) {
	base := bottom + d.px(14)
	d.Text(left, base, f, stage.DimTextColor, "0")
	for _, m := range []struct {
		ms   int
		name string
	}{{100, "0.1"}, {500, "0.5"}, {1000, "1"}} {
		at := xAt(m.ms * rate / 1000)
		d.Rect(at, bottom, 1, d.px(3), stage.GridlineColor)
		d.Text(at-0.5*f.Width(m.name), base, f, stage.DimTextColor, m.name)
	}
	last := d.texts.int(stage.MaxAgeSeconds).add(" s +").end()
	d.Text(right-f.Width(last), base, f, stage.DimTextColor, last)
}

// drawQuantiles marks the median and the 99th percentile of the ages. It returns the left end of their labels.
func (d gaugeDrawer) drawQuantiles(s *ageHistogram, f render.Font, x, y, w, top, bottom, right float32, beyond, rate int, xAt func(int) float32) float32 {
	pen := x + w - d.px(8)
	for _, q := range []struct {
		share float64
		name  string
		color render.Color
	}{{0.99, "p99 ", stage.EventColor}, {0.5, "p50 ", stage.TextColor}} {
		t := s.quantile(q.share)
		at := right - d.px(5)
		if t < beyond {
			at = xAt(t) + 0.5*(xAt(t+1)-xAt(t))
		}
		d.Rect(at, top, max(d.px(1.5), 1), bottom-top, q.color)
		label := d.texts.add(q.name).age(t, rate).end()
		pen -= f.Width(label)
		d.Text(pen, y+d.px(16), f, q.color, label)
		pen -= d.px(10)
	}
	return pen
}

// age appends an age in ticks as a time.
func (t *texts) age(ticks, rate int) *texts {
	ms := float64(ticks) * 1000 / float64(rate)
	switch {
	case ticks >= ageBinCount-1:
		return t.add("> ").int(ageBinCount / rate).add(" s")
	case ms < 1000:
		return t.fixed(ms, 0).add(" ms")
	}
	return t.fixed(ms/1000, 2).add(" s")
}
