package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/score"
	"ghostcube/ui/plan"
	"ghostcube/ui/session"
)

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

	markdown     bool     // of the table
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
	if l.Merged() {
		r.Network, r.networkBrief = "real network", "real network"
	}
	for i, p := range l.Panes {
		r.Panes = append(r.Panes, newPaneResult(p, l, latency[i]))
	}
	return r
}

// addPanes adds the panes of another session under the same conditions.
func (r *result) addPanes(other *result) {
	r.Panes = append(r.Panes, other.Panes...)
	for _, name := range other.leading {
		if !slices.Contains(r.leading, name) {
			r.leading = append(r.leading, name)
		}
	}
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
	if r.markdown {
		t = newMarkdownTable(out)
	}
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

// counterText formats the value of a counter with five significant digits, large ones in full, never as a power of ten.
func counterText(v float64) string {
	s := strconv.FormatFloat(v, 'g', 5, 64)
	if !strings.Contains(s, "e") {
		return s
	}
	if s = fixed(v, 0); s == "0" || s == "-0" {
		s = strconv.FormatFloat(v, 'f', 6, 64)
	}
	return s
}

// digitsOfInterval returns the digits after the decimal point of a mean whose interval has a half width: two significant
// ones of that, and no more.
func digitsOfInterval(half float64) int {
	if !(half > 0) || math.IsInf(half, 0) {
		return 0
	}
	return min(max(1-int(math.Floor(math.Log10(half))), 0), 9)
}

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

// cutShort returns an error if a session has made fewer than n ticks because the command was interrupted.
func cutShort(l *lab.Lab, n int) error {
	if int(l.Ticks()) == n {
		return nil
	}
	return fmt.Errorf("interrupted: the session ends after %.1f of %.1f s", float64(l.Ticks())/float64(l.Config().Rate), float64(n)/float64(l.Config().Rate))
}

// joinNoticed is the counter of what others notice of a client that rejoins. Only bench measures it.
const joinNoticed = "join_noticed_m"
