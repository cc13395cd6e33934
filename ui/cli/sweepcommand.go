//go:build !js || headless

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"ghostcube/net/link"
	"ghostcube/ui/plan"
	"ghostcube/ui/sweep"
)

type sweepCommand struct {
	Plan       string        `arg:"" optional:"" help:"Plan (TOML) with the flags of the sweep and the session as keys. Flags take precedence." placeholder:"PLAN.toml"`
	Panes      []string      `group:"sweep" help:"Panes, as bench takes them; rewind:lead=1|3 is two, all-strategies and all-presets many." placeholder:"SPEC"`
	Networks   []string      `group:"sweep" sep:";" help:"Networks, as bench takes them, separated by semicolons." placeholder:"NETWORK"`
	Tapes      []string      `group:"sweep" help:"Tapes, by name or file: circle if none is named." placeholder:"NAME"`
	Scenes     []string      `group:"sweep" help:"Scenes to play every tape in, instead of its own." placeholder:"NAME"`
	Seeds      int           `group:"sweep" help:"Number of consecutive seeds: 10 if none is given." placeholder:"10"`
	Baseline   string        `group:"sweep" help:"Pane that the report compares the others with: the first if none is named." placeholder:"SPEC"`
	Seat       string        `group:"session" help:"Where players give input: at the clients, or at the host, whose client is a spectator." placeholder:"client|host"`
	Seed       string        `group:"session" help:"First seed of the network's outcomes." placeholder:"N"`
	Rate       string        `group:"session" help:"Ticks per second, 10 to 240." placeholder:"60"`
	FaultEvery time.Duration `group:"session" help:"Interval at which the server's cube is nudged by a metre." placeholder:"5s"`
	Fault      string        `group:"session" help:"Faults of every session, as bench takes them." placeholder:"NAME=VALUE@TIME,..."`
	Seconds    float64       `group:"session" help:"Length of every session in seconds: that of its tape if none is given." placeholder:"S"`
	Out        string        `group:"output" short:"o" required:"" help:"Folder for the results. A sweep that was killed resumes from it." placeholder:"DIR"`
	QueueFlags `embed:""`
	Report     bool    `group:"output" help:"Run nothing: write results and report of the cells that the folder has."`
	Precision  float64 `group:"output" help:"Half of an interval, in percent of the mean, for which the report says how many seeds it takes." default:"5" placeholder:"5"`
	Page       string  `group:"output" help:"Address of the page to which the report's links lead, such as https://example.org/lab/." placeholder:"ADDRESS"`
}

// Help returns the detailed help.
func (c *sweepCommand) Help() string {
	return `
A sweep runs each pane on each network with each tape and each seed. Such a session is a cell. Cells
that have ended are in DIR/cells.jsonl: after a kill the same command goes on, and a larger plan runs
only what is new. Results of another version or revision are refused.

At the end DIR has results.csv and results.jsonl, a row for each cell; columns.csv, which explains
the columns; and report.html, which needs no network. docs/sweep.md has an example of a plan.

With --nats the cells wait on a NATS server for any number of ghostcube worker, and --jobs bounds the
results that are computed here as well.

Examples:
  ghostcube sweep --panes noprediction,rewind,snapshot --networks 'wifi-bad;4g' --tapes circle,turns --seeds 5 --seconds 10 -o sweep
  ghostcube sweep --panes 'rewind:lead=1|3|5' --networks latency=75ms,loss=5% --seeds 5 --seconds 10 -o leads
  ghostcube sweep --report -o sweep
`
}

// QueueFlags are the flags of the commands that run cells, here or by workers.
type QueueFlags struct {
	Jobs    int           `group:"output" help:"Sessions that run at once: one on each core if none is given." placeholder:"N"`
	NATS    string        `name:"nats" group:"workers" help:"NATS server by which ghostcube worker computes the cells, with JetStream." placeholder:"nats://HOST"`
	Verify  float64       `group:"workers" help:"Results of workers that are computed here as well, in percent. 0 believes everybody." default:"5" placeholder:"5"`
	AckWait time.Duration `group:"workers" help:"Time after which the cell of a silent worker goes to another one." default:"30s" placeholder:"30s"`
}

// check reports a bad value.
func (f *QueueFlags) check() error {
	if f.Jobs < 0 || f.Jobs > maxJobs {
		return fmt.Errorf("--jobs=%d: want 1 to %d", f.Jobs, maxJobs)
	}
	if !(f.Verify >= 0 && f.Verify <= 100) {
		return fmt.Errorf("--verify=%v: want a percentage up to 100", f.Verify)
	}
	if f.AckWait < minAckWait || f.AckWait > maxAckWait {
		return fmt.Errorf("--ack-wait=%v: want %v to %v", f.AckWait, minAckWait, maxAckWait)
	}
	if f.NATS == "" {
		return nil
	}
	return checkServer(f.NATS)
}

// runCells runs the missing cells until ctx ends. lies is the error of workers that have sent wrong results, which are
// replaced.
func (f *QueueFlags) runCells(ctx context.Context, r *sweepRun) (lies, err error) {
	jobs := cmp.Or(f.Jobs, runtime.GOMAXPROCS(0))
	if f.NATS != "" {
		return f.runQueue(ctx, r, jobs)
	}
	return nil, r.run(ctx, jobs)
}

// maxJobs is the largest number of sessions that run at once.
const maxJobs = 1024

// Run runs a sweep.
func (c *sweepCommand) Run(p *program) error {
	if c.Seeds < 0 || c.Seeds > plan.MaxSweepSeeds {
		return usageError{fmt.Errorf("--seeds=%d: want 1 to %d", c.Seeds, plan.MaxSweepSeeds)}
	}
	if !(c.Precision > 0 && c.Precision <= 100) {
		return usageError{fmt.Errorf("--precision=%v: want a percentage up to 100", c.Precision)}
	}
	if err := c.QueueFlags.check(); err != nil {
		return usageError{err}
	}
	if c.Page != "" && !strings.HasPrefix(c.Page, "https://") && !strings.HasPrefix(c.Page, "http://") {
		return usageError{fmt.Errorf("--page=%s: want an address that begins with https:// or http://", c.Page)}
	}
	asked, err := c.sweep(p)
	if err != nil {
		return usageError{err}
	}
	var points *plan.Points
	if !c.Report || asked.Given() {
		if points, err = asked.Points(&p.library, p.settings); err != nil {
			return usageError{err}
		}
	}
	store, err := sweep.Open(c.Out, programIdentity(), !c.Report)
	if err != nil {
		return usageError{fmt.Errorf("-o: %w", err)}
	}
	return errors.Join(c.run(p, store, points, asked.Title), store.Close())
}

// sweep returns the sweep of the plan and the flags.
func (c *sweepCommand) sweep(p *program) (*plan.Sweep, error) {
	s := &plan.Sweep{}
	if c.Plan != "" {
		var err error
		if s, err = plan.ReadSweep(&p.library, c.Plan); err != nil {
			return nil, err
		}
	}
	return s.OverriddenBy(&plan.Sweep{
		Panes: c.Panes, Networks: c.Networks, Tapes: c.Tapes, Scenes: c.Scenes, Seeds: c.Seeds, Baseline: c.Baseline,
		Session: plan.Settings{Seat: c.Seat, Seed: c.Seed, Rate: c.Rate, Fault: c.Fault, FaultEvery: c.FaultEvery, Seconds: c.Seconds},
	}), nil
}

// run runs what a store lacks of a plan, and writes the results. Without points the plan is that of the store.
func (c *sweepCommand) run(p *program, store *sweep.Store, points *plan.Points, title string) (err error) {
	var lies error // of workers
	if n := store.Damaged(); n > 0 {
		fmt.Fprintf(p.Stderr, "ghostcube: %s of %s broken, as a kill leaves them: their cells run again\n", plural(n, "line"), c.Out)
	}
	if err := store.CheckFiles(sweep.Files...); err != nil {
		return usageError{fmt.Errorf("-o: %w", err)}
	}
	planned := store.Plan()
	if points != nil {
		planned = newSweepPlan(p, points, title)
		for _, text := range planned.LeftOut {
			fmt.Fprintln(p.Stderr, "ghostcube: "+text)
		}
	}
	if planned == nil {
		return usageError{fmt.Errorf("-o %s: the sweep has no plan yet", c.Out)}
	}
	if points == nil && c.Baseline != "" {
		if !slices.Contains(planned.Panes, c.Baseline) {
			return usageError{fmt.Errorf("--baseline: %w", &link.UnknownNameError{Kind: "pane of the sweep", Name: c.Baseline, Choices: planned.Panes})}
		}
		planned.Baseline = c.Baseline
	}
	if points != nil && !c.Report {
		if earlier := store.Plan(); earlier != nil {
			if n := planned.Lacks(earlier, store); n > 0 {
				return usageError{fmt.Errorf("-o %s: this plan lacks %s that the folder has: want another folder, or a plan with them", c.Out, plural(n, "cell"))}
			}
		}
		if err := store.SetPlan(planned); err != nil {
			return err
		}
		r := &sweepRun{program: p, label: "sweep", store: store, plan: planned, points: points, missing: planned.Missing(store)}
		ctx, stop := untilSignal()
		defer stop()
		if lies, err = c.runCells(ctx, r); err != nil {
			return err
		}
		if err := store.Reload(); err != nil {
			return err
		}
	}
	columns := sweepColumns()
	if err := store.WriteResults(planned, columns); err != nil {
		return err
	}
	if err := store.WriteReport(planned, columns, sweep.ReportOptions{Program: programIdentity(), Precision: c.Precision / 100, Page: c.Page}); err != nil {
		return err
	}
	missing := len(planned.Missing(store))
	fmt.Fprintf(p.Stdout, "%d of %d cells in %s: %s\n", planned.Cells()-missing, planned.Cells(), c.Out, joinWords(slices.Clone(sweep.Files)))
	return lies
}

// joinWords joins words as in a sentence.
func joinWords(words []string) string {
	text := ""
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			text += " and "
		default:
			text += ", "
		}
		text += w
	}
	return text
}
