package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/score"
)

type benchCommand struct {
	Session `embed:""`
	Format  string `help:"table, json or csv." default:"table" placeholder:"table"`
	Seeds   int    `help:"Play so many sessions, with this seed and those after it, and print the mean and the 95 % interval of every measure; 1 to 1000." default:"1" placeholder:"1"`
	Repro   string `help:"Write the session to this tape, with its hashes, for play --verify." placeholder:"FILE"`
	Explain bool   `help:"Also print every correction: the packet that caused it, which body was off and how, and what was done."`
	Latency bool   `help:"Also print how long what the first player did took to be seen, stage by stage."`
}

// result is what bench prints.
type result struct {
	Version string       `json:"version"`
	Scene   string       `json:"scene"`
	Weather string       `json:"weather"`
	Seed    uint64       `json:"seed"`
	Rate    int          `json:"rate"`
	Seat    string       `json:"seat"`
	Tape    string       `json:"tape"`
	Ticks   int          `json:"ticks"`
	Panes   []paneResult `json:"panes"`

	weather string // for a reader
}

type paneResult struct {
	Strategy string             `json:"strategy"`
	Knobs    map[string]any     `json:"knobs"`
	Hash     string             `json:"hash"` // of every world, drawn pose, meter and endpoint statistic
	Card     card               `json:"card"`
	Parted   *parted            `json:"divergence"` // null if the worlds are the same, or the strategy does not simulate
	Net      netResult          `json:"net"`
	Meter    map[string]float64 `json:"meter"`
	CPU      map[string]float64 `json:"cpu"` // milliseconds; part of no hash

	Corrections *explained     `json:"corrections,omitempty"` // if they were asked for
	Latency     *latencyResult `json:"latency,omitempty"`     // likewise

	spec  string
	meter []predict.Counter
	spans []string // of the processor's time
}

// parted is where a client's world first differed from the server's.
type parted struct {
	Tick   int    `json:"tick"`
	Body   int    `json:"body"`
	Fields string `json:"fields"` // of that body
}

// card is a score. As JSON it is an object of its measures' values, in their
// order, null where they cannot be told.
type card []score.Measure

// MarshalJSON implements json.Marshaler.
func (c card) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, m := range c {
		fmt.Fprintf(&b, "%c%q:", "{,"[min(i, 1)], m.Name)
		if !m.OK {
			b.WriteString("null")
			continue
		}
		v, err := json.Marshal(m.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		b.Write(v)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

type netResult struct {
	Up          float64 `json:"up_bps"`
	Down        float64 `json:"down_bps"`
	PacketsUp   uint64  `json:"packets_up"`
	PacketsDown uint64  `json:"packets_down"`
	Lost        float64 `json:"loss_seen"`
	RTT         float64 `json:"rtt_ms"`
}

// Run runs a session and prints its score.
func (c *benchCommand) Run(p *program) error {
	if !slices.Contains(formats, c.Format) {
		return usage{&predict.Unknown{Kind: "format", Name: c.Format, Known: formats}}
	}
	if (c.Explain || c.Latency) && c.Format == "csv" {
		return usage{errors.New("--explain and --latency: they go with --format table or json")}
	}
	if c.Seeds < 1 || c.Seeds > mostSeeds {
		return usage{fmt.Errorf("--seeds=%d: want 1 to %d", c.Seeds, mostSeeds)}
	}
	plan, err := p.plan(c.Session, "circle")
	if err != nil {
		return usage{err}
	}
	if c.Seeds > 1 {
		return c.many(p, plan)
	}
	l, err := plan.lab()
	if err != nil {
		return usage{err}
	}
	l.Stopwatch = p.Now
	n := plan.ticks(60)
	entries := plan.allEntries(n)
	tape, err := plan.taped(l, c.Repro)
	if err != nil {
		return usage{fmt.Errorf("--repro: %w", err)}
	}
	bar := p.newProgress("bench", n)
	latency, err := measure(l, entries, func(made int) {
		bar.at(made)
		tape.made(entries, made)
	})
	bar.done()
	saved := tape.close()
	if err != nil {
		return usage{err}
	}
	if saved != nil {
		return saved
	}
	r := results(l, plan, latency)
	if c.Format == "csv" {
		return together([]*result{r}).csv(p.Stdout)
	}
	if c.Explain {
		r.explain(l)
	}
	if c.Latency {
		for i, p := range l.Panes {
			r.Panes[i].Latency = latencyPane(p)
		}
	}
	if c.Format == "json" {
		return r.json(p.Stdout)
	}
	if err := r.table(p.Stdout); err != nil || !c.Latency {
		return err
	}
	return r.latencyTable(p.Stdout)
}

// formats are what bench can print.
var formats = []string{"table", "json", "csv"}

// many plays the plan with several seeds and prints what they come to.
func (c *benchCommand) many(p *program, m *plan) error {
	if c.Explain || c.Latency || c.Repro != "" {
		return usage{errors.New("--explain, --latency and --repro: they are of one session; give --seeds or one of them")}
	}
	list, err := p.trials(m, c.Seeds)
	if err != nil {
		return usage{err}
	}
	s := together(list)
	switch c.Format {
	case "json":
		return s.json(p.Stdout)
	case "csv":
		return s.csv(p.Stdout)
	}
	return s.table(p.Stdout)
}

// probes is at how many keys, and at what distance in seconds, the latency of
// the own input is measured. The first second is for joining.
const (
	probes   = 10
	probeGap = 2
)

// latencies collects the measured latencies of a pane.
type latencies struct {
	sum, n int
}

// measures appends their mean to dst.
func (l *latencies) measures(dst []score.Measure, rate int) []score.Measure {
	return score.OwnLatency(dst, float64(l.sum)/float64(max(l.n, 1)), l.n > 0, rate)
}

// measure runs the entries through a lab, and at some of the keys pressed on
// the way measures how long they take to show.
func measure(l *lab.Lab, entries []lab.Entry, progress func(int)) ([]latencies, error) {
	var found []latencies
	rate := l.Config().Rate
	next, left := lab.FirstKey(entries, min(rate/2, len(entries))), probes
	for i, e := range entries {
		if i == next && left > 0 {
			for k, t := range l.OwnInputLatency(entries[i:]) {
				for len(found) <= k {
					found = append(found, latencies{})
				}
				if t >= 0 {
					found[k].sum += t
					found[k].n++
				}
			}
			left--
			next = lab.FirstKey(entries, min(i+probeGap*rate, len(entries)))
		}
		if err := l.Tick(e); err != nil {
			return nil, err
		}
		progress(i + 1)
	}
	for len(found) < len(l.Panes) {
		found = append(found, latencies{})
	}
	return found, nil
}

// results puts together what a session came to.
func results(l *lab.Lab, m *plan, latency []latencies) *result {
	c := l.Config()
	r := &result{
		Version: Version, Scene: c.Scene, Weather: c.Network.String(), Seed: c.Network.Seed,
		Rate: c.Rate, Seat: c.Seat.String(), Tape: m.tape, Ticks: int(l.Ticks()),
		weather: c.Network.Brief(),
	}
	for i, p := range l.Panes {
		r.Panes = append(r.Panes, paneOf(p, l, latency[i]))
	}
	return r
}

// explain adds what every pane corrected.
func (r *result) explain(l *lab.Lab) {
	for i, p := range l.Panes {
		r.Panes[i].Corrections = explainPane(p, l.Config().Rate)
	}
}

func paneOf(p *lab.Pane, l *lab.Lab, late latencies) paneResult {
	rate := float64(l.Config().Rate)
	seconds := float64(l.Ticks()-p.Began()) / rate
	up, down := &p.Clients[0].Endpoint.Stats, p.Server()
	r := paneResult{
		Strategy: p.Strategy.Name, spec: p.Spec(),
		Knobs: map[string]any{}, Meter: map[string]float64{}, CPU: map[string]float64{}, meter: p.Counters.All(),
		Hash: fmt.Sprintf("%016x", p.Hash()),
		Card: p.Measures(late.measures(nil, l.Config().Rate)),
		Net: netResult{
			Up: float64(up.BytesSent*8) / seconds, Down: float64(down.BytesSent*8) / seconds,
			PacketsUp: up.PacketsSent, PacketsDown: down.PacketsSent,
			Lost: lost(up.Expected+down.Expected, up.PacketsReceived+down.PacketsReceived),
			RTT:  float64(up.RTT) / float64(time.Millisecond),
		},
	}
	if d, ok := p.Divergence(); ok {
		r.Parted = &parted{int(d.Tick), d.Body, d.Fields}
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
	for _, x := range p.Counters.All() {
		r.Meter[x.Name] = x.Value
	}
	if n := p.CPU.Ticks; n > 0 {
		r.cost("tick", n, p.CPU.Sum, p.CPU.Max)
	}
	for _, s := range p.Counters.Spans() {
		r.cost(s.Name, s.Times, s.Sum, s.Max)
	}
	return r
}

// cost notes what some work took of the processor.
func (r *paneResult) cost(name string, times int, sum, most time.Duration) {
	r.CPU[name+"_ms_mean"] = float64(sum) / float64(times) / 1e6
	r.CPU[name+"_ms_max"] = float64(most) / 1e6
	if !slices.Contains(r.spans, name) {
		r.spans = append(r.spans, name)
	}
}

// lost is the share of the packets sent in both directions that never came.
func lost(expected, received uint64) float64 {
	if expected == 0 {
		return 0
	}
	return 1 - float64(received)/float64(expected)
}

// head says what the session was, played with which seeds.
func (r *result) head(seeds string) string {
	s := fmt.Sprintf("%s, %s, %s, %d ticks at %d Hz, player at the %s", r.Scene, r.weather, seeds, r.Ticks, r.Rate, r.Seat)
	if r.Tape != "" {
		s += ", tape " + r.Tape
	}
	return s
}

// json prints the result as an object.
func (r *result) json(out io.Writer) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// table prints the result as a table, a column for each pane.
func (r *result) table(out io.Writer) error {
	fmt.Fprint(out, r.head("seed "+strconv.FormatUint(r.Seed, 10)), "\n\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, f func(x *paneResult) string) {
		fmt.Fprint(w, name, "\t")
		for i := range r.Panes {
			fmt.Fprint(w, f(&r.Panes[i]), "\t")
		}
		fmt.Fprintln(w)
	}
	fixed := func(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }
	row("", func(x *paneResult) string { return x.spec })
	for i, m := range r.Panes[0].Card {
		if m.Title != "" {
			row(m.Title, func(x *paneResult) string { return x.Card[i].Text() })
		}
	}
	row("first divergent fields", func(x *paneResult) string {
		if x.Parted == nil {
			return "-"
		}
		return x.Parted.Fields
	})
	row("round trip, ms", func(x *paneResult) string { return fixed(x.Net.RTT, 1) })
	row("lost, %", func(x *paneResult) string { return fixed(x.Net.Lost*100, 1) })
	counts := func(x *paneResult) (names []string) {
		for _, c := range x.meter {
			names = append(names, c.Name)
		}
		return names
	}
	for _, name := range r.names(counts) {
		row(name, func(x *paneResult) string {
			if v, ok := x.Meter[name]; ok {
				return strconv.FormatFloat(v, 'g', 5, 64)
			}
			return "-"
		})
	}
	for _, name := range r.names(func(x *paneResult) []string { return x.spans }) {
		row(name+", ms mean, max", func(x *paneResult) string {
			if _, ok := x.CPU[name+"_ms_mean"]; !ok {
				return "-"
			}
			return fixed(x.CPU[name+"_ms_mean"], 3) + ", " + fixed(x.CPU[name+"_ms_max"], 2)
		})
	}
	row("hash", func(x *paneResult) string { return x.Hash })
	if err := w.Flush(); err != nil {
		return err
	}
	for i := range r.Panes {
		x := &r.Panes[i]
		if x.Corrections == nil {
			continue
		}
		if err := x.Corrections.table(out, fmt.Sprintf("pane %d, %s", i+1, x.spec)); err != nil {
			return err
		}
	}
	return nil
}

// names lists what any pane names, in order of appearance.
func (r *result) names(of func(*paneResult) []string) (names []string) {
	for i := range r.Panes {
		for _, name := range of(&r.Panes[i]) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
