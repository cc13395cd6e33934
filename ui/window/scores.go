package window

import (
	"math"
	"strconv"

	"github.com/ebitengine/debugui"

	"ghostcube/predict/score"
	"ghostcube/render"
)

// Colours of the bars behind the scores.
var (
	bestBarColor  = render.Color{R: 58, G: 158, B: 96, A: 255}
	barColor      = render.Color{R: 92, G: 104, B: 122, A: 255}
	barBackground = render.Color{R: 36, G: 41, B: 49, A: 255}
)

// scoresSection has the score of every pane so far, measure by measure, and the counters of the focused pane.
// The bar behind a value is longer the worse the value is, and green for the best pane.
func (g *game) scoresSection(ctx *debugui.Context) {
	panes := g.lab.Panes
	title := "Scores"
	if len(panes) > 1 {
		title = "Scores: green is best"
	}
	ctx.Header(title, false, func() {
		measures := make([][]score.Measure, len(panes))
		for k, p := range panes {
			measures[k] = p.Measures(nil)
		}
		if len(panes) > 1 {
			g.canvas(ctx, 18, "the panes, in order", func(l *render.DrawList, x, y, w, h float32, scale int) {
				f := render.Font{Size: 12 * scale, Bold: true}
				cell := w / float32(len(panes))
				for k, p := range panes {
					name := f.Truncate(strconv.Itoa(k+1)+" "+p.Strategy.Name, cell-8*float32(scale))
					l.Text(x+cell*float32(k)+4*float32(scale), y+13*float32(scale), f, render.RGB(0.80, 0.84, 0.88), name)
				}
			})
		}
		for i := range measures[0] {
			m := &measures[0][i]
			if m.Title == "" {
				continue
			}
			values := make([]*score.Measure, len(panes)) // scoreRow draws them later
			for k := range measures {
				values[k] = &measures[k][i]
			}
			ctx.IDScope(m.Name, func() { g.scoreRow(ctx, m, values) })
		}
		line := func(name, help, value string) {
			ctx.IDScope(name, func() { g.panel.wideRow(ctx, 216, name, help, func() { ctx.Text(value) }) })
		}
		focus := g.lab.Focus()
		for _, c := range panes[focus].Counters.All() {
			line(c.Name, c.Help+", of pane "+strconv.Itoa(focus+1), strconv.FormatFloat(c.Value, 'g', 5, 64))
		}
	})
}

// scoreRow draws a measure: its title, and the values of all panes below it. With one pane the value is beside it.
func (g *game) scoreRow(ctx *debugui.Context, m *score.Measure, values []*score.Measure) {
	height := 34
	if len(values) == 1 {
		height = 18
	}
	g.canvas(ctx, height, m.Title+": "+m.Help, func(l *render.DrawList, x, y, w, h float32, scale int) {
		s := float32(scale)
		f, big := render.Font{Size: 12 * scale}, render.Font{Size: 12 * scale, Bold: true}
		l.Text(x+4*s, y+13*s, f, render.RGB(0.66, 0.71, 0.77), f.Truncate(m.Title, w-80*s))
		if len(values) == 1 {
			text := values[0].Text()
			l.Text(x+w-6*s-f.Width(text), y+13*s, f, render.RGB(0.90, 0.93, 0.96), text)
			return
		}
		lengths, best := barLengths(values)
		cell := w / float32(len(values))
		for k, v := range values {
			left, top, wide, high := x+cell*float32(k)+4*s, y+17*s, cell-8*s, 15*s
			l.Rect(left, top, wide, high, barBackground)
			color, font := barColor, f
			if k == best {
				color, font = bestBarColor, big
			}
			if lengths != nil && v.OK {
				l.Rect(left, top, max(wide*lengths[k], 3*s), high, color)
			}
			text := v.Text()
			l.Text(left+wide-4*s-font.Width(text), top+11.5*s, font, render.RGB(0.94, 0.96, 0.98), text)
		}
	})
}

// barLengths returns the lengths of the bars, 1 for the worst value, and the index of the best value. lengths
// is nil where the values cannot be compared or are equal; best is -1 where there is no single best value.
func barLengths(values []*score.Measure) (lengths []float32, best int) {
	lengths = make([]float32, len(values))
	worst, lowest, known := 0.0, math.Inf(1), 0
	best = -1
	for k, v := range values {
		if !v.OK || v.Better == score.Neither {
			continue
		}
		known++
		bad := badness(v)
		lengths[k] = float32(bad)
		worst = max(worst, bad)
		switch {
		case bad < lowest:
			lowest, best = bad, k
		case bad == lowest:
			best = -1
		}
	}
	if known < 2 || worst == lowest {
		return nil, -1
	}
	for k := range lengths {
		lengths[k] /= float32(worst)
	}
	return lengths, best
}

// badness returns the distance of a value from the best possible one, at least 0.
func badness(m *score.Measure) float64 {
	switch m.Better {
	case score.NearZero:
		return math.Abs(m.Value)
	case score.NearOne: // a ratio: 2 is as bad as 0.5
		if m.Value <= 0 {
			return math.MaxFloat32
		}
		return math.Abs(math.Log(m.Value))
	}
	return max(m.Value, 0)
}
