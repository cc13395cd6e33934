//go:build !js || headless

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"ghostcube/net/packet"
	"ghostcube/net/socket"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/remote"
	"ghostcube/sim"
	"ghostcube/ui/plan"
)

// connectionFlags are the flags of both ends of a connection.
type connectionFlags struct {
	Transport string `help:"Transport of the connections: udp or tcp. With tcp, a strategy that knows it sends each input once." enum:"udp,tcp" default:"udp" placeholder:"udp"`

	Key      string  `help:"Key of the session. Without it serve makes one; join needs that of the server." placeholder:"KEY"`
	Insecure bool    `help:"No key and no encryption: anyone can join, listen in and forge packets. For measurements."`
	Seconds  float64 `help:"End after this time in seconds." placeholder:"S"`
	Capture  string  `help:"Record what the network delivers into FILE.capture, for play --verify." placeholder:"FILE.capture"`
	Every    float64 `help:"Interval of the table in seconds; 0: only at the end." default:"5" placeholder:"5"`
}

type serveCommand struct {
	Address  string `arg:"" optional:"" help:"Address and port to listen at." default:":7777" placeholder:"ADDRESS"`
	Scene    string `help:"Scene, with parameters after colons: katamari:players=4 (see list scenes)." default:"two-players" placeholder:"NAME"`
	Strategy string `help:"Strategy with its knobs: NAME:KNOB=VALUE (see list strategies, list knobs)." default:"rewind" placeholder:"SPEC"`
	Rate     int    `help:"Ticks per second, 10 to 240." default:"60" placeholder:"60"`
	Page     string `help:"Let browsers join: serve the page at this address, TCP and UDP." placeholder:"ADDRESS"`
	Folder   string `name:"page-folder" help:"Folder of the page, by the command page. Without it: page, beside the program." placeholder:"DIR"`

	connectionFlags `embed:""`
}

// Help returns the detailed help.
func (c *serveCommand) Help() string {
	return `
The server simulates the world, waits for players, and prints the command by which they join.
Late players download the present world; a player who rejoins with the same name gets the same
seat. Ctrl-C ends the session.

Lines on the standard input change the running session, and all players follow; lay simulated
conditions over the network of one player or all; or say something:
  scene katamari:players=4
  strategy rollback:input-delay=2
  set snapshot-every=2 compression=none
  network 2 latency=75ms,loss=5%
  say the same again with rollback

Examples:
  ghostcube serve --seconds 5
  ghostcube serve --scene katamari:players=4 --strategy rollback :9000
  ghostcube serve --page :8080
`
}

// maxConnectionSeconds bounds --seconds and --every: 30 years, a tenth of the longest time.Duration.
const maxConnectionSeconds = 1_000_000_000

// spareConnections are for guests refused by a full session, and for returning players.
const spareConnections = 8

// config returns the settings of the sockets, whose time begins at start.
func (f *connectionFlags) config(start time.Time) (socket.Config, error) {
	c := socket.Config{Start: start, Insecure: f.Insecure, Application: application()}
	if f.ordered() {
		c.Transport = socket.TCP
	}
	for _, x := range []struct {
		flag    string
		seconds float64
	}{{"seconds", f.Seconds}, {"every", f.Every}} {
		if !(x.seconds >= 0 && x.seconds <= maxConnectionSeconds) {
			return c, fmt.Errorf("--%s=%v: want 0 to %d seconds", x.flag, x.seconds, maxConnectionSeconds)
		}
	}
	if f.Key == "" {
		return c, nil
	}
	if f.Insecure {
		return c, errors.New("--key and --insecure: want one of them")
	}
	var err error
	if c.Key, err = socket.ParseKey(f.Key); err != nil {
		return c, fmt.Errorf("--%w", err)
	}
	return c, nil
}

// ordered reports whether the connections deliver everything, in order.
func (f *connectionFlags) ordered() bool { return f.Transport == "tcp" }

// logTo returns a function that logs what happens.
func logTo(w io.Writer) func(string, ...any) { return slog.New(slog.NewTextHandler(w, nil)).Info }

// Run runs a server.
func (c *serveCommand) Run(p *program) error {
	start := time.Now()
	config, err := c.config(start)
	if err != nil {
		return usageError{err}
	}
	if !c.Insecure && c.Key == "" {
		config.Key = socket.NewKey()
	}
	if err := p.checkCapture(c.Capture); err != nil {
		return err
	}
	recording, file, err := newCapture(c.Capture)
	if err != nil {
		return err
	}
	server, err := remote.NewServer(remote.ServerConfig{
		Session: lab.Config{Scene: c.Scene, Rate: c.Rate}, Spec: c.Strategy, Version: Version, Ordered: c.ordered(), Seed: rand.Uint64(),
		Introduce: socket.Introductions, Recording: recording, Log: logTo(p.Stderr),
	}, 0)
	if err != nil {
		return errors.Join(usageError{err}, file.discard())
	}
	config.MaxConnections = sim.MaxPlayers + remote.MaxWatchers + spareConnections
	listener, err := socket.Listen(c.Address, config)
	if err != nil {
		return errors.Join(err, file.discard())
	}
	page, err := c.servePage(config)
	if err != nil {
		return errors.Join(err, listener.Close(), file.discard())
	}
	announce(p.Stdout, p.Stderr, listener, page, &config)
	ctx, stop := untilSignal()
	defer stop()
	loop := connectionLoop{start: start, flags: &c.connectionFlags}
	lines := typedLines(p.Stdin)
	accepts := []func() (*socket.Conn, bool){listener.Accept}
	if page != nil {
		accepts = append(accepts, page.Accept)
	}
	often := false
	next := func() time.Duration {
		if often {
			return min(server.Next(), time.Since(start)+time.Millisecond)
		}
		return server.Next()
	}
	err = loop.run(ctx, next, func(now time.Duration) error {
		eachLine(lines, func(line string) {
			if line == "help" {
				fmt.Fprintln(p.Stdout, strings.Join(remote.InstructionHelp(), "\n"))
			} else if err := server.Instruct(line); err != nil {
				fmt.Fprintln(p.Stderr, "ghostcube:", plan.ErrorText(err))
			}
		})
		for _, accept := range accepts {
			for conn, ok := accept(); ok; conn, ok = accept() {
				server.Connect(conn, conn.RemoteAddr().String(), now)
			}
		}
		server.Advance(now)
		often = server.Pump(now)
		return nil
	}, func() { writeSeats(p.Stdout, server) })
	err = errors.Join(err, server.Close(), listener.Close(), file.close())
	if page != nil {
		err = errors.Join(err, page.Close())
	}
	return err
}

// servePage serves the page for browsers. It returns nil if none is wanted.
func (c *serveCommand) servePage(config socket.Config) (*socket.Page, error) {
	if c.Page == "" {
		if c.Folder != "" {
			return nil, usageError{errors.New("--page-folder: want --page=ADDRESS with it")}
		}
		return nil, nil
	}
	if c.ordered() {
		return nil, usageError{errors.New("--page and --transport=tcp: want one of them: browsers join by UDP")}
	}
	files, err := openPage(c.Folder)
	if err != nil {
		return nil, usageError{err}
	}
	return socket.ServePage(c.Page, files, config)
}

// announce prints how to join.
func announce(out, errs io.Writer, l *socket.Listener, page *socket.Page, config *socket.Config) {
	secret, fragment := "--key "+config.Key.String(), config.Key.String()
	if config.Insecure {
		secret, fragment = "--insecure", insecureFragment
		const warning = "ghostcube: insecure: anyone can join, listen in and forge packets"
		if isTerminal(errs) {
			fmt.Fprintln(errs, "\x1b[31m"+warning+"\x1b[0m")
		} else {
			fmt.Fprintln(errs, warning)
		}
	}
	if config.Transport == socket.TCP {
		secret += " --transport tcp"
	}
	fmt.Fprintln(out, "players join with one of:")
	for _, a := range l.Addresses() {
		fmt.Fprintf(out, "  ghostcube join %v %s\n", a, secret)
	}
	if page == nil {
		return
	}
	fmt.Fprintln(out, "or in a browser:")
	for _, a := range page.Addresses() {
		fmt.Fprintf(out, "  http://%v/#join=%s\n", a, fragment)
	}
}

// connectionLoop is the time of a process with connections.
type connectionLoop struct {
	start time.Time
	flags *connectionFlags
}

// run calls advance at the times that next returns, until the time of the flags is over, ctx ends, or there is an error. It
// prints the table from time to time and at the end.
func (l *connectionLoop) run(ctx context.Context, next func() time.Duration, advance func(now time.Duration) error, table func()) error {
	end, every := time.Duration(l.flags.Seconds*float64(time.Second)), time.Duration(l.flags.Every*float64(time.Second))
	printAt := every
	defer table()
	for {
		now := time.Since(l.start)
		if err := advance(now); err != nil {
			return err
		}
		if end > 0 && now >= end {
			return nil
		}
		if every > 0 && now >= printAt {
			printAt = now + every
			table()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(next() - now):
		}
	}
}

// writeSeats prints a row for each player and watcher.
func writeSeats(out io.Writer, server *remote.Server) {
	seats := server.Seats()
	players := len(seats)
	seats = append(seats, server.Watchers()...)
	t := newTable(out)
	columns := append(append([]string{"role", "name", "address"}, trafficColumns...), "hits", "conditions")
	if server.IsMesh() {
		columns = append(columns, "to players")
	}
	t.row(columns...)
	for i := range seats {
		role := "watcher"
		if i < players {
			role = "player " + playerText(i)
		}
		cells := append([]string{role}, seatCells(&seats[i])...)
		if server.IsMesh() {
			cells = append(cells, cmp.Or(seats[i].Path, "-"))
		}
		t.row(cells...)
	}
	_ = t.close() // Main reports it
}

// seatCells returns the row of a seat. A player who has left has dashes instead of figures.
func seatCells(s *remote.Seat) []string {
	cells := []string{cmp.Or(s.Name, "-"), cmp.Or(s.Address, "-")}
	if s.Address == "" {
		return append(cells, slices.Repeat([]string{"-"}, len(trafficColumns)+2)...)
	}
	return append(append(cells, trafficCells(&s.Stats, s.RoundTrip, s.PathError, s.HasScore)...), hitsText(s), cmp.Or(s.Conditions, "-"))
}

// hitsText returns the shots of a player that have hit, as the server has resolved them.
func hitsText(s *remote.Seat) string {
	if s.Shots == 0 {
		return "-"
	}
	return fmt.Sprintf("%d of %d", s.Hits, s.Shots)
}

// trafficColumns are the columns of trafficCells. The round trip is that which the client measures and shows in its window, also
// in the table of the host, whose own has the wait of every tick of a client that makes several in one frame. Loss is that of the
// packets from the other side, and rates include the headers of IP and UDP, but neither encryption nor what travels beside the
// strategy.
var trafficColumns = []string{"round trip, ms", "loss in, %", "sent, kbit/s", "received, kbit/s", "path error, mm"}

func trafficCells(s *packet.Stats, roundTrip time.Duration, pathError float64, hasScore bool) []string {
	cells := []string{"-", "-", fixed(float64(s.SentRate)/1000, 1), fixed(float64(s.ReceivedRate)/1000, 1), "-"}
	if roundTrip > 0 {
		cells[0] = fixed(milliseconds(roundTrip), 1)
	}
	if s.RecentExpected > 0 {
		cells[1] = fixed(100*float64(s.RecentLost)/float64(s.RecentExpected), 1)
	}
	if hasScore {
		cells[4] = fixed(pathError*1000, 1)
	}
	return cells
}
