package hud

import (
	"time"

	"ghostcube/predict/lab/probe"
	"ghostcube/render"
	"ghostcube/ui/stage"
)

const (
	barSpacing     = 15
	stageRowHeight = 14
	barsTop        = 22
	tableRows      = int(probe.StageCount) + 2 // with a head and the totals
)

// latencyColumns returns the bars of the gauge of pane i, and their number, which is 0 before an input has been shown: a
// reference with the published figures of Space Engineers for the same ping, and those of the pane.
func (d gaugeDrawer) latencyColumns(i int) (list [3]column, n int, ping time.Duration) {
	p := d.hud.panes[i].source
	latency := p.Latency.Recent()
	if latency.Response.Inputs == 0 && latency.Confirmed.Inputs == 0 {
		return list, 0, 0
	}
	ping = p.Clients[0].Endpoint.Stats.RTT.Round(time.Millisecond)
	list = [3]column{
		{"reference", probe.SpaceEngineersLatency(ping), false}, {"local", latency.Response, latency.Predicted}, {"server", latency.Confirmed, false},
	}
	if n = 2; latency.Confirmed.Inputs > 0 {
		n = 3
	}
	for k := 1; k < n && d.renderLatency > 0; k++ {
		list[k].latency.Stages[probe.RenderStage] = d.renderLatency
	}
	return list, n, ping
}

// drawLatencyGauge draws the latency from key to screen by stage, with the table of stages if the box is high
// enough. All panes have one scale.
func (d gaugeDrawer) drawLatencyGauge(i int, x, y, w, h float32) {
	list, n, ping := d.latencyColumns(i)
	columns := list[:n]
	bars := float32(barsTop + n*barSpacing)
	longest := time.Duration(1)
	for i := range d.l.Panes {
		all, n, _ := d.latencyColumns(i)
		for k := range n {
			longest = max(longest, all[k].latency.Sum())
		}
	}
	f, pad := d.font(12, false), d.px(8)
	d.Text(x+pad, y+d.px(16), f, stage.DimTextColor, d.texts.truncate(f, d.texts.add("key to screen, ms, ping ").wholeMillis(ping).end(), w-pad-pad))
	nameWidth, totalWidth := f.Width("reference")+d.px(6), f.Width("0000")+d.px(4)
	for k := range columns {
		c := &columns[k]
		line := y + d.px(float32(barsTop+k*barSpacing))
		d.Text(x+pad, line+d.px(10), f, stage.DimTextColor, c.name)
		d.drawStackedBar(&c.latency, x+pad+nameWidth, line, w-pad-pad-nameWidth-totalWidth, d.px(11), longest)
		total := d.texts.wholeMillis(c.latency.Sum()).end()
		if c.latency.Inputs == 0 {
			total = "-"
		}
		d.Text(x+w-pad-f.Width(total), line+d.px(10), f, stage.TextColor, total)
	}
	if h > d.px(bars+float32(tableRows*stageRowHeight)) {
		d.drawStageTable(columns, x, y+d.px(bars), w)
	}
}

// column is a bar, and a column of the table.
type column struct {
	name      string
	latency   probe.LatencyStages
	localOnly bool // the input is shown without a round trip to the server
}

// includes reports whether the column has a value for a stage; rendering says whether that stage is measured.
func (c *column) includes(s probe.Stage, rendering bool) bool {
	switch s {
	case probe.ClientTickStage, probe.ClientBufferStage:
		return true
	case probe.RenderStage:
		return rendering
	}
	return s.Measured() && !c.localOnly
}

// wholeMillis appends a time in whole milliseconds.
func (t *texts) wholeMillis(d time.Duration) *texts {
	return t.int(int(d.Round(time.Millisecond).Milliseconds()))
}

// tenthMillis appends a time in milliseconds with one decimal.
func (t *texts) tenthMillis(d time.Duration) *texts {
	return t.fixed(float64(d.Round(100*time.Microsecond).Microseconds())/1000, 1)
}

// drawStackedBar draws the stages from left to right; longest is the time at the right end.
func (d gaugeDrawer) drawStackedBar(b *probe.LatencyStages, x, y, w, h float32, longest time.Duration) {
	d.Rect(x, y, w, h, stage.EmptyColor)
	from := time.Duration(0)
	xAt := func(t time.Duration) float32 { return whole(w * float32(float64(t)/float64(longest))) }
	for s, t := range b.Stages {
		left, right := xAt(from), xAt(from+t)
		d.drawSwatch(probe.Stage(s), x+left, y, right-left, h)
		from += t
	}
}

// drawSwatch draws a rectangle in the colour of a stage, hatched if it is not measured.
func (d gaugeDrawer) drawSwatch(s probe.Stage, x, y, w, h float32) {
	if w <= 0 {
		return
	}
	d.Rect(x, y, w, h, stage.StageColors[s])
	if s.Measured() || s == probe.RenderStage && d.renderLatency > 0 {
		return
	}
	for at := d.px(2); at < w; at += d.px(4) {
		d.Rect(x+at, y, min(d.px(2), w-at), h, stage.EmptyColor)
	}
}

// drawStageTable draws the time of each stage, with a column for each bar.
func (d gaugeDrawer) drawStageTable(columns []column, x, y, w float32) {
	f, pad, box := d.font(12, false), d.px(8), d.px(8)
	line := func(n int) float32 { return y + d.px(float32(11+n*stageRowHeight)) }
	right := x + w - pad
	for k := len(columns) - 1; k >= 0; k-- {
		c := &columns[k]
		write := func(base float32, color render.Color, text string) {
			d.Text(right-f.Width(text), base, f, color, text)
		}
		write(line(0), stage.DimTextColor, c.name)
		for s := range probe.StageCount {
			text := "-"
			if k == 0 || c.includes(s, d.renderLatency > 0) {
				text = d.texts.tenthMillis(c.latency.Stages[s]).end()
			}
			write(line(int(s)+1), stage.TextColor, text)
		}
		write(line(tableRows-1)+d.px(4), stage.TextColor, d.texts.tenthMillis(c.latency.Sum()).end())
		right -= max(f.Width(c.name), f.Width("000.0")) + d.px(9)
	}
	names := x + pad + box + d.px(5)
	for s := range probe.StageCount {
		base := line(int(s) + 1)
		d.drawSwatch(s, x+pad, base-box, box, box)
		d.Text(names, base, f, stage.DimTextColor, d.texts.truncate(f, probe.StageNames[s], right-names))
	}
	d.Rect(x+pad, line(tableRows-2)+d.px(5), w-pad-pad, 1, stage.GridlineColor)
	d.Text(names, line(tableRows-1)+d.px(4), f, stage.DimTextColor, "total")
}
