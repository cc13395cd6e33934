package stage

import (
	"strconv"
	"time"

	"ghostcube/predict/lab"
	"ghostcube/render"
)

// stageColors tell the stages of the latency apart; those that are not measured here
// are hatched.
var stageColors = [lab.StageCount]render.Color{
	lab.OSInputStage:      headerColor,
	lab.ClientTickStage:   inputColor,
	lab.UplinkStage:       updateColor,
	lab.ServerBufferStage: indexColor,
	lab.ServerSendStage:   rotationColor,
	lab.DownlinkStage:     {R: 60, G: 122, B: 204, A: 255},
	lab.ClientBufferStage: {R: 213, G: 94, B: 0, A: 255},
	lab.RenderStage:       {R: 204, G: 121, B: 167, A: 255},
	lab.DisplayStage:      headerColor,
}

const (
	barSpacing           = 15 // from one bar to the next
	stageRowHeight       = 14 // from one stage to the next
	barsTop              = 22
	tableRows            = int(lab.StageCount) + 2 // of which the first has the columns' names, the last their sums
	maxLatencyGaugeWidth = 272
)

// drawLatencyGauge draws how long what the first player does takes to be seen, stage by
// stage, under what the article says of the same ping, at the lower right of what has
// room from top to bottom: without the table of stages if there is too little of it. It
// returns where what it drew begins.
func (d *overlay) drawLatencyGauge(i int, x, bottom, w, top float32) (begins float32) {
	p := d.stage.panes[i].source
	latency := p.Latency()
	if latency.Response.Inputs == 0 && latency.Confirmed.Inputs == 0 {
		return bottom
	}
	if d.renderLatency > 0 {
		latency.Response.Stages[lab.RenderStage] = d.renderLatency
		if latency.Confirmed.Inputs > 0 {
			latency.Confirmed.Stages[lab.RenderStage] = d.renderLatency
		}
	}
	ping := p.Clients[0].Endpoint.Stats.RTT.Round(time.Millisecond)
	columns := []column{{"article", lab.SpaceEngineersLatency(ping), false}, {"own", latency.Response, latency.Predicted}, {"server's", latency.Confirmed, false}}
	if latency.Confirmed.Inputs == 0 {
		columns = columns[:2]
	}
	bars := float32(barsTop + len(columns)*barSpacing)
	h, table := d.px(bars+float32(tableRows*stageRowHeight)+8), true
	if bottom-h < top {
		h, table = d.px(bars+4), false
	}
	narrow := min(w, d.px(maxLatencyGaugeWidth))
	x, w = x+w-narrow, narrow
	y := bottom - h
	if y < top {
		return bottom
	}
	longest := time.Duration(1)
	for k := range columns {
		longest = max(longest, columns[k].latency.Sum())
	}
	d.Rect(x, y, w, h, gaugePanelColor)
	f, pad := d.font(12, false), d.px(8)
	d.Text(x+pad, y+d.px(16), f, dimTextColor, f.Truncate("latency in ms, mean of 1 s, ping "+wholeMillis(ping), w-pad-pad))
	names, sums := f.Width("server's")+d.px(6), f.Width("0000")+d.px(4)
	for k := range columns {
		c := &columns[k]
		line := y + d.px(float32(barsTop+k*barSpacing))
		d.Text(x+pad, line+d.px(10), f, dimTextColor, c.name)
		d.drawStackedBar(&c.latency, x+pad+names, line, w-pad-pad-names-sums, d.px(11), longest)
		sum := wholeMillis(c.latency.Sum())
		if c.latency.Inputs == 0 {
			sum = "-"
		}
		d.Text(x+w-pad-f.Width(sum), line+d.px(10), f, textColor, sum)
	}
	if table {
		d.drawStageTable(columns, x, y+d.px(bars), w)
	}
	return y - d.px(gaugeGap)
}

// column is a bar and what it is called.
type column struct {
	name      string
	latency   lab.LatencyStages
	localOnly bool // without the server and the ways there and back
}

// includes reports whether a stage is part of the column's.
func (c *column) includes(s lab.Stage, picture bool) bool {
	switch s {
	case lab.ClientTickStage, lab.ClientBufferStage:
		return true
	case lab.RenderStage:
		return picture
	}
	return s.Measured() && !c.localOnly
}

// wholeMillis writes a time in whole milliseconds.
func wholeMillis(t time.Duration) string {
	return strconv.Itoa(int(t.Round(time.Millisecond).Milliseconds()))
}

// tenthMillis writes a time in milliseconds.
func tenthMillis(t time.Duration) string {
	return strconv.FormatFloat(float64(t.Round(100*time.Microsecond).Microseconds())/1000, 'f', 1, 64)
}

// drawStackedBar draws the stages of a bar behind each other.
func (d *overlay) drawStackedBar(b *lab.LatencyStages, x, y, w, h float32, longest time.Duration) {
	d.Rect(x, y, w, h, emptyColor)
	from := time.Duration(0)
	place := func(t time.Duration) float32 { return float32(int(float32(w * float32(float64(t)/float64(longest))))) }
	for s, t := range b.Stages {
		left, right := place(from), place(from+t)
		d.drawSwatch(lab.Stage(s), x+left, y, right-left, h)
		from += t
	}
}

// drawSwatch draws a rectangle in the colour of a stage.
func (d *overlay) drawSwatch(s lab.Stage, x, y, w, h float32) {
	if w <= 0 {
		return
	}
	d.Rect(x, y, w, h, stageColors[s])
	if s.Measured() || s == lab.RenderStage && d.renderLatency > 0 {
		return
	}
	for at := d.px(2); at < w; at += d.px(4) {
		d.Rect(x+at, y, min(d.px(2), w-at), h, emptyColor)
	}
}

// drawStageTable writes what each stage takes, a column for each bar.
func (d *overlay) drawStageTable(columns []column, x, y, w float32) {
	f, pad, box := d.font(12, false), d.px(8), d.px(8)
	line := func(n int) float32 { return y + d.px(float32(11+n*stageRowHeight)) }
	right := x + w - pad
	for k := len(columns) - 1; k >= 0; k-- {
		c := &columns[k]
		write := func(base float32, color render.Color, words string) {
			d.Text(right-f.Width(words), base, f, color, words)
		}
		write(line(0), dimTextColor, c.name)
		for s := range lab.StageCount {
			words := "-"
			if k == 0 || c.includes(s, d.renderLatency > 0) {
				words = tenthMillis(c.latency.Stages[s])
			}
			write(line(int(s)+1), textColor, words)
		}
		write(line(tableRows-1)+d.px(4), textColor, tenthMillis(c.latency.Sum()))
		right -= max(f.Width(c.name), f.Width("000.0")) + d.px(9)
	}
	names := x + pad + box + d.px(5)
	for s := range lab.StageCount {
		base := line(int(s) + 1)
		d.drawSwatch(s, x+pad, base-box, box, box)
		d.Text(names, base, f, dimTextColor, f.Truncate(lab.StageNames[s], right-names))
	}
	d.Rect(x+pad, line(tableRows-2)+d.px(5), w-pad-pad, 1, gridlineColor)
	d.Text(names, line(tableRows-1)+d.px(4), f, dimTextColor, "sum")
}
