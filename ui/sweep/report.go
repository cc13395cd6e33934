package sweep

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ghostcube/internal/statistics"
)

// ReportOptions are what a report says besides the results.
type ReportOptions struct {
	Program   string  // that the results are of
	Precision float64 // half of an interval as a share of the mean, for which the number of seeds is given
	Page      string  // address of the page to which links lead; empty: links are commands
}

//go:embed report.html
var reportText string

// tableArguments are what the template of a table shows.
type tableArguments struct {
	Report *report
	Table  table
}

// flagName matches a flag in a command, as HTML.
var flagName = regexp.MustCompile(`--[a-z-]+`)

var reportTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"args": func(r *report, t table) tableArguments { return tableArguments{r, t} },
	"breaks": func(text string) template.HTML { // lines of a narrow screen end at commas
		return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(text), ",", ",<wbr>"))
	},
	"flags": func(command string) template.HTML { // no line ends within a flag's name
		return template.HTML(flagName.ReplaceAllString(template.HTMLEscapeString(command), "<span>$0</span>"))
	},
}).Parse(reportText))

// maxDetails is the largest number of points of which the report has a row each. Their means are in the tables of the
// networks, and all are in the results.
const maxDetails = 2000

// report is what the template shows.
type report struct {
	Title, Program, Baseline         string
	Extent                           string // panes, networks, tapes and seeds
	Cells, Planned, Seeds            int
	Precision                        string
	Comparisons, DetailedComparisons int
	LeftOut                          []string
	Sections                         []section
	NoDetails                        bool
}

// section is what the report says of a network.
type section struct {
	Network, Conditions string
	Table               table
	Plots               []template.HTML
	Details             []table // one for each tape, if there are several
}

// table has a row for each pane.
type table struct {
	Title string
	Heads []string
	Notes []string // sentences on values that are left out of the means
	Rows  []row
}

// row is a pane.
type row struct {
	Number   int
	Pane     string
	Compared bool // it has all measures of the front
	Front    bool // no other pane is better in all of them
	Cells    []cellText
	Needed   string
	Repeats  []repeat
}

// cellText is a mean, and the difference from the baseline.
type cellText struct {
	Mean, Half       string // empty: no value
	Difference       string // empty: this is the baseline, or there is none
	Holds            bool   // the difference is not 0 after the correction for many comparisons
	difference, mean statistics.Interval
}

// repeat is how a session of a row is run again.
type repeat struct{ Tape, Command, Link, Href string }

// sample has the values of a point: by column, then by seed.
type sample []map[uint64]float64

// WriteReport writes the report of a plan.
func (s *Store) WriteReport(p *Plan, columns []Column, o ReportOptions) error {
	r, err := newReport(s, p, columns, o)
	if err != nil {
		return err
	}
	return s.WriteFile(ReportHTML, func(w io.Writer) error { return reportTemplate.Execute(w, r) })
}

// analysis makes a report.
type analysis struct {
	plan    *Plan
	columns []Column // that the report shows
	samples []sample // by point
	options ReportOptions
}

// newReport reads the cells of a plan and makes their report.
func newReport(s *Store, p *Plan, columns []Column, o ReportOptions) (*report, error) {
	a := &analysis{plan: p, options: o, samples: make([]sample, len(p.Points))}
	for _, c := range columns {
		if c.Leads {
			a.columns = append(a.columns, c)
		}
	}
	r := &report{Title: p.Title, Program: o.Program, Baseline: p.Baseline, Planned: p.Cells(), Seeds: p.Seeds, LeftOut: p.LeftOut,
		Precision: strconv.FormatFloat(o.Precision*100, 'g', 3, 64), NoDetails: len(p.Points) > maxDetails}
	if r.Title == "" {
		if r.Title = "A sweep of " + strings.Join(p.Panes, ", "); len(p.Panes) > 4 {
			r.Title = fmt.Sprintf("A sweep of %d panes", len(p.Panes))
		}
	}
	at := map[*Point]int{}
	for i := range p.Points {
		at[&p.Points[i]], a.samples[i] = i, make(sample, len(a.columns))
		for k := range a.columns {
			a.samples[i][k] = map[uint64]float64{}
		}
	}
	err := p.eachCell(s, func(q *Point, c *Cell) error {
		r.Cells++
		for k := range a.columns {
			if v, ok := c.Values[a.columns[k].Name]; ok {
				a.samples[at[q]][k][c.Seed] = v
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	a.addSections(r)
	return r, nil
}

// settings are the points of a network with one scene and tape.
type settings struct {
	name   string
	points []int
}

// addSections adds a section for each network, and marks the differences that hold.
func (a *analysis) addSections(r *report) {
	var networks []string
	tapes := map[string]bool{}
	groups := map[string][]settings{}
	for i := range a.plan.Points {
		q := &a.plan.Points[i]
		name := q.Tape + " in " + q.Scene
		tapes[q.Tape] = true
		if groups[q.Network] == nil {
			networks = append(networks, q.Network)
		}
		list := groups[q.Network]
		k := slices.IndexFunc(list, func(g settings) bool { return g.name == name })
		if k < 0 {
			k, list = len(list), append(list, settings{name: name})
		}
		list[k].points = append(list[k].points, i)
		groups[q.Network] = list
	}
	seeds := fmt.Sprintf("seeds %d to %d", a.plan.FirstSeed, a.plan.FirstSeed+uint64(a.plan.Seeds)-1)
	if a.plan.Seeds == 1 {
		seeds = fmt.Sprintf("seed %d", a.plan.FirstSeed)
	}
	r.Extent = strings.Join([]string{count(len(a.plan.Panes), "pane"), count(len(networks), "network"), count(len(tapes), "tape"), seeds}, ", ")
	for _, name := range networks {
		list := groups[name]
		s := section{Network: name, Conditions: a.plan.Points[list[0].points[0]].Conditions, Table: a.table(list)}
		s.Plots = a.plots(&s.Table)
		for k := 0; len(list) > 1 && k < len(list) && !r.NoDetails; k++ {
			s.Details = append(s.Details, a.table(list[k:k+1]))
		}
		r.Sections = append(r.Sections, s)
	}
	r.Comparisons = markDifferences(r.Sections, func(s *section) []table { return []table{s.Table} })
	r.DetailedComparisons = markDifferences(r.Sections, func(s *section) []table { return s.Details })
}

// count returns a number with its noun.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// markDifferences marks the differences of tables that are not 0 after a correction for all of them.
func markDifferences(sections []section, tables func(*section) []table) int {
	var cells []*cellText
	for i := range sections {
		for _, t := range tables(&sections[i]) {
			for k := range t.Rows {
				for c := range t.Rows[k].Cells {
					if x := &t.Rows[k].Cells[c]; x.difference.N > 1 {
						cells = append(cells, x)
					}
				}
			}
		}
	}
	p := make([]float64, len(cells))
	for i, c := range cells {
		p[i] = c.difference.PValue()
	}
	for i, holds := range statistics.Holm(p, 0.05) {
		cells[i].Holds = holds
	}
	return len(cells)
}

// table returns the table of some settings of a network: means over them, if there are several.
func (a *analysis) table(list []settings) table {
	t := table{Title: list[0].name}
	if len(list) > 1 {
		t.Title = fmt.Sprintf("mean of %d tapes", len(list))
	}
	common := make([][]settings, len(a.columns))
	for k, c := range a.columns {
		t.Heads = append(t.Heads, c.Title)
		common[k] = a.common(list, k)
		switch n := len(common[k]); {
		case len(list) == 1 || n == len(list):
		case n == 0:
			t.Notes = append(t.Notes, c.Title+": there is no tape in which every pane has a value")
		default:
			t.Notes = append(t.Notes, fmt.Sprintf("%s: of %s in which every pane has a value", c.Title, count(n, "tape")))
		}
		if len(list) == 1 {
			common[k] = list
		}
	}
	var baseline []map[uint64]float64
	for pass := range 2 { // the baseline first
		for number, pane := range a.plan.Panes {
			if !a.runs(list, pane) || pass == 0 && pane != a.plan.Baseline {
				continue
			}
			values := make([]map[uint64]float64, len(a.columns))
			for k := range a.columns {
				values[k] = a.means(common[k], pane, k)
			}
			if pass == 0 {
				baseline = values
				continue
			}
			q := row{Number: number + 1, Pane: pane, Repeats: a.repeats(list, pane)}
			for k := range a.columns {
				q.Cells = append(q.Cells, a.cell(k, values[k], baseline, pane))
			}
			q.Needed = a.needed(q.Cells)
			t.Rows = append(t.Rows, q)
		}
	}
	a.markFront(&t)
	return t
}

// runs reports whether a pane has a point in some settings.
func (a *analysis) runs(list []settings, pane string) bool {
	return slices.ContainsFunc(list, func(g settings) bool { return a.point(g, pane) >= 0 })
}

// point returns the index of a pane's point in settings, or -1.
func (a *analysis) point(g settings, pane string) int {
	k := slices.IndexFunc(g.points, func(i int) bool { return a.plan.Points[i].Pane == pane })
	if k < 0 {
		return -1
	}
	return g.points[k]
}

// common returns the settings in which all panes have values of a column.
func (a *analysis) common(list []settings, column int) (kept []settings) {
	for _, g := range list {
		every := true
		for _, pane := range a.plan.Panes {
			if i := a.point(g, pane); a.runs(list, pane) && (i < 0 || len(a.samples[i][column]) == 0) {
				every = false
			}
		}
		if every {
			kept = append(kept, g)
		}
	}
	return kept
}

// means returns the means over settings of a pane's values of a column, by seed. A seed that lacks a value in one of
// them has no mean.
func (a *analysis) means(list []settings, pane string, column int) map[uint64]float64 {
	values := map[uint64]float64{}
	for k := range a.plan.Seeds {
		seed, sum, n := a.plan.FirstSeed+uint64(k), 0.0, 0
		for _, g := range list {
			if i := a.point(g, pane); i >= 0 {
				if v, ok := a.samples[i][column][seed]; ok {
					sum, n = sum+v, n+1
				}
			}
		}
		if n > 0 && n == len(list) {
			values[seed] = sum / float64(n)
		}
	}
	return values
}

// cell returns the text of a mean and of its difference from the baseline.
func (a *analysis) cell(column int, values map[uint64]float64, baseline []map[uint64]float64, pane string) cellText {
	c := cellText{mean: statistics.BySeed(values)}
	if c.mean.N == 0 {
		return c
	}
	digits := a.columns[column].Digits
	c.Mean = strconv.FormatFloat(c.mean.Mean, 'f', digits, 64)
	if c.mean.N > 1 {
		c.Half = halfText(c.mean.Half(), digits)
	}
	if baseline == nil || pane == a.plan.Baseline {
		return c
	}
	if d := statistics.PairedDifference(values, baseline[column]); d.N > 1 {
		c.difference = d
		c.Difference = signed(d.Mean, digits) + " ± " + halfText(d.Half(), digits)
	}
	return c
}

// halfText formats half of an interval. One that is not 0 is not shown as 0.
func halfText(half float64, digits int) string {
	text := strconv.FormatFloat(half, 'f', digits, 64)
	if half > 0 && strings.Trim(text, "0.") == "" {
		return "<" + smallest(digits)
	}
	return text
}

// smallest returns the smallest number with some digits after the point.
func smallest(digits int) string {
	if digits == 0 {
		return "1"
	}
	return "0." + strings.Repeat("0", digits-1) + "1"
}

// signed formats a difference with its sign.
func signed(v float64, digits int) string {
	text := strconv.FormatFloat(v, 'f', digits, 64)
	switch {
	case strings.Trim(text, "-0.") == "":
		return strings.TrimPrefix(text, "-")
	case v > 0:
		return "+" + text
	}
	return "−" + strings.TrimPrefix(text, "-")
}

// needed returns the number of seeds that the measure which needs most of them needs for the precision.
func (a *analysis) needed(cells []cellText) string {
	most, title := 0, ""
	for k, c := range cells {
		if c.mean.N == 1 {
			return "-"
		}
		if c.mean.N == 0 || c.mean.Mean == 0 || c.mean.SD == 0 {
			continue
		}
		half := a.options.Precision * c.mean.Mean
		if half < 0 {
			half = -half
		}
		if n := c.mean.NeededSeeds(half); n > most {
			most, title = n, a.columns[k].Title
		}
	}
	switch title, _, _ = strings.Cut(title, ","); {
	case most == 0:
		return "2"
	case most > 1000:
		return "over 1000, for " + title
	}
	return fmt.Sprintf("%d, for %s", most, title)
}

// repeats returns the commands and links of a pane.
func (a *analysis) repeats(list []settings, pane string) (all []repeat) {
	for _, g := range list {
		i := a.point(g, pane)
		if i < 0 {
			continue
		}
		q := &a.plan.Points[i]
		r := repeat{Tape: g.name, Command: q.Command, Link: q.Link}
		if a.options.Page != "" && q.Link != "" {
			r.Href = a.options.Page + q.Link
		}
		all = append(all, r)
	}
	return all
}
