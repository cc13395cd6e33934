package remote

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/capture"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
)

// end is an end of a simulated connection, for a process whose time began at start.
type end struct {
	link.Wire
	start time.Duration
	err   *error // of both ends
	cut   bool   // nothing is sent any more: the process has been killed

	real *time.Duration // the time at which something is sent, whatever the sender says; may be nil

	see func(datagram []byte) // called with all that is sent; may be nil
}

func (e *end) Send(now time.Duration, b []byte) error {
	if e.cut || *e.err != nil {
		return *e.err
	}
	if e.see != nil {
		e.see(b)
	}
	now += e.start
	if e.real != nil {
		now = *e.real
	}
	return e.Wire.Send(now, b)
}

func (e *end) Receive(now time.Duration) (link.Datagram, bool) {
	d, ok := e.Wire.Receive(now + e.start)
	d.ReceivedAt -= e.start
	return d, ok
}

func (e *end) Err() error { return *e.err }

func (e *end) Close() error {
	if *e.err == nil {
		*e.err = errLeft
	}
	return nil
}

var errLeft = errors.New("the other side has left")

// world is a server and the processes that connect to it, in simulated time.
type world struct {
	testing.TB
	network   link.Network
	now       time.Duration
	server    *Server
	processes []*process
	log       []string
	file      bytes.Buffer // capture of the server
	links     int
	ordered   bool // all connections are TCP
	meetings  []*meeting

	input func(*process) func(sim.Tick) sim.Input // of the players; nil: they walk in squares
}

// process is a client.
type process struct {
	*Client
	end   *end
	peer  *end // of the server
	file  bytes.Buffer
	err   error
	start time.Duration
	still bool // the process is stopped

	frame time.Duration // its ticks are made in frames of this length; 0: each when it is due
}

func newWorld(t testing.TB, scene, network, spec string) *world {
	t.Helper()
	return makeWorld(t, scene, network, spec, false)
}

func makeWorld(t testing.TB, scene, network, spec string, ordered bool) *world {
	t.Helper()
	w := &world{TB: t, network: labtest.Config(t, scene, network, lab.AtClient).Network, ordered: ordered}
	var err error
	w.server, err = NewServer(ServerConfig{
		Session: lab.Config{Scene: scene, Rate: 60}, Spec: spec, Version: "test", Ordered: ordered, Recording: capture.NewRecording(&w.file),
		Log: func(event string, values ...any) {
			w.log = append(w.log, fmt.Sprint(append([]any{event, " "}, values...)...))
		},
	}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// connect starts a process of a player, whose clock begins at 0.
func (w *world) connect(name string) *process {
	w.Helper()
	return w.connectWith(ClientConfig{Name: name, Ghost: true})
}

// connectWith starts a process.
func (w *world) connectWith(config ClientConfig) *process {
	w.Helper()
	pair := link.Pair
	if w.ordered {
		pair = link.PairTCP
	}
	client, server := pair(&w.network, w.links%8)
	w.links++
	var left error
	p := &process{end: &end{Wire: client, start: w.now, err: &left}, peer: &end{Wire: server, err: &left}, start: w.now}
	w.server.Connect(p.peer, fmt.Sprintf("192.0.2.%d:4000", w.links), w.now)
	var err error
	config.Version, config.Ordered, config.Recording = "test", w.ordered, capture.NewRecording(&p.file)
	p.Client, err = NewClient(config, p.end, 0)
	if err != nil {
		w.Fatal(err)
	}
	w.processes = append(w.processes, p)
	return p
}

// run lets time pass, in steps of a millisecond.
func (w *world) run(d time.Duration) {
	for end := w.now + d; w.now < end; {
		w.now += time.Millisecond
		for _, p := range w.processes {
			if p.err == nil && !p.still && (p.frame == 0 || (w.now-p.start)%p.frame == 0) {
				input := func(t sim.Tick) sim.Input {
					return sim.Input{Buttons: []sim.Buttons{sim.Right, sim.Forward, sim.Left, sim.Back}[(int(t)/40+p.Player)%4]}
				}
				if w.input != nil {
					input = w.input(p)
				}
				p.err = p.Advance(w.now-p.start, input)
			}
		}
		w.server.Advance(w.now)
	}
}

// kill ends a process without a word.
func (w *world) kill(p *process) {
	p.end.cut = true
	w.processes = slices.DeleteFunc(w.processes, func(x *process) bool { return x == p })
}

// verify runs a capture again.
func verify(t testing.TB, text string) {
	t.Helper()
	c, err := capture.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Replay()
	if err != nil {
		t.Fatal(err)
	}
	next := 0
	for i, e := range c.Tape.Entries {
		r.BeforeTick()
		labtest.Tick(t, r.Lab, e)
		if c.Tape.HashChecks[next].Ticks == i+1 {
			if err := c.Tape.Verify(r.Lab, next); err != nil {
				t.Fatal(err)
			}
			next++
		}
	}
	if c.Tape.Truncated || next != len(c.Tape.HashChecks) || next < 4 {
		t.Errorf("%d hash checks, truncated %v", next, c.Tape.Truncated)
	}
}

// TestSession plays each strategy over a lossy network, with two clients that come later than the server. Each measures
// its path error by the ghost, and the server knows it. One is killed, its name comes back to its seat, the other is
// stopped for a while; the captures of all replay.
func TestSession(t *testing.T) {
	for _, s := range lab.Strategies {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			if experiment.Brief() && s.Name != "rollback" {
				t.Skip("GHOSTCUBE_CI=1 runs it")
			}
			w := newWorld(t, "two-players", "latency=40ms,jitter=10ms,loss=5%", s.Name)
			w.run(300 * time.Millisecond)
			ann := w.connect("ann")
			w.run(200 * time.Millisecond)
			bob := w.connect("bob")
			w.run(5 * time.Second)
			for i, p := range []*process{ann, bob} {
				metres, ok := p.PathError()
				t.Logf("%s: path error %.4f m", p.config.Name, metres)
				if p.err != nil || p.Lab == nil || p.Player != i || !ok || metres > 0.25 {
					t.Fatalf("player %d: error %v, path error %.3f m, %v", p.Player, p.err, metres, ok)
				}
				x := w.server.Seats()[i]
				if x.Name != p.config.Name || x.Address == "" || !x.HasScore || x.Stats.RTT < 70*time.Millisecond || x.Stats.RTT > 130*time.Millisecond {
					t.Errorf("seat %d: %+v, round trip %v", i+1, x, x.Stats.RTT)
				}
			}
			w.kill(ann)
			ann.config.Recording.Close()
			w.run(500 * time.Millisecond)
			again := w.connect("ann")
			bob.still = true
			w.run(1500 * time.Millisecond)
			bob.still = false
			w.run(5 * time.Second)
			if again.err != nil || again.Lab == nil || again.Player != 0 || bob.err != nil {
				t.Fatalf("ann: player %d, error %v; bob: %v", again.Player+1, again.err, bob.err)
			}
			for _, p := range []*process{again, bob} {
				pane := p.Lab.Panes[0]
				// After a freeze some strategies refuse packets that refer to what did not fit the receive buffer.
				if n := pane.Counters.Value("rejected_payloads"); n > 0 && p != bob || pane.Joining(0) {
					t.Errorf("%s: %v payloads rejected, joining %v", p.config.Name, n, pane.Joining(0))
				}
				for i, b := range w.server.Lab.Panes[0].ServerWorld.Bodies()[:2] { // they move, so this is no more than presence
					if d := b.Pose.Pos.Sub(pane.Clients[0].View.Bodies[i].Pos).Len(); d > 6 {
						t.Errorf("%s: player %d is drawn %v m from the server's", p.config.Name, i+1, d)
					}
				}
			}
			for _, p := range []*process{again, bob} {
				p.Close()
			}
			w.run(100 * time.Millisecond)
			for i, x := range w.server.Seats() {
				if x.Address != "" {
					t.Errorf("player %d has not left", i+1)
				}
			}
			w.server.Close()
			for _, text := range []string{w.file.String(), ann.file.String(), again.file.String(), bob.file.String()} {
				verify(t, text)
			}
		})
	}
}

// TestWhoMayJoin checks the ends of joining: a third player, a name that plays already, another version, another
// program, a name too long.
func TestWhoMayJoin(t *testing.T) {
	w := newWorld(t, "two-players", "latency=20ms,loss=20%", "noprediction")
	w.run(100 * time.Millisecond)
	w.connect("ann")
	w.run(time.Second)
	w.connect("bob")
	w.run(time.Second)
	for name, want := range map[string]string{"eve": "the session is full: it takes 2 players", "bob": "bob is playing already"} {
		p := w.connect(name)
		w.run(3 * time.Second)
		if !errors.Is(p.err, ErrRefused) || !strings.Contains(p.err.Error(), want) {
			t.Errorf("%s: error %v, want %s", name, p.err, want)
		}
	}
	for i, x := range w.server.Seats() {
		if x.Address == "" {
			t.Errorf("player %d has gone:\n%s", i+1, strings.Join(w.log, "\n"))
		}
	}
	if n := len(w.server.guests); n > 2 {
		t.Errorf("%d guests wait", n)
	}
	w.processes[0].Close()
	w.run(time.Second)
	eve := w.connect("eve")
	w.run(2 * time.Second)
	if eve.err != nil || eve.Player != 0 || eve.Lab == nil {
		t.Errorf("eve in the free seat: player %d, error %v", eve.Player+1, eve.err)
	}
	eve.Close()
	w.run(time.Second)
	w.processes[1].Close()
	w.run(time.Second)
	bob := w.connect("bob")
	w.run(2 * time.Second)
	if bob.err != nil || bob.Player != 1 {
		t.Errorf("bob comes back: player %d, error %v", bob.Player+1, bob.err)
	}
	for _, name := range []string{"", "a b", strings.Repeat("x", MaxName+1)} {
		if _, err := NewClient(ClientConfig{Name: name}, eve.end, 0); err == nil {
			t.Errorf("the name %q is taken", name)
		}
	}
	c, text := &Client{config: ClientConfig{Version: "other"}}, describe(lab.Config{Scene: "two-players", Rate: 60}, "rewind", "test", 0, 1)
	c.text = text
	if err := c.begin(0); err == nil || !strings.Contains(err.Error(), `this is version "other"`) {
		t.Errorf("another version: %v", err)
	}
	c, _ = NewClient(ClientConfig{Name: "x", Version: "test"}, eve.end, 0)
	c.text = text
	if err := c.begin(0); err == nil || !strings.Contains(err.Error(), "begins otherwise") {
		t.Errorf("another world: %v", err)
	}
}

// FuzzServer checks that no bytes of a client, on any channel, stop a server or its other player.
func FuzzServer(f *testing.F) {
	f.Add([]byte("\x91GC ctrl12345678"), []byte("x"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		w := newWorld(t, "two-players", "perfect", "noprediction")
		w.run(50 * time.Millisecond)
		p := w.connect("ann")
		w.run(100 * time.Millisecond)
		for _, x := range [][]byte{a, b, append([]byte{0}, a...), append([]byte{ghostTag + 1}, b...)} {
			p.end.Send(w.now-p.start, x)
			w.server.seats[0].guest.wire.Send(w.now, x)
		}
		w.run(100 * time.Millisecond)
		if p.err != nil {
			t.Fatal(p.err)
		}
	})
}

// TestApply gives a client commands between its ticks, the last of them after its last tick, and lets it make its first
// tick late, as where a window opens: its capture replays, and it was not frozen.
func TestApply(t *testing.T) {
	w := newWorld(t, "two-players", "latency=40ms,loss=5%", "rewind")
	p := w.connect("ann")
	p.still = true
	for p.Lab == nil {
		w.run(time.Second / handshakeRate)
		if err := p.Step(w.now-p.start, nil); err != nil {
			t.Fatal(err)
		}
	}
	w.run(2 * time.Second)
	p.still = false
	if n := p.Due(w.now - p.start); n != 1 {
		t.Errorf("%d ticks are due at first, want 1", n)
	}
	w.run(2 * time.Second)
	if n := p.Lab.Ticks(); p.err != nil || p.Lab.Panes[0].ClockFault(0).FrozenUntil != 0 || n < 118 || n > 122 {
		t.Errorf("%d ticks in two seconds, error %v, frozen until %d", n, p.err, p.Lab.Panes[0].ClockFault(0).FrozenUntil)
	}
	apply := func(name, value string) {
		if err := p.apply(lab.Command{Verb: "clock", Pane: lab.AllPanes, Name: name, Value: value}); err != nil {
			t.Fatal(err)
		}
	}
	apply("fps", "20")
	w.run(3100 * time.Millisecond)
	if metres, ok := p.PathError(); !ok || metres > 0.5 {
		t.Errorf("path error %v m, %v", metres, ok)
	}
	if p.Apply(lab.Command{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "1"}) == nil {
		t.Error("a client nudges the server's cube")
	}
	apply("skew", "500")
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	verify(t, p.file.String())
}
