package rollback

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/desync"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/hit"
	"ghostcube/sim"
)

// confirmedTicks is the number of ticks whose inputs the server remembers: 68 s at 60 Hz.
const confirmedTicks = 4096

type server struct {
	env            *predict.Env
	settings       settings
	collectors     []collector // by player
	confirmed      history.Ring[confirmedTick]
	lagCompensator hit.LagCompensator
	checksums      desync.History
	peers          []peer
	counters       serverCounters
	scratch        serverScratch
}

// confirmedTick is what a tick was stepped with.
type confirmedTick struct {
	inputs [sim.MaxPlayers]sim.Input
	asSent [sim.MaxPlayers]bool // by player: the client has sent this input for this tick
}

// peer is a client as the server sees it. It is plain.
type peer struct {
	player    int      // that the client controls, or -1 for a spectator
	confirmed sim.Tick // first tick whose inputs the client lacks
	wantsOwn  bool     // even those of its own player
	query     desync.Query
	hasQuery  bool
}

type serverCounters struct {
	late, starved, depth, rejected predict.Counter
	inputs                         inputCounters
}

// serverScratch is memory of one tick.
type serverScratch struct {
	inputs []sim.Input
	up     upMessage
	down   downMessage
	coder  quant.Coder
	buffer []byte
}

func newServer(env *predict.Env) predict.Server {
	s := &server{
		env: env, collectors: make([]collector, env.Players), checksums: desync.NewHistory(len(env.World.Bodies())),
		confirmed: history.New[confirmedTick](confirmedTicks),
	}
	for p := range s.collectors {
		s.collectors[p].last = withoutShot(env.LastInputs[p])
	}
	s.settings.declare(env)
	s.lagCompensator.Declare(env)
	m := env.Counters
	s.counters.late = m.New("late_inputs",
		"inputs that arrived after their tick and were moved").Of(predict.LateInputs)
	s.counters.starved = m.New("input_starved_ticks", "ticks without their input").Of(predict.LateInputs)
	s.counters.depth = m.New("buffer_depth",
		"most inputs of one player that wait at the server, now").Of(predict.WaitingInputs)
	s.counters.inputs.declare(m)
	s.counters.rejected = m.Rejected()
	s.scratch.inputs = make([]sim.Input, env.Players)
	s.scratch.down.runs = resizeRuns(nil, env.Players)
	s.scratch.buffer = make([]byte, (maxDownBytes+2*len(env.World.Bodies())+7)/8*8)
	return s
}

// Tick collects the inputs, steps the confirmed world and sends the inputs to all clients.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	w := s.env.World
	for len(s.peers) < len(peers) {
		s.peers = append(s.peers, peer{player: peers[len(s.peers)].Player, confirmed: w.Tick()})
	}
	for i, at := range peers {
		for p, ok := at.Endpoint.Receive(); ok; p, ok = at.Endpoint.Receive() {
			if !s.receive(&s.peers[i], at.Player, p.Payload, s.watches(host)) {
				s.counters.rejected.Inc()
			}
		}
	}
	if s.watches(host) {
		s.watch(peers)
		return
	}
	s.step(host)
	for i, at := range peers {
		s.send(&s.peers[i], at)
	}
}

// receive reads an untrusted payload of the client of a player. It reports whether it is well-formed. A server that
// watches waits for every input, so that none is late.
func (s *server) receive(from *peer, player int, payload []byte, watches bool) bool {
	if len(payload) == 0 {
		return true
	}
	now, m, c := s.env.World.Tick(), &s.scratch.up, &s.scratch.coder
	c.BeginRead(payload)
	m.code(c, now)
	ahead := int64(m.next) - int64(now)
	forged := m.confirmed > now && !watches || len(m.inputs) > 0 && (player < 0 || ahead > waitingTicks/2)
	if finishRead(c, payload) != nil || forged {
		return false
	}
	if ahead < -waitingTicks/2 {
		m.inputs = m.inputs[:0] // of a client that has just joined again, and is catching up
	}
	from.confirmed, from.wantsOwn = m.confirmed, m.wantsOwn
	if m.hasQuery {
		from.query, from.hasQuery = m.query, true
	}
	for i, in := range m.inputs {
		t := m.next - sim.Tick(len(m.inputs)-i)
		if watches && t < now {
			continue // a repetition
		}
		if s.collectors[player].add(t, in, now) {
			s.counters.late.Inc()
		}
	}
	return true
}

// step steps a tick with the inputs that have arrived for it, or with what takes their place.
func (s *server) step(host []sim.Input) {
	w, inputs := s.env.World, s.scratch.inputs
	t := w.Tick()
	record := s.confirmed.Insert(t)
	*record = confirmedTick{}
	for p := range inputs {
		if p < len(host) {
			record.inputs[p] = host[p]
			continue
		}
		c := &s.collectors[p]
		if record.inputs[p], record.asSent[p] = c.take(t, s.settings.repeat); c.missing > 0 {
			s.counters.starved.Inc()
		}
	}
	s.stepWith(record)
}

// stepWith steps a tick with the inputs of a record.
func (s *server) stepWith(record *confirmedTick) {
	w, inputs := s.env.World, s.scratch.inputs
	copy(inputs, record.inputs[:])
	s.lagCompensator.Record(w)
	for p := range inputs {
		if inputs[p].Shot.Fired {
			s.lagCompensator.AddShot(w, p, inputs[p].Shot)
		}
	}
	s.lagCompensator.ResolvePending(w)
	s.settings.solver.Step(w, inputs...)
	if s.settings.checksumEvery > 0 {
		s.checksums.Record(w)
	}
	s.countDepth()
}

// countDepth counts the inputs that wait.
func (s *server) countDepth() {
	depth := 0
	for p := range s.collectors {
		n := 0
		for t := s.env.World.Tick(); t < s.env.World.Tick()+maxWaiting; t++ {
			if _, ok := s.collectors[p].at(t); ok {
				n++
			}
		}
		depth = max(depth, n)
	}
	s.counters.depth.Set(float64(depth))
}

// send sends a client the inputs of all confirmed ticks that it lacks, and the inputs of other players that
// wait for the ticks after.
func (s *server) send(to *peer, at predict.Peer) {
	now, m, c := s.env.World.Tick(), &s.scratch.down, &s.scratch.coder
	first := max(to.confirmed, now-min(now, confirmedTicks-1))
	m.tick, m.count = now, int(min(now-first, maxConfirmed))
	m.end = first + sim.Tick(m.count)
	for p := range m.runs {
		m.runs[p].asSent = p == at.Player && !to.wantsOwn && s.allAsSent(p, first, m.end)
		m.runs[p].inputs = m.runs[p].inputs[:0]
		if !m.runs[p].asSent {
			m.runs[p].inputs = s.appendRun(m.runs[p].inputs, p, first, m.end, p != at.Player && m.end == now)
		}
		s.counters.inputs.count(c, func() { m.runs[p].code(c, m.count) }, len(m.runs[p].inputs))
	}
	m.checksumTick, m.checksum = now, s.checksums.At(now)
	m.hasChecksum = s.settings.checksumEvery > 0 && now%sim.Tick(s.settings.checksumEvery) == 0 && m.checksum != 0
	s.finishSend(to, at)
}

// finishSend adds the reply to a client's query, and sends the message.
func (s *server) finishSend(to *peer, at predict.Peer) {
	now, m, c := s.env.World.Tick(), &s.scratch.down, &s.scratch.coder
	m.hasReply = to.hasQuery && s.checksums.Reply(&to.query, &m.reply)
	to.hasQuery = false
	c.BeginWrite(s.scratch.buffer)
	m.code(c, now, len(s.env.World.Bodies()))
	at.Endpoint.Send(finishWrite(c))
}

// allAsSent reports whether the ticks in [first, end) were stepped with what a player's client sent for them.
func (s *server) allAsSent(p int, first, end sim.Tick) bool {
	for t := first; t < end; t++ {
		if r := s.confirmed.Find(t); r == nil || !r.asSent[p] {
			return false
		}
	}
	return true
}

// appendRun appends a player's inputs of the confirmed ticks in [first, end), and if waiting is set those that
// have arrived for the ticks after, up to the first one that is missing.
func (s *server) appendRun(run []sim.Input, p int, first, end sim.Tick, waiting bool) []sim.Input {
	for t := first; t < end; t++ {
		if r := s.confirmed.Find(t); r != nil {
			run = append(run, r.inputs[p])
		} else {
			run = append(run, sim.Input{}) // before the session; nobody lacks it
		}
	}
	for t := end; waiting && t < end+maxWaiting; t++ {
		in, ok := s.collectors[p].at(t)
		if !ok {
			break
		}
		run = append(run, in)
	}
	return run
}

// Forget makes the server send a client all inputs from the present tick on, and those of its player as well.
func (s *server) Forget(i int) {
	if i >= len(s.peers) {
		return
	}
	p := &s.peers[i]
	*p = peer{player: p.player, confirmed: s.env.World.Tick(), wantsOwn: true}
	if p.player >= 0 {
		s.collectors[p.player] = collector{}
	}
}

func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.settings = o.settings
	copy(s.collectors, o.collectors)
	s.confirmed.CopyFrom(&o.confirmed, history.CopyValue[confirmedTick])
	s.lagCompensator.CopyFrom(&o.lagCompensator)
	s.checksums.CopyFrom(&o.checksums)
	s.peers = append(s.peers[:0], o.peers...)
}
