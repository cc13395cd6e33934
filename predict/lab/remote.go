package lab

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/score"
	"ghostcube/sim/scene"
)

// The sides of a session can run in several processes: the server in one, each client in another. The lab of such
// a process has one pane. It makes both sides, so that all knobs are declared and have the same values everywhere,
// but ticks only its own, which sends and receives over a given wire. Measures that compare a client with the
// server stay empty: a process knows of the other side only what it receives.

// remote says which sides run in this process. Nil: all.
type remote struct {
	serves  bool        // the server; otherwise one client, or
	watches bool        // neither
	player  int         // whom the client controls; -1: nobody
	wires   []link.Wire // of the server by client, or that of the client
	peers   []link.Wire // of the client to those of other players, by player; a missing one is cut
}

func (r *remote) runsServer() bool  { return r == nil || r.serves }
func (r *remote) runsClients() bool { return r == nil || !r.serves && !r.watches }

// Remote reports whether only one side of the session runs in this process.
func (l *Lab) Remote() bool { return l.remote != nil }

// Watches reports whether neither side runs in this process: the client's picture is that of a watcher.
func (l *Lab) Watches() bool { return l.remote != nil && l.remote.watches }

// Watched reports whether neither side of the pane runs in this process.
func (p *Pane) Watched() bool { return p.lab.Watches() }

// unmeasured marks measures of a watcher, who knows poses alone, and of a client without a picture yet as undefined.
func (p *Pane) unmeasured(list []score.Measure) []score.Measure {
	if p.Watched() || p.lab.remote.runsClients() && p.lab.remote != nil && p.Joining(0) {
		for i := range list {
			list[i].OK = false
		}
	}
	return list
}

// NewServer returns a lab that runs the server of a pane over a wire for each player of the scene; the commands scene and
// switch may use more of them. Nobody is connected: call Reset for each seat after the first tick, and again after the
// first tick after such a command. With the knob transport=tcp, wires have to deliver everything, in order.
func NewServer(c Config, spec string, wires []link.Wire) (*Lab, error) {
	return newRemote(c, spec, &remote{serves: true, wires: wires})
}

// NewClient returns a lab that runs the client of a player over a wire. It asks the server for the world in its
// first tick, and so needs no more of the server's past than its Config and spec. After the commands scene and switch it
// does so by the command rejoin. In a mesh, all clients have to begin from one tick of the server's world. peers are the
// wires to their clients, by player.
func NewClient(c Config, spec string, player int, wire link.Wire, peers ...link.Wire) (*Lab, error) {
	return newRemote(c, spec, &remote{player: player, wires: []link.Wire{wire}, peers: peers})
}

// NewWatcher returns a lab that runs neither side of a pane. Its client draws the server's world, into which the caller puts
// the states that it receives.
func NewWatcher(c Config, spec string) (*Lab, error) {
	return newRemote(c, spec, &remote{watches: true, player: -1, wires: []link.Wire{CutWire{}}})
}

// showServer makes the client of a watcher draw the server's world.
func (p *Pane) showServer() {
	v := &p.Clients[0].View
	v.Reset()
	v.ShowTick(p.ServerWorld.Tick())
	bodies := p.ServerWorld.Bodies()
	for i := range bodies {
		v.Bodies = append(v.Bodies, bodies[i].Pose)
	}
}

func newRemote(c Config, spec string, r *remote) (*Lab, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Seat != AtClient {
		return nil, fmt.Errorf("seat=%s: the players of several processes sit at their clients", c.Seat)
	}
	l := New(c)
	switch n := l.Players(); {
	case r.serves && len(r.wires) < n:
		return nil, fmt.Errorf("scene %s: %d wires for %d players", c.Scene, len(r.wires), n)
	case r.runsClients() && (r.player < 0 || r.player >= n):
		return nil, fmt.Errorf("scene %s: player %d: want 1 to %d", c.Scene, r.player+1, n)
	}
	l.remote = r
	if _, err := l.Open(spec); err != nil {
		return nil, err
	}
	if r.runsClients() {
		return l, l.apply(Command{Verb: "rejoin", Pane: AllPanes, Name: "1"}) // no forced fault
	}
	return l, nil
}

// StartHash digests the world with which the scene of a session begins. It differs between two programs if their scenes
// or their physics do.
func StartHash(c *Config) (uint64, error) {
	sc, err := scene.Named(c.Scene)
	if err != nil {
		return 0, err
	}
	bodies, cache := predict.NewWorld(sc, c.Rate).Hash()
	return bodies ^ cache<<1, nil
}

// Reset makes the server of a lab forget the client of a seat, between two ticks: because it has left, or because another one
// comes, which begins with packet 0. Until that client has the world, its player does nothing.
func (l *Lab) Reset(client int) {
	p := l.Panes[0]
	p.connections[client] = connection{}
	p.peers[client].Endpoint = packet.NewEndpoint(p.serverAttacked[client])
	p.observeDatagrams(l.tracing)
	p.updateConnections()
	p.serverSide.Forget(client)
}

// PeerStats returns the statistics of the server's endpoint for a client, for reading.
func (p *Pane) PeerStats(client int) *packet.Stats { return &p.peers[client].Endpoint.Stats }

// Joining reports whether a client has no picture of its own yet, because the world is still on its way.
func (p *Pane) Joining(client int) bool {
	return p.connections[client].join.waiting || p.Clients[client].env.Joined
}

// severed returns what runs in a copy l of the lab: the same, with wires that are cut, or their copies.
func (r *remote) severed(l *Lab) *remote {
	if r == nil {
		return nil
	}
	cut := *r
	cut.wires, cut.peers = severedWires(r.wires, l), severedWires(r.peers, l)
	return &cut
}

func severedWires(wires []link.Wire, l *Lab) []link.Wire {
	list := make([]link.Wire, len(wires))
	for i := range list {
		list[i] = CutWire{}
		if w, ok := wires[i].(CopiedWire); ok {
			list[i] = w.CopyFor(l)
		}
	}
	return list
}

// remoteVerbs are the verbs of commands that a client, the server and a watcher can apply alone. After scene and switch the
// processes have to agree again on who plays: package remote does that.
var remoteVerbs = [3][]string{
	{"rejoin", "clock", "freeze", "drag", "show", "focus", "scene", "switch"},
	{"nudge", "drag", "show", "focus", "scene", "switch"},
	{"show", "focus", "scene", "switch"},
}

// checkCommand refuses commands that need a side in another process.
func (r *remote) checkCommand(c *Command) error {
	if r == nil {
		return nil
	}
	allowed, here := remoteVerbs[0], "client"
	switch {
	case r.serves:
		allowed, here = remoteVerbs[1], "server"
	case r.watches:
		allowed, here = remoteVerbs[2], "picture"
	}
	onServer := strings.HasPrefix(c.Name, "server")
	if !slices.Contains(allowed, c.Verb) || c.Verb == "drag" && c.Name != dragOff && onServer != r.serves {
		return fmt.Errorf("%s: only the %s runs in this process", c.Verb, here)
	}
	if c.Verb == "scene" {
		n, err := PlayerCount(c.Name)
		switch {
		case err != nil:
			return err
		case r.serves && n > len(r.wires), !r.serves && r.player >= n:
			return fmt.Errorf("scene %s: %d players", c.Name, n)
		}
	}
	return nil
}

// CutWire is a wire that delivers nothing.
type CutWire struct{}

// Send implements link.Wire.
func (CutWire) Send(time.Duration, []byte) error { return nil }

// Receive implements link.Wire.
func (CutWire) Receive(time.Duration) (link.Datagram, bool) { return link.Datagram{}, false }
