//go:build !js || headless

package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"ghostcube/internal/golden"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/score"
	"ghostcube/sim/scene"
	"ghostcube/ui/plan"
)

// referenceFolder has the pages that TestPagesOfReference writes.
const referenceFolder = "../../docs/reference"

// markdown is a page.
type markdown struct{ bytes.Buffer }

func (m *markdown) text(format string, args ...any) { fmt.Fprintf(m, format, args...) }

// code quotes a name.
func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

// TestPagesOfReference checks that the generated pages of docs/reference say what the program says.
func TestPagesOfReference(t *testing.T) {
	for _, x := range []struct {
		name  string
		write func(*testing.T, *markdown)
	}{
		{"commands", writeCommandReference},
		{"knobs", writeKnobReference},
		{"measures", writeMeasureReference},
		{"scenes", writeSceneReference},
		{"presets", writePresetReference},
		{"terms", writeTermReference},
	} {
		var page markdown
		x.write(t, &page)
		golden.Page(t, filepath.Join(referenceFolder, x.name+".md"), page.String())
	}
}

// writeCommandReference writes what each command is for and its examples, and the flags of a session once.
func writeCommandReference(_ *testing.T, m *markdown) {
	var out bytes.Buffer
	parser := must(newProgram(testEnvironment(nil, &out, &out)).newParser(&arguments{}))
	m.text("# Commands and flags\n\n" +
		"`ghostcube help COMMAND` explains a command's flags, their values and defaults.\n")
	said := false
	for _, n := range parser.Model.Children {
		if n.Type != kong.CommandNode || n.Hidden {
			continue
		}
		m.text("\n## %s\n\n%s\n", n.Name, n.Help)
		if examples := commandExamples(n.Detail); len(examples) > 0 {
			m.text("\n```\n%s\n```\n", strings.Join(examples, "\n"))
		}
		var session []string
		for _, f := range n.Flags {
			if !f.Hidden && f.Group != nil && f.Group.Key == "session" {
				session = append(session, code("--"+f.Name))
			}
		}
		if len(session) > 0 && !said {
			said = true
			m.text("\nFlags of a session, as other commands take them, too: %s\n", strings.Join(session, " "))
		}
	}
}

// commandExamples returns the lines of a detailed help that are commands.
func commandExamples(help string) (list []string) {
	for line := range strings.SplitSeq(help, "\n") {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "ghostcube ") || strings.HasPrefix(line, "python3 ") {
			list = append(list, line)
		}
	}
	return list
}

// strategyNumbers begins a page that names strategies by their digit keys.
const strategyNumbers = "\nA number stands for a strategy: its digit key. It precedes a default that only this strategy has.\n\n"

// writeStrategyNumbers writes what the numbers of strategies stand for.
func writeStrategyNumbers(m *markdown) {
	m.text(strategyNumbers)
	for i, s := range lab.Strategies {
		m.text("%d. %s\n", i+1, code(s.Name))
	}
}

// numbered is a value that some strategies have.
type numbered struct {
	value   string
	numbers []int // of the strategies, in order
}

// addNumbered adds a strategy to those that have a value.
func addNumbered(list []numbered, value string, number int) []numbered {
	for i := range list {
		if list[i].value == value {
			list[i].numbers = append(list[i].numbers, number)
			return list
		}
	}
	return append(list, numbered{value, []int{number}})
}

// inWords returns values, the first without its numbers.
func inWords(list []numbered) string {
	words := list[0].value
	for _, x := range list[1:] {
		words += fmt.Sprintf("; %s: %s", numbersText(x.numbers), x.value)
	}
	return words
}

// numbersText returns numbers as text, such as 1-3,5.
func numbersText(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		part := fmt.Sprint(numbers[i])
		switch {
		case j == i+1:
			part += fmt.Sprintf(",%d", numbers[j])
		case j > i:
			part += fmt.Sprintf("-%d", numbers[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// writeKnobReference writes the knobs of all strategies by group, each once.
func writeKnobReference(_ *testing.T, m *markdown) {
	m.text("# Knobs\n\n" +
		"The parameters of the strategies follow a strategy's name, as in `--panes rewind:snapshot-every=4:smoothing=none`, or are on\n" +
		"the panel's page *Strategy*. A line has a knob's strategies, in parentheses its default, which is bold among choices, and its\n" +
		"meaning. `ghostcube list knobs rewind` has ranges, and other knobs that it needs.\n")
	writeStrategyNumbers(m)
	type row struct {
		group             predict.Group
		name, help        string
		numbers           []int
		defaults, choices []numbered
	}
	var rows []*row
	for i, s := range lab.Strategies {
		knobs, _ := lab.Describe(s)
		for _, k := range knobs.All() {
			at := slices.IndexFunc(rows, func(r *row) bool { return r.name == k.Name && r.help == k.Help && r.group == k.Group })
			if at < 0 {
				at = len(rows)
				rows = append(rows, &row{group: k.Group, name: k.Name, help: k.Help})
			}
			r := rows[at]
			r.numbers = append(r.numbers, i+1)
			r.defaults = addNumbered(r.defaults, k.Default(), i+1)
			if k.Kind == predict.Choice {
				r.choices = addNumbered(r.choices, k.Range(), i+1)
			}
		}
	}
	first := func(name string) int { return slices.IndexFunc(rows, func(r *row) bool { return r.name == name }) }
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b *row) int { return first(a.name) - first(b.name) })
	for _, g := range predict.Groups() {
		var section []*row
		numbers := map[string]bool{}
		for _, r := range sorted {
			if r.group == g {
				section = append(section, r)
				numbers[numbersText(r.numbers)] = true
			}
		}
		if len(numbers) == 1 {
			m.text("\n## %s: %s\n\n", g, numbersText(section[0].numbers))
		} else {
			m.text("\n## %s\n\n", g)
		}
		for _, r := range section {
			values := inWords(r.defaults)
			switch {
			case len(r.choices) == 1 && len(r.defaults) == 1:
				values = ", " + r.choices[0].value + ","
				values = strings.Trim(strings.Replace(values, " "+r.defaults[0].value+",", " **"+r.defaults[0].value+"**,", 1), " ,")
			case len(r.choices) > 0:
				values += " of " + inWords(r.choices)
			}
			of := ""
			if len(numbers) > 1 {
				of = " " + numbersText(r.numbers)
			}
			m.text("- %s%s (%s): %s\n", code(r.name), of, values, r.help)
		}
	}
}

// writeMeasureReference writes the measures of a pane's score.
func writeMeasureReference(_ *testing.T, m *markdown) {
	m.text(measureHead)
	group := ""
	for _, d := range score.Definitions {
		if d.Group != group {
			group = d.Group
			m.text("\n## %s\n", group)
		}
		m.text("\n### %s\n\n", d.Title)
		for i := range d.Measures {
			x := &d.Measures[i]
			end := ".\n\n"
			if i+1 < len(d.Measures) {
				if end = "; "; d.Measures[i+1].Better == x.Better {
					m.text("`%s`, ", x.Name)
					continue
				}
			}
			if m.text("`%s`", x.Name); x.Better != score.Lower {
				m.text(": %s", x.Better)
			}
			m.text("%s", end)
		}
		m.text("%s\n", inMarkdown(d.Text))
		for _, x := range definitionParts(d) {
			if x[0] == "Source" && d.Source == "" {
				continue // the head says so
			}
			if x[0] == "Formula" {
				m.text("\n- **%s**: %s", x[0], code(x[1]))
				continue
			}
			m.text("\n- **%s**: %s.", x[0], inMarkdown(x[1]))
		}
		m.text("\n")
	}
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

The measures, or quality metrics, of a pane, the same for every strategy. A name ends in the unit. ` + "`bench --all`" + ` prints all of
them, ` + "`ghostcube list measures path_error_rms_m`" + ` the definition of one. [The score](score.md) says how to read them. Lower is
better if nothing else is said.

In the formulas r is the drawn position, s the server's (the ground truth), v a velocity, t a tick and d* the display delay.
Most measures are undefined until one second has been scored, and events a minute until five have been. Thresholds and
definitions are our own unless a source is named.
`

// writeSceneReference writes the scenes.
func writeSceneReference(_ *testing.T, m *markdown) {
	m.text("# Scenes\n\n" +
		"The worlds for `--scene`. Parameters follow the name: `--scene katamari:cubes=100`; `ghostcube list scenes` prints them. Boxes are\n" +
		"dynamic, static or kinematic. A scene has one player unless it says more.\n\n" +
		"![seesaw, billiards and trailer; walker, ship and fleet](../scenes.png)\n")
	m.text("\n")
	for i := range scene.Templates {
		x := &scene.Templates[i]
		s := x.Build()
		var contents []string
		for _, c := range []struct {
			n    int
			what string
		}{
			{len(s.Boxes), "dynamic"}, {len(s.Static), "static"}, {kinematicCount(&s), "kinematic"}, {len(s.Joints), "joint"}, {s.Players, "player"},
		} {
			switch {
			case c.n == 0 || c.n == 1 && c.what == "player":
			case c.what == "joint" || c.what == "player":
				contents = append(contents, plural(c.n, c.what))
			default:
				contents = append(contents, fmt.Sprintf("%d %s", c.n, c.what))
			}
		}
		m.text("- %s: %s (%s)\n", code(s.Name), s.Doc, strings.Join(contents, ", "))
	}
}

// writePresetReference writes the presets.
func writePresetReference(t *testing.T, m *markdown) {
	library := &testProgram(t).library
	m.text("# Presets\n\n" +
		"A preset is a strategy with the knobs of a kind of game. It stands wherever a strategy does: `--panes shooter,rewind`,\n" +
		"`--panes shooter:lead=8` with another knob. Tapes and links have all its knobs, such as `shooter=rewind:others=auto`,\n" +
		"and run the same session when a preset has changed. In the same way a pane gets a name of your own:\n" +
		"`--panes mine=rewind:lead=8`. `ghostcube list presets shooter` prints its knobs and [sources](../credits.md).\n")
	list := must(library.Presets())
	for i := range list {
		x := &list[i]
		m.text("\n## %s\n\n%s: `%s`\n\n%s\n\n", x.Name, x.Title, unnamedSpec(x), x.Doc)
		m.text("*Games*: %s ([guide](../guides/%s.md))\n", x.Games, x.Guide)
	}
}

// writeTermReference writes the terms of the field.
func writeTermReference(t *testing.T, m *markdown) {
	library := &testProgram(t).library
	m.text("# Terms of the field\n\n" +
		"Other names, who uses them in this sense, and the name here. `ghostcube list ggpo`, which prints all places,\n" +
		"and the search of the panel's page *Strategy* find them. *Nearest*: the lab does not have the same. Our own words are in the [glossary](../glossary.md).\n")
	m.text("\n")
	list := must(library.Terms())
	for i := range list {
		x := &list[i]
		by := ""
		if x.By != "" {
			by = " (" + x.By + ")"
		}
		text := x.Here[0].Kind + " " + referenceLink(x.Here[0])
		if x.Nearest {
			text = "*Nearest*: " + text
		} else {
			text = strings.ToUpper(text[:1]) + text[1:]
		}
		m.text("- **%s**%s: %s. %s\n", strings.Join(x.Names(), ", "), by, x.Text, text)
	}
}

// referenceLink returns the name of what a term refers to, as a link to the page that has it, if one does.
func referenceLink(r plan.Reference) string {
	strategyPage := "knobs.md"
	if s, err := lab.StrategyNamed(r.Name); r.Kind == "strategy" && err == nil && s.Row != nil && s.Row.Guide != "" {
		strategyPage = "../" + strings.TrimPrefix(s.Row.Guide, "docs/")
	}
	page := map[string]string{
		"strategy": strategyPage, "preset": "presets.md#" + r.Name, "knob": "knobs.md", "measure": "measures.md",
		"comparison": "comparisons.md#" + r.Name, "lesson": "tour.md", "guide": "../guides/" + r.Name + ".md",
		"flag": "commands.md", "command": "commands.md#" + r.Name,
	}[r.Kind]
	if page == "" {
		return code(r.Name)
	}
	return fmt.Sprintf("[`%s`](%s)", r.Name, page)
}
