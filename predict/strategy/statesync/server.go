package statesync

import (
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/predict/part/interest"
	"ghostcube/predict/part/serverworld"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

type server struct {
	serverworld.Receiving
	settings    serverSettings
	state       serverState
	previous    []sim.Body  // after the last step
	authorities []authority // by body
	claims      []claims    // by peer
	senders     []sender    // by peer
	counters    serverCounters
	scratch     serverScratch
}

// serverSettings are the knobs of a server.
type serverSettings struct {
	policy      policy
	compression compressionSettings
	authority   int // serverAuthority or clientAuthority
	claimBuffer int // ticks that claims wait for their turn
}

// serverState is plain: it is copied by assignment.
type serverState struct {
	inputHistory       [inputHistoryTicks][sim.MaxPlayers]sim.Input // ring by tick
	inputHistoryLen    int                                          // remembered ticks
	wasClientAuthority bool                                         // in the last tick
	updates            uint64                                       // sent
	packets            uint64                                       // sent
	updateBits         uint64                                       // of all updates sent
	fillSum            float64                                      // sum of the packets' fill ratios
}

// serverCounters are the counters of a server.
type serverCounters struct {
	packets, updates, updatesPerPacket, updateBits, packetFillPercent        predict.Counter
	relativePercent, relativeSaved, deltaPercent, absoluteFallbacks          predict.Counter
	sendRate, congestedTicks, claimsRefused, updateWaitMax, rejectedPayloads predict.Counter
	bands                                                                    interest.BandCounters
}

// serverScratch is memory that is reused. It holds nothing from one tick to the next.
type serverScratch struct {
	changed       []bool      // by body: by the last step
	accelerations []geom.Vec3 // by body: in the last step, m/s2
	message       message
	coder         quant.Coder
	buffer        [maxBytes]byte
	spent         predict.PacketBits
}

// inputHistoryTicks is the number of ticks whose inputs the server remembers.
const inputHistoryTicks = 2 * maxInputs

func newServer(env *predict.Env) predict.Server {
	if env.Players > sim.MaxPlayers {
		panic("statesync: more players than any scene has")
	}
	s := &server{}
	s.previous = append(s.previous, env.World.Bodies()...)
	s.scratch.changed = make([]bool, len(s.previous))
	s.scratch.accelerations = make([]geom.Vec3, len(s.previous))
	s.authorities = make([]authority, len(s.previous))
	k, m := env.Knobs, env.Counters
	s.settings.policy.declare(k)
	s.settings.compression.declare(k, env.World.Scene())
	s.Declare(env)
	s.Receiver.DeclareBuffer(env)
	s.releaseAll()
	declareAuthority(k, &s.settings.authority)
	k.Needs("send", "authority", "server")
	k.In(predict.PlayoutKnobs).Int(&s.settings.claimBuffer, "uplink-buffer", 2, 0, maxBufferTicks,
		"authority=client: least ticks that the earliest states wait at the server; more if 1 % are late")
	k.Needs("uplink-buffer", "authority", "client")
	s.DeclareSolver()
	s.counters.init(m)
	return s
}

func (s *serverCounters) init(m *predict.Counters) {
	s.packets = m.New("packets", "packets sent to clients")
	s.updates = m.New("updates", "updates sent")
	s.updatesPerPacket = m.New("updates_per_packet", "mean number of updates in a packet")
	s.updateBits = m.New("update_bits", "mean size of an update, bits")
	s.relativePercent = m.New("relative_percent", "share of updates relative to a player's cube, %")
	s.relativeSaved = m.New("relative_saved_bits", "mean bits that a relative update saves")
	s.deltaPercent = m.New("delta_percent", "share of updates sent as differences, %")
	s.absoluteFallbacks = m.New("absolute_fallbacks", "updates sent whole because the acknowledged state was too old")
	s.packetFillPercent = m.New("packet_fill_percent", "mean share of the budget that packets used, %")
	s.sendRate = m.New("send_rate_kbit_per_second", "send rate, kbit/s, now")
	s.congestedTicks = m.New("congested_ticks", "ticks with a send rate reduced by congestion control")
	s.bands.Declare(m)
	s.claimsRefused = m.New("claims_refused", "claims refused because another player had authority")
	s.updateWaitMax = m.New("update_wait_max_ms", "longest time from a change to its update, ms")
	s.rejectedPayloads = m.Rejected()
}

// Tick reads the inputs, steps with the newest, and sends each peer a packet. Clients run behind the
// server, so inputs are used whatever their ticks.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	world := s.Env.World
	s.receiveInputs(host, peers)
	s.LagCompensator.Tick(world, host, peers, &s.Receiver)
	copy(s.state.inputHistory[world.Tick()%inputHistoryTicks][:], s.Inputs)
	s.state.inputHistoryLen = min(s.state.inputHistoryLen+1, inputHistoryTicks)
	s.settings.compression.quantise(world)
	s.Solver.Step(world, s.Inputs...)
	if s.settings.authority == clientAuthority {
		s.applyClaims(peers)
	}
	s.findChanges()
	for i, peer := range peers {
		s.sendPacket(i, peer)
	}
}

// addPeers adds peers until there are n.
func (s *server) addPeers(n int) {
	for len(s.senders) < n {
		s.claims = append(s.claims, newClaims(len(s.previous)))
		s.senders = append(s.senders, newSender(len(s.previous), s.Env.World.Rate()))
	}
}

// Forget forgets a client's inputs, claims and baselines, and what it has been sent.
func (s *server) Forget(peer int) {
	s.Receiving.Forget(peer, 0)
	if peer >= len(s.senders) {
		return
	}
	s.claims[peer] = newClaims(len(s.previous))
	s.claims[peer].state.joining = true
	before := &s.senders[peer].state
	p := newSender(len(s.previous), s.Env.World.Rate())
	p.state.congestion, p.state.lastPacket, p.state.bands = before.congestion, before.lastPacket, before.bands
	p.state.maxWaitTicks, p.state.fallbacks = before.maxWaitTicks, before.fallbacks
	p.state.relativeUpdates, p.state.relativeSaved, p.state.deltaUpdates = before.relativeUpdates, before.relativeSaved, before.deltaUpdates
	s.senders[peer] = p
}

// receiveInputs sets lastInputs to each player's input of this tick.
func (s *server) receiveInputs(host []sim.Input, peers []predict.Peer) {
	w := s.Env.World
	s.Receiver.AddPeers(peers, 0, s.Inputs)
	s.addPeers(len(peers))
	input.SetHostInputs(s.Inputs, host)
	s.receiveClaims(peers)
	if s.settings.authority == clientAuthority {
		s.state.wasClientAuthority = true
		s.consumeInputs(peers)
		return
	}
	if s.state.wasClientAuthority {
		s.state.wasClientAuthority = false
		s.releaseAll()
	}
	s.Receiver.PopNext(peers, s.Inputs, w.Rate())
}

// findChanges finds the bodies that have changed since the last tick, and their accelerations.
func (s *server) findChanges() {
	rate := float32(s.Env.World.Rate())
	for i, b := range s.Env.World.Bodies() {
		s.scratch.changed[i] = b != s.previous[i]
		s.scratch.accelerations[i] = b.Linear.Sub(s.previous[i].Linear).Scale(rate)
		s.previous[i] = b
	}
}

// sendPacket sends peer i the packet of this tick.
func (s *server) sendPacket(i int, peer predict.Peer) {
	p := &s.senders[i]
	world, msg := s.Env.World, &s.scratch.message
	now := world.Tick()
	p.receiveAcks(peer.Endpoint, now)
	own := max(peer.Player, 0)
	p.accumulatePriorities(world, s.scratch.changed, &s.settings.policy, own)
	if s.settings.authority == clientAuthority && peer.Player >= 0 && !s.claims[i].state.joining {
		p.excludeOwned(s.authorities, peer.Player)
	}
	p.state.budget.AddTick(s.sendRate(p, peer))

	msg.tick, msg.players, msg.updateCount, msg.attachments = now, s.Env.Players, 0, world.Attachments()
	msg.format = s.settings.compression.format(s.settings.policy.velocities)
	if msg.format.authority = s.settings.authority == clientAuthority; msg.format.authority {
		msg.consumedTick, msg.move = s.claims[i].consumedTick(), s.claims[i].announced(now)
	} else {
		s.settings.policy.reckoning.format(&msg.format)
	}
	p.excludeReckoned(world, &s.settings.policy, &msg.format, &peer.Endpoint.Stats)
	msg.baselines, msg.rate, msg.ackAge = p, world.Rate(), int(now-p.state.ackedTick)
	msg.ackBits, msg.params, msg.tuner, msg.relativeMode = p.state.ackBits, p.state.params, nil, s.settings.policy.relativeMode
	if !p.state.anyAcked || msg.ackAge > 1<<ackAgeBits {
		msg.format.delta = false
	}
	s.addInputs(p.unackedTicks(now))
	s.scratch.coder.BeginMeasure()
	msg.code(&s.scratch.coder, world.Scene())
	headerBits := s.scratch.coder.BitsProcessed()
	inputBits := s.inputBits(headerBits)
	available := 8*p.availablePayload() - headerBits
	needed := msg.indexBits(len(s.previous)-1, world.Scene()) + msg.format.wholeBits(false) + authorityBits(msg.players) + 3
	if available < needed {
		p.reserve(headerBits + needed)
		return // until enough credit has accumulated
	}
	if s.settings.policy.states {
		p.chooseUpdates(msg, world, available, func(i int) authority { return s.authorities[i] })
		s.addAccelerations()
	}
	if p.mayStaySilent(msg) {
		return
	}
	s.scratch.coder.BeginWrite(s.scratch.buffer[:])
	s.scratch.spent.Begin(len(s.previous))
	msg.tuner, msg.spent = &p.state.tuner, &s.scratch.spent
	msg.code(&s.scratch.coder, world.Scene())
	msg.tuner = nil
	bits, data := s.scratch.coder.BitsProcessed(), s.scratch.coder.FinishWrite()
	if s.scratch.coder.Err() != nil {
		panic("statesync: a packet exceeds its buffer: " + s.scratch.coder.Err().Error())
	}
	msg.report(s.Env.OnPacketBits, i, data)
	budget := p.state.budget.Available()
	if s.settings.compression.level == delta {
		p.countFallbacks(msg)
	}
	p.recordSent(peer.Endpoint.Send(data), msg, len(data))
	p.state.lastPacket = packetRecord{
		tick: now, budget: budget, bytes: packet.WireBytes(len(data)), updateCount: msg.updateCount,
		inputBits: inputBits, headerBits: headerBits, payloadBits: bits,
	}

	for i := range msg.updates[:msg.updateCount] {
		p.state.bands.CountUpdate(world.Bodies()[msg.updates[i].body].Pose.Pos, world.Bodies()[own].Pose.Pos)
	}
	p.state.bands.SetCounters(&s.counters.bands, world.Rate())
	s.state.packets++
	s.state.updates += uint64(msg.updateCount)
	s.state.fillSum += float64(bits) / float64(headerBits+available)
	s.state.updateBits += uint64(bits - headerBits)
	s.countEncodings()
	s.counters.packets.Set(float64(s.state.packets))
	s.counters.updates.Set(float64(s.state.updates))
	s.counters.updatesPerPacket.Set(float64(s.state.updates) / float64(s.state.packets))
	s.counters.packetFillPercent.Set(float64(100*s.state.fillSum) / float64(s.state.packets))
	s.counters.updateWaitMax.Max(sim.Tick(p.state.maxWaitTicks).Moment().Millis(world.Rate()))
}

// addAccelerations adds the accelerations of the bodies in the message, except those of impacts, which will not
// last.
func (s *server) addAccelerations() {
	m := &s.scratch.message
	for i := range m.updates[:m.updateCount] {
		u := &m.updates[i]
		a := s.scratch.accelerations[u.body]
		if m.format.hasAccelerations() && !u.state.Asleep && a.LenSq() < maxAcceleration*maxAcceleration {
			n := accelerationGrid.Quantise([3]float32{a.X, a.Y, a.Z})
			u.acceleration = geom.Vec3{X: n[0], Y: n[1], Z: n[2]}
		}
	}
}

// countEncodings counts how the updates to all peers were encoded.
func (s *server) countEncodings() {
	k, updates := &s.counters, float64(s.state.updates)
	if updates == 0 {
		return
	}
	var deltas, fallbacks, relatives uint64
	var saved int64
	for i := range s.senders {
		p := &s.senders[i].state
		deltas, fallbacks, relatives, saved = deltas+p.deltaUpdates, fallbacks+p.fallbacks, relatives+p.relativeUpdates, saved+p.relativeSaved
	}
	k.updateBits.Set(float64(s.state.updateBits) / updates)
	k.deltaPercent.Set(float64(100*deltas) / updates)
	k.relativePercent.Set(float64(100*relatives) / updates)
	k.absoluteFallbacks.Set(float64(fallbacks))
	if relatives > 0 {
		k.relativeSaved.Set(float64(saved) / float64(relatives))
	}
}

// sendRate returns the rate at which a peer is sent to now, in bytes per second.
func (s *server) sendRate(p *sender, peer predict.Peer) int {
	bytes := s.settings.policy.budget * bytesPerKbit
	if reduced := p.state.congestion.updateRate(bytes, &peer.Endpoint.Stats, s.Env.World.Rate()); s.settings.policy.congestion {
		bytes = reduced
		if p.state.congestion.congested {
			s.counters.congestedTicks.Inc()
		}
	}
	s.counters.sendRate.Set(float64(bytes) / bytesPerKbit)
	return bytes
}

// addInputs adds the newest inputs of all players to the message, as many as the peer lacks.
func (s *server) addInputs(missing int) {
	msg := &s.scratch.message
	msg.inputCount = 0
	if !s.settings.policy.inputs || msg.format.reckoning != notReckoned {
		return
	}
	msg.inputCount = min(missing, s.state.inputHistoryLen, maxInputs)
	for i := range msg.inputCount {
		record := &s.state.inputHistory[(msg.tick-sim.Tick(msg.inputCount-i))%inputHistoryTicks]
		for p := range msg.players {
			msg.inputs[p][i] = record[p]
		}
	}
}

func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.settings, s.state = o.settings, o.state
	s.Receiving.CopyFrom(&o.Receiving)
	s.previous = append(s.previous[:0], o.previous...)
	s.authorities = append(s.authorities[:0], o.authorities...)
	s.addPeers(len(o.senders))
	s.claims, s.senders = s.claims[:len(o.claims)], s.senders[:len(o.senders)]
	for i := range o.senders {
		s.claims[i].copyFrom(&o.claims[i])
		s.senders[i].copyFrom(&o.senders[i])
	}
}
