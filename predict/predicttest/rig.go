// Package predicttest runs the two sides of a strategy in tests, from inside the strategy's package:
// a server and its clients, connected by a simulated network, tick by tick as package predict/lab
// runs a pane. It has no score, no faults and no commands. A strategy embeds Rig in a type of its
// own:
//
//	type rig struct {
//		*predicttest.Rig
//		c *client
//		s *server
//	}
package predicttest

import (
	"testing"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/sim/scene"
)

// Config describes a rig. The zero value has one player, at a client, in the scene "plain", over a
// perfect network.
type Config struct {
	Scene   string // as for scene.Named; "" is "plain"
	Network string // as for link.Network.Parse; "" is perfect
	Rate    int    // ticks per second; 0 is 60

	// Clients is the number of players who sit at a client; 0 is one.
	Clients int

	// AtHost seats all players at the server. The only client is a spectator.
	AtHost bool

	// Prepare changes the world of each side before the side is made. It may be nil.
	Prepare func(*predict.World)

	// Knobs holds names and values of knobs in turn. Both sides share their knobs.
	Knobs []string
}

// Rig is a server and its clients, connected by a simulated network with the seed 1.
type Rig struct {
	// Network may be changed between two ticks.
	Network link.Network

	Knobs    *predict.Knobs
	Counters *predict.Counters

	Server    predict.Server
	ServerEnv *predict.Env
	Peers     []predict.Peer // the clients as the server sees them
	Clients   []*Client

	// Tick is the number of ticks run.
	Tick int

	// Paused stops the clients: their packets wait on the network.
	Paused bool

	// Corrections are the corrections of all clients so far, oldest first.
	Corrections []predict.Correction

	// ServerPoses are the server's poses of the first body, indexed by tick.
	ServerPoses []geom.Pose

	t        testing.TB
	rate     int
	atHost   bool
	serverAt []*link.End // the server's ends of the links
	inputs   []sim.Input // of this tick, by player
}

// Client is one client of a rig.
type Client struct {
	predict.Client
	Env      *predict.Env
	Endpoint *packet.Endpoint

	end       *link.End
	peerEnds  []*link.End // by client, nil for its own; empty unless the strategy is PeerToPeer
	dueMicros int64       // time since the end of the last tick, in millionths of one; below 0: before
}

// New returns a rig of a strategy. The server side is made before the clients, and all before any
// knob is set.
func New(t testing.TB, s *predict.Strategy, c Config) *Rig {
	t.Helper()
	r := &Rig{t: t, Network: link.Network{Seed: 1}, Knobs: &predict.Knobs{}, Counters: &predict.Counters{}, rate: c.Rate, atHost: c.AtHost}
	if r.rate == 0 {
		r.rate = 60
	}
	if c.Scene == "" {
		c.Scene = "plain"
	}
	if c.Network != "" {
		r.SetNetwork(c.Network)
	}
	sc := Scene(t, c.Scene)
	env := func(player int) *predict.Env {
		e := NewEnv(sc, r.rate, player)
		e.Knobs, e.Counters = r.Knobs, r.Counters
		if c.Prepare != nil {
			c.Prepare(e.World)
		}
		return e
	}
	r.ServerEnv = env(-1)
	r.Server = s.NewServer(r.ServerEnv)
	for i := range max(c.Clients, 1) {
		player := i
		if c.AtHost {
			player = -1
		}
		near, far := link.Pair(&r.Network, i)
		e := env(player)
		e.OnCorrection = func(c predict.Correction) { r.Corrections = append(r.Corrections, c) }
		r.Clients = append(r.Clients, &Client{Client: s.NewClient(e), Env: e, Endpoint: packet.NewEndpoint(near), end: near})
		r.Peers = append(r.Peers, predict.Peer{Endpoint: packet.NewEndpoint(far), Player: player})
		r.serverAt = append(r.serverAt, far)
	}
	if s.PeerToPeer && len(r.Clients) > 1 {
		r.connectPeers()
	}
	r.inputs = make([]sim.Input, sc.Players)
	r.ServerPoses = []geom.Pose{r.ServerWorld().Bodies()[0].Pose}
	SetKnobs(t, r.Knobs, c.Knobs...)
	return r
}

// connectPeers connects all clients with each other.
func (r *Rig) connectPeers() {
	for _, c := range r.Clients {
		c.peerEnds, c.Env.Peers = make([]*link.End, len(r.Clients)), make([]*packet.Endpoint, len(r.Clients))
	}
	for i, a := range r.Clients {
		for k, b := range r.Clients[:i] {
			b.peerEnds[i], a.peerEnds[k] = link.PeerPair(&r.Network, k, i)
			b.Env.Peers[i], a.Env.Peers[k] = packet.NewEndpoint(b.peerEnds[i]), packet.NewEndpoint(a.peerEnds[k])
		}
	}
}

// NewEnv returns the Env of a side in a scene, with knobs and counters of its own.
func NewEnv(sc sim.Scene, rate, player int) *predict.Env {
	return &predict.Env{
		World: predict.NewWorld(sc, rate), Players: sc.Players, Player: player,
		LastInputs: make([]sim.Input, sc.Players), Knobs: &predict.Knobs{}, Counters: &predict.Counters{},
	}
}

// SetKnobs sets knobs, given as names and values in turn.
func SetKnobs(t testing.TB, k *predict.Knobs, settings ...string) {
	t.Helper()
	for i := 0; i < len(settings); i += 2 {
		if err := k.Set(settings[i], settings[i+1]); err != nil {
			t.Fatal(err)
		}
	}
}

// Scene returns the scene that a specification describes.
func Scene(t testing.TB, spec string) sim.Scene {
	t.Helper()
	sc, err := scene.Named(spec)
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

// Run runs ticks in which the first player gives the input in, and the others none.
func (r *Rig) Run(ticks int, in func(tick int) sim.Input) {
	r.RunPlayers(ticks, func(player, tick int) sim.Input {
		if player > 0 {
			return sim.Input{}
		}
		return in(tick)
	})
}

// RunPlayers runs ticks of all sides, of each client at the rate that it requests. A spectator has no
// input. After each tick it checks the contacts of all worlds.
func (r *Rig) RunPlayers(ticks int, in func(player, tick int) sim.Input) {
	for range ticks {
		now := r.Now()
		for i := range r.inputs {
			r.inputs[i] = in(i, r.Tick)
		}
		for i, c := range r.Clients {
			c.end.SetTCP(c.Env.ReliableOrdered)
			r.serverAt[i].SetTCP(r.ServerEnv.ReliableOrdered)
			if r.Paused {
				continue
			}
			c.Endpoint.Update(now)
			for _, peer := range c.Env.Peers {
				if peer != nil {
					peer.Update(now)
				}
			}
			for c.dueMicros += 1_000_000 + int64(c.Env.SlewPPM); c.dueMicros > 0; c.dueMicros -= 1_000_000 {
				c.Env.TickEarly = sim.Moment(max(1_000_000-c.dueMicros, 0)) * sim.MomentsPerTick / 1_000_000
				c.Tick(r.inputOf(c.Env.Player), c.Endpoint)
			}
		}
		for _, p := range r.Peers {
			p.Endpoint.Update(now)
		}
		var host []sim.Input
		if r.atHost {
			host = r.inputs
		}
		r.Server.Tick(host, r.Peers)
		r.Tick++
		r.ServerPoses = append(r.ServerPoses, r.ServerWorld().Bodies()[0].Pose)
		r.checkContacts()
	}
}

// checkContacts checks that no world has two contacts of one pair of shapes.
func (r *Rig) checkContacts() {
	r.t.Helper()
	if err := r.ServerWorld().CheckContacts(); err != nil {
		r.t.Fatal("the server's world: ", err)
	}
	for _, c := range r.Clients {
		if err := c.Env.World.CheckContacts(); err != nil {
			r.t.Fatal("a client's world: ", err)
		}
	}
}

// inputOf returns the input of a player in this tick, or none for a spectator.
func (r *Rig) inputOf(player int) sim.Input {
	if player < 0 {
		return sim.Input{}
	}
	return r.inputs[player]
}

// Now returns the time of the next tick.
func (r *Rig) Now() time.Duration { return time.Duration(r.Tick) * time.Second / time.Duration(r.rate) }

// ClientWorld returns the first client's world.
func (r *Rig) ClientWorld() *predict.World { return r.Clients[0].Env.World }

// ServerWorld returns the server's world.
func (r *Rig) ServerWorld() *predict.World { return r.ServerEnv.World }

// View returns a new view of the first client.
func (r *Rig) View() *predict.View {
	v := &predict.View{}
	r.Clients[0].View(v)
	return v
}

// Counter returns the value of a counter of either side.
func (r *Rig) Counter(name string) float64 { return r.Counters.Value(name) }

// SetKnob sets a knob of both sides.
func (r *Rig) SetKnob(name, value string) {
	r.t.Helper()
	SetKnobs(r.t, r.Knobs, name, value)
}

// SetNetwork changes conditions of the network. Those that the text does not name stay.
func (r *Rig) SetNetwork(conditions string) {
	r.t.Helper()
	if err := r.Network.Parse(conditions); err != nil {
		r.t.Fatal(err)
	}
}

// ChangeBody changes a body of the server's world and wakes it.
func (r *Rig) ChangeBody(i int, change func(*sim.Body)) {
	b := r.ServerWorld().Bodies()[i]
	change(&b)
	b.Asleep = false
	r.ServerWorld().SetBody(i, b)
}

// Displace moves the first body of the server's world, and wakes it.
func (r *Rig) Displace(by geom.Vec3) {
	r.ChangeBody(0, func(b *sim.Body) { b.Pose.Pos = b.Pose.Pos.Add(by) })
}

// Distance returns the distance of a body between the first client's world and the server's, in
// metres.
func (r *Rig) Distance(body int) float32 {
	return r.ClientWorld().Bodies()[body].Pose.Pos.Sub(r.ServerWorld().Bodies()[body].Pose.Pos).Len()
}

// CopyFrom makes r continue as o, a rig of the same strategy, scene and seats: worlds, counters,
// sides, endpoints, links, network and records. The knobs stay.
func (r *Rig) CopyFrom(o *Rig) {
	r.Network, r.Tick, r.Paused = o.Network, o.Tick, o.Paused
	r.Corrections = append(r.Corrections[:0], o.Corrections...)
	r.ServerPoses = append(r.ServerPoses[:0], o.ServerPoses...)
	r.ServerWorld().CopyFrom(o.ServerWorld())
	r.Counters.CopyFrom(o.Counters)
	r.Server.CopyFrom(o.Server)
	for i, c := range r.Clients {
		from := o.Clients[i]
		c.Env.World.CopyFrom(from.Env.World)
		c.Env.SlewPPM, c.Env.ReliableOrdered, c.dueMicros = from.Env.SlewPPM, from.Env.ReliableOrdered, from.dueMicros
		c.Client.CopyFrom(from.Client)
		c.Endpoint.CopyFrom(from.Endpoint)
		c.end.CopyFrom(from.end)
		for k, peer := range c.Env.Peers {
			if peer != nil {
				peer.CopyFrom(from.Env.Peers[k])
				c.peerEnds[k].CopyFrom(from.peerEnds[k])
			}
		}
		r.Peers[i].Endpoint.CopyFrom(o.Peers[i].Endpoint)
	}
}
