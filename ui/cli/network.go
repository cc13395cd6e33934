//go:build !js || headless

package cli

import (
	"fmt"
	"io"
	"time"

	"ghostcube/net/link"
	"ghostcube/ui/plan"
)

type networkCommand struct {
	Network string `arg:"" help:"Profile, conditions or both, as for --network of bench." placeholder:"NETWORK"`
	Probes  int    `help:"Number of datagrams sent in each direction, 1 to 10000000." default:"36000" placeholder:"36000"`
	Size    int    `help:"Payload of a datagram in bytes, 0 to 65507, without IP and UDP headers." default:"100" placeholder:"100"`
	PPS     int    `help:"Datagrams sent per second, 1 to 10000." default:"60" placeholder:"60"`
	Seed    string `help:"Seed of the outcomes." default:"1" placeholder:"N"`
	TCP     bool   `help:"Measure the TCP-like link, which retransmits losses and delivers in order."`
	Format  string `help:"Output format: table, json, csv or markdown." default:"table" placeholder:"table"`
}

// Help returns the detailed help.
func (c *networkCommand) Help() string {
	return `
The table shows the expected behaviour of the conditions beside the measured one, for both
directions. A dash is a quantity that the conditions do not determine. Jitter and spikes reorder
datagrams, too.

Examples:
  ghostcube network wifi-bad
  ghostcube network latency=75ms,loss=25%,burst=4 --probes 100000
`
}

// networkResult is the report of the command.
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

// expectedResult is the behaviour that the conditions determine, whatever the traffic.
type expectedResult struct {
	Lost       float64  `json:"lost_ratio"`
	Duplicated float64  `json:"duplicated_ratio"`
	Delayed    float64  `json:"delayed_ratio"`
	Corrupted  float64  `json:"corrupted_ratio"`
	Foreign    float64  `json:"foreign_ratio"`
	Mean       *float64 `json:"transit_mean_ms"` // null over TCP, where it depends on the traffic
	Deviation  *float64 `json:"transit_sd_ms"`
	Bandwidth  *float64 `json:"bandwidth_bps"` // null: no limit
}

type measuredResult struct {
	Sent       uint64             `json:"sent"`
	Lost       float64            `json:"lost_ratio"` // over TCP: retransmitted
	Dropped    float64            `json:"dropped_ratio"`
	Duplicated float64            `json:"duplicated_ratio"`
	Reordered  float64            `json:"reordered_ratio"`
	Corrupted  float64            `json:"corrupted_ratio"`
	Foreign    float64            `json:"foreign_ratio"` // per datagram sent
	ReorderMax uint64             `json:"reorder_max_packets"`
	Transit    distributionResult `json:"transit"`
	Queue      distributionResult `json:"queue"`
	Delay      distributionResult `json:"delay"`
	Goodput    float64            `json:"goodput_bps"`
	Wire       float64            `json:"wire_bps"` // with all headers and all that TCP adds

	Retransmitted uint64 `json:"retransmitted"` // segments that TCP sent again
	PureAcks      uint64 `json:"pure_acks"`     // segments of TCP without data
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

// Run sends probes over a link and prints expected and measured behaviour.
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
	seconds := float64(c.Probes) / float64(c.PPS)
	r.Up = newDirectionResult(&w.Up, client.Counters(link.Up), c.TCP, seconds)
	r.Down = newDirectionResult(&w.Down, client.Counters(link.Down), c.TCP, seconds)
	if c.Format == "json" {
		return writeJSON(p.Stdout, r)
	}
	return r.writeTable(p.Stdout, c.Format)
}

// parseNetwork checks the flags and returns the network.
func (c *networkCommand) parseNetwork(p *program) (*link.Network, error) {
	if err := checkChoice("format", c.Format, listingFormats...); err != nil {
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

// sendProbes sends the probes over a link in both directions until the last has arrived, and
// returns the client's end of the link.
func (c *networkCommand) sendProbes(w *link.Network) *link.End {
	pair := link.Pair
	if c.TCP {
		pair = link.PairTCP
	}
	client, server := pair(w, 0)
	datagram := make([]byte, c.Size)
	receive := func(now time.Duration) {
		for _, e := range []*link.End{client, server} {
			for _, ok := e.Receive(now); ok; _, ok = e.Receive(now) {
			}
		}
	}
	for i := range c.Probes {
		now := time.Duration(i) * time.Second / time.Duration(c.PPS)
		client.Send(now, datagram)
		server.Send(now, datagram)
		receive(now)
	}
	receive(1<<63 - 1)
	return client
}

// newDirectionResult reports a direction in which datagrams were sent for a number of seconds.
func newDirectionResult(c *link.Conditions, m *link.Counters, inOrder bool, seconds float64) directionResult {
	share := func(n, of uint64) float64 { return float64(n) / float64(max(of, 1)) }
	e := c.Expect()
	r := directionResult{
		Expected: expectedResult{Lost: e.Lost, Duplicated: e.Duplicated, Delayed: e.Delayed, Corrupted: e.Corrupted, Foreign: e.Foreign},
		Measured: measuredResult{
			Sent: m.Sent, Lost: share(m.Lost, m.Sent), Dropped: share(m.Dropped, m.Sent), Duplicated: share(m.DuplicatesArrived, m.Arrived),
			Reordered: share(m.Reordered, m.Arrived), ReorderMax: m.ReorderMax,
			Corrupted: share(m.Corrupted, m.Arrived+m.DuplicatesArrived), Foreign: share(m.Foreign, m.Sent),
			Transit: newDistributionResult(&m.Transit), Queue: newDistributionResult(&m.Queue), Delay: newDistributionResult(&m.Delay), Goodput: m.Goodput(),
			Wire: float64(m.WireBytes*8) / seconds, Retransmitted: m.Retransmitted, PureAcks: m.PureAcks,
		},
	}
	if inOrder { // TCP's checksum rejects corrupt segments, and foreign ones belong to no connection
		r.Expected.Lost = 1 - (1-e.Lost)*(1-e.Corrupted)
		r.Expected.Corrupted, r.Expected.Foreign = 0, 0
	} else {
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

// writeTable prints expected and measured behaviour for both directions in a format of a listing.
func (r *networkResult) writeTable(out io.Writer, format string) error {
	t, err := newListing(out, format, newTable(out))
	if err != nil {
		return err
	}
	if format == "table" {
		fmt.Fprintf(out, "%s, seed %d, %d datagrams of %d bytes per direction, %d per second", r.networkBrief, r.Seed, r.Probes, r.Size, r.PPS)
		if r.InOrder {
			fmt.Fprint(out, ", TCP")
		}
		fmt.Fprint(out, "\n\n")
		t.row("", "up, expected", "measured", "down, expected", "measured")
	} else {
		t.row("QUANTITY", "UP EXPECTED", "UP MEASURED", "DOWN EXPECTED", "DOWN MEASURED")
	}
	up, down := r.rows(&r.Up), r.rows(&r.Down)
	for i := range up {
		t.row(up[i][0], up[i][1], up[i][2], down[i][1], down[i][2])
	}
	return t.close()
}

// rows returns the rows of a direction: title, expected and measured behaviour.
func (r *networkResult) rows(d *directionResult) [][3]string {
	e, m := &d.Expected, &d.Measured
	one, two := func(v float64) string { return fixed(v, 1) }, func(v float64) string { return fixed(v, 2) }
	percent := func(v float64) string { return fixed(v*100, 2) }
	rate := func(bps float64) string { return fixed(bps/1000, 1) }
	lost, bandwidth := "lost, %", "-"
	if r.InOrder {
		lost = "lost and retransmitted, %"
	}
	if e.Bandwidth != nil {
		bandwidth = rate(*e.Bandwidth)
	}
	rows := [][3]string{
		{lost, percent(e.Lost), percent(m.Lost)},
		{"dropped by the queue, %", "-", percent(m.Dropped)},
		{"duplicated, %", percent(e.Duplicated), percent(m.Duplicated)},
		{"held back to be overtaken, %", percent(e.Delayed), "-"},
		{"reordered, %", "-", percent(m.Reordered)},
		{"corrupted, %", percent(e.Corrupted), percent(m.Corrupted)},
		{"foreign, %", percent(e.Foreign), percent(m.Foreign)},
		{"reordering distance, max packets", "-", fmt.Sprint(m.ReorderMax)},
		{"transit, mean ms", orDash(e.Mean, 2), two(m.Transit.Mean)},
		{"transit, sd ms", orDash(e.Deviation, 2), two(m.Transit.Deviation)},
		{"queue, mean ms", "-", two(m.Queue.Mean)},
		{"queue, max ms", "-", two(m.Queue.Max)},
		{"delay, mean ms", "-", two(m.Delay.Mean)},
		{"delay, min ms", "-", two(m.Delay.Min)},
		{"delay, p50 ms", "-", one(m.Delay.P50)},
		{"delay, p95 ms", "-", one(m.Delay.P95)},
		{"delay, p99 ms", "-", one(m.Delay.P99)},
		{"delay, max ms", "-", two(m.Delay.Max)},
		{"bandwidth / goodput, kbit/s", bandwidth, rate(m.Goodput)},
		{"sent with all headers, kbit/s", "-", rate(m.Wire)},
	}
	if r.InOrder {
		rows = append(rows, [3]string{"retransmissions", "-", fmt.Sprint(m.Retransmitted)},
			[3]string{"acknowledgements without data", "-", fmt.Sprint(m.PureAcks)})
	}
	return rows
}
