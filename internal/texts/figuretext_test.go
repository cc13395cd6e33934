package texts

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
)

// textFigures matches a comment that lists the figures in the text before it. CONTRIBUTING.md has the syntax.
var textFigures = regexp.MustCompile(`(?s)<!-- in the text:(.*?)-->`)

// textFigure is a value of a pane, which the text has.
type textFigure struct {
	pane   int // from 0
	column figureColumn
}

// parseTextFigures parses a comment: a command, and values such as 2.pops_per_minute:1.
func parseTextFigures(text string) (args []string, list []textFigure, err error) {
	command, values, _ := strings.Cut(text, "|")
	if args = strings.Fields(command); len(args) == 0 || args[0] != "bench" || values == "" {
		return nil, nil, errors.New("want bench ..., and values")
	}
	for cell := range strings.SplitSeq(values, "|") {
		cell = strings.Join(strings.Fields(cell), " ")
		pane, rest, _ := strings.Cut(cell, ".")
		n, err := strconv.Atoi(pane)
		if err != nil || n < 1 || strings.Contains(rest, "=") {
			return nil, nil, fmt.Errorf("%q: want PANE.PATH*FACTOR:DIGITS", cell)
		}
		column, err := parseFigureColumn(rest)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, textFigure{n - 1, column})
	}
	return append(args, "--format", "json"), list, nil
}

// hasFigure reports whether a text has a number that is not part of a longer one. Commas between thousands do not count.
func hasFigure(text, figure string) bool {
	text = regexp.MustCompile(`(\d),(\d{3})`).ReplaceAllString(text, "$1$2")
	return regexp.MustCompile(`(?:^|[^\d.])` + regexp.QuoteMeta(strings.TrimPrefix(figure, "-")) + `(?:$|[^\d.]|\.(?:\D|$))`).MatchString(text)
}

// TestFiguresInText compares figures in the text of the documentation with what commands print. It runs them with
// GHOSTCUBE_LONG, and otherwise only parses the comments. A guide said 31,585 pops where a run has 20,814.
func TestFiguresInText(t *testing.T) {
	count := 0
	for _, page := range docPages(t) {
		source, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text := string(source)
		for _, at := range textFigures.FindAllStringSubmatchIndex(text, -1) {
			args, list, err := parseTextFigures(text[at[2]:at[3]])
			if err != nil {
				t.Errorf("%s: %v", page, err)
				continue
			}
			count += len(list)
			if !experiment.Long() {
				continue
			}
			before := text[:at[0]]
			if i := strings.LastIndex(before, "\n## "); i >= 0 {
				before = before[i:]
			}
			before = textFigures.ReplaceAllString(before, "")
			out, err := runDocCommand(args)
			if err != nil {
				t.Errorf("%s: %v", page, err)
				continue
			}
			var report struct{ Panes []map[string]any }
			if err := json.Unmarshal([]byte(out), &report); err != nil {
				t.Fatal(err)
			}
			for _, f := range list {
				if f.pane >= len(report.Panes) {
					t.Errorf("%s: %s has %d panes", page, strings.Join(args, " "), len(report.Panes))
					continue
				}
				if value, ok := f.column.cell("", report.Panes[f.pane]); !ok {
					t.Errorf("%s: pane %d has no %s", page, f.pane+1, f.column.path)
				} else if !hasFigure(before, value) {
					t.Errorf("%s: %s: pane %d has %s = %s, which the text does not have", page, strings.Join(args, " "), f.pane+1, f.column.path, value)
				}
			}
		}
	}
	if count == 0 {
		t.Error("no figure in the text is checked")
	}
}

// TestTextFigureSyntax checks what a comment may be, and which numbers count.
func TestTextFigureSyntax(t *testing.T) {
	for text, want := range map[string]string{
		" a ":                     "want bench",
		" bench --seconds 1 ":     "want bench ..., and values",
		" bench | pops ":          "want PANE.PATH",
		" bench | 0.pops ":        "want PANE.PATH",
		" bench | 1.pops=pops ":   "want PANE.PATH",
		" bench | 1.pops*1.2.3:1": "invalid syntax",
	} {
		if _, _, err := parseTextFigures(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	args, list, err := parseTextFigures(" bench --compare a\n| 2.joint_separation_max_m*1000:1 | 1.lost_up_ratio:% ")
	if err != nil || len(args) != 5 || len(list) != 2 || list[0].pane != 1 || list[0].column.factor != 1000 || !list[1].column.percent {
		t.Error(args, list, err)
	}
	for text, want := range map[string]bool{"has 31,585 pops": true, "has 131,585": false, "31585.": true,
		"31585.5": false, "-31585 ms": true, "1.31585": false, "31585": true} {
		if hasFigure(text, "31585") != want {
			t.Errorf("%q: want %v", text, want)
		}
	}
	if !hasFigure("lost 5 % of", "5 %") {
		t.Error("a share is not found")
	}
}
