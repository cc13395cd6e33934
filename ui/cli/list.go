//go:build !js || headless

package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/score"
	"ghostcube/sim"
	"ghostcube/sim/scene"
	"ghostcube/ui/plan"
	"ghostcube/ui/stage"
)

type listCommand struct {
	Kind string   `arg:"" optional:"" help:"scenes, strategies, presets, knobs, counters, measures, comparisons, terms and others below, or any word." placeholder:"KIND"`
	Name []string `arg:"" optional:"" help:"A strategy, for its knobs or counters, or a preset, comparison, claim, measure or term, for all about it." placeholder:"NAME"`

	Format string `help:"Output format: table, json, csv or markdown." default:"table" placeholder:"table"`
}

// Help returns the detailed help.
func (c *listCommand) Help() string {
	return `
Kinds are scenes, strategies, presets, networks, traces, tapes, knobs, counters, measures,
comparisons, lessons, claims, terms, mechanisms and display. Without KIND only names are listed.

Any other word is looked up among strategies, presets and the terms of the field, such as GGPO
or dead reckoning. So is a name that a list does not have.

Examples:
  ghostcube list ggpo
  ghostcube list presets shooter
  ghostcube list knobs rewind
  ghostcube list comparisons csp-smoothing
  ghostcube list measures path_error_rms_m
  ghostcube list networks --format markdown
`
}

var listKinds = []string{"scenes", "strategies", "presets", "networks", "traces", "tapes", "knobs", "counters", "measures",
	"comparisons", "lessons", "claims", "terms", "mechanisms", "display"}

// kindsWithNames are the lists of which one name can be listed.
var kindsWithNames = []string{"presets", "knobs", "counters", "comparisons", "claims", "measures", "terms"}

// lists prints what there is.
type lists struct {
	*listing
	library *plan.Library
}

// Run prints a list.
func (c *listCommand) Run(p *program) error {
	name := strings.Join(c.Name, " ")
	t, err := newListing(p.Stdout, c.Format, newTextTable(p.Stdout))
	if err != nil {
		return err
	}
	l := &lists{t, &p.library}
	switch known := slices.Contains(listKinds, c.Kind); {
	case c.Kind != "" && !known:
		err = l.lookUp(strings.TrimSpace(c.Kind + " " + name))
	case name != "" && !slices.Contains(kindsWithNames, c.Kind):
		err = usageError{fmt.Errorf("list %s %s: only lists of %s take a name", c.Kind, name, strings.Join(kindsWithNames, ", "))}
	default:
		err = l.print(c.Kind, name)
		var unknown *link.UnknownNameError
		if found := p.library.TermsNamed(name); errors.As(err, &unknown) && len(found) > 0 {
			err = nil
			listFoundTerms(l.listing, found)
		}
	}
	if err != nil {
		return err
	}
	return l.close()
}

// print prints the list of a kind, or what one name of it is.
func (l *lists) print(kind, name string) error {
	switch kind {
	case "scenes":
		listScenes(l.listing)
	case "strategies":
		l.row("KEY", "NAME", "DESCRIPTION", "SOURCE")
		for i, s := range lab.Strategies {
			title, _, _ := strings.Cut(s.Doc, "\n")
			l.row(fmt.Sprint(i+1), s.Name, title, s.Source)
		}
	case "presets":
		return l.presets(name)
	case "terms":
		return l.terms(name)
	case "networks":
		listNetworks(l.listing)
	case "traces":
		return l.traces()
	case "tapes":
		return l.tapes()
	case "knobs", "counters":
		strategies := lab.Strategies
		if name != "" {
			s, err := l.strategyOf(name)
			if err != nil {
				return usageError{err}
			}
			strategies = []*predict.Strategy{s}
		}
		if kind == "knobs" {
			listKnobs(l.listing, strategies)
		} else {
			listCounters(l.listing, strategies)
		}
	case "measures":
		return listMeasures(l.listing, name)
	case "comparisons":
		return l.comparisons(name)
	case "lessons":
		return l.lessons()
	case "claims":
		return l.claims(name)
	case "mechanisms":
		return l.mechanisms()
	case "display":
		listDisplay(l.listing)
	default:
		return l.names()
	}
	return nil
}

func listScenes(t *listing) {
	t.row("NAME", "DESCRIPTION", "CONTENTS")
	for i := range scene.Templates {
		x := &scene.Templates[i]
		s := x.Build()
		contents := fmt.Sprintf("%d dynamic, %d static and %d kinematic boxes, %s, %s",
			len(s.Boxes), len(s.Static), kinematicCount(&s), plural(len(s.Joints), "joint"), plural(s.Players, "player"))
		t.row(s.Name, s.Doc, contents)
		for _, p := range x.Params {
			name := "  "
			if t.format != "table" {
				name = s.Name
			}
			t.row(fmt.Sprintf("%s:%s=%d", name, p.Name, p.Default), fmt.Sprintf("%s, %d to %d", p.Help, p.Min, p.Max), "")
		}
	}
}

// kinematicCount returns the number of kinematic boxes of a scene.
func kinematicCount(s *sim.Scene) (n int) {
	for i := range s.Carriers {
		n += len(s.Carriers[i].Boxes)
	}
	return n
}

func listNetworks(t *listing) {
	t.row("NAME", "ONE WAY", "RTT", "CONDITIONS", "DESCRIPTION", "SOURCE, AND WHAT IT CALLS LATENCY")
	for _, x := range link.Profiles {
		conditions := link.Network{Up: x.Up, Down: x.Down}
		t.row(x.Name, (x.RTT() / 2).String(), x.RTT().String(), conditions.String(), x.Doc, x.Source)
	}
	t.note("")
	t.note("ONE WAY and RTT leave out jitter. Conditions for --network, for both directions or with up. or down. for one:")
	for _, s := range link.ParamHelp() {
		t.note("  "+s[0], "", "", s[1])
	}
}

func (l *lists) traces() error {
	l.row("NAME", "SAMPLES", "DESCRIPTION")
	for _, name := range l.library.TraceNames() {
		trace, err := l.library.LoadTrace(name)
		if err != nil {
			return err
		}
		l.row(name, fmt.Sprintf("%d in %v", trace.Samples(), trace.Length()), firstComment(l.library.Traces, "traces/"+name+".csv"))
	}
	return nil
}

func (l *lists) tapes() error {
	l.row("NAME", "SCENE", "LENGTH", "DESCRIPTION")
	for _, name := range l.library.TapeNames() {
		x, err := l.library.LoadTape(name)
		if err != nil {
			return err
		}
		length := time.Duration(len(x.Entries)) * time.Second / time.Duration(x.Config.Rate)
		l.row(name, x.Config.Scene, fmt.Sprintf("%v at %d Hz", length, x.Config.Rate), firstComment(l.library.Tapes, "tapes/"+name+".tape"))
	}
	return nil
}

func listKnobs(t *listing, strategies []*predict.Strategy) {
	t.row("KNOB", "DEFAULT", "VALUES", "DESCRIPTION")
	for _, s := range strategies {
		knobs, _ := lab.Describe(s)
		for _, k := range knobs.All() {
			help := k.Help
			if reason := knobs.NoEffect(k); reason != "" {
				help += "; " + reason
			}
			t.row(s.Name+":"+k.Name, k.Default(), k.Range(), help)
		}
	}
}

func listCounters(t *listing, strategies []*predict.Strategy) {
	t.row("STRATEGY", "COUNTER", "DESCRIPTION")
	for _, s := range strategies {
		_, counters := lab.Describe(s)
		for _, x := range counters.All() {
			t.row(s.Name, x.Name, x.Help)
		}
	}
}

// listMeasures lists all measures, or one of them with its definition, or a counter.
func listMeasures(t *listing, name string) error {
	var names []string
	for _, d := range score.Definitions {
		for i := range d.Measures {
			if d.Measures[i].Name == name {
				listDefinition(t, d)
				return nil
			}
			names = append(names, d.Measures[i].Name)
		}
	}
	for _, m := range trafficMeasures {
		if m.name == name {
			t.row("title", cmp.Or(m.title, m.help))
			t.row("text", m.help+"; docs/reference/score.md")
			return nil
		}
		names = append(names, m.name)
	}
	if name != "" { // commands take a counter in the place of a measure
		if counters := listCounter(t, name); counters != nil {
			return usageError{&link.UnknownNameError{Kind: "measure", Name: name, Choices: append(names, counters...)}}
		}
		return nil
	}
	t.row("MEASURE", "UNIT", "BETTER", "DESCRIPTION")
	for _, d := range score.Definitions {
		for i := range d.Measures {
			m := &d.Measures[i]
			t.row(m.Name, score.Unit(m.Name), m.Better.String(), m.Help)
		}
	}
	for _, m := range trafficMeasures {
		t.row(m.name, score.Unit(m.name), score.Neither.String(), m.help)
	}
	return nil
}

// listDefinition prints the definition of measures in lines of text.
func listDefinition(t *listing, d *score.Definition) {
	if t.format != "table" {
		t.row("title", d.Title)
		t.row("measures", strings.Join(measureNames(d), ", "))
		t.row("text", d.Text)
		for _, x := range definitionParts(d) {
			t.row(strings.ToLower(x[0]), x[1])
		}
		return
	}
	t.row(d.Title + ": " + strings.Join(measureNames(d), ", "))
	paragraphs := []string{d.Text}
	for _, x := range definitionParts(d) {
		paragraphs = append(paragraphs, x[0]+": "+x[1]+".")
	}
	for _, text := range paragraphs {
		t.row("")
		for line := range strings.SplitSeq(wrapText(text), "\n") {
			t.row(line)
		}
	}
}

// measureNames returns the names of the measures that a definition defines.
func measureNames(d *score.Definition) (names []string) {
	for i := range d.Measures {
		names = append(names, d.Measures[i].Name)
	}
	return names
}

// definitionParts returns the parts of a definition after its text, each with a label.
func definitionParts(d *score.Definition) (parts [][2]string) {
	for _, x := range [][2]string{{"Formula", d.Formula}, {"Undefined", d.Undefined}, {"Source", cmp.Or(d.Source, "our own")}, {"Blind to", d.Blind}} {
		if x[1] != "" {
			parts = append(parts, x)
		}
	}
	return parts
}

// comparisons lists all comparisons, or one of them with its settings.
func (l *lists) comparisons(name string) error {
	if name != "" {
		c, err := l.library.ComparisonNamed(name)
		if err != nil {
			return usageError{err}
		}
		listComparison(l.listing, c)
		return nil
	}
	list, err := l.library.Comparisons()
	if err != nil {
		return err
	}
	if l.format != "table" {
		l.row("NAME", "TITLE", "HEADLINE", "PANES", "SOURCE")
		for i := range list {
			x := &list[i]
			l.row(x.Name, x.Title, x.Headline, x.Settings.Panes, cmp.Or(x.Source.String(), "Our own"))
		}
		return nil
	}
	widest := 0
	for i := range list {
		widest = max(widest, len(list[i].Name))
	}
	source := ""
	for i := range list {
		if s := cmp.Or(list[i].Source.String(), "Our own"); s != source {
			source = s
			if i > 0 {
				l.row("")
			}
			if author, title, ok := strings.Cut(s, ", "); ok && utf8.RuneCountInString(s) > maxLine {
				l.row(author + ",")
				s = title
			}
			l.row(s)
		}
		l.row(fmt.Sprintf("  %-*s  %s", widest, list[i].Name, list[i].Title))
	}
	return nil
}

func listComparison(t *listing, c *plan.Comparison) {
	row := func(name, value string) {
		if value != "" {
			t.row(name, value)
		}
	}
	s := &c.Settings
	row("title", c.Title)
	row("headline", c.Headline)
	row("moment", fmt.Sprintf("%g s", c.Moment))
	for _, o := range c.Order {
		row("order", fmt.Sprintf("pane %d < pane %d", o.Smaller+1, o.Larger+1))
	}
	row("source", c.Source.String())
	row("formerly", strings.Join(c.Formerly, " "))
	row("scene", s.Scene)
	row("tape", s.Tape)
	row("network", s.Network)
	row("rate", s.Rate)
	row("seat", s.Seat)
	if s.FaultEvery > 0 {
		row("fault-every", s.FaultEvery.String())
	}
	row("fault", s.Fault)
	for _, d := range c.Show {
		row("show", d.Name+"="+d.Value)
	}
	for i, spec := range strings.Split(s.Panes, ",") {
		row(fmt.Sprintf("pane %d", i+1), spec)
	}
}

// listDisplay lists the display settings, with the keys that change them in the window.
func listDisplay(t *listing) {
	t.row("SETTING", "DEFAULT", "VALUES", "KEY", "DESCRIPTION")
	for i := range stage.SettingTable {
		d := &stage.SettingTable[i]
		t.row(d.Name, d.Value(&stage.DefaultSettings), d.Allowed(), d.Key, d.Help)
	}
}

// lessons lists the lessons of the tour.
func (l *lists) lessons() error {
	list, err := l.library.Lessons()
	if err != nil {
		return err
	}
	l.row("NO.", "NAME", "TITLE", "SCENE", "PANES")
	for i := range list {
		x := &list[i]
		l.row(fmt.Sprint(i+1), x.Name, x.Title, x.Settings.Scene, x.Settings.Panes)
	}
	return nil
}

// mechanisms lists the mechanisms of the articles and the commands that show them.
func (l *lists) mechanisms() error {
	list, err := l.library.Mechanisms()
	if err != nil {
		return err
	}
	l.row("NO.", "MECHANISM", "COMMAND")
	for i := range list {
		m := &list[i]
		if i == 0 || list[i-1].Group != m.Group {
			l.note("", m.Group, "")
		}
		l.row(fmt.Sprint(m.Number), m.Name, "ghostcube "+m.Command)
	}
	return nil
}

// names lists the names of everything that has one.
func (l *lists) names() error {
	list, err := l.library.Comparisons()
	if err != nil {
		return err
	}
	var comparisons []string
	for i := range list {
		comparisons = append(comparisons, list[i].Name)
	}
	tour, err := l.library.Lessons()
	if err != nil {
		return err
	}
	var lessons []string
	for i := range tour {
		lessons = append(lessons, tour[i].Name)
	}
	presets, err := l.library.Presets()
	if err != nil {
		return err
	}
	for _, x := range []struct {
		kind  string
		names []string
	}{
		{"scenes", scene.Names()}, {"strategies", lab.StrategyNames()}, {"presets", presetNames(presets)}, {"networks", link.ProfileNames()},
		{"traces", l.library.TraceNames()}, {"tapes", l.library.TapeNames()}, {"comparisons", comparisons}, {"lessons", lessons},
	} {
		l.row(x.kind, strings.Join(x.names, " "))
	}
	l.note("list KIND describes each; list knobs, counters, measures, claims, terms, mechanisms and display list more.")
	l.note("list WORD looks up a word of the field, such as ggpo.")
	return nil
}

// firstComment returns the first comment of a built-in tape or trace.
func firstComment(from fs.FS, name string) string {
	f, err := from.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for s.Scan() {
		if doc, ok := strings.CutPrefix(s.Text(), "# "); ok {
			return doc
		}
	}
	return ""
}
