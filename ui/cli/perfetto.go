//go:build !js || headless

package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/trace"
	"ghostcube/sim"
	"ghostcube/ui/plan"
	"ghostcube/ui/session"
)

// traceTime is a session time in microseconds, the unit of the trace event format.
type traceTime time.Duration

// MarshalJSON implements json.Marshaler. It is exact.
func (t traceTime) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%d.%03d", t/1000, t%1000), nil
}

// traceEvent is an event of the trace event format, which Perfetto and chrome://tracing read
// (Google, Trace Event Format).
type traceEvent struct {
	Phase    string         `json:"ph"`
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Time     traceTime      `json:"ts"`
	Duration traceTime      `json:"dur,omitzero"` // of a slice
	Process  int            `json:"pid"`          // pane, from 1 in order of appearance
	Thread   int            `json:"tid"`          // serverThread and so on
	ID       string         `json:"id,omitempty"` // of a datagram
	Binding  string         `json:"bp,omitempty"` // of the end of an arrow: e, to the slice around it
	Scope    string         `json:"s,omitempty"`  // of an instant: t, its thread
	Args     map[string]any `json:"args,omitempty"`

	rank int // among the events of one time
}

// The phases that are written.
const (
	metadataPhase   = "M"
	slicePhase      = "X"
	instantPhase    = "i"
	asyncBeginPhase = "b" // of a slice that may overlap others
	asyncEndPhase   = "e"
	arrowBeginPhase = "s"
	arrowEndPhase   = "f"
)

// The threads of a process. Client 1 has clientThread, client 2 the next one.
const (
	serverThread = 1
	replayThread = 2
	clientThread = 3
)

// traceMargin is how long events are kept to be sorted: longer than a program's frame is behind its session.
const traceMargin = time.Second

// traceWriter writes the events of a session.
type traceWriter struct {
	out       *bufio.Writer
	lab       *lab.Lab
	only      int           // process that is written; 0: all
	from, end time.Duration // session time
	panes     []*tracedPane // in order of appearance
	datagrams int
	events    []traceEvent // that are not written yet
	written   bool         // an event was written
	err       error
}

// tracedPane is a pane, with what was true at the end of the last tick.
type tracedPane struct {
	pane        *lab.Pane
	process     int
	spec        string
	start       sim.Tick // of the strategy
	next        []int    // by client and direction: index in its flow of the first datagram that is not written
	corrections int
	replayed    float64
	steps       []steps // of the server and of each client
	closed      bool
}

// steps is what a side has done since a session time.
type steps struct {
	name  string // of the slice; empty: none has begun
	since time.Duration
	tick  sim.Tick
}

// writeTrace runs a session and prints its events after a number of ticks.
func (c *packetsCommand) writeTrace(p *program, planned *plan.Plan, lead, only int) error {
	l, err := planned.NewLab()
	if err != nil {
		return usageError{err}
	}
	l.TraceDatagrams(true)
	n, err := c.ticks(planned, lead)
	if err != nil {
		return err
	}
	rate := time.Duration(planned.Config.Rate)
	w := &traceWriter{out: bufio.NewWriter(p.Stdout), lab: l, only: only + 1,
		from: time.Duration(lead) * time.Second / rate, end: time.Duration(n) * time.Second / rate}
	fmt.Fprintf(w.out, `{"displayTimeUnit":"ms","otherData":{"program":%q,"scene":%q,"network":%q,"seed":"%d"},"traceEvents":[`,
		"ghostcube "+Version, planned.Config.Scene, planned.Config.Network.String(), planned.Config.Network.Seed)
	ctx, stop := untilSignal()
	defer stop()
	if err := session.Run(ctx, l, planned.Entries(n), nil, func(int) error { return w.afterTick() }); err != nil {
		return usageError{err}
	}
	w.close()
	if err := w.out.Flush(); err != nil {
		return err
	}
	return cutShort(l, n)
}

// timeOf returns the session time at which a session tick begins.
func (w *traceWriter) timeOf(t sim.Tick) time.Duration {
	return time.Duration(t) * time.Second / time.Duration(w.lab.Config().Rate)
}

// afterTick adds the events of the last tick.
func (w *traceWriter) afterTick() error {
	at := w.timeOf(w.lab.Ticks() - 1)
	for _, p := range w.lab.Panes {
		x := w.traced(p)
		if w.only == 0 || w.only == x.process {
			w.describe(x)
			w.addPane(x, at)
		}
	}
	before := at - traceMargin
	for _, x := range w.panes {
		if !x.closed && !slices.Contains(w.lab.Panes, x.pane) {
			w.closePane(x, at)
		}
		for side := range x.steps {
			before = min(before, x.steps[side].since)
		}
	}
	if w.lab.Ticks()%sim.Tick(w.lab.Config().Rate) == 0 {
		w.write(before)
	}
	return w.err
}

// closePane ends what a pane did. What still arrives there has a slice until the end of the session.
func (w *traceWriter) closePane(x *tracedPane, at time.Duration) {
	x.closed = true
	for side := range x.steps {
		w.endStep(x, side, at)
		x.steps[side] = steps{"closed", at, 0}
		w.endStep(x, side, w.end)
	}
	x.steps = nil
}

// traced returns what is known of a pane.
func (w *traceWriter) traced(p *lab.Pane) *tracedPane {
	i := slices.IndexFunc(w.panes, func(x *tracedPane) bool { return x.pane == p })
	if i < 0 {
		i = len(w.panes)
		w.panes = append(w.panes, &tracedPane{pane: p, process: i + 1})
	}
	return w.panes[i]
}

// describe names a pane that is new or has other settings, and its threads.
func (w *traceWriter) describe(x *tracedPane) {
	p := x.pane
	if spec := p.Spec(); spec != x.spec {
		x.spec = spec
		w.metadata("process_name", x.process, serverThread, fmt.Sprintf("pane %d: %s", x.process, spec))
	}
	if len(x.steps) > 0 && x.start == p.StartTick() {
		return
	}
	x.start = p.StartTick()
	w.metadata("thread_name", x.process, serverThread, "server")
	w.metadata("thread_name", x.process, replayThread, "replays of all clients")
	for k := range p.Clients {
		w.metadata("thread_name", x.process, clientThread+k, fmt.Sprintf("client %d", k+1))
	}
	x.next = append(x.next, make([]int, max(2*len(p.Clients)-len(x.next), 0))...)
	x.steps = append(x.steps, make([]steps, max(1+len(p.Clients)-len(x.steps), 0))...)
}

// metadata names a process or a thread.
func (w *traceWriter) metadata(what string, process, thread int, name string) {
	w.events = append(w.events, traceEvent{Phase: metadataPhase, Name: what, Process: process, Thread: thread,
		Time: traceTime(w.timeOf(max(w.lab.Ticks(), 1) - 1)), Args: map[string]any{"name": name}})
}

// add adds an event that is not before the time asked for. An event with a higher rank follows one of the same time.
func (w *traceWriter) add(e traceEvent, rank int) {
	if time.Duration(e.Time) >= w.from {
		e.rank = rank
		w.events = append(w.events, e)
	}
}

// addPane adds the events of a pane in a tick that began at a time.
func (w *traceWriter) addPane(x *tracedPane, at time.Duration) {
	p := x.pane
	simulates := p.Strategy.TicksMatchServer
	w.addStep(x, 0, at, p.ServerWorld.Tick(), "tick", true)
	for k, c := range p.Clients {
		if simulates {
			w.addStep(x, 1+k, at, c.World.Tick(), "tick", true)
		} else {
			w.addStep(x, 1+k, at, c.View.TickOf(p.PlayerBodyOf(k)), "draws tick", false)
		}
		for _, d := range []link.Direction{link.Up, link.Down} {
			f, next := p.Datagrams().Flow(k, d), &x.next[2*k+int(d)]
			for *next = max(*next, f.First()); *next < f.Total(); *next++ {
				w.addDatagram(x, k, d, f.At(*next))
			}
		}
	}
	for i := max(x.corrections, p.Corrections.FirstIndex()); i < p.Corrections.Total(); i++ {
		r := newCorrectionResult(p.Corrections.At(i), w.lab.Config().Rate)
		w.add(traceEvent{Phase: instantPhase, Name: "correction", Category: "correction", Time: traceTime(at), Process: x.process,
			Thread: clientThread + r.Client - 1, Scope: "t", Args: map[string]any{"server_tick": r.Tick, "body": r.Body,
				"difference": r.text, "cause": r.Cause, "shift_m": r.Shift, "replayed_ticks": r.ReplayedTicks}}, 2)
	}
	x.corrections = p.Corrections.Total()
	replayed := p.Counters.Total(predict.ReplayedTicks)
	if n := replayed - x.replayed; n > 0 {
		w.add(traceEvent{Phase: slicePhase, Name: "replays " + plural(int(n), "tick"), Category: "replay", Time: traceTime(at),
			Duration: traceTime(w.timeOf(w.lab.Ticks()) - at), Process: x.process, Thread: replayThread, Args: map[string]any{"ticks": n}}, 1)
	}
	x.replayed = replayed
}

// addStep adds what a side did before the tick that began at a time, if it does something else now: a step or a drawn tick,
// or that it stalls because its world does not step.
func (w *traceWriter) addStep(x *tracedPane, side int, at time.Duration, tick sim.Tick, verb string, stalls bool) {
	s := &x.steps[side]
	name := fmt.Sprintf("%s %d", verb, tick)
	if stalls && s.name != "" && tick == s.tick && tick > 0 {
		name = "stalls"
	}
	if name != s.name {
		w.endStep(x, side, at)
		s.name, s.since = name, at
	}
	s.tick = tick
}

// endStep adds the slice of what a side has done until a time.
func (w *traceWriter) endStep(x *tracedPane, side int, at time.Duration) {
	s := &x.steps[side]
	thread, category := serverThread, "step"
	if side > 0 {
		thread = clientThread + side - 1
	}
	if s.name == "stalls" {
		category = "stall"
	}
	if since := max(s.since, w.from); s.name != "" && since < at {
		w.add(traceEvent{Phase: slicePhase, Name: s.name, Category: category, Time: traceTime(since), Duration: traceTime(at - since),
			Process: x.process, Thread: thread}, 1)
	}
}

// arrives is the outcome of a datagram that its receiver gets as usual.
const arrives = "arrives"

// outcome says what the network does with a datagram.
func outcome(r *trace.Record) string {
	switch {
	case r.Flags.Has(trace.Dropped):
		return "dropped by the queue"
	case r.Flags.Has(trace.Lost):
		return "lost"
	case r.Flags.Has(trace.Damaged):
		return "damaged"
	case r.Flags.Has(trace.Late):
		return "late"
	}
	return arrives
}

// addDatagram adds a datagram: a slice from its sending to its arrival, which may overlap others, and an arrow from
// what its sender did then to what its receiver did, or an instant at the sender if it is lost.
func (w *traceWriter) addDatagram(x *tracedPane, client int, d link.Direction, r *trace.Record) {
	if r.SentAt < w.from || r.SentAt >= w.end {
		return
	}
	w.datagrams++
	sender, receiver := clientThread+client, serverThread
	if d == link.Down {
		sender, receiver = receiver, sender
	}
	name, what := directionName(d), outcome(r)
	if what != arrives {
		name += ", " + what
	}
	id := strconv.Itoa(w.datagrams)
	e := traceEvent{Phase: asyncBeginPhase, Name: name, Category: "datagram", Time: traceTime(r.SentAt), Process: x.process, Thread: sender, ID: id,
		Args: map[string]any{"client": client + 1, "number": r.Number, "sequence": r.Sequence, "bytes": r.Size, "contains": r.Kind.String(),
			"outcome": what, "resent": r.Flags.Has(trace.Resent), "duplicated": r.Flags.Has(trace.Duplicated)}}
	w.add(e, 2)
	end := e
	end.Phase, end.Time, end.Args = asyncEndPhase, traceTime(max(r.Arrival, r.SentAt)), nil
	w.add(end, 4)
	switch {
	case r.Vanishes():
		w.add(traceEvent{Phase: instantPhase, Name: what, Category: "loss", Time: e.Time, Process: x.process, Thread: sender, Scope: "t",
			Args: e.Args}, 2)
	case r.Arrival < w.end:
		arrow := e
		arrow.Phase, arrow.Category, arrow.Args = arrowBeginPhase, "arrow", nil
		w.add(arrow, 2)
		arrow.Phase, arrow.Time, arrow.Thread, arrow.Binding = arrowEndPhase, end.Time, receiver, "e"
		w.add(arrow, 3)
	}
}

// write writes the events before a time, in their order.
func (w *traceWriter) write(before time.Duration) {
	slices.SortStableFunc(w.events, func(a, b traceEvent) int {
		if a.Time != b.Time {
			return int(min(max(a.Time-b.Time, -1), 1))
		}
		return a.rank - b.rank
	})
	n := 0
	for ; n < len(w.events) && time.Duration(w.events[n].Time) < before && w.err == nil; n++ {
		var line []byte
		if line, w.err = json.Marshal(&w.events[n]); w.err != nil {
			return
		}
		separator := ",\n"
		if !w.written {
			separator, w.written = "\n", true
		}
		_, _ = w.out.WriteString(separator) // Flush returns the error
		_, _ = w.out.Write(line)
	}
	w.events = w.events[:copy(w.events, w.events[n:])]
}

// close writes the events that are left.
func (w *traceWriter) close() {
	for _, x := range w.panes {
		for side := range x.steps {
			w.endStep(x, side, w.timeOf(w.lab.Ticks()))
		}
	}
	w.write(math.MaxInt64)
	_, _ = w.out.WriteString("\n]}\n")
}
