package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/ui/plan"
	"ghostcube/ui/session"
)

type playCommand struct {
	Tape        string   `arg:"" help:"Name or file of a tape (see list tapes)." placeholder:"NAME|FILE"`
	Captures    []string `arg:"" optional:"" help:"Captures of further sides." placeholder:"FILE.capture"`
	Verify      bool     `help:"Compare the session with the hashes on the tape, instead of printing scores."`
	Format      string   `help:"Output format: table or json." default:"table" placeholder:"table"`
	Corrections bool     `help:"Also list every correction."`
}

// Help returns the detailed help.
func (c *playCommand) Help() string {
	return `
The tape runs exactly as it was recorded. bench --tape runs its inputs with other settings.

--verify names the first range of ticks and the first pane that differ. The exit code is 0 if
all hashes match, 1 if one differs, and 2 if the tape has no hashes or is damaged. With the
file of serve --capture or join --capture that side runs again from what the network delivered.
Those of a server and its clients run together as one session, as with --tape a.capture,b.capture.
`
}

// Run runs a tape and prints its scores.
func (c *playCommand) Run(p *program) error {
	if err := checkChoice("format", c.Format, "table", "json"); err != nil {
		return err
	}
	if isCapture(c.Tape) {
		return c.playCaptures(p, captureNames(append([]string{c.Tape}, c.Captures...)...))
	}
	if len(c.Captures) > 0 {
		return usageError{fmt.Errorf("%s: want one tape, or captures", c.Captures[0])}
	}
	t, err := p.library.ReadTape(c.Tape)
	if err != nil {
		return usageError{err}
	}
	if len(t.Panes) == 0 {
		return usageError{fmt.Errorf("%s: the tape has no panes", c.Tape)}
	}
	l, err := t.NewLab()
	if err != nil {
		return usageError{fmt.Errorf("%s: %w", c.Tape, err)}
	}
	if c.Verify {
		return p.verifyTape(c.Tape, t, l, nil)
	}
	p.library.WarnTruncated(c.Tape, t)
	bar := p.newProgress("play", len(t.Entries))
	ctx, stop := untilSignal()
	defer stop()
	latency, err := p.runEntries(ctx, l, lab.EntriesOf(t.Entries), bar.set)
	bar.finish()
	if err != nil {
		return usageError{fmt.Errorf("%s: %w", c.Tape, err)}
	}
	if l.Ticks() == 0 {
		return errInterrupted
	}
	return errors.Join(c.print(p, l, latency), cutShort(l, len(t.Entries)))
}

// playCaptures verifies captures, or prints the scores of their session.
func (c *playCommand) playCaptures(p *program, names []string) error {
	if c.Verify {
		for _, name := range names {
			if err := verifyCapture(p, name); err != nil {
				return err
			}
		}
		return nil
	}
	if len(names) == 1 {
		return usageError{fmt.Errorf("%s: a capture has one side of a session, and no scores: want --verify, or also the captures of other sides", c.Tape)}
	}
	planned, err := p.newPlan(SessionFlags{Tape: strings.Join(names, ",")}, "")
	if err != nil {
		return usageError{err}
	}
	l, err := planned.NewLab()
	if err != nil {
		return usageError{err}
	}
	n := planned.Ticks(0)
	bar := p.newProgress("play", n)
	ctx, stop := untilSignal()
	defer stop()
	latency, err := p.runEntries(ctx, l, planned.Entries(n), bar.set)
	bar.finish()
	switch {
	case err != nil:
		return err
	case l.Ticks() == 0:
		return errInterrupted
	}
	return errors.Join(c.print(p, l, latency), cutShort(l, n))
}

// print prints the scores of a session that has ended.
func (c *playCommand) print(p *program, l *lab.Lab, latency []latencySamples) error {
	r := newResult(l, &plan.Plan{TapeName: c.Tape}, latency)
	if c.Corrections {
		r.addCorrections(l)
	}
	if c.Format == "json" {
		return writeJSON(p.Stdout, r)
	}
	if err := r.writeBrief(p.Stdout); err != nil {
		return err
	}
	return r.writeCorrections(p.Stdout)
}

// verifyTape runs a tape in l and compares the session with the tape's hash checks. before is called before each tick; it
// may be nil.
func (p *program) verifyTape(name string, t *tape.Tape, l *lab.Lab, before func(i int)) error {
	switch {
	case t.Truncated:
		return usageError{fmt.Errorf("%s: line %d: the tape is truncated: its last line is not end and the number of ticks", name, t.LastLine)}
	case len(t.HashChecks) == 0:
		return usageError{fmt.Errorf("%s: line %d: the tape has no hash checks, which are lines that begin with =", name, t.LastLine)}
	}
	versions := ""
	if t.Version != "" && t.Version != Version {
		versions = fmt.Sprintf(" (recorded by version %s; this is %s)", t.Version, Version)
	}
	bar := p.newProgress("verify", len(t.Entries))
	defer bar.finish()
	next := 0
	err := session.Run(context.Background(), l, lab.EntriesOf(t.Entries), before, func(made int) error {
		bar.set(made)
		if next == len(t.HashChecks) || t.HashChecks[next].Ticks != made {
			return nil
		}
		next++
		if err := t.Verify(l, next-1); err != nil {
			return fmt.Errorf("%w%s", err, versions)
		}
		return nil
	})
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
		if differs := new(*tape.Mismatch); errors.As(err, differs) {
			return err
		}
		return usageError{err}
	}
	rest := ""
	if n := len(t.Entries) - t.HashChecks[next-1].Ticks; n > 0 {
		rest = fmt.Sprintf("; the last %d ticks have no hashes", n)
	}
	fmt.Fprintf(p.Stdout, "%s: %s of %s match in %s%s%s\n", name, plural(len(t.Entries), "tick"), plural(len(t.Panes), "pane"),
		plural(len(t.HashChecks), "hash check"), rest, versions)
	return nil
}

// captureNames returns the names of captures, which commas separate unless a file has them in its name.
func captureNames(texts ...string) (names []string) {
	for _, text := range texts {
		if _, err := os.Stat(text); err == nil {
			names = append(names, text)
			continue
		}
		names = append(names, strings.Split(text, ",")...)
	}
	return names
}
