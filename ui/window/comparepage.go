package window

import (
	"fmt"
	"slices"
	"strings"

	"ghostcube/ui/hud"
	"ghostcube/ui/plan"
	"ghostcube/ui/widget"
)

// comparePage has the comparisons by source.
type comparePage struct {
	*panel
	filter  string
	entries []comparisonEntry
}

// build lays out the comparisons by source.
func (p *comparePage) build() {
	ui := &p.ui
	p.filter, _ = ui.Field(ui.Next(22), widget.Field{ID: "filter comparisons", Value: p.filter,
		Placeholder: "filter by name, title, strategy or network", Live: true,
		Help: "Type a part of a name, a title, a source, a strategy, a network or a word of the field. All words have to occur."})
	p.comparisonList()
}

// comparisonEntry is a comparison in the list.
type comparisonEntry struct {
	widget.Entry
	source string // heading of its group
	terms  string // of the field, that refer to it or to a strategy or preset of its panes
}

// comparisonList lists the comparisons that pass the filter, by source.
func (p *comparePage) comparisonList() {
	group, shown := "", 0
	if len(p.entries) != len(p.session.Comparisons) {
		p.entries = nil
		for i := range p.session.Comparisons {
			c := &p.session.Comparisons[i]
			p.entries = append(p.entries, comparisonEntry{widget.Entry{ID: "compare " + c.Name, Title: c.Title,
				Line: comparisonLine(c), Help: comparisonHelp(c)}, sourceTitle(c), p.comparisonTerms(c)})
		}
	}
	for i := range p.session.Comparisons {
		c, e := &p.session.Comparisons[i], &p.entries[i]
		if p.filter != "" && !comparisonMatches(c, e.terms, p.filter) {
			continue
		}
		if e.source != group || shown == 0 {
			p.ui.Space(4)
			p.ui.Paragraph(e.source, true)
			group = e.source
		}
		shown++
		e.Chosen = p.session.Plan.Comparison != nil && p.session.Plan.Comparison.Name == c.Name &&
			p.session.Title != "" && p.session.Title == p.session.Plan.Title() // with other settings it is another session
		if clicked, _ := p.ui.Entry(e.Entry); clicked {
			p.session.ShowComparison(c.Name)
		}
		if e.Chosen && p.ui.Button("from the start", p.ui.Next(22), "from the start", "Play this comparison from its first tick.") {
			p.session.Reset()
		}
	}
	if shown == 0 {
		p.ui.Paragraph(fmt.Sprintf("None of the %d comparisons contains all of these words.", len(p.session.Comparisons)), true)
	}
}

// sourceTitle is the heading of a comparison's group.
func sourceTitle(c *plan.Comparison) string {
	if s := c.Source.String(); s != "" {
		return s
	}
	return "Ghostcube's own"
}

// comparisonLine is the line below a title: the name for --compare, and the quantity that the panes show large.
func comparisonLine(c *plan.Comparison) string {
	if c.Headline != "" {
		return c.Name + ": " + hud.HeadlineTitle(c.Headline)
	}
	return c.Name
}

// comparisonHelp is the tooltip of a comparison.
func comparisonHelp(c *plan.Comparison) string {
	s := &c.Settings
	return "--compare " + c.Name + "\npanes: " + strings.ReplaceAll(s.Panes, ",", ", ") + "\nscene: " + s.Scene +
		"\nnetwork: " + strings.ReplaceAll(s.Network, ",", ", ")
}

// comparisonTerms returns the words of the terms of the field that refer to a comparison, or to a strategy or preset of its
// panes.
func (p *comparePage) comparisonTerms(c *plan.Comparison) string {
	terms, err := p.session.Library.Terms()
	if err != nil {
		return ""
	}
	names := []string{"comparison " + c.Name}
	for spec := range strings.SplitSeq(c.Settings.Panes, ",") {
		name, _, _ := strings.Cut(spec, ":")
		names = append(names, "strategy "+name, "preset "+name)
	}
	text := ""
	for i := range terms {
		if slices.ContainsFunc(terms[i].Here, func(r plan.Reference) bool { return slices.Contains(names, r.String()) }) {
			text += strings.Join(terms[i].Names(), " ") + " "
		}
	}
	return text
}

// comparisonMatches reports whether a comparison, or the terms that refer to it, contain all words of a filter.
func comparisonMatches(c *plan.Comparison, terms, filter string) bool {
	for _, word := range strings.Fields(filter) {
		if !matches(word, c.Name, strings.Join(c.Formerly, " "), c.Title, c.Headline, hud.HeadlineTitle(c.Headline), c.Source.String(), terms,
			c.Settings.Panes, c.Settings.Network, c.Settings.Scene) {
			return false
		}
	}
	return true
}
