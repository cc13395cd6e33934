//go:build !js || headless

package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/ui/plan"
)

// presetNames returns the names of presets.
func presetNames(list []plan.Preset) (names []string) {
	for i := range list {
		names = append(names, list[i].Name)
	}
	return names
}

// strategyOf returns the strategy called name, or that of the preset called name.
func (l *lists) strategyOf(name string) (*predict.Strategy, error) {
	if x, err := l.library.PresetNamed(name); err == nil {
		name = x.Strategy
	}
	s, err := lab.StrategyNamed(name)
	if err != nil {
		return nil, &link.UnknownNameError{Kind: "strategy or preset", Name: name, Choices: l.library.PaneNames()}
	}
	return s, nil
}

// presets lists all presets, or one of them with its knobs and sources.
func (l *lists) presets(name string) error {
	if name != "" {
		x, err := l.library.PresetNamed(name)
		if err != nil {
			return usageError{err}
		}
		listPreset(l.listing, x)
		return nil
	}
	list, err := l.library.Presets()
	if err != nil {
		return err
	}
	l.row("NAME", "PANE", "DESCRIPTION", "GAMES")
	for i := range list {
		x := &list[i]
		l.row(x.Name, unnamedSpec(x), x.Title, x.Games)
	}
	return nil
}

// unnamedSpec returns strategy and knobs of a preset, as a pane without a name has them.
func unnamedSpec(x *plan.Preset) string {
	_, spec := lab.CutTitle(x.Spec(nil))
	return spec
}

// listPreset prints a preset: what it is, the knobs that it sets, and its sources.
func listPreset(t *listing, x *plan.Preset) {
	t.row("preset", x.Name)
	t.row("title", x.Title)
	for i, line := range strings.Split(wrapText(x.Doc), "\n") {
		t.row([...]string{"does", ""}[min(i, 1)], line)
	}
	t.row("games", x.Games)
	t.row("guide", "docs/guides/"+x.Guide+".md")
	t.row("panes", "--panes "+x.Name)
	t.row("strategy", x.Strategy)
	s, err := lab.StrategyNamed(x.Strategy)
	if err != nil {
		panic(err) // the preset was validated
	}
	knobs, _ := lab.Describe(s)
	for _, k := range x.Knobs {
		t.row("knob", fmt.Sprintf("%s=%s (default %s): %s", k.Name, k.Value, knobs.Lookup(k.Name).Default(), knobs.Lookup(k.Name).Help))
	}
	for _, s := range x.Sources {
		t.row("source", s.String())
		if s.URL != "" {
			t.row("", s.URL)
		}
	}
}

// terms lists all terms of the field, or those that a text names.
func (l *lists) terms(name string) error {
	if name != "" {
		return l.termsLike(name)
	}
	list, err := l.library.Terms()
	if err != nil {
		return err
	}
	l.row("TERM", "USED BY", "MEANING", "HERE")
	for i := range list {
		x := &list[i]
		l.row(x.Name, x.By, x.Text, x.HereText())
	}
	l.note("")
	l.note("list TERM prints one, with other words for it.")
	return nil
}

// termsLike lists the terms that a text names, or else those that have all of its words.
func (l *lists) termsLike(text string) error {
	list, err := l.library.Terms()
	if err != nil {
		return err
	}
	found := l.library.TermsNamed(text)
	if len(found) == 0 {
		for i := range list {
			if list[i].Has(text) {
				found = append(found, list[i])
			}
		}
	}
	if len(found) == 0 {
		return usageError{&link.UnknownNameError{Kind: "term", Name: text, Choices: l.allWords(list)}}
	}
	listFoundTerms(l.listing, found)
	return nil
}

// allWords returns everything that a word can be looked up as.
func (l *lists) allWords(terms []plan.Term) []string {
	names := slices.Concat(listKinds, l.library.PaneNames())
	for i := range terms {
		for _, name := range terms[i].Names() {
			names = append(names, strings.ToLower(name))
		}
	}
	return names
}

// listFoundTerms prints terms with all about them.
func listFoundTerms(t *listing, found []plan.Term) {
	for i := range found {
		x := &found[i]
		if i > 0 {
			t.note("")
		}
		t.row("term", strings.Join(x.Names(), ", "))
		if x.By != "" {
			t.row("used by", x.By)
		}
		t.row("means", x.Text)
		label := "here"
		if x.Nearest {
			label = "nearest"
		}
		for _, r := range x.Here {
			t.row(label, r.String()+": "+referenceUse(r))
			label = ""
		}
	}
}

// referenceUse says how to use or read what a term refers to.
func referenceUse(r plan.Reference) string {
	strategy, _, _ := strings.Cut(r.Name, ":")
	switch r.Kind {
	case "strategy":
		return "--panes " + r.Name
	case "preset":
		return "--panes " + r.Name + ", list presets " + r.Name
	case "knob":
		if strings.Contains(r.Name, "=") {
			return "--panes " + r.Name
		}
		return "list knobs " + strategy
	case "comparison":
		return "--compare " + r.Name
	case "lesson":
		return "tour " + r.Name
	case "guide":
		return "docs/guides/" + r.Name + ".md"
	case "command":
		return "help " + r.Name
	case "flag":
		return "help run"
	case "measure":
		return "list measures " + r.Name
	case "counter":
		return "list counters"
	case "network":
		return "list networks"
	}
	return "list " + r.Kind
}

// lookUp prints what a word is: a strategy, a preset, a comparison or a term of the field. If it is nothing of these, the
// error has the nearest name.
func (l *lists) lookUp(word string) error {
	if s, err := lab.StrategyNamed(word); err == nil {
		title, _, _ := strings.Cut(s.Doc, "\n")
		l.row("strategy", s.Name)
		l.row("does", title)
		l.row("source", s.Source)
		l.row("panes", "--panes "+s.Name)
		l.row("knobs", "list knobs "+s.Name)
		if found := l.library.TermsNamed(word); len(found) > 0 {
			l.note("")
			listFoundTerms(l.listing, found)
		}
		return nil
	}
	if x, err := l.library.PresetNamed(word); err == nil {
		listPreset(l.listing, x)
		return nil
	}
	if c, err := l.library.ComparisonNamed(word); err == nil {
		listComparison(l.listing, c)
		return nil
	}
	if listed := listNamed(l.listing, word); listed {
		return nil
	}
	err := l.termsLike(word)
	var unknown *link.UnknownNameError
	if errors.As(err, &unknown) && slices.Contains(listKinds, plan.NearestName(word, unknown.Choices)) {
		unknown.Kind, unknown.Choices = "list", listKinds
	}
	return err
}

// listNamed prints the definition of a measure, or a counter with its strategies, and reports whether there is one of
// that name.
func listNamed(t *listing, name string) bool { return listMeasures(t, name) == nil }

// listCounter prints a counter with its strategies. If there is none of that name it returns the names of all.
func listCounter(t *listing, name string) (others []string) {
	var strategies []string
	help := ""
	for _, s := range lab.Strategies {
		_, counters := lab.Describe(s)
		for _, x := range counters.All() {
			if x.Name == name {
				strategies, help = append(strategies, s.Name), x.Help
			} else if !slices.Contains(others, x.Name) {
				others = append(others, x.Name)
			}
		}
	}
	if len(strategies) == 0 {
		return others
	}
	t.row("counter", name)
	t.row("counts", help)
	t.row("in", strings.Join(strategies, ", "))
	return nil
}
