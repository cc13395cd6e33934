package cli

import (
	"errors"
	"fmt"

	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/ui/plan"
)

type playCommand struct {
	Tape        string `arg:"" help:"A tape: a file, or a name (see list tapes)." placeholder:"FILE|NAME"`
	Verify      bool   `help:"Compare with the hashes on the tape instead, and name the first ticks and pane that differ. The exit code is 0 if nothing does, 1 if something does, and 2 if the tape cannot be compared."`
	Format      string `help:"table or json." default:"table" placeholder:"table"`
	Corrections bool   `help:"Also print every correction, as bench does."`
}

// Run plays a tape as it is, and prints what it came to.
func (c *playCommand) Run(p *program) error {
	if err := checkChoice("format", c.Format, "table", "json"); err != nil {
		return err
	}
	t, err := p.library.ReadTape(c.Tape)
	if err != nil {
		return usageError{err}
	}
	if len(t.Panes) == 0 {
		return usageError{fmt.Errorf("%s: it has no panes", c.Tape)}
	}
	l, err := t.NewLab()
	if err != nil {
		return usageError{fmt.Errorf("%s: %w", c.Tape, err)}
	}
	if c.Verify {
		return p.verifyTape(c.Tape, t, l)
	}
	if t.Truncated {
		fmt.Fprintf(p.Stderr, "ghostcube: %s was cut short; its %d ticks are played\n", c.Tape, len(t.Entries))
	}
	l.Stopwatch = p.Now
	bar := p.newProgress("play", len(t.Entries))
	latency, err := runEntries(l, t.Entries, bar.set)
	bar.finish()
	if err != nil {
		return usageError{fmt.Errorf("%s: %w", c.Tape, err)}
	}
	r := newResult(l, &plan.Plan{TapeName: c.Tape}, latency)
	if c.Corrections {
		r.addCorrections(l)
	}
	if c.Format == "json" {
		return writeJSON(p.Stdout, r)
	}
	return r.writeTable(p.Stdout)
}

// verifyTape plays a tape in l and compares it with its checks.
func (p *program) verifyTape(name string, t *tape.Tape, l *lab.Lab) error {
	switch {
	case t.Truncated:
		return usageError{fmt.Errorf("%s: line %d: it ends without its last line, end and the number of ticks: it was cut short", name, t.LastLine)}
	case len(t.HashChecks) == 0:
		return usageError{fmt.Errorf("%s: line %d: it ends without any hashes, lines that begin with =, to compare with", name, t.LastLine)}
	}
	by := ""
	if t.Version != "" && t.Version != Version {
		by = fmt.Sprintf(" (made by version %s, this is %s)", t.Version, Version)
	}
	bar := p.newProgress("verify", len(t.Entries))
	defer bar.finish()
	next := 0
	for i, e := range t.Entries {
		if err := l.Tick(e); err != nil {
			return usageError{fmt.Errorf("%s: %w", name, err)}
		}
		bar.set(i + 1)
		if next == len(t.HashChecks) || t.HashChecks[next].Ticks != i+1 {
			continue
		}
		if err := t.Verify(l, next); err != nil {
			err := fmt.Errorf("%s: %w%s", name, err, by)
			var differs *tape.Mismatch
			if errors.As(err, &differs) {
				return err
			}
			return usageError{err}
		}
		next++
	}
	rest := ""
	if n := len(t.Entries) - t.HashChecks[next-1].Ticks; n > 0 {
		rest = fmt.Sprintf("; of the last %d it has no hashes", n)
	}
	fmt.Fprintf(p.Stdout, "%s: %s of %s are the same here, in %s%s%s\n", name, plural(len(t.Entries), "tick"), plural(len(t.Panes), "pane"), plural(len(t.HashChecks), "check"), rest, by)
	return nil
}
