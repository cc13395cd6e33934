//go:build !js || headless

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"ghostcube/internal/atomicfile"
	"ghostcube/net/measure"
	"ghostcube/net/packet"
	"ghostcube/net/socket"
)

type probeCommand struct {
	Address  string  `arg:"" optional:"" help:"The other machine, which runs probe --listen: host and port." placeholder:"ADDRESS"`
	Listen   string  `help:"Answer the probes of others at this address until Ctrl-C. :7777 is port 7777 of all networks." placeholder:":7777"`
	Key      string  `help:"Key that the listening side has printed; with --listen, one of its earlier keys." placeholder:"KEY"`
	Insecure bool    `help:"Neither key nor encryption: anyone may send, and read along. Both sides need it."`
	Seconds  float64 `help:"Duration of the measurement, 1 to 3600." default:"60" placeholder:"60"`
	Size     int     `help:"Payload of a datagram in bytes, 41 to 1200, without all headers." default:"100" placeholder:"100"`
	PPS      int     `help:"Datagrams sent per second and direction, 1 to 1000." default:"60" placeholder:"60"`
	Format   string  `help:"Output format: table or json." default:"table" placeholder:"table"`
	Out      string  `short:"o" help:"Write the paths up and down as traces for --network: home.csv gives home-up.csv and home-down.csv." placeholder:"FILE.csv"`
}

// Help returns the detailed help.
func (c *probeCommand) Help() string {
	return `
One machine listens and prints the line for the other, which measures. Up is
towards the listening one. Two machines have no common clock: one-way delays
assume that the fastest datagrams took equally long both ways. Their spread,
round trips and losses do not depend on that.

Examples:
  ghostcube probe --listen :7777
  ghostcube probe 192.168.1.5:7777 --key KEY -o home.csv
  ghostcube bench --network up.trace=home-up.csv,down.trace=home-down.csv
`
}

// probeApplication is what both sides of a probe agree on. It has the version of the probes.
const probeApplication = "ghostcube probe 1"

// pollInterval is how often a probe looks for datagrams. Their times are those of their arrival.
const pollInterval = time.Millisecond

// Run answers probes, or sends them.
func (c *probeCommand) Run(p *program) error {
	config, err := c.config()
	if err != nil {
		return usageError{err}
	}
	ctx, stop := untilSignal()
	defer stop()
	if c.Listen != "" {
		return c.listen(ctx, p, config)
	}
	return c.measure(ctx, p, config)
}

// config checks the flags and returns the settings of the connection.
func (c *probeCommand) config() (socket.Config, error) {
	config := socket.Config{Start: time.Now(), Application: probeApplication, Insecure: c.Insecure}
	if err := checkChoice("format", c.Format, "table", "json"); err != nil {
		return config, err
	}
	switch {
	case (c.Address == "") == (c.Listen == ""):
		return config, errors.New("want either the address of the other machine, or --listen")
	case c.Insecure && c.Key != "":
		return config, errors.New("--insecure: there is a --key: want one of them")
	case !c.Insecure && c.Key == "" && c.Listen == "":
		return config, errors.New("no --key: want the key that the listening side has printed")
	case !(c.Seconds >= 1 && c.Seconds <= 3600):
		return config, fmt.Errorf("--seconds=%v: want 1 to 3600", c.Seconds)
	case c.Size < measure.MinSize || c.Size > packet.MaxDatagram:
		return config, fmt.Errorf("--size=%d: want %d to %d", c.Size, measure.MinSize, packet.MaxDatagram)
	case c.PPS < 1 || c.PPS > 1000:
		return config, fmt.Errorf("--pps=%d: want 1 to 1000", c.PPS)
	case c.Out != "" && !strings.HasSuffix(c.Out, ".csv"):
		return config, fmt.Errorf("-o %s: want a name that ends with .csv", c.Out)
	}
	var err error
	if c.Key != "" {
		if config.Key, err = socket.ParseKey(c.Key); err != nil {
			return config, fmt.Errorf("--%w", err)
		}
	} else if !c.Insecure {
		config.Key = socket.NewKey()
	}
	return config, nil
}

// listen answers probes until the context ends.
func (c *probeCommand) listen(ctx context.Context, p *program, config socket.Config) error {
	l, err := socket.Listen(c.Listen, config)
	if err != nil {
		return err
	}
	defer l.Close()
	protection := "--insecure"
	if !c.Insecure {
		protection = "--key " + config.Key.String()
	}
	fmt.Fprintln(p.Stdout, "on the other machine, one of:")
	for _, a := range l.Addresses() {
		fmt.Fprintf(p.Stdout, "  ghostcube probe %v %s\n", a, protection)
	}
	type peer struct {
		conn *socket.Conn
		echo measure.Echo
	}
	var peers []*peer
	for ; ctx.Err() == nil; time.Sleep(pollInterval) {
		for conn, ok := l.Accept(); ok; conn, ok = l.Accept() {
			fmt.Fprintf(p.Stderr, "%v measures\n", conn.RemoteAddr())
			peers = append(peers, &peer{conn: conn})
		}
		living := peers[:0]
		for _, x := range peers {
			if x.echo.Tick(time.Since(config.Start), x.conn) == nil && x.conn.Err() == nil {
				living = append(living, x)
			}
		}
		peers = living
	}
	return nil
}

// measure measures the link to the address and prints the result.
func (c *probeCommand) measure(ctx context.Context, p *program, config socket.Config) error {
	traces, err := c.createTraces(p)
	if err != nil {
		return err
	}
	defer traces.discard() // unless they are complete
	conn, err := socket.Dial(ctx, c.Address, config)
	if err != nil {
		return err
	}
	defer conn.Close()
	interval := (time.Second / time.Duration(c.PPS)).Round(time.Microsecond)
	prober := measure.NewProber(conn, measure.Config{Count: int(c.Seconds * float64(c.PPS)), Interval: interval, Size: c.Size})
	bar := p.newProgress("probe", 1000)
	for share := 0.0; share < 1 && ctx.Err() == nil && err == nil; time.Sleep(pollInterval) {
		now := time.Since(config.Start)
		err = prober.Tick(now)
		share = prober.Progress(now)
		bar.set(int(share * 1000))
	}
	bar.finish()
	r := c.newResult(conn, prober.Result())
	switch {
	case r.Up.Sent == 0 && ctx.Err() != nil:
		return errInterrupted
	case r.Up.Sent == 0:
		return errors.Join(err, fmt.Errorf("%s: no probe was answered", c.Address))
	case err == nil && ctx.Err() != nil:
		err = errors.New("interrupted: the result is of the time before")
	}
	if c.Format == "json" {
		return errors.Join(err, writeJSON(p.Stdout, r), traces.write(c, r))
	}
	err = errors.Join(err, r.writeTable(p.Stdout), traces.write(c, r))
	if traces != nil {
		base := filepath.ToSlash(strings.TrimSuffix(c.Out, ".csv"))
		fmt.Fprintf(p.Stdout, "\nreplay it: ghostcube --network up.trace=%s-up.csv,down.trace=%s-down.csv\n", base, base)
	}
	return err
}

// probeTraces are the files of both directions, or nil.
type probeTraces []*atomicfile.File

// createTraces starts the files, before a measurement that could not be written is made.
func (c *probeCommand) createTraces(p *program) (t probeTraces, err error) {
	if c.Out == "" {
		return nil, nil
	}
	for _, direction := range []string{"-up.csv", "-down.csv"} {
		name := strings.TrimSuffix(c.Out, ".csv") + direction
		if err := p.checkOutput("-o", name); err != nil {
			return nil, errors.Join(err, t.discard())
		}
		f, err := atomicfile.Create(name)
		if err != nil {
			return nil, usageError{errors.Join(fmt.Errorf("-o: %w", err), t.discard())}
		}
		t = append(t, f)
	}
	return t, nil
}

func (t probeTraces) discard() error { return atomicfile.Discard(t...) }

// write writes both directions.
func (t probeTraces) write(c *probeCommand, r *probeResult) error {
	comment := fmt.Sprintf(", measured with ghostcube probe %s: %d datagrams of %d bytes, %d per second", c.Address, r.Up.Sent, c.Size, c.PPS)
	for i, d := range []*measure.Direction{&r.measured.Up, &r.measured.Down}[:len(t)] {
		write := func(w io.Writer) error { return d.WriteTrace(w, [2]string{"path up", "path down"}[i]+comment) }
		if err := t[i].Fill(write); err != nil {
			return err
		}
	}
	return atomicfile.Commit(t...)
}

// probeResult is the report of the command.
type probeResult struct {
	Version   string               `json:"version"`
	Address   string               `json:"address"`
	Size      int                  `json:"size"`
	PPS       int                  `json:"pps"`
	Overhead  int                  `json:"overhead_bytes"` // of the connection, per datagram
	Drift     float64              `json:"clock_drift_ppm"`
	RoundTrip distributionResult   `json:"round_trip"`
	Up        probeDirectionResult `json:"up"`
	Down      probeDirectionResult `json:"down"`

	measured *measure.Result
}

type probeDirectionResult struct {
	Sent      int                `json:"sent"`
	Lost      float64            `json:"lost_ratio"`
	Burst     float64            `json:"burst_mean"`
	BurstMax  int                `json:"burst_max"`
	Reordered float64            `json:"reordered_ratio"`
	Delay     distributionResult `json:"delay"`
}

func (c *probeCommand) newResult(conn *socket.Conn, m *measure.Result) *probeResult {
	direction := func(d *measure.Direction) probeDirectionResult {
		return probeDirectionResult{
			Sent: d.Sent, Lost: d.LossRatio(), Burst: d.MeanBurst(), BurstMax: d.LongestBurst,
			Reordered: float64(d.Reordered) / float64(max(d.Sent, 1)), Delay: newProbeDistribution(&d.Delay),
		}
	}
	return &probeResult{
		Version: Version, Address: conn.RemoteAddr().String(), Size: c.Size, PPS: c.PPS, Overhead: conn.Overhead(),
		Drift: m.Drift * 1e6, RoundTrip: newProbeDistribution(&m.RoundTrip), Up: direction(&m.Up), Down: direction(&m.Down), measured: m,
	}
}

func newProbeDistribution(d *measure.Distribution) distributionResult {
	return distributionResult{
		Mean: milliseconds(d.Mean), Deviation: milliseconds(d.Deviation), Min: milliseconds(d.Min), Max: milliseconds(d.Max),
		P50: milliseconds(d.P50), P95: milliseconds(d.P95), P99: milliseconds(d.P99),
	}
}

// writeTable prints the result.
func (r *probeResult) writeTable(out io.Writer) error {
	fmt.Fprintf(out, "%s, %d datagrams of %d bytes, %d per second; the connection adds %d bytes to each\n\n",
		r.Address, r.Up.Sent, r.Size, r.PPS, r.Overhead)
	t := newTable(out)
	t.row("", "up", "down", "round trip")
	two := func(v float64) string { return fixed(v, 2) }
	t.row("lost, %", two(r.Up.Lost*100), two(r.Down.Lost*100), "")
	t.row("mean burst of losses", two(r.Up.Burst), two(r.Down.Burst), "")
	t.row("longest burst of losses", fmt.Sprint(r.Up.BurstMax), fmt.Sprint(r.Down.BurstMax), "")
	t.row("reordered, %", two(r.Up.Reordered*100), two(r.Down.Reordered*100), "")
	for _, x := range []struct {
		title string
		of    func(d *distributionResult) float64
	}{
		{"delay, mean ms", func(d *distributionResult) float64 { return d.Mean }},
		{"delay, sd ms", func(d *distributionResult) float64 { return d.Deviation }},
		{"delay, min ms", func(d *distributionResult) float64 { return d.Min }},
		{"delay, p50 ms", func(d *distributionResult) float64 { return d.P50 }},
		{"delay, p95 ms", func(d *distributionResult) float64 { return d.P95 }},
		{"delay, p99 ms", func(d *distributionResult) float64 { return d.P99 }},
		{"delay, max ms", func(d *distributionResult) float64 { return d.Max }},
	} {
		t.row(x.title, two(x.of(&r.Up.Delay)), two(x.of(&r.Down.Delay)), two(x.of(&r.RoundTrip)))
	}
	if err := t.close(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nThe other clock runs %+.1f ppm faster. One-way delays assume that the fastest datagrams took equally long both ways.\n", r.Drift)
	return err
}
