package rewind

import (
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/input"
	"ghostcube/predict/part/serverworld"
	"ghostcube/sim"
)

type server struct {
	serverworld.Receiving
	stepMode int
	// server-steps=on-input: the first input has been used, which sets the tick of the world.
	startedOnInput bool
	inputGaps      predict.Counter
	broadcast      codec.Broadcast
	history        rollbackHistory
	resync         resyncServer
	relay          relayServer
	rejected       predict.Counter
	writeHeader    func(c *quant.Coder, peer int)
	scratch        serverScratch
}

// serverScratch is memory of one tick.
type serverScratch struct {
	coder quant.Coder
	peers []predict.Peer
}

func newServer(env *predict.Env) predict.Server {
	s := &server{}
	declareStepMode(env.Knobs, &s.stepMode)
	s.Receiver.RepeatMissing.Time = repeatTime
	s.Declare(env)
	s.broadcast.Declare(env)
	s.DeclareSolver()
	s.history.init(env)
	s.resync.declare(env)
	s.rejected = env.Counters.Rejected()
	s.inputGaps = env.Counters.New("input_gaps", "ticks that the server skipped because their input never arrived")
	input.DeclareRelay(env.Knobs, &s.relay.enabled)
	s.relay.past = history.New[[sim.MaxPlayers]sim.Input](input.MaxPast)
	s.writeHeader = func(c *quant.Coder, peer int) {
		s.resync.codeAge(c, env.World.Tick())
		s.relay.write(c, env.World.Tick(), peer, env.Players, s.scratch.peers, s.Receiver.Queues)
	}
	return s
}

// Tick reads the inputs, steps and sends the state.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	world := s.Env.World
	s.scratch.peers = peers
	s.resync.beginTick(world)
	s.Receiver.AddPeers(peers, world.Tick(), s.Inputs)
	s.broadcast.Acknowledge(peers)
	for i, t := range s.relay.joined {
		if t > 0 && s.broadcast.AckedTick(i) > t {
			s.relay.joined[i] = 0
		}
	}
	input.SetHostInputs(s.Inputs, host)
	if s.stepMode == onInput && len(host) == 0 {
		s.stepOnInput(peers)
	} else {
		s.receive(peers)
		s.rollback(peers)
		for i, peer := range peers {
			if peer.Player >= 0 {
				s.Inputs[peer.Player] = s.Receiver.Queues[i].Pop(world.Tick(), s.Receiver.RepeatMissing)
			}
		}
		s.history.beginTick(world, s.Inputs, peers, s.Receiver.Queues)
		s.Step(host, peers)
		s.relay.record(world.Tick()-1, s.Inputs)
		s.broadcast.RecordStep(world)
	}
	for i, peer := range peers {
		if peer.Player >= 0 {
			s.Receiver.Queues[i].CountConsumed(world.Tick(), world.Rate())
		}
	}
	s.Receiver.CountTotals()
	s.resync.endStep(world)
	due := s.broadcast.Due()
	resynced := due && s.resync.resync(world)
	s.broadcast.SendWithHeader(s.writeHeader, world, peers, s.Inputs)
	s.history.endTick(world, due, resynced)
}

// receive reads the packets.
func (s *server) receive(peers []predict.Peer) {
	for i, peer := range peers {
		for p, ok := peer.Endpoint.Receive(); ok; p, ok = peer.Endpoint.Receive() {
			s.read(&p, peer.Player, &s.Receiver.Queues[i])
		}
	}
}

// read reads a packet of the client of a player: a message of inputs, a request for a
// resynchronisation, both, or nothing. It returns the new inputs as Queue.Read does.
func (s *server) read(p *packet.Packet, player int, q *input.Queue) (from sim.Tick, fresh []sim.Input) {
	now, state, asks, ok := s.Env.World.Tick(), sim.Tick(0), false, false
	readAsk := func(c *quant.Coder) {
		if state, asks = codeAsk(c, 0, now), true; state > now {
			c.Fail(predict.ErrMalformed)
		}
	}
	switch hasInputs := player >= 0 && len(p.Payload) > askPayloadBytes; {
	case len(p.Payload) == 0:
	case hasInputs && s.stepMode == onInput:
		from, fresh, ok = q.ReadOwnTicksWith(p, now, readAsk)
	case hasInputs:
		from, fresh, ok = q.ReadWith(p.Payload, now, readAsk)
	default:
		c := &s.scratch.coder
		c.BeginRead(p.Payload)
		readAsk(c)
		if ok = c.Err() == nil && c.AtEnd(len(p.Payload)); !ok {
			s.rejected.Inc()
		}
	}
	if ok && asks {
		s.resync.ask(state)
	}
	return from, fresh
}

// stepOnInput steps as the published program does: once for each new input, in order, skipping
// gaps. With several players the first one's inputs drive the world, and the others repeat their
// last.
func (s *server) stepOnInput(peers []predict.Peer) {
	world := s.Env.World
	for i, peer := range peers {
		q := &s.Receiver.Queues[i]
		for p, ok := peer.Endpoint.Receive(); ok; p, ok = peer.Endpoint.Receive() {
			from, fresh := s.read(&p, peer.Player, q)
			for j := range fresh {
				t := from + sim.Tick(j)
				if t < world.Tick() && i == 0 {
					continue
				}
				s.Inputs[peer.Player] = q.Pop(t, input.Repetition{})
				if i == 0 {
					if s.startedOnInput {
						s.inputGaps.Add(float64(t - world.Tick()))
					}
					s.startedOnInput = true
					world.SetTick(t)
					s.Step(nil, peers)
					s.broadcast.RecordStep(world)
					if s.Env.OnStep != nil {
						s.Env.OnStep()
					}
				}
			}
		}
	}
}

// Forget forgets a client's inputs and acknowledgements.
func (s *server) Forget(peer int) {
	s.Receiving.Forget(peer, s.Env.World.Tick())
	s.broadcast.Forget(peer, s.Env.World.Tick())
	s.relay.join(peer, s.Env.World.Tick())
}

func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.stepMode, s.startedOnInput = o.stepMode, o.startedOnInput
	s.Receiving.CopyFrom(&o.Receiving)
	s.history.copyFrom(&o.history)
	s.resync.copyFrom(&o.resync)
	s.relay.copyFrom(&o.relay)
	s.broadcast.CopyFrom(&o.broadcast)
}
