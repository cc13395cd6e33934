//go:build !js || headless

package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"ghostcube/ui/sweep"
	"ghostcube/ui/sweep/queue"
)

// Bounds of --ack-wait.
const (
	minAckWait = time.Second
	maxAckWait = time.Hour
)

// checkServer checks --nats.
func checkServer(address string) error {
	if _, err := queue.Address(address); err != nil {
		return fmt.Errorf("--nats: %w", err)
	}
	return nil
}

// queueLook is how often a sweep looks whether a queue has lost cells.
const queueLook = 2 * time.Second

// queueRun runs the cells that a store lacks by workers.
type queueRun struct {
	*sweepRun
	queue   *queue.Queue
	audit   *sweep.Audit
	at      map[string][2]int // points and seeds, by the keys of cells
	columns map[string]bool
	results <-chan queue.Result
	endRead context.CancelFunc // of results
	lies    int                // that were told
	put     bool               // the cells are in the queue
	idle    bool               // the queue was when it was last looked at, and nothing has come since
}

// computed is a cell that the sweep has computed itself.
type computed struct {
	cell *sweep.Cell
	err  error
}

// runQueue runs the cells by workers until ctx ends. lies is the error of workers that have sent wrong results, which are
// replaced.
func (f *QueueFlags) runQueue(ctx context.Context, r *sweepRun, jobs int) (lies, err error) {
	shown, err := queue.Address(f.NATS)
	if err != nil {
		return nil, err
	}
	q, err := queue.Dial(f.NATS, programIdentity())
	if err != nil {
		return nil, err
	}
	defer q.Close()
	if err := q.Create(ctx, f.AckWait); err != nil {
		if ctx.Err() != nil {
			return nil, r.interrupted(0)
		}
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	x := &queueRun{sweepRun: r, queue: q, at: map[string][2]int{}, columns: map[string]bool{}}
	var keys []string
	for _, at := range r.missing {
		key := r.plan.CellKey(at[0], at[1])
		keys, x.at[key] = append(keys, key), at
	}
	for _, column := range sweepColumns() {
		x.columns[column.Name] = true
	}
	x.audit = sweep.NewAudit(r.store, keys, f.Verify/100, rand.Float64)
	fmt.Fprintf(r.program.Stderr, "ghostcube: %s for workers: ghostcube worker --nats %s\n", plural(len(keys), "cell"), shown)
	r.bar, r.noticed = r.program.newProgress(fmt.Sprintf("%s, %d", r.label, len(keys)), len(keys)), r.program.Now()
	err = x.run(ctx, jobs)
	r.bar.finish()
	if errors.Is(err, context.Canceled) && ctx.Err() != nil { // while it waited for the server
		err = r.interrupted(x.audit.Stored())
	}
	return x.lieError(), err
}

// run runs until all cells are stored, or ctx ends.
func (q *queueRun) run(ctx context.Context, jobs int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := q.read(ctx); err != nil {
		return err
	}
	work, done := make(chan string), make(chan computed)
	var all sync.WaitGroup
	for range jobs {
		all.Go(func() { q.compute(ctx, work, done) })
	}
	defer all.Wait()
	defer cancel()
	look := time.NewTicker(queueLook)
	defer look.Stop()
	for !q.audit.Done() {
		var err error
		var next chan string
		key, ok := q.audit.Next()
		if ok {
			next = work
		}
		select {
		case <-ctx.Done():
			return q.interrupted(q.audit.Stored())
		case next <- key:
			q.audit.Begun()
		case c := <-done:
			if err = c.err; err == nil {
				err = q.audit.Computed(c.cell)
			}
		case r, ok := <-q.results:
			switch {
			case ok:
				err = q.take(ctx, r)
			case ctx.Err() == nil:
				err = errors.New("the server sends no results any more")
			}
		case <-look.C:
			err = q.look(ctx)
		}
		if err != nil {
			return err
		}
		q.audit.Settle()
		q.tell()
	}
	for i := range q.audit.Lies() {
		l := &q.audit.Lies()[i]
		_ = q.queue.Discard(ctx, l.Worker, l.Key) // the next sweep would find it out again
	}
	return nil
}

// read reads all results that the server has, and those that come.
func (q *queueRun) read(ctx context.Context) (err error) {
	if q.endRead != nil {
		q.endRead()
	}
	ctx, q.endRead = context.WithCancel(ctx)
	q.results, err = q.queue.Results(ctx)
	return err
}

// compute computes the cells whose keys come, until ctx ends.
func (q *queueRun) compute(ctx context.Context, work <-chan string, done chan<- computed) {
	for {
		select {
		case key := <-work:
			at := q.at[key]
			point := &q.plan.Points[at[0]]
			c, err := runCell(ctx, q.program, point.Key, point.Ticks, q.points.List[at[0]].Trial(at[1]), func(int) {})
			if err != nil {
				err = fmt.Errorf("%s: %w", q.title(at), err)
			} else if c == nil {
				return // interrupted
			}
			select {
			case done <- computed{c, err}:
			case <-ctx.Done():
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// take takes a result. After those that the server had already it puts the other cells into the queue. If that was done,
// the queue is empty, and cells without a result are lost: workers have died of them too often, or have acknowledged
// them without a result. They are computed here.
func (q *queueRun) take(ctx context.Context, r queue.Result) error {
	q.idle = false
	switch {
	case r.Key == "" && !q.put:
		q.put = true
		return q.putCells(ctx)
	case r.Key == "" && q.audit.Open() > 0:
		fmt.Fprintf(q.program.Stderr, "ghostcube: no worker has a result of %s: computed here\n", plural(q.audit.Lost(), "cell"))
	}
	at, ours := q.at[r.Key]
	if !ours {
		return nil
	}
	c, err := sweep.ParseCell(r.Text, func(name string) bool { return q.columns[name] })
	if err != nil || c.Key != r.Key || c.Seed != q.plan.FirstSeed+uint64(at[1]) {
		c = nil
	}
	return q.audit.Result(r.Worker, r.Key, c)
}

// putCells puts the cells without a result into the queue.
func (q *queueRun) putCells(ctx context.Context) error {
	var tasks []queue.Task
	links := map[int]string{} // of points
	for _, at := range q.missing {
		key := q.plan.CellKey(at[0], at[1])
		if q.audit.Has(key) {
			continue
		}
		if links[at[0]] == "" {
			var err error
			if links[at[0]], err = q.points.List[at[0]].Link(&q.program.library); err != nil {
				return fmt.Errorf("%s: no worker can get it: %w", q.title(at), err)
			}
		}
		tasks = append(tasks, queue.Task{Key: key, Session: links[at[0]], Trial: at[1]})
	}
	return q.queue.Put(ctx, tasks)
}

// look reads all results anew if the queue is empty and some are still missing. Servers have been seen to leave out
// results that came while others were removed.
func (q *queueRun) look(ctx context.Context) error {
	if !q.put || q.audit.Open() == 0 {
		return nil
	}
	idle, err := q.queue.Idle(ctx)
	if err != nil {
		return nil // the client connects again
	}
	if idle && q.idle {
		return q.read(ctx)
	}
	q.idle = idle
	return nil
}

// tell shows how far the sweep is, and the first wrong result of each worker.
func (q *queueRun) tell() {
	if stored := q.audit.Stored(); stored != int(q.ended.Swap(int64(stored))) {
		q.bar.set(stored)
		q.notice(stored)
	}
	for lies := q.audit.Lies(); q.lies < len(lies); q.lies++ {
		l := &lies[q.lies]
		if !slices.ContainsFunc(lies[:q.lies], func(o sweep.Lie) bool { return o.Worker == l.Worker }) {
			fmt.Fprintln(q.program.Stderr, "ghostcube: "+q.lieText(l)+"; all its results are computed here")
		}
	}
}

// lieText names the worker, the cell and the difference of a wrong result.
func (q *queueRun) lieText(l *sweep.Lie) string {
	return fmt.Sprintf("worker %.80q has sent a wrong result of cell %s (%s): %s", l.Worker, l.Key, q.title(q.at[l.Key]), l.Difference)
}

// maxTexts is the largest number of workers that the error names.
const maxTexts = 10

// lieError returns the error of all workers with wrong results; nil: there are none. It names the first one of each.
func (q *queueRun) lieError() error {
	lies := q.audit.Lies()
	numbers, texts := map[string]int{}, []string{}
	for i := range lies {
		if numbers[lies[i].Worker]++; numbers[lies[i].Worker] == 1 && len(texts) < maxTexts {
			texts = append(texts, q.lieText(&lies[i]))
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return fmt.Errorf("the results are right, but of %s %d were wrong: %s", plural(len(numbers), "worker"), len(lies), strings.Join(texts, "; "))
}
