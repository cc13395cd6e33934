//go:build !js || headless

package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"ghostcube/ui/advise"
	"ghostcube/ui/plan"
	"ghostcube/ui/sweep"
)

type adviseCommand struct {
	Players       string `group:"game" help:"Players who share a world." placeholder:"2"`
	Bodies        string `group:"game" help:"Bodies that move, avatars included." placeholder:"60"`
	Touches       string `group:"game" help:"What players touch: their own avatar, many objects, one large thing, or ships in which they ride." placeholder:"own|objects|one-thing|ships"`
	Bandwidth     string `group:"game" help:"Bandwidth that a client may receive, kbit/s; 0: any." placeholder:"0"`
	Network       string `group:"game" help:"Worst network that has to work: a profile, or latency, jitter and loss." placeholder:"latency=50ms,jitter=10ms,loss=2%"`
	OwnPlayer     string `group:"game" help:"When the own player has to answer a key: within a tick, 100 ms (also with input delay), or later." placeholder:"at-once|soon|later"`
	Deterministic string `group:"game" help:"Whether equal inputs give equal bits on all machines." placeholder:"no|yes"`
	Cheating      string `group:"game" help:"Whether cheating is a concern." placeholder:"yes|no"`
	Results       string `group:"output" help:"Folder of a sweep of your own, whose results count instead of the built-in ones." placeholder:"DIR"`
	Format        string `group:"output" help:"Output format: text, json or markdown." default:"text" placeholder:"text"`
}

// Help returns the detailed help.
func (c *adviseCommand) Help() string {
	return `
Without a flag about the game a terminal asks one question after the other. With some of them the
others have the answers that the help shows first.

The advice follows from measured sessions. Hard rules exclude strategies. The others are ranked by one
measure after the other, as the output says; there is no overall score. Each has a command and a link
that run it beside another. Their figures are those of another
command, which the output has as well. At the end stand the limits of the evidence, and the commands
that measure your own case.

--results DIR takes the results of ghostcube sweep -o DIR instead. A pane with contact-order=reordered
stands for that without it in games whose physics is not deterministic. A tape of your own fits every
answer to --touches.

Examples:
  ghostcube advise --players 10 --touches own --network wifi-bad
  ghostcube advise --players 2 --deterministic yes --own-player soon --bandwidth 100 --format markdown
`
}

// game returns the game of the flags. given says whether any of them is about it.
func (c *adviseCommand) game() (g *advise.Game, answers []string, given bool, err error) {
	answers = []string{c.Players, c.Bodies, c.Touches, c.Bandwidth, c.Network, c.OwnPlayer, c.Deterministic, c.Cheating}
	g = &advise.Game{}
	for i := range advise.Questions {
		q := &advise.Questions[i]
		given = given || answers[i] != ""
		if err := q.Answer(g, answers[i]); err != nil {
			return nil, nil, given, fmt.Errorf("--%s: %w", q.Flag, err)
		}
	}
	return g, answers, given, nil
}

// Run prints the advice.
func (c *adviseCommand) Run(p *program) error {
	if err := checkChoice("format", c.Format, "text", "json", "markdown"); err != nil {
		return err
	}
	g, answers, given, err := c.game()
	if err != nil {
		return usageError{err}
	}
	e, err := readEvidence(p, c.Results)
	if err != nil {
		return usageError{err}
	}
	if !given {
		if !term.IsTerminal(int(os.Stdin.Fd())) {
			return usageError{errors.New("want the game as flags, such as --players 10 --touches own; a terminal would ask")}
		}
		if g, answers, err = askGame(os.Stdin, p.Stderr); err != nil {
			return usageError{err}
		}
	}
	a, err := e.Advise(g)
	if err != nil {
		return usageError{fmt.Errorf("--touches: %w", err)}
	}
	x, err := newAdvice(p, g, a, answers)
	if err != nil {
		return err
	}
	switch c.Format {
	case "json":
		return writeJSON(p.Stdout, x)
	case "markdown":
		return x.writeMarkdown(p.Stdout)
	}
	return x.writeText(p.Stdout)
}

// readEvidence reads the results in a folder, the built-in ones if there is none.
func readEvidence(p *program, dir string) (*advise.Evidence, error) {
	if dir == "" {
		return advise.ReadBuiltIn(&p.library)
	}
	name := filepath.Join(dir, sweep.ResultsCSV)
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("--results: %w", err)
	}
	defer f.Close()
	e, err := advise.Read(bufio.NewReader(f), advise.Describe(&p.library))
	if err != nil {
		return nil, fmt.Errorf("--results: %s: %w", name, err)
	}
	return e, nil
}

// askGame asks all questions, each until its answer is good. An empty answer takes the fallback.
func askGame(in io.Reader, out io.Writer) (g *advise.Game, answers []string, err error) {
	g = &advise.Game{}
	lines := bufio.NewScanner(in)
	for i := range advise.Questions {
		q := &advise.Questions[i]
		for {
			fmt.Fprintf(out, "%s\n  --%s %s [%s] ", q.Text, q.Flag, strings.Join(q.Choices, "|"), q.Fallback)
			if !lines.Scan() {
				return nil, nil, errors.Join(fmt.Errorf("--%s: the answer is missing", q.Flag), lines.Err())
			}
			answer := strings.TrimSpace(lines.Text())
			if err := q.Answer(g, answer); err != nil {
				fmt.Fprintln(out, "  "+plan.ErrorText(err))
				continue
			}
			answers = append(answers, answer)
			break
		}
	}
	return g, answers, nil
}

// adviceFigure is a measure of a choice.
type adviceFigure struct {
	Name  string  `json:"name"`
	Mean  float64 `json:"mean"`
	Half  float64 `json:"interval_half"` // of its 95 % interval
	Seeds int     `json:"seeds"`         // 0: no value
	text  string
}

// adviceChoice is a recommendation.
type adviceChoice struct {
	Pane    string         `json:"pane"`
	Figures []adviceFigure `json:"figures"`
	Same    []string       `json:"same_figures"`
	Reason  string         `json:"reason"`
	Command string         `json:"command"`
	Link    string         `json:"link"`
	Measure string         `json:"measure"` // command that gives the figures; empty: the results do not say how long the sessions were
}

// adviceExclusion is a pane that breaks a rule.
type adviceExclusion struct {
	Pane string `json:"pane"`
	Rule string `json:"rule"`
}

// advice is what the command prints.
type advice struct {
	Command  string            `json:"command"` // that gives it, with all answers
	Assumed  []string          `json:"assumed"` // flags without an answer
	Rules    []string          `json:"rules"`
	Order    []string          `json:"order"`
	Best     []adviceChoice    `json:"best"`
	Others   []string          `json:"others"`
	Excluded []adviceExclusion `json:"excluded"`
	Measured []string          `json:"measured"` // what the figures are of
	Limits   []string          `json:"limits"`
	Nearest  []string          `json:"nearest"`  // if no pane keeps to all rules: what excludes, and what misses least
	Own      []string          `json:"own_case"` // commands that measure the game itself; none if it was measured
	titles   []string          // of the figures
}

// newAdvice returns the output of an advice.
func newAdvice(p *program, g *advise.Game, a *advise.Advice, answers []string) (*advice, error) {
	command, assumed := advise.Command(answers)
	x := &advice{Command: command, Assumed: append([]string{}, assumed...), Rules: append([]string{}, a.Rules...), Order: a.Order,
		Best: []adviceChoice{}, Others: append([]string{}, a.Others...), Excluded: []adviceExclusion{},
		Measured: a.Measured, Limits: append([]string{}, a.Limits...), Nearest: append([]string{}, a.Nearest...), Own: append([]string{}, a.Own...)}
	for _, m := range a.Measures() {
		x.titles = append(x.titles, advise.Title(m))
	}
	for i := range a.Best {
		c := &a.Best[i]
		y := adviceChoice{Pane: c.Pane, Same: append([]string{}, c.Same...), Reason: c.Reason, Measure: a.Measurement(i)}
		for _, m := range a.Measures() {
			v := c.Measured[m]
			y.Figures = append(y.Figures, adviceFigure{string(m), v.Mean, v.Half(), v.N, advise.Text(m, v)})
		}
		m, err := a.Session(&p.library, g, i)
		if err != nil {
			return nil, usageError{fmt.Errorf("--results: %s in %s: %w", c.Pane, a.Setting.Scene, err)}
		}
		link, err := p.linkTo(m, &DisplayFlags{})
		if err != nil {
			return nil, usageError{fmt.Errorf("--results: %s: %w", c.Pane, err)}
		}
		y.Link = link.Query()
		shortest := link.Settings
		shortest.Tape, shortest.Panes = a.Setting.Tape, a.Panes(i)
		y.Command = "ghostcube " + shortest.CommandLine()
		x.Best = append(x.Best, y)
	}
	for _, n := range a.Excluded {
		x.Excluded = append(x.Excluded, adviceExclusion{n.Pane, n.Rule})
	}
	return x, nil
}

// sentence returns the choice with its reason. quote stands around its name.
func (c *adviceChoice) sentence(quote string) string {
	text := quote + c.Pane + quote
	if len(c.Same) > 0 {
		text += " (the same figures: " + strings.Join(c.Same, ", ") + ")"
	}
	if c.Reason != "" {
		text += ", " + c.Reason
	}
	return text
}

// writeText prints the advice for a terminal.
func (a *advice) writeText(out io.Writer) error {
	if len(a.Assumed) > 0 {
		fmt.Fprintf(out, "%s\n\n", wrapText("Assumed, since no flag says otherwise: "+strings.Join(a.Assumed, ", ")+"."))
	}
	fmt.Fprintf(out, "%s\n\n", wrapText(strings.Join(a.Measured, " ")))
	if len(a.Best) == 0 {
		fmt.Fprintf(out, "%s\n\n", wrapText(strings.Join(append([]string{nothingFits}, a.Nearest...), " ")))
	} else {
		t := newTextTable(out)
		t.row(append([]string{"", "PANE"}, upper(a.titles)...)...)
		for i := range a.Best {
			row := []string{fmt.Sprint(i + 1), a.Best[i].Pane}
			for _, f := range a.Best[i].Figures {
				row = append(row, f.text)
			}
			t.row(row...)
		}
		if err := t.close(); err != nil {
			return err
		}
		for i := range a.Best {
			c := &a.Best[i]
			fmt.Fprintf(out, "\n%d  %s\n   %s\n   ghostcube open '%s'\n", i+1, c.sentence(""), c.Command, c.Link)
			if c.Measure != "" {
				fmt.Fprintf(out, "   these figures: %s\n", c.Measure)
			}
		}
		if len(a.Others) > 0 {
			fmt.Fprintf(out, "\n%s\n", wrapText("Also within the rules, in this order: "+strings.Join(a.Others, ", ")+"."))
		}
		fmt.Fprintln(out)
	}
	a.writeLists(out, "", "  ")
	a.writeOwn(out, "Measure your own game, and ask again\n", "  ", "")
	return nil
}

// nothingFits begins an advice without recommendations.
const nothingFits = "Nothing that was measured keeps to all rules."

// writeOwn prints the commands that measure the game itself, with a heading.
func (a *advice) writeOwn(out io.Writer, before, mark, after string) {
	if len(a.Own) == 0 {
		return
	}
	fmt.Fprint(out, "\n"+before)
	for _, command := range a.Own {
		fmt.Fprintln(out, mark+command)
	}
	fmt.Fprint(out, after)
}

// writeLists prints rules, order, exclusions and limits, each with a heading and items that begin with a mark.
func (a *advice) writeLists(out io.Writer, heading, mark string) {
	var excluded []string
	for _, n := range a.Excluded {
		excluded = append(excluded, n.Pane+": "+n.Rule)
	}
	first := true
	for _, list := range []struct {
		title string
		items []string
	}{
		{"Rules that exclude", a.Rules}, {"Order of the others", a.Order}, {"Excluded", excluded}, {"Where the evidence ends", a.Limits},
	} {
		if len(list.items) == 0 {
			continue
		}
		if !first {
			fmt.Fprintln(out)
		}
		first = false
		fmt.Fprintf(out, "%s%s\n", heading, list.title)
		if heading != "" {
			fmt.Fprintln(out)
		}
		for _, item := range list.items {
			fmt.Fprintln(out, mark+strings.ReplaceAll(wrapText(item), "\n", "\n"+strings.Repeat(" ", len(mark))))
		}
	}
}

// upper returns texts in capitals, as the heads of tables have them.
func upper(texts []string) []string {
	list := make([]string, len(texts))
	for i, t := range texts {
		list[i] = strings.ToUpper(t)
	}
	return list
}

// writeMarkdown prints the advice as Markdown.
func (a *advice) writeMarkdown(out io.Writer) error {
	fmt.Fprintf(out, "# Advice\n\n```\n%s\n```\n\n%s\n\n", a.Command, strings.Join(a.Measured, " "))
	if len(a.Best) == 0 {
		fmt.Fprintf(out, "%s\n\n", strings.Join(append([]string{nothingFits}, a.Nearest...), " "))
	} else {
		fmt.Fprintf(out, "| | pane | %s |\n|---|---|%s\n", strings.Join(a.titles, " | "), strings.Repeat("---:|", len(a.titles)))
		for i := range a.Best {
			row := fmt.Sprintf("| %d | `%s` |", i+1, a.Best[i].Pane)
			for _, f := range a.Best[i].Figures {
				row += " " + f.text + " |"
			}
			fmt.Fprintln(out, row)
		}
		for i := range a.Best {
			c := &a.Best[i]
			fmt.Fprintf(out, "\n%d. %s\n\n   ```\n   %s\n   ghostcube open '%s'\n", i+1, c.sentence("`"), c.Command, c.Link)
			if c.Measure != "" {
				fmt.Fprintf(out, "   %s # these figures\n", c.Measure)
			}
			fmt.Fprintf(out, "   ```\n")
		}
		if len(a.Others) > 0 {
			fmt.Fprintf(out, "\nAlso within the rules, in this order: `%s`.\n", strings.Join(a.Others, "`, `"))
		}
		fmt.Fprintln(out)
	}
	a.writeLists(out, "## ", "- ")
	a.writeOwn(out, "## Measure your own game, and ask again\n\n```\n", "", "```\n")
	return nil
}
