package lab

import (
	"cmp"
	"slices"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/lab/probe"
	"ghostcube/predict/lab/trace"
	"ghostcube/predict/score"
	"ghostcube/sim"
)

// Pane runs one strategy: a server and its clients.
type Pane struct {
	Name        string // under which it is shown; empty: that of the strategy
	Strategy    *predict.Strategy
	ServerWorld *predict.World // authoritative; drawn as the ghost
	Clients     []*Client
	Knobs       *predict.Knobs
	Counters    *predict.Counters
	Score       *score.Score // of the first client
	CPU         CPU

	Corrections probe.Corrections   // of all clients
	Shots       probe.Shots         // of all players
	Latency     probe.LatencyTracer // of the first player's inputs

	lab        *Lab
	serverSide predict.Server
	serverEnv  *predict.Env
	peers      []predict.Peer // of the server, one per client
	serverEnds []*link.End    // of the links, one per client
	lastInputs []sim.Input    // of the last tick, by player

	serverAttacked []*attackedWire // of the server, one per client
	desync         desync

	connectionSettings *connectionSettings
	connections        []connection // one per client
	malformedBlocks    int          // blocks received that the server did not send
	startTick          sim.Tick     // session tick at which this strategy started
	drawnHash          digest       // of every pose drawn since then
	divergence         probe.DivergenceDetector
	sight              probe.Sight
	screens            []probe.Screen // by player, of the last tick; empty before the first shot
	clockFaults        [maxClients]ClockFault
	forced             ForcedFault // the last one
	dragged            dragging
	bodyBits           bodyBits
	noise              score.Noise     // of Measures
	noiseScratch       []score.Measure // of the last second
	progressScratch    predict.InputProgress
	playing            baseline // of a client whose server runs elsewhere, at its first picture
	span               *span    // that is measured beside the score; nil: none
	spanScratch        []score.Measure
	datagrams          *trace.Log // nil: none are recorded
	shownBy            []*Pane    // of a server: panes of a merged session
	recorded           bool       // plays what happened elsewhere
	happened                      // in a merged session
}

// Client is one client of a pane.
type Client struct {
	World    *predict.World
	View     predict.View // of the last frame
	Endpoint *packet.Endpoint

	side            predict.Client
	env             *predict.Env
	end             *link.End
	arrivals        *receiveBuffer
	peers           []*peerLink // by client, nil for its own; empty unless the strategy is PeerToPeer
	attacked        *attackedWire
	pendingShot     sim.Shot // fired, but not passed to a client tick yet
	drawing         drawing
	tickAccumulator int64         // client time since the end of its last tick, in millionths of a tick; below 0: before
	lastFrameTime   time.Duration // session time of the client's last frame
	remote          bool          // the server runs in another process, so the link has no traffic
	frozenTime      int64         // client time in which the program was frozen since its last tick, in millionths of a tick
}

// CPU is the processor time of a pane. It is measured only if the lab has a stopwatch.
type CPU struct {
	Ticks    int
	Sum, Max time.Duration // of server and clients, per tick
}

// million is one tick, in the unit of a client's tick accumulator.
const million = 1_000_000

// start starts a strategy from the present state of the server's world. The world
// continues; sides, links, knobs, counters and scores are new.
func (p *Pane) start(s *predict.Strategy, server *predict.World) {
	l := p.lab
	scene := server.Scene()
	p.Strategy, p.ServerWorld = s, server
	p.Knobs, p.Counters, p.Score = &predict.Knobs{}, &predict.Counters{}, &score.Score{}
	p.Clients, p.peers, p.serverEnds, p.serverAttacked, p.connections = nil, nil, nil, nil, nil
	p.CPU, p.Corrections, p.Shots = CPU{}, probe.Corrections{}, probe.Shots{}
	p.sight, p.screens = probe.Sight{}, nil
	p.forced, p.span, p.dragged = ForcedFault{}, nil, dragging{}
	p.noise, p.bodyBits, p.playing = score.Noise{}, bodyBits{}, baseline{tick: l.tick}
	p.startTick, p.drawnHash, p.divergence, p.desync = l.tick, 1, probe.DivergenceDetector{}, desync{}
	p.Latency = probe.NewLatencyTracer(s, server.Rate())
	if len(p.lastInputs) != scene.Players {
		p.lastInputs = make([]sim.Input, scene.Players)
	}
	p.serverEnv = &predict.Env{
		World: server, Players: scene.Players, Player: -1, LastInputs: p.lastInputs,
		Knobs: p.Knobs, Counters: p.Counters, OnHit: p.recordHit, OnStep: p.addServerStep,
		OnPacketBits: func(peer int, b *predict.PacketBits) { p.addPacketBits(link.Down, peer, b) },
	}
	p.serverSide = s.NewServer(p.serverEnv)
	for i := range l.clientCount() {
		p.addClient(i, l.playerOf(i))
	}
	p.connectPeers()
	p.connections, p.malformedBlocks = make([]connection, len(p.Clients)), 0
	p.connectionSettings = &connectionSettings{} // the earlier knobs keep the earlier ones
	p.connectionSettings.declare(p.Knobs)
	p.observeDatagrams(p.lab.tracing)
}

// addServerStep scores a step of a server that does not step once in each tick.
func (p *Pane) addServerStep() {
	p.Score.AddServerStep(p.ServerWorld, p.PlayerBody())
	if p.span != nil {
		p.span.score.AddServerStep(p.ServerWorld, p.PlayerBody())
	}
	for _, merged := range p.shownBy {
		merged.addServerStep()
	}
}

// addClient adds client i, which controls a player, or is a spectator if player is -1.
func (p *Pane) addClient(i, player int) {
	clientEnd, serverEnd := link.Pair(&p.lab.network, i)
	buffer := &receiveBuffer{wire: clientEnd}
	clientWire, serverWire := link.Wire(buffer), link.Wire(serverEnd)
	switch r := p.lab.remote; {
	case r != nil && r.serves:
		serverWire = r.wires[i]
	case r != nil:
		buffer.wire = r.wires[i]
	case i == 0:
		clientWire, serverWire = p.Latency.WrapClientEnd(clientWire), p.Latency.WrapServerEnd(serverWire)
	}
	c := &Client{
		World: predict.NewWorld(*p.ServerWorld.Scene(), p.ServerWorld.Rate()), end: clientEnd, arrivals: buffer, lastFrameTime: -1,
		remote: p.lab.remote != nil,
	}
	c.attacked = &attackedWire{Wire: p.withTap(clientWire, i, link.Up), end: clientEnd, forgeAcks: p.forgeAcks(link.Down)}
	c.Endpoint = packet.NewEndpoint(c.attacked)
	attacked := &attackedWire{Wire: p.withTap(serverWire, i, link.Down), end: serverEnd, forgeAcks: p.forgeAcks(link.Up)}
	c.World.CopyFrom(p.ServerWorld)
	c.World.RunWalkers(p.Strategy.RunsWalkers)
	c.env = &predict.Env{
		World: c.World, Players: p.serverEnv.Players, Player: player, LastInputs: p.lastInputs,
		Knobs: p.Knobs, Counters: p.Counters, OnCorrection: func(x predict.Correction) { p.recordCorrection(i, x) },
		OnPacketBits: func(_ int, b *predict.PacketBits) { p.addPacketBits(link.Up, i, b) },
	}
	c.side = p.Strategy.NewClient(c.env)
	p.Clients = append(p.Clients, c)
	p.serverEnds = append(p.serverEnds, serverEnd)
	p.serverAttacked = append(p.serverAttacked, attacked)
	p.peers = append(p.peers, predict.Peer{Endpoint: packet.NewEndpoint(attacked), Player: player})
}

// recordCorrection records a correction that client i makes in this tick. The client has
// not acknowledged the packet yet, so the server still knows when it sent it.
func (p *Pane) recordCorrection(i int, c predict.Correction) {
	sent, ok := p.peers[i].Endpoint.SentAt(c.Packet)
	if !ok {
		sent = -1
	}
	x := probe.Correction{Correction: c, Client: i, SessionTick: p.lab.tick, Sent: sent, LostBefore: p.Clients[i].Endpoint.MissingBefore(c.Packet)}
	x.Fault = p.faultBefore(&x)
	p.Corrections.Add(x)
}

// restart restarts the strategy from the scene's start and keeps the knobs.
func (p *Pane) restart() {
	knobs := p.Knobs
	p.lastInputs = nil
	p.start(p.Strategy, predict.NewWorld(p.lab.newScene(), p.lab.config.Rate))
	p.Knobs.CopyFrom(knobs)
}

// applySettings sets the knobs of a spec. Clients of a server in another process need a way to ask for the world.
func (p *Pane) applySettings(set []Setting) error {
	for _, s := range set {
		if err := p.Knobs.Set(s.Name, s.Value); err != nil {
			return err
		}
	}
	if p.lab.remote != nil {
		return p.Knobs.Set("messages", messageModes[messagesReliable])
	}
	return nil
}

// tick advances the pane by one session tick: each client by the ticks that are due on its
// clock, then the server. Then it collects the views and adds them to the score.
func (p *Pane) tick() {
	now, r := p.lab.Now(), p.lab.remote
	p.Counters.Stopwatch = p.lab.Stopwatch
	begin := p.Counters.BeginSpan()
	p.updateConnections()
	p.bodyBits.advance(p.lab.config.Rate)
	p.pull()
	if r.runsClients() {
		p.tickClients(now)
	}
	if r.runsServer() {
		p.tickServer(now)
	}
	if r.runsClients() {
		p.collectViews()
	}
	if r != nil {
		if r.watches {
			p.showServer()
		}
		p.countConnections()
		p.CPU.add(p.Counters.BeginSpan() - begin)
		return
	}
	p.addScreens()
	p.Latency.AfterView(p.serverSide, p.Clients[0].side, now)
	p.CPU.add(p.Counters.BeginSpan() - begin)
	p.measure()
}

// tickClients advances the clients.
func (p *Pane) tickClients(now time.Duration) {
	for i, s := range p.Clients {
		s.end.SetTCP(s.env.ReliableOrdered)
		p.serverEnds[i].SetTCP(p.serverEnv.ReliableOrdered)
		var in sim.Input
		if s.env.Player >= 0 {
			in = p.lab.inputs[s.env.Player]
		}
		p.tickClient(i, &p.clockFaults[i], now, p.queueShot(s, in))
	}
	if p.lab.remote == nil {
		p.Latency.AfterClientTick(p.serverSide, p.Clients[0].side, p.lab.tick, now)
	}
}

// tickServer advances the server.
func (p *Pane) tickServer(now time.Duration) {
	inputs := p.lab.inputs
	for _, peer := range p.peers {
		peer.Endpoint.Update(now)
	}
	p.receiveAtServer()
	var host []sim.Input
	if p.lab.config.Seat == AtHost {
		host = inputs
		p.recordHostShots(host)
	}
	p.serverSide.Tick(host, p.peers)
	p.flushAtServer(now)
	if p.lab.remote != nil {
		return // nothing is known of the clients but what they send
	}
	if host != nil {
		p.Latency.AddHostInput(p.lab.tick, now, p.ServerWorld.Tick())
	}
	p.Latency.AfterServerTick(p.serverSide, p.Clients[0].side, now, p.ServerWorld.Tick())
	for i := range p.lastInputs {
		p.lastInputs[i] = sim.Input{Buttons: inputs[i].Buttons, Heading: inputs[i].Heading}
	}
}

// collectViews makes the clients draw.
func (p *Pane) collectViews() {
	for i, s := range p.Clients {
		if p.joining(i) {
			if p.lab.remote != nil {
				p.playing = p.present()
			}
			continue // the last picture stays
		}
		s.View.Reset()
		s.side.View(&s.View)
		s.drawing.move(&s.View, p.ServerWorld.Scene(), p.lab.config.Rate)
	}
	for _, s := range p.Clients {
		p.drawnHash.addUint64(uint64(s.View.Tick()))
		for i := range s.View.Bodies {
			p.drawnHash.addPose(&s.View.Bodies[i])
		}
	}
}

// measure compares what the first client draws with the server's world.
func (p *Pane) measure() {
	p.Score.Add(p.ServerWorld, &p.Clients[0].View, p.PlayerBody())
	if p.span != nil {
		p.span.score.Add(p.ServerWorld, &p.Clients[0].View, p.PlayerBody())
	}
	if rate := sim.Tick(p.lab.config.Rate); (p.lab.tick-p.startTick)%rate == rate-1 {
		p.noiseScratch = p.Measures(p.noiseScratch[:0])
		p.noise.Add(p.noiseScratch)
	}
	if p.Strategy.TicksMatchServer && !p.Clients[0].holdsBodies() {
		var grid sim.Grid
		if p.Strategy.Grid != nil {
			grid = p.Strategy.Grid(p.Clients[0].side)
		}
		p.divergence.Compare(p.ServerWorld, p.Clients[0].World, grid)
	}
}

// tickClient runs the ticks of a client that have begun, if its program runs a frame now.
func (p *Pane) tickClient(i int, c *ClockFault, now time.Duration, in sim.Input) {
	l, s := p.lab, p.Clients[i]
	wait := func() { // receives into the buffer; a TCP-like wire needs none: it stops the sender instead
		if !p.serverEnv.ReliableOrdered {
			s.arrivals.bufferArrivals(now)
			for _, peer := range s.peers {
				peer.wait(now)
			}
		}
	}
	if l.tick < c.FrozenUntil {
		s.lastFrameTime = now
		s.frozenTime += c.clockStep(s.env.SlewPPM)
		wait()
		return
	}
	s.tickAccumulator += c.clockStep(s.env.SlewPPM)
	at := c.frameTime(now, l.tick, l.config.Rate)
	if at <= s.lastFrameTime {
		wait()
		return
	}
	s.lastFrameTime = at
	if s.tickAccumulator > 0 {
		s.Endpoint.Update(at) // its packets last until the next Update, so only if a tick reads them
		for _, peer := range s.peers {
			peer.update(at)
		}
		p.receiveAtClient(i)
		defer p.flushAtClient(i, at)
	}
	s.env.SameFrame = false
	for ; s.tickAccumulator > 0; s.tickAccumulator -= million {
		s.env.MissedTicks = int(s.frozenTime / million)
		s.frozenTime %= million
		if p.connections[i].join.waiting {
			s.Endpoint.Send(nil)
			continue
		}
		if s.tickAccumulator < million { // the last one, which ends after this frame
			s.drawing.save(s.side, &s.View)
		}
		s.env.TickEarly = sim.Moment(max(million-s.tickAccumulator, 0)) * sim.MomentsPerTick / million
		in.Shot, s.pendingShot = s.pendingShot, sim.Shot{}
		if s.env.Joined {
			in = sim.Input{}
			s.drawing.forget()
		}
		s.side.Tick(in, s.Endpoint)
		s.env.SameFrame = true
	}
	s.drawing.early = -s.tickAccumulator
}

// Inspect fills l with the report about the traffic with the first client: the strategy's, and that
// of messages and blocks.
func (p *Pane) Inspect(l *predict.Inspection) {
	l.Reset()
	if p.Strategy.Inspect != nil && (p.lab.merged == nil || p.PlayerBody() == 0) { // servers report about their first client
		p.Strategy.Inspect(l, p.serverSide, p.Clients[0].side)
	}
	p.inspectBodyBits(l)
	p.inspectSideband(&l.Sideband)
}

// PlayerBody returns the body of the first client's player, or that of the first player if the
// client is a spectator.
func (p *Pane) PlayerBody() int { return p.PlayerBodyOf(0) }

// PlayerBodyOf returns the body of a client's player, or that of the first player if the client is a spectator.
func (p *Pane) PlayerBodyOf(client int) int { return max(p.Clients[client].env.Player, 0) }

// Divergence returns the first difference between the first client's world and the server's. ok
// is false if they have not differed, or if the client does not simulate the server's ticks.
func (p *Pane) Divergence() (d probe.Divergence, ok bool) { return p.divergence.First() }

// StartTick returns the session tick at which the pane's strategy started.
func (p *Pane) StartTick() sim.Tick { return p.startTick }

// Title returns the name of the pane, or that of its strategy.
func (p *Pane) Title() string { return cmp.Or(p.Name, p.Strategy.Name) }

// AppendKnobs appends the knobs that differ from their defaults to dst, with a separator between two of them. In a pane
// with a name of its own, the strategy's precedes them.
func (p *Pane) AppendKnobs(dst []byte, separator string) []byte {
	if p.Name == "" {
		return p.Knobs.AppendChanged(dst, separator)
	}
	dst = append(dst, p.Strategy.Name...)
	alone := len(dst)
	dst = append(dst, separator...)
	knobs := len(dst)
	if dst = p.Knobs.AppendChanged(dst, separator); len(dst) == knobs {
		return dst[:alone]
	}
	return dst
}

// Spec returns a spec that opens an equal pane: its name, the strategy and the knobs that differ from
// their defaults.
func (p *Pane) Spec() string {
	spec := p.Strategy.Name
	if p.Name != "" {
		spec = p.Name + "=" + spec
	}
	for _, k := range p.Knobs.Changed() {
		spec += ":" + k
	}
	return spec
}

// ServerStats returns the statistics of the server's endpoint for the first client.
func (p *Pane) ServerStats() *packet.Stats { return &p.peers[0].Endpoint.Stats }

// holdsBodies reports whether the client does not step some bodies, but holds them where it draws them.
func (c *Client) holdsBodies() bool {
	for i := range c.World.Bodies() {
		if c.World.IsKinematic(i) {
			return true
		}
	}
	return false
}

// LinkCounters returns the counters of one direction of the client's link with the server.
func (c *Client) LinkCounters(d link.Direction) *link.Counters { return c.end.Counters(d) }

func (c *CPU) add(d time.Duration) {
	c.Ticks++
	c.Sum += d
	c.Max = max(c.Max, d)
}

// copyFrom makes the pane an equal of o, a pane of another lab.
func (p *Pane) copyFrom(o *Pane) {
	server := predict.NewWorld(*o.ServerWorld.Scene(), o.ServerWorld.Rate())
	server.CopyFrom(o.ServerWorld)
	p.lastInputs = slices.Clone(o.lastInputs)
	p.clockFaults = o.clockFaults
	p.Name, p.recorded = o.Name, o.recorded
	p.start(o.Strategy, server)
	if p.datagrams != nil {
		p.datagrams.Rewind(p.lab.Now())
	}
	p.Knobs.CopyFrom(o.Knobs)
	p.serverSide.CopyFrom(o.serverSide)
	p.serverEnv.SlewPPM, p.serverEnv.ReliableOrdered = o.serverEnv.SlewPPM, o.serverEnv.ReliableOrdered
	p.copyConnections(o)
	for i, s := range p.Clients {
		from := o.Clients[i]
		s.World.CopyFrom(from.World)
		s.side.CopyFrom(from.side)
		s.View.CopyFrom(&from.View)
		s.drawing.copyFrom(&from.drawing)
		s.Endpoint.CopyFrom(from.Endpoint)
		s.end.CopyFrom(from.end)
		s.arrivals.copyFrom(from.arrivals)
		s.attacked.copyFrom(from.attacked)
		p.serverAttacked[i].copyFrom(o.serverAttacked[i])
		for k, peer := range s.peers {
			peer.copyFrom(from.peers[k])
		}
		s.env.SlewPPM, s.env.ReliableOrdered, s.env.Joined = from.env.SlewPPM, from.env.ReliableOrdered, from.env.Joined
		s.tickAccumulator, s.lastFrameTime = from.tickAccumulator, from.lastFrameTime
		s.pendingShot, s.frozenTime = from.pendingShot, from.frozenTime
		p.peers[i].Endpoint.CopyFrom(o.peers[i].Endpoint)
	}
	p.malformedBlocks = o.malformedBlocks
	p.desync.field = o.desync.field
	p.applyDesync()
	p.Counters.CopyFrom(o.Counters)
	p.Score.CopyFrom(o.Score)
	p.noise.CopyFrom(&o.noise)
	p.bodyBits.recent = append(p.bodyBits.recent[:0], o.bodyBits.recent...)
	p.Corrections.CopyFrom(&o.Corrections.Log)
	p.Shots.CopyFrom(&o.Shots)
	p.sight, p.screens = o.sight, p.screens[:0]
	p.divergence.CopyFrom(&o.divergence, p.ServerWorld, p.Clients[0].World, o.Clients[0].World)
	p.CPU, p.startTick, p.drawnHash, p.Latency, p.forced, p.dragged = o.CPU, o.startTick, o.drawnHash, o.Latency, o.forced, o.dragged
}
