//go:build !js || headless

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/socket"
	"ghostcube/predict/lab/remote"
	"ghostcube/sim"
)

type joinCommand struct {
	Address  string `arg:"" help:"Address and port of the server." placeholder:"ADDRESS"`
	Name     string `help:"Name of the player. Rejoining with the same name gives back the same seat." placeholder:"NAME"`
	Headless bool   `help:"A bot plays, without a window: it presses random keys."`
	Tape     string `help:"A bot plays, without a window: it presses the keys of a tape's first player (see list tapes)." placeholder:"NAME|FILE"`
	Network  string `help:"Conditions to lay over the real network: latency=75ms,loss=5% (see list networks)." placeholder:"NETWORK"`
	Watch    bool   `help:"Watch without a seat: the window shows the server's world."`
	NoGhost  bool   `help:"Do without the server's poses, which give the path error and cost bandwidth of their own. A bot plays."`

	connectionFlags `embed:""`
	WindowFlags     `embed:""`
}

// Help returns the detailed help.
func (c *joinCommand) Help() string {
	return `
Opens the window: you play. With --headless, --tape, --seconds or --no-ghost, and where there is
no display, a bot plays: it presses the keys of a tape over and over, or random keys.

The server decides the scene, the strategy and its knobs, and may change them. The path error is measured with the
server's poses, which travel beside the strategy and do not count as its bandwidth. Lines on the
standard input are said to all; the window has a field for them.

Examples:
  ghostcube join 192.168.1.5:7777 --key KEY
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
	for _, x := range []struct {
		flag  string
		given bool
	}{{"tape", c.Tape != ""}, {"no-ghost", c.NoGhost}, {"capture", c.Capture != ""}} {
		if c.Watch && x.given {
			return usageError{fmt.Errorf("--watch and --%s: want one of them", x.flag)}
		}
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
		c.Name = fmt.Sprintf("player-%06x", rand.Uint32N(1<<24))
	}
	if err := p.checkCapture(c.Capture); err != nil {
		return err
	}
	ctx, stop := untilSignal()
	defer stop()
	conn, err := socket.Dial(ctx, c.Address, config)
	if errors.Is(err, socket.ErrSilent) && !c.ordered() {
		return fmt.Errorf("%w (to a server that was started with --transport tcp, join so)", err)
	}
	if err != nil {
		return err
	}
	logTo(p.Stderr)("connected", "address", conn.RemoteAddr(), "overhead_bytes", conn.Overhead())
	recording, file, err := newCapture(c.Capture)
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	wire, pump := remote.Wire(conn), func(time.Duration) {}
	lay := func(path remote.Path, _ int) remote.Path { return path }
	if c.Network != "" {
		over := remote.NewConditions(network, conn, c.ordered())
		wire, pump, lay = over, over.Pump, over.Over
	}
	settings := remote.ClientConfig{
		Name: c.Name, Version: Version, Ordered: c.ordered(), Ghost: !c.NoGhost, Watch: c.Watch, Recording: recording, Log: logTo(p.Stderr),
	}
	if !c.ordered() {
		settings.Local = conn.LocalAddress()
		settings.Introduce = func(player int, told []byte) (remote.Path, error) {
			peer, err := conn.Introduce(told)
			if err != nil {
				return nil, err
			}
			return lay(peer, player), nil
		}
	}
	client, err := remote.NewClient(settings, wire, time.Since(start))
	if err != nil {
		return errors.Join(usageError{fmt.Errorf("--%w", err)}, conn.Close(), file.discard())
	}
	j := &joined{client: client, start: start, typed: typedLines(p.Stdin), pump: pump, pumped: c.Network != ""}
	j.refuse = func(err error) { fmt.Fprintln(p.Stderr, "ghostcube:", err) }
	err = c.play(ctx, p, j, input)
	if errors.Is(err, socket.ErrLeft) {
		fmt.Fprintln(p.Stderr, "ghostcube: the server has ended the session")
		err = nil
	}
	return errors.Join(err, client.Close(), file.close())
}

// play plays until the session ends: in the window, or else by the bot.
func (c *joinCommand) play(ctx context.Context, p *program, j *joined, bot func(sim.Tick) sim.Input) error {
	loop := connectionLoop{start: j.start, flags: &c.connectionFlags}
	advance := func(now time.Duration) error {
		j.pump(now)
		j.sayTyped(now)
		return j.client.Advance(now, bot)
	}
	table := func() { writeClient(p.Stdout, j.client, time.Since(j.start)) }
	if !c.Headless && c.Tape == "" && c.Seconds == 0 && !c.NoGhost && p.OpenWindow != nil {
		begun := errors.New("the session begins")
		err := loop.run(ctx, j.next, func(now time.Duration) error {
			for j.pump(now); j.client.Lab == nil && j.client.Next() <= now; {
				if err := j.client.Step(now, bot); err != nil {
					return err
				}
			}
			if j.client.Lab == nil {
				return nil
			}
			return begun // without a tick: the window may take a while to open
		}, func() {})
		if err != begun {
			return err
		}
		reason, err := p.openJoined(j, &c.WindowFlags)
		if reason == "" {
			table()
			return err
		}
		fmt.Fprintf(p.Stdout, "No window (%s): a bot plays.\n", reason)
	}
	return loop.run(ctx, j.next, advance, table)
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

// playerText returns the number of a player, or a dash for a watcher.
func playerText(player int) string {
	if player < 0 {
		return "-"
	}
	return strconv.Itoa(player + 1)
}

// writeClient prints what a client knows of its connection, and of those with the other players of a mesh.
func writeClient(out io.Writer, c *remote.Client, now time.Duration) {
	if c.Lab == nil {
		return
	}
	pathError, ok := c.PathError()
	roundTrip := current(c.RoundTrip())
	pane := c.Lab.Panes[0]
	t := newTable(out)
	t.row(append([]string{"player", "tick", "corrections"}, trafficColumns...)...)
	t.row(append([]string{
		playerText(c.Player), fmt.Sprint(pane.Clients[0].View.Tick()), fmt.Sprint(pane.Corrections.Total()),
	}, trafficCells(&pane.Clients[0].Endpoint.Stats, roundTrip, pathError, ok)...)...)
	_ = t.close() // Main reports it
	peers := c.Peers(now)
	if len(peers) == 0 {
		return
	}
	columns := len(trafficColumns) - 1 // there is no path error
	t = newTable(out)
	t.row(append([]string{"to player", "path"}, trafficColumns[:columns]...)...)
	for _, x := range peers {
		path := "by the server"
		if x.IsDirect {
			path = "direct"
		}
		t.row(append([]string{playerText(x.Player), path}, trafficCells(x.Stats, current(x.Stats.CurrentRTT(c.Lab.Now())), 0, false)[:columns]...)...)
	}
	_ = t.close()
}

// current returns a round trip, or 0 if it is none of now.
func current(rtt time.Duration, ok bool) time.Duration {
	if !ok {
		return 0
	}
	return rtt
}
