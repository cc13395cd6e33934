//go:build !js || headless

package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"ghostcube/internal/atomicfile"
	"ghostcube/predict/lab"
	"ghostcube/ui/plan"
	"ghostcube/ui/session"
)

type benchCommand struct {
	SessionFlags `embed:""`
	Format       string   `group:"output" help:"Output format: table, json, csv or markdown." default:"table" placeholder:"table"`
	Seeds        int      `group:"output" help:"Number of sessions with consecutive seeds, 1 to 1000: prints means and 95 % intervals." default:"1" placeholder:"1"`
	SaveTape     string   `group:"output" help:"Also write the session to a tape, with hashes for play --verify." placeholder:"FILE"`
	Ticks        string   `group:"output" help:"Also write a row for each tick and pane into this file: positions, errors, corrections, bytes." placeholder:"FILE.csv"`
	GameLog      string   `group:"output" help:"Also write the session of a single pane as a game log, for score." placeholder:"FILE.jsonl"`
	Corrections  bool     `group:"output" help:"Also list every correction: packet, body, difference, cause and effect."`
	All          bool     `group:"output" help:"Print all measures and counters in the table, not only the most important ones."`
	Assert       []string `group:"output" sep:"none" help:"Fail unless a figure of a pane holds, as PANE.MEASURE<N; also <= > >= =. May be given several times." placeholder:"ASSERTION"`
	Interval     bool     `group:"output" name:"assert-interval" help:"With --seeds: each --assert has to hold in the whole 95 % interval, not for the mean alone."`
	Latency      bool     `group:"output" help:"Also print the stages of input latency, from the key to the screen."`
}

// Help returns the detailed help.
func (c *benchCommand) Help() string {
	return sessionHelp + `
Without --seconds the session is as long as its tape, and it repeats a tape that is too short.
The table leads with key to screen, path error, pops and bandwidth; --all prints all measures, as
json and csv do. list measures explains them.

--panes all runs every strategy, some at a time, and prints them in one table.

With --assert the exit code is 1 if an assertion fails: a test of netcode in CI. PANE is a pane's
number, title, preset or strategy, MEASURE a measure or counter of --all. With --seeds the mean has
to hold, or with --assert-interval the whole interval. A measure without a value fails. With json, csv
and markdown the outcomes go to standard error.

--ticks writes comma-separated values: where client and server have the player's cube, path error
(empty in the first second, which is not scored), lag error, error offset, corrections and replayed
ticks of all clients, bytes on the wire of the first client, and inputs that wait at the server.

Examples:
  ghostcube bench --panes noprediction,rewind --network latency=75ms
  ghostcube bench --panes all --network wifi-bad --seconds 20
  ghostcube bench --compare snapshot-compression --format json
  ghostcube bench --tape turns --panes rewind:lead=1,rewind:lead=5 --seeds 10
  ghostcube bench --network wifi-bad --assert 'rewind.pops_per_minute<5' --seeds 10
  ghostcube bench --panes rewind,snapshot --network wifi-bad --ticks ticks.csv
`
}

// Run runs a session and prints its scores.
func (c *benchCommand) Run(p *program) error {
	if err := checkChoice("format", c.Format, listingFormats...); err != nil {
		return err
	}
	if (c.Corrections || c.Latency) && c.Format != "table" && c.Format != "json" {
		return usageError{errors.New("--corrections and --latency need --format table or json")}
	}
	if c.Seeds < 1 || c.Seeds > maxSeeds {
		return usageError{fmt.Errorf("--seeds=%d: want 1 to %d", c.Seeds, maxSeeds)}
	}
	assertions, err := parseAssertions(c.Assert)
	if err != nil {
		return usageError{err}
	}
	if c.Interval && (c.Seeds < 2 || len(assertions) == 0) {
		return usageError{errors.New("--assert-interval: want --assert, and --seeds of at least 2")}
	}
	if c.Panes == allPanes {
		return c.runAll(p)
	}
	planned, err := p.newPlan(c.SessionFlags, "circle")
	if err != nil {
		return usageError{err}
	}
	if planned.Happened() && (c.SaveTape != "" || c.Seeds > 1) {
		return usageError{fmt.Errorf("--tape=%s: neither --save-tape nor --seeds: %w", c.Tape, plan.ErrHappened)}
	}
	l, err := planned.NewLab()
	if err != nil {
		return usageError{err}
	}
	n := planned.Ticks(60)
	entries := planned.Entries(n)
	if err := checkNames(assertions, l, entries); err != nil {
		return usageError{err}
	}
	if c.Seeds > 1 {
		return c.runSeeds(p, planned, assertions)
	}
	files, err := c.createFiles(p, planned, l)
	if err != nil {
		return err
	}
	bar := p.newProgress("bench", n)
	ctx, stop := untilSignal()
	defer stop()
	latency, err := p.runEntries(ctx, l, entries, func(made int) {
		bar.set(made)
		files.add(entries.At(made - 1))
	})
	bar.finish()
	if err != nil {
		return usageError{errors.Join(err, files.discard())}
	}
	if l.Ticks() == 0 {
		return errors.Join(errInterrupted, files.discard())
	}
	return errors.Join(files.close(), c.print(p, planned, l, latency, assertions), cutShort(l, n))
}

// benchFiles are the files that a bench writes while it runs.
type benchFiles struct {
	tape  *session.Tape // nil: none, which does nothing
	ticks *tickTable    // likewise
	log   *gameLog      // likewise
}

// createFiles starts the files of a session.
func (c *benchCommand) createFiles(p *program, planned *plan.Plan, l *lab.Lab) (f benchFiles, err error) {
	create := func(flag, name string) (*atomicfile.File, error) {
		if err := p.checkOutput(flag, name); err != nil {
			return nil, err
		}
		file, err := atomicfile.Create(name)
		if err != nil {
			return nil, usageError{fmt.Errorf("%s: %w", flag, err)}
		}
		return file, nil
	}
	if err := c.checkFiles(len(l.Panes)); err != nil {
		return f, usageError{err}
	}
	if c.SaveTape != "" {
		file, err := create("--save-tape", c.SaveTape)
		if err != nil {
			return f, err
		}
		f.tape = session.NewTape(file, Version, planned, l)
	}
	if c.Ticks != "" {
		file, err := create("--ticks", c.Ticks)
		if err != nil {
			return f, errors.Join(err, f.discard())
		}
		f.ticks = newTickTable(file, l)
	}
	if c.GameLog != "" {
		file, err := create("--game-log", c.GameLog)
		if err != nil {
			return f, errors.Join(err, f.discard())
		}
		f.log = newGameLog(file, l)
	}
	return f, nil
}

// checkFiles reports two files of one name, and a game log of several panes.
func (c *benchCommand) checkFiles(panes int) error {
	files := []struct{ flag, name string }{{"--save-tape", c.SaveTape}, {"--ticks", c.Ticks}, {"--game-log", c.GameLog}}
	for i, a := range files {
		for _, b := range files[:i] {
			if a.name != "" && filepath.Clean(a.name) == filepath.Clean(b.name) {
				return fmt.Errorf("%s and %s: want two files", b.flag, a.flag)
			}
		}
	}
	if c.GameLog != "" && panes != 1 {
		return fmt.Errorf("--game-log: %d panes: want one, as a game has one client", panes)
	}
	return nil
}

// add adds a tick that the lab has just made. close returns the error.
func (f benchFiles) add(e lab.Entry) {
	_ = f.tape.Add(e)
	f.ticks.add()
	f.log.add(e)
}

// close gives the files their names.
func (f benchFiles) close() error {
	err := f.tape.Close()
	if err != nil {
		err = errors.Join(err, f.tape.Discard())
	}
	return errors.Join(err, f.ticks.close(), f.log.close())
}

// discard removes the files.
func (f benchFiles) discard() error {
	return errors.Join(f.tape.Discard(), f.ticks.discard(), f.log.discard())
}

// print prints the scores of a session that has ended, and whether the assertions hold.
func (c *benchCommand) print(p *program, session *plan.Plan, l *lab.Lab, latency []latencySamples, assertions []assertion) error {
	r := newResult(l, session, latency)
	if err := c.printResult(p, l, r); err != nil {
		return err
	}
	return checkAssertions(c.assertionOutput(p), assertions, mergeResults([]*result{r}), false)
}

// assertionOutput returns where the outcomes of assertions are printed: not among what a program reads.
func (c *benchCommand) assertionOutput(p *program) io.Writer {
	if c.Format == "table" {
		return p.Stdout
	}
	return p.Stderr
}

// printResult prints the scores of a session.
func (c *benchCommand) printResult(p *program, l *lab.Lab, r *result) error {
	if c.Format == "csv" {
		return mergeResults([]*result{r}).writeCSV(p.Stdout)
	}
	if c.Corrections {
		r.addCorrections(l)
	}
	if c.Latency {
		for i, p := range l.Panes {
			r.Panes[i].Latency = newLatencyResult(p)
		}
	}
	if c.Format == "json" {
		return writeJSON(p.Stdout, r)
	}
	r.markdown = c.Format == "markdown"
	write := r.writeBrief
	if c.All {
		write = r.writeTable
	}
	if err := write(p.Stdout); err != nil {
		return err
	}
	if err := r.writeCorrections(p.Stdout); err != nil || !c.Latency {
		return err
	}
	return r.writeLatencyTable(p.Stdout)
}

// allPanes is the value of --panes that stands for every strategy.
const allPanes = "all"

// runAll runs every strategy, as many at a time as there can be panes. Panes have nothing in common but their input and the
// outcomes of their packets, so each has the figures that it has alone.
func (c *benchCommand) runAll(p *program) error {
	if c.concernsOneSession() || len(c.Assert) > 0 {
		return usageError{errors.New("--panes all excludes --assert, --corrections, --latency, --save-tape, --ticks and --game-log")}
	}
	ctx, stop := untilSignal()
	defer stop()
	var list []*result
	for group := range slices.Chunk(lab.StrategyNames(), lab.MaxPanes) {
		flags := c.SessionFlags
		flags.Panes = strings.Join(group, ",")
		planned, err := p.newPlan(flags, "circle")
		if err != nil {
			return usageError{err}
		}
		if err := checkEveryPane(planned.Entries(planned.Ticks(60))); err != nil {
			return usageError{err}
		}
		part, err := p.runTrials(ctx, planned, c.Seeds)
		if err != nil {
			return usageError{err}
		}
		if len(part) < c.Seeds {
			return errInterrupted
		}
		if list == nil {
			list = part
			continue
		}
		for i, r := range part {
			list[i].addPanes(r)
		}
	}
	if c.Seeds == 1 {
		return c.printResult(p, nil, list[0])
	}
	return c.printSeeds(p, mergeResults(list))
}

// checkEveryPane reports a command that concerns some pane alone, or opens one. Where panes are not those that a tape was made
// with, it would concern another strategy.
func checkEveryPane(entries lab.Entries) error {
	for i := range entries.Count {
		for _, c := range entries.At(i).Commands {
			if c.Pane != lab.AllPanes || c.Verb == "open" {
				return fmt.Errorf("--panes all: tick %d of the tape: %s concerns one pane: want commands for all", i, c)
			}
		}
	}
	return nil
}

// concernsOneSession reports whether a flag asks for what only a single session has.
func (c *benchCommand) concernsOneSession() bool {
	return c.Corrections || c.Latency || c.SaveTape != "" || c.Ticks != "" || c.GameLog != ""
}

// runSeeds runs a plan with several seeds, and prints means and intervals and whether the assertions hold.
func (c *benchCommand) runSeeds(p *program, m *plan.Plan, assertions []assertion) error {
	if c.concernsOneSession() {
		return usageError{errors.New("--corrections, --latency, --save-tape, --ticks and --game-log concern one session: they exclude --seeds")}
	}
	ctx, stop := untilSignal()
	defer stop()
	list, err := p.runTrials(ctx, m, c.Seeds)
	if err != nil {
		return usageError{err}
	}
	if len(list) == 0 {
		return errInterrupted
	}
	s := mergeResults(list)
	if err = c.printSeeds(p, s); err == nil {
		err = checkAssertions(c.assertionOutput(p), assertions, s, c.Interval)
	}
	if len(list) < c.Seeds {
		err = errors.Join(err, fmt.Errorf("interrupted: the results are of %d of %d sessions", len(list), c.Seeds))
	}
	return err
}

// printSeeds prints means and intervals.
func (c *benchCommand) printSeeds(p *program, s *seedsResult) error {
	s.markdown = c.Format == "markdown"
	switch {
	case c.Format == "json":
		return writeJSON(p.Stdout, s)
	case c.Format == "csv":
		return s.writeCSV(p.Stdout)
	case c.All:
		return s.writeTable(p.Stdout)
	}
	return s.writeBrief(p.Stdout)
}
