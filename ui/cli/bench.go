package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"ghostcube/internal/atomicfile"
	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/score"
	"ghostcube/ui/plan"
	"ghostcube/ui/session"
)

type benchCommand struct {
	SessionFlags `embed:""`
	Format       string   `group:"output" help:"Output format: table, json or csv." default:"table" placeholder:"table"`
	Seeds        int      `group:"output" help:"Number of sessions with consecutive seeds, 1 to 1000: prints means and 95 % intervals." default:"1" placeholder:"1"`
	SaveTape     string   `group:"output" help:"Also write the session to a tape, with hashes for play --verify." placeholder:"FILE"`
	Ticks        string   `group:"output" help:"Also write a row for each tick and pane into this file: positions, errors, corrections, bytes." placeholder:"FILE.csv"`
	Corrections  bool     `group:"output" help:"Also list every correction: packet, body, difference, cause and effect."`
	All          bool     `group:"output" help:"Print all measures and counters in the table, not only the most important ones."`
	Assert       []string `group:"output" sep:"none" help:"Fail unless a figure of a pane holds, as PANE.MEASURE<N; also <= > >= =. May be given several times." placeholder:"ASSERTION"`
	Latency      bool     `group:"output" help:"Also print the stages of input latency, from the key to the screen."`
}

// Help returns the detailed help.
func (c *benchCommand) Help() string {
	return sessionHelp + `
Without --seconds the session is as long as its tape, and it repeats a tape that is too short.
The table leads with key to screen, path error, pops and bandwidth; --all prints all measures, as
json and csv do. list measures explains them.

With --assert the exit code is 1 if an assertion fails: a test of netcode in CI. PANE is a pane's
number, title, preset or strategy, MEASURE a measure or counter of --all. With --seeds the mean has
to hold. A measure without a value fails. With json and csv the outcomes go to standard error.

--ticks writes comma-separated values: where client and server have the player's cube, path error
(empty in the first second, which is not scored), lag error, error offset, corrections and replayed
ticks of all clients, bytes on the wire of the first client, and inputs that wait at the server.

Examples:
  ghostcube bench --panes noprediction,rewind --network latency=75ms
  ghostcube bench --compare snapshot-compression --format json
  ghostcube bench --tape turns --panes rewind:lead=1,rewind:lead=5 --seeds 10
  ghostcube bench --network wifi-bad --assert 'rewind.pops_per_minute<5' --seeds 10
  ghostcube bench --panes rewind,snapshot --network wifi-bad --ticks ticks.csv
`
}

// result is the report of a session.
type result struct {
	Version string       `json:"version"`
	Scene   string       `json:"scene"`
	Network string       `json:"network"`
	Seed    uint64       `json:"seed"`
	Rate    int          `json:"rate"`
	Seat    string       `json:"seat"`
	Tape    string       `json:"tape"`
	Ticks   int          `json:"ticks"`
	Panes   []paneResult `json:"panes"`

	networkBrief string   // short text of the network, for tables
	leading      []string // names of the measures that lead the table
}

type paneResult struct {
	Spec       string             `json:"spec"`
	Strategy   string             `json:"strategy"`
	Knobs      map[string]any     `json:"knobs"`
	Hash       string             `json:"hash"` // of lab.Pane.Hash
	Score      measures           `json:"score"`
	Divergence *divergence        `json:"divergence"` // null if the worlds are equal or the client does not simulate
	Traffic    trafficResult      `json:"traffic"`
	Counters   map[string]float64 `json:"counters"`
	CPU        map[string]float64 `json:"cpu"` // milliseconds; no hash depends on it

	Corrections *correctionList `json:"corrections,omitempty"` // only with --corrections
	Latency     *latencyResult  `json:"latency,omitempty"`     // only with --latency

	counterList []predict.CounterValue
	spanNames   []string // of the CPU figures
}

// divergence is the first difference between a client's world and the server's.
type divergence struct {
	Tick   int    `json:"tick"`
	Body   int    `json:"body"`
	Fields string `json:"fields"` // of that body
}

// measures is a score. As JSON it is an object of values in the order of the measures, null
// where a measure has no value.
type measures []score.Measure

// MarshalJSON implements json.Marshaler.
func (m measures) MarshalJSON() ([]byte, error) {
	return orderedObject(m, func(c *score.Measure) (name string, value any) {
		if !c.OK {
			return c.Name, nil
		}
		return c.Name, c.Value
	})
}

type trafficResult struct {
	Up          float64 `json:"up_bps"`
	Down        float64 `json:"down_bps"`
	PacketsUp   uint64  `json:"packets_up"`
	PacketsDown uint64  `json:"packets_down"`
	LostUp      float64 `json:"lost_up_ratio"`
	LostDown    float64 `json:"lost_down_ratio"`
	RTT         float64 `json:"rtt_ms"`

	Rejected map[string]uint64 `json:"rejected"` // datagrams, at both ends, by reason; absent reasons are 0

	rejections []lab.Rejection
}

// Run runs a session and prints its scores.
func (c *benchCommand) Run(p *program) error {
	if err := checkChoice("format", c.Format, "table", "json", "csv"); err != nil {
		return err
	}
	if (c.Corrections || c.Latency) && c.Format == "csv" {
		return usageError{errors.New("--corrections and --latency need --format table or json")}
	}
	if c.Seeds < 1 || c.Seeds > maxSeeds {
		return usageError{fmt.Errorf("--seeds=%d: want 1 to %d", c.Seeds, maxSeeds)}
	}
	assertions, err := parseAssertions(c.Assert)
	if err != nil {
		return usageError{err}
	}
	planned, err := p.newPlan(c.SessionFlags, "circle")
	if err != nil {
		return usageError{err}
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
	if c.SaveTape != "" && filepath.Clean(c.SaveTape) == filepath.Clean(c.Ticks) {
		return f, usageError{errors.New("--save-tape and --ticks: want two files")}
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
	return f, nil
}

// add adds a tick that the lab has just made. close returns the error.
func (f benchFiles) add(e lab.Entry) {
	_ = f.tape.Add(e)
	f.ticks.add()
}

// close gives the files their names.
func (f benchFiles) close() error {
	err := f.tape.Close()
	if err != nil {
		err = errors.Join(err, f.tape.Discard())
	}
	return errors.Join(err, f.ticks.close())
}

// discard removes the files.
func (f benchFiles) discard() error { return errors.Join(f.tape.Discard(), f.ticks.discard()) }

// cutShort returns an error if a session has made fewer than n ticks because the command was interrupted.
func cutShort(l *lab.Lab, n int) error {
	if int(l.Ticks()) == n {
		return nil
	}
	return fmt.Errorf("interrupted: the session ends after %.1f of %.1f s", float64(l.Ticks())/float64(l.Config().Rate), float64(n)/float64(l.Config().Rate))
}

// print prints the scores of a session that has ended, and whether the assertions hold.
func (c *benchCommand) print(p *program, session *plan.Plan, l *lab.Lab, latency []latencySamples, assertions []assertion) error {
	r := newResult(l, session, latency)
	if err := c.printResult(p, l, r); err != nil {
		return err
	}
	return checkAssertions(c.assertionOutput(p), assertions, mergeResults([]*result{r}))
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

// runSeeds runs a plan with several seeds, and prints means and intervals and whether the assertions hold.
func (c *benchCommand) runSeeds(p *program, m *plan.Plan, assertions []assertion) error {
	if c.Corrections || c.Latency || c.SaveTape != "" || c.Ticks != "" {
		return usageError{errors.New("--corrections, --latency, --save-tape and --ticks concern one session: they exclude --seeds")}
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
	write := s.writeBrief
	switch {
	case c.Format == "json":
		write = func(w io.Writer) error { return writeJSON(w, s) }
	case c.Format == "csv":
		write = s.writeCSV
	case c.All:
		write = s.writeTable
	}
	if err = write(p.Stdout); err == nil {
		err = checkAssertions(c.assertionOutput(p), assertions, s)
	}
	if len(list) < c.Seeds {
		err = errors.Join(err, fmt.Errorf("interrupted: the results are of %d of %d sessions", len(list), c.Seeds))
	}
	return err
}

// Input latency is measured at this many key presses, this many seconds apart. The first
// half second is left out, and the time until all clients have joined.
const (
	latencyProbeCount    = 10
	latencyProbeInterval = 2
)

// latencySamples sums the measured input latencies of a pane.
type latencySamples struct {
	sum, count int
	noticed    float64 // largest result of lab.MeasureRejoin, m
	rejoined   bool    // it has one
}

// addNoticed adds what others noticed of clients that rejoin in tick i.
func addNoticed(found []latencySamples, l *lab.Lab, entries lab.Entries, i int) {
	if !slices.ContainsFunc(entries.At(i).Commands, func(c lab.Command) bool { return c.Verb == "rejoin" }) {
		return
	}
	for i, metres := range l.MeasureRejoin(entries.Following(i, l.Config().Rate)) {
		if s := &found[min(i, len(found)-1)]; metres >= 0 {
			s.noticed, s.rejoined = max(s.noticed, metres), true
		}
	}
}

// runEntries runs the entries in a lab and measures the input latency at some of the key
// presses. It stops early when ctx ends.
func (p *program) runEntries(ctx context.Context, l *lab.Lab, entries lab.Entries,
	progress func(int)) ([]latencySamples, error) {
	l.Stopwatch, l.AtOnce = p.Now, nil // the panes' CPU times must not depend on each other
	found := make([]latencySamples, len(l.Panes))
	rate := l.Config().Rate
	next, left := entries.FirstKeyPress(min(rate/2, entries.Count)), latencyProbeCount
	measure := func(i int) {
		addNoticed(found, l, entries, i)
		if i == next && !l.Joined() {
			next = entries.FirstKeyPress(i + 1)
		}
		if i == next && left > 0 {
			for k, t := range l.MeasureInputLatency(entries.Following(i, rate)) {
				for len(found) <= k {
					found = append(found, latencySamples{})
				}
				if t >= 0 {
					found[k].sum += t
					found[k].count++
				}
			}
			left--
			next = entries.FirstKeyPress(min(i+latencyProbeInterval*rate, entries.Count))
		}
	}
	err := session.Run(ctx, l, entries, measure, func(made int) error {
		progress(made)
		return nil
	})
	for len(found) < len(l.Panes) {
		found = append(found, latencySamples{})
	}
	return found, err
}

// newResult returns the report of a session.
func newResult(l *lab.Lab, m *plan.Plan, latency []latencySamples) *result {
	c := l.Config()
	r := &result{
		Version: Version, Scene: c.Scene, Network: c.Network.String(), Seed: c.Network.Seed,
		Rate: c.Rate, Seat: c.Seat.String(), Tape: plan.TapeTitle(m.TapeName), Ticks: int(l.Ticks()),
		networkBrief: c.Network.Summary(), leading: leadingNames(l.Panes),
	}
	for i, p := range l.Panes {
		r.Panes = append(r.Panes, newPaneResult(p, l, latency[i]))
	}
	return r
}

// addCorrections adds the corrections of every pane.
func (r *result) addCorrections(l *lab.Lab) {
	for i, p := range l.Panes {
		r.Panes[i].Corrections = newCorrectionList(p, l.Config().Rate)
	}
}

func newPaneResult(p *lab.Pane, l *lab.Lab, latency latencySamples) paneResult {
	rate := float64(l.Config().Rate)
	ticks := float64(latency.sum) / float64(max(latency.count, 1))
	inputLatency := score.KeyToScreen(ticks, latency.count > 0, l.Config().Rate)
	seconds := float64(l.Ticks()-p.StartTick()) / rate
	up, down := &p.Clients[0].Endpoint.Stats, p.ServerStats()
	r := paneResult{
		Strategy: p.Strategy.Name, Spec: p.Spec(),
		Knobs: map[string]any{}, Counters: map[string]float64{}, CPU: map[string]float64{}, counterList: p.Counters.All(),
		Hash:  fmt.Sprintf("%016x", p.Hash()),
		Score: p.Measures([]score.Measure{inputLatency}),
		Traffic: trafficResult{
			Up: float64(p.Clients[0].WireBytes(link.Up)*8) / seconds, Down: float64(p.Clients[0].WireBytes(link.Down)*8) / seconds,
			PacketsUp: up.PacketsSent, PacketsDown: down.PacketsSent,
			LostUp: lostRatio(down), LostDown: lostRatio(up),
			RTT: milliseconds(up.RTT),

			Rejected: map[string]uint64{}, rejections: lab.Rejections(up, down),
		},
	}
	for _, x := range r.Traffic.rejections {
		r.Traffic.Rejected[x.Key] = x.Count
	}
	if d, ok := p.Divergence(); ok {
		r.Divergence = &divergence{int(d.Tick), d.Body, d.Fields}
	}
	for _, k := range p.Knobs.All() {
		switch k.Kind {
		case predict.Float, predict.Int:
			r.Knobs[k.Name] = k.Number()
		case predict.Bool:
			r.Knobs[k.Name] = k.Value() == "on"
		default:
			r.Knobs[k.Name] = k.Value()
		}
	}
	if latency.rejoined {
		r.counterList = append(slices.Clone(r.counterList), predict.CounterValue{Name: joinNoticed, Value: latency.noticed,
			Help: "largest difference that a rejoin made in what other clients drew within 3 s, m"})
	}
	for _, x := range r.counterList {
		r.Counters[x.Name] = x.Value
	}
	if n := p.CPU.Ticks; n > 0 {
		r.addCPU("tick", n, p.CPU.Sum, p.CPU.Max)
	}
	for _, s := range p.Counters.Spans() {
		r.addCPU(s.Name, s.Count, s.Total, s.Max)
	}
	return r
}

// addCPU adds the CPU time of a kind of work.
func (r *paneResult) addCPU(name string, count int, sum, longest time.Duration) {
	r.CPU[name+"_cpu_mean_ms"] = milliseconds(sum) / float64(count)
	r.CPU[name+"_cpu_max_ms"] = milliseconds(longest)
	if !slices.Contains(r.spanNames, name) {
		r.spanNames = append(r.spanNames, name)
	}
}

// lostRatio returns the share of the packets to an endpoint that never arrived. Forged packets can
// arrive that were never sent.
func lostRatio(receiver *packet.Stats) float64 {
	if receiver.Expected == 0 {
		return 0
	}
	return max(1-float64(receiver.PacketsReceived)/float64(receiver.Expected), 0)
}

// heading returns the line that describes the session.
func (r *result) heading(seeds string) string {
	s := fmt.Sprintf("%s, %s, %s, %d ticks at %d Hz, input at the %s", r.Scene, r.networkBrief, seeds, r.Ticks, r.Rate, r.Seat)
	if r.Tape != "" {
		s += ", tape " + r.Tape
	}
	return s
}

// writeTable prints all of the report as a table with a column for each pane.
func (r *result) writeTable(out io.Writer) error {
	fmt.Fprint(out, r.heading("seed "+strconv.FormatUint(r.Seed, 10)), "\n\n")
	t := newTable(out)
	addRows(t, r.Panes, "-", func(x *paneResult) []textRow {
		rows := []textRow{{"", x.Spec}}
		for i := range x.Score {
			rows = append(rows, textRow{x.Score[i].Title, x.Score[i].Text()})
		}
		fields := "-"
		if x.Divergence != nil {
			fields = x.Divergence.Fields
		}
		return append(rows, textRow{"first divergent fields", fields}, textRow{"RTT, ms", fixed(x.Traffic.RTT, 1)},
			textRow{"lost up, %", fixed(x.Traffic.LostUp*100, 1)},
			textRow{"lost down, %", fixed(x.Traffic.LostDown*100, 1)})
	})
	addRows(t, r.Panes, "0", func(x *paneResult) (rows []textRow) {
		for _, c := range x.Traffic.rejections {
			rows = append(rows, textRow{c.Name, fmt.Sprint(c.Count)})
		}
		return rows
	})
	addRows(t, r.Panes, "-", func(x *paneResult) (rows []textRow) {
		for _, c := range x.counterList {
			rows = append(rows, textRow{c.Name, counterText(c.Value)})
		}
		return rows
	})
	addRows(t, r.Panes, "-", func(x *paneResult) (rows []textRow) {
		for _, name := range x.spanNames {
			text := fixed(x.CPU[name+"_cpu_mean_ms"], 3) + ", " + fixed(x.CPU[name+"_cpu_max_ms"], 2)
			rows = append(rows, textRow{name + " CPU, mean and max ms", text})
		}
		return rows
	})
	addRows(t, r.Panes, "-", func(x *paneResult) []textRow { return []textRow{{"hash", x.Hash}} })
	return t.close()
}

// counterText formats the value of a counter.
func counterText(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }

// writeCorrections prints the corrections of every pane, where they were asked for.
func (r *result) writeCorrections(out io.Writer) error {
	for i := range r.Panes {
		x := &r.Panes[i]
		if x.Corrections == nil {
			continue
		}
		if err := x.Corrections.writeTable(out, fmt.Sprintf("pane %d, %s", i+1, x.Spec)); err != nil {
			return err
		}
	}
	return nil
}
