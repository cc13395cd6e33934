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
}

// run searches, tests the best settings on other seeds and prints the report.
func (t *tuneTask) run(p *program) (err error) {
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
	r := &tuneRun{tuneTask: t, program: p, store: store, ctx: ctx}
	if err := r.checkStart(); err != nil {
		return err
	}
	problem := r.problem(t.tapes)
	problem.Measure = func(stage string, points []tune.Point, seeds int) ([][]float64, error) {
		return r.measure(stage, points, t.tapes, t.firstSeed, seeds)
	}
	problem.Report = func(text string) { fmt.Fprintln(p.Stderr, "ghostcube: "+text) }
	outcome, err := problem.Run()
	switch {
	case errors.Is(err, tune.ErrStopped):
		return errors.Join(append(r.lies, t.interrupted())...)
	case err != nil:
		return err
	}
	report := newTuneReport(t, problem, outcome)
	if !outcome.Stopped && len(report.Changes) > 0 {
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
	if t.Out != "" && len(report.Changes) > 0 && report.Kept {
		if err := report.writePreset(t.Out); err != nil {
			return err
		}
		fmt.Fprintf(p.Stderr, "ghostcube: the preset is in %s: ghostcube --panes %s\n", t.Out, t.Out)
	}
	switch {
	case stopped && t.Cells != "":
		return errors.New("interrupted: this is the best so far; the same command goes on")
	case stopped:
		return errors.New("interrupted: this is the best so far; with --cells the same command would go on")
	case !report.Kept:
		return errors.New("no settings that keep all limits were found: these are the nearest")
	}
	return nil
}

// problem returns the problem of the search with some tapes, without functions.
func (t *tuneTask) problem(tapes []string) *tune.Problem {
	return &tune.Problem{Space: t.space, Limits: t.limits, Settings: len(t.Networks) * len(tapes), Seeds: t.Seeds, Sessions: t.Sessions, Seed: t.firstSeed}
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
			if setting := i / len(r.measures); math.IsNaN(v) {
				return usageError{fmt.Errorf("%s has no %s on %s with tape %s: want another measure, or a longer session", r.Pane, r.measures[i%len(r.measures)].name,
					r.Networks[setting%len(r.Networks)], tapes[setting/len(r.Networks)])}
			}
		}
	}
	return nil
}

// testSeed returns the first seed of the test, beyond all that a search can use.
func (t *tuneTask) testSeed() uint64 { return t.firstSeed + plan.MaxSweepSeeds }

// test measures the start and the best settings with other seeds, on the tapes of the search and on others.
func (r *tuneRun) test(report *tuneReport, o *tune.Outcome) error {
	for _, tapes := range [][]string{r.tapes, r.testTapes} {
		points := []tune.Point{o.Start.Point, o.Best.Point}
		values, err := r.measure("test", points, tapes, r.testSeed(), r.TestSeeds)
		if err != nil {
			return err
		}
		report.addTest(r.tuneTask, tapes, tune.Measured(points[0], values[0], r.TestSeeds), tune.Measured(points[1], values[1], r.TestSeeds))
	}
	return nil
}

// measure returns the values of points as tune.Problem wants them: settings are networks, of one tape after the other.
func (r *tuneRun) measure(stage string, points []tune.Point, tapes []string, seed uint64, seeds int) ([][]float64, error) {
	if r.ctx.Err() != nil {
		return nil, tune.ErrStopped
	}
	ask := plan.Sweep{Networks: r.Networks, Tapes: tapes, Seeds: seeds,
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
	if err != nil {
		return nil, err
	}
	return r.values(planned, len(points))
}

// values returns the values of the cells of a plan, by point.
func (r *tuneRun) values(planned *sweep.Plan, points int) ([][]float64, error) {
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
				for _, m := range r.measures {
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
