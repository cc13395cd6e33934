package cli

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/internal/golden"
	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/predict/score"
	"ghostcube/ui/plan"
)

// The page of all comparisons with measured figures and stills. go test ./ui/cli -run TestComparisonPage
// -update, with GHOSTCUBE_CI=1, writes it and, if their folder exists, its stills.
const (
	comparisonPage   = "../../docs/comparisons.md"
	comparisonStills = "../../docs/comparisons"
)

func comparisons(t *testing.T) []plan.Comparison {
	t.Helper()
	list, err := newProgram(testEnvironment(nil, t.Output(), t.Output())).library.Comparisons()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// digestSeconds is the time after which the digests of a comparison are taken.
const digestSeconds = 8

// comparisonRun is what the tests of all comparisons need of one. Each is run once.
type comparisonRun struct {
	digests []string          // a line for each pane, at digestSeconds
	figures [][]score.Measure // of each pane at the comparison's moment: the headline, then those that lead a pane
	err     error
}

var comparisonRuns sync.Map // func() *comparisonRun, by name

// runComparison runs a comparison to its moment, and at least to digestSeconds, or returns the earlier run.
func runComparison(c *plan.Comparison) *comparisonRun {
	run, _ := comparisonRuns.LoadOrStore(c.Name, sync.OnceValue(func() *comparisonRun {
		r := &comparisonRun{}
		r.err = r.play(c)
		return r
	}))
	return run.(func() *comparisonRun)()
}

func (r *comparisonRun) play(c *plan.Comparison) error {
	p := newProgram(testEnvironment(nil, os.Stderr, os.Stderr))
	session, err := p.newPlan(SessionFlags{Compare: c.Name, Seconds: max(c.Moment, digestSeconds)}, "")
	if err != nil {
		return err
	}
	l := lab.New(session.Config)
	sent := map[*lab.Pane]*uint64{}
	l.Tap = func(p *lab.Pane, seat int, d link.Direction, now time.Duration, datagram []byte) {
		h := sent[p]
		if h == nil {
			h = new(uint64)
			sent[p] = h
		}
		mixHash(h, uint64(seat)<<8|uint64(d))
		mixHash(h, uint64(now))
		mixHash(h, uint64(len(datagram)))
		for _, b := range datagram {
			mixHash(h, uint64(b))
		}
	}
	for _, spec := range session.Panes {
		if _, err := l.Open(spec); err != nil {
			return err
		}
	}
	rate := session.Config.Rate
	for i := range session.Ticks(0) {
		if err := l.Tick(session.Entry(i)); err != nil {
			return err
		}
		if i+1 == digestSeconds*rate {
			r.addDigests(c.Name, l, sent)
		}
		if i+1 == int(c.Moment*float64(rate)) {
			for _, p := range l.Panes {
				r.figures = append(r.figures, append([]score.Measure{headlineFigure(p, c.Headline)}, p.Headline(nil)...))
			}
		}
	}
	return nil
}

func (r *comparisonRun) addDigests(name string, l *lab.Lab, sent map[*lab.Pane]*uint64) {
	for i, p := range l.Panes {
		var scored uint64
		for _, m := range p.Measures(nil) {
			known := uint64(0)
			if m.OK {
				known = 1 + math.Float64bits(m.Value)
			}
			mixHash(&scored, known)
		}
		r.digests = append(r.digests, fmt.Sprintf("%s %d world %016x sent %016x score %016x", name, i+1, p.Hash(), *sent[p], scored))
	}
}

// headlineFigure returns the measure or counter of a pane that has a name.
func headlineFigure(p *lab.Pane, name string) score.Measure {
	for _, m := range p.Measures(p.Headline(nil)) {
		if m.Name == name {
			return m
		}
	}
	v, ok := p.Counters.Lookup(name)
	m := score.Measure{Name: name, Value: v, OK: ok}
	if v != math.Trunc(v) {
		m.Digits = 2
	}
	return m
}

// TestComparisonsAreListed checks that the page and the README have every comparison with its present title,
// and that the page shows its still if there is one.
func TestComparisonsAreListed(t *testing.T) {
	page, err := os.ReadFile(comparisonPage)
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range comparisons(t) {
		if !golden.Updating() && !strings.Contains(string(page), comparisonHeading(&c)) {
			t.Errorf("docs/comparisons.md is out of date: %s", c.Name)
		}
		if row := fmt.Sprintf("| `%s` | %s |\n", c.Name, c.Title); !strings.Contains(string(readme), row) {
			t.Errorf("the README lacks the row %q", row)
		}
	}
}

// TestComparisonPage runs every comparison to its moment, checks that the headline has the order that the
// comparison claims, and compares the figures with the page.
func TestComparisonPage(t *testing.T) {
	experiment.Skip(t)
	if testing.Short() {
		t.Skip("runs all comparisons")
	}
	list := comparisons(t)
	t.Run("play", func(t *testing.T) {
		for i := range list {
			t.Run(list[i].Name, func(t *testing.T) {
				t.Parallel()
				c := &list[i]
				r := runComparison(c)
				if r.err != nil {
					t.Fatal(r.err)
				}
				for _, o := range c.Order {
					a, b := r.figures[o.Smaller][0], r.figures[o.Larger][0]
					if !a.OK || !b.OK || a.Value >= b.Value {
						t.Errorf("%s: pane %d has %s, pane %d has %s, want less in pane %d", c.Headline, o.Smaller+1, a.Text(), o.Larger+1, b.Text(), o.Smaller+1)
					}
				}
				if _, err := os.Stat(comparisonStills); golden.Updating() && err == nil {
					writeStill(t, c)
				}
			})
		}
	})
	var page strings.Builder
	fmt.Fprintf(&page, comparisonPageHead, len(list))
	for i := range list {
		c := &list[i]
		if i == 0 || list[i-1].Source != c.Source {
			source := c.Source.String()
			if source == "" {
				source = "Without a source"
			}
			fmt.Fprintf(&page, "\n## %s\n", source)
		}
		page.WriteString(comparisonHeading(c))
		writeComparisonFigures(&page, c, runComparison(c).figures)
	}
	if golden.Updating() {
		if err := os.WriteFile(comparisonPage, []byte(page.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(comparisonPage)
	if err != nil {
		t.Fatal(err)
	}
	got, old := strings.Split(page.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(old)) {
		if i >= len(got) || i >= len(old) || got[i] != old[i] {
			t.Errorf("docs/comparisons.md, line %d:\ngot  %q\nwant %q", i+1, got[min(i, len(got)-1)], old[min(i, len(old)-1)])
		}
	}
}

const comparisonPageHead = `# Comparisons

The %d comparisons, each at the moment at which its effect is clearest. The first column of figures is
the headline, which every pane shows in large type: a measure or a counter of the session so far. The
other columns are the figures that lead every pane. The text says the order of the headline where a
title claims one. ` + "`ghostcube --compare NAME`" + ` starts a comparison, and
` + "`ghostcube record --compare NAME -o NAME.png`" + ` makes its still.

A test runs all comparisons, checks the orders and writes this page, so its figures are those of the
present version.
`

// comparisonHeading returns what the page says of a comparison before its figures.
func comparisonHeading(c *plan.Comparison) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n### %s\n\n%s. At %g s.", c.Name, c.Title, c.Moment)
	for i, o := range c.Order {
		b.WriteString([...]string{" ", ", "}[min(i, 1)])
		fmt.Fprintf(&b, "Pane %d < pane %d", o.Smaller+1, o.Larger+1)
	}
	if len(c.Order) > 0 {
		b.WriteString(".")
	}
	b.WriteString("\n\n")
	if _, err := os.Stat(filepath.Join(comparisonStills, c.Name+".png")); err == nil {
		fmt.Fprintf(&b, "![%s](comparisons/%s.png)\n\n", c.Title, c.Name)
	}
	return b.String()
}

// writeComparisonFigures writes the table of a comparison.
func writeComparisonFigures(b *strings.Builder, c *plan.Comparison, figures [][]score.Measure) {
	var head, line []string
	for _, m := range figures[0] {
		title := m.Title
		if title == "" {
			title = strings.ReplaceAll(m.Name, "_", " ")
		}
		if len(head) > 0 && m.Name == c.Headline {
			continue
		}
		head, line = append(head, title), append(line, "---:")
	}
	fmt.Fprintf(b, "| pane | %s |\n|---|%s|\n", strings.Join(head, " | "), strings.Join(line, "|"))
	specs := strings.Split(c.Settings.Panes, ",")
	for i, pane := range figures {
		fmt.Fprintf(b, "| %d `%s`", i+1, specs[i])
		for k := range pane {
			if k > 0 && pane[k].Name == c.Headline {
				continue
			}
			fmt.Fprintf(b, " | %s", pane[k].Text())
		}
		b.WriteString(" |\n")
	}
}

// writeStill renders the still of a comparison.
func writeStill(t *testing.T, c *plan.Comparison) {
	t.Helper()
	file := filepath.Join(comparisonStills, c.Name+".png")
	var out, errs strings.Builder
	if code := Main(testEnvironment([]string{"record", "--compare", c.Name, "--size", "960x540", "-o", file}, &out, &errs)); code != 0 {
		t.Errorf("%s: %s", c.Name, errs.String())
	}
}
