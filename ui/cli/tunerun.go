//go:build !js || headless

package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"ghostcube/ui/plan"
	"ghostcube/ui/sweep"
	"ghostcube/ui/tune"
)

// tuneRun measures points of a search.
type tuneRun struct {
	*tuneTask
	program *program
	store   *sweep.Store
	ctx     context.Context // that a signal ends
	lies    []error         // of workers
	ran     int             // sessions that were not in the store
	known   map[string]bool // keys of all sessions that were asked for
	began   time.Duration   // of p.Now
}

// run searches, tests the best settings on other seeds and prints the report.
func (t *tuneTask) run(p *program) (err error) {
	if err := t.problem(t.tapes).Check(); err != nil {
		return usageError{fmt.Errorf("--sessions=%d: %w", t.Sessions, err)}
	}
	dir := t.Cells
	if dir == "" {
		if dir, err = os.MkdirTemp("", "ghostcube-tune-*"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	store, err := sweep.Open(dir, programIdentity(), true)
	if err != nil {
		return usageError{fmt.Errorf("--cells: %w", err)}
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	ctx, stop := untilSignal()
	defer stop()
	r := &tuneRun{tuneTask: t, program: p, store: store, ctx: ctx, known: map[string]bool{}}
	if p.Now != nil {
		r.began = p.Now()
	}
	if err := r.checkStart(); err != nil {
		return err
	}
	r.notice(plural(t.Sessions, "session"))
	problem := r.problem(t.tapes)
	problem.Measure = func(stage string, points []tune.Point, seeds int) ([][]float64, error) {
		return r.measure(stage, points, t.tapes, t.firstSeed, seeds)
	}
	problem.Report = r.notice
	outcome, err := problem.Run()
	switch {
	case errors.Is(err, tune.ErrStopped):
		return errors.Join(append(r.lies, t.interrupted())...)
	case err != nil:
		return err
	}
	report := newTuneReport(t, problem, outcome)
	if !outcome.Stopped && report.Best != report.Start {
		err = r.test(report, outcome)
		if errors.Is(err, tune.ErrStopped) {
			outcome.Stopped, err = true, nil
		}
		if err != nil {
			return err
		}
	}
	report.Interrupted = outcome.Stopped
	return errors.Join(append(r.lies, t.finish(p, report, outcome.Stopped))...)
}

// notice prints what a stage came to, and the time for the rest if it takes all sessions.
func (r *tuneRun) notice(text string) {
	if r.ran > 0 && r.program.Now != nil {
		text += fmt.Sprintf("; at most %v left with the test", r.left(r.program.Now()-r.began).Round(time.Second))
	}
	fmt.Fprintln(r.program.Stderr, "ghostcube: "+text)
}

// left returns the time for the rest if the search takes all its sessions, and none of the rest is in the store.
func (r *tuneRun) left(elapsed time.Duration) time.Duration {
	rest := max(r.Sessions+2*r.TestSeeds*(r.settingsOf(r.tapes)+r.settingsOf(r.testTapes))-len(r.known), 0)
	return time.Duration(float64(elapsed) / float64(r.ran) * float64(rest))
}

// interrupted returns the error of a search that was interrupted before it had anything to show.
func (t *tuneTask) interrupted() error {
	if t.Cells != "" {
		return fmt.Errorf("%w; the same command goes on", errInterrupted)
	}
	return errInterrupted
}

// finish prints the report and writes the preset.
func (t *tuneTask) finish(p *program, report *tuneReport, stopped bool) error {
	if err := report.write(p.Stdout, t.Format); err != nil {
		return err
	}
	if t.Out != "" && report.Best != report.Start && report.Kept {
		if err := report.writePreset(t.Out); err != nil {
			return err
		}
		fmt.Fprintf(p.Stderr, "ghostcube: the preset is in %s: ghostcube --panes %s, or drop the file onto the window or the page\n", t.Out, t.Out)
	} else if t.Out != "" {
		fmt.Fprintf(p.Stderr, "ghostcube: %s was not written: there are no better settings that keep all limits\n", t.Out)
	}
	switch {
	case stopped && t.Cells != "":
		return errors.New("interrupted: this is the best so far; the same command goes on")
	case stopped:
		return errors.New("interrupted: this is the best so far; with --cells the same command would go on")
	case !report.Kept:
		return fmt.Errorf("no settings that keep all limits were found: the nearest exceed %s", strings.Join(report.exceeded(), ", "))
	}
	return nil
}

// problem returns the problem of the search with some tapes, without functions.
func (t *tuneTask) problem(tapes []string) *tune.Problem {
	return &tune.Problem{Space: t.space, Limits: t.limits, Settings: t.settingsOf(tapes), Seeds: t.Seeds, Sessions: t.Sessions, Seed: t.firstSeed}
}

// checkStart runs a session of the start in every setting, also of the test, so that bad flags are found before the search,
// and that every measure has a value.
func (r *tuneRun) checkStart() error {
	for _, tapes := range [][]string{r.tapes, r.testTapes} {
		values, err := r.measure("start", []tune.Point{r.space.Start()}, tapes, r.firstSeed, 1)
		if errors.Is(err, tune.ErrStopped) {
			return r.interrupted()
		}
		if err != nil {
			return err
		}
		for i, v := range values[0] {
			if math.IsNaN(v) {
				network, tape, _ := r.place(i/len(r.measures), tapes)
				return usageError{fmt.Errorf("%s has no %s on %s with tape %s: want another measure, or a longer session", r.Pane,
					r.measures[i%len(r.measures)].name, network, tape)}
			}
		}
	}
	return nil
}

// testSeed returns the first seed of the test, beyond all that a search can use.
func (t *tuneTask) testSeed() uint64 { return t.firstSeed + plan.MaxSweepSeeds }

// measure returns the values of points as tune.Problem wants them: settings are networks, of one tape after the other, of one
// scene after the other.
func (r *tuneRun) measure(stage string, points []tune.Point, tapes []string, seed uint64, seeds int) ([][]float64, error) {
	planned, err := r.cells(stage, points, tapes, seed, seeds)
	if err != nil {
		return nil, err
	}
	return r.values(planned, len(points), r.measures)
}

// cells runs the sessions of points that the store lacks.
func (r *tuneRun) cells(stage string, points []tune.Point, tapes []string, seed uint64, seeds int) (*sweep.Plan, error) {
	if r.ctx.Err() != nil {
		return nil, tune.ErrStopped
	}
	ask := plan.Sweep{Networks: r.Networks, Tapes: tapes, Scenes: r.Scenes, Seeds: seeds,
		Session: plan.Settings{Seat: r.Seat, Seed: strconv.FormatUint(seed, 10), Rate: r.Rate, Seconds: r.Seconds}}
	for _, point := range points {
		ask.Panes = append(ask.Panes, r.spec(point))
	}
	list, err := ask.Points(&r.program.library, r.program.settings)
	switch {
	case err != nil:
		return nil, usageError{err}
	case len(list.LeftOut) > 0:
		return nil, usageError{errors.New(strings.Join(list.LeftOut, "; "))}
	}
	planned := newSweepPlan(r.program, list, stage)
	run := &sweepRun{program: r.program, label: stage, store: r.store, plan: planned, points: list, missing: planned.Missing(r.store)}
	r.ran += len(run.missing)
	for at := range planned.Points {
		for k := range planned.Seeds {
			r.known[planned.CellKey(at, k)] = true
		}
	}
	lies, err := r.runCells(r.ctx, run)
	if lies != nil {
		r.lies = append(r.lies, lies)
	}
	var interrupted *interruptedError
	if errors.As(err, &interrupted) {
		return nil, tune.ErrStopped
	}
	if err == nil {
		err = r.store.Reload()
	}
	return planned, err
}

// values returns measures of the cells of a plan, by point.
func (r *tuneRun) values(planned *sweep.Plan, points int, measures []tuneMeasure) ([][]float64, error) {
	list := make([][]float64, points)
	for i := range list {
		for k := range planned.Seeds {
			for at := i; at < len(planned.Points); at += points {
				c, ok, err := r.store.Cell(planned.CellKey(at, k))
				if err != nil {
					return nil, err
				}
				if !ok {
					return nil, fmt.Errorf("%s: its result is gone", planned.CellKey(at, k))
				}
				for _, m := range measures {
					list[i] = append(list[i], m.of(&c))
				}
			}
		}
	}
	return list, nil
}

// of returns the measure of a cell; NaN: it has no value.
func (m *tuneMeasure) of(c *sweep.Cell) float64 {
	v, ok := c.Values[m.name]
	switch {
	case !ok:
		return math.NaN()
	case m.distance:
		return math.Abs(v - m.centre)
	}
	return v
}
