package lab

import (
	"math"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/score"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Pane is one strategy at work: a server, and a seat for each player.
type Pane struct {
	Strategy    *predict.Strategy
	ServerWorld *sim.World // the server's world, drawn as the ghost
	Clients     []*Client
	Knobs       *predict.Knobs
	Counters    *predict.Counters
	Score       *score.Score // of the first seat
	CPU         CPU

	Corrections Corrections // of all seats
	Shots       Shots       // of all players

	lab    *Lab
	server predict.Server
	env    *predict.Env // the server's
	peers  []predict.Peer
	ends   []*link.End // at the server, one for each seat
	held   []sim.Input
	began  sim.Tick // the session's tick at which this strategy began
	drawn  digest   // of every pose drawn since
	parts  divergence
	clocks [mostSeats]ClockFault
	chain  chain
}

// Client is one client of a pane.
type Client struct {
	World    *sim.World // the client's world
	View     predict.View
	Endpoint *packet.Endpoint

	client predict.Client
	env    *predict.Env
	end    *link.End
	socket *socket
	shot   sim.Shot      // fired, and not given to a tick of the client yet
	due    int64         // millionths of a tick that the client's clock has gone beyond its last tick
	frame  time.Duration // of its program's last frame
}

// CPU is what a pane's halves took of the processor. It is measured only if
// the lab has a stopwatch.
type CPU struct {
	Ticks    int
	Sum, Max time.Duration // of both halves, per tick
}

// million is one tick in the units of a seat's clock.
const million = 1_000_000

// run starts a strategy from the present state of truth over new links. A pane
// switches strategy by being run again: the truth goes on, all else is new.
func (p *Pane) run(s *predict.Strategy, truth *sim.World) {
	l := p.lab
	scene := truth.Scene()
	p.Strategy, p.ServerWorld = s, truth
	p.Knobs, p.Counters, p.Score = &predict.Knobs{}, &predict.Counters{}, &score.Score{}
	p.Clients, p.peers, p.ends = nil, nil, nil
	p.CPU, p.Corrections, p.Shots = CPU{}, Corrections{}, Shots{}
	p.began, p.drawn, p.parts = l.tick, 1, divergence{}
	p.chain = chain{rate: truth.Rate()}
	if len(p.held) != scene.Players {
		p.held = make([]sim.Input, scene.Players)
	}
	p.env = &predict.Env{World: truth, Players: scene.Players, Player: -1, LastInputs: p.held, Knobs: p.Knobs, Counters: p.Counters, OnHit: p.judged}
	p.server = s.NewServer(p.env)
	seats := scene.Players
	if l.config.Seat == AtHost {
		seats = 1
	}
	for i := range seats {
		player := i
		if l.config.Seat == AtHost {
			player = -1
		}
		p.sit(i, player)
	}
}

// sit adds a client that drives a player, or only watches if player is -1.
func (p *Pane) sit(i, player int) {
	up, down := link.Pair(&p.lab.weather, i)
	machine := &socket{end: up}
	mine, theirs := link.Wire(machine), link.Wire(down)
	if i == 0 {
		mine, theirs = p.chain.atClient(mine), p.chain.atServer(theirs)
	}
	seat := &Client{
		World: sim.New(*p.ServerWorld.Scene(), p.ServerWorld.Rate()), end: up, socket: machine, frame: -1,
		Endpoint: packet.NewEndpoint(p.tapped(mine, i, link.Up)),
	}
	seat.World.CopyFrom(p.ServerWorld)
	seat.env = &predict.Env{
		World: seat.World, Players: p.env.Players, Player: player, LastInputs: p.held,
		Knobs: p.Knobs, Counters: p.Counters, OnCorrection: func(c predict.Correction) { p.corrected(i, c) },
	}
	seat.client = p.Strategy.NewClient(seat.env)
	p.Clients = append(p.Clients, seat)
	p.ends = append(p.ends, down)
	p.peers = append(p.peers, predict.Peer{Endpoint: packet.NewEndpoint(p.tapped(theirs, i, link.Down)), Seat: player})
}

// corrected notes a correction that the client of a seat makes in this tick.
// It has not acknowledged the packet yet, so the server still remembers it.
func (p *Pane) corrected(seat int, c predict.Correction) {
	sent, ok := p.peers[seat].Endpoint.SentAt(c.Packet)
	if !ok {
		sent = -1
	}
	p.Corrections.add(Correction{Correction: c, Seat: seat, At: p.lab.tick, Sent: sent})
}

// tap is a wire that shows what is sent.
type tap struct {
	link.Wire
	show func(now time.Duration, datagram []byte)
}

func (t *tap) Send(now time.Duration, datagram []byte) error {
	t.show(now, datagram)
	return t.Wire.Send(now, datagram)
}

// tapped returns the end of a link, with the lab's tap on it if there is one.
func (p *Pane) tapped(end link.Wire, seat int, d link.Direction) link.Wire {
	show := p.lab.Tap
	if show == nil {
		return end
	}
	return &tap{end, func(now time.Duration, datagram []byte) { show(p, seat, d, now, datagram) }}
}

// restart begins again from the scene's start, with the knobs as they are.
func (p *Pane) restart() {
	knobs := p.Knobs
	p.held = nil
	p.run(p.Strategy, sim.New(p.lab.scene(), p.lab.config.Rate))
	p.Knobs.CopyFrom(knobs)
}

// turn sets knobs as a spec says.
func (p *Pane) turn(set []Setting) error {
	for _, s := range set {
		if err := p.Knobs.Set(s.Name, s.Value); err != nil {
			return err
		}
	}
	return nil
}

// tick advances the pane: each client by as many of its ticks as its clock
// says, then the server, then the pictures and the score.
func (p *Pane) tick(now time.Duration, inputs []sim.Input) {
	p.Counters.Stopwatch = p.lab.Stopwatch
	begin := p.Counters.Begin()
	for i, s := range p.Clients {
		s.end.InOrder(s.env.InOrder)
		p.ends[i].InOrder(p.env.InOrder)
		var in sim.Input
		if s.env.Player >= 0 {
			in = inputs[i]
		}
		p.goRound(s, &p.clocks[i], now, p.fire(s, in))
	}
	p.chain.pressed(p.Clients[0].client, p.lab.tick, now)
	for _, peer := range p.peers {
		peer.Endpoint.Update(now)
	}
	var host []sim.Input
	if p.lab.config.Seat == AtHost {
		host = inputs
		p.fireAtHost(host)
	}
	p.server.Tick(host, p.peers)
	if host != nil {
		p.chain.atHost(p.lab.tick, now, p.ServerWorld.Tick())
	}
	p.chain.simulated(p.server, now, p.ServerWorld.Tick())
	for i := range p.held {
		p.held[i] = sim.Input{Buttons: inputs[i].Buttons, Heading: inputs[i].Heading}
	}
	for _, s := range p.Clients {
		s.View.Reset()
		s.client.View(&s.View)
	}
	p.chain.drawn(p.Clients[0].client, now)
	p.CPU.add(p.Counters.Begin() - begin)
	p.Score.Take(p.ServerWorld, &p.Clients[0].View, p.Watched())
	if p.Strategy.Simulates {
		p.parts.look(p.ServerWorld, p.Clients[0].World)
	}
	for _, s := range p.Clients {
		p.drawn.word(uint64(s.View.Tick))
		for i := range s.View.Bodies {
			p.drawn.pose(&s.View.Bodies[i])
		}
	}
}

// goRound makes the ticks of a client that are due by now, if its program goes
// round.
func (p *Pane) goRound(s *Client, c *ClockFault, now time.Duration, in sim.Input) {
	l := p.lab
	if l.tick < c.FrozenUntil {
		s.frame = now
		s.leave(now, p.env.InOrder)
		return
	}
	s.due += c.step(s.env.Pace)
	at := c.frame(now, l.tick, l.config.Rate)
	if at <= s.frame {
		s.leave(now, p.env.InOrder)
		return
	}
	s.frame = at
	if s.due >= million {
		s.Endpoint.Update(at) // what it brings is gone with the next, so somebody has to take it
	}
	for ; s.due >= million; s.due -= million {
		in.Shot, s.shot = s.shot, sim.Shot{}
		s.client.Tick(in, s.Endpoint)
	}
}

// leave lets what has arrived by now wait for a program that does not read. Over
// a wire that loses nothing the other side waits with what there is no room for.
func (s *Client) leave(now time.Duration, inOrder bool) {
	if !inOrder {
		s.socket.fill(now)
	}
}

// Inspect writes into l what the strategy can tell of what travels between the
// server and the first seat.
func (p *Pane) Inspect(l *predict.Inspection) {
	l.Reset()
	if s, ok := p.server.(predict.ServerInspector); ok {
		s.Inspect(l, 0)
	}
	if c, ok := p.Clients[0].client.(predict.ClientInspector); ok {
		c.Inspect(l)
	}
}

// Watched is the body that the first seat's player drives, or that of the
// first player if it only watches.
func (p *Pane) Watched() int { return max(p.Clients[0].env.Player, 0) }

// Divergence returns where the first seat's world first differed from the
// server's. ok is false if it has not, or if the strategy
// does not simulate.
func (p *Pane) Divergence() (d Divergence, ok bool) { return p.parts.first, p.parts.found }

// Began returns the session's tick at which the pane's strategy began.
func (p *Pane) Began() sim.Tick { return p.began }

// Spec returns a spec that opens such a pane: its strategy, and the knobs that
// are not where they began.
func (p *Pane) Spec() string {
	spec := p.Strategy.Name
	for _, k := range p.Knobs.Changed() {
		spec += ":" + k
	}
	return spec
}

// Server returns the statistics of the server's endpoint for the first seat.
func (p *Pane) Server() *packet.Stats { return &p.peers[0].Endpoint.Stats }

func (c *CPU) add(d time.Duration) {
	c.Ticks++
	c.Sum += d
	c.Max = max(c.Max, d)
}

// Hash digests every world, drawn pose, meter and endpoint statistic of the
// pane, and the faults of its clients' machines.
func (p *Pane) Hash() uint64 {
	h := digest(p.began) + 1
	world := func(w *sim.World) {
		bodies, cache := w.Hash()
		h.word(bodies)
		h.word(cache)
	}
	world(p.ServerWorld)
	h.word(uint64(p.drawn))
	for i, s := range p.Clients {
		world(s.World)
		h.stats(&s.Endpoint.Stats)
		h.stats(&p.peers[i].Endpoint.Stats)
	}
	h.word(counted(p.Counters.All()))
	h.clocks(p)
	return uint64(h)
}

// counted digests the values of counters, whatever they are called and in whatever
// order they were declared. A counter at zero is like none.
func counted(list []predict.Counter) (sum uint64) {
	for _, c := range list {
		if c.Value != 0 {
			d := digest(1)
			d.word(math.Float64bits(c.Value))
			sum += uint64(d)
		}
	}
	return sum
}

func (d *digest) pose(p *geom.Pose) {
	two := func(a, b float32) {
		d.word(uint64(math.Float32bits(a))<<32 | uint64(math.Float32bits(b)))
	}
	two(p.Pos.X, p.Pos.Y)
	two(p.Pos.Z, p.Rot.X)
	two(p.Rot.Y, p.Rot.Z)
	two(p.Rot.W, 0)
}

func (d *digest) stats(s *packet.Stats) {
	for _, n := range [...]uint64{s.PacketsSent, s.PacketsReceived, s.DatagramsSent, s.DatagramsReceived,
		s.BytesSent, s.BytesReceived, s.Expected, s.Acked, s.Rejected, s.Repeated, s.Stale, s.Abandoned, s.Unsent,
		uint64(s.RTT), uint64(s.RTTLast), uint64(s.RTTVariation), uint64(s.Jitter), s.Late, s.Missing,
		s.SentRate, s.ReceivedRate, s.AckedRate} {
		d.word(n)
	}
}

// copyFrom makes the pane an equal of o, a pane of another lab.
func (p *Pane) copyFrom(o *Pane) {
	truth := sim.New(*o.ServerWorld.Scene(), o.ServerWorld.Rate())
	truth.CopyFrom(o.ServerWorld)
	p.held = append([]sim.Input(nil), o.held...)
	p.clocks = o.clocks
	p.run(o.Strategy, truth)
	p.Knobs.CopyFrom(o.Knobs)
	p.server.CopyFrom(o.server)
	p.env.Pace, p.env.InOrder = o.env.Pace, o.env.InOrder
	for i, s := range p.Clients {
		from := o.Clients[i]
		s.World.CopyFrom(from.World)
		s.client.CopyFrom(from.client)
		s.View.CopyFrom(&from.View)
		s.Endpoint.CopyFrom(from.Endpoint)
		s.end.CopyFrom(from.end)
		s.socket.copyFrom(from.socket)
		s.env.Pace, s.env.InOrder, s.due, s.frame = from.env.Pace, from.env.InOrder, from.due, from.frame
		s.shot = from.shot
		p.peers[i].Endpoint.CopyFrom(o.peers[i].Endpoint)
	}
	p.Counters.CopyFrom(o.Counters)
	p.Score.CopyFrom(o.Score)
	p.Corrections.copyFrom(&o.Corrections)
	p.Shots.copyFrom(&o.Shots)
	p.parts.copyFrom(&o.parts, p.ServerWorld, p.Clients[0].World, o.Clients[0].World)
	p.CPU, p.began, p.drawn, p.chain = o.CPU, o.began, o.drawn, o.chain
}
