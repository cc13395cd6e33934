package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"ghostcube/net/link"
	"ghostcube/predict"
)

type weatherCommand struct {
	Weather string `arg:"" help:"A weather as --weather takes it." placeholder:"WEATHER"`
	Probes  int    `help:"How many datagrams are sent each way, 1 to 10000000." default:"36000" placeholder:"36000"`
	Size    int    `help:"Bytes in each, 0 to 65507; the headers of IP and UDP come on top." default:"100" placeholder:"100"`
	Pace    int    `help:"Datagrams a second, 1 to 10000." default:"60" placeholder:"60"`
	Seed    string `help:"Of all fates." default:"1" placeholder:"N"`
	InOrder bool   `help:"Measure the TCP-like link: all arrives, in order, and waits for what was lost."`
	Format  string `help:"table or json." default:"table" placeholder:"table"`
}

// linkResult is what weather prints.
type linkResult struct {
	Version string          `json:"version"`
	Weather string          `json:"weather"`
	Seed    uint64          `json:"seed"`
	Probes  int             `json:"probes"`
	Size    int             `json:"size"`
	Pace    int             `json:"pace"`
	InOrder bool            `json:"in_order"`
	Up      directionResult `json:"up"`
	Down    directionResult `json:"down"`

	brief string
}

type directionResult struct {
	Asked    askedResult    `json:"asked"`
	Measured measuredResult `json:"measured"`
}

// askedResult is what the conditions come to, without what depends on traffic.
type askedResult struct {
	Lost      float64  `json:"lost"`
	Twice     float64  `json:"twice"`
	HeldBack  float64  `json:"held_back"`
	Mean      *float64 `json:"way_ms_mean"` // null in order, where it depends on what is sent
	Deviation *float64 `json:"way_ms_sd"`
	Bandwidth *float64 `json:"bandwidth_bps"` // null: no limit
}

type measuredResult struct {
	Sent      uint64       `json:"sent"`
	Lost      float64      `json:"lost"` // in order: sent again
	Dropped   float64      `json:"dropped"`
	Twice     float64      `json:"twice"`
	Reordered float64      `json:"reordered"`
	Farthest  uint64       `json:"reordered_places_max"`
	Way       spreadResult `json:"way"`
	Queue     spreadResult `json:"queue"`
	Delay     spreadResult `json:"delay"`
	Goodput   float64      `json:"goodput_bps"`
}

// spreadResult is a distribution in milliseconds.
type spreadResult struct {
	Mean      float64 `json:"ms_mean"`
	Deviation float64 `json:"ms_sd"`
	Min       float64 `json:"ms_min"`
	P50       float64 `json:"ms_p50"`
	P95       float64 `json:"ms_p95"`
	P99       float64 `json:"ms_p99"`
	Max       float64 `json:"ms_max"`
}

// Run sends probes through a link and prints what was asked of it next to what
// it did.
func (c *weatherCommand) Run(p *program) error {
	w, err := c.check(p)
	if err != nil {
		return usage{err}
	}
	r := &linkResult{
		Version: Version, Weather: w.String(), Seed: w.Seed, Probes: c.Probes, Size: c.Size, Pace: c.Pace, InOrder: c.InOrder,
		brief: w.Brief(),
	}
	client := c.probe(w)
	r.Up = directionOf(&w.Up, client.Counters(link.Up), c.InOrder)
	r.Down = directionOf(&w.Down, client.Counters(link.Down), c.InOrder)
	if c.Format == "json" {
		e := json.NewEncoder(p.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	return r.table(p.Stdout)
}

// check returns the weather that is asked for, or what is wrong with the call.
func (c *weatherCommand) check(p *program) (*link.Network, error) {
	if c.Format != "table" && c.Format != "json" {
		return nil, &predict.Unknown{Kind: "format", Name: c.Format, Known: []string{"table", "json"}}
	}
	for _, x := range []struct {
		name             string
		value, low, high int
	}{{"--probes", c.Probes, 1, 10_000_000}, {"--size", c.Size, 0, 65507}, {"--pace", c.Pace, 1, 10000}} {
		if x.value < x.low || x.value > x.high {
			return nil, fmt.Errorf("%s=%d: want %d to %d", x.name, x.value, x.low, x.high)
		}
	}
	w := &link.Network{}
	var err error
	if w.Seed, err = seed(c.Seed); err != nil {
		return nil, err
	}
	text, err := p.withTraces(c.Weather)
	if err != nil {
		return nil, err
	}
	return w, w.Parse(text)
}

// probe sends the probes both ways through a link, waits for the last of them,
// and returns an end of the link.
func (c *weatherCommand) probe(w *link.Network) *link.End {
	pair := link.Pair
	if c.InOrder {
		pair = link.PairInOrder
	}
	client, server := pair(w, 0)
	datagram := make([]byte, c.Size)
	take := func(now time.Duration) {
		for _, e := range []*link.End{client, server} {
			for _, ok := e.Receive(now); ok; _, ok = e.Receive(now) {
			}
		}
	}
	for i := range c.Probes {
		now := time.Duration(i) * time.Second / time.Duration(c.Pace)
		client.Send(now, datagram)
		server.Send(now, datagram)
		take(now)
	}
	take(1<<63 - 1)
	return client
}

func directionOf(c *link.Conditions, m *link.Counters, inOrder bool) directionResult {
	share := func(n, of uint64) float64 { return float64(n) / float64(max(of, 1)) }
	e := c.Expect()
	r := directionResult{
		Asked: askedResult{Lost: e.Lost, Twice: e.Duplicated, HeldBack: e.Delayed},
		Measured: measuredResult{
			Sent: m.Sent, Lost: share(m.Lost, m.Sent), Dropped: share(m.Dropped, m.Sent), Twice: share(m.DuplicatesArrived, m.Arrived),
			Reordered: share(m.Reordered, m.Arrived), Farthest: m.ReorderMax,
			Way: spreadOf(&m.Transit), Queue: spreadOf(&m.Queue), Delay: spreadOf(&m.Delay), Goodput: m.Goodput(),
		},
	}
	if !inOrder {
		mean, deviation := millis(e.Mean), millis(e.Deviation)
		r.Asked.Mean, r.Asked.Deviation = &mean, &deviation
	}
	if c.Bandwidth > 0 {
		b := float64(c.Bandwidth)
		r.Asked.Bandwidth = &b
	}
	return r
}

func spreadOf(s *link.Distribution) spreadResult {
	return spreadResult{
		Mean: millis(s.Mean()), Deviation: millis(s.Deviation()), Min: millis(s.Min), Max: millis(s.Max),
		P50: millis(s.Quantile(0.5)), P95: millis(s.Quantile(0.95)), P99: millis(s.Quantile(0.99)),
	}
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// table prints what was asked next to what was measured, for both ways.
func (r *linkResult) table(out io.Writer) error {
	fmt.Fprintf(out, "%s, seed %d, %d datagrams of %d bytes each way, %d a second", r.brief, r.Seed, r.Probes, r.Size, r.Pace)
	if r.InOrder {
		fmt.Fprint(out, ", in order")
	}
	fmt.Fprint(out, "\n\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tup asked\tmeasured\tdown asked\tmeasured\t")
	row := func(name string, asked func(*askedResult) string, measured func(*measuredResult) string) {
		fmt.Fprint(w, name, "\t")
		for _, d := range []*directionResult{&r.Up, &r.Down} {
			a := "-"
			if asked != nil {
				a = asked(&d.Asked)
			}
			fmt.Fprint(w, a, "\t", measured(&d.Measured), "\t")
		}
		fmt.Fprintln(w)
	}
	fixed := func(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }
	maybe := func(v *float64, scale float64, digits int) string {
		if v == nil {
			return "-"
		}
		return fixed(*v*scale, digits)
	}
	lost := "lost, %"
	if r.InOrder {
		lost = "lost and sent again, %"
	}
	row(lost, func(a *askedResult) string { return fixed(a.Lost*100, 2) }, func(m *measuredResult) string { return fixed(m.Lost*100, 2) })
	row("dropped by the queue, %", nil, func(m *measuredResult) string { return fixed(m.Dropped*100, 2) })
	row("twice, %", func(a *askedResult) string { return fixed(a.Twice*100, 2) }, func(m *measuredResult) string { return fixed(m.Twice*100, 2) })
	row("held back, % / out of order, %", func(a *askedResult) string { return fixed(a.HeldBack*100, 2) },
		func(m *measuredResult) string { return fixed(m.Reordered*100, 2) })
	row("places out of order, most", nil, func(m *measuredResult) string { return fmt.Sprint(m.Farthest) })
	row("way, ms mean", func(a *askedResult) string { return maybe(a.Mean, 1, 2) }, func(m *measuredResult) string { return fixed(m.Way.Mean, 2) })
	row("way, ms sd", func(a *askedResult) string { return maybe(a.Deviation, 1, 2) }, func(m *measuredResult) string { return fixed(m.Way.Deviation, 2) })
	row("queue, ms mean", nil, func(m *measuredResult) string { return fixed(m.Queue.Mean, 2) })
	row("queue, ms max", nil, func(m *measuredResult) string { return fixed(m.Queue.Max, 2) })
	for _, q := range []struct {
		name string
		of   func(*spreadResult) float64
	}{
		{"mean", func(s *spreadResult) float64 { return s.Mean }}, {"min", func(s *spreadResult) float64 { return s.Min }},
		{"p50", func(s *spreadResult) float64 { return s.P50 }}, {"p95", func(s *spreadResult) float64 { return s.P95 }},
		{"p99", func(s *spreadResult) float64 { return s.P99 }}, {"max", func(s *spreadResult) float64 { return s.Max }},
	} {
		row("delay, ms "+q.name, nil, func(m *measuredResult) string { return fixed(q.of(&m.Delay), 2) })
	}
	row("limit / goodput, kbit/s", func(a *askedResult) string { return maybe(a.Bandwidth, 1e-3, 1) },
		func(m *measuredResult) string { return fixed(m.Goodput/1000, 1) })
	return w.Flush()
}
