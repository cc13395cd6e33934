package statesync

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/hit"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

type server struct {
	env    *predict.Env
	set    settings
	policy policy
	desk   input.Desk
	shots  hit.Judge
	held   []sim.Input
	world  predict.Solver

	past    [remembered][mostPlayers]sim.Input // what the players did, by tick
	known   int                                // of those, how many have been noted
	before  []sim.Body
	changed []bool // by the last step
	who     int    // the knob authority
	wait    int    // ticks that claims wait for their turn
	handed  bool
	hands   []grip // by body
	claims  []claims
	peers   []sender
	updates uint64 // sent
	packets uint64
	filled  float64 // sum over the packets of their fill

	message message
	coder   quant.Coder
	buffer  [mostBytes]byte
}

// remembered is how many ticks of inputs the server keeps.
const remembered = 2 * mostInputs

func newServer(env *predict.Env) predict.Server {
	if env.Players > mostPlayers {
		panic("statesync: more players than any scene has")
	}
	s := &server{env: env, held: append([]sim.Input(nil), env.LastInputs...)}
	s.before = append(s.before, env.World.Bodies()...)
	s.changed = make([]bool, len(s.before))
	s.hands = make([]grip, len(s.before))
	s.letGo()
	k, m := env.Knobs, env.Counters
	s.policy.declare(k)
	s.set.declare(k, env.World.Scene())
	s.desk.Declare(env)
	s.shots.Declare(env)
	declareHands(k, &s.who)
	k.Int(&s.wait, "up-buffer", 2, 0, mostBuffer, "authority=toucher: ticks that the earliest packets of a client wait at the server for their turn")
	k.Solver(&s.world)
	m.Declare("packets", "packets sent")
	m.Declare("updates", "updates of bodies sent")
	m.Declare("updates_per_packet", "updates in a packet, mean")
	m.Declare("based_percent", "share of the updates that were sent by their differences from a state that the client had")
	m.Declare("packet_fill_percent", "share of what a packet may hold by the budget that it held, mean")
	m.Declare("rate_kbit", "kbit/s at which is sent: the budget, or less while there is a queue on the way, now")
	m.Declare("congested_ticks", "ticks in which it was less")
	declareBands(m)
	m.Declare("claims_refused", "times a client said it had a body in hand that was in another's")
	m.Declare("waiting_max_ms", "the longest that a body which had changed waited for an update to be sent")
	return s
}

// Tick reads the inputs, steps with the newest, and sends each peer a packet. A
// client is behind, so its ticks are no reason to refuse any.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	world := s.env.World
	s.listen(host, peers)
	s.shots.Tick(world, host, peers, &s.desk)
	copy(s.past[world.Tick()%remembered][:], s.held)
	s.known = min(s.known+1, remembered)
	s.set.quantise(world)
	s.world.Step(world, s.held...)
	if s.who == touchersWord {
		s.setClaims(peers)
	}
	s.note()
	for len(s.peers) < len(peers) {
		s.peers = append(s.peers, newSender(len(s.before)))
	}
	for i, peer := range peers {
		s.send(i, peer)
	}
}

// listen sets held to what each player does in this tick.
func (s *server) listen(host []sim.Input, peers []predict.Peer) {
	w, m := s.env.World, s.env.Counters
	s.desk.Seat(peers, 0, s.held)
	for len(s.claims) < len(peers) {
		s.claims = append(s.claims, newClaims(len(s.before)))
	}
	input.Hold(s.held, host)
	s.hearClaims(peers)
	if s.who == touchersWord {
		s.handed = true
		s.playClaims(peers)
		return
	}
	if s.handed {
		s.handed = false
		s.letGo()
	}
	s.desk.Newest(peers, s.held, w.Rate(), m)
}

// note finds what the step changed.
func (s *server) note() {
	for i, b := range s.env.World.Bodies() {
		s.changed[i] = b != s.before[i]
		s.before[i] = b
	}
}

// send sends peer i the packet of this tick.
func (s *server) send(i int, peer predict.Peer) {
	p := &s.peers[i]
	world, m, msg := s.env.World, s.env.Counters, &s.message
	now := world.Tick()
	p.hear(peer.Endpoint)
	own := max(peer.Seat, 0)
	p.raise(world, s.changed, &s.policy, own)
	if s.who == touchersWord && peer.Seat >= 0 {
		p.spare(s.hands, peer.Seat)
	}
	p.save(s.rate(p, peer))

	msg.tick, msg.players, msg.n = now, s.env.Players, 0
	msg.form = s.set.form(s.policy.velocities)
	if msg.form.hands = s.who == touchersWord; msg.form.hands {
		msg.claimed = s.claims[i].heard()
	}
	msg.bases, msg.rate, msg.back = p, world.Rate(), int(now-p.arrived)
	msg.heard, msg.lengths, msg.tally = p.heard, p.lengths, nil
	if !p.any || msg.back > 1<<backBits {
		msg.form.delta = false
	}
	s.putInputs(p.missing(now))
	s.coder.Measure()
	msg.code(&s.coder, world.Scene())
	head := s.coder.Processed()
	inputs := s.inputBits(head)
	most := 8*payload(p.bytes(world.Rate())) - head
	least := msg.numberBits(len(s.before)-1, world.Scene()) + msg.form.bits(false) + gripBits(msg.players) + 3
	if msg.form.relative {
		least += whole // bits before it
	}
	if most < least {
		p.want(head+least, world.Rate())
		return // the budget has to gather first
	}
	if s.policy.states {
		p.choose(msg, world, most, func(i int) grip { return s.hands[i] })
	}
	s.coder.Write(s.buffer[:])
	msg.tally = &p.tally
	msg.code(&s.coder, world.Scene())
	msg.tally = nil
	bits, data := s.coder.Processed(), s.coder.Data()
	if s.coder.Err() != nil {
		panic("statesync: a packet that does not fit: " + s.coder.Err().Error())
	}
	room := p.bytes(world.Rate())
	p.sent(peer.Endpoint.Send(data), msg, len(data), world.Rate())
	p.out = outgo{tick: now, room: room, bytes: cost(len(data)), inputs: inputs, head: head, bits: bits, n: msg.n}

	p.bands.tell(msg, world, world.Bodies()[own].Pose.Pos)
	p.bands.meter(m, world.Rate())
	s.packets++
	s.updates += uint64(msg.n)
	s.filled += float64(bits) / float64(head+most)
	if s.updates > 0 {
		var based uint64
		for i := range s.peers {
			based += s.peers[i].based
		}
		m.Set("based_percent", float64(100*based)/float64(s.updates))
	}
	m.Set("packets", float64(s.packets))
	m.Set("updates", float64(s.updates))
	m.Set("updates_per_packet", float64(s.updates)/float64(s.packets))
	m.Set("packet_fill_percent", float64(100*s.filled)/float64(s.packets))
	m.Set("waiting_max_ms", max(m.Value("waiting_max_ms"), float64(float64(p.longest)*1000)/float64(world.Rate())))
}

// rate is at how many bits a second a peer is sent to now.
func (s *server) rate(p *sender, peer predict.Peer) int64 {
	bits := int64(s.policy.budget) * 1000
	if slow := p.flow.bits(s.policy.budget, &peer.Endpoint.Stats, s.env.World.Rate()); s.policy.congestion {
		bits = slow
		if p.flow.bad {
			s.env.Counters.Add("congested_ticks", 1)
		}
	}
	s.env.Counters.Set("rate_kbit", float64(bits)/1000)
	return bits
}

// putInputs puts the newest inputs of all players into the message, as many as
// are missing.
func (s *server) putInputs(missing int) {
	msg := &s.message
	msg.count = 0
	if !s.policy.inputs {
		return
	}
	msg.count = min(missing, s.known, mostInputs)
	for i := range msg.count {
		past := &s.past[(msg.tick-sim.Tick(msg.count-i))%remembered]
		for p := range msg.players {
			msg.inputs[p][i] = past[p]
		}
	}
}

func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.set, s.policy, s.world = o.set, o.policy, o.world
	s.past, s.known = o.past, o.known
	s.updates, s.packets, s.filled = o.updates, o.packets, o.filled
	s.held = append(s.held[:0], o.held...)
	s.before = append(s.before[:0], o.before...)
	copy(s.changed, o.changed)
	s.desk.CopyFrom(&o.desk)
	s.shots.CopyFrom(&o.shots)
	s.who, s.wait, s.handed = o.who, o.wait, o.handed
	copy(s.hands, o.hands)
	s.claims = make([]claims, len(o.claims))
	for i := range o.claims {
		s.claims[i] = newClaims(len(s.before))
		s.claims[i].copyFrom(&o.claims[i])
	}
	s.peers = make([]sender, len(o.peers))
	for i := range o.peers {
		s.peers[i].copyFrom(&o.peers[i])
	}
}
