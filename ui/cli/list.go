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
	Name []string `arg:"" optional:"" help:"A strategy, for its knobs or counters, or a preset, comparison, measure or term, for all about it." placeholder:"NAME"`

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
var kindsWithNames = []string{"presets", "knobs", "counters", "comparisons", "measures", "terms"}

// Run prints a list.
func (c *listCommand) Run(p *program) error {
	name := strings.Join(c.Name, " ")
	t, err := newListing(p.Stdout, c.Format, newTextTable(p.Stdout))
	if err != nil {
		return err
	}
	switch known := slices.Contains(listKinds, c.Kind); {
	case c.Kind != "" && !known:
		err = p.lookUp(t, strings.TrimSpace(c.Kind+" "+name))
	case name != "" && !slices.Contains(kindsWithNames, c.Kind):
		err = usageError{fmt.Errorf("list %s %s: only lists of %s take a name", c.Kind, name, strings.Join(kindsWithNames, ", "))}
	default:
		err = c.print(p, t, name)
		var unknown *link.UnknownNameError
		if found := p.library.TermsNamed(name); errors.As(err, &unknown) && len(found) > 0 {
			err = nil
			listFoundTerms(t, found)
		}
	}
	if err != nil {
		return err
	}
	return t.close()
}

func (c *listCommand) print(p *program, t *listing, name string) error {
	switch c.Kind {
	case "scenes":
		listScenes(t)
	case "strategies":
		t.row("KEY", "NAME", "DESCRIPTION", "SOURCE")
		for i, s := range lab.Strategies {
			title, _, _ := strings.Cut(s.Doc, "\n")
			t.row(fmt.Sprint(i+1), s.Name, title, s.Source)
		}
	case "presets":
		return p.listPresets(t, name)
	case "terms":
		return p.listTerms(t, name)
	case "networks":
		listNetworks(t)
	case "traces":
		return p.listTraces(t)
	case "tapes":
		return p.listTapes(t)
	case "knobs", "counters":
		strategies := lab.Strategies
		if name != "" {
			s, err := p.strategyOf(name)
			if err != nil {
				return usageError{err}
			}
			strategies = []*predict.Strategy{s}
		}
		if c.Kind == "knobs" {
			listKnobs(t, strategies)
		} else {
			listCounters(t, strategies)
		}
	case "measures":
		return listMeasures(t, name)
	case "comparisons":
		return p.listComparisons(t, name)
	case "lessons":
		return p.listLessons(t)
	case "claims":
		return listClaims(p, t)
	case "mechanisms":
		return p.listMechanisms(t)
	case "display":
		listDisplay(t)
	default:
		return p.listNames(t)
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

func (p *program) listTraces(t *listing) error {
	t.row("NAME", "SAMPLES", "DESCRIPTION")
	for _, name := range p.library.TraceNames() {
		trace, err := p.library.LoadTrace(name)
		if err != nil {
			return err
		}
		t.row(name, fmt.Sprintf("%d in %v", trace.Samples(), trace.Length()), firstComment(p.Traces, "traces/"+name+".csv"))
	}
	return nil
}

func (p *program) listTapes(t *listing) error {
	t.row("NAME", "SCENE", "LENGTH", "DESCRIPTION")
	for _, name := range p.library.TapeNames() {
		x, err := p.library.LoadTape(name)
		if err != nil {
			return err
		}
		length := time.Duration(len(x.Entries)) * time.Second / time.Duration(x.Config.Rate)
		t.row(name, x.Config.Scene, fmt.Sprintf("%v at %d Hz", length, x.Config.Rate), firstComment(p.Tapes, "tapes/"+name+".tape"))
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

// listMeasures lists all measures, or one of them with its definition.
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
	if name != "" {
		return usageError{&link.UnknownNameError{Kind: "measure", Name: name, Choices: names}}
	}
	t.row("MEASURE", "UNIT", "BETTER", "DESCRIPTION")
	for _, d := range score.Definitions {
		for i := range d.Measures {
			m := &d.Measures[i]
			t.row(m.Name, score.Unit(m.Name), m.Better.String(), m.Help)
		}
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

// listComparisons lists all comparisons, or one of them with its settings.
func (p *program) listComparisons(t *listing, name string) error {
	if name != "" {
		c, err := p.library.ComparisonNamed(name)
		if err != nil {
			return usageError{err}
		}
		listComparison(t, c)
		return nil
	}
	list, err := p.library.Comparisons()
	if err != nil {
		return err
	}
	if t.format != "table" {
		t.row("NAME", "TITLE", "HEADLINE", "PANES", "SOURCE")
		for i := range list {
			x := &list[i]
			t.row(x.Name, x.Title, x.Headline, x.Settings.Panes, cmp.Or(x.Source.String(), "Our own"))
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
				t.row("")
			}
			if author, title, ok := strings.Cut(s, ", "); ok && utf8.RuneCountInString(s) > maxLine {
				t.row(author + ",")
				s = title
			}
			t.row(s)
		}
		t.row(fmt.Sprintf("  %-*s  %s", widest, list[i].Name, list[i].Title))
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

// listMechanisms lists the mechanisms of the articles and the commands that show them.
func (p *program) listMechanisms(t *listing) error {
	list, err := p.library.Mechanisms()
	if err != nil {
		return err
	}
	t.row("NO.", "MECHANISM", "COMMAND")
	for i := range list {
		m := &list[i]
		if i == 0 || list[i-1].Group != m.Group {
			t.note("", m.Group, "")
		}
		t.row(fmt.Sprint(m.Number), m.Name, "ghostcube "+m.Command)
	}
	return nil
}

// listLessons lists the lessons of the tour.
func (p *program) listLessons(t *listing) error {
	list, err := p.library.Lessons()
	if err != nil {
		return err
	}
	t.row("NO.", "NAME", "TITLE", "SCENE", "PANES")
	for i := range list {
		x := &list[i]
		t.row(fmt.Sprint(i+1), x.Name, x.Title, x.Settings.Scene, x.Settings.Panes)
	}
	return nil
}

// listNames lists the names of everything that has one.
func (p *program) listNames(t *listing) error {
	list, err := p.library.Comparisons()
	if err != nil {
		return err
	}
	var comparisons []string
	for i := range list {
		comparisons = append(comparisons, list[i].Name)
	}
	tour, err := p.library.Lessons()
	if err != nil {
		return err
	}
	var lessons []string
	for i := range tour {
		lessons = append(lessons, tour[i].Name)
	}
	presets, err := p.library.Presets()
	if err != nil {
		return err
	}
	for _, x := range []struct {
		kind  string
		names []string
	}{
		{"scenes", scene.Names()}, {"strategies", lab.StrategyNames()}, {"presets", presetNames(presets)}, {"networks", link.ProfileNames()},
		{"traces", p.library.TraceNames()}, {"tapes", p.library.TapeNames()}, {"comparisons", comparisons}, {"lessons", lessons},
	} {
		t.row(x.kind, strings.Join(x.names, " "))
	}
	t.note("list KIND describes each; list knobs, counters, measures, claims, terms, mechanisms and display list more.")
	t.note("list WORD looks up a word of the field, such as ggpo.")
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
