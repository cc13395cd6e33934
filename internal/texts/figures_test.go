package texts

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/internal/golden"
	"ghostcube/internal/source"
	"ghostcube/predict/score"
	"ghostcube/ui/cli"
	"ghostcube/ui/program"
)

func TestMain(m *testing.M) {
	source.EnterRoot()
	os.Exit(m.Run())
}

// figureBlock matches a table of figures: the comment that describes it, and its text. CONTRIBUTING.md has the syntax.
var figureBlock = regexp.MustCompile(`(?s)<!-- figures:(.*?)-->\n(.*?)<!-- end -->`)

// figureTable is a table of figures that the documentation describes.
type figureTable struct {
	commands []figureCommand
	columns  []figureColumn
}

type figureCommand struct {
	labels []string // of its panes, or one for all of them
	args   []string
}

// label returns the label of a pane, which counts from 0.
func (c *figureCommand) label(pane int) string { return c.labels[min(pane, len(c.labels)-1)] }

// figureColumn is a column: pane, strategy, label, or a value of each pane.
type figureColumn struct {
	path, heading string
	factor        float64
	digits        int // -1: as many as the value needs
	percent       bool
}

var figureColumnForm = regexp.MustCompile(`^([A-Za-z0-9_.-]+?)(?:\*([0-9.e-]+))?(?::([0-9]|%))?(?:=(.+))?$`)

// parseFigures parses the comment of a table.
func parseFigures(text string) (*figureTable, error) {
	t := &figureTable{}
	for cell := range strings.SplitSeq(text, "|") {
		cell = strings.Join(strings.Fields(cell), " ")
		label, command := "", cell
		if i := strings.Index(cell, ": bench "); i >= 0 {
			label, command = cell[:i], cell[i+2:]
		}
		if strings.HasPrefix(command, "bench ") {
			if len(t.columns) > 0 {
				return nil, fmt.Errorf("%q follows a column: want commands first", cell)
			}
			t.commands = append(t.commands, figureCommand{strings.Split(label, "; "), append(strings.Fields(command), "--format", "json")})
			continue
		}
		c, err := parseFigureColumn(cell)
		if err != nil {
			return nil, err
		}
		if c.heading == "" {
			c.heading = defaultHeading(&c)
		}
		t.columns = append(t.columns, c)
	}
	if len(t.commands) == 0 || len(t.columns) == 0 {
		return nil, errors.New("want at least a command and a column")
	}
	return t, nil
}

// defaultHeading returns the title of a measure, and otherwise the name of a value in words.
func defaultHeading(c *figureColumn) string {
	for _, d := range score.Definitions {
		for i := range d.Measures {
			if m := &d.Measures[i]; m.Name == c.path && c.factor == 1 {
				return m.Title
			}
		}
	}
	return strings.ReplaceAll(c.path[strings.LastIndexByte(c.path, '.')+1:], "_", " ")
}

// parseFigureColumn parses a column: PATH*FACTOR:DIGITS=HEADING.
func parseFigureColumn(text string) (c figureColumn, err error) {
	m := figureColumnForm.FindStringSubmatch(text)
	if m == nil {
		return c, fmt.Errorf("%q: want bench ..., LABEL: bench ..., or PATH*FACTOR:DIGITS=HEADING", text)
	}
	c = figureColumn{path: m[1], factor: 1, digits: -1, percent: m[3] == "%", heading: m[4]}
	if m[2] != "" {
		if c.factor, err = strconv.ParseFloat(m[2], 64); err != nil {
			return c, fmt.Errorf("%q: %w", text, err)
		}
	}
	if m[3] != "" && !c.percent {
		c.digits = int(m[3][0] - '0')
	}
	return c, nil
}

// isText reports whether a column names rows.
func (c *figureColumn) isText() bool {
	return c.path == "pane" || c.path == "strategy" || c.path == "label"
}

// head returns the first lines of the table.
func (t *figureTable) head() string {
	var names, lines string
	for _, c := range t.columns {
		line := "---:|"
		if c.isText() {
			line = "---|"
		}
		names, lines = names+" "+c.heading+" |", lines+line
	}
	return "|" + names + "\n|" + lines + "\n"
}

// markdown runs the commands and returns the table.
func (t *figureTable) markdown() (string, error) {
	var b strings.Builder
	b.WriteString(t.head())
	found := make([]bool, len(t.columns))
	for _, c := range t.commands {
		text, err := runDocCommand(c.args)
		if err != nil {
			return "", err
		}
		var report struct{ Panes []map[string]any }
		if err := json.Unmarshal([]byte(text), &report); err != nil {
			return "", fmt.Errorf("%s: %w", strings.Join(c.args, " "), err)
		}
		if n := len(c.labels); n > 1 && n != len(report.Panes) {
			return "", fmt.Errorf("%d labels for %d panes: %s", n, len(report.Panes), strings.Join(c.args, " "))
		}
		for n, pane := range report.Panes {
			b.WriteByte('|')
			for i := range t.columns {
				cell, ok := t.columns[i].cell(c.label(n), pane)
				found[i] = found[i] || ok
				b.WriteString(" " + cell + " |")
			}
			b.WriteByte('\n')
		}
	}
	if i := slices.Index(found, false); i >= 0 {
		return "", fmt.Errorf("no pane has %s", t.columns[i].path)
	}
	return b.String(), nil
}

// noFigure is written where a pane has no value.
const noFigure = "–"

// cell returns the text of a column in the row of a pane; ok is false if the pane does not know the column.
func (c *figureColumn) cell(label string, pane map[string]any) (text string, ok bool) {
	switch c.path {
	case "label":
		return label, true
	case "pane":
		return fmt.Sprintf("`%v`", pane["spec"]), true
	case "strategy":
		return fmt.Sprintf("`%v`", pane["strategy"]), true
	}
	v, ok := lookUp(pane, strings.Split(c.path, "."))
	for _, group := range []string{"score", "counters", "traffic", "knobs"} {
		if ok {
			break
		}
		inner, _ := pane[group].(map[string]any)
		v, ok = lookUp(inner, strings.Split(c.path, "."))
	}
	if !ok {
		return noFigure, false
	}
	switch v := v.(type) {
	case nil:
		return noFigure, true
	case float64:
		return c.number(v), true
	case string:
		return v, true
	case map[string]any: // of several seeds
		mean, known := v["mean"].(float64)
		if !known {
			return noFigure, true
		}
		low, known := v["low95"].(float64)
		high, _ := v["high95"].(float64)
		if !known {
			return c.number(mean), true
		}
		text, half := c.number(mean), c.number((high-low)/2)
		if half != c.number(0) {
			text += " ±" + half
		}
		return text, true
	}
	return fmt.Sprint(v), true
}

func lookUp(m map[string]any, path []string) (any, bool) {
	v, ok := m[path[0]]
	if !ok || len(path) == 1 {
		return v, ok
	}
	inner, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	return lookUp(inner, path[1:])
}

// number formats a value.
func (c *figureColumn) number(v float64) string {
	v *= c.factor
	switch {
	case c.percent:
		return strings.TrimSuffix(strconv.FormatFloat(100*v, 'f', 1, 64), ".0") + " %"
	case c.digits >= 0:
		return strconv.FormatFloat(v, 'f', c.digits, 64)
	case v == math.Trunc(v) || math.Abs(v) >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

var docCommands sync.Map // func() (string, error), by command line

// runDocCommand returns what a command prints, or its error. Equal commands run once.
func runDocCommand(args []string) (string, error) {
	run, _ := docCommands.LoadOrStore(strings.Join(args, "\x00"), sync.OnceValues(func() (string, error) { return mainOutput(args) }))
	return run.(func() (string, error))()
}

// mainOutput runs the program and returns what it prints. Commands that would open a window end before they do.
func mainOutput(args []string) (string, error) {
	var out, bad strings.Builder
	env := program.Environment(args, &out, &bad)
	env.OpenWindow = func(*cli.WindowOptions) (bool, error) { return true, nil }
	if code := cli.Main(env); code != 0 {
		return "", fmt.Errorf("ghostcube %s: exit code %d: %s", strings.Join(args, " "), code, strings.TrimSpace(bad.String()))
	}
	return out.String(), nil
}

// docPages returns the pages of the documentation.
func docPages(t *testing.T) (pages []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && path != "docs" && !strings.HasPrefix(path, "docs"+string(filepath.Separator)) {
			return fs.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			pages = append(pages, path)
		}
		return nil
	})
	if err != nil || len(pages) == 0 {
		t.Fatal(len(pages), err)
	}
	return pages
}

// isMeasured reports whether the figures of a table are measured, although the page has them: all with -update, all for
// .ci/long, and for .ci/run the first table of a page, unless it is over many seeds.
func (f *figureTable) isMeasured(first bool) bool {
	if testing.Short() || !experiment.Enabled() {
		return false
	}
	isLong := slices.ContainsFunc(f.commands, func(c figureCommand) bool { return slices.Contains(c.args, "--seeds") })
	return first && !isLong || experiment.Long() || golden.Updating()
}

// TestPageFigures runs the commands of all tables of figures and compares what they give with the documentation, or writes it there
// with -update. The tables of state synchronisation were those of an older version.
func TestPageFigures(t *testing.T) {
	for _, page := range docPages(t) {
		source, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text := string(source)
		if opened := strings.Count(text, "\n<!-- figures:"); opened != len(figureBlock.FindAllString(text, -1)) {
			t.Errorf("%s: %d tables of figures begin, and not all have an end", page, opened)
		}
		tables := figureBlock.FindAllStringSubmatch(text, -1)
		if len(tables) == 0 {
			continue
		}
		t.Run(page, func(t *testing.T) {
			written := text
			for i, m := range tables {
				table, err := parseFigures(m[1])
				if err != nil {
					t.Errorf("figures:%s: %v", m[1], err)
					continue
				}
				if strings.HasPrefix(m[2], table.head()) && !table.isMeasured(i == 0) {
					continue // the page keeps the figures of the tables that it has
				}
				got, err := table.markdown()
				if err != nil {
					t.Errorf("figures:%s: %v", m[1], err)
					continue
				}
				written = strings.Replace(written, m[0], "<!-- figures:"+m[1]+"-->\n"+got+"<!-- end -->", 1)
			}
			golden.Page(t, page, written)
		})
	}
}

// TestFigureSyntax checks what a comment of figures may be, and how values are written.
func TestFigureSyntax(t *testing.T) {
	for text, want := range map[string]string{
		" a | b ":                         "want at least a command",
		" bench --seconds 1 ":             "want at least a command and a column",
		" pane | bench --seconds 1 ":      "want commands first",
		" bench --seconds 1 | a b=c ":     "want bench",
		" bench --seconds 1 | a*x=c ":     "want bench",
		" bench --seconds 1 | a*1.2.3=c ": "invalid syntax",
	} {
		if _, err := parseFigures(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	table, err := parseFigures(" 1 %; 1 %, too: bench --panes rewind,snapshot --seconds 2 |\n" +
		"2 %: bench --panes rewind,snapshot --seconds 2\n" +
		"| label=loss | pane | score.path_error_rms_m*1000:2=path error, mm | lost_up_ratio:% | pops_per_minute:0 ")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := table.head(), "| loss | pane | path error, mm | lost up ratio | pops per minute |\n|---|---|---:|---:|---:|\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if len(table.commands) != 2 || table.commands[0].label(1) != "1 %, too" || table.commands[1].label(1) != "2 %" {
		t.Error(table.commands)
	}
	pane := map[string]any{"spec": "rewind:smoothing=none", "strategy": "rewind", "score": map[string]any{"path_error_rms_m": 0.0012345, "none": nil},
		"traffic": map[string]any{"lost_up_ratio": 0.25},
		"counters": map[string]any{"n": map[string]any{"mean": 3.0, "low95": 2.0, "high95": 4.0},
			"same": map[string]any{"mean": 3.0, "low95": 3.0, "high95": 3.0}, "big": 1234.5, "small": 0.0123456}}
	for i, want := range []string{"1 %", "`rewind:smoothing=none`", "1.23", "25 %"} {
		if got, ok := table.columns[i].cell("1 %", pane); !ok || got != want {
			t.Errorf("%q, %v, want %q", got, ok, want)
		}
	}
	for path, want := range map[string]string{"n": "3 ±1", "same": "3", "big": "1234", "small": "0.0123", "none": "–"} {
		c := figureColumn{path: path, factor: 1, digits: -1}
		if got, ok := c.cell("", pane); !ok || got != want {
			t.Errorf("%s: %q, %v, want %q", path, got, ok, want)
		}
	}
	c := figureColumn{path: "nothing"}
	if got, ok := c.cell("", pane); ok || got != "–" {
		t.Errorf("a missing value: %q, %v", got, ok)
	}
}
