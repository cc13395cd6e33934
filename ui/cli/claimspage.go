//go:build !js || headless

package cli

import (
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"strconv"
	"strings"

	"ghostcube/ui/claim"
	"ghostcube/ui/plan"
)

// claims lists the claims by topic.
func (l *lists) claims() error {
	list, err := plan.Claims(l.library)
	if err != nil {
		return err
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

// writeClaimsText prints the claims one below the other.
func writeClaimsText(out io.Writer, list []claimResult) {
	for i := range list {
		r := &list[i]
		fmt.Fprintf(out, "%s: %s\n  %s\n  %s\n  %s\n", r.ID, r.Verdict, r.Claim, r.Source, r.Experiment)
		for k := range r.Conditions {
			c := &r.Conditions[k]
			mark := "yes"
			if !c.Holds {
				mark = "no "
			}
			fmt.Fprintf(out, "  %s  %s: %s\n", mark, c.Expected, c.text())
		}
		if r.Why != "" {
			fmt.Fprintf(out, "  why  %s\n", r.Why)
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out, claimsSummary(list))
}

// claimsSummary counts the verdicts.
func claimsSummary(list []claimResult) string {
	count := map[string]int{}
	for i := range list {
		count[list[i].Verdict]++
	}
	return fmt.Sprintf("%s: %d hold, %d hold with a difference, %d do not hold here.",
		plural(len(list), "claim"), count["holds"], count["holds with a difference"], count["does not hold here"])
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
		fmt.Fprintf(out, "%s%s\n", claimRow(r), claimFigures(r))
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
rule and command. A claim holds here if nothing else is said after its figures. The number before a measure is that of a pane.
Figures are means of ten sessions ± half of the 95 %% interval.

%s
`

// claimRow returns what the page says of a claim before its figures.
func claimRow(r *claimResult) string { return fmt.Sprintf("- `%s`: %s", r.ID, r.Claim) }

// claimFigures returns what was measured, each figure once, and the verdict with its reason.
func claimFigures(r *claimResult) string {
	said := map[string]bool{}
	text, separator := "", " "
	add := func(s string) {
		text, separator = text+separator+s, ", "
	}
	for i := range r.Conditions {
		c := &r.Conditions[i]
		if c.Missing > 0 {
			add(c.text())
			continue
		}
		for _, v := range c.Measured {
			if !said[v.Figure] {
				said[v.Figure] = true
				add("`" + v.Figure + "` " + v.text())
			}
		}
	}
	text += "."
	if r.Verdict != claim.Holds.String() {
		text += " **" + strings.ToUpper(r.Verdict[:1]) + r.Verdict[1:] + "**: " + r.Why
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
