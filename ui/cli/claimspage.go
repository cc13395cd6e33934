//go:build !js || headless

package cli

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"ghostcube/ui/plan"
)

// listClaims lists the claims by topic.
func listClaims(p *program, t table) error {
	list, err := plan.Claims(&p.library)
	if err != nil {
		return err
	}
	t.row("CLAIM", "SAYS", "SOURCE")
	for i := range list {
		c := &list[i]
		if i == 0 || list[i-1].Topic != c.Topic {
			t.row(c.Topic, "", "")
		}
		t.row("  "+c.ID, c.Says, c.Source.String())
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
	for i := range list {
		r := &list[i]
		if i == 0 || list[i-1].Topic != r.Topic {
			fmt.Fprintf(out, "\n## %s\n\n", strings.ToUpper(r.Topic[:1])+strings.ReplaceAll(r.Topic[1:], "-", " "))
			fmt.Fprint(out, "| claim | expected | measured | verdict |\n|---|---|---|---|\n")
		}
		fmt.Fprint(out, claimRow(r))
	}
	fmt.Fprint(out, "\n## Where the lab differs\n\n")
	for i := range list {
		if r := &list[i]; r.Why != "" {
			fmt.Fprintf(out, "- `%s` %s: %s\n", r.ID, r.Verdict, r.Why)
		}
	}
}

const claimsHead = `# Claims

What articles and talks claim, and what the lab measures: a table that ` + "`ghostcube claims`" + ` prints. The number before a
measure is that of a pane; ` + "`ghostcube claims --only ID`" + ` prints a claim with its command. Figures are means of ten
sessions ± half of the 95 %% interval; Δ is the mean difference within a session, by which a condition is judged.

%s
`

// claimRow returns the row of a claim.
func claimRow(r *claimResult) string {
	var expected, measured []string
	for i := range r.Conditions {
		c := &r.Conditions[i]
		expected = append(expected, "`"+c.Expected+"`")
		measured = append(measured, c.text())
	}
	return fmt.Sprintf("| `%s`: %s (%s) | %s | %s | %s |\n", r.ID, r.Claim, r.Source, strings.Join(expected, ", "), strings.Join(measured, "; "), r.Verdict)
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
