//go:build !js || headless

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ghostcube/ui/plan"
	"ghostcube/ui/sweep"
	"ghostcube/ui/sweep/queue"
)

type workerCommand struct {
	NATS string `name:"nats" required:"" help:"NATS server of the sweep." placeholder:"nats://HOST"`
	Jobs int    `help:"Sessions that run at once: one on each core if none is given." placeholder:"N"`
}

// Help returns the detailed help.
func (c *workerCommand) Help() string {
	return `
A worker takes cells of ghostcube sweep --nats from a NATS server with JetStream, runs their sessions and
sends the results, until Ctrl-C. Cells of another version or revision are refused. They come as links,
so they name no files. On a slow network more --jobs than cores hide the round trips.

Example:
  ghostcube worker --nats nats://HOST
`
}

// Run runs cells.
func (c *workerCommand) Run(p *program) error {
	if c.Jobs < 0 || c.Jobs > maxJobs {
		return usageError{fmt.Errorf("--jobs=%d: want 1 to %d", c.Jobs, maxJobs)}
	}
	if err := checkServer(c.NATS); err != nil {
		return usageError{err}
	}
	q, err := queue.Dial(c.NATS, programIdentity())
	if err != nil {
		return err
	}
	defer q.Close()
	ctx, stop := untilSignal()
	defer stop()
	w := newWorker(p, q, workerName())
	if err := w.work(ctx, cmp.Or(c.Jobs, runtime.GOMAXPROCS(0))); err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "%s computed\n", plural(int(w.ended.Load()), "cell"))
	return nil
}

// workerName returns a name for a worker: that of the machine, as far as keys of a bucket can have it, and a number.
func workerName() string {
	host, _ := os.Hostname() // empty if there is none
	var b strings.Builder
	for _, r := range host {
		if b.Len() < 40 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			b.WriteRune(r)
		} else if b.Len() < 40 {
			b.WriteByte('-')
		}
	}
	return fmt.Sprintf("%s-%d-%04x", b.String(), os.Getpid(), rand.N(1<<16))
}

// worker runs cells of a queue.
type worker struct {
	program *program
	queue   *queue.Queue
	name    string
	run     func(ctx context.Context, p *program, key string, ticks int, m *plan.Plan, made func(int)) (*sweep.Cell, error)
	ended   atomic.Int64 // cells
	saying  sync.Mutex

	freed chan struct{} // a cell has ended

	mu     sync.Mutex
	points map[string]*workerPoint // by link
	told   []string                // programs whose cells were refused
	held   int                     // cells that were taken and have not ended
	each   time.Duration           // that a cell takes, averaged over about the last eight; 0: none has ended
}

// newWorker returns a worker with a name.
func newWorker(p *program, q *queue.Queue, name string) *worker {
	return &worker{program: p, queue: q, name: name, run: runCell, freed: make(chan struct{}, 1)}
}

// workerPoint is a point whose cells a worker runs.
type workerPoint struct {
	plan.Point
	key   string
	ticks int
}

// maxWorkerPoints is the largest number of points that a worker remembers.
const maxWorkerPoints = 64

// retryInterval is the time between two attempts of a worker to find a queue, or to reach it.
const retryInterval = 250 * time.Millisecond

// work runs cells, a number of them at once, until ctx ends.
func (w *worker) work(ctx context.Context, jobs int) error {
	for waits := false; ; waits = true {
		joined, err := w.queue.Join(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		w.refuseOthers(ctx)
		if joined {
			break
		}
		if !waits {
			w.say("worker %s waits for a sweep of %s", w.name, programIdentity())
		}
		pause(ctx)
	}
	w.say("worker %s takes cells of %s", w.name, programIdentity())
	w.runCells(ctx, jobs)
	return nil
}

// runCells takes cells and runs a number of them at once until ctx ends. The next ones come, and results go, while cells
// run, so nobody waits for the network.
func (w *worker) runCells(ctx context.Context, jobs int) {
	cells, sent := make(chan *queue.Job, jobs*(1+maxReserve)), make(chan *queue.Sent, maxSent)
	var all, last sync.WaitGroup
	for range jobs {
		all.Go(func() {
			for j := range cells {
				w.compute(ctx, j, sent)
			}
		})
	}
	last.Go(func() {
		for s := range sent {
			w.acknowledge(s)
		}
	})
	for ctx.Err() == nil {
		if n := w.wanted(jobs); n > 0 {
			w.take(ctx, n, cells)
			continue
		}
		select {
		case <-w.freed:
		case <-ctx.Done():
		}
	}
	close(cells)
	all.Wait()
	close(sent)
	last.Wait()
}

// say prints a line.
func (w *worker) say(format string, args ...any) {
	w.saying.Lock()
	defer w.saying.Unlock()
	fmt.Fprintf(w.program.Stderr, "ghostcube: "+format+"\n", args...)
}

// pause waits for retryInterval, or until ctx ends.
func pause(ctx context.Context) {
	select {
	case <-time.After(retryInterval):
	case <-ctx.Done():
	}
}

// refuseOthers says once of each program whose cells wait on the server that this one does not take them.
func (w *worker) refuseOthers(ctx context.Context) {
	programs, err := w.queue.Others(ctx)
	if err != nil {
		return // it is only a notice
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, name := range programs {
		if !slices.Contains(w.told, name) {
			w.told = append(w.told, name)
			w.say("cells of %.200q are refused: this is %s, and results of two programs are not mixed", name, programIdentity())
		}
	}
}

// Bounds of what a worker has. Beside the cells that it runs it keeps short ones for some time; long ones stay on the
// server, so that nobody waits for one worker at the end.
const (
	maxReserve  = 32 // cells for each that runs
	reserveTime = 250 * time.Millisecond
	maxSent     = 256 // results whose arrival the server has not confirmed yet
)

// wanted returns how many cells to take now: none as long as there is a reserve.
func (w *worker) wanted(jobs int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	reserve := 0
	if w.each > 0 {
		reserve = jobs * min(int(reserveTime/w.each), maxReserve)
	}
	if w.held > jobs {
		return 0
	}
	return jobs + reserve - w.held
}

// take takes up to n cells, and hands them to those that run them.
func (w *worker) take(ctx context.Context, n int, cells chan<- *queue.Job) {
	jobs, err := w.queue.Take(ctx, n)
	switch {
	case errors.Is(err, queue.ErrTask):
		w.say("%v", err)
	case err != nil && ctx.Err() == nil:
		w.say("no cell from the server: %v", err)
		pause(ctx)
	case len(jobs) == 0:
		w.refuseOthers(ctx)
	}
	w.mu.Lock()
	w.held += len(jobs)
	w.mu.Unlock()
	for _, j := range jobs {
		cells <- j
	}
}

// compute runs the cell of a job, and sends the result without waiting; without one the cell goes to somebody else.
func (w *worker) compute(ctx context.Context, j *queue.Job, sent chan<- *queue.Sent) {
	began := time.Now()
	text, err := w.result(ctx, &j.Task)
	took := time.Since(began)
	switch {
	case err != nil:
		w.say("cell %.40q is refused: %v", j.Key, err)
		err = j.Refuse()
	case text == nil:
		err = j.Return()
	default:
		var s *queue.Sent
		if s, err = j.Send(w.name, text); err == nil {
			sent <- s
		}
	}
	w.lose(err)
	w.mu.Lock()
	w.held--
	if w.each == 0 {
		w.each = max(took, 1)
	}
	w.each += (took - w.each) / 8
	w.mu.Unlock()
	select {
	case w.freed <- struct{}{}:
	default:
	}
}

// acknowledge acknowledges a cell when the server has its result.
func (w *worker) acknowledge(s *queue.Sent) {
	err := s.Wait()
	if err == nil {
		w.ended.Add(1)
	}
	w.lose(err)
}

// lose says that a result is lost, if there is an error.
func (w *worker) lose(err error) {
	if err != nil {
		w.say("%v: another worker gets the cell", err)
	}
}

// result runs the session of a task. It returns nil if ctx ends first.
func (w *worker) result(ctx context.Context, t *queue.Task) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, nil
	}
	at, err := w.point(t.Session)
	if err != nil {
		return nil, err
	}
	m := at.Trial(t.Trial)
	if sweep.CellKey(at.key, m.Config.Network.Seed) != t.Key {
		return nil, errors.New("its key is that of another session")
	}
	c, err := w.run(ctx, w.program, at.key, at.ticks, m, func(int) {})
	if err != nil || c == nil {
		return nil, err
	}
	return c.Line()
}

// point returns the point of a session's link.
func (w *worker) point(session string) (*workerPoint, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if x := w.points[session]; x != nil {
		return x, nil
	}
	link, err := plan.ParseLink(session)
	if err != nil {
		return nil, err
	}
	m, err := w.program.library.New(link.Settings, plan.Settings{}, "")
	if err != nil {
		return nil, err
	}
	if len(m.Panes) != 1 {
		return nil, fmt.Errorf("%d panes: a cell has one", len(m.Panes))
	}
	x := &workerPoint{Point: plan.Point{Plan: m}, ticks: m.Ticks(60)}
	x.key = pointKey(m, x.ticks, hashEntries(m.Entries(x.ticks)))
	if len(w.points) >= maxWorkerPoints || w.points == nil {
		w.points = map[string]*workerPoint{}
	}
	w.points[session] = x
	return x, nil
}
