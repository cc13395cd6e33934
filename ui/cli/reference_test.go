package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"ghostcube/internal/golden"
	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/predict/score"
	"ghostcube/sim/scene"
	"ghostcube/ui/stage"
)

// referenceFolder has the pages that TestReference writes.
const referenceFolder = "../../docs/reference"

// markdown is a page with tables.
type markdown struct{ bytes.Buffer }

func (m *markdown) text(format string, args ...any) { fmt.Fprintf(m, format, args...) }

// row adds a row of a table. Bars would end a cell.
func (m *markdown) row(cells ...string) {
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(c, "|", `\|`)
	}
	m.text("| %s |\n", strings.Join(cells, " | "))
}

// head begins a table.
func (m *markdown) head(cells ...string) {
	m.text("\n")
	m.row(cells...)
	m.text("|%s\n", strings.Repeat("---|", len(cells)))
}

// code quotes a name.
func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

// TestReference checks that the generated pages of docs/reference say what the program says. -update writes them.
func TestReference(t *testing.T) {
	for _, x := range []struct {
		name  string
		write func(*testing.T, *markdown)
	}{
		{"commands", writeCommandReference},
		{"knobs", writeKnobReference},
		{"counters", writeCounterReference},
		{"measures", writeMeasureReference},
		{"scenes", writeSceneReference},
		{"networks", writeNetworkReference},
		{"view", writeViewReference},
	} {
		var page markdown
		x.write(t, &page)
		file := filepath.Join(referenceFolder, x.name+".md")
		if golden.Updating() {
			if err := os.WriteFile(file, page.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := page.String(); got != string(want) {
			a, b := strings.Split(got, "\n"), strings.Split(string(want), "\n")
			i := 0
			for i < min(len(a), len(b))-1 && a[i] == b[i] {
				i++
			}
			t.Errorf("docs/reference/%s.md, line %d, is out of date (-update writes it):\ngot  %q\nwant %q", x.name, i+1, a[i], b[i])
		}
	}
}

// writeCommandReference writes the help of every command.
func writeCommandReference(t *testing.T, m *markdown) {
	var out bytes.Buffer
	p := newProgram(testEnvironment(nil, &out, &out))
	parser, err := p.newParser(&arguments{})
	if err != nil {
		t.Fatal(err)
	}
	m.text("# Commands and flags\n\nThe help that `ghostcube COMMAND --help` and `ghostcube help COMMAND` print.\n")
	m.head("command", "does")
	var commands []*kong.Node
	for _, n := range parser.Model.Children {
		if n.Type == kong.CommandNode && !n.Hidden {
			commands = append(commands, n)
			m.row(fmt.Sprintf("[`%s`](#%s)", n.Name, n.Name), n.Help)
		}
	}
	for _, n := range commands {
		out.Reset()
		if code := Main(testEnvironment([]string{n.Name, "--help"}, &out, &out)); code != 0 {
			t.Fatalf("%s --help: %d", n.Name, code)
		}
		m.text("\n## %s\n\n```text\n%s\n```\n", n.Name, strings.TrimSpace(out.String()))
	}
}

// writeKnobReference writes the knobs of every strategy.
func writeKnobReference(_ *testing.T, m *markdown) {
	m.text("# Knobs\n\nThe parameters of the strategies. They follow a strategy's name, as in `--panes rewind:snapshot-every=4:smoothing=none`,\nand the panel's page *Strategy* has a control for each.\n")
	for i, s := range lab.Strategies {
		title, _, _ := strings.Cut(s.Doc, "\n")
		m.text("\n## %s\n\nKey %d: %s. Source: %s.\n", s.Name, i+1, title, s.Source)
		m.head("knob", "default", "values", "meaning")
		knobs, _ := lab.Describe(s)
		for _, k := range knobs.All() {
			m.row(code(k.Name), k.Default(), k.Range(), k.Help)
		}
	}
}

// writeCounterReference writes the counters of every strategy.
func writeCounterReference(_ *testing.T, m *markdown) {
	m.text("# Counters\n\nWhat the strategies count while they run: on the panel's page *Score*, and by `bench --all`.\n")
	for _, s := range lab.Strategies {
		m.text("\n## %s\n", s.Name)
		m.head("counter", "meaning")
		_, counters := lab.Describe(s)
		for _, x := range counters.All() {
			m.row(code(x.Name), x.Help)
		}
	}
}

// writeMeasureReference writes the measures of a pane's score.
func writeMeasureReference(_ *testing.T, m *markdown) {
	m.text(measureHead)
	m.head("measure", "unit", "better", "meaning")
	for _, d := range score.Definitions {
		for i := range d.Measures {
			x := &d.Measures[i]
			m.row(fmt.Sprintf("[`%s`](#%s)", x.Name, anchorOf(d.Title)), score.Unit(x.Name), x.Better.String(), x.Help)
		}
	}
	group := ""
	for _, d := range score.Definitions {
		if d.Group != group {
			group = d.Group
			m.text("\n## %s\n", group)
		}
		m.text("\n### %s\n\n`%s`\n\n%s\n", d.Title, strings.Join(measureNames(d), "`, `"), inMarkdown(d.Text))
		for _, x := range definitionParts(d) {
			if x[0] == "Formula" {
				m.text("\n- **%s**: %s", x[0], code(x[1]))
				continue
			}
			m.text("\n- **%s**: %s.", x[0], inMarkdown(x[1]))
		}
		m.text("\n")
	}
}

// anchorOf returns the anchor of a heading of words.
func anchorOf(heading string) string {
	return strings.ReplaceAll(strings.ToLower(heading), " ", "-")
}

// inMarkdown returns a text for Markdown, with names as code.
func inMarkdown(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = strings.ReplaceAll(w, "*", `\*`)
		if strings.Contains(w, "_") {
			name := strings.Trim(w, ".,;:()")
			words[i] = strings.Replace(w, name, code(name), 1)
		}
	}
	return strings.Join(words, " ")
}

// measureHead begins the page of measures.
const measureHead = `# Measures

The measures of a pane's score, the same for every strategy. ` + "`bench --all`" + ` and ` + "`bench --format json`" + ` print all of
them, and ` + "`ghostcube list measures path_error_rms_m`" + ` prints the definition of one. [The score](score.md) says how to read them.

In the formulas r is the drawn position, s the server's (the ground truth), v a velocity, t a tick and d* the display delay.
Most measures are undefined until one second has been scored, and events a minute until five have been. Thresholds and
definitions are our own unless a source is named.
`

// writeSceneReference writes the scenes with their parameters.
func writeSceneReference(_ *testing.T, m *markdown) {
	m.text("# Scenes\n\nThe worlds for `--scene`. Parameters follow the name: `--scene katamari:cubes=100`.\n")
	for i := range scene.Templates {
		x := &scene.Templates[i]
		s := x.Build()
		m.text("\n## %s\n\n%s. %d dynamic, %d static and %d kinematic boxes, %s, %s.\n", s.Name, strings.ToUpper(s.Doc[:1])+s.Doc[1:],
			len(s.Boxes), len(s.Static), kinematicCount(&s), plural(len(s.Joints), "joint"), plural(s.Players, "player"))
		if len(x.Params) == 0 {
			continue
		}
		m.head("parameter", "default", "values", "meaning")
		for _, p := range x.Params {
			m.row(code(p.Name), fmt.Sprint(p.Default), fmt.Sprintf("%d to %d", p.Min, p.Max), p.Help)
		}
	}
}

// writeNetworkReference writes the conditions and the profiles of networks.
func writeNetworkReference(_ *testing.T, m *markdown) {
	m.text("# Networks\n\n`--network` takes a profile, conditions, or both: `--network wifi-bad,loss=5%%`.\n\n## Conditions\n\nThey hold for both directions, or with `up.` or `down.` for one.\n")
	m.head("condition", "meaning")
	for _, s := range link.ParamHelp() {
		m.row(code(s[0]), s[1])
	}
	m.text("\n## Profiles\n\nThe round-trip time leaves out jitter.\n")
	m.head("profile", "round trip", "conditions", "meaning", "source, and its word for latency")
	for _, x := range link.Profiles {
		conditions := link.Network{Up: x.Up, Down: x.Down}
		m.row(code(x.Name), x.RTT().String(), code(conditions.String()), x.Doc, x.Source)
	}
}

// writeViewReference writes the display settings.
func writeViewReference(_ *testing.T, m *markdown) {
	m.text("# Display settings\n\nFor `--show`, as in `--show color=age,latency=on`, and on the panel's page *View*.\n")
	m.head("setting", "default", "values", "key", "meaning")
	for i := range stage.SettingTable {
		d := &stage.SettingTable[i]
		m.row(code(d.Name), d.Value(&stage.DefaultSettings), d.Allowed(), d.Key, d.Help)
	}
}
