package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"ghostcube/ui/plan"
)

// maxSeeds is how many sessions bench plays at most.
const maxSeeds = 1000

// runTrials plays the plan with as many seeds, the plan's own and those after it,
// on all cores. What a session comes to does not depend on the others, nor on
// how many are played at once.
func (p *program) runTrials(m *plan.Plan, seeds int) ([]*result, error) {
	n := m.Ticks(60)
	entries := m.Entries(n)
	list, failed := make([]*result, seeds), make([]error, seeds)
	bar := p.newProgress(fmt.Sprintf("bench, %d", seeds), n*seeds)
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), seeds) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < seeds; i = int(next.Add(1)) - 1 {
				mine := *m
				mine.Config.Network.Seed += uint64(i)
				l, err := mine.NewLab()
				if err != nil {
					failed[i] = err
					continue
				}
				l.Stopwatch = p.Now
				late, err := runEntries(l, entries, func(int) { bar.increment() })
				if failed[i] = err; err == nil {
					list[i] = newResult(l, &mine, late)
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
	return list, nil
}

// meanInterval is a measure over several sessions: its mean, and the interval in
// which the mean of all possible seeds lies with 95 % (Student's t).
type meanInterval struct {
	Mean *float64 `json:"mean"`  // null if it could be told in no session
	Low  *float64 `json:"low95"` // null if it could be told in less than two
	High *float64 `json:"high95"`
	N    int      `json:"n"` // sessions in which it could be told
}

// studentT95 are the quantiles of Student's distribution for 95 % both ways, by
// degrees of freedom from 1; from 31 on that of the normal distribution is
// taken with two corrections for their number (Fisher and Cornish), which is
// right to a thousandth.
var studentT95 = [...]float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
	2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042}

func studentQuantile(freedom int) float64 {
	if freedom <= len(studentT95) {
		return studentT95[freedom-1]
	}
	const z = 1.959964
	n := float64(freedom)
	return z + (z*z*z+z)/(4*n) + (5*z*z*z*z*z+16*z*z*z+3*z)/(96*float64(n*n))
}

// newMeanInterval returns the spread of what was told. Sums go by the seeds' order and
// fuse no product, so they are the same on every machine.
func newMeanInterval(values []float64) meanInterval {
	s := meanInterval{N: len(values)}
	if s.N == 0 {
		return s
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	mean := sum / float64(s.N)
	s.Mean = &mean
	if s.N < 2 {
		return s
	}
	square := 0.0
	for _, v := range values {
		square += float64((v - mean) * (v - mean))
	}
	half := float64(studentQuantile(s.N-1) * math.Sqrt(float64(square/float64(s.N-1))/float64(s.N)))
	low, high := mean-half, mean+half
	s.Low, s.High = &low, &high
	return s
}

// seedMeasure is a measure of a pane over several sessions.
type seedMeasure struct {
	name, title string
	digits      int
	meanInterval
}

// seedMeasures are those of a pane. As JSON they are objects by group, in their
// order.
type seedMeasures []seedMeasure

// seedsResult is what bench prints of several sessions.
type seedsResult struct {
	Version string      `json:"version"`
	Scene   string      `json:"scene"`
	Network string      `json:"network"` // of the first; the others differ in the seed
	Seeds   []uint64    `json:"seeds"`
	Rate    int         `json:"rate"`
	Seat    string      `json:"seat"`
	Tape    string      `json:"tape"`
	Ticks   int         `json:"ticks"` // of each
	Panes   []seedsPane `json:"panes"`

	heading string // for a reader
}

type seedsPane struct {
	Strategy string             `json:"strategy"`
	Knobs    map[string]any     `json:"knobs"`
	Hashes   []string           `json:"hashes"` // by seed
	Score    seedMeasures       `json:"score"`
	Traffic  seedMeasures       `json:"traffic"`
	Counters seedMeasures       `json:"counters"`
	CPU      map[string]float64 `json:"cpu"` // milliseconds, mean of all sessions, several of which ran at once

	spec string
}

// MarshalJSON implements json.Marshaler.
func (f seedMeasures) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, x := range f {
		if i > 0 {
			b = append(b, ',')
		}
		v, err := json.Marshal(x.meanInterval)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.name, err)
		}
		b = append(append(strconv.AppendQuote(b, x.name), ':'), v...)
	}
	return append(b, '}'), nil
}

// mergeResults puts several sessions of one plan into one report.
func mergeResults(list []*result) *seedsResult {
	a := list[0]
	s := &seedsResult{Version: a.Version, Scene: a.Scene, Network: a.Network, Rate: a.Rate, Seat: a.Seat, Tape: a.Tape, Ticks: a.Ticks}
	for _, r := range list {
		s.Seeds = append(s.Seeds, r.Seed)
	}
	s.heading = a.heading(fmt.Sprintf("seeds %d to %d", a.Seed, list[len(list)-1].Seed))
	for k := range a.Panes {
		s.Panes = append(s.Panes, mergePane(list, k))
	}
	return s
}

// mergePane puts together what one pane came to in each session.
func mergePane(list []*result, k int) seedsPane {
	a := &list[0].Panes[k]
	p := seedsPane{Strategy: a.Strategy, Knobs: a.Knobs, spec: a.spec, CPU: map[string]float64{}}
	for _, r := range list {
		x := &r.Panes[k]
		p.Hashes = append(p.Hashes, x.Hash)
		for name, ms := range x.CPU {
			p.CPU[name] += ms / float64(len(list))
		}
	}
	add := func(to *seedMeasures, name, title string, digits int, told func(*paneResult) (float64, bool)) {
		var values []float64
		for _, r := range list {
			if v, ok := told(&r.Panes[k]); ok {
				values = append(values, v)
			}
		}
		*to = append(*to, seedMeasure{name: name, title: title, digits: digits, meanInterval: newMeanInterval(values)})
	}
	for i, m := range a.Score {
		add(&p.Score, m.Name, m.Title, m.Digits, func(x *paneResult) (float64, bool) { return x.Score[i].Value, x.Score[i].OK })
	}
	for _, m := range trafficMeasures {
		add(&p.Traffic, m.name, m.title, 1, func(x *paneResult) (float64, bool) { return m.of(&x.Traffic), true })
	}
	for _, m := range a.counterList {
		add(&p.Counters, m.Name, m.Name, -1, func(x *paneResult) (float64, bool) { v, ok := x.Counters[m.Name]; return v, ok })
	}
	return p
}

// trafficMeasures are what a report says of the network.
var trafficMeasures = []struct {
	name, title string
	of          func(*trafficResult) float64
}{
	{"up_bps", "", func(n *trafficResult) float64 { return n.Up }},
	{"down_bps", "", func(n *trafficResult) float64 { return n.Down }},
	{"packets_up", "", func(n *trafficResult) float64 { return float64(n.PacketsUp) }},
	{"packets_down", "", func(n *trafficResult) float64 { return float64(n.PacketsDown) }},
	{"lost_ratio", "", func(n *trafficResult) float64 { return n.Lost }},
	{"rtt_ms", "round trip, ms", func(n *trafficResult) float64 { return n.RTT }},
}

// text writes a spread as a row shows it.
func (f *seedMeasure) text() string {
	number := func(v float64) string {
		if f.digits < 0 {
			return strconv.FormatFloat(v, 'g', 5, 64)
		}
		return fixed(v, f.digits)
	}
	switch {
	case f.Mean == nil:
		return "-"
	case f.Low == nil:
		return number(*f.Mean)
	case *f.Low == *f.High:
		return number(*f.Mean) + " ±0"
	}
	half := (*f.High - *f.Low) / 2
	if f.digits < 0 {
		return number(*f.Mean) + " ±" + strconv.FormatFloat(half, 'g', 2, 64)
	}
	return number(*f.Mean) + " ±" + number(half)
}

// writeTable prints the report as a table, a column for each pane.
func (s *seedsResult) writeTable(out io.Writer) error {
	fmt.Fprintf(out, "%s\nmean of %d, and half of the interval in which the mean of all seeds lies with 95 %%\n\n", s.heading, len(s.Seeds))
	t := newTable(out)
	cells := []string{""}
	for i := range s.Panes {
		cells = append(cells, s.Panes[i].spec)
	}
	t.row(cells...)
	group := func(of func(*seedsPane) seedMeasures) {
		var names []string
		for i := range s.Panes {
			for _, f := range of(&s.Panes[i]) {
				if f.title == "" || slices.Contains(names, f.name) {
					continue
				}
				names = append(names, f.name)
				cells := []string{f.title}
				for k := range s.Panes {
					cells = append(cells, s.Panes[k].cellText(of, f.name))
				}
				t.row(cells...)
			}
		}
	}
	group(func(p *seedsPane) seedMeasures { return p.Score })
	group(func(p *seedsPane) seedMeasures { return p.Traffic })
	group(func(p *seedsPane) seedMeasures { return p.Counters })
	return t.close()
}

func (p *seedsPane) cellText(of func(*seedsPane) seedMeasures, name string) string {
	for _, f := range of(p) {
		if f.name == name {
			return f.text()
		}
	}
	return "-"
}

// writeCSV prints the report as comma-separated values: a line for each measure of
// each pane, empty where it could not be told.
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
				_ = w.Write([]string{strconv.Itoa(i + 1), p.spec, g.name, f.name, strconv.Itoa(f.N), number(f.Mean), number(f.Low), number(f.High)})
			}
		}
	}
	w.Flush()
	return w.Error() // and of what was written before
}
