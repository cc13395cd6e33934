package lab_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/predict"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// laterWire is an end of a link for a process whose session began later than the link's time.
type laterWire struct {
	link.Wire
	start time.Duration
}

func (w laterWire) Send(now time.Duration, b []byte) error { return w.Wire.Send(now+w.start, b) }

func (w laterWire) Receive(now time.Duration) (link.Datagram, bool) {
	d, ok := w.Wire.Receive(now + w.start)
	d.ReceivedAt -= w.start
	return d, ok
}

// processes are the labs of a server and of its clients, each of which is stepped by itself.
type processes struct {
	testing.TB
	config  Config
	spec    string
	network link.Network
	server  *Lab
	wires   []link.Wire   // of the clients
	peers   [][]link.Wire // of the clients to each other; nil: none
	clients []*Lab        // nil: not here
}

func newProcesses(t testing.TB, seed uint64, spec string) *processes {
	t.Helper()
	p := &processes{TB: t, config: labtest.Config(t, remoteScene, remoteNetwork, AtClient), spec: spec}
	p.config.Network.Seed = seed
	p.network, p.config.Network = p.config.Network, link.Network{}
	players, err := PlayerCount(remoteScene)
	if err != nil {
		t.Fatal(err)
	}
	var wires []link.Wire
	for i := range players {
		client, server := link.Pair(&p.network, i)
		p.wires, wires = append(p.wires, client), append(wires, server)
	}
	p.clients = make([]*Lab, players)
	if p.server, err = NewServer(p.config, spec, wires); err != nil {
		t.Fatal(err)
	}
	p.tick(nil)
	for i := range players {
		p.server.Reset(i)
	}
	return p
}

// join starts the process of a client.
func (p *processes) join(i int) {
	p.Helper()
	var peers []link.Wire
	if p.peers != nil {
		for _, w := range p.peers[i] {
			peers = append(peers, laterWire{w, p.server.Now()})
		}
	}
	l, err := NewClient(p.config, p.spec, i, laterWire{p.wires[i], p.server.Now()}, peers...)
	if err != nil {
		p.Fatal(err)
	}
	if f, ok := l.Panes[0].LastFault(); ok {
		p.Errorf("a client that joins for the first time has a forced fault: %s", f.Describe())
	}
	p.clients[i] = l
}

// tick makes a tick of every process.
func (p *processes) tick(in []sim.Input) {
	p.Helper()
	for _, c := range p.clients {
		if c != nil {
			labtest.Tick(p, c, Entry{Inputs: in})
		}
	}
	labtest.Tick(p, p.server, Entry{})
}

// run makes ticks in which all players move until a tick of the server.
func (p *processes) run(ticks int, moveUntil sim.Tick) {
	p.Helper()
	for range ticks {
		p.tick(p.inputs(p.server.Ticks(), moveUntil))
	}
}

func (p *processes) inputs(t, moveUntil sim.Tick) []sim.Input {
	in := make([]sim.Input, len(p.clients))
	for i := range in {
		if t < moveUntil {
			in[i].Buttons = []sim.Buttons{sim.Right, sim.Forward, sim.Left, sim.Back}[(int(t)/40+i)%4]
		}
	}
	return in
}

// trackErrors are the path errors of the players' own cubes, in metres.
type trackErrors struct {
	server map[sim.Tick][]geom.Pose
	drawn  []struct {
		player int
		moment sim.Moment
		pos    geom.Vec3
	}
}

func (e *trackErrors) add(server *Pane, clients ...*Client) {
	if e.server == nil {
		e.server = map[sim.Tick][]geom.Pose{}
	}
	e.server[server.ServerWorld.Tick()] = predict.AppendPoses(nil, server.ServerWorld.Bodies())
	for i, c := range clients {
		e.drawn = append(e.drawn, struct {
			player int
			moment sim.Moment
			pos    geom.Vec3
		}{i, c.View.MomentOf(i), c.View.Bodies[i].Pos})
	}
}

// rms returns their root mean square, and how many of them are known.
func (e *trackErrors) rms() (metres float64, known int) {
	sum := 0.0
	for _, d := range e.drawn {
		from, ok := e.server[d.moment.Tick()]
		to, ok2 := e.server[d.moment.Tick()+1]
		if !ok || !ok2 {
			continue
		}
		share := float32(d.moment-d.moment.Tick().Moment()) / sim.MomentsPerTick
		at := from[d.player].Pos.AddScaled(share, to[d.player].Pos.Sub(from[d.player].Pos))
		sum += float64(d.pos.Sub(at).LenSq())
		known++
	}
	return math.Sqrt(sum / float64(max(known, 1))), known
}

const (
	remoteScene   = "katamari:cubes=80:players=2"
	remoteNetwork = "latency=40ms,jitter=10ms,loss=5%"
)

// paneErrors returns the path error of the same session in a pane, which has both sides, and whose clients join as late.
func paneErrors(t *testing.T, seed uint64, spec string, inputs func(tick sim.Tick) []sim.Input) float64 {
	c := labtest.Config(t, remoteScene, remoteNetwork, AtClient)
	c.Network.Seed = seed
	l := labtest.Open(t, c, spec+":messages=reliable")
	var e trackErrors
	for l.Ticks() < 500 {
		entry := Entry{Inputs: inputs(l.Ticks())}
		switch l.Ticks() {
		case 31:
			entry.Commands = []Command{{Verb: "rejoin", Pane: AllPanes, Name: "2"}}
		case 71:
			entry.Commands = []Command{rejoinFirst}
		}
		labtest.Tick(t, l, entry)
		if l.Ticks() > 200 {
			e.add(l.Panes[0], l.Panes[0].Clients...)
		}
	}
	metres, _ := e.rms()
	return metres
}

// TestProcesses runs the server and both clients of each strategy in labs of their own, which share nothing but wires
// over a lossy network. The clients join a session that goes on. Their cubes are drawn where the server has them, as
// closely as in a pane that has all sides; and when all have come to rest, all bodies are. One client is killed, and
// another comes in its place, while the other plays on.
func TestProcesses(t *testing.T) {
	for _, s := range Strategies {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			if experiment.Brief() && !slices.Contains([]string{"rewind", "lockstep", "snapshot", "rollback"}, s.Name) {
				t.Skip("GHOSTCUBE_CI=1 runs it")
			}
			seeds := uint64(1)
			if s.Motion == predict.PredictedCube {
				seeds = 8 // its error depends on which packets are lost, and those are others in a pane
			}
			var p *processes
			apart, alone := 0.0, 0.0
			for seed := range seeds {
				p = newProcesses(t, seed+1, s.Name)
				p.run(30, 600)
				p.join(1)
				p.run(40, 600)
				p.join(0)
				p.run(129, 600)
				var e trackErrors
				for range 300 {
					p.run(1, 600)
					e.add(p.server.Panes[0], p.clients[0].Panes[0].Clients[0], p.clients[1].Panes[0].Clients[0])
				}
				metres, known := e.rms()
				if known < 500 {
					t.Errorf("the path error of %d pictures is known", known)
				}
				pane := paneErrors(t, seed+1, s.Name, func(tick sim.Tick) []sim.Input { return p.inputs(tick, 600) })
				share := math.Sqrt(float64(seeds))
				apart, alone = math.Hypot(apart, metres/share), math.Hypot(alone, pane/share)
			}
			t.Logf("path error %.4f m; in a pane %.4f m", apart, alone)
			if apart > 1.5*alone+0.01 {
				t.Errorf("the path error is %.4f m; %.4f m in a pane", apart, alone)
			}
			server := p.server.Panes[0]
			p.clients[0] = nil
			p.run(60, 600)
			at := server.ServerWorld.Bodies()[1].Pose.Pos
			p.server.Reset(0)
			if s := server.PeerStats(0); s.PacketsSent+s.PacketsReceived > 0 {
				t.Errorf("the next client meets an endpoint with %d packets", s.PacketsReceived)
			}
			for ok := true; ok; { // what is on its way to the killed process
				_, ok = p.wires[0].Receive(time.Hour)
			}
			p.run(30, 600)
			if d := server.ServerWorld.Bodies()[1].Pose.Pos.Sub(at).Len(); d < 0.5 {
				t.Errorf("without the first player the other moves by %v m", d)
			}
			p.join(0)
			p.run(540, 600)
			for i, c := range p.clients {
				pane := c.Panes[0]
				if n := pane.Counters.Value("joins"); n != 1 {
					t.Errorf("client %d: %v joins", i, n)
				}
				if n := pane.Counters.Value("rejected_payloads") + pane.Counters.Value("desyncs"); n != 0 {
					t.Errorf("client %d: %v payloads rejected and desyncs", i, n)
				}
				for k, b := range server.ServerWorld.Bodies() {
					if d := b.Pose.Pos.Sub(pane.Clients[0].View.Bodies[k].Pos).Len(); d > 0.01 {
						t.Errorf("client %d: body %d is drawn %v m from the server's", i, k, d)
					}
				}
			}
		})
	}
}

// TestRemoteMesh plays a mesh in three processes that begin at different times, from a tick of the server's world that is
// not the first: nobody steps alone, all have the same world, and a client can neither join again nor be without its peers.
func TestRemoteMesh(t *testing.T) {
	p := newProcesses(t, 3, "rollback:topology=mesh")
	n := len(p.clients)
	p.peers = make([][]link.Wire, n)
	for i := range n {
		p.peers[i] = make([]link.Wire, n)
		p.peers[i][i] = CutWire{}
		for k := range i {
			p.peers[k][i], p.peers[i][k] = link.PeerPair(&p.network, k, i)
		}
	}
	server := p.server.Panes[0]
	for i := range n {
		if p.run(20, 0); server.ServerWorld.Tick() != 0 {
			t.Fatalf("the world is at tick %d before player %d has joined", server.ServerWorld.Tick(), i+1)
		}
		p.join(i)
	}
	ticks := experiment.Pick(300, 600, 6000)
	p.run(ticks, sim.Tick(ticks-120))
	for i, l := range p.clients {
		c := l.Panes[0].Clients[0]
		if lag := int64(c.View.Tick()) - int64(server.ServerWorld.Tick()); server.ServerWorld.Tick() < sim.Tick(ticks-60) || lag < 0 || lag > 30 {
			t.Errorf("player %d draws tick %d, the server's is %d", i+1, c.View.Tick(), server.ServerWorld.Tick())
		}
		for k, b := range server.ServerWorld.Bodies() {
			if d := b.Pose.Pos.Sub(c.View.Bodies[k].Pos).Len(); d > 0.01 {
				t.Errorf("player %d: body %d is drawn %v m from the server's", i+1, k, d)
			}
		}
		m := l.Panes[0].Counters
		if bad := m.Value("rejected_payloads") + m.Value("desyncs"); bad != 0 || m.Value("compared_checksums") == 0 {
			t.Errorf("player %d: %v payloads rejected and desyncs", i+1, bad)
		}
		if s := c.PeerStats((i + 1) % n); s == nil || s.PacketsReceived < uint64(ticks*2/3) || c.PeerStats(i) != nil ||
			c.WireBytes(link.Up) < c.Endpoint.Stats.BytesSent+s.BytesSent {
			t.Errorf("player %d: to the next one %+v, in all %d bytes", i+1, s, c.WireBytes(link.Up))
		}
		if err := l.Apply(Command{Verb: "rejoin", Pane: AllPanes, Name: "1"}); err == nil {
			t.Errorf("player %d joins again", i+1)
		}
	}
	alone, err := NewClient(p.config, p.spec, 0, CutWire{})
	if err != nil {
		t.Fatal(err)
	}
	labtest.Tick(t, alone, Entry{})
}

// TestRemoteIsRefused checks the errors of sessions that cannot run in several processes, and of commands that need
// a side that runs elsewhere.
func TestRemoteIsRefused(t *testing.T) {
	c := labtest.Config(t, "two-players", "perfect", AtClient)
	two := []link.Wire{CutWire{}, CutWire{}}
	for _, x := range []struct {
		spec, want string
		wires      []link.Wire
	}{
		{"rewind", "1 wires for 2 players", two[:1]},
		{"rewind:messages=maybe", "messages", two},
	} {
		if _, err := NewServer(c, x.spec, x.wires); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: error %v, want %s", x.spec, err, x.want)
		}
	}
	if _, err := NewClient(c, "rewind", 2, CutWire{}); err == nil || !strings.Contains(err.Error(), "player 3: want 1 to 2") {
		t.Errorf("a third player: %v", err)
	}
	server, err := NewServer(c, "rewind", two)
	if err != nil {
		t.Fatal(err)
	}
	client, err := NewClient(c, "rewind", 1, CutWire{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		l    *Lab
		line string
		ok   bool
	}{
		{server, "nudge all x 1", true}, {client, "nudge all x 1", false},
		{server, "restart all - -", false}, {client, "set all tolerance 1", false},
		{server, "drag all server.0 0:0:0:1:1:1", true}, {client, "drag all server.0 0:0:0:1:1:1", false},
		{client, "drag all client.0 0:0:0:1:1:1", true}, {client, "drag all off -", true}, {client, "freeze all - 1s", true},
	} {
		cmd, err := ParseCommand(x.line)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.l.Apply(cmd); (err == nil) != x.ok {
			t.Errorf("%s: %v", x.line, err)
		}
	}
}
