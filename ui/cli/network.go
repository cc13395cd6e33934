package cli

import (
	"fmt"
	"io"
	"time"

	"ghostcube/net/link"
	"ghostcube/ui/plan"
)

type networkCommand struct {
	Network string `arg:"" help:"A network as --network takes it." placeholder:"NETWORK"`
	Probes  int    `help:"How many datagrams are sent each way, 1 to 10000000." default:"36000" placeholder:"36000"`
	Size    int    `help:"Bytes in each, 0 to 65507; the headers of IP and UDP come on top." default:"100" placeholder:"100"`
	PPS     int    `help:"Datagrams a second, 1 to 10000." default:"60" placeholder:"60"`
	Seed    string `help:"Of all fates." default:"1" placeholder:"N"`
	TCP     bool   `help:"Measure the TCP-like link: all arrives, in order, and waits for what was lost."`
	Format  string `help:"table or json." default:"table" placeholder:"table"`
}

// networkResult is what weather prints.
type networkResult struct {
	Version string          `json:"version"`
	Network string          `json:"network"`
	Seed    uint64          `json:"seed"`
	Probes  int             `json:"probes"`
	Size    int             `json:"size"`
	PPS     int             `json:"pps"`
	InOrder bool            `json:"tcp"`
	Up      directionResult `json:"up"`
	Down    directionResult `json:"down"`

	networkBrief string
}

type directionResult struct {
	Expected expectedResult `json:"expected"`
	Measured measuredResult `json:"measured"`
}

// expectedResult is what the conditions come to, without what depends on traffic.
type expectedResult struct {
	Lost       float64  `json:"lost_ratio"`
	Duplicated float64  `json:"duplicated_ratio"`
	Delayed    float64  `json:"delayed_ratio"`
	Mean       *float64 `json:"transit_mean_ms"` // null in order, where it depends on what is sent
	Deviation  *float64 `json:"transit_sd_ms"`
	Bandwidth  *float64 `json:"bandwidth_bps"` // null: no limit
}

type measuredResult struct {
	Sent       uint64             `json:"sent"`
	Lost       float64            `json:"lost_ratio"` // in order: sent again
	Dropped    float64            `json:"dropped_ratio"`
	Duplicated float64            `json:"duplicated_ratio"`
	Reordered  float64            `json:"reordered_ratio"`
	ReorderMax uint64             `json:"reorder_max_packets"`
	Transit    distributionResult `json:"transit"`
	Queue      distributionResult `json:"queue"`
	Delay      distributionResult `json:"delay"`
	Goodput    float64            `json:"goodput_bps"`
}

// distributionResult is a distribution in milliseconds.
type distributionResult struct {
	Mean      float64 `json:"mean_ms"`
	Deviation float64 `json:"sd_ms"`
	Min       float64 `json:"min_ms"`
	P50       float64 `json:"p50_ms"`
	P95       float64 `json:"p95_ms"`
	P99       float64 `json:"p99_ms"`
	Max       float64 `json:"max_ms"`
}

// Run sends probes through a link and prints what was asked of it next to what
// it did.
func (c *networkCommand) Run(p *program) error {
	w, err := c.parseNetwork(p)
	if err != nil {
		return usageError{err}
	}
	r := &networkResult{
		Version: Version, Network: w.String(), Seed: w.Seed, Probes: c.Probes, Size: c.Size, PPS: c.PPS, InOrder: c.TCP,
		networkBrief: w.Summary(),
	}
	client := c.sendProbes(w)
	r.Up = newDirectionResult(&w.Up, client.Counters(link.Up), c.TCP)
	r.Down = newDirectionResult(&w.Down, client.Counters(link.Down), c.TCP)
	if c.Format == "json" {
		return writeJSON(p.Stdout, r)
	}
	return r.writeTable(p.Stdout)
}

// parseNetwork returns the weather that is asked for, or what is wrong with the call.
func (c *networkCommand) parseNetwork(p *program) (*link.Network, error) {
	if err := checkChoice("format", c.Format, "table", "json"); err != nil {
		return nil, err
	}
	for _, x := range []struct {
		name             string
		value, low, high int
	}{{"--probes", c.Probes, 1, 10_000_000}, {"--size", c.Size, 0, 65507}, {"--pps", c.PPS, 1, 10000}} {
		if x.value < x.low || x.value > x.high {
			return nil, fmt.Errorf("%s=%d: want %d to %d", x.name, x.value, x.low, x.high)
		}
	}
	w := &link.Network{}
	var err error
	if w.Seed, err = plan.ParseSeed(c.Seed); err != nil {
		return nil, fmt.Errorf("--seed=%s: %w", c.Seed, err)
	}
	text, err := p.library.InlineTraces(c.Network)
	if err != nil {
		return nil, err
	}
	return w, w.Parse(text)
}

// sendProbes sends the probes both ways through a link, waits for the last of them,
// and returns an end of the link.
func (c *networkCommand) sendProbes(w *link.Network) *link.End {
	pair := link.Pair
	if c.TCP {
		pair = link.PairTCP
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
		now := time.Duration(i) * time.Second / time.Duration(c.PPS)
		client.Send(now, datagram)
		server.Send(now, datagram)
		take(now)
	}
	take(1<<63 - 1)
	return client
}

func newDirectionResult(c *link.Conditions, m *link.Counters, inOrder bool) directionResult {
	share := func(n, of uint64) float64 { return float64(n) / float64(max(of, 1)) }
	e := c.Expect()
	r := directionResult{
		Expected: expectedResult{Lost: e.Lost, Duplicated: e.Duplicated, Delayed: e.Delayed},
		Measured: measuredResult{
			Sent: m.Sent, Lost: share(m.Lost, m.Sent), Dropped: share(m.Dropped, m.Sent), Duplicated: share(m.DuplicatesArrived, m.Arrived),
			Reordered: share(m.Reordered, m.Arrived), ReorderMax: m.ReorderMax,
			Transit: newDistributionResult(&m.Transit), Queue: newDistributionResult(&m.Queue), Delay: newDistributionResult(&m.Delay), Goodput: m.Goodput(),
		},
	}
	if !inOrder {
		mean, deviation := milliseconds(e.Mean), milliseconds(e.Deviation)
		r.Expected.Mean, r.Expected.Deviation = &mean, &deviation
	}
	if c.Bandwidth > 0 {
		b := float64(c.Bandwidth)
		r.Expected.Bandwidth = &b
	}
	return r
}

func newDistributionResult(s *link.Distribution) distributionResult {
	return distributionResult{
		Mean: milliseconds(s.Mean()), Deviation: milliseconds(s.Deviation()), Min: milliseconds(s.Min), Max: milliseconds(s.Max),
		P50: milliseconds(s.Quantile(0.5)), P95: milliseconds(s.Quantile(0.95)), P99: milliseconds(s.Quantile(0.99)),
	}
}

// writeTable prints what was asked next to what was measured, for both ways.
func (r *networkResult) writeTable(out io.Writer) error {
	fmt.Fprintf(out, "%s, seed %d, %d datagrams of %d bytes each way, %d a second", r.networkBrief, r.Seed, r.Probes, r.Size, r.PPS)
	if r.InOrder {
		fmt.Fprint(out, ", in order")
	}
	fmt.Fprint(out, "\n\n")
	t := newTable(out)
	t.row("", "up asked", "measured", "down asked", "measured")
	row := func(name string, asked func(*expectedResult) string, measured func(*measuredResult) string) {
		cells := []string{name}
		for _, d := range []*directionResult{&r.Up, &r.Down} {
			a := "-"
			if asked != nil {
				a = asked(&d.Expected)
			}
			cells = append(cells, a, measured(&d.Measured))
		}
		t.row(cells...)
	}
	lost := "lost, %"
	if r.InOrder {
		lost = "lost and sent again, %"
	}
	row(lost, func(a *expectedResult) string { return fixed(a.Lost*100, 2) }, func(m *measuredResult) string { return fixed(m.Lost*100, 2) })
	row("dropped by the queue, %", nil, func(m *measuredResult) string { return fixed(m.Dropped*100, 2) })
	row("twice, %", func(a *expectedResult) string { return fixed(a.Duplicated*100, 2) }, func(m *measuredResult) string { return fixed(m.Duplicated*100, 2) })
	row("held back, % / out of order, %", func(a *expectedResult) string { return fixed(a.Delayed*100, 2) },
		func(m *measuredResult) string { return fixed(m.Reordered*100, 2) })
	row("places out of order, most", nil, func(m *measuredResult) string { return fmt.Sprint(m.ReorderMax) })
	row("way, ms mean", func(a *expectedResult) string { return orDash(a.Mean, 2) }, func(m *measuredResult) string { return fixed(m.Transit.Mean, 2) })
	row("way, ms sd", func(a *expectedResult) string { return orDash(a.Deviation, 2) }, func(m *measuredResult) string { return fixed(m.Transit.Deviation, 2) })
	row("queue, ms mean", nil, func(m *measuredResult) string { return fixed(m.Queue.Mean, 2) })
	row("queue, ms max", nil, func(m *measuredResult) string { return fixed(m.Queue.Max, 2) })
	for _, q := range []struct {
		name string
		of   func(*distributionResult) float64
	}{
		{"mean", func(s *distributionResult) float64 { return s.Mean }}, {"min", func(s *distributionResult) float64 { return s.Min }},
		{"p50", func(s *distributionResult) float64 { return s.P50 }}, {"p95", func(s *distributionResult) float64 { return s.P95 }},
		{"p99", func(s *distributionResult) float64 { return s.P99 }}, {"max", func(s *distributionResult) float64 { return s.Max }},
	} {
		row("delay, ms "+q.name, nil, func(m *measuredResult) string { return fixed(q.of(&m.Delay), 2) })
	}
	row("limit / goodput, kbit/s", func(a *expectedResult) string {
		if a.Bandwidth == nil {
			return "-"
		}
		return fixed(*a.Bandwidth/1000, 1)
	},
		func(m *measuredResult) string { return fixed(m.Goodput/1000, 1) })
	return t.close()
}
