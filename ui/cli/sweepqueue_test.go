//go:build linux

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/ui/plan"
	"ghostcube/ui/sweep"
	"ghostcube/ui/sweep/queue"
)

// startNATS starts a server on the loopback, and returns its address.
func startNATS(t *testing.T) string {
	t.Helper()
	name, err := exec.LookPath("nats-server")
	if err != nil {
		t.Skip("no nats-server here")
	}
	dir := t.TempDir()
	cmd := exec.Command(name, "-a", "127.0.0.1", "-p", "-1", "-js", "-sd", dir, "--ports_file_dir", dir)
	need(cmd.Start())
	t.Cleanup(func() { need(cmd.Process.Kill()); _ = cmd.Wait() }) // killed
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		var ports struct{ NATS []string }
		list := must(filepath.Glob(filepath.Join(dir, "*.ports")))
		if len(list) == 1 && json.Unmarshal(must(os.ReadFile(list[0])), &ports) == nil && len(ports.NATS) > 0 {
			return ports.NATS[0]
		}
	}
	t.Fatal("the server has not started")
	return ""
}

// flipBit runs a cell, slowly, and changes the last bit of one of its values.
func flipBit(ctx context.Context, p *program, key string, ticks int, m *plan.Plan, made func(int)) (*sweep.Cell, error) {
	time.Sleep(100 * time.Millisecond) // others get cells, too
	c, err := runCell(ctx, p, key, ticks, m, made)
	if c != nil {
		c.Values["key_to_screen_ms"] = math.Float64frombits(math.Float64bits(c.Values["key_to_screen_ms"]) ^ 1)
	}
	return c, err
}

// TestSweepWorkers runs a sweep by four workers of which one flips a bit of each result and two are killed with SIGKILL
// while they have cells: the results are those of a sweep without workers, the lie is named with its worker and cell, and
// nobody else is.
func TestSweepWorkers(t *testing.T) {
	experiment.SkipUnlessLong(t)
	address := startNATS(t)
	planFile, out := writeSweep(t, strings.Replace(strings.Replace(smallSweep, "seconds = 3", "seconds = 10", 1), "seeds = 2", "seeds = 20", 1))
	reference := filepath.Join(filepath.Dir(out), "reference")
	printed(t, "sweep", planFile, "-o", reference)

	// The program is the test itself, which testscript starts by this name.
	program := filepath.Join(filepath.Dir(out), "ghostcube")
	need(os.Symlink(must(os.Executable()), program))
	sweepOver := exec.Command(program, "sweep", planFile, "--jobs", "1", "--ack-wait", "2s", "--nats", address, "-o", out)
	var errs bytes.Buffer
	sweepOver.Stderr = &errs
	need(sweepOver.Start())
	q := must(queue.Dial(address, programIdentity()))
	defer q.Close()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	for !must(q.Join(ctx)) {
		time.Sleep(10 * time.Millisecond)
	}
	theirs := must(queue.Dial(address, programIdentity()))
	defer theirs.Close()
	liar := newWorker(newProgram(testEnvironment(nil, &bytes.Buffer{}, &bytes.Buffer{})), theirs, "liar")
	liar.run = flipBit
	lied := make(chan error, 1)
	go func() { lied <- liar.work(ctx, 1) }()
	workers := make([]*exec.Cmd, 3)
	for i := range workers {
		workers[i] = exec.Command(program, "worker", "--jobs", "1", "--nats", address)
		need(workers[i].Start())
	}
	// Two are killed as soon as they have sent a result, and so have other cells.
	killed := 0
	for r := range must(q.Results(ctx)) {
		for i, w := range workers[:2] {
			if w.ProcessState == nil && strings.Contains(r.Worker, fmt.Sprintf("-%d-", w.Process.Pid)) {
				need(w.Process.Kill())
				if err := w.Wait(); err == nil {
					t.Errorf("worker %d has ended", i)
				}
				killed++
			}
		}
		if killed == 2 {
			break
		}
	}
	err := sweepOver.Wait()
	stop()
	need(<-lied)
	need(workers[2].Process.Signal(os.Interrupt))
	need(workers[2].Wait())

	if liar.ended.Load() == 0 {
		t.Fatal("the liar had no cell")
	}
	text := errs.String()
	if err == nil || sweepOver.ProcessState.ExitCode() != 1 || !strings.Contains(text, `worker "liar" has sent a wrong result of cell `) ||
		!strings.Contains(text, "tape circle, seed ") || !strings.Contains(text, "): key_to_screen_ms is ") {
		t.Errorf("%v: %s", err, text)
	}
	if n := strings.Count(text, "worker \""); n != strings.Count(text, `worker "liar"`) {
		t.Errorf("an honest worker is accused: %s", text)
	}
	got, _ := sweepFiles(t, out)
	want, _ := sweepFiles(t, reference)
	sameSweep(t, got, want)
	if n := strings.Count(want[sweep.ResultsJSON], "\n"); n != 120 {
		t.Errorf("%d cells", n)
	}
	if killed < 2 || strings.Contains(text, "no worker has a result") {
		t.Errorf("%d workers were killed, whose cells others have to get: %s", killed, text)
	}

	t.Run("other version", func(t *testing.T) { testOtherVersion(t, address, liar.program) })
}

// testOtherVersion puts a cell of another version on a server: a worker leaves it there, and says so with both versions.
func testOtherVersion(t *testing.T, address string, p *program) {
	const other = "ghostcube 0.1.0 (0123456789ab)"
	theirs := must(queue.Dial(address, other))
	defer theirs.Close()
	need(theirs.Create(t.Context(), time.Minute))
	task := queue.Task{Key: "00ff", Session: "?scene=zen"}
	need(theirs.Put(t.Context(), []queue.Task{task, task})) // it waits once
	q := must(queue.Dial(address, programIdentity()))
	defer q.Close()
	said := &logOf{}
	p.Stderr = said
	w := newWorker(p, q, "ours")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	worked := make(chan error, 1)
	go func() { worked <- w.work(ctx, 1) }()
	said.wait(t, fmt.Sprintf("cells of %q are refused: this is %s", other, programIdentity()))
	stop()
	need(<-worked)
	if n := w.ended.Load(); n > 0 {
		t.Errorf("%d cells", n)
	}
	for n := 0; ; n++ {
		jobs := must(theirs.Take(t.Context(), 5))
		if len(jobs) == 0 {
			break
		}
		if n > 0 || len(jobs) > 1 || jobs[0].Key != task.Key {
			t.Errorf("%d cells, the first %s", n+len(jobs), jobs[0].Key)
		}
		need(jobs[0].Refuse())
	}
}

// TestInterruptedCells checks that cells whose run is over before it begins end as an interruption, here and by a server, and
// name how many are left.
func TestInterruptedCells(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	p := newProgram(testEnvironment(nil, &bytes.Buffer{}, &bytes.Buffer{}))
	ask := plan.Sweep{Panes: []string{"rewind"}, Networks: []string{"4g"}, Tapes: []string{"circle"}, Seeds: 3, Session: plan.Settings{Seconds: 1}}
	points := must(ask.Points(&p.library, p.settings))
	store := must(sweep.Open(t.TempDir(), programIdentity(), true))
	defer store.Close()
	planned := newSweepPlan(p, points, "")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for _, address := range []string{"", startNATS(t)} {
		r := &sweepRun{program: p, label: "cells", store: store, plan: planned, points: points, missing: planned.Missing(store)}
		_, err := (&QueueFlags{NATS: address, Jobs: 1, AckWait: time.Minute}).runCells(ctx, r)
		if i := (*interruptedError)(nil); !errors.As(err, &i) || i.ended != 0 || i.cells != 3 {
			t.Errorf("server %q: %v", address, err)
		}
	}
}

// TestWorkerKeepsFewCells checks how many cells a worker takes: short ones in advance, long ones only when it can run them.
func TestWorkerKeepsFewCells(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		each             time.Duration
		jobs, held, want int
	}{
		{0, 2, 0, 2}, {0, 2, 2, 0}, {time.Second, 2, 1, 1}, {time.Second, 2, 2, 0}, {100 * time.Millisecond, 2, 2, 4}, {100 * time.Millisecond, 2, 1, 5},
		{100 * time.Millisecond, 2, 3, 0}, {time.Microsecond, 2, 0, 2 + 2*maxReserve},
	} {
		if got := (&worker{each: x.each, held: x.held}).wanted(x.jobs); got != x.want {
			t.Errorf("%+v: %d", x, got)
		}
	}
}

// TestWorkerGivesBack checks that a worker which is interrupted gives the cells that it has taken in advance to others at once, and
// that a cell is acknowledged only when the server has its result.
func TestWorkerGivesBack(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	address := startNATS(t)
	p := newProgram(testEnvironment(nil, &bytes.Buffer{}, &bytes.Buffer{}))
	q := must(queue.Dial(address, programIdentity()))
	defer q.Close()
	need(q.Create(t.Context(), time.Hour))
	w := newWorker(p, q, "ours")
	const session, cells, runs = "?panes=noprediction&network=perfect&seconds=0.1&tape=circle", 60, 5
	at := must(w.point(session))
	var tasks []queue.Task
	for i := range cells {
		tasks = append(tasks, queue.Task{Session: session, Trial: i, Key: sweep.CellKey(at.key, at.Trial(i).Config.Network.Seed)})
	}
	need(q.Put(t.Context(), tasks))
	ctx, stop := context.WithCancel(t.Context())
	n := 0
	w.run = func(ctx context.Context, _ *program, key string, _ int, m *plan.Plan, _ func(int)) (*sweep.Cell, error) {
		if n++; n > runs {
			stop() // the worker has others in reserve
			return nil, nil
		}
		c := &sweep.Cell{Key: sweep.CellKey(key, m.Config.Network.Seed), Seed: m.Config.Network.Seed}
		if n == runs {
			c.Hash = strings.Repeat("0", 1<<17) // the server refuses so long a result
		}
		return c, nil
	}
	need(w.work(ctx, 1))
	if got := w.ended.Load(); got != runs-1 || w.held != 0 {
		t.Errorf("%d cells have a result, and %d are held", got, w.held)
	}
	left := 0
	for {
		jobs := must(q.Take(t.Context(), cells))
		if len(jobs) == 0 {
			break
		}
		left += len(jobs)
		for _, j := range jobs {
			need(j.Refuse())
		}
	}
	if left != cells-runs {
		t.Errorf("others get %d cells at once, want all of %d but those of %d that have run", left, cells, runs)
	}
	if idle := must(q.Idle(t.Context())); idle {
		t.Error("the cell whose result was refused is acknowledged")
	}
}

// TestTuneWorkers checks that a search by two workers prints, to the digit, what it prints alone, with their results and few of its own.
func TestTuneWorkers(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	address := startNATS(t)
	args := []string{"tune", "rewind", "--objective", "down_kbit_per_second", "--limit", "path_error_rms_m<=0.05", "--knobs", "lead,snapshot-every",
		"--networks", "4g", "--seconds", "3", "--seeds", "3", "--test-seeds", "2", "--sessions", "60", "--format", "json"}
	alone := printed(t, args...)
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	var workers [2]*worker
	for i := range workers {
		q := must(queue.Dial(address, programIdentity()))
		workers[i] = newWorker(newProgram(testEnvironment(nil, &bytes.Buffer{}, &bytes.Buffer{})), q, fmt.Sprintf("worker-%d", i))
		all.Go(func() {
			defer q.Close()
			need(workers[i].work(ctx, 1))
		})
	}
	if text := printed(t, append(args, "--nats", address)...); text != alone {
		t.Errorf("by workers: %s, alone: %s", text, alone)
	}
	stop()
	all.Wait()
	for i, w := range workers {
		if w.ended.Load() == 0 {
			t.Errorf("worker %d has computed nothing", i)
		}
	}
}

// TestWorkerChecksTasks checks that a worker refuses a cell whose key is not that of its session, that names a file, or
// that has several panes.
func TestWorkerChecksTasks(t *testing.T) {
	t.Parallel()
	p := newProgram(testEnvironment(nil, &bytes.Buffer{}, &bytes.Buffer{}))
	w := newWorker(p, nil, "")
	const session = "?panes=noprediction&network=perfect&seconds=0.5&tape=circle"
	at := must(w.point(session))
	task := queue.Task{Session: session, Trial: 2, Key: sweep.CellKey(at.key, 3)}
	text := must(w.result(t.Context(), &task))
	if c := must(sweep.ParseCell(text, func(string) bool { return true })); c.Key != task.Key || c.Seed != 3 {
		t.Errorf("%+v", c)
	}
	for session, want := range map[string]string{
		session + "&rate=30":          "another session",
		"?panes=rewind,noprediction":  "2 panes",
		"?tape=/etc/passwd":           "cannot name files",
		"?panes=nonesuch":             "no strategy",
		"?network=trace=..%2Fa.csv":   "cannot name files",
		strings.Repeat("x", 70_000):   "at most",
		"?lesson=1&panes=rewind":      "lesson",
		"?seed=99999999999999999999x": "seed",
	} {
		task.Session = session
		if _, err := w.result(t.Context(), &task); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", session, err, want)
		}
	}
}
