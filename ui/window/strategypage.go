package window

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/ui/plan"
	"ghostcube/ui/stage"
	"ghostcube/ui/widget"
)

// strategyPage has the strategies of the panes, and the knobs of the focused one.
type strategyPage struct {
	*panel
	filter   string // of the knobs
	searched bool   // the filter is the lesson's
	fade     fade
}

// build lays out the strategies and presets of the panes, and the knobs of the focused one.
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
	preset := p.session.Library.PresetOf(pane)
	ui.Heading(fmt.Sprintf("Pane %d: %s", focus+1, pane.Title()))
	if preset != nil {
		ui.Paragraph(preset.Title+".", false)
		ui.Paragraph(preset.Doc, true)
	}
	if pane.Name != "" {
		title = pane.Strategy.Name + ": " + title
	}
	ui.Paragraph(title, false)
	if preset == nil && p.session.Remote == nil { // it names keys that force faults
		ui.Paragraph(watch, true)
	}
	p.knobs(pane, preset, focus)
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

// presetHelp is the tooltip of a preset.
func presetHelp(x *plan.Preset) string {
	_, spec := lab.CutTitle(x.Spec(nil))
	help := x.Name + ": " + x.Title + "\n" + x.Doc + "\n" + strings.ReplaceAll(spec, ":", ", ") + "\nGames: " + x.Games
	for _, s := range x.Sources {
		help += "\nFrom: " + s.String()
	}
	return help
}

// paneHelp is the tooltip of a strategy or a preset.
func (p *strategyPage) paneHelp(name string) string {
	if s, err := lab.StrategyNamed(name); err == nil {
		return strategyHelp(s)
	}
	if x, err := p.session.Library.PresetNamed(name); err == nil {
		return presetHelp(x)
	}
	return name
}

// paneRow has the focus button of a pane, and its strategy or preset.
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
	names := p.session.Library.PaneNames()
	help := strategyHelp(pane.Strategy)
	if x := p.session.Library.PresetOf(pane); x != nil {
		help = presetHelp(x)
	}
	p.ui.Disabled(p.session.Whole())
	defer p.ui.Disabled("")
	chosen := p.ui.Choice(r, widget.Choice{ID: "strategy " + strconv.Itoa(i+1), Value: pane.Title(), Options: names,
		Help: help, OptionHelp: func(k int) string { return p.paneHelp(names[k]) }})
	if chosen >= 0 {
		p.queue(p.session.Controls.SwitchCommand(i, names[chosen]))
	}
}

// paneButtons add and close panes.
func (p *strategyPage) paneButtons() {
	focus := p.session.Lab.Focus()
	r := p.ui.Next(22)
	p.ui.Disabled(p.session.Whole())
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

// initialValue returns the value that a knob has when a pane begins with its strategy, or with its preset if it has one.
func initialValue(preset *plan.Preset, k *predict.Knob) string {
	if preset != nil {
		for _, x := range preset.Knobs {
			if x.Name == k.Name {
				return x.Value
			}
		}
	}
	return k.Default()
}

// knobs has the knobs of a pane under headings, a search, which also finds strategies, presets and terms of the field, and
// a button that resets all knobs.
func (p *strategyPage) knobs(pane *lab.Pane, preset *plan.Preset, index int) {
	ui := &p.ui
	var changed []*predict.Knob
	for _, k := range pane.Knobs.All() {
		if k.Value() != initialValue(preset, k) {
			changed = append(changed, k)
		}
	}
	r := ui.Next(22)
	search := r
	search.Max.X -= ui.Px(104)
	p.filter, _ = ui.Field(search, widget.Field{ID: "search knobs", Value: p.filter, Placeholder: "search knobs and terms",
		Live: true, Help: "Type a part of a knob's name or of its description, or a word of the field, such as ggpo."})
	r.Min.X = search.Max.X + ui.Px(4)
	defaults := "their defaults"
	if preset != nil {
		defaults = "the values of the preset"
	}
	if len(changed) == 0 {
		ui.Disabled("All knobs have " + defaults + ".")
	}
	if ui.Button("reset all knobs", r, fmt.Sprintf("reset all (%d)", len(changed)), "Set the changed knobs of this pane to "+defaults+".") {
		for _, k := range changed {
			p.setKnob(index, k.Name, initialValue(preset, k))
		}
	}
	ui.Disabled("")
	shown := 0
	for _, group := range knobGroups() {
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
			p.knobRow(index, k, initialValue(preset, k))
		}
		if headed && group == predict.SmoothingKnobs {
			p.smoothingPlot(pane)
		}
	}
	if shown == 0 {
		ui.Paragraph("No knob of "+pane.Strategy.Name+" has this in its name or description.", true)
	}
	if !p.searched {
		p.foundPanes(pane, index)
		p.foundTerms(pane, index)
	}
}

// knobGroups returns the groups of knobs in the order of the page: smoothing, which is what the panel is used for most, leads.
func knobGroups() []predict.Group {
	list := slices.DeleteFunc(predict.Groups(), func(g predict.Group) bool { return g == predict.SmoothingKnobs })
	return slices.Insert(list, 0, predict.SmoothingKnobs)
}

// minSearch is the length of the shortest text for which strategies, presets and terms are searched.
const minSearch = 2

// foundPanes lists the strategies and presets that the search finds. A click gives one to the pane.
func (p *strategyPage) foundPanes(pane *lab.Pane, index int) {
	if len(p.filter) < minSearch {
		return
	}
	headed := false
	for _, name := range p.session.Library.PaneNames() {
		line, games := "", ""
		if s, err := lab.StrategyNamed(name); err == nil {
			line, _ = strategyDoc(s)
		} else if x, err := p.session.Library.PresetNamed(name); err == nil {
			line, games = x.Title, x.Games
		}
		if !matches(p.filter, name, line, games) {
			continue
		}
		if !headed {
			p.ui.Heading("Strategies and presets")
			headed = true
		}
		if clicked, _ := p.ui.Entry(widget.Entry{ID: "found " + name, Title: name, Line: line, Help: p.paneHelp(name), Chosen: pane.Title() == name}); clicked {
			p.queue(p.session.Controls.SwitchCommand(index, name))
		}
	}
}

// foundTerms lists the terms of the field that the search finds, with what they are here. A click gives the pane the first
// strategy or preset of a term, or searches for its first knob.
func (p *strategyPage) foundTerms(pane *lab.Pane, index int) {
	list, err := p.session.Library.Terms()
	if err != nil || len(p.filter) < minSearch {
		return
	}
	headed := false
	for i := range list {
		t := &list[i]
		if !t.Has(p.filter) {
			continue
		}
		if !headed {
			p.ui.Heading("Terms of the field")
			headed = true
		}
		here := t.HereText()
		if !t.Nearest {
			here = "here: " + here
		}
		if clicked, _ := p.ui.Entry(widget.Entry{ID: "term " + t.Name, Title: t.Name, Line: here, Help: termHelp(t)}); clicked {
			p.openTerm(t, pane, index)
		}
	}
}

// termHelp is the tooltip of a term.
func termHelp(t *plan.Term) string {
	help := strings.Join(t.Names(), ", ") + ": " + t.Text
	if t.By != "" {
		help += "\nUsed by: " + t.By
	}
	return help
}

// openTerm gives a pane the strategy or preset that a term names first, or else searches for the first knob.
func (p *strategyPage) openTerm(t *plan.Term, pane *lab.Pane, index int) {
	for _, r := range t.Here {
		switch r.Kind {
		case "strategy", "preset":
			if pane.Title() != r.Name {
				p.queue(p.session.Controls.SwitchCommand(index, r.Name))
			}
			return
		case "knob":
			strategy, knob, _ := strings.Cut(r.Name, ":")
			if p.filter, _, _ = strings.Cut(knob, "="); pane.Knobs.Lookup(p.filter) == nil {
				p.queue(p.session.Controls.SwitchCommand(index, strategy))
			}
			return
		}
	}
}

// setKnob queues a change of a knob.
func (p *strategyPage) setKnob(pane int, name, value string) {
	p.queue(lab.Command{Verb: "set", Pane: pane, Name: name, Value: value})
}

// knobRow is a control for a knob, of the kind that suits it, with the value that its reset sets. A knob without effect is
// greyed.
func (p *strategyPage) knobRow(pane int, k *predict.Knob, initial string) {
	row := widget.Row{Name: k.Name, Resettable: true, Help: k.Help + "\n" + k.Range() + "; default " + k.Default()}
	if initial != k.Default() {
		row.Help += ", in this preset " + initial
	}
	if k.Unit != "" {
		row.Name += ", " + k.Unit
	}
	if row.Changed = k.Value() != initial; row.Changed {
		row.OnReset = func() { p.setKnob(pane, k.Name, initial) }
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
