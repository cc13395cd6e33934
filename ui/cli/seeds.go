package cli

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"ghostcube/internal/statistics"
	"ghostcube/ui/plan"
)

// maxSeeds is the largest number of sessions of a bench.
const maxSeeds = 1000

// runTrials runs a plan with consecutive seeds, starting with its own, on all cores. The
// results of a session do not depend on the others, nor on the number of cores. When ctx ends there are fewer results,
// the first ones.
func (p *program) runTrials(ctx context.Context, m *plan.Plan, seeds int) ([]*result, error) {
	n := m.Ticks(60)
	entries := m.Entries(n)
	list, failed := make([]*result, seeds), make([]error, seeds)
	bar := p.newProgress(fmt.Sprintf("bench, %d", seeds), n*seeds)
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), seeds) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < seeds && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				trial := *m
				trial.Config.Network.Seed += uint64(i)
				l, err := trial.NewLab()
				if err != nil {
					failed[i] = err
					continue
				}
				latency, err := p.runEntries(ctx, l, entries, func(int) { bar.increment() })
				if failed[i] = err; err == nil && int(l.Ticks()) == n {
					list[i] = newResult(l, &trial, latency)
				}
			}
		})
	}
	all.Wait()
	bar.finish()
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	if i := slices.Index(list, nil); i >= 0 {
		list = list[:i]
	}
	return list, nil
}

// meanInterval is the mean of a measure over several sessions, with its 95 % confidence
// interval (Student's t).
type meanInterval struct {
	Mean *float64 `json:"mean"`  // null: no session has a value
	Low  *float64 `json:"low95"` // null: fewer than two sessions have a value
	High *float64 `json:"high95"`
	N    int      `json:"n"` // sessions with a value
}

// newMeanInterval returns mean and interval of values.
func newMeanInterval(values []float64) meanInterval {
	s, m := statistics.Mean(values), meanInterval{N: len(values)}
	if m.N > 0 {
		m.Mean = &s.Mean
	}
	if m.N > 1 {
		m.Low, m.High = &s.Low, &s.High
	}
	return m
}

// seedMeasure is a measure of a pane over several sessions.
type seedMeasure struct {
	name, title string
	digits      int
	meanInterval
}

// seedMeasures are the measures of a pane. As JSON they are an object in their order.
type seedMeasures []seedMeasure

// seedsResult is the report of several sessions.
type seedsResult struct {
	Version string      `json:"version"`
	Scene   string      `json:"scene"`
	Network string      `json:"network"` // of the first session; the others have other seeds
	Seeds   []uint64    `json:"seeds"`
	Rate    int         `json:"rate"`
	Seat    string      `json:"seat"`
	Tape    string      `json:"tape"`
	Ticks   int         `json:"ticks"` // of each session
	Panes   []seedsPane `json:"panes"`

	heading string   // of the table
	leading []string // names of the measures that lead the table
	single  bool     // there is one session, which has no interval

	markdown bool // of the table
}

type seedsPane struct {
	Spec     string             `json:"spec"`
	Strategy string             `json:"strategy"`
	Knobs    map[string]any     `json:"knobs"`
	Hashes   []string           `json:"hashes"` // by seed
	Score    seedMeasures       `json:"score"`
	Traffic  seedMeasures       `json:"traffic"`
	Counters seedMeasures       `json:"counters"`
	CPU      map[string]float64 `json:"cpu"` // milliseconds, mean of all sessions, which ran in parallel
}

// MarshalJSON implements json.Marshaler.
func (s seedMeasures) MarshalJSON() ([]byte, error) {
	return orderedObject(s, func(x *seedMeasure) (name string, value any) { return x.name, x.meanInterval })
}

// rows returns the rows of a table.
func (s seedMeasures) rows() (rows []textRow) {
	for i := range s {
		if s[i].title != "" {
			rows = append(rows, textRow{s[i].title, s[i].text()})
		}
	}
	return rows
}

// mergeResults merges the reports of several sessions of one plan.
func mergeResults(list []*result) *seedsResult {
	a := list[0]
	s := &seedsResult{Version: a.Version, Scene: a.Scene, Network: a.Network, Rate: a.Rate, Seat: a.Seat, Tape: a.Tape, Ticks: a.Ticks}
	s.leading = a.leading
	for _, r := range list {
		s.Seeds = append(s.Seeds, r.Seed)
	}
	s.heading = a.heading(fmt.Sprintf("seeds %d to %d", a.Seed, list[len(list)-1].Seed))
	for k := range a.Panes {
		s.Panes = append(s.Panes, mergePane(list, k))
	}
	return s
}

// mergePane merges the results of pane k.
func mergePane(list []*result, k int) seedsPane {
	a := &list[0].Panes[k]
	p := seedsPane{Strategy: a.Strategy, Knobs: a.Knobs, Spec: a.Spec, CPU: map[string]float64{}}
	for _, r := range list {
		x := &r.Panes[k]
		p.Hashes = append(p.Hashes, x.Hash)
		for name, ms := range x.CPU {
			p.CPU[name] += ms / float64(len(list))
		}
	}
	add := func(to *seedMeasures, name, title string, digits int, value func(*paneResult) (float64, bool)) {
		var values []float64
		for _, r := range list {
			if v, ok := value(&r.Panes[k]); ok {
				values = append(values, v)
			}
		}
		*to = append(*to, seedMeasure{name: name, title: title, digits: digits, meanInterval: newMeanInterval(values)})
	}
	for i, m := range a.Score {
		add(&p.Score, m.Name, m.Title, m.Digits, func(x *paneResult) (float64, bool) { return x.Score[i].Value, x.Score[i].OK })
	}
	for _, m := range trafficMeasures {
		add(&p.Traffic, m.name, m.title, m.digits, func(x *paneResult) (float64, bool) { return m.of(&x.Traffic), true })
	}
	for _, r := range list {
		for _, m := range r.Panes[k].counterList {
			if !slices.ContainsFunc(p.Counters, func(x seedMeasure) bool { return x.name == m.Name }) { // a session may lack one
				add(&p.Counters, m.Name, m.Name, -1, func(x *paneResult) (float64, bool) { v, ok := x.Counters[m.Name]; return v, ok })
			}
		}
	}
	return p
}

// trafficMeasures are the measures of trafficResult.
var trafficMeasures = []struct {
	name, title string // a table leaves out those without a title
	help        string
	digits      int
	of          func(*trafficResult) float64
}{
	{"up_bps", "", "bits a second from the client, with all headers", 1, func(n *trafficResult) float64 { return n.Up }},
	{"down_bps", "", "bits a second to the client, with all headers", 1, func(n *trafficResult) float64 { return n.Down }},
	{"packets_up", "", "packets from the client", 1, func(n *trafficResult) float64 { return float64(n.PacketsUp) }},
	{"packets_down", "", "packets to the client", 1, func(n *trafficResult) float64 { return float64(n.PacketsDown) }},
	{"lost_up_ratio", "lost up, share of packets",
		"share of the packets from the client that should have arrived and have not", 4, func(n *trafficResult) float64 { return n.LostUp }},
	{"lost_down_ratio", "lost down, share of packets",
		"share of the packets to the client that should have arrived and have not", 4, func(n *trafficResult) float64 { return n.LostDown }},
	{"rtt_ms", "RTT, ms",
		"smoothed round trip at the end, without the other side's wait and overtaken packets", 1, func(n *trafficResult) float64 { return n.RTT }},
}

// text formats mean and interval.
func (s *seedMeasure) text() string {
	number := func(v float64) string {
		if s.digits < 0 {
			return counterText(v)
		}
		return fixed(v, s.digits)
	}
	switch {
	case s.Mean == nil:
		return "-"
	case s.Low == nil:
		return number(*s.Mean)
	case *s.Low == *s.High:
		return number(*s.Mean) + " ±0"
	}
	half := (*s.High - *s.Low) / 2
	if s.digits < 0 {
		digits := digitsOfInterval(half)
		return fixed(*s.Mean, digits) + " ±" + fixed(half, digits)
	}
	return number(*s.Mean) + " ±" + number(half)
}

// startTable prints the line that describes the sessions, and starts the table with a column for each pane.
func (s *seedsResult) startTable(out io.Writer) table {
	fmt.Fprintln(out, s.heading)
	if !s.single {
		fmt.Fprintf(out, "mean of %d sessions ± half the 95 %% confidence interval\n", len(s.Seeds))
	}
	fmt.Fprintln(out)
	t := newTable(out)
	if s.markdown {
		t = newMarkdownTable(out)
	}
	addRows(t, s.Panes, "", func(p *seedsPane) []textRow { return []textRow{{"", p.Spec}} })
	return t
}

// writeTable prints all of the report as a table.
func (s *seedsResult) writeTable(out io.Writer) error {
	t := s.startTable(out)
	addRows(t, s.Panes, "-", func(p *seedsPane) []textRow { return p.Score.rows() })
	addRows(t, s.Panes, "-", func(p *seedsPane) []textRow { return p.Traffic.rows() })
	addRows(t, s.Panes, "-", func(p *seedsPane) []textRow { return p.Counters.rows() })
	return t.close()
}

// writeCSV prints the report as comma-separated values, with a line for each measure of each
// pane. Unknown values are empty.
func (s *seedsResult) writeCSV(out io.Writer) error {
	w := csv.NewWriter(out)
	_ = w.Write([]string{"pane", "spec", "group", "measure", "n", "mean", "low95", "high95"})
	number := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'g', -1, 64)
	}
	for i := range s.Panes {
		p := &s.Panes[i]
		for _, g := range []struct {
			name string
			list seedMeasures
		}{{"score", p.Score}, {"traffic", p.Traffic}, {"counters", p.Counters}} {
			for _, f := range g.list {
				_ = w.Write([]string{strconv.Itoa(i + 1), p.Spec, g.name, f.name, strconv.Itoa(f.N), number(f.Mean), number(f.Low), number(f.High)})
			}
		}
	}
	w.Flush()
	return w.Error() // the first error of all writes
}
