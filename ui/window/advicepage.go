package window

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ghostcube/net/link"
	"ghostcube/ui/advise"
	"ghostcube/ui/widget"
)

// advicePage asks about a game, and lists the strategies that fit it with their measured figures.
type advicePage struct {
	*panel
	advice   *advise.Advice // of the entries and texts
	entries  []widget.Entry // its short list
	measured string         // what the figures are of
	nearest  []string       // if it is empty: what excludes, and what misses least
	texts    []adviceText   // the notes below it
}

// adviceText is a list of sentences with a heading.
type adviceText struct {
	heading string
	list    []string
}

// build lays out the questions and the answer.
func (p *advicePage) build() {
	ui := &p.ui
	ui.Heading("Your game")
	for i := range advise.Questions {
		p.question(i, &advise.Questions[i])
	}
	ui.Heading("What fits it best")
	advice, err := p.session.Advisor.Advice()
	if err != nil {
		ui.Paragraph(err.Error(), false)
		return
	}
	if p.advice != advice {
		p.describe(advice)
	}
	ui.Paragraph(p.measured, true)
	if len(p.entries) == 0 {
		ui.Paragraph("Nothing that was measured keeps to all rules.", false)
		for _, text := range p.nearest {
			ui.Paragraph(text, true)
		}
	}
	ui.Disabled(p.session.Whole())
	for i := range p.entries {
		e := &p.entries[i]
		e.Chosen = p.session.Advisor.Shown(i)
		if clicked, _ := ui.Entry(*e); clicked {
			p.session.Advisor.Open(i)
		}
	}
	ui.Disabled("")
	for _, x := range p.texts {
		if len(x.list) == 0 {
			continue
		}
		ui.Heading(x.heading)
		for _, text := range x.list {
			ui.Paragraph(text, true)
		}
	}
	ui.Space(4)
	if p.buttons([3]string{"copy advice", "copy as a command", "Copy the command line that prints this advice, with all answers."}) == 0 {
		p.session.Advisor.CopyCommand()
	}
}

// question lays out a question with its answer.
func (p *advicePage) question(i int, q *advise.Question) {
	ui, a := &p.ui, &p.session.Advisor
	answer := a.Answer(i)
	row := widget.Row{Name: q.Label, Help: q.Text, Changed: answer != q.Fallback}
	id := "advice " + q.Flag
	switch {
	case len(q.Choices) > 0:
		row.Width = 0
		for _, w := range q.Words {
			row.Width += ui.Width([]string{w})
		}
		chosen := slices.Index(q.Choices, answer)
		if k := ui.Segments(id, ui.Row(row), q.Words, chosen, q.Text); k != chosen {
			a.SetAnswer(i, q.Choices[k])
		}
	case q.Number.Most > 0:
		v, _ := strconv.ParseFloat(answer, 64) // a checked one
		n := widget.Number{ID: id, Value: v, Low: q.Number.Low, High: max(q.Number.High, v), Step: q.Number.Step,
			Min: q.Number.Low, Max: q.Number.Most, Log: q.Number.Log, Whole: q.Number.Log}
		if v, changed := p.number(row, n); changed {
			a.SetAnswer(i, plainText(v))
		}
	default:
		p.network(i, row, id, answer)
	}
}

// network lays out a question for a network: a list of profiles, and a field for any other.
func (p *advicePage) network(i int, row widget.Row, id, answer string) {
	a := &p.session.Advisor
	shown := answer
	if !slices.Contains(link.ProfileNames(), answer) {
		shown = "as typed below"
	}
	if name, ok := p.choice(row, id, shown, link.ProfileNames(), nil); ok {
		a.SetAnswer(i, name)
	}
	text, ok := p.ui.Field(p.ui.Next(22), widget.Field{ID: id + " conditions", Value: answer, Help: "Latency, jitter and loss each way, " +
		"such as latency=80ms,jitter=20ms,loss=3%, or a profile.", Check: func(text string) error { return a.Check(i, text) }})
	if ok {
		a.SetAnswer(i, text)
	}
}

// describe makes the texts of an advice.
func (p *advicePage) describe(a *advise.Advice) {
	p.advice, p.entries, p.measured = a, nil, wrapping(strings.Join(a.Measured, " "))
	for i := range a.Best {
		c := &a.Best[i]
		var figures []string
		for _, m := range a.Measures() {
			if text := advise.Phrase(m, c.Measured[m]); text != "" {
				figures = append(figures, text)
			}
		}
		line := strings.Join(figures, ", ")
		if c.Reason != "" {
			line += "\n" + c.Reason
		}
		title := fmt.Sprintf("%d  %s", i+1, advise.Plain(c.Pane))
		if advise.Plain(c.Pane) != c.Pane {
			title += ", contacts reordered"
		}
		if len(c.Same) > 0 {
			title += "; the same figures: " + strings.Join(c.Same, ", ")
		}
		p.entries = append(p.entries, widget.Entry{ID: fmt.Sprintf("advice %d", i+1), Title: wrapping(title), Line: wrapping(line),
			Help: "Play tape " + a.Setting.Tape + " in " + a.Setting.Scene + " on this network.\npanes: " + strings.ReplaceAll(a.Panes(i), ",", ", ")})
	}
	var own []string
	if len(a.Own) > 0 {
		own = []string{"The command that this page copies prints two more, which measure your players, bodies and network, and advise by that."}
	}
	p.nearest = nil
	for _, text := range a.Nearest {
		p.nearest = append(p.nearest, wrapping(text))
	}
	var excluded []string
	for _, x := range a.Excluded {
		excluded = append(excluded, x.Pane+": "+x.Rule)
	}
	var others []string
	if len(a.Others) > 0 {
		others = []string{strings.Join(a.Others, ", ")}
	}
	p.texts = []adviceText{{"Where the evidence ends", slices.Clone(a.Limits)}, {"Your own case", own}, {"Also within the rules, in this order", others},
		{"Excluded", excluded}, {"Rules that exclude", slices.Clone(a.Rules)}, {"Order of the others", slices.Clone(a.Order)}}
	for _, x := range p.texts {
		for i := range x.list {
			x.list[i] = wrapping(x.list[i])
		}
	}
}

// wrapping returns a text of an advice whose lists wrap, and without the knob that an entry has in words.
func wrapping(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(advise.Plain(text), ", ", ","), ",", ", ")
}
