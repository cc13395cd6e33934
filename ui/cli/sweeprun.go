//go:build !js || headless

package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ghostcube/predict/lab"
	"ghostcube/predict/score"
	"ghostcube/ui/plan"
	"ghostcube/ui/sweep"
)

// programIdentity returns the program with everything on which results depend: its version and revision and, unless the
// revision alone determines it, the hash of its file.
var programIdentity = sync.OnceValue(func() string {
	text := versionText()
	if strings.HasSuffix(text, ")") && !strings.HasSuffix(text, "+changes)") {
		return text
	}
	h := sha256.New()
	err := hashProgram(h)
	if err != nil {
		return text + ", build unknown: " + err.Error()
	}
	return text + ", build " + hex.EncodeToString(h.Sum(nil)[:6])
})

// hashProgram hashes the program's file.
func hashProgram(h hash.Hash) error {
	name, err := os.Executable()
	if err != nil {
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(h, f)
	return err
}

// frontNames are the measures that lead every display, key to screen first.
func frontNames() []string {
	names := []string{score.KeyToScreen(0, false, 1).Name}
	for _, m := range (&score.Score{}).Headline(nil, score.Counts{}, false) {
		names = append(names, m.Name)
	}
	return names
}

// sweepTraffic are the figures of the traffic that no measure has, with their units.
var sweepTraffic = map[string]string{"packets_up": "", "packets_down": "", "lost_up_ratio": "", "lost_down_ratio": "", "rtt_ms": "ms"}

// sweepColumns returns the columns of a sweep's results: all measures, and figures of the traffic.
func sweepColumns() (list []sweep.Column) {
	leading := frontNames()
	for _, d := range score.Definitions {
		for _, m := range d.Measures {
			c := sweep.Column{Name: m.Name, Unit: score.Unit(m.Name), Title: m.Title, Help: m.Help, Better: m.Better.String(), Digits: m.Digits}
			for _, name := range leading {
				c.Leads = c.Leads || name == m.Name
			}
			list = append(list, c)
		}
	}
	for _, m := range trafficMeasures {
		if unit, ok := sweepTraffic[m.name]; ok {
			title := m.title
			if title == "" {
				title = counterTitle(m.name)
			}
			list = append(list, sweep.Column{Name: m.name, Unit: unit, Title: title, Help: "of the first client: " + m.help, Digits: m.digits})
		}
	}
	return list
}

// newSweepPlan returns the plan of points for a store.
func newSweepPlan(p *program, x *plan.Points, title string) *sweep.Plan {
	s := &sweep.Plan{Title: title, Panes: x.Panes, Baseline: x.Baseline, Seeds: x.Seeds, LeftOut: x.LeftOut}
	entries := map[[2]string]string{} // hashes, by scene and tape
	for i := range x.List {
		at := &x.List[i]
		m := at.Plan
		c := &m.Config
		s.FirstSeed = c.Network.Seed
		n := m.Ticks(60)
		names := [2]string{at.Scene, at.Tape}
		if entries[names] == "" {
			entries[names] = hashEntries(m.Entries(n))
		}
		q := sweep.Point{Pane: at.Pane, Spec: m.Panes[0], Knobs: map[string]string{}, Scene: c.Scene, Tape: plan.TapeTitle(at.Tape),
			Network: at.Network, Conditions: c.Network.Summary(), Seat: c.Seat.String(), Rate: c.Rate, Ticks: n,
			Key: pointKey(m, n, entries[names])}
		if strategy, set, err := lab.ParseSpec(q.Spec); err == nil {
			q.Strategy = strategy.Name
			for _, k := range set {
				q.Knobs[k.Name] = k.Value
			}
		}
		q.Command = "ghostcube bench " + m.Settings.CommandLine() + fmt.Sprintf(" --seeds %d", x.Seeds)
		if link, err := p.linkTo(m, &DisplayFlags{}); err == nil {
			q.Link = link.Query()
			shortest := link.Settings
			shortest.Tape, shortest.Panes = at.Tape, cmp.Or(shortest.Panes, q.Spec) // a row says its pane, also the default one
			q.Command = "ghostcube bench " + shortest.CommandLine() + fmt.Sprintf(" --seeds %d", x.Seeds)
		}
		s.Points = append(s.Points, q)
	}
	return s
}

// pointKey returns the key of a point: the hash of everything that determines its sessions but the seed, with the program.
// entries is the hash of their entries.
func pointKey(m *plan.Plan, ticks int, entries string) string {
	c := &m.Config
	return hashText(fmt.Sprintf("%q", []string{programIdentity(), c.Scene, m.Panes[0], c.Network.String(), c.Seat.String(), entries}),
		fmt.Sprint(c.Rate, ticks))
}

// hashText returns the hash of texts.
func hashText(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\n")))
	return hex.EncodeToString(sum[:16])
}

// hashEntries returns the hash of all inputs and commands of a session.
func hashEntries(entries lab.Entries) string {
	h := sha256.New()
	w := json.NewEncoder(h)
	for i := range entries.Count {
		_ = w.Encode(entries.At(i)) // plain data into a hash
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// sweepNotice is the time between two lines about the progress of a sweep, where there is no progress bar.
const sweepNotice = 30 * time.Second

// sweepRun runs the cells that a store lacks of a plan.
type sweepRun struct {
	program *program
	label   string // of the progress bar
	store   *sweep.Store
	plan    *sweep.Plan
	points  *plan.Points
	missing [][2]int // points and seeds
	bar     *progress

	next, ended atomic.Int64 // indices of missing, numbers of cells

	mu      sync.Mutex
	noticed time.Duration // when the last notice was printed
}

// run runs the cells until ctx ends, a number of them at once, and stores each as soon as it has ended.
func (r *sweepRun) run(ctx context.Context, jobs int) error {
	ticks := 0
	for _, at := range r.missing {
		ticks += r.plan.Points[at[0]].Ticks
	}
	r.bar = r.program.newProgress(fmt.Sprintf("%s, %d", r.label, len(r.missing)), ticks)
	r.noticed = r.program.Now()
	work, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var all sync.WaitGroup
	for range min(jobs, len(r.missing)) {
		all.Go(func() {
			if err := r.work(work); err != nil {
				fail(err)
			}
		})
	}
	all.Wait()
	r.bar.finish()
	if err := context.Cause(work); err != nil && ctx.Err() == nil {
		return err
	}
	if n := int(r.ended.Load()); n < len(r.missing) {
		return r.interrupted(n)
	}
	return nil
}

// interruptedError is the error of a sweep that was interrupted.
type interruptedError struct{ ended, cells int }

func (e *interruptedError) Error() string {
	return fmt.Sprintf("interrupted: %d of %d cells have ended; the same command goes on", e.ended, e.cells)
}

// interrupted returns the error of a sweep of which a number of missing cells have ended.
func (r *sweepRun) interrupted(ended int) error {
	return &interruptedError{r.plan.Cells() - len(r.missing) + ended, r.plan.Cells()}
}

// title names a cell, by the indices of its point and seed.
func (r *sweepRun) title(at [2]int) string {
	q := &r.plan.Points[at[0]]
	return fmt.Sprintf("%s, %s, tape %s, seed %d", q.Pane, q.Network, q.Tape, r.plan.FirstSeed+uint64(at[1]))
}

// work runs one cell after the other until none is left or ctx ends.
func (r *sweepRun) work(ctx context.Context) error {
	for ctx.Err() == nil {
		i := int(r.next.Add(1)) - 1
		if i >= len(r.missing) {
			return nil
		}
		at := r.missing[i]
		q, m := &r.plan.Points[at[0]], r.points.List[at[0]].Trial(at[1])
		c, err := r.cell(ctx, q, m)
		if err == nil && c != nil {
			err = r.store.Add(c)
		}
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", r.title(at), err)
		case c == nil:
			return nil // interrupted
		}
		r.notice(int(r.ended.Add(1)))
	}
	return nil
}

// notice prints how far the sweep is, now and then.
func (r *sweepRun) notice(ended int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := r.program.Now(); !r.bar.terminal && now-r.noticed >= sweepNotice {
		r.noticed = now
		fmt.Fprintf(r.program.Stderr, "ghostcube: %d of %d cells%s\n", ended, len(r.missing), r.bar.timeLeft())
	}
}

// cell runs the session of a cell. It returns nil if ctx ends first.
func (r *sweepRun) cell(ctx context.Context, at *sweep.Point, m *plan.Plan) (*sweep.Cell, error) {
	return runCell(ctx, r.program, at.Key, at.Ticks, m, func(int) { r.bar.increment() })
}

// runCell runs a session of a point with a key. It returns nil if ctx ends first.
func runCell(ctx context.Context, p *program, key string, ticks int, m *plan.Plan, made func(int)) (*sweep.Cell, error) {
	l, err := m.NewLab()
	if err != nil {
		return nil, err
	}
	latency, err := p.runEntries(ctx, l, m.Entries(ticks), made)
	switch {
	case err != nil:
		return nil, err
	case int(l.Ticks()) < ticks:
		return nil, nil
	case len(l.Panes) != 1:
		return nil, errors.New("the tape opens or closes panes: a cell has one")
	}
	x := newResult(l, m, latency)
	c := &sweep.Cell{Key: sweep.CellKey(key, x.Seed), Seed: x.Seed, Hash: x.Panes[0].Hash, Values: map[string]float64{}}
	for _, s := range x.Panes[0].Score {
		if s.OK {
			c.Values[s.Name] = s.Value
		}
	}
	for _, t := range trafficMeasures {
		if _, ok := sweepTraffic[t.name]; ok {
			c.Values[t.name] = t.of(&x.Panes[0].Traffic)
		}
	}
	return c, nil
}
