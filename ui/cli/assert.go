//go:build !js || headless

package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"

	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/score"
)

// assertion is a condition on a figure of a pane: PANE.MEASURE, an operator and a number.
type assertion struct {
	text          string
	pane, measure string
	operator      string
	limit         float64
}

// assertionPattern splits an assertion. A measure has no dot, a spec in the place of a pane may have one.
var assertionPattern = regexp.MustCompile(`^\s*(.+)\.([^.<>=!]+?)\s*(<=|>=|<|>|=)\s*(.*?)\s*$`)

// parseAssertions parses the values of --assert.
func parseAssertions(texts []string) (list []assertion, err error) {
	for _, text := range texts {
		parts := assertionPattern.FindStringSubmatch(text)
		if parts == nil {
			return nil, fmt.Errorf("--assert=%s: want PANE.MEASURE, one of < <= > >= =, and a number: rewind.pops_per_minute<5", text)
		}
		limit, err := strconv.ParseFloat(parts[4], 64)
		if err != nil || math.IsInf(limit, 0) || math.IsNaN(limit) {
			return nil, fmt.Errorf("--assert=%s: %q: want a finite number", text, parts[4])
		}
		list = append(list, assertion{text: text, pane: parts[1], measure: parts[2], operator: parts[3], limit: limit})
	}
	return list, nil
}

// namedPane is what an assertion can call a pane by.
type namedPane struct{ title, strategy string }

// newNamedPane returns the names of the pane of a spec and a strategy.
func newNamedPane(spec, strategy string) namedPane {
	title, _ := lab.CutTitle(spec)
	return namedPane{title, strategy}
}

// find returns the index of the pane that an assertion means: by its number, by its title, which may be that of a preset,
// or by its strategy.
func (a *assertion) find(panes []namedPane) (int, error) {
	if n, err := strconv.Atoi(a.pane); err == nil && n >= 1 && n <= len(panes) {
		return n - 1, nil
	}
	names, by := []string{}, [2][]int{} // by title, by strategy
	for i, p := range panes {
		names = append(names, strconv.Itoa(i+1))
		for kind, match := range []bool{p.title == a.pane || p.title == "" && p.strategy == a.pane, p.strategy == a.pane} {
			if match {
				by[kind] = append(by[kind], i)
			}
		}
	}
	for _, found := range by {
		switch len(found) {
		case 0:
			continue
		case 1:
			return found[0], nil
		}
		return 0, fmt.Errorf("--assert=%s: %d panes are called %s: want the number of one", a.text, len(found), a.pane)
	}
	for _, p := range panes {
		for _, name := range []string{p.title, p.strategy} {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	names = names[len(panes):] // a number would look like a count
	return 0, fmt.Errorf("--assert=%s: %w", a.text, &link.UnknownNameError{Kind: "pane", Name: a.pane, Choices: names})
}

// checkNames reports an assertion about a pane that a session does not have, or a figure that the pane's strategy does not
// have, before the session runs. If entries change the panes, judge reports them.
func checkNames(list []assertion, l *lab.Lab, entries lab.Entries) error {
	if len(list) == 0 || changesPanes(entries) {
		return nil
	}
	var panes []namedPane
	for _, p := range l.Panes {
		panes = append(panes, newNamedPane(p.Spec(), p.Strategy.Name))
	}
	for i := range list {
		at, err := list[i].find(panes)
		if err == nil {
			err = list[i].checkMeasure(l.Panes[at].Strategy)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkMeasure reports a measure that no session of a strategy has.
func (a *assertion) checkMeasure(s *predict.Strategy) error {
	if err := checkMeasure(s, a.measure); err != nil {
		return fmt.Errorf("--assert=%s: %w", a.text, err)
	}
	return nil
}

// checkMeasure reports a figure that no session of a strategy has.
func checkMeasure(s *predict.Strategy, name string) error {
	known := append(figureNames(), joinNoticed)
	_, counters := lab.Describe(s)
	for _, c := range counters.All() {
		known = append(known, c.Name)
	}
	if slices.Contains(known, name) {
		return nil
	}
	unknown := &link.UnknownNameError{Kind: "measure", Name: name, Choices: known}
	return fmt.Errorf("%w, nor a counter: list counters %s", unknown, s.Name)
}

// figureNames returns the names of the figures that every strategy has: measures, then those of the traffic.
func figureNames() (names []string) {
	for _, d := range score.Definitions {
		names = append(names, measureNames(d)...)
	}
	for _, m := range trafficMeasures {
		names = append(names, m.name)
	}
	return names
}

// changesPanes reports whether entries open, close or switch panes: then the panes are known at the end of the session alone.
func changesPanes(entries lab.Entries) bool {
	for i := range entries.Count {
		for _, c := range entries.At(i).Commands {
			if c.Verb == "open" || c.Verb == "close" || c.Verb == "switch" {
				return true
			}
		}
	}
	return false
}

// holds reports whether a value satisfies the assertion. NaN satisfies none.
func (a *assertion) holds(v float64) bool {
	switch a.operator {
	case "<":
		return v < a.limit
	case "<=":
		return v <= a.limit
	case ">":
		return v > a.limit
	case ">=":
		return v >= a.limit
	}
	return v == a.limit
}

// judge reports whether an assertion holds over all sessions, for the mean or in the whole interval, with the measured value and
// its pane.
func (a *assertion) judge(s *seedsResult, interval bool) (holds bool, measured string, err error) {
	var panes []namedPane
	for i := range s.Panes {
		panes = append(panes, newNamedPane(s.Panes[i].Spec, s.Panes[i].Strategy))
	}
	i, err := a.find(panes)
	if err != nil {
		return false, "", err
	}
	p := &s.Panes[i]
	in := fmt.Sprintf(" in pane %d, %s", i+1, p.Spec)
	all := slices.Concat(p.Score, p.Traffic, p.Counters)
	k := slices.IndexFunc(all, func(m seedMeasure) bool { return m.name == a.measure })
	if k < 0 {
		strategy, err := lab.StrategyNamed(p.Strategy)
		if err == nil {
			err = a.checkMeasure(strategy)
		}
		return false, "no value" + in, err
	}
	m := &all[k]
	if m.Mean == nil {
		return false, "no value" + in, nil
	}
	digits := -1
	if m.Low != nil {
		digits = digitsOfInterval((*m.High - *m.Low) / 2)
	}
	measured = a.numberText(*m.Mean, digits) + in
	if n := len(s.Seeds); n > 1 {
		measured += fmt.Sprintf(", mean of %d sessions", n)
		if m.N < n {
			measured += fmt.Sprintf(", of which %d have a value", m.N)
		}
	}
	if m.Low != nil {
		measured += fmt.Sprintf(", 95 %% interval %s to %s", a.numberText(*m.Low, digits), a.numberText(*m.High, digits))
	}
	if interval {
		if m.Low == nil {
			measured += ", no interval"
		}
		return m.Low != nil && a.holds(*m.Low) && a.holds(*m.High), measured, nil
	}
	return a.holds(*m.Mean), measured, nil
}

// numberText formats a value with a number of decimals, or with all its digits if a rounded one would be on the other side of the
// limit. Below 0 decimals it is that of a counter.
func (a *assertion) numberText(v float64, decimals int) string {
	text := counterText(v)
	if decimals >= 0 {
		text = fixed(v, decimals)
	}
	if shown, err := strconv.ParseFloat(text, 64); err == nil && a.holds(shown) != a.holds(v) {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return text
}

// checkAssertions prints which assertions hold in the results of all sessions, and returns an error if one does not.
func checkAssertions(out io.Writer, list []assertion, s *seedsResult, interval bool) error {
	if len(list) == 0 {
		return nil
	}
	fmt.Fprintln(out, "\nassertions")
	t := newTextTable(out)
	failed := 0
	for i := range list {
		a := &list[i]
		holds, measured, err := a.judge(s, interval)
		if err != nil {
			return errors.Join(t.close(), usageError{err})
		}
		outcome := "holds"
		if !holds {
			outcome, failed = "fails", failed+1
		}
		t.row(outcome, a.text, measured)
	}
	if err := t.close(); err != nil || failed == 0 {
		return err
	}
	return fmt.Errorf("%d of %s failed", failed, plural(len(list), "assertion"))
}
