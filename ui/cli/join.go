//go:build !js || headless

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/socket"
	"ghostcube/predict/lab/remote"
	"ghostcube/sim"
)

type joinCommand struct {
	Address string `arg:"" help:"Address and port of the server." placeholder:"ADDRESS"`
	Name    string `help:"Name of the player. Who comes back under the same name gets the same seat." placeholder:"NAME"`
	Tape    string `help:"Tape whose first player's keys the bot presses (see list tapes); without it, random keys." placeholder:"NAME|FILE"`
	Network string `help:"Conditions to lay over the real network: latency=75ms,loss=5% (see list networks)." placeholder:"NETWORK"`
	NoGhost bool   `help:"Do without the server's poses, which give the path error and cost bandwidth of their own."`

	connectionFlags `embed:""`
}

// Help returns the detailed help.
func (c *joinCommand) Help() string {
	return `
A bot plays: it presses the keys of a tape over and over, or random keys. The server decides the
scene, the strategy and its knobs. The path error is measured with the server's poses, which
travel beside the strategy and do not count as its bandwidth.

Examples:
  ghostcube join 192.168.1.5:7777 --key KEY --seconds 60
  ghostcube join [2001:db8::5]:7777 --key KEY --name ann --tape circle
`
}

// Run joins a server.
func (c *joinCommand) Run(p *program) error {
	start := time.Now()
	config, err := c.config(start)
	if err == nil && !c.Insecure && c.Key == "" {
		err = errors.New("--key: the server prints it in the line to join with")
	}
	if err != nil {
		return usageError{err}
	}
	input, err := c.bot(p)
	if err != nil {
		return usageError{err}
	}
	var network link.Network
	if err := network.Parse(cmp.Or(c.Network, "perfect")); err != nil {
		return usageError{fmt.Errorf("--network=%s: %w", c.Network, err)}
	}
	network.Seed = rand.Uint64()
	if c.Name == "" {
		c.Name = fmt.Sprintf("bot-%06x", rand.Uint32N(1<<24))
	}
	ctx, stop := untilSignal()
	defer stop()
	conn, err := socket.Dial(ctx, c.Address, config)
	if err != nil {
		return err
	}
	logTo(p.Stderr)("connected", "address", conn.RemoteAddr(), "overhead_bytes", conn.Overhead())
	recording, closeFile, err := newCapture(c.Capture)
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	wire, pump := remote.Wire(conn), func(time.Duration) {}
	if c.Network != "" {
		over := remote.NewConditions(network, conn)
		wire, pump = over, over.Pump
	}
	client, err := remote.NewClient(remote.ClientConfig{
		Name: c.Name, Version: Version, Ghost: !c.NoGhost, Recording: recording, Log: logTo(p.Stderr),
	}, wire, time.Since(start))
	if err != nil {
		return errors.Join(usageError{fmt.Errorf("--%w", err)}, conn.Close(), closeFile())
	}
	next := func() time.Duration {
		if c.Network == "" {
			return client.Next()
		}
		return min(client.Next(), time.Since(start)+time.Millisecond)
	}
	loop := connectionLoop{start: start, flags: &c.connectionFlags}
	err = loop.run(ctx, next, func(now time.Duration) error {
		pump(now)
		return client.Advance(now, input)
	}, func() { writeClient(p.Stdout, client) })
	if errors.Is(err, socket.ErrLeft) {
		fmt.Fprintln(p.Stderr, "ghostcube: the server has ended the session")
		err = nil
	}
	return errors.Join(err, client.Close(), closeFile())
}

// bot returns the player: the input of each tick.
func (c *joinCommand) bot(p *program) (func(sim.Tick) sim.Input, error) {
	if c.Tape == "" {
		keys := rand.Uint64()
		return func(t sim.Tick) (in sim.Input) {
			if t%32 == 0 {
				keys = rand.Uint64()
			}
			return sim.Input{Buttons: sim.Buttons(keys) & sim.MoveButtons}
		}, nil
	}
	t, err := p.library.LoadTape(c.Tape)
	if err != nil {
		return nil, fmt.Errorf("--tape: %w", err)
	}
	if len(t.Entries) == 0 {
		return nil, fmt.Errorf("--tape: %s has no ticks", c.Tape)
	}
	return func(now sim.Tick) (in sim.Input) {
		if list := t.Entries[int(now)%len(t.Entries)].Inputs; len(list) > 0 {
			in = list[0]
		}
		return in
	}, nil
}

// writeClient prints what a client knows of its connection.
func writeClient(out io.Writer, c *remote.Client) {
	if c.Lab == nil {
		return
	}
	pathError, ok := c.PathError()
	pane := c.Lab.Panes[0]
	t := newTable(out)
	t.row(append([]string{"player", "tick", "corrections"}, trafficColumns...)...)
	t.row(append([]string{
		fmt.Sprint(c.Player + 1), fmt.Sprint(pane.Clients[0].View.Tick()), fmt.Sprint(pane.Corrections.Total()),
	}, trafficCells(&pane.Clients[0].Endpoint.Stats, pathError, ok)...)...)
	_ = t.close() // Main reports it
}
