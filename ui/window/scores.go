package window

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ghostcube/predict/lab"
	"ghostcube/predict/score"
	"ghostcube/ui/stage"
	"ghostcube/ui/widget"
)

// scores has the score of every pane so far, measure by measure: first the figures that lead every display, then
// all others, and last the distances from the server now, which a correct prediction leads. The bar behind a value
// is longer the worse the value is, and green for a pane that is better than all others by more than the noise.
func (p *scorePage) scores() {
	_, shown := p.session.Shown()
	panes, ui := shown.Panes, &p.ui
	title := "Scores"
	if len(panes) > 1 {
		title = "Scores: green is best"
	}
	ui.Heading(title)
	if len(panes) > 1 {
		p.scoreColumns()
	}
	leading, all, errors := make([][]score.Measure, len(panes)), make([][]score.Measure, len(panes)), make([][]float64, len(panes))
	for k, p := range panes {
		leading[k], all[k], errors[k] = p.Headline(nil), p.Measures(nil), p.StandardErrors(nil)
	}
	led := map[string]bool{}
	for i := range leading[0] {
		name := leading[0][i].Name
		led[name] = true
		for k := range leading {
			if m := &leading[k][i]; name == "key_to_screen_ms" { // bench's is that of key presses alone
				m.Title = "key to screen now, ms"
			}
		}
		noise := make([]float64, len(panes)) // that of a key's time is 0
		if at := slices.IndexFunc(all[0], func(m score.Measure) bool { return m.Name == name }); at >= 0 {
			noise = errorsOf(errors, at)
		}
		p.measureRow(column(leading, i), noise)
	}
	p.shotRows(panes)
	ui.Heading("All measures")
	for _, last := range []bool{false, true} {
		for i := range all[0] {
			if m := &all[0][i]; !led[m.Name] && isLag(m.Name) == last {
				p.measureRow(column(all, i), errorsOf(errors, i))
			}
		}
	}
}

// shotRows has what a programmer of shooters compares, once there are shots.
func (p *scorePage) shotRows(panes []*lab.Pane) {
	shots := make([][]score.Measure, len(panes))
	for k, pane := range panes {
		if shots[k] = pane.ShotMeasures(nil); len(shots[k]) != len(lab.ShotCounters) {
			return // a pane without shots, or of a strategy that resolves none
		}
	}
	p.ui.Heading("Shots")
	for i := range shots[0] {
		p.scoreRow(column(shots, i), nil)
	}
}

// isLag reports whether a measure compares with the server now.
func isLag(name string) bool {
	return strings.HasPrefix(name, "lag_error")
}

// column returns measure i of every pane.
func column(measures [][]score.Measure, i int) (values []*score.Measure) {
	for k := range measures {
		values = append(values, &measures[k][i])
	}
	return values
}

// scoreColumns names the columns of the scores by pane and strategy. Where a name is too wide for its column, the
// names stand above the numbers.
func (p *scorePage) scoreColumns() {
	_, shown := p.session.Shown()
	ui, panes := &p.ui, shown.Panes
	names, fit := make([]string, len(panes)), true
	r := ui.Place(18, "The panes in order, with their names.")
	for k, pane := range panes {
		names[k] = strconv.Itoa(k+1) + " " + pane.Title()
		if take := p.session.Beside.Number(k); take > 0 {
			names[k] = fmt.Sprintf("%s (take %d)", pane.Title(), take)
		}
		fit = fit && ui.Font(false).Width(names[k]) <= float32(ui.Split(r, len(panes), k).Dx())
	}
	if !fit {
		ui.Space(-21)
		ui.Paragraph(strings.Join(names, ", "), false)
		r = ui.Place(18, "The panes in order.")
		for k := range names {
			if names[k] = strconv.Itoa(k + 1); p.session.Beside.On() {
				names[k] = fmt.Sprintf("take %d", p.session.Beside.Number(k))
			}
		}
	}
	for k, name := range names {
		ui.Text(ui.Split(r, len(panes), k), name, false, widget.Left)
	}
}

// errorsOf returns the standard errors of measure i in all panes, or nil if a pane has none yet.
func errorsOf(errors [][]float64, i int) (list []float64) {
	for _, pane := range errors {
		if i >= len(pane) {
			return nil
		}
		list = append(list, pane[i])
	}
	return list
}

// measureRow draws a measure. Where only one side runs in this process, those that compare it with the other are left out.
func (p *scorePage) measureRow(values []*score.Measure, noise []float64) {
	if p.session.Remote == nil || values[0].OK {
		p.scoreRow(values, noise)
	}
}

// scoreRow draws a measure: its title, and the values of all panes below it, the best one green. noise are their
// standard errors, nil if they are unknown yet. With one pane the value is beside it.
func (p *scorePage) scoreRow(values []*score.Measure, noise []float64) {
	m, ui := values[0], &p.ui
	if len(values) == 1 {
		r := ui.Place(18, m.Title+": "+m.Help)
		text := m.Text()
		left := r
		left.Max.X -= int(ui.Font(false).Width(text)) + ui.Px(8)
		ui.Text(left, m.Title, true, widget.Left)
		ui.Text(r, text, false, widget.Right)
		return
	}
	r := ui.Place(37, m.Title+": "+m.Help)
	title, bars := r, r
	title.Max.Y = r.Min.Y + ui.Px(18)
	bars.Min.Y = title.Max.Y
	ui.Text(title, m.Title, true, widget.Left)
	lengths, best := score.AppendBars(nil, values), -1
	if noise != nil {
		best = score.Best(values, noise)
	}
	for k, v := range values {
		cell := ui.Split(bars, len(values), k)
		color := stage.BarColor
		if k == best {
			color = stage.BestBarColor
		}
		x, y, w, h := float32(cell.Min.X), float32(cell.Min.Y), float32(cell.Dx()), float32(cell.Dy())
		ui.List().Rect(x, y, w, h, stage.BarBackground)
		if lengths != nil && v.OK {
			ui.List().Rect(x, y, max(w*lengths[k], float32(ui.Px(3))), h, color)
		}
		cell.Max.X -= ui.Px(4)
		ui.Text(cell, v.Text(), false, widget.Right)
	}
}
