package window

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/ui/stage"
	"ghostcube/ui/widget"
)

// strategyPage has the strategies of the panes, and the knobs of the focused one.
type strategyPage struct {
	*panel
	filter   string // of the knobs
	searched bool   // the filter is the lesson's
}

// build lays out the strategies of the panes, and the knobs of the focused one.
func (p *strategyPage) build() {
	focus := p.session.Lab.Focus()
	ui := &p.ui
	ui.Heading("Panes")
	for i := range p.session.Lab.Panes {
		p.paneRow(i, i == focus)
	}
	p.paneButtons()
	pane := p.session.Lab.Panes[focus]
	title, watch := strategyDoc(pane.Strategy)
	ui.Heading(fmt.Sprintf("Pane %d: %s", focus+1, pane.Strategy.Name))
	ui.Paragraph(title, false)
	ui.Paragraph(watch, true)
	p.knobs(pane, focus)
}

// strategyDoc returns the title of a strategy and what to watch for.
func strategyDoc(s *predict.Strategy) (title, watch string) {
	title, watch, _ = strings.Cut(s.Doc, "\n\n")
	return title, watch
}

// strategyHelp is the tooltip of a strategy.
func strategyHelp(s *predict.Strategy) string {
	title, watch := strategyDoc(s)
	return s.Name + ": " + title + "\n" + watch + "\nFrom: " + s.Source
}

// paneRow has the focus button and the strategy of a pane.
func (p *strategyPage) paneRow(i int, focused bool) {
	pane := p.session.Lab.Panes[i]
	r := p.ui.Next(22)
	cell := r
	cell.Max.X = r.Min.X + p.ui.Px(70)
	name := fmt.Sprintf("pane %d", i+1)
	if p.ui.Segments("focus", cell, []string{name}, map[bool]int{true: 0, false: -1}[focused],
		"Focus this pane: keys 1 to 9, the knobs below and the graphs concern it. A click in the picture or Tab focuses too.") == 0 && !focused {
		p.queue(lab.Command{Verb: "focus", Pane: i})
	}
	r.Min.X = cell.Max.X + p.ui.Px(4)
	chosen := p.ui.Choice(r, widget.Choice{ID: "strategy " + strconv.Itoa(i+1), Value: pane.Strategy.Name, Options: lab.StrategyNames(),
		Help: strategyHelp(pane.Strategy), OptionHelp: func(k int) string { return strategyHelp(lab.Strategies[k]) }})
	if chosen >= 0 {
		p.queue(p.session.Controls.SwitchCommand(i, chosen))
	}
}

// paneButtons add and close panes.
func (p *strategyPage) paneButtons() {
	focus := p.session.Lab.Focus()
	r := p.ui.Next(22)
	if len(p.session.Lab.Panes) == lab.MaxPanes {
		p.ui.Disabled(fmt.Sprintf("At most %d panes can be open.", lab.MaxPanes))
	}
	if p.ui.Button("add pane", p.ui.Split(r, 2, 0), "add a pane", "Open a pane with the focused pane's strategy and "+
		"knobs, at the same world and moment, and focus it.") {
		p.queue(lab.Command{Verb: "open", Pane: lab.AllPanes, Name: p.session.Lab.Panes[focus].Spec()})
		p.queue(lab.Command{Verb: "focus", Pane: len(p.session.Lab.Panes)})
	}
	p.ui.Disabled("")
	if len(p.session.Lab.Panes) == 1 {
		p.ui.Disabled("The last pane stays open.")
	}
	if p.ui.Button("close pane", p.ui.Split(r, 2, 1), "close the focused pane", "Close the focused pane.") {
		p.queue(lab.Command{Verb: "close", Pane: focus})
	}
	p.ui.Disabled("")
}

// knobs has the knobs of a pane under headings, a search, and a button that resets them all.
func (p *strategyPage) knobs(pane *lab.Pane, index int) {
	ui := &p.ui
	changed := pane.Knobs.Changed()
	r := ui.Next(22)
	search := r
	search.Max.X -= ui.Px(104)
	p.filter, _ = ui.Field(search, widget.Field{ID: "search knobs", Value: p.filter, Placeholder: "search knobs",
		Live: true, Help: "Type a part of a knob's name or of its description."})
	r.Min.X = search.Max.X + ui.Px(4)
	if len(changed) == 0 {
		ui.Disabled("All knobs have their defaults.")
	}
	if ui.Button("reset all knobs", r, fmt.Sprintf("reset all (%d)", len(changed)), "Set the changed knobs of this pane to their defaults.") {
		for _, setting := range changed {
			name, _, _ := strings.Cut(setting, "=")
			p.setKnob(index, name, pane.Knobs.Lookup(name).Default())
		}
	}
	ui.Disabled("")
	shown := 0
	for _, group := range predict.Groups() {
		headed := false
		for _, k := range pane.Knobs.All() {
			if k.Group != group || !matches(p.filter, k.Name, k.Help, group.String()) {
				continue
			}
			if !headed {
				ui.Heading(group.String())
				headed = true
			}
			shown++
			p.knobRow(index, k)
		}
		if headed && group == predict.SmoothingKnobs {
			p.smoothingPlot(pane)
		}
	}
	if shown == 0 {
		ui.Paragraph("No knob of "+pane.Strategy.Name+" has this in its name or description.", true)
	}
}

// setKnob queues a change of a knob.
func (p *strategyPage) setKnob(pane int, name, value string) {
	p.queue(lab.Command{Verb: "set", Pane: pane, Name: name, Value: value})
}

// knobRow is a control for a knob, of the kind that suits it. A knob without effect is greyed.
func (p *strategyPage) knobRow(pane int, k *predict.Knob) {
	row := widget.Row{Name: k.Name, Help: k.Help + "\n" + k.Range() + "; default " + k.Default()}
	if k.Unit != "" {
		row.Name += ", " + k.Unit
	}
	if row.Changed = k.Value() != k.Default(); row.Changed {
		row.OnReset = func() { p.setKnob(pane, k.Name, k.Default()) }
	}
	p.ui.Disabled(p.session.Lab.Panes[pane].Knobs.NoEffect(k))
	defer p.ui.Disabled("")
	switch k.Kind {
	case predict.Float, predict.Int:
		n := widget.Number{ID: k.Name, Value: k.Number(), Low: k.Min, High: sliderEnd(k), Min: k.Min, Max: k.Max, Step: 1, Whole: k.Kind == predict.Int}
		if k.Kind == predict.Float {
			n.Step, n.Digits = floatStep(k, n.High-n.Low)
			n.Log = k.Min > 0 && k.Max/k.Min >= 1e4
		}
		if v, changed := p.number(row, n); changed {
			p.setKnob(pane, k.Name, plainText(v))
		}
	case predict.Bool:
		on := k.Number() != 0
		if v := p.ui.Checkbox(k.Name, p.ui.Row(row), stage.OnOff(on), on, row.Help); v != on {
			p.setKnob(pane, k.Name, stage.OnOff(v))
		}
	case predict.Choice:
		if v, ok := p.choice(row, k.Name, k.Value(), k.Options, nil); ok {
			p.setKnob(pane, k.Name, v)
		}
	}
}

// sliderEnd returns the end of a knob's slider. Where the range is far wider than usual values, which the default
// stands for, the slider ends before it, and larger values can be typed.
func sliderEnd(k *predict.Knob) float64 {
	usual, err := strconv.ParseFloat(strings.TrimSuffix(k.Default(), k.Unit), 64)
	if err != nil || usual <= 0 || k.Min != 0 || k.Max < 20*usual {
		return k.Max
	}
	return max(10*usual, k.Number())
}

// floatStep returns the step of a knob's slider, about a hundredth of its length, and the digits after the point that
// its value needs.
func floatStep(k *predict.Knob, length float64) (step float64, digits int) {
	step = math.Pow(10, math.Floor(math.Log10(length))-2)
	if k.Unit == "ms" {
		step = max(step, 1)
	}
	return step, 6
}
