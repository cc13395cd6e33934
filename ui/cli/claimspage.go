//go:build !js || headless

package cli

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ghostcube/net/link"
	"ghostcube/predict/score"
	"ghostcube/ui/claim"
	"ghostcube/ui/plan"
)

// claims lists the claims by topic, or what there is of one.
func (l *lists) claims(name string) error {
	list, err := plan.Claims(l.library)
	if err != nil {
		return err
	}
	if name != "" {
		i := slices.IndexFunc(list, func(c plan.SourceClaim) bool { return c.ID == name })
		if i < 0 {
			var known []string
			for i := range list {
				known = append(known, list[i].ID)
			}
			return usageError{&link.UnknownNameError{Kind: "claim", Name: name, Choices: known}}
		}
		return l.claim(&list[i])
	}
	l.row("CLAIM", "SAYS", "SOURCE")
	for i := range list {
		c := &list[i]
		if i == 0 || list[i-1].Topic != c.Topic {
			l.note(c.Topic, "", "")
		}
		l.row("  "+c.ID, c.Says, c.Source.String())
	}
	return nil
}

// claim lists what there is of a claim.
func (l *lists) claim(c *plan.SourceClaim) error {
	l.row("says", c.Says)
	l.row("source", c.Source.String())
	l.row("topic", c.Topic)
	l.row("experiment", experimentText(c))
	if c.Command == "" {
		m, err := l.library.New(c.Settings, plan.Settings{}, "")
		if err != nil {
			return err
		}
		for i, spec := range m.Panes {
			l.row(fmt.Sprintf("pane %d", i+1), spec)
		}
		l.row("sessions", strconv.Itoa(cmp.Or(c.Seeds, claimSeeds)))
	}
	for i := range c.Rule.Direction {
		l.row("direction", c.Rule.Direction[i].String())
	}
	for i := range c.Rule.Figure {
		l.row("figure", c.Rule.Figure[i].String())
	}
	if c.Why != "" {
		l.row("why", c.Why)
	}
	return nil
}

// writeClaimsText prints the claims one below the other.
func writeClaimsText(out io.Writer, list []claimResult) {
	for i := range list {
		r := &list[i]
		fmt.Fprintf(out, "%s: %s\n  %s\n  %s\n  %s\n", r.ID, r.Verdict, r.Claim, r.Source, r.Experiment)
		for k, spec := range r.Panes {
			fmt.Fprintf(out, "  pane %d  %s\n", k+1, spec)
		}
		for k := range r.Conditions {
			c := &r.Conditions[k]
			mark := "?  "
			switch {
			case c.Holds:
				mark = "yes"
			case c.Excluded:
				mark = "no "
			}
			fmt.Fprintf(out, "  %s  %s: %s\n", mark, c.Expected, c.text())
		}
		if why := r.reason(func(condition string) string { return condition }); why != "" {
			fmt.Fprintf(out, "  why  %s\n", why)
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out, claimsSummary(list))
}

// reason returns why a claim does not hold: how many sessions would decide it, and the reason that its file gives, or else
// what is excluded. words returns a condition as it is printed.
func (r *claimResult) reason(words func(condition string) string) string {
	var excluded, parts []string
	needed := 0
	for i := range r.Conditions {
		c := &r.Conditions[i]
		needed = max(needed, c.Needed)
		if c.Excluded {
			excluded = append(excluded, words(c.Expected))
		}
	}
	undecided := r.Verdict == claim.Undecided.String()
	if undecided && needed > 0 {
		parts = append(parts, neededText(needed)+".")
	}
	switch {
	case r.Why != "":
		parts = append(parts, r.Why)
	case !undecided && len(excluded) > 0:
		parts = append(parts, "the interval excludes "+strings.Join(excluded, " and ")+".")
	}
	return strings.Join(parts, " ")
}

// neededText returns how many sessions would decide something, if mean and spread stay.
func neededText(n int) string {
	if n > maxSeeds {
		return fmt.Sprintf("more than %d sessions would decide it", maxSeeds)
	}
	return fmt.Sprintf("about %d sessions would decide it", n)
}

// verdicts are all verdicts with their verbs, of one claim and of several.
var verdicts = [][3]string{
	{claim.Holds.String(), "holds", "hold"}, {claim.Differs.String(), "holds with a difference", "hold with a difference"},
	{claim.Undecided.String(), "is undecided", "are undecided"}, {claim.Fails.String(), "does not hold here", "do not hold here"},
}

// claimsSummary counts the verdicts.
func claimsSummary(list []claimResult) string {
	count := map[string]int{}
	for i := range list {
		count[list[i].Verdict]++
	}
	var parts []string
	for _, v := range verdicts {
		n, verb := count[v[0]], v[2]
		if n == 1 {
			verb = v[1]
		}
		parts = append(parts, fmt.Sprintf("%d %s", n, verb))
	}
	return plural(len(list), "claim") + ": " + strings.Join(parts, ", ") + "."
}

// writeClaimsPage prints the claims as a page.
func writeClaimsPage(out io.Writer, list []claimResult) {
	fmt.Fprintf(out, claimsHead, claimsSummary(list))
	source, rules := "", fnv.New32a()
	for i := range list {
		r := &list[i]
		r.writeRule(rules)
		if i == 0 || list[i-1].Topic != r.Topic {
			fmt.Fprintf(out, "\n## %s\n", strings.ToUpper(r.Topic[:1])+strings.ReplaceAll(r.Topic[1:], "-", " "))
			source = ""
		}
		if r.Source != source {
			source = r.Source
			fmt.Fprintf(out, "\n*%s*\n\n", source)
		}
		fmt.Fprintf(out, "%s %s\n", claimRow(r), claimFigures(r))
	}
	fmt.Fprintf(out, claimsEnd, rules.Sum32())
}

// claimsEnd ends the page with the checksum of its rules, by which a test finds that one has changed since.
const claimsEnd = "\n<!-- rules: %08x -->\n"

// writeRule writes the conditions of a claim.
func (r *claimResult) writeRule(out io.Writer) {
	for i := range r.Conditions {
		fmt.Fprintf(out, "%s: %s\n", r.ID, r.Conditions[i].Expected)
	}
}

const claimsHead = `# Claims

What articles and talks claim, and what the lab measures: ` + "`ghostcube claims --only ID`" + ` runs the experiment of a claim, and prints its
rule and command. A claim holds here if nothing else is said after its figures. Figures are means of ten sessions, or as many as
are said, ± half of the 95 %% interval.

%s
`

// claimRow returns what the page says of a claim before its figures.
func claimRow(r *claimResult) string { return fmt.Sprintf("- `%s`: %s", r.ID, r.Claim) }

// word returns a figure in words: the pane, unless there is only one, and the measure's title.
func (r *claimResult) word(f claim.Figure) string {
	if pane := r.pane(f.Pane); pane != "" {
		return pane + " " + figureTitle(f)
	}
	return figureTitle(f)
}

// pane returns the spec of a pane if there are several.
func (r *claimResult) pane(pane int) string {
	if pane < 0 || len(r.Panes) < 2 {
		return ""
	}
	return "`" + r.Panes[pane] + "`"
}

// figureTitle returns the title of a figure.
func figureTitle(f claim.Figure) string {
	title := counterTitle(f.Name)
	if f.Pane < 0 {
		return title // of what a command prints
	}
	for _, d := range score.Definitions {
		for i := range d.Measures {
			if d.Measures[i].Name == f.Name {
				title = d.Measures[i].Title
			}
		}
	}
	for _, m := range trafficMeasures {
		if m.name == f.Name && m.title != "" {
			title = m.title
		}
	}
	return title
}

// panePattern matches a figure of a pane, or a multiple of it.
var panePattern = regexp.MustCompile(`^(?:([0-9.]+)\*)?([0-9]+)\.([a-z]\w*)$`)

// title returns the title of an operand, and the pane that it is of: nothing, if the title says all.
func (r *claimResult) title(operand string) (title, pane string) {
	m := panePattern.FindStringSubmatch(operand)
	if m == nil {
		return claim.InWords(operand, r.word), ""
	}
	n, _ := strconv.Atoi(m[2]) // of a parsed condition
	pane = r.pane(n - 1)
	if m[1] != "" {
		pane = strings.TrimSpace(m[1] + " × " + pane)
	}
	return figureTitle(claim.Figure{Pane: n - 1, Name: m[3]}), pane
}

// claimFigures returns the measured figures, each once and grouped by measure, and the verdict with its reason.
func claimFigures(r *claimResult) string {
	var titles []string
	values := map[string][]string{}
	add := func(title, value string) {
		if values[title] == nil {
			titles = append(titles, title)
		}
		if !slices.Contains(values[title], value) {
			values[title] = append(values[title], value)
		}
	}
	for i := range r.Conditions {
		c := &r.Conditions[i]
		if c.Missing > 0 {
			add("", c.text())
		}
		for _, v := range c.Measured {
			title, pane := r.title(v.Figure)
			add(title, strings.TrimSpace(pane+" "+strings.ReplaceAll(v.text(), " ±", "±")))
		}
	}
	var parts []string
	for _, title := range titles {
		parts = append(parts, strings.TrimPrefix(title+": "+strings.Join(values[title], ", "), ": "))
	}
	text := strings.Join(parts, "; ")
	if text != "" {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	if len(r.Panes) > 0 && r.Sessions != claimSeeds {
		text += fmt.Sprintf(" (%d sessions)", r.Sessions)
	}
	text += "."
	if r.Verdict != claim.Holds.String() {
		text += " **" + strings.ToUpper(r.Verdict[:1]) + r.Verdict[1:] + "**"
		if why := r.reason(func(condition string) string { return claim.InWords(condition, r.word) }); why != "" {
			text += ": " + why
		}
	}
	return text
}

// text returns what was measured.
func (c *conditionOutcome) text() string {
	if c.Missing > 0 {
		return fmt.Sprintf("no value in %s", plural(c.Missing, "session"))
	}
	var parts []string
	for _, v := range c.Measured {
		parts = append(parts, v.text())
	}
	text := strings.Join(parts, ", ")
	if len(c.Measured) < 2 {
		return text
	}
	for i, d := range c.Differences {
		if i == 0 {
			text += ", Δ "
		} else {
			text += ", "
		}
		text += d.text()
	}
	return text
}

// text returns mean and half width of an interval with three digits.
func (m measuredInterval) text() string {
	half := (m.High - m.Low) / 2
	if half == 0 {
		return shortNumber(m.Mean)
	}
	return shortNumber(m.Mean) + " ±" + shortNumber(half)
}

// shortNumber formats a number with three significant digits, or all digits before the point.
func shortNumber(v float64) string {
	if v == math.Trunc(v) || math.Abs(v) >= 100 {
		return fixed(v, 0)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
